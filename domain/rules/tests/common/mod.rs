//! Helpers of several tests: the shared collections of real games, and the hash of the vectors.

use std::{fs, path::Path};

/// Maximum number of folders above the repository that are searched: a work tree may lie one deeper.
const ANCESTORS_MAX: usize = 3;

/// A file of the shared collection of real games.
///
/// The collection is not part of the repository. It is searched in `../shared/games` beside it. Without it the test prints that it did
/// not run, and fails where the environment variable `CI` is set.
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
