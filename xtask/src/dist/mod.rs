//! What people install: the program with its units and examples as a tarball and as a Debian package, for the hub's processor and
//! for this machine's, with the nodes' images; each is unpacked again and tried out.
//!
//! The program needs the system's C library and nothing else (pages, rulebooks and weights are inside it); which version of it,
//! and so which release of Debian or Raspberry Pi OS, is read off the program and said.

mod built;
mod contents;
mod glibc;
mod hall;
mod libraries;
mod package;
mod running;
mod smoke;
mod units;

use std::{
    fs,
    path::{Path, PathBuf},
};

use built::Built;
use package::Compression;

use crate::{
    images,
    machines::{self, Machine},
    pages,
    workspace::target,
};

/// Where the results go, below the target folder.
const RESULTS: &str = "dist";
/// Where those of the test go, which nobody installs.
const TEST_RESULTS: &str = "dist-test";

const USAGE: &str = "usage: cargo xtask dist [aarch64] [x86_64]   (both when none is named)";

/// Builds, packs and tries out what is named, or everything.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let mut machines = Vec::new();
    for argument in arguments {
        let machine = Machine::ALL.into_iter().find(|machine| machine.name() == argument);
        machines.push(machine.ok_or_else(|| format!("there is no machine {argument:?}\n{USAGE}"))?);
    }
    if machines.is_empty() {
        machines = Machine::ALL.to_vec();
    }
    machines.into_iter().try_for_each(|machine| make(machine, machines::RELEASE, RESULTS))
}

/// Packs and tries out what the hub's machine would get, but for the optimisation of what needs none to be tried out.
pub(crate) fn test() -> Result<(), String> {
    make(Machine::Hub, machines::TRYOUT, TEST_RESULTS)
}

/// Packs a program of this machine as a Debian package, without trying it out.
pub(crate) fn package_for_this_machine(program: &Path, results: &Path) -> Result<PathBuf, String> {
    fs::create_dir_all(results)
        .map_err(|error| format!("{} cannot be made: {error}", results.display()))?;
    let machine = Machine::ALL.into_iter().find(|machine| machine.is_this());
    let machine = machine.ok_or("there are no packages for this processor")?;
    let built = &Built { machine, program: program.to_owned() };
    let needs = glibc::needed(program)?;
    let staged = package::stage(built, &[], results)?;
    package::deb(built, &staged, needs, Compression::Quick, results)?
        .ok_or_else(|| "install dpkg-deb (Debian: apt-get install dpkg)".to_owned())
}

fn make(machine: Machine, profile: &str, results: &str) -> Result<(), String> {
    pages::build()?;
    let results = &target().join(results);
    fs::create_dir_all(results)
        .map_err(|error| format!("{} cannot be made: {error}", results.display()))?;
    let program = machines::build_for(machine, "twinboard", profile)?;
    let built = &Built { machine, program: PathBuf::from(program) };
    let needs = glibc::needed(&built.program)?;
    println!("   {}: needs glibc {needs} ({})", built.machine.name(), needs.releases());
    libraries::hold_to_system(&built.program)?;
    let images = images::for_pico()?;
    let staged = package::stage(built, &images, results)?;
    let tarball = package::tarball(&staged, results)?;
    smoke::test_unpacked(built, &tarball)?;
    println!("   {}: whole; version and rulebook work", shown(&tarball)?);
    match package::deb(built, &staged, needs, Compression::Small, results)? {
        Some(deb) => {
            smoke::test_installed(built, &deb)?;
            println!("   {}: whole; version, infer, and a hall of one hub work", shown(&deb)?);
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
