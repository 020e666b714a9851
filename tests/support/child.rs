//! The program as a process of its own, with what it says kept for the one who has to find out why.
#![allow(dead_code, reason = "each test binary uses its part")]

use std::{
    fs::File,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, channel},
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

/// How often a process is asked whether it has ended.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A running `twinboard`; killed with SIGKILL, as a power cut would, when dropped.
pub(crate) struct Program {
    child: Child,
    lines: Receiver<String>,
}

impl Program {
    /// Starts `twinboard` with `arguments`; its log goes to the file `log`.
    pub(crate) fn start(arguments: &[&str], log: &Path) -> Program {
        let log = File::options().create(true).append(true).open(log).expect("the log opens");
        let mut child = command(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("the program starts");
        let stdout = child.stdout.take().expect("stdout is a pipe");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Program { child, lines }
    }

    /// The lines it prints, up to the first that `is_last`; an error with those that came when it
    /// prints no such line in time or ends before.
    pub(crate) fn lines_until(
        &self,
        patience: Duration,
        is_last: impl Fn(&str) -> bool,
    ) -> Result<Vec<String>, Vec<String>> {
        let end = Instant::now() + patience;
        let mut lines = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(end.saturating_duration_since(Instant::now()))
        {
            lines.push(line);
            if lines.last().is_some_and(|line| is_last(line)) {
                return Ok(lines);
            }
        }
        Err(lines)
    }

    /// Sends Ctrl-C.
    pub(crate) fn interrupt(&self) {
        let process = Pid::from_raw(self.child.id().try_into().expect("a process id"));
        kill(process, Signal::SIGINT).expect("it can be signalled");
    }

    /// How it ended, when it does in time.
    pub(crate) fn exit(&mut self, patience: Duration) -> Option<ExitStatus> {
        let end = Instant::now() + patience;
        loop {
            let status = self.child.try_wait().expect("it can be waited for");
            if status.is_some() || Instant::now() >= end {
                return status;
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Fails when it has ended already, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A command of the program, to be run to its end.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_twinboard"));
    command.args(arguments).env_remove("RUST_LOG");
    command
}
