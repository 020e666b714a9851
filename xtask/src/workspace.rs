//! Folders of the workspace, and how commands are run there.

use std::{
    cell::RefCell,
    ffi::OsString,
    fs::File,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::OnceLock,
};

/// Begin of every command that builds or runs tests: no package is named, which chooses the workspace's default ones. Cargo chooses
/// the features of shared dependencies by the chosen packages, and would build hundreds of crates again for each choice.
pub(crate) const TEST: [&str; 2] = ["test", "--locked"];

/// The workspace's root folder.
pub(crate) fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_path_buf()
}

/// The cargo that runs this task.
pub(crate) fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())
}

/// Cargo's target folder, which an environment variable or a configuration file may have moved.
pub(crate) fn target() -> &'static Path {
    static TARGET: OnceLock<PathBuf> = OnceLock::new();
    TARGET.get_or_init(|| {
        let metadata = Command::new(cargo())
            .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
            .current_dir(root())
            .output();
        let named = metadata.ok().and_then(|output| target_of(&output.stdout));
        named.unwrap_or_else(|| root().join("target"))
    })
}

/// The target folder that cargo's metadata name.
fn target_of(metadata: &[u8]) -> Option<PathBuf> {
    let text = String::from_utf8_lossy(metadata);
    let (_, rest) = text.split_once("\"target_directory\":\"")?;
    let (path, _) = rest.split_once('"')?;
    Some(PathBuf::from(path.replace("\\\\", "\\")))
}

/// Folder of the Python environment that the suites' set-up makes.
pub(crate) fn python_environment() -> PathBuf {
    target().join("python")
}

/// A command that finds the set-up's own Python before the machine's.
pub(crate) fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.env("PATH", search_path());
    command
}

/// The search path for programs: the set-up's Python first, if there is one.
pub(crate) fn search_path() -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let own = Some(python_environment().join("bin")).filter(|folder| folder.is_dir());
    std::env::join_paths(own.into_iter().chain(std::env::split_paths(&path))).unwrap_or(path)
}

thread_local! {
    /// The file that gets the output of this thread's commands; without one it is shown.
    static OUTPUT: RefCell<Option<File>> = const { RefCell::new(None) };
}

/// Runs something whose commands write to a file.
pub(crate) fn with_output_to<T>(file: File, run: impl FnOnce() -> T) -> T {
    let before = OUTPUT.replace(Some(file));
    let result = run();
    OUTPUT.replace(before);
    result
}

/// Standard output or error of a command of this thread.
fn output() -> std::io::Result<Stdio> {
    OUTPUT.with_borrow(|file| match file {
        Some(file) => file.try_clone().map(Stdio::from),
        None => Ok(Stdio::inherit()),
    })
}

/// Builds the program `twinboard` and a program of the venue with the features that tests have chosen.
///
/// # Errors
///
/// As [`execute`].
pub(crate) fn build_program() -> Result<(), String> {
    // Cargo gives examples the features that tests use.
    execute("", &cargo(), &["build", "--locked", "--bin", "twinboard", "--example", "venue"])
}

/// Runs a command in a folder of the workspace (`""` for its root) with its output shown.
///
/// # Errors
///
/// A sentence naming the command when it cannot be started or fails.
pub(crate) fn execute(folder: &str, program: &str, arguments: &[&str]) -> Result<(), String> {
    execute_with(folder, program, arguments, &search_path())
}

/// Runs a command as [`execute`] does, with another search path for programs.
///
/// # Errors
///
/// As [`execute`].
pub(crate) fn execute_with(
    folder: &str,
    program: &str,
    arguments: &[&str],
    search_path: &OsString,
) -> Result<(), String> {
    let shown = format!("{program} {}", arguments.join(" "));
    let run = || {
        Command::new(program)
            .args(arguments)
            .env("PATH", search_path)
            .current_dir(root().join(folder))
            .stdout(output()?)
            .stderr(output()?)
            .status()
    };
    let status = run().map_err(|error| format!("`{shown}` could not be started: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        let place = if folder.is_empty() { "the workspace's root" } else { folder };
        Err(format!("`{shown}` in {place} failed ({status})"))
    }
}

/// Whether a program can be started at all; some print their help with a failing exit code.
pub(crate) fn answers(program: &str, arguments: &[&str]) -> bool {
    let status = command(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match status {
        Ok(status) => status.success() || arguments == ["-h"],
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_target_folder_is_the_one_that_cargo_names() {
        let metadata = br#"{"packages":[],"target_directory":"/elsewhere/build","version":1}"#;
        assert_eq!(target_of(metadata), Some(PathBuf::from("/elsewhere/build")));
        assert_eq!(target_of(b""), None);
    }
}
