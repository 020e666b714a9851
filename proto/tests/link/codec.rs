//! The codec under honest bytes, damaged bytes and no sense at all.

use proptest::collection::vec;
use proptest::prelude::*;
use proto::link::*;

use crate::messages::{any_frame, decode_all, encode, one_of_each, other_forms};

proptest! {
    #[test]
    fn every_frame_survives_the_wire(frame in any_frame()) {
        let bytes = encode(&frame);
        prop_assert!(bytes.len() <= MAX_FRAME_BYTES);
        prop_assert_eq!(decode_all(&bytes), vec![Ok(frame)]);
    }

    #[test]
    fn a_node_reads_of_all_frames_the_requests_and_reads_them_alike(frame in any_frame()) {
        let mut decoder = Decoder::new();
        let bytes = encode(&frame);
        let read: Vec<_> = bytes.iter().filter_map(|&byte| decoder.push_request(byte)).collect();
        let kind = frame.message.message_type();
        let unknown = FrameError::UnknownType(kind.number());
        prop_assert_eq!(read, vec![if kind.is_from_node() { Err(unknown) } else { Ok(frame) }]);
    }

    #[test]
    fn frames_in_a_row_all_come_out_however_the_bytes_are_cut(
        frames in vec(any_frame(), 1..6), cut in 1_usize..50,
    ) {
        let bytes: Vec<u8> = frames.iter().flat_map(encode).collect();
        let mut decoder = Decoder::new();
        let mut results = Vec::new();
        for chunk in bytes.chunks(cut) {
            decoder.push_all(chunk, |result| results.push(result.unwrap()));
        }
        prop_assert_eq!(results, frames);
    }

    #[test]
    fn garbage_never_panics_and_the_next_frame_is_found(
        garbage in vec(any::<u8>(), 0..2000), frame in any_frame(),
    ) {
        let mut bytes = garbage;
        bytes.extend(encode(&frame));
        let results = decode_all(&bytes);
        prop_assert_eq!(results.last(), Some(&Ok(frame)));
        // The chance that garbage passes the checksum is one in four thousand million.
        prop_assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    }

    #[test]
    fn garbage_with_many_zeros_never_panics(
        garbage in vec(prop_oneof![3 => Just(0_u8), 7 => any::<u8>()], 0..2000),
    ) {
        decode_all(&garbage);
    }

    #[test]
    fn a_sound_checksum_around_nonsense_is_an_error_not_a_panic(body in vec(any::<u8>(), 0..MAX_BODY_BYTES), number: u8) {
        let raw = with_checksum(&[&[LINK_VERSION, number, 1, 0, 0, 0, 1, 0, 0, 0], &body[..]].concat());
        let results = decode_all(&stuff(&raw));
        prop_assert_eq!(results.len(), 1);
        match &results[0] {
            Ok(frame) => prop_assert_eq!(frame.message.message_type().number(), number),
            Err(error) => prop_assert!(matches!(
                error, FrameError::Body(_) | FrameError::UnknownType(_) | FrameError::Schema(_)
            ), "{error:?}"),
        }
    }
}

/// CRC-32C bit by bit, as the specification defines it.
fn with_checksum(covered: &[u8]) -> Vec<u8> {
    let mut crc = u32::MAX;
    for &byte in covered {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0x82f6_3b78 } else { crc >> 1 };
        }
    }
    [covered, &(!crc).to_le_bytes()].concat()
}

/// COBS by its definition: each zero becomes the distance to the next, and a first byte tells the distance to the first.
fn stuff(raw: &[u8]) -> Vec<u8> {
    let mut stuffed = vec![0];
    let mut segments = raw.split(|&byte| byte == 0).peekable();
    while let Some(segment) = segments.next() {
        let mut rest = segment;
        while rest.len() >= 254 {
            stuffed.push(255);
            stuffed.extend(&rest[..254]);
            rest = &rest[254..];
        }
        if segments.peek().is_some() || !rest.is_empty() || segment.len() < 254 {
            stuffed.push(u8::try_from(rest.len() + 1).unwrap());
            stuffed.extend(rest);
        }
    }
    stuffed.push(0);
    stuffed
}

