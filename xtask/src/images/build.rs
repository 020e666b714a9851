//! Building for processors without operating system, in one of two ways: with rustup's compiler and its targets, or with the
//! compiler of the system's packages, which builds the core library itself.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{CORTEX_M0, CORTEX_M3, IMAGES, Image, WORKSPACE, elf::Elf, folder, target_folder, uf2};
use crate::prerequisite::answers;
use crate::workspace::{cargo, root};

const PACKAGED_COMPILER: &str = "/usr/bin/rustc";
const PACKAGED_CARGO: &str = "/usr/bin/cargo";
const PACKAGED_LINKER: &str = "ld.lld";

/// How images are built here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// The toolchain's own compiler has both targets.
    Targets,
    /// The system's compiler builds the core library from its sources.
    Packages,
}

impl Way {
    fn here() -> Option<Way> {
        let has = |compiler: &str, path: &str| {
            sysroot(compiler).is_some_and(|sysroot| sysroot.join("lib/rustlib").join(path).exists())
        };
        let has_target = |target: &str| has("rustc", &format!("{target}/lib"));
        if has_target(CORTEX_M0) && has_target(CORTEX_M3) {
            return Some(Way::Targets);
        }
        let can_build_core = has(PACKAGED_COMPILER, "src/rust/library/core/src/lib.rs");
        let complete = can_build_core && answers(PACKAGED_LINKER, &["--version"]);
        complete.then_some(Way::Packages)
    }

    fn compiler(self) -> &'static str {
        match self {
            Way::Targets => "rustc",
            Way::Packages => PACKAGED_COMPILER,
        }
    }

    fn command(self, target: &str) -> Command {
        let mut command;
        match self {
            Way::Targets => command = Command::new(cargo()),
            // Both from the packages, so that they are of one age; the toolchain file does not concern them.
            Way::Packages => {
                command = Command::new(PACKAGED_CARGO);
                command.env("RUSTC", PACKAGED_COMPILER).env("RUSTC_BOOTSTRAP", "1");
                command.env_remove("RUSTUP_TOOLCHAIN");
            }
        }
        command.args(["build", "--quiet", "--locked", "--release", "--target", target]);
        if self == Way::Packages {
            command.arg("-Zbuild-std=core");
            command.args(["--config", &format!("target.{target}.linker={PACKAGED_LINKER:?}")]);
        }
        command
    }
}

/// Whether images can be built here.
pub(crate) fn compiler_is_here() -> bool {
    Way::here().is_some()
}

fn sysroot(compiler: &str) -> Option<PathBuf> {
    let output = Command::new(compiler).args(["--print", "sysroot"]).output().ok()?;
    Some(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}

/// Builds every image and gathers them.
pub(super) fn all() -> Result<(), String> {
    let way = Way::here().ok_or(crate::prerequisite::IMAGE_COMPILER)?;
    let version = Command::new(way.compiler()).arg("--version").output();
    let version = version.map_or_else(
        |_| "rustc".to_owned(),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    );
    match way {
        Way::Targets => println!("   {version}, with its targets for microcontrollers"),
        Way::Packages => {
            println!("   {version} of the system's packages, which builds its core library")
        }
    }
    let mut built: Vec<(&str, &str)> = Vec::new();
    for &Image { package, target, .. } in IMAGES {
        if !built.contains(&(package, target)) {
            build(way, package, target)?;
            built.push((package, target));
        }
    }
    let gathered = folder();
    fs::create_dir_all(&gathered).map_err(|error| format!("{}: {error}", gathered.display()))?;
    for image in IMAGES {
        gather(image, &gathered)?;
    }
    println!("   {} images in {}", IMAGES.len(), gathered.display());
    Ok(())
}

/// A target folder of their own: the two compilers must not clear away each other's work.
fn build_folder() -> PathBuf {
    target_folder().join("firmware")
}

/// One package at a time: together they would share the features of what they have in common.
fn build(way: Way, package: &str, target: &str) -> Result<(), String> {
    let mut command = way.command(target);
    command
        .args(["--package", package])
        .args(["--config", &format!("target.{target}.rustflags={:?}", shorter_paths(way))])
        .env("CARGO_TARGET_DIR", build_folder())
        .current_dir(root().join(WORKSPACE));
    let status =
        command.status().map_err(|error| format!("cargo could not be started: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("the package {package} cannot be built for {target} ({status})"))
    }
}

/// Panics name their place: the same on every machine, and short, because the names lie in flash.
fn shorter_paths(way: Way) -> Vec<String> {
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo")));
    let registries = home.and_then(|home| fs::read_dir(home.join("registry/src")).ok());
    let registries = registries.into_iter().flatten().flatten().map(|entry| entry.path());
    let library = sysroot(way.compiler()).map(|sysroot| sysroot.join("lib/rustlib/src/rust"));
    let library = library
        .and_then(|library| fs::canonicalize(&library).ok().into_iter().chain([library]).next());
    let prefixes = registries.chain(library).chain([root()]);
    prefixes.map(|prefix| format!("--remap-path-prefix={}/=", prefix.display())).collect()
}

fn gather(image: &Image, folder: &Path) -> Result<(), String> {
    let built = build_folder().join(image.target).join("release").join(image.program);
    let bytes = fs::read(&built).map_err(|error| format!("{}: {error}", built.display()))?;
    let write = |ending: &str, bytes: &[u8]| {
        let file = folder.join(format!("{}.{ending}", image.name));
        fs::write(&file, bytes).map_err(|error| format!("{}: {error}", file.display()))
    };
    write("elf", &bytes)?;
    if image.for_pico {
        let elf = Elf::read(&bytes).map_err(|error| format!("{}: {error}", built.display()))?;
        write("uf2", &uf2::container(&elf.flash_contents()))?;
    }
    Ok(())
}
