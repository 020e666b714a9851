//! Mosquitto as a third-party broker. It saves its data every few seconds, as it does in a hall. After a kill it starts with the data
//! of the last save, which is older than its last messages.

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{Program, free_port, until};

/// Folders in which distributions install it, beside those of `PATH`.
const FOLDERS: [&str; 3] = ["/usr/sbin", "/usr/local/sbin", "/opt/homebrew/sbin"];

/// Time between two saves of its data.
const SAVED_EVERY_S: u32 = 5;

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
        let (folder, port) = (folder.to_owned(), free_port());
        let mut broker = Mosquitto { program, folder, port, running: None };
        broker.restart();
        Some(broker)
    }

    /// Starts it with its saved data, and waits until it listens.
    pub(crate) fn restart(&mut self) {
        self.kill();
        let (file, port) = (self.folder.join("mosquitto.conf"), self.port);
        // Started by root it becomes another user, who may not write here.
        let text = format!(
            "listener {port} 127.0.0.1\nallow_anonymous true\nuser root\npersistence true\npersistence_location {}/\n\
             autosave_interval {SAVED_EVERY_S}\n",
            self.folder.display()
        );
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

    /// Kills it and deletes its saved data; returns whether there was any.
    pub(crate) fn wipe(&mut self) -> bool {
        self.kill();
        std::fs::remove_file(self.folder.join("mosquitto.db")).is_ok()
    }

    /// The process, if it runs.
    pub(crate) fn program(&self) -> Option<&Program> {
        self.running.as_ref()
    }
}
