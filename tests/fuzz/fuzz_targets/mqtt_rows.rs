//! Any bytes as MQTT messages.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prost::Message as _;
use proto::mqtt::message::{Ack, AdjudicatorState, Command, HubState};
use proto::mqtt::{MAX_ROWS, check_row, decode, decode_rows};

fuzz_target!(|data: &[u8]| {
    if let Ok(received) = decode_rows(data) {
        let rows = &received.rows;
        assert_eq!(received.bodies.len(), rows.rows.len());
        assert!((1..=MAX_ROWS).contains(&rows.rows.len()));
        rows.rows.iter().for_each(|row| drop(check_row(row)));
        assert!(rows.rows.windows(2).all(|pair| pair[0].sequence + 1 == pair[1].sequence));
        assert_eq!(decode_rows(&rows.encode_to_vec()).map(|again| again.rows).as_ref(), Ok(rows));
    }
    let _ = decode::<Ack>(data);
    let _ = decode::<HubState>(data);
    let _ = decode::<AdjudicatorState>(data);
    let _ = decode::<Command>(data);
});
