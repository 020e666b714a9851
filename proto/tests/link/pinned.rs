//! Pins numbers, bytes and schema. A change of one of these changes the wire. It must be made knowingly (append, raise `LINK_VERSION`);
//! then accept the new snapshots.

use std::fmt::Write as _;

use proto::link::*;

use crate::messages::{encode, one_of_each, other_forms};

#[test]
fn numbers_of_messages_are_frozen() {
    let table: Vec<String> = MessageType::ALL
        .iter()
        .map(|kind| {
            let event = if kind.is_event() { " event" } else { "" };
            let from = if kind.is_from_node() { "node" } else { "hub" };
            format!("{:#04x} {kind:?} from {from}{event}", kind.number())
        })
        .collect();
    insta::assert_snapshot!(table.join("\n"));
}

#[test]
fn bytes_of_every_message_are_frozen() {
    insta::assert_snapshot!(bytes_of(one_of_each()));
}

#[test]
fn bytes_of_the_other_forms_are_frozen() {
    insta::assert_snapshot!(bytes_of(other_forms()));
}

fn bytes_of(messages: Vec<Message>) -> String {
    let mut text = String::new();
    for message in messages {
        let kind = message.message_type();
        let mut body = [0; MAX_BODY_BYTES];
        let length = encode_body(&message, &mut body).unwrap();
        let mut line = format!("{:#04x} {kind:?}:", kind.number());
        // HELLO's schema hash is pinned apart, so that its change does not hide a change of layout.
        let shown =
            if kind == MessageType::Hello { &body[hash_bytes()..length] } else { &body[..length] };
        for byte in shown {
            write!(line, " {byte:02x}").unwrap();
        }
        writeln!(text, "{line}").unwrap();
    }
    text
}

fn hash_bytes() -> usize {
    (32 - SCHEMA_HASH.leading_zeros()).div_ceil(7) as usize
}

#[test]
fn schema_is_frozen() {
    let text: Vec<&str> = schema().collect();
    let text = text.join("\n").replace(char::is_whitespace, "").replace(";}", "}\n");
    insta::assert_snapshot!(format!("version {LINK_VERSION} hash {SCHEMA_HASH:08x}\n{text}"));
}

#[test]
fn every_message_has_an_example_and_a_number_of_its_own() {
    let kinds: Vec<MessageType> = one_of_each().iter().map(Message::message_type).collect();
    assert_eq!(kinds, MessageType::ALL);
    for kind in MessageType::ALL {
        assert_eq!(MessageType::from_number(kind.number()), Some(*kind));
    }
}

#[test]
fn a_whole_frame_is_frozen() {
    let press = Message::Press(Press { time: NodeTime::from_micros(2_100_000), by: Side::White });
    let bytes = encode(&Frame { boot_id: 0x1122_3344, sequence: 1, message: press });
    let text: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    insta::assert_snapshot!(text.join(" "));
}
