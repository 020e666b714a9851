//! The files of a disk: what is on it for certain, and what the system has only been asked to write.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use crate::step::Step;

/// Disks write sectors whole, bytes.
const SECTOR: usize = 512;

/// Effect of a power cut on changes that were not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// All of it was on the disk by chance.
    Nothing,
    /// All of it is lost.
    Everything,
    /// Random sectors of each write are lost.
    SomeSectors,
}

impl Loss {
    /// Each of them.
    pub const ALL: [Loss; 3] = [Loss::Nothing, Loss::Everything, Loss::SomeSectors];
}

/// One file.
#[derive(Clone, Debug, Default)]
struct File {
    /// Contents that are on the disk for certain.
    certain: Vec<u8>,
    /// Changes since then, in order.
    changes: Vec<(Change, Fate)>,
}

/// State of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// Not synced.
    Pending,
    /// On the disk.
    Synced,
    /// A sync of it has failed: readers of the file see the change, and the system considers it written. No later sync writes it (Linux
    /// since 4.13, and SQLite and PostgreSQL found out: "fsyncgate").
    GivenUp,
}

impl File {
    /// Gives all pending changes this fate. Returns whether there were any.
    fn sync(&mut self, fate: Fate, rng: &mut ChaCha8Rng) -> bool {
        let waiting = self.changes.iter_mut().filter(|(_, fate)| *fate == Fate::Pending);
        let is_news = waiting.map(|(_, waiting)| *waiting = fate).count() > 0;
        let certain = self.changes.iter().take_while(|(_, fate)| *fate == Fate::Synced).count();
        for (change, _) in self.changes.drain(..certain) {
            change.apply(&mut self.certain, Loss::Nothing, rng);
        }
        is_news
    }

    /// Returns the contents after a power cut.
    fn left(&self, loss: Loss, rng: &mut ChaCha8Rng) -> Vec<u8> {
        let mut bytes = self.certain.clone();
        for (change, fate) in &self.changes {
            let loss = if *fate == Fate::Synced { Loss::Nothing } else { loss };
            change.apply(&mut bytes, loss, rng);
        }
        bytes
    }
}

#[derive(Clone, Debug)]
enum Change {
    Write(Option<u64>, Vec<u8>),
    Truncate(u64),
}

impl Change {
    /// Applies the change to a file's bytes, except for the lost parts.
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
    /// Does a step. The losses for which a power cut leaves another disk after it than before it.
    pub(crate) fn handle(&mut self, step: &Step, rng: &mut ChaCha8Rng) -> &'static [Loss] {
        match step {
            Step::Write { file, offset, bytes } => {
                let file = self.files.entry(file.clone()).or_default();
                file.changes.push((Change::Write(*offset, bytes.clone()), Fate::Pending));
                &[Loss::Nothing, Loss::SomeSectors]
            }
            Step::Truncate { file, length } => {
                let file = self.files.entry(file.clone()).or_default();
                file.changes.push((Change::Truncate(*length), Fate::Pending));
                &[Loss::Nothing, Loss::SomeSectors]
            }
            Step::Sync { file } => {
                let file = self.files.entry(file.clone()).or_default();
                let is_news = file.sync(Fate::Synced, rng);
                let is_all_synced = self.files.values().all(|file| file.changes.is_empty());
                match (is_news, is_all_synced) {
                    (false, _) => &[],
                    // Then all losses leave the same.
                    (true, true) => &[Loss::Everything],
                    (true, false) => &[Loss::Everything, Loss::SomeSectors],
                }
            }
            Step::FailedSync { file } => {
                self.files.entry(file.clone()).or_default().sync(Fate::GivenUp, rng);
                &[]
            }
            Step::Remove { file } => {
                self.files.remove(file);
                &Loss::ALL
            }
            Step::Rename { file, to } => {
                let file = self.files.remove(file);
                self.files.extend(file.map(|file| (to.clone(), file)));
                &Loss::ALL
            }
        }
    }

    /// Writes what a power cut would leave into a folder.
    pub(crate) fn write(&self, folder: &Path, loss: Loss, rng: &mut ChaCha8Rng) -> io::Result<()> {
        for (name, file) in &self.files {
            fs::write(folder.join(name), file.left(loss, rng))?;
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
        for step in steps {
            disk.handle(step, &mut rng);
        }
        let folder = std::env::temp_dir().join(format!(
            "power-cut-{}-{loss:?}-{}",
            std::process::id(),
            steps.len()
        ));
        fs::create_dir_all(&folder).expect("a folder");
        disk.write(&folder, loss, &mut rng).expect("written");
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

    #[test]
    fn what_a_failed_sync_gave_up_is_not_written_by_the_next_one() {
        let file = || "a".to_owned();
        let write = |offset, byte| Step::Write { file: file(), offset, bytes: vec![byte; SECTOR] };
        let steps = [
            write(Some(0), 1),
            Step::FailedSync { file: file() },
            write(Some(SECTOR as u64), 2),
            Step::Sync { file: file() },
        ];
        let [first, second] = [0, SECTOR];
        assert_eq!(left(&steps, Loss::Everything)[first], 0);
        assert_eq!(left(&steps, Loss::Everything)[second], 2);
        assert_eq!(left(&steps, Loss::Nothing)[first], 1);
        let again = [&steps[..], &[write(Some(0), 3), Step::Sync { file: file() }]].concat();
        assert_eq!(left(&again, Loss::Everything)[first], 3);
    }
}
