//! Records of chess: any bytes. Nothing panics, and what can be read of every game is written so that
//! it reads back without an error.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rules::pgn::{self, PgnGame, PgnReason};

/// Milliseconds in a tenth of a second, to which clock times are written.
const TENTH_MS: i64 = 100;

fuzz_target!(|bytes: &[u8]| {
    for (game, error) in pgn::read(bytes) {
        assert!(error.as_ref().is_none_or(|error| !error.to_string().is_empty()));
        let _ = game.time_control();
        // A game of another variant is refused again.
        let is_chess = error.is_none_or(|error| !matches!(error.reason, PgnReason::Variant(_)));
        if is_chess && game.start().is_ok() {
            check(&game);
        }
    }
});

fn check(game: &PgnGame) {
    let again = pgn::read(pgn::write(game).as_bytes());
    let [(again, None)] = again.as_slice() else { panic!("does not read back: {again:?}") };
    assert_eq!(plies(game), plies(again));
    assert_eq!(again.final_position(), game.final_position());
}

/// Comments may lose characters that cannot be written, and clock times what is less than a tenth of
/// a second; moves may not.
fn plies(game: &PgnGame) -> Vec<(String, Option<i64>)> {
    let tenths = |ms: i64| ms.max(0) / TENTH_MS;
    game.plies.iter().map(|ply| (ply.ply.to_string(), ply.clock_ms.map(tenths))).collect()
}