#[test]
fn frames_are_what_the_specification_says() {
    let frame = Frame {
        boot_id: 0x0403_0201,
        sequence: 5,
        message: Message::Press(Press { time: NodeTime::from_micros(300), by: Side::Black }),
    };
    // version, number, boot id, sequence, varint 300, enum position 1
    let covered = [LINK_VERSION, 0x04, 1, 2, 3, 4, 5, 0, 0, 0, 0xac, 0x02, 0x01];
    assert_eq!(encode(&frame), stuff(&with_checksum(&covered)));
}

#[test]
fn no_single_bit_error_is_accepted() {
    for message in one_of_each() {
        let frame = Frame { boot_id: 0x1234_5678, sequence: 42, message };
        let good = encode(&frame);
        for bit in 0..good.len() * 8 {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            for result in decode_all(&bad) {
                // A flipped bit of the first zero leaves bytes before the frame: then nothing may come but an error.
                assert!(result.is_err(), "bit {bit} of {frame:?} gave {result:?}");
            }
        }
    }
}

#[test]
fn every_message_fits_its_frame_at_its_largest() {
    let change = SquareChange {
        offset_us: u32::MAX,
        square: SquareIndex::new(63).unwrap(),
        reading: SensorReading::Level(-128),
    };
    let all = BoardState { occupied: u64::MAX, white_tray: u16::MAX, black_tray: u16::MAX };
    let slot = SlotChange {
        offset_us: u32::MAX,
        tray: Side::Black,
        slot: SlotIndex::new(15).unwrap(),
        reading: SensorReading::Occupied,
    };
    let largest = [
        Message::SquaresChanged(SquaresChanged {
            time: NodeTime::MAX,
            changes: [change; MAX_CHANGES].into_iter().collect(),
        }),
        Message::TrayChanged(TrayChanged {
            time: NodeTime::MAX,
            changes: [slot; MAX_CHANGES].into_iter().collect(),
        }),
        Message::Snapshot(Snapshot {
            time: NodeTime::MAX,
            state: NodeState::MagnitudeBoard(MagnitudeState {
                levels: PerSquare([-128; 64]),
                white_tray: u16::MAX,
                black_tray: u16::MAX,
            }),
            last_request: u32::MAX,
            age_us: u32::MAX,
            answers: u32::MAX,
        }),
        Message::BoardHealth(BoardHealth {
            time: NodeTime::MAX,
            chattering: all,
            stuck: all,
            weak: all,
            noise: PerSquare([255; 64]),
        }),
        Message::Started(Started {
            reason: StartReason::Unknown,
            detail: "x".repeat(MAX_START_TEXT_BYTES).as_str().try_into().unwrap(),
        }),
    ];
    for message in largest {
        let frame = Frame { boot_id: u32::MAX, sequence: u32::MAX, message };
        assert_eq!(decode_all(&encode(&frame)), vec![Ok(frame)]);
    }
}

#[test]
fn an_endless_frame_is_given_up_and_the_next_one_read() {
    let frame = Frame { boot_id: 1, sequence: 0, message: Message::RequestHello };
    let mut bytes = vec![7; 100_000];
    bytes.extend(encode(&frame));
    assert_eq!(decode_all(&bytes), vec![Err(FrameError::TooLong), Ok(frame)]);
}

#[test]
fn a_foreign_hello_names_both_versions() {
    let mut frame_bytes = vec![2, 0x01, 1, 0, 0, 0, 0, 0, 0, 0];
    frame_bytes.extend([0xef, 0xfd, 0xb6, 0xf5, 0x0d]); // schema hash 0xdeadbeef as a varint
    frame_bytes.extend([3, b'n', b'-', b'1', 5, b'9', b'.', b'0', b'.', b'0']);
    frame_bytes.extend([0xff; 20]); // fields this version does not know
    let [Err(FrameError::Schema(mismatch))] = &decode_all(&stuff(&with_checksum(&frame_bytes)))[..]
    else {
        panic!("not a mismatch")
    };
    let text = mismatch.to_string();
    assert!(text.contains("node n-1 (firmware 9.0.0)"), "{text}");
    assert!(text.contains("link version 2 (schema deadbeef)"), "{text}");
    assert!(text.contains(&format!("link version 1 (schema {SCHEMA_HASH:08x})")), "{text}");
}

