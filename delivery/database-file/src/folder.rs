//! Folder of a file: presence, owner, free space, and syncing of the names in it.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt as _, fchown};
use std::path::Path;

use nix::sys::statvfs::statvfs;

use crate::error::{CopyError, written};

/// Free space that a copy leaves to the program that writes on the same disk, bytes. Assumed: as much as a hub keeps beside its
/// journal for the minutes in which the operator frees space.
const RESERVE_BYTES: u64 = 64 << 20;

/// The folder in which a file is or will be.
fn folder(of: &Path) -> &Path {
    of.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Refuses a file in a missing folder.
pub(crate) fn hold(of: &Path) -> Result<(), CopyError> {
    let folder = folder(of);
    if folder.is_dir() { Ok(()) } else { Err(CopyError::NoFolder(folder.to_owned())) }
}

/// Refuses a file for which there is too little room.
pub(crate) fn hold_room(of: &Path, bytes: u64) -> Result<(), CopyError> {
    let folder = folder(of);
    let disk = written(folder, statvfs(folder).map_err(io::Error::from))?;
    let free_bytes = disk.blocks_available().saturating_mul(disk.fragment_size());
    let needed_bytes = bytes.saturating_add(RESERVE_BYTES);
    match free_bytes >= needed_bytes {
        true => Ok(()),
        false => Err(CopyError::NoRoom { folder: folder.to_owned(), needed_bytes, free_bytes }),
    }
}

/// Gives a file that root has made to the owner of its folder, whose program is to have it. For others it is theirs already.
pub(crate) fn give_to_owner(path: &Path, file: &File) -> io::Result<()> {
    let (folder, own) = (fs::metadata(folder(path))?, file.metadata()?);
    if folder.uid() != own.uid() {
        // Only root may, and a disk that knows no owners (a stick) refuses root too.
        drop(fchown(file, Some(folder.uid()), Some(folder.gid())));
    }
    Ok(())
}

/// Makes sure that the names of a folder are on the disk.
pub(crate) fn sync(of: &Path) -> io::Result<()> {
    File::open(folder(of))?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_that_would_fill_the_disk_is_refused_before_it_begins() {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("copy.sqlite");
        let refused = hold_room(&copy, u64::MAX / 2).unwrap_err();
        assert!(matches!(refused, CopyError::NoRoom { .. }), "{refused}");
        hold_room(&copy, 1).unwrap();
    }
}
