//! Any bytes from the serial line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proto::link::{Decoder, Encoder, Frame, Message};

mod frames;

fuzz_target!(|data: &[u8]| {
    let good = Frame { boot_id: 7, sequence: 9, message: Message::Ack };
    let mut line = vec![0];
    line.extend(data);
    line.push(0);
    line.extend(frames::frames(data).concat());
    line.extend(Encoder::new().encode(&good).unwrap());
    let mut accepted = Vec::new();
    Decoder::new().push_all(&line, |result| accepted.extend(result));
    assert_eq!(accepted.last(), Some(&good));
    for frame in accepted {
        let mut again = Vec::new();
        let bytes = Encoder::new().encode(&frame).unwrap().to_vec();
        Decoder::new().push_all(&bytes, |result| again.push(result.unwrap()));
        assert_eq!(again, [frame]);
    }
});
