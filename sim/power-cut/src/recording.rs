//! A program's run with all that it did to its files.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::{fs, io};

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

use crate::disk::{Disk, Loss};
use crate::step::{Step, Steps};

/// The system calls that change what is on a disk.
const CALLS: &str =
    "write,pwrite64,fsync,fdatasync,ftruncate,unlink,unlinkat,rename,renameat,renameat2";
/// The file in the watched folder to which the program writes its promises, one a line.
const PROMISES: &str = "promised";

/// A program that could not be recorded.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// There is no strace.
    #[error("cannot run strace: {0}; install it (Debian: apt-get install strace)")]
    Strace(io::Error),
    /// The program failed.
    #[error("the program that was recorded ended with {status}: {said}")]
    Failed {
        /// Its exit status.
        status: ExitStatus,
        /// Its output.
        said: String,
    },
    /// The recording cannot be read.
    #[error("cannot read what was recorded at {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
}

/// A disk that does not do what it is asked.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    /// A system call fails.
    Call {
        /// Its name, as in `fdatasync`.
        call: &'static str,
        /// Effect of the call.
        effect: Effect,
        /// The first call of that name that fails, from 1, of each thread.
        from: u32,
        /// Whether all later ones of that thread fail as well.
        lasts: bool,
    },
    /// No file grows beyond this number of blocks of 512 bytes. A write beyond it is short: the system writes a part and returns its
    /// length.
    FileSize(u32),
}

/// Effect of a system call that is not executed.
#[derive(Clone, Copy, Debug)]
pub enum Effect {
    /// An error, as `EIO`.
    Error(&'static str),
    /// The call returns that it read or wrote no byte.
    Nothing,
}

/// Outcome of a program on a faulty disk.
#[derive(Clone, Debug)]
pub struct Faulty {
    /// Its exit status.
    pub status: ExitStatus,
    /// Its promises before the end.
    pub promised: Vec<String>,
    /// Number of system calls that were not executed.
    pub fell: usize,
}

/// Changes that a program made to the files of a folder.
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
        Recording::run(program, folder, None).and_then(|(recording, status, said)| {
            match status.success() {
                true => Ok(recording),
                false => Err(RecordingError::Failed { status, said }),
            }
        })
    }

    /// The same on a disk on which one sync fails, or all from then on: the sync with this number of each thread, from 1. The program
    /// may end early.
    ///
    /// # Errors
    ///
    /// If there is no strace, or its output cannot be read.
    pub fn with_failing_sync(
        program: &Command,
        folder: &Path,
        from: u32,
        lasts: bool,
    ) -> Result<Recording, RecordingError> {
        let when = format!("when={from}{}", if lasts { "+" } else { "" });
        let inject = format!("inject=fsync,fdatasync:error=EIO:{when}");
        Recording::run(program, folder, Some(&inject)).map(|(recording, ..)| recording)
    }

    /// Runs a program to its end; returns the recording, its exit status and its output.
    fn run(
        program: &Command,
        folder: &Path,
        inject: Option<&str>,
    ) -> Result<(Recording, ExitStatus, String), RecordingError> {
        let log = folder.with_extension("strace");
        let trace = format!("trace={CALLS}");
        // Other calls of the program pass without a stop.
        let mut options = vec!["--seccomp-bpf", "-s", "1000000", "-e", &trace];
        options.extend(inject.iter().flat_map(|inject| ["-e", inject]));
        let output = strace(program, &log, &options).output().map_err(RecordingError::Strace)?;
        let read = |source| RecordingError::Read { path: log.clone(), source };
        let mut steps = Steps::of_folder(format!("{}/", folder.display()));
        for line in BufReader::new(fs::File::open(&log).map_err(read)?).lines() {
            steps.take(&line.map_err(read)?);
        }
        fs::remove_file(&log).map_err(read)?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok((Recording { steps: steps.steps }, output.status, said))
    }

    /// Runs a program on a faulty disk.
    ///
    /// # Errors
    ///
    /// If there is no strace, or its output cannot be read.
    pub fn under_fault(
        program: &Command,
        folder: &Path,
        fault: Fault,
    ) -> Result<Faulty, RecordingError> {
        let log = folder.with_extension("strace");
        let mut faulty = match fault {
            Fault::Call { call, effect, from, lasts } => {
                let effect = match effect {
                    Effect::Error(error) => format!("error={error}"),
                    Effect::Nothing => "retval=0".to_owned(),
                };
                let (trace, more) = (format!("trace={call}"), if lasts { "+" } else { "" });
                let inject = format!("inject={call}:{effect}:when={from}{more}");
                strace(program, &log, &["-s", "0", "-e", &trace, "-e", &inject])
            }
            Fault::FileSize(blocks) => {
                let options = ["-s", "0", "-e", "trace=pwrite64", "-e", "status=failed"];
                limited(&strace(program, &log, &options), blocks)
            }
        };
        let status = faulty.output().map_err(RecordingError::Strace)?.status;
        let read = |source| RecordingError::Read { path: log.clone(), source };
        let said = fs::read_to_string(&log).map_err(read)?;
        fs::remove_file(&log).map_err(read)?;
        let is_fault = |line: &&str| line.contains("(INJECTED)") || line.contains(" EFBIG ");
        let fell = said.lines().filter(is_fault).count();
        Ok(Faulty { status, promised: promises_in(folder), fell })
    }

    /// Returns the number of steps: the power can be cut before the first and after each.
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
            Step::FailedSync { .. } | Step::Remove { .. } | Step::Rename { .. } => false,
        };
        (0..self.steps.len()).filter(move |&at| of_file(&self.steps[at])).map(|at| at + 1)
    }

    /// Returns the numbers of writes (also cuts of files) and of syncs among the steps. A promise does not count as a write.
    #[must_use]
    pub fn writes_and_syncs(&self) -> (usize, usize) {
        let written = || self.steps.iter().filter(|step| step.file() != PROMISES);
        let of = |which: fn(&Step) -> bool| written().filter(|step| which(step)).count();
        let is_write = |step: &Step| matches!(step, Step::Write { .. } | Step::Truncate { .. });
        (of(is_write), of(|step| matches!(step, Step::Sync { .. })))
    }

    /// The first step at which a sync failed.
    #[must_use]
    pub fn first_failed_sync(&self) -> Option<usize> {
        self.steps.iter().position(|step| matches!(step, Step::FailedSync { .. }))
    }

    /// The disk from its beginning on, step by step.
    #[must_use]
    pub fn replay(&self) -> Replay<'_> {
        Replay::new(&self.steps)
    }
}

