//! The files of a disk: what is on it for certain, and what the system has only been asked to write.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use crate::step::Step;

/// Disks write sectors whole, bytes.
const SECTOR: usize = 512;

/// What a power cut does to what was not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// All of it was on the disk by chance.
    Nothing,
    /// All of it is lost.
    Everything,
    /// Of each write some sectors are lost and others not, as chance has it.
    SomeSectors,
}

impl Loss {
    /// Each of them.
    pub const ALL: [Loss; 3] = [Loss::Nothing, Loss::Everything, Loss::SomeSectors];
}

/// One file.
#[derive(Clone, Debug, Default)]
struct File {
    /// What is on the disk for certain.
    synced: Vec<u8>,
    /// What has been done to it since.
    pending: Vec<Change>,
}

#[derive(Clone, Debug)]
enum Change {
    Write(Option<u64>, Vec<u8>),
    Truncate(u64),
}

impl Change {
    /// Does it to a file's bytes, but for what is lost.
    fn apply(&self, bytes: &mut Vec<u8>, loss: Loss, rng: &mut ChaCha8Rng) {
        let mut is_kept = || match loss {
            Loss::Nothing => true,
            Loss::Everything => false,
            Loss::SomeSectors => rng.random_bool(0.5),
        };
        match self {
            Change::Truncate(length) => {
                if is_kept() {
                    bytes.resize(usize::try_from(*length).unwrap_or(0), 0);
                }
            }
            Change::Write(offset, written) => {
                let offset = offset.and_then(|offset| usize::try_from(offset).ok());
                let mut at = offset.unwrap_or(bytes.len());
                for part in written.chunks(SECTOR) {
                    if is_kept() {
                        let end = at + part.len();
                        bytes.resize(bytes.len().max(end), 0);
                        bytes[at..end].copy_from_slice(part);
                    }
                    at += part.len();
                }
            }
        }
    }
}

/// All files of a folder.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disk {
    files: BTreeMap<String, File>,
}

impl Disk {
    /// Does a step.
    pub(crate) fn handle(&mut self, step: &Step, rng: &mut ChaCha8Rng) {
        match step {
            Step::Write { file, offset, bytes } => {
                let file = self.files.entry(file.clone()).or_default();
                file.pending.push(Change::Write(*offset, bytes.clone()));
            }
            Step::Truncate { file, length } => {
                let file = self.files.entry(file.clone()).or_default();
                file.pending.push(Change::Truncate(*length));
            }
            Step::Sync { file } => {
                let file = self.files.entry(file.clone()).or_default();
                for change in std::mem::take(&mut file.pending) {
                    change.apply(&mut file.synced, Loss::Nothing, rng);
                }
            }
            Step::Remove { file } => {
                self.files.remove(file);
            }
        }
    }

    /// Writes what a power cut would leave into a folder. Files whose names end with one of `forgotten` lie in memory and are
    /// gone.
    pub(crate) fn write(
        &self,
        folder: &Path,
        forgotten: &[&str],
        loss: Loss,
        rng: &mut ChaCha8Rng,
    ) -> io::Result<()> {
        for (name, file) in &self.files {
            if forgotten.iter().any(|end| name.ends_with(end)) {
                continue;
            }
            let mut bytes = file.synced.clone();
            for change in &file.pending {
                change.apply(&mut bytes, loss, rng);
            }
            fs::write(folder.join(name), bytes)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    fn left(steps: &[Step], loss: Loss) -> Vec<u8> {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut disk = Disk::default();
        steps.iter().for_each(|step| disk.handle(step, &mut rng));
        let folder =
            std::env::temp_dir().join(format!("power-cut-{}-{loss:?}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        disk.write(&folder, &["-shm"], loss, &mut rng).expect("written");
        let bytes = fs::read(folder.join("a")).expect("a file");
        fs::remove_dir_all(&folder).expect("removed");
        bytes
    }

    #[test]
    fn what_was_synced_stays_and_what_was_not_may_be_lost_in_parts() {
        let file = || "a".to_owned();
        let write =
            |offset, byte| Step::Write { file: file(), offset, bytes: vec![byte; 8 * SECTOR] };
        let steps = [write(Some(0), 1), Step::Sync { file: file() }, write(Some(0), 2)];
        let ones = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte == 1).count();
        assert_eq!(ones(&left(&steps, Loss::Nothing)), 0);
        assert_eq!(ones(&left(&steps, Loss::Everything)), 8 * SECTOR);
        let some = left(&steps, Loss::SomeSectors);
        assert!((1..8 * SECTOR).contains(&ones(&some)));
        assert!(some.chunks(SECTOR).all(|sector| sector.iter().all(|byte| *byte == sector[0])));
    }
}
