//! What drivers want to be kept of their devices, over restarts of the hub: one small file a device, beside the
//! journal.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use tracing::warn;

/// A file larger than this is none of ours.
const KEPT_BYTES_MAX: u64 = 65_536;

/// The folder of the files.
#[derive(Clone, Debug)]
pub(super) struct DeviceStore {
    folder: PathBuf,
}

impl DeviceStore {
    /// In the journal's folder.
    pub(super) fn beside(journal: &Path) -> DeviceStore {
        let folder = journal.parent().unwrap_or(Path::new("")).to_owned();
        DeviceStore { folder }
    }

    /// The stored text of a device. Empty, with a warning, if it cannot be read.
    pub(super) fn kept(&self, node_id: &str) -> Option<String> {
        let file = self.file(node_id);
        let read = fs::metadata(&file).and_then(|about| match about.len() {
            0..=KEPT_BYTES_MAX => fs::read_to_string(&file),
            _ => Err(io::Error::new(io::ErrorKind::InvalidData, "too large")),
        });
        match read {
            Ok(text) => Some(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                warn!("{}: {error}; {node_id} has to be learnt anew", file.display());
                None
            }
        }
    }

    /// Stores `text` of a device in place of its former text; whole or not at all.
    pub(super) fn keep(&self, node_id: &str, text: &str) {
        let file = self.file(node_id);
        if let Err(error) = write_whole(&file, text) {
            warn!(
                "{}: {error}; what was learnt of {node_id} is lost when the hub stops: make the folder writable",
                file.display()
            );
        }
    }

    fn file(&self, node_id: &str) -> PathBuf {
        self.folder.join(format!("device-{node_id}.json"))
    }
}

/// Replaces a file; whole or not at all. The content is on the disk before it has the name: a name that is given before would survive a power
/// cut that its content does not. Only its owner may read it.
pub(crate) fn write_whole(file: &Path, text: &str) -> io::Result<()> {
    let mut fresh = file.as_os_str().to_owned();
    fresh.push(".new");
    let fresh = Path::new(&fresh);
    let mut options = fs::OpenOptions::new();
    let mut written = options.write(true).create(true).truncate(true).mode(0o600).open(fresh)?;
    written.write_all(text.as_bytes())?;
    written.sync_all()?;
    fs::rename(fresh, file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_there_after_a_restart_and_nothing_else_is() {
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join("hub.sqlite");
        let store = DeviceStore::beside(&journal);
        assert_eq!(store.kept("dgt-1"), None);
        store.keep("dgt-1", "{}");
        store.keep("dgt-1", "{\"turned\":true}");
        assert_eq!(
            DeviceStore::beside(&journal).kept("dgt-1").as_deref(),
            Some("{\"turned\":true}")
        );
        assert_eq!(DeviceStore::beside(&journal).kept("dgt-2"), None);
    }
}
