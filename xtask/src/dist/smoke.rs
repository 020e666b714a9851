//! Whether what was built runs at all on the machine it is for: a few commands, under emulation where that is another machine.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use super::{Built, package};
use crate::workspace::root;

/// A short recorded match.
const TRACE: &str = "tests/traces";
/// Longest wait for what the hub says at its start; emulation is slow.
const PATIENCE: Duration = Duration::from_secs(120);
/// A hub with lights and a lever, and nothing to plug in.
const HUB: &str = r#"
[hub]
id = "smoke"
journal = "smoke.sqlite"
ports = []
[broker]
host = "127.0.0.1"
port = 9
[gpio]
ok_led = 17
[[table]]
name = "1"
rulebook = "us-chess-bughouse-2018"
base_s = 300
[[table.node]]
board = "A"
kind = "board"
node = "board-1"
[[table.lever]]
board = "A"
pin = 5
"#;

/// Unpacks a tarball and runs its program: version, a rulebook, an inference, and the start of a hub.
///
/// # Errors
///
/// Which of them did not do what it should, and what it said.
pub(super) fn test_unpacked(built: &Built, tarball: &Path) -> Result<(), String> {
    in_folder(|folder| {
        package::unpack(tarball, folder)?;
        let name = tarball.file_name().unwrap_or_default().to_string_lossy();
        let unpacked = folder.join(name.trim_end_matches(".tar.gz"));
        try_out(built, &unpacked.join("twinboard"), folder)
    })?;
    println!("   {}: version, rulebook, infer and a hub off a Pi work", built.machine.name());
    Ok(())
}

/// Puts a package's files where they belong, below a folder, and looks whether they are what a system needs of them.
///
/// # Errors
///
/// What is missing or wrong.
pub(super) fn test_installed(built: &Built, deb: &Path) -> Result<(), String> {
    in_folder(|folder| {
        package::install(deb, folder)?;
        let program = folder.join(package::PROGRAM);
        expect(built, &program, folder, &["--version"], env!("CARGO_PKG_VERSION"))?;
        for unit in package::UNITS {
            let text = fs::read_to_string(folder.join(unit))
                .map_err(|error| format!("the package's {unit} cannot be read: {error}"))?;
            let starts = format!("ExecStart=/{} ", package::PROGRAM);
            if !text.contains(&starts) {
                return Err(format!("the package's {unit} does not start /{}", package::PROGRAM));
            }
        }
        Ok(())
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

fn try_out(built: &Built, program: &Path, folder: &Path) -> Result<(), String> {
    expect(built, program, folder, &["--version"], env!("CARGO_PKG_VERSION"))?;
    expect(built, program, folder, &["rulebook"], "us-chess-bughouse-2018")?;
    let trace = trace()?;
    expect(built, program, folder, &["infer", &trace, "--out", "records"], "")?;
    let is_record = |name: &str| name.ends_with(".bpgn");
    let records = fs::read_dir(folder.join("records"))
        .map_err(|error| format!("`infer` wrote no records: {error}"))?;
    let names = records.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    if !names.into_iter().any(|name| is_record(&name)) {
        return Err("`infer` wrote no BPGN".to_owned());
    }
    start_hub(built, program, folder)
}

fn trace() -> Result<String, String> {
    let folder = root().join(TRACE);
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

fn command(built: &Built, program: &Path, folder: &Path) -> Command {
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

/// A hub with pins in its configuration says on a machine without pins that it has none, and runs.
fn start_hub(built: &Built, program: &Path, folder: &Path) -> Result<(), String> {
    fs::write(folder.join("hub.toml"), HUB)
        .map_err(|error| format!("the hub's configuration cannot be written: {error}"))?;
    let mut hub = command(built, program, folder)
        .args(["hub", "--config", "hub.toml"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("`twinboard hub` could not be started: {error}"))?;
    let heard = listen(&mut hub);
    // It runs until it is told to stop.
    let _ = hub.kill();
    let _ = hub.wait();
    heard
}

fn listen(hub: &mut Child) -> Result<(), String> {
    let (lines, said) = mpsc::channel();
    let (stdout, stderr) = (hub.stdout.take(), hub.stderr.take());
    let readers: [Option<Box<dyn std::io::Read + Send>>; 2] =
        [stdout.map(|out| Box::new(out) as _), stderr.map(|out| Box::new(out) as _)];
    for reader in readers.into_iter().flatten() {
        let lines = lines.clone();
        thread::spawn(move || {
            for line in BufReader::new(reader).lines().map_while(Result::ok) {
                // Nobody listens any more when all was heard.
                let _ = lines.send(line);
            }
        });
    }
    drop(lines);
    let mut wanted = vec!["no Raspberry Pi", "the hub runs"];
    let mut log = String::new();
    while let Ok(line) = said.recv_timeout(PATIENCE) {
        log += &format!("{line}\n");
        wanted.retain(|wanted| !line.contains(wanted));
        if wanted.is_empty() {
            return Ok(());
        }
    }
    Err(format!("the hub did not say {wanted:?}; it said\n{log}"))
}