/// Returns the program's promises in this folder.
fn promises_in(folder: &Path) -> Vec<String> {
    lines(&fs::read(folder.join(PROMISES)).unwrap_or_default())
}

pub(crate) fn lines(bytes: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect()
}

/// The program with a limit to the size of its files. It is not killed by it (`SIGXFSZ`): its writes fail.
fn limited(program: &Command, blocks: u32) -> Command {
    let mut limited = Command::new("sh");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
    limited.arg("-c").arg(script).arg("sh");
    run_in(limited, program)
}

/// The program under strace, all of its threads, with paths and bytes in full.
fn strace(program: &Command, log: &Path, options: &[&str]) -> Command {
    let mut strace = Command::new("strace");
    strace.args(["-f", "-y", "-xx", "-e", "signal=none"]).args(options).arg("-o").arg(log);
    run_in(strace, program)
}

/// Wraps a program in a command that runs it.
fn run_in(mut outer: Command, program: &Command) -> Command {
    outer.arg(program.get_program()).args(program.get_args());
    for (name, value) in program.get_envs() {
        if let Some(value) = value {
            outer.env(name, value);
        }
    }
    outer
}

/// SQLite's index of a write-ahead log is in shared memory.
const IN_MEMORY: &[&str] = &["-shm"];

/// The files of a recording after a number of its steps.
///
/// Many neighbouring cuts leave the same disk: a change that is not synced makes no difference if it is lost. So the replay remembers
/// which losses leave a disk that was not written out yet.
#[derive(Clone, Debug)]
pub struct Replay<'a> {
    steps: &'a [Step],
    done: usize,
    disk: Disk,
    promised: Vec<String>,
    /// Losses that leave a disk, or have to keep a promise, and were not returned yet.
    unseen: Vec<Loss>,
}

impl<'a> Replay<'a> {
    /// Creates a replay before the first step.
    pub(crate) fn new(steps: &'a [Step]) -> Replay<'a> {
        let (disk, promised) = (Disk::default(), Vec::new());
        Replay { steps, done: 0, disk, promised, unseen: vec![Loss::Everything] }
    }

    /// Returns the number of executed steps.
    #[must_use]
    pub fn done(&self) -> usize {
        self.done
    }

    /// Executes the steps up to that one, as far as there are any.
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

    /// Returns the promises so far.
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
