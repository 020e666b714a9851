//! What several tests need: the shared collections of real games, and the hash of the vectors.

use std::{fs, path::Path};

/// How many folders above the repository are looked into: a work tree may lie one deeper.
const ANCESTORS_MAX: usize = 3;

/// A file of the shared collection of real games.
///
/// The collection is not part of the repository. It is looked for in `../shared/games` beside it;
/// without it the test says that it did not run, and fails where the environment variable `CI` is set.
pub(crate) fn shared_file(name: &str) -> Option<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = root.ancestors().skip(2).take(ANCESTORS_MAX);
    let found = folders.map(|above| above.join("shared/games").join(name)).find(|it| it.exists());
    if let Some(path) = found {
        return Some(fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())));
    }
    assert!(std::env::var("CI").is_err(), "../shared/games/{name} is needed where CI is set");
    println!("SKIPPED: ../shared/games/{name} is not here");
    None
}
