//! Mosquitto as a broker that is not ours, forgetting everything when it is killed.

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{Program, free_port, until};

/// Where distributions put it, beside what `PATH` says.
const FOLDERS: [&str; 3] = ["/usr/sbin", "/usr/local/sbin", "/opt/homebrew/sbin"];

/// A running Mosquitto.
pub(crate) struct Mosquitto {
    program: PathBuf,
    folder: PathBuf,
    pub(crate) port: u16,
    running: Option<Program>,
}

impl Mosquitto {
    /// None (and a printed line) where it is not installed; under CI that is a failure.
    pub(crate) fn start(folder: &Path) -> Option<Mosquitto> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::env::split_paths(&path).chain(FOLDERS.map(PathBuf::from));
        let Some(program) = folders.map(|folder| folder.join("mosquitto")).find(|at| at.is_file())
        else {
            assert!(std::env::var_os("CI").is_none(), "mosquitto is not installed");
            println!("not run: mosquitto is not installed");
            return None;
        };
        let mut broker =
            Mosquitto { program, folder: folder.to_owned(), port: free_port(), running: None };
        broker.restart();
        Some(broker)
    }

    /// Starts it with nothing remembered, and waits until it listens.
    pub(crate) fn restart(&mut self) {
        self.kill();
        let (file, port) = (self.folder.join("mosquitto.conf"), self.port);
        let text = format!("listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\n");
        std::fs::write(&file, text).unwrap();
        let mut command = Command::new(&self.program);
        command.arg("-c").arg(&file);
        let running =
            self.running.insert(Program::start(command, &self.folder.join("mosquitto.log")));
        let listens = || TcpStream::connect(("127.0.0.1", port)).is_ok();
        until("mosquitto to listen", listens, || running.log());
    }

    /// Kills it with SIGKILL.
    pub(crate) fn kill(&mut self) {
        drop(self.running.take());
    }
}
