//! The crates' own tests, in two parts: those that need nothing but the toolchain, and those that use other programs.
//!
//! The first part runs where no other program can be found, so that a test which quietly uses one fails here and not on a newcomer's
//! machine. A test of the second part is marked by [`MARK`], and is found by it.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use crate::workspace::{TEST, cargo, execute, execute_with, root, target};

/// End of the reason for which a test is ignored, if it uses programs that a machine may lack.
const MARK: &str = "cargo xtask test programs\"]";
/// Programs of the toolchain: those of Rust, those that its linker and doc tests call, and the shell that every system has.
const TOOLCHAIN: [&str; 8] = ["cargo", "rustc", "rustdoc", "rustup", "cc", "ld", "as", "sh"];
/// Folders that hold no tests of crates.
const SKIPPED: [&str; 4] = ["target", "node_modules", "node-firmware", ".git"];

/// Runs every test of the crates that needs nothing but the toolchain, with nothing else to be found.
///
/// # Errors
///
/// That a test failed, or that the search path could not be made.
pub(crate) fn alone() -> Result<(), String> {
    let search_path = toolchain_path()?;
    // Built first: what is compiled from C or generated may use other programs.
    execute("", &cargo(), &[&TEST[..], &["--no-run", "--tests"]].concat())?;
    for kind in ["--tests", "--doc"] {
        let arguments = [&TEST[..], &["--no-fail-fast", kind]].concat();
        execute_with("", &cargo(), &arguments, &search_path)?;
    }
    Ok(())
}

/// Runs the crates' tests that use programs which a machine may lack.
///
/// # Errors
///
/// That a test failed, or that none is marked.
pub(crate) fn with_programs() -> Result<(), String> {
    let tests = marked_tests(&root())?;
    if tests.is_empty() {
        return Err(format!("no test is marked by `{MARK}`"));
    }
    let mut arguments = [&TEST[..], &["--no-fail-fast", "--tests", "--", "--ignored"]].concat();
    arguments.extend(tests.iter().map(String::as_str));
    execute("", &cargo(), &arguments)
}

/// Makes a folder with links to the toolchain's programs; the search path that has nothing else.
fn toolchain_path() -> Result<OsString, String> {
    let folder = target().join("toolchain");
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(failed)?;
    }
    fs::create_dir_all(&folder).map_err(failed)?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    for program in TOOLCHAIN {
        let found = std::env::split_paths(&path).map(|at| at.join(program)).find(|at| at.is_file());
        if let Some(found) = found {
            std::os::unix::fs::symlink(found, folder.join(program)).map_err(failed)?;
        }
    }
    Ok(folder.into_os_string())
}

/// The names of the tests below a folder that carry [`MARK`].
fn marked_tests(folder: &Path) -> Result<Vec<String>, String> {
    let mut tests = Vec::new();
    for file in rust_files(folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        let text = fs::read_to_string(&file)
            .map_err(|error| format!("{} cannot be read: {error}", file.display()))?;
        tests.extend(marked_in(&text));
    }
    tests.sort_unstable();
    Ok(tests)
}

/// The names of the functions that follow a line with [`MARK`].
fn marked_in(text: &str) -> Vec<String> {
    let mut lines = text.lines();
    let mut names = Vec::new();
    while lines.by_ref().any(|line| line.trim_end().ends_with(MARK)) {
        let name = lines.by_ref().find_map(|line| {
            let (_, rest) = line.split_once("fn ")?;
            rest.split_once('(').map(|(name, _)| name.to_owned())
        });
        names.extend(name);
    }
    names
}

fn rust_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            if !SKIPPED.iter().any(|skipped| path.ends_with(skipped)) {
                files.extend(rust_files(&path)?);
            }
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marked_test_is_found_by_the_name_of_its_function() {
        let mark = format!("#[ignore = \"needs Mosquitto: {MARK}");
        let text = format!(
            "#[test]\nfn a() {{}}\n{mark}\n#[tokio::test]\nasync fn b() {{}}\n{mark}\nfn c() {{}}\n"
        );
        assert_eq!(marked_in(&text), ["b", "c"]);
    }

    #[test]
    fn the_project_has_marked_tests() {
        assert!(!marked_tests(&root()).unwrap().is_empty());
    }
}
