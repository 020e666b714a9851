//! A program's run with all that it did to its files.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::{fs, io};

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

use crate::disk::{Disk, Loss};
use crate::step::{Step, steps};

/// The system calls that change what is on a disk.
const CALLS: &str = "write,pwrite64,fsync,fdatasync,ftruncate,unlink,unlinkat";
/// The file in the watched folder to which the program tells, a line each, what it has promised to keep.
const PROMISES: &str = "promised";
/// SQLite's index of a write-ahead log lies in shared memory.
const IN_MEMORY: &[&str] = &["-shm", PROMISES];

/// A program that could not be recorded.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// There is no strace.
    #[error("cannot run strace: {0}; install it (Debian: apt-get install strace)")]
    Strace(io::Error),
    /// The program failed.
    #[error("the program that was recorded ended with {status}: {said}")]
    Failed {
        /// How it ended.
        status: ExitStatus,
        /// What it said.
        said: String,
    },
    /// What was recorded cannot be read.
    #[error("cannot read what was recorded at {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// A system call that fails.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// Its name, as in `fdatasync`.
    pub call: &'static str,
    /// The error, as in `EIO`.
    pub error: &'static str,
    /// The first call of that name that fails, from 1.
    pub from: u32,
    /// Whether all later ones fail as well.
    pub lasts: bool,
}

/// What a program did to the files of a folder.
#[derive(Clone, Debug)]
pub struct Recording {
    steps: Vec<Step>,
}

impl Recording {
    /// Runs a program to its end and records what it does to the files of `folder`.
    ///
    /// # Errors
    ///
    /// If there is no strace, or the program fails.
    pub fn of(program: &Command, folder: &Path) -> Result<Recording, RecordingError> {
        let log = folder.with_extension("strace");
        let trace = format!("trace={CALLS}");
        let mut strace = strace(program, &log, &["-s", "1000000", "-e", &trace]);
        let output = strace.output().map_err(RecordingError::Strace)?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            return Err(RecordingError::Failed { status: output.status, said });
        }
        let read = |source| RecordingError::Read { path: log.clone(), source };
        let text = fs::read_to_string(&log).map_err(read)?;
        fs::remove_file(&log).map_err(read)?;
        let folder = format!("{}/", folder.display());
        Ok(Recording { steps: steps(text.lines(), &folder) })
    }

    /// Runs a program while a system call fails; how it ended, and what it promised before.
    ///
    /// # Errors
    ///
    /// If there is no strace.
    pub fn under_fault(
        program: &Command,
        folder: &Path,
        fault: Fault,
    ) -> Result<(ExitStatus, Vec<String>), RecordingError> {
        let log = folder.with_extension("strace");
        let Fault { call, error, from, lasts } = fault;
        let (trace, more) = (format!("trace={call}"), if lasts { "+" } else { "" });
        let inject = format!("inject={call}:error={error}:when={from}{more}");
        let mut strace = strace(program, &log, &["-s", "0", "-e", &trace, "-e", &inject]);
        let output = strace.output().map_err(RecordingError::Strace)?;
        let _ = fs::remove_file(&log);
        Ok((output.status, promises_in(folder)))
    }

    /// How many steps there are: the power can be cut before the first and after each.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether nothing was done to any file.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The steps after which a file whose name ends so was written or synced.
    pub fn around<'a>(&'a self, name_ends: &'a str) -> impl Iterator<Item = usize> + 'a {
        let of_file = move |step: &Step| match step {
            Step::Write { file, .. } | Step::Sync { file } | Step::Truncate { file, .. } => {
                file.ends_with(name_ends)
            }
            Step::Remove { .. } => false,
        };
        (0..self.steps.len()).filter(move |&at| of_file(&self.steps[at])).map(|at| at + 1)
    }

    /// Makes the disk that a power cut after so many steps leaves behind, in a folder that is empty. What had been promised by
    /// then.
    ///
    /// # Errors
    ///
    /// If the files cannot be written.
    pub fn disk_after(
        &self,
        cut: usize,
        loss: Loss,
        seed: u64,
        into: &Path,
    ) -> io::Result<Vec<String>> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut disk = Disk::default();
        let mut promised = Vec::new();
        for step in &self.steps[..cut.min(self.steps.len())] {
            match step {
                Step::Write { file, bytes, .. } if file == PROMISES => {
                    promised.extend_from_slice(bytes);
                }
                step => disk.handle(step, &mut rng),
            }
        }
        disk.write(into, IN_MEMORY, loss, &mut rng)?;
        Ok(lines(&promised))
    }
}

/// What a program promised in this folder.
fn promises_in(folder: &Path) -> Vec<String> {
    lines(&fs::read(folder.join(PROMISES)).unwrap_or_default())
}

fn lines(bytes: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect()
}

/// The program under strace, all of its threads, with paths and bytes in full.
fn strace(program: &Command, log: &Path, options: &[&str]) -> Command {
    let mut strace = Command::new("strace");
    strace.args(["-f", "-y", "-xx", "-e", "signal=none"]).args(options).arg("-o").arg(log);
    strace.arg(program.get_program()).args(program.get_args());
    for (name, value) in program.get_envs() {
        if let Some(value) = value {
            strace.env(name, value);
        }
    }
    strace
}
