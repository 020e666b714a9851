//! Frames with any contents, and any bytes, to a board node's end of the link while it plays.
#![no_main]

use libfuzzer_sys::fuzz_target;
use node_firmware::{BoardConfig, BoardNode, BoardReading, Identity};
use proto::link::{Decoder, NodeTime};

mod frames;

const BUFFER_BYTES: usize = 256;

fuzz_target!(|data: &[u8]| {
    let mut node = BoardNode::<BUFFER_BYTES>::new(
        Identity::new("n".parse().unwrap(), 1),
        BoardConfig::default(),
    );
    let mut now = NodeTime::ZERO;
    let mut said = Decoder::new();
    let mut frames = frames::frames(data);
    frames.push(data.to_vec());
    for (index, frame) in frames.iter().enumerate() {
        now = now.plus_micros(10_000);
        let squares =
            frame.iter().fold(0, |squares: u64, &byte| squares.rotate_left(7) ^ u64::from(byte));
        node.observe(now, BoardReading { squares, white_tray: squares as u16, black_tray: 0 });
        node.receive(frame);
        assert!(node.link().buffered_events() <= BUFFER_BYTES / 2);
        let mut bytes = [0; 96];
        let length = node.transmit(&mut bytes[..32 + index % 64]);
        said.push_all(&bytes[..length], |frame| {
            let frame = frame.unwrap();
            assert!(frame.message.message_type().is_from_node());
            assert_eq!(frame.boot_id, 1);
        });
        assert!(node.next_due() > now);
    }
});
