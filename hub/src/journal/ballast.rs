//! Reserve of the journal's disk: released when the disk is full, it gives people some minutes to make room.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};

use nix::fcntl::posix_fallocate;
use tracing::warn;

/// Size of the ballast, bytes.
pub(crate) const BALLAST_BYTES: u64 = 64 << 20;

/// A file that occupies room so that it can be deleted.
#[derive(Clone, Debug)]
pub(crate) struct Ballast(PathBuf);

impl Ballast {
    /// The ballast of a journal; its file may be missing.
    pub(crate) fn beside(journal: &Path) -> Ballast {
        let mut name = journal.as_os_str().to_owned();
        name.push(".ballast");
        Ballast(PathBuf::from(name))
    }

    /// Makes the file if it is missing. Leaves nothing behind when there is too little room.
    pub(crate) fn take(&self) -> io::Result<()> {
        if self.0.exists() {
            return Ok(());
        }
        let taken = File::create(&self.0).and_then(|file| {
            let length = BALLAST_BYTES.try_into().map_err(io::Error::other)?;
            posix_fallocate(file.as_fd(), 0, length).map_err(io::Error::from)
        });
        if taken.is_err() {
            self.give_up();
        }
        taken
    }

    /// Deletes the file. True if there was one.
    pub(crate) fn give_up(&self) -> bool {
        let given_up = fs::remove_file(&self.0).is_ok();
        if given_up {
            warn!(
                "the disk is full, so the ballast of {} bytes was deleted: free space on this disk now, it lasts for minutes",
                BALLAST_BYTES
            );
        }
        given_up
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ballast_takes_room_once_and_gives_it_up_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let ballast = Ballast::beside(&folder.path().join("hub.sqlite"));
        let file = folder.path().join("hub.sqlite.ballast");
        assert!(!ballast.give_up());
        ballast.take().expect("room");
        ballast.take().expect("it has it");
        let about = fs::metadata(&file).expect("a file");
        assert_eq!(about.len(), BALLAST_BYTES);
        let blocks = std::os::unix::fs::MetadataExt::blocks(&about);
        assert!(blocks * 512 >= BALLAST_BYTES, "it takes the room and does not only name it");
        assert!(ballast.give_up());
        assert!(!file.exists() && !ballast.give_up());
    }
}
