//! The same bits everywhere: recorded traces inferred by an optimised build, by one without any
//! optimisation, and by one for another processor, the hub's own (under emulation).

use std::{
    fs::File,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::workspace::{cargo, root, target};

/// The hub's processor.
pub(crate) const TARGET: &str = "aarch64-unknown-linux-gnu";
/// Debian's compiler, which comes with the hub's standard library as a package.
pub(crate) const PACKAGED_COMPILER: &str = "/usr/bin/rustc";
const PACKAGED_CARGO: &str = "/usr/bin/cargo";
const LINKER: &str = "aarch64-linux-gnu-gcc";
/// The program that infers a trace.
const REPLAY: &str = "replay";
/// Runs the hub's programs here.
pub(crate) const EMULATOR: &str = "qemu-aarch64-static";

/// A kind of machine that programs are built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Machine {
    /// The hub's: a Raspberry Pi with a 64-bit system.
    Hub,
    /// A PC's.
    Pc,
}

impl Machine {
    /// Every kind.
    pub(crate) const ALL: [Machine; 2] = [Machine::Hub, Machine::Pc];

    /// Its processor, as Rust calls it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Machine::Hub => "aarch64",
            Machine::Pc => "x86_64",
        }
    }

    /// Its processor, as Debian calls it.
    pub(crate) const fn debian(self) -> &'static str {
        match self {
            Machine::Hub => "arm64",
            Machine::Pc => "amd64",
        }
    }

    /// Whether this is one.
    pub(crate) fn is_this(self) -> bool {
        std::env::consts::ARCH == self.name()
    }

    /// Program that strips symbols.
    pub(crate) fn strip(self) -> &'static str {
        if self.is_this() { "strip" } else { "aarch64-linux-gnu-strip" }
    }

    /// Emulator of its programs, if this machine is another.
    pub(crate) fn emulator(self) -> Option<&'static str> {
        (!self.is_this()).then_some(EMULATOR)
    }
}

/// Profile of releases.
pub(crate) const RELEASE: &str = "release";
/// Profile of programs that are only tried out: with inference as optimised as in a release, as the comparison of machines
/// needs it.
pub(crate) const TRYOUT: &str = "tryout";

/// Builds a package's program for a machine, by a profile; where it is.
pub(crate) fn build_for(machine: Machine, package: &str, profile: &str) -> Result<String, String> {
    if machine.is_this() {
        return build_program(&cargo(), package, &["--profile", profile], &[], profile);
    }
    match machine {
        Machine::Hub => build_for_hub(package, profile),
        Machine::Pc => Err("programs for a PC are built on a PC".to_owned()),
    }
}

fn build_for_hub(package: &str, profile: &str) -> Result<String, String> {
    let compiler = cross_compiler().ok_or(
        "no compiler for the hub's processor is installed: `cargo xtask test machines` says which to install",
    )?;
    let linker = ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", LINKER);
    // Both are named, whichever is built: cargo then chooses the same features for both, and builds inference once.
    let arguments =
        ["--profile", profile, "--target", TARGET, "--package", "twinboard", "--package", REPLAY];
    let place = format!("{TARGET}/{profile}");
    match compiler {
        None => build_program(&cargo(), package, &arguments, &[linker], &place),
        // Both from the packages, so that they have one version; the toolchain file does not concern them.
        Some(compiler) => build_program(
            PACKAGED_CARGO,
            package,
            &arguments,
            &[linker, ("RUSTC", compiler)],
            &place,
        ),
    }
}

/// Builds what [`test`] runs, and the programs that packages are tried out with.
pub(crate) fn build() -> Result<(), String> {
    other_processor()?;
    build_for_hub("twinboard", TRYOUT)?;
    unoptimised()?;
    optimised().map(drop)
}

/// Infers every recorded trace with each build and compares the outputs.
///
/// # Errors
///
/// A sentence naming the trace, the build and the first line that differs, or what could not be built.
pub(crate) fn test() -> Result<(), String> {
    let builds = [optimised()?, unoptimised()?, other_processor()?];
    let traces = traces()?;
    for trace in &traces {
        let expected = builds[0].run(trace)?;
        for build in &builds[1..] {
            compare(trace, &expected, build, &build.run(trace)?)?;
        }
        println!("   {}: {} lines alike", name(trace), expected.lines().count());
    }
    println!("   {} traces, {} builds", traces.len(), builds.len());
    Ok(())
}

