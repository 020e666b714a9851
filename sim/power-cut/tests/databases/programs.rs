//! The programs that are recorded: tests of this folder that are ignored otherwise.

use std::fs::OpenOptions;
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Environment variable with the program's folder.
const FOLDER: &str = "TWINBOARD_POWER_CUT_FOLDER";
/// Environment variable with a number of commits, after which the program ends, because the disk fails. If it is not set, the program
/// writes everything, on a healthy disk.
const COMMITS: &str = "TWINBOARD_POWER_CUT_COMMITS";
/// Environment variable that makes the program note the contents of the database after each commit.
const STATES: &str = "TWINBOARD_POWER_CUT_STATES";
/// Time after which the program ends on a failing disk that accepts nothing.
const PATIENCE: Duration = Duration::from_secs(4);

/// The folder in which it is to write.
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(std::env::var_os(FOLDER).expect("run by the tests of this folder"))
}

/// Returns the number of commits to make.
pub(crate) fn commits() -> u32 {
    let commits = std::env::var(COMMITS).ok();
    commits.map_or(u32::MAX, |commits| commits.parse().expect("run by the tests of this folder"))
}

/// Returns the maximum wait for a commit.
pub(crate) fn patience() -> Duration {
    if commits() == u32::MAX { PATIENCE * 60 } else { PATIENCE }
}

/// The test of that name, as a program that writes everything, or makes this number of commits.
pub(crate) fn program(name: &str, folder: &Path, commits: Option<u32>) -> Command {
    let mut program = Command::new(std::env::current_exe().expect("this program"));
    program.args(["--exact", name, "--ignored", "--test-threads", "1"]);
    program.env(FOLDER, folder);
    if let Some(commits) = commits {
        program.env(COMMITS, commits.to_string()).env("RUST_BACKTRACE", "0");
    }
    program
}

/// Makes a program note the contents of its database after each commit: [`expected`].
pub(crate) fn noting_states(mut program: Command) -> Command {
    program.env(STATES, "yes");
    program
}

/// Whether that was asked for.
pub(crate) fn notes_states() -> bool {
    std::env::var_os(STATES).is_some()
}

/// Notes by one write that these promises are made.
pub(crate) fn promise(folder: &Path, lines: &[String]) {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    append(&folder.join("promised"), &text);
}

/// Notes outside of the watched folder, where no cut reaches, the contents of the database after this number of commits.
pub(crate) fn expect(folder: &Path, commits: u32, state: u64) {
    append(&folder.with_extension("expected"), &format!("{commits} {state}\n"));
}

/// Returns the contents of the database after each commit: digests, the newest last.
pub(crate) fn expected(folder: &Path) -> Vec<(u32, u64)> {
    let text = std::fs::read_to_string(folder.with_extension("expected")).expect("noted");
    let line = |line: &str| {
        let (commits, state) = line.split_once(' ')?;
        Some((commits.parse().ok()?, state.parse().ok()?))
    };
    text.lines().map(|text| line(text).expect("a line of ours")).collect()
}

fn append(file: &Path, text: &str) {
    let file = OpenOptions::new().create(true).append(true).open(file);
    file.and_then(|mut file| file.write_all(text.as_bytes())).expect("noted");
}

/// Returns a digest of a database's contents, which are given in columns.
pub(crate) fn digest(columns: &[Option<String>]) -> u64 {
    let mut hasher = DefaultHasher::new();
    columns.hash(&mut hasher);
    hasher.finish()
}
