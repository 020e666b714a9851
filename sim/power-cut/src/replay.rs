//! A disk as it came to be, so that the power can be cut after every step.

use std::io;
use std::path::Path;

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

use crate::disk::{Disk, Loss};
use crate::step::{PROMISES, Step, lines};

/// SQLite's index of a write-ahead log lies in shared memory.
const IN_MEMORY: &[&str] = &["-shm"];

/// The files of a recording after so many of its steps.
///
/// Of neighbouring cuts many leave the same disk: what is not synced makes no difference if it is lost. So it remembers which
/// losses leave a disk that was not written out yet.
#[derive(Clone, Debug)]
pub struct Replay<'a> {
    steps: &'a [Step],
    done: usize,
    disk: Disk,
    promised: Vec<String>,
    /// Losses that leave a disk, or have to keep a promise, of which nobody has seen anything yet.
    unseen: Vec<Loss>,
}

impl<'a> Replay<'a> {
    /// Before the first step.
    pub(crate) fn new(steps: &'a [Step]) -> Replay<'a> {
        let (disk, promised) = (Disk::default(), Vec::new());
        Replay { steps, done: 0, disk, promised, unseen: vec![Loss::Everything] }
    }

    /// How many steps are done.
    #[must_use]
    pub fn done(&self) -> usize {
        self.done
    }

    /// Does the steps up to that one, as far as there are any.
    pub fn advance_to(&mut self, step: usize) {
        // Of no consequence: a sync keeps everything.
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        while self.done < step.min(self.steps.len()) {
            let changed = match &self.steps[self.done] {
                Step::Write { file, bytes, .. } if file == PROMISES => {
                    self.promised.extend(lines(bytes));
                    // The hardest of them: what it keeps, the others keep.
                    &[Loss::Everything]
                }
                step if IN_MEMORY.iter().any(|end| step.file().ends_with(end)) => &[][..],
                step => self.disk.handle(step, &mut rng),
            };
            for &loss in changed {
                if !self.unseen.contains(&loss) {
                    self.unseen.push(loss);
                }
            }
            self.done += 1;
        }
    }

    /// What has been promised so far.
    #[must_use]
    pub fn promised(&self) -> &[String] {
        &self.promised
    }

    /// The losses that leave another disk than at the last call, or one that has more to keep.
    pub fn take_unseen(&mut self) -> Vec<Loss> {
        std::mem::take(&mut self.unseen)
    }

    /// Makes the disk that a power cut leaves now, in a folder that is empty.
    ///
    /// # Errors
    ///
    /// If the files cannot be written.
    pub fn write(&self, loss: Loss, into: &Path) -> io::Result<()> {
        // Each cut has its own chances, the same in every run.
        let mut rng = ChaCha8Rng::seed_from_u64(self.done as u64);
        self.disk.write(into, loss, &mut rng)
    }
}
