//! What people install: the program with its units and examples as a tarball and as a Debian package, for the hub's processor and
//! for this machine's; each is unpacked again and tried out.
//!
//! The program needs the system's C library and nothing else (pages, rulebooks and weights are inside it); which version of it,
//! and so which release of Debian or Raspberry Pi OS, is read off the program and said.

mod glibc;
mod package;
mod smoke;

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    machines::{self, Machine},
    pages,
    workspace::root,
};

/// Where the results go, below the workspace's root.
const RESULTS: &str = "target/dist";

/// A program built for one machine.
pub(crate) struct Built {
    machine: Machine,
    program: PathBuf,
}

const USAGE: &str = "usage: cargo xtask dist [aarch64] [x86_64]   (both when none is named)";

/// Builds, packs and tries out what is named, or everything.
///
/// # Errors
///
/// What to install, which command failed, or what the program did wrong.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let mut machines = Vec::new();
    for argument in arguments {
        let machine = Machine::ALL.into_iter().find(|machine| machine.name() == argument);
        machines.push(machine.ok_or_else(|| format!("there is no machine {argument:?}\n{USAGE}"))?);
    }
    if machines.is_empty() {
        machines = Machine::ALL.to_vec();
    }
    pages::build()?;
    let results = root().join(RESULTS);
    fs::create_dir_all(&results)
        .map_err(|error| format!("{} cannot be made: {error}", results.display()))?;
    for machine in machines {
        let program = machines::build_for(machine, "twinboard")?;
        make(&Built { machine, program: PathBuf::from(program) }, &results)?;
    }
    Ok(())
}

fn make(built: &Built, results: &Path) -> Result<(), String> {
    let needs = glibc::needed(&built.program)?;
    println!("   {}: needs glibc {needs} ({})", built.machine.name(), needs.releases());
    let staged = package::stage(built, results)?;
    let tarball = package::tarball(&staged, results)?;
    smoke::test_unpacked(built, &tarball)?;
    println!("   {}", shown(&tarball)?);
    match package::deb(built, &staged, needs, results)? {
        Some(deb) => {
            smoke::test_installed(built, &deb)?;
            println!("   {}", shown(&deb)?);
        }
        None => println!("   no .deb: install dpkg-deb (Debian: apt-get install dpkg)"),
    }
    Ok(())
}

fn shown(path: &Path) -> Result<String, String> {
    let bytes =
        path.metadata().map_err(|error| format!("{} was not made: {error}", path.display()))?.len();
    Ok(format!("{} ({:.1} MB)", path.display(), bytes as f64 / 1e6))
}
