//! Frames with any contents, and any bytes, to nodes' ends of the link while they play. The nodes are a reed board, a hall board with
//! any sensor readings, and a clock with any contacts and keys.
#![no_main]

use libfuzzer_sys::fuzz_target;
use node_firmware::{
    BoardConfig, BoardNode, BoardReading, ClockConfig, ClockInputs, ClockNode, EventMemory,
    HallSquares, Identity,
};
use proto::link::{Decoder, NodeTime};

mod frames;

const BUFFER_BYTES: usize = 256;

fuzz_target!(|data: &[u8]| {
    let identity = || Identity::new("n".parse().unwrap(), 1);
    let mut reed =
        BoardNode::new(identity(), BoardConfig::default(), EventMemory::of_heap(BUFFER_BYTES));
    let mut hall = BoardNode::with_squares(
        identity(),
        HallSquares::magnitude(),
        true,
        EventMemory::of_heap(BUFFER_BYTES),
    );
    let mut clock =
        ClockNode::new(identity(), ClockConfig::default(), EventMemory::of_heap(BUFFER_BYTES));
    let mut now = NodeTime::ZERO;
    let mut said = [Decoder::new(), Decoder::new(), Decoder::new()];
    let mut frames = frames::frames(data);
    frames.push(data.to_vec());
    for (index, frame) in frames.iter().enumerate() {
        now = now.plus_micros(10_000);
        let squares =
            frame.iter().fold(0, |squares: u64, &byte| squares.rotate_left(7) ^ u64::from(byte));
        let white_tray = squares as u16;
        reed.observe(now, BoardReading { squares, white_tray, black_tray: 0 });
        let samples = std::array::from_fn(|square| squares.rotate_left(square as u32) as u16);
        hall.observe(now, BoardReading { squares: samples, white_tray, black_tray: 0 });
        let on = |bit: u32| squares >> bit & 1 == 1;
        clock.observe(
            now,
            ClockInputs {
                white_down: on(0),
                black_down: on(1),
                tilted: on(2),
                white_hand: on(3),
                black_hand: on(4),
                white_hand_away: on(9),
                black_hand_away: on(10),
                keys: [on(5), on(6), on(7), on(8)],
            },
        );
        reed.receive(frame);
        hall.receive(frame);
        clock.receive(frame);
        assert!(reed.link().buffered_events() <= BUFFER_BYTES / 2);
        assert!(clock.settings().control.is_valid());
        let mut bytes = [0; 96];
        let room = 32 + index % 64;
        for (node, said) in said.iter_mut().enumerate() {
            let length = match node {
                0 => reed.transmit(&mut bytes[..room]),
                1 => hall.transmit(&mut bytes[..room]),
                _ => clock.transmit(&mut bytes[..room]),
            };
            said.push_all(&bytes[..length], |frame| {
                let frame = frame.unwrap();
                assert!(frame.message.message_type().is_from_node());
                assert_eq!(frame.boot_id, 1);
            });
        }
        assert!(reed.next_due() > now && hall.next_due() > now && clock.next_due() > now);
    }
});
