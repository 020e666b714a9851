//! Whether what was packed is whole and runs at all on the machine it is for, under emulation where that is another machine.

use std::{fs, path::Path};

use super::{
    built::{Built, command},
    contents, hall, package, units,
};
use crate::workspace::root;

/// Folder of short recorded matches.
const TRACES: &str = "tests/traces";

/// Unpacks a tarball, holds it to what must be in it, installs it by its script below a folder, and runs its program: version and a rulebook.
///
/// # Errors
///
/// What is missing or wrong, or which of them did not do what it should, and what it said.
pub(super) fn test_unpacked(built: &Built, tarball: &Path) -> Result<(), String> {
    in_folder(|folder| {
        package::unpack(tarball, folder)?;
        let name = tarball.file_name().unwrap_or_default().to_string_lossy();
        let unpacked = folder.join(name.trim_end_matches(".tar.gz"));
        contents::hold_tarball(&unpacked)?;
        let tree = folder.join("root");
        package::install_unpacked(&unpacked, &tree)?;
        contents::hold_installed(&tree)?;
        units::hold(Some(&tree))?;
        let program = unpacked.join("twinboard");
        expect(built, &program, folder, &["--version"], env!("CARGO_PKG_VERSION"))?;
        expect(built, &program, folder, &["rulebook"], "us-chess-bughouse-2018")
    })
}

/// Puts a package's files where they belong, below a folder, looks whether they are what a system needs of them, and runs the program
/// there: version, an inference, and a hall of one hub.
///
/// # Errors
///
/// What is missing or wrong.
pub(super) fn test_installed(built: &Built, deb: &Path) -> Result<(), String> {
    package::hold_to_machine(deb, built.machine.debian())?;
    in_folder(|folder| {
        let tree = folder.join("root");
        package::install(deb, &tree)?;
        contents::hold_installed(&tree)?;
        units::hold(Some(&tree))?;
        for unit in package::UNITS {
            let text = fs::read_to_string(tree.join(unit))
                .map_err(|error| format!("the package's {unit} cannot be read: {error}"))?;
            let starts = format!("ExecStart=/{} ", package::PROGRAM);
            if !text.contains(&starts) {
                return Err(format!("the package's {unit} does not start /{}", package::PROGRAM));
            }
        }
        let program = tree.join(package::PROGRAM);
        expect(built, &program, folder, &["--version"], env!("CARGO_PKG_VERSION"))?;
        infer(built, &program, folder)?;
        hall::open_and_close(built, &program, folder)
    })
}

/// Does something in a folder that is gone afterwards.
fn in_folder(work: impl FnOnce(&Path) -> Result<(), String>) -> Result<(), String> {
    let folder = std::env::temp_dir().join(format!("twinboard-smoke-{}", std::process::id()));
    fs::create_dir_all(&folder)
        .map_err(|error| format!("{} cannot be made: {error}", folder.display()))?;
    let done = work(&folder);
    // Whatever came of it, the folder is of no use any more.
    let _ = fs::remove_dir_all(&folder);
    done
}

/// A trace becomes a record with plies of both boards; which they are, the suite `machines` compares.
fn infer(built: &Built, program: &Path, folder: &Path) -> Result<(), String> {
    let trace = trace()?;
    expect(built, program, folder, &["infer", &trace, "--out", "records"], "")?;
    let records = fs::read_dir(folder.join("records"))
        .map_err(|error| format!("`infer` wrote no records: {error}"))?;
    let record = records
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|extension| extension == "bpgn"))
        .ok_or("`infer` wrote no BPGN")?;
    let text = fs::read_to_string(&record)
        .map_err(|error| format!("{} cannot be read: {error}", record.display()))?;
    if ["1A. ", "1B. "].iter().all(|ply| text.contains(ply)) {
        Ok(())
    } else {
        Err(format!("`infer` wrote a record without plies:\n{text}"))
    }
}

fn trace() -> Result<String, String> {
    let folder = root().join(TRACES);
    let entries = fs::read_dir(&folder)
        .map_err(|error| format!("{} cannot be read: {error}", folder.display()))?;
    let mut traces: Vec<_> = entries
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().ends_with(".trace.jsonl"))
        .map(|entry| (entry.metadata().map_or(u64::MAX, |metadata| metadata.len()), entry.path()))
        .collect();
    traces.sort();
    let (_, shortest) =
        traces.first().ok_or_else(|| format!("there is no trace in {}", folder.display()))?;
    Ok(shortest.display().to_string())
}

fn expect(
    built: &Built,
    program: &Path,
    folder: &Path,
    arguments: &[&str],
    expected: &str,
) -> Result<(), String> {
    let shown = format!("twinboard {} ({})", arguments.join(" "), built.machine.name());
    let output = command(built, program, folder)
        .args(arguments)
        .output()
        .map_err(|error| format!("`{shown}` could not be started: {error}"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    if output.status.success() && said.contains(expected) {
        return Ok(());
    }
    let complained = String::from_utf8_lossy(&output.stderr);
    Err(format!("`{shown}` did not say {expected:?} but\n{said}{complained}"))
}
