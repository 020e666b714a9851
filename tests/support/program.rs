//! The real program as child processes: started, killed as a power cut would, and asked once.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]

use std::fs::{File, OpenOptions};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Time for which tests wait for a condition that must hold: generous, for slow machines with few cores.
pub const PATIENCE: Duration = Duration::from_secs(45);
/// Time between two checks.
pub const LOOK_EVERY: Duration = Duration::from_millis(50);

/// A program that runs until it is killed; what it logs goes to a file.
pub struct Program {
    child: Child,
    log: PathBuf,
}

impl Program {
    /// Starts `twinboard` with `arguments`; its output is added to `log`.
    pub fn twinboard(arguments: &[&str], log: &Path) -> Program {
        Program::start(twinboard(arguments), log)
    }

    /// Starts a command with the configuration and the log of its name in `folder`.
    pub fn configured(folder: &Path, command: &str) -> Program {
        let config = folder.join(format!("{command}.toml"));
        let log = folder.join(format!("{command}.log"));
        Program::twinboard(&[command, "--config", &config.to_string_lossy()], &log)
    }

    /// Starts any program.
    pub fn start(mut command: Command, log: &Path) -> Program {
        let out = OpenOptions::new().create(true).append(true).open(log).unwrap();
        let child = command
            .stdin(Stdio::null())
            .stdout(out.try_clone().unwrap())
            .stderr(out)
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?} cannot be started: {error}"));
        Program { child, log: log.to_owned() }
    }

    /// Sends Ctrl-C.
    pub fn interrupt(&self) {
        self.signal(Signal::SIGINT);
    }

    /// Freezes it until [`Self::thaw`]; messages to it wait in the system.
    pub fn freeze(&self) {
        self.signal(Signal::SIGSTOP);
    }

    /// Continues a frozen one.
    pub fn thaw(&self) {
        self.signal(Signal::SIGCONT);
    }

    fn signal(&self, signal: Signal) {
        let process = Pid::from_raw(self.child.id().try_into().unwrap());
        kill(process, signal).unwrap();
    }

    /// Waits for its end; `None` if it still runs after `patience`.
    pub fn exit(&mut self, patience: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + patience;
        loop {
            let status = self.child.try_wait().unwrap();
            if status.is_some() || Instant::now() >= deadline {
                return status;
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }

    /// Kills it with SIGKILL and waits until it has ended.
    pub fn kill(&mut self) {
        // Fails only when it has ended by itself, which the log then shows.
        drop(self.child.kill());
        self.child.wait().unwrap();
    }

    /// Returns its log so far.
    pub fn log(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(&self.log).unwrap_or_default()).into_owned()
    }

    /// Returns its present memory.
    pub fn memory_bytes(&self) -> usize {
        let file = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(file).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        let kilobytes: usize = line.trim().trim_end_matches(" kB").parse().unwrap();
        kilobytes * 1024
    }

    /// Whether it still runs.
    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits until the log holds `text`.
    pub fn until_it_says(&self, text: &str) {
        self.until_it_says_within(PATIENCE, text);
    }

    /// Same as [`Self::until_it_says`], with another timeout.
    pub fn until_it_says_within(&self, patience: Duration, text: &str) {
        let what = format!("{text:?} in the log");
        within(patience, &what, || self.log().contains(text), || self.log());
    }

    /// Returns the complete lines of its log so far for which `is_wanted` holds.
    pub fn lines(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<String> {
        let log = self.log();
        let whole = log.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
        whole.filter(|line| is_wanted(line)).map(str::to_owned).collect()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Waits until `holds`; panics with `what` and `more` when it does not in time.
pub fn until(what: &str, holds: impl FnMut() -> bool, more: impl FnOnce() -> String) {
    within(PATIENCE, what, holds, more);
}

/// Same as [`until`], with another timeout.
fn within(
    patience: Duration,
    what: &str,
    mut holds: impl FnMut() -> bool,
    more: impl FnOnce() -> String,
) {
    let deadline = Instant::now() + patience;
    while !holds() {
        if Instant::now() >= deadline {
            panic!("waited in vain for {what}\n{}", more());
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

/// Runs `twinboard` in `folder` to its end. One that does not end is killed, and the test fails.
pub fn ask(folder: &Path, arguments: &[&str]) -> Output {
    let (out, err) = (folder.join("asked.stdout"), folder.join("asked.stderr"));
    let mut child = twinboard(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(File::create(&out).unwrap())
        .stderr(File::create(&err).unwrap())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + PATIENCE;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if Instant::now() >= deadline {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!(
                "twinboard {arguments:?} does not end: {}",
                std::fs::read_to_string(&err).unwrap()
            );
        }
        std::thread::sleep(LOOK_EVERY);
    };
    Output { status, stdout: std::fs::read(out).unwrap(), stderr: std::fs::read(err).unwrap() }
}

/// The program, without settings of its log.
fn twinboard(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_twinboard"));
    command.args(arguments).env_remove("RUST_LOG");
    command
}

/// A port of this machine that was free a moment ago.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
