//! The copy of an event's database for a rehearsal, and the proof that the event's own was not touched.

use std::{
    ffi::OsString,
    fs::{self, File},
    hash::{DefaultHasher, Hasher as _},
    io::{ErrorKind, Read as _},
    path::{Path, PathBuf},
};

use adjudicator::{
    Config,
    log::{Place, copy, sqlite::StoreLock},
    rehearsal,
};
use anyhow::{Context, Result};

/// Suffixes of the files of a database.
const PARTS: [&str; 2] = ["", "-wal"];

/// A copy in a folder of its own, which is deleted when this is dropped. No adjudicator can open the event's own file meanwhile.
pub(super) struct EventCopy {
    folder: PathBuf,
    /// The event's file and its digest; none where its log is on a server, or where there is none yet.
    original: Option<(PathBuf, Vec<Option<u64>>)>,
    _lock: Option<StoreLock>,
}

impl EventCopy {
    /// Copies the event's database.
    ///
    /// # Errors
    ///
    /// An adjudicator has it open, or it cannot be copied.
    pub(super) async fn of(config: &Config) -> Result<EventCopy> {
        let place = config.log_place()?;
        let lock = place.lock().context("stop `twinboard serve` before a rehearsal")?;
        let folder = match &place {
            Place::File(from) => {
                let folder = rehearsal::copy_folder(from);
                rehearsal::delete_copy(from);
                folder
            }
            Place::Server(_) => {
                std::env::temp_dir().join(format!("twinboard-rehearsal-{}", std::process::id()))
            }
        };
        create_private(&folder)?;
        let mut event = EventCopy { folder, original: None, _lock: lock };
        let to = event.path();
        match &place {
            Place::File(from) => {
                for part in PARTS {
                    copy_file(&with(from, part), &with(&to, part))?;
                }
                event.original = Some((from.clone(), digest(from)?));
            }
            Place::Server(_) => drop(copy::back_up(&place, &to).await?),
        }
        Ok(event)
    }

    /// The copy's file.
    pub(super) fn path(&self) -> PathBuf {
        self.folder.join("event.sqlite")
    }

    /// Ends it; whether the event's own file is what it was.
    pub(super) fn end(self) -> Result<bool> {
        match &self.original {
            Some((file, before)) => Ok(digest(file)? == *before),
            None => Ok(true),
        }
    }
}

impl Drop for EventCopy {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            tracing::warn!(folder = %self.folder.display(), %error, "what the rehearsal wrote cannot be deleted");
        }
    }
}

/// Makes a folder for this user alone: the copy has the names of children.
fn create_private(folder: &Path) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).with_context(|| {
        format!("cannot make the folder {} for the copy: may you write there?", folder.display())
    })
}

fn with(path: &Path, part: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(part);
    name.into()
}

/// Copies a file, if it exists.
fn copy_file(from: &Path, to: &Path) -> Result<()> {
    match fs::copy(from, to) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        copied => copied.map(drop).with_context(|| {
            format!("cannot copy {} to {}: is there room?", from.display(), to.display())
        }),
    }
}

/// Digests of a database's files; none of a missing one.
fn digest(database: &Path) -> Result<Vec<Option<u64>>> {
    let of_part = |part: &&str| -> Result<Option<u64>> {
        let path = with(database, part);
        let unreadable = || format!("cannot read {}", path.display());
        let mut file = match File::open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            opened => opened.with_context(unreadable)?,
        };
        let (mut digest, mut buffer) = (DefaultHasher::new(), vec![0; 1 << 16]);
        loop {
            match file.read(&mut buffer).with_context(unreadable)? {
                0 => return Ok(Some(digest.finish())),
                length => digest.write(&buffer[..length]),
            }
        }
    };
    PARTS.iter().map(of_part).collect()
}
