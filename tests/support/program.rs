//! The real program as child processes: started, killed as a power cut would, and asked once.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]

use std::fs::{File, OpenOptions};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// How long tests wait for what must happen: generous, for slow machines with few cores.
pub const PATIENCE: Duration = Duration::from_secs(45);
/// How often they look.
pub const LOOK_EVERY: Duration = Duration::from_millis(50);

/// A program that runs until it is killed; what it logs goes to a file.
pub struct Program {
    child: Child,
    log: PathBuf,
}

impl Program {
    /// Starts `twinboard` with `arguments`; its output is added to `log`.
    pub fn twinboard(arguments: &[&str], log: &Path) -> Program {
        let mut command = Command::new(env!("CARGO_BIN_EXE_twinboard"));
        command.args(arguments);
        Program::start(command, log)
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

    /// Kills it with SIGKILL and waits until it is gone.
    pub fn kill(&mut self) {
        // Fails only when it has ended by itself, which the log then tells.
        drop(self.child.kill());
        self.child.wait().unwrap();
    }

    /// What it has said so far.
    pub fn log(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(&self.log).unwrap_or_default()).into_owned()
    }

    /// Whether it still runs.
    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits until the log holds `text`.
    pub fn until_it_says(&mut self, text: &str) {
        until(&format!("{text:?} in the log"), || self.log().contains(text), || self.log());
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Waits until `holds`; panics with `what` and `more` when it does not in time.
pub fn until(what: &str, mut holds: impl FnMut() -> bool, more: impl FnOnce() -> String) {
    let deadline = Instant::now() + PATIENCE;
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
    let mut child = Command::new(env!("CARGO_BIN_EXE_twinboard"))
        .args(arguments)
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

/// A port of this machine that was free a moment ago.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
