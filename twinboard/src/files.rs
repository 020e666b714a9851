//! Files in and out, with errors that name the file and what to do.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};

/// Largest input file read whole, bytes. A trace of one match is a few hundred kilobytes.
const INPUT_LIMIT_BYTES: u64 = 256 * 1024 * 1024;

/// Reads a whole file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    let size = fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?.len();
    if size > INPUT_LIMIT_BYTES {
        bail!(
            "{} has {size} bytes; files over {INPUT_LIMIT_BYTES} are not read: split it",
            path.display()
        );
    }
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Writes a file by way of a neighbour, so that a reader never sees half of it.
pub(crate) fn write(path: &Path, content: &[u8]) -> Result<()> {
    let mut neighbour = path.as_os_str().to_owned();
    neighbour.push(".part");
    let neighbour = PathBuf::from(neighbour);
    fs::write(&neighbour, content).and_then(|()| fs::rename(&neighbour, path)).with_context(|| {
        format!("cannot write {}: is there room, and may you write there?", path.display())
    })
}

/// Makes sure that a folder for results exists.
pub(crate) fn create_folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path).with_context(|| format!("cannot create the folder {}", path.display()))
}

/// A file that was asked for, and where its results go.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Found {
    /// The file.
    pub(crate) path: PathBuf,
    /// Its folder relative to the folder that was named; empty for a file that was named itself.
    pub(crate) below: PathBuf,
}

/// The files below the given files and folders whose names end in one of these, in letters of either case; sorted.
pub(crate) fn find(places: &[PathBuf], suffixes: &[&str]) -> Result<Vec<Found>> {
    let mut found = Vec::new();
    for place in places {
        if place.is_dir() {
            find_below(place, Path::new(""), suffixes, &mut found)?;
        } else if place.is_file() {
            found.push(Found { path: place.clone(), below: PathBuf::new() });
        } else {
            bail!("there is no file or folder {}", place.display());
        }
    }
    found.sort();
    found.dedup();
    if found.is_empty() {
        let shown: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
        bail!("no file ending in {} below {}", suffixes.join(" or "), shown.join(", "));
    }
    Ok(found)
}

fn find_below(
    folder: &Path,
    below: &Path,
    suffixes: &[&str],
    found: &mut Vec<Found>,
) -> Result<()> {
    let unreadable = || format!("cannot read the folder {}", folder.display());
    for entry in fs::read_dir(folder).with_context(unreadable)? {
        let entry = entry.with_context(unreadable)?;
        let (path, name) = (entry.path(), entry.file_name());
        if path.is_dir() {
            find_below(&path, &below.join(name), suffixes, found)?;
        } else if ends_in(&name.to_string_lossy(), suffixes) {
            found.push(Found { path, below: below.to_owned() });
        }
    }
    Ok(())
}

/// Whether a file's name ends in one of these; some systems write endings in capitals.
fn ends_in(name: &str, suffixes: &[&str]) -> bool {
    let lower = name.to_lowercase();
    suffixes.iter().any(|suffix| lower.ends_with(&suffix.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_in_capitals_are_the_same_endings() {
        let endings = [".bpgn", ".pgn"];
        for name in ["a.pgn", "A.PGN", "a.Bpgn"] {
            assert!(ends_in(name, &endings), "{name}");
        }
        assert!(!ends_in("a.pgn.part", &endings));
    }
}