/// Every order, with its position on the wire.
fn all_orders() -> Vec<(Order, u8)> {
    let messages = one_of_each().into_iter().chain(other_forms());
    let orders = messages.filter_map(|message| match message {
        Message::Command(Command { order, .. }) => {
            let mut body = [0; MAX_BODY_BYTES];
            let command = Message::Command(Command { request: 1, order });
            encode_body(&command, &mut body).unwrap();
            Some((order, body[1]))
        }
        _ => None,
    });
    orders.collect()
}

#[test]
fn nodes_of_the_two_releases_before_are_understood_and_asked_for_nothing_new() {
    let Message::Hello(hello) = one_of_each().remove(0) else { panic!("HELLO comes first") };
    let hello = |schema_hash| {
        let message = Message::Hello(Hello { schema_hash, ..hello.clone() });
        decode_all(&encode(&Frame { boot_id: 1, sequence: 0, message })).remove(0)
    };
    for EarlierSchema { hash, orders, .. } in EARLIER_SCHEMAS.iter().copied() {
        assert!(hello(hash).is_ok());
        assert!(matches!(hello(hash ^ 1), Err(FrameError::Schema(_))));
        assert!(knows(hash, MessageType::Command) && !knows(hash, MessageType::RequestUpdate));
        assert!(!knows(hash ^ 1, MessageType::Ack));
        assert_ne!(hash, SCHEMA_HASH);
        for (order, position) in all_orders() {
            assert_eq!(knows_order(hash, &order), position < orders, "{order:?}");
            assert!(knows_order(SCHEMA_HASH, &order) && !knows_order(hash ^ 1, &order));
        }
    }
    assert!(knows(SCHEMA_HASH, MessageType::UpdateKeep));
}

#[test]
fn a_firmware_text_with_a_line_break_is_refused() {
    let hello = |firmware: &[u8; 5]| {
        let mut frame_bytes = vec![2, 0x01, 1, 0, 0, 0, 0, 0, 0, 0];
        frame_bytes.extend([0xef, 0xfd, 0xb6, 0xf5, 0x0d, 3, b'n', b'-', b'1', 5]);
        frame_bytes.extend(firmware);
        decode_all(&stuff(&with_checksum(&frame_bytes)))
    };
    for firmware in [b"x\r\nER", b"\x1b[31m", b"\xc2\x85abc"] {
        assert_eq!(hello(firmware), vec![Err(FrameError::Body(MessageType::Hello))]);
    }
    assert!(matches!(hello(b"9.0.0")[..], [Err(FrameError::Schema(_))]));
}

#[test]
fn another_message_of_a_foreign_version_is_refused() {
    let raw = with_checksum(&[9, 0x40, 1, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(decode_all(&stuff(&raw)), vec![Err(FrameError::Version { theirs: 9, ours: 1 })]);
}

#[test]
fn a_body_with_bytes_to_spare_is_refused() {
    let raw = with_checksum(&[LINK_VERSION, 0x43, 1, 0, 0, 0, 0, 0, 0, 0, 3, 99]);
    let expected = Err(FrameError::Body(MessageType::Identify));
    assert_eq!(decode_all(&stuff(&raw)), vec![expected]);
}

#[test]
fn a_square_that_does_not_exist_is_refused() {
    let raw = with_checksum(&[LINK_VERSION, 0x03, 1, 0, 0, 0, 1, 0, 0, 0, 5, 1, 0, 64, 1]);
    let expected = Err(FrameError::Body(MessageType::SquaresChanged));
    assert_eq!(decode_all(&stuff(&raw)), vec![expected]);
}

#[test]
fn a_frame_leaves_in_pieces_when_the_line_is_narrow() {
    let frame = Frame { boot_id: 1, sequence: 9, message: Message::Ack };
    let mut encoder = Encoder::new();
    let whole = encoder.encode(&frame).unwrap().to_vec();
    let mut sent: Vec<u8> = Vec::new();
    while !encoder.is_drained() {
        let mut piece = [0; 3];
        let moved = encoder.drain_into(&mut piece);
        sent.extend(&piece[..moved]);
    }
    assert_eq!(sent, whole);
}
