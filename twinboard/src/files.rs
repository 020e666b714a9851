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
        bail!("{} has {size} bytes; files over {INPUT_LIMIT_BYTES} are not read: split it", path.display());
    }
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Writes a file by way of a neighbour, so that a reader never sees half of it.
pub(crate) fn write(path: &Path, content: &[u8]) -> Result<()> {
    let mut neighbour = path.as_os_str().to_owned();
    neighbour.push(".part");
    let neighbour = PathBuf::from(neighbour);
    fs::write(&neighbour, content)
        .and_then(|()| fs::rename(&neighbour, path))
        .with_context(|| format!("cannot write {}: is there room, and may you write there?", path.display()))
}

/// Makes sure that a folder for results exists.
pub(crate) fn create_folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path).with_context(|| format!("cannot create the folder {}", path.display()))
}

/// The files below the given files and folders whose names end in `suffix`, sorted.
pub(crate) fn find(places: &[PathBuf], suffix: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for place in places {
        if place.is_dir() {
            find_below(place, suffix, &mut found)?;
        } else if place.is_file() {
            found.push(place.clone());
        } else {
            bail!("there is no file or folder {}", place.display());
        }
    }
    found.sort();
    found.dedup();
    if found.is_empty() {
        let shown: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
        bail!("no file ending in {suffix} below {}", shown.join(", "));
    }
    Ok(found)
}

fn find_below(folder: &Path, suffix: &str, found: &mut Vec<PathBuf>) -> Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read the folder {}", folder.display()))?;
    for entry in entries {
        let path = entry.with_context(|| format!("cannot read the folder {}", folder.display()))?.path();
        if path.is_dir() {
            find_below(&path, suffix, found)?;
        } else if path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.ends_with(suffix)) {
            found.push(path);
        }
    }
    Ok(())
}
