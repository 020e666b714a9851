//! Real games, where the folder of them is.
#![allow(unreachable_pub, reason = "each test binary uses its part")]

use std::path::Path;

use rules::bpgn::BpgnGame;

/// The games of `../shared/games`; none (and a printed line) where it is not. Under CI that is a failure.
pub fn corpus() -> Option<Vec<BpgnGame>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = here
        .ancestors()
        .map(|above| above.join("shared/games/corpus.bpgn"))
        .find(|file| file.exists());
    let Some(file) = file else {
        assert!(std::env::var_os("CI").is_none(), "../shared/games/corpus.bpgn is needed");
        println!("without real games: ../shared/games/corpus.bpgn is not here");
        return None;
    };
    let games = rules::bpgn::read(&std::fs::read(file).unwrap());
    Some(games.into_iter().flatten().collect())
}
