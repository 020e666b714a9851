//! Weights of the model of players: any bytes. Weights that are read are finite, and are written again as the same bytes.

#![no_main]

use action_model::Weights;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(weights) = Weights::from_bytes(bytes) {
        let again = weights.to_bytes();
        assert!(Weights::from_bytes(&again).is_ok_and(|read| read.to_bytes() == again));
    }
});
