//! A program's run with all that it did to its files.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::{fs, io};

use crate::replay::Replay;
use crate::step::{PROMISES, Step, Steps, lines};

/// The system calls that change what is on a disk.
const CALLS: &str =
    "write,pwrite64,fsync,fdatasync,ftruncate,unlink,unlinkat,rename,renameat,renameat2";
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

/// A disk that does not do what it is asked.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    /// A system call fails.
    Call {
        /// Its name, as in `fdatasync`.
        call: &'static str,
        /// What becomes of it.
        effect: Effect,
        /// The first call of that name that fails, from 1, of each thread.
        from: u32,
        /// Whether all later ones of that thread fail as well.
        lasts: bool,
    },
    /// No file grows beyond so many blocks of 512 bytes. The write that would go on behind that is short: the system does a part
    /// of it, and says how much.
    FileSize(u32),
}

/// What becomes of a system call that is not done.
#[derive(Clone, Copy, Debug)]
pub enum Effect {
    /// An error, as `EIO`.
    Error(&'static str),
    /// It says that it read or wrote no byte.
    Nothing,
}

/// What came of a program on a faulty disk.
#[derive(Clone, Debug)]
pub struct Faulty {
    /// How it ended.
    pub status: ExitStatus,
    /// What it promised before.
    pub promised: Vec<String>,
    /// How many system calls were not done.
    pub fell: usize,
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
        Recording::run(program, folder, None).and_then(|(recording, status, said)| {
            match status.success() {
                true => Ok(recording),
                false => Err(RecordingError::Failed { status, said }),
            }
        })
    }

    /// The same on a disk of which a sync fails, or all do from then on: the one of that number of each thread, from 1. The program may
    /// give up.
    ///
    /// # Errors
    ///
    /// If there is no strace, or what it says cannot be read.
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

    /// Runs a program to its end; how that was, and what it said.
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
    /// If there is no strace, or what it says cannot be read.
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
            Step::FailedSync { .. } | Step::Remove { .. } | Step::Rename { .. } => false,
        };
        (0..self.steps.len()).filter(move |&at| of_file(&self.steps[at])).map(|at| at + 1)
    }

    /// How many of the steps are writes (also cuts of files), and how many syncs; what is promised is no write.
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

/// What a program promised in this folder.
fn promises_in(folder: &Path) -> Vec<String> {
    lines(&fs::read(folder.join(PROMISES)).unwrap_or_default())
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

/// Has a program run by another one.
fn run_in(mut outer: Command, program: &Command) -> Command {
    outer.arg(program.get_program()).args(program.get_args());
    for (name, value) in program.get_envs() {
        if let Some(value) = value {
            outer.env(name, value);
        }
    }
    outer
}
