//! Records of matches: any bytes. Nothing panics, every game that can be read is written so that it
//! reads back, and so is the readable part of every game that cannot.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rules::bpgn::{self, BpgnGame};

fuzz_target!(|bytes: &[u8]| {
    for game in bpgn::read(bytes) {
        match game {
            Ok(game) => check(game),
            Err(error) => {
                assert!(!error.to_string().is_empty());
                check(*error.readable);
            }
        }
    }
});

fn check(game: BpgnGame) {
    if game.start().is_err() {
        return;
    }
    let end = game.final_match().expect("the start can be read");
    let again = bpgn::read(bpgn::write(&game).as_bytes());
    let [Ok(again)] = again.as_slice() else { panic!("does not read back: {again:?}") };
    assert_eq!(plies(&game), plies(again));
    assert_eq!(again.final_match().expect("the start can be read"), end);
}

/// Comments may lose characters that cannot be written; plies and times may not.
fn plies(game: &BpgnGame) -> Vec<(String, rules::Seat, Option<i64>)> {
    game.plies.iter().map(|ply| (ply.ply.to_string(), ply.seat(), ply.clock_ms)).collect()
}
