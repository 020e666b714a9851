//! A program built for one machine, and how it is run on this one.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use crate::machines::Machine;

/// A program built for one machine.
pub(super) struct Built {
    pub(super) machine: Machine,
    pub(super) program: PathBuf,
}

/// The program, to be run in `folder`.
pub(super) fn command(built: &Built, program: &Path, folder: &Path) -> Command {
    let mut command = match built.machine.emulator() {
        Some(emulator) => {
            let mut command = Command::new(emulator);
            command.arg(program);
            command
        }
        None => Command::new(program),
    };
    command.current_dir(folder);
    command
}