/// Whether a compiler with the other processor's library is here: rustup's, or Debian's packages.
pub(crate) fn cross_compiler() -> Option<Option<&'static str>> {
    let has_library = |compiler: &str| {
        let output = Command::new(compiler).args(["--print", "sysroot"]).output();
        output.is_ok_and(|output| {
            let sysroot = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            Path::new(&sysroot).join("lib/rustlib").join(TARGET).join("lib").is_dir()
        })
    };
    if has_library("rustc") {
        return Some(None);
    }
    has_library(PACKAGED_COMPILER).then_some(Some(PACKAGED_COMPILER))
}

/// One way to build the program that infers a trace.
struct Build {
    name: &'static str,
    command: Vec<String>,
}

impl Build {
    fn run(&self, trace: &Path) -> Result<String, String> {
        let input = File::open(trace)
            .map_err(|error| format!("{} cannot be opened: {error}", trace.display()))?;
        let output = Command::new(&self.command[0])
            .args(&self.command[1..])
            .stdin(input)
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| format!("`{}` could not be started: {error}", self.command[0]))?;
        if !output.status.success() {
            return Err(format!("the {} build failed on {}", self.name, name(trace)));
        }
        String::from_utf8(output.stdout)
            .map_err(|_| format!("the {} build wrote no text", self.name))
    }
}

fn optimised() -> Result<Build, String> {
    let arguments = ["--profile", "release"];
    let program = build_program(&cargo(), REPLAY, &arguments, &[], "release")?;
    Ok(Build { name: "optimised", command: vec![program] })
}

fn unoptimised() -> Result<Build, String> {
    let arguments = ["--profile", "unoptimised"];
    let program = build_program(&cargo(), REPLAY, &arguments, &[], "unoptimised")?;
    Ok(Build { name: "unoptimised", command: vec![program] })
}

fn other_processor() -> Result<Build, String> {
    let program = build_for_hub(REPLAY, TRYOUT)?;
    Ok(Build { name: "other processor's", command: vec![EMULATOR.to_owned(), program] })
}

fn build_program(
    cargo: &str,
    package: &str,
    arguments: &[&str],
    environment: &[(&str, &str)],
    place: &str,
) -> Result<String, String> {
    let status = Command::new(cargo)
        .args(["build", "--quiet", "--locked", "--package", package, "--bin", package])
        .args(arguments)
        .envs(environment.iter().copied())
        .current_dir(root())
        .status()
        .map_err(|error| format!("`{cargo} build` could not be started: {error}"))?;
    if !status.success() {
        return Err(format!("`{cargo} build --package {package} {}` failed", arguments.join(" ")));
    }
    Ok(target().join(place).join(package).display().to_string())
}

fn traces() -> Result<Vec<PathBuf>, String> {
    let folder = root().join("tests/traces");
    let unreadable = |error| format!("{} cannot be read: {error}", folder.display());
    let mut traces = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.to_string_lossy().ends_with(".trace.jsonl") {
            traces.push(path);
        }
    }
    traces.sort();
    if traces.is_empty() { Err(format!("no traces in {}", folder.display())) } else { Ok(traces) }
}

fn name(trace: &Path) -> String {
    trace.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn compare(trace: &Path, expected: &str, build: &Build, found: &str) -> Result<(), String> {
    if expected == found {
        return Ok(());
    }
    let differs = expected.lines().zip(found.lines()).position(|(a, b)| a != b);
    let line = differs.unwrap_or_else(|| expected.lines().count().min(found.lines().count()));
    Err(format!(
        "{}: line {} of the {} build is\n  {}\nand of the optimised build\n  {}",
        name(trace),
        line + 1,
        build.name,
        found.lines().nth(line).unwrap_or("missing"),
        expected.lines().nth(line).unwrap_or("missing"),
    ))
}
