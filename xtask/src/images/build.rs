//! Build of the images, and their gathering in one folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{
    elf::Elf,
    image::{IMAGES, Image, LOADER_PACKAGE, LOADER_PROGRAM, folder},
    uf2,
};
use crate::image_compiler::{IMAGE_COMPILER, Way, sysroot};
use crate::workspace::{root, target};

/// Builds every image, in the way that is asked for or else in one that is complete here, and gathers them.
pub(super) fn all(wanted: Option<Way>) -> Result<(), String> {
    let way = match wanted {
        Some(way) => Some(way).filter(|way| way.is_complete()),
        None => Way::here(),
    };
    let way = way.ok_or(IMAGE_COMPILER)?;
    let version = Command::new(way.compiler()).arg("--version").output();
    let version = version.map_or_else(
        |_| "rustc".to_owned(),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    );
    let whose = match way {
        Way::Packages => "the system's packages",
        Way::Rustup => "rustup",
    };
    println!("   {version} of {whose}, which builds the core library");
    let mut built: Vec<(&str, &str)> = Vec::new();
    for &Image { workspace, package, target, family, .. } in IMAGES {
        for package in family.map(|_| LOADER_PACKAGE).into_iter().chain([package]) {
            if !built.contains(&(package, target)) {
                build(way, workspace, package, target)?;
                built.push((package, target));
            }
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
    target().join("firmware")
}

/// Builds one package at a time: together they would share the features of common dependencies.
fn build(way: Way, workspace: &str, package: &str, target: &str) -> Result<(), String> {
    let mut command = way.command(target);
    command
        .args(["--package", package])
        .args(["--config", &format!("target.{target}.rustflags={:?}", shorter_paths(way))])
        .env("CARGO_TARGET_DIR", build_folder())
        .current_dir(root().join(workspace));
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

/// The program that was built for a target.
fn program(name: &str, target: &str) -> Result<Vec<u8>, String> {
    let built = build_folder().join(target).join("release").join(name);
    fs::read(&built).map_err(|error| format!("{}: {error}", built.display()))
}

fn gather(image: &Image, folder: &Path) -> Result<(), String> {
    let bytes = program(image.program, image.target)?;
    let write = |ending: &str, bytes: &[u8]| {
        let file = folder.join(format!("{}.{ending}", image.name));
        fs::write(&file, bytes).map_err(|error| format!("{}: {error}", file.display()))
    };
    write("elf", &bytes)?;
    if let Some(family) = image.family {
        let loader = program(LOADER_PROGRAM, image.target)?;
        let wrong = |error| format!("{}: {error}", image.name);
        let mut segments = Elf::read(&loader).map_err(wrong)?.flash_contents();
        segments.extend(Elf::read(&bytes).map_err(wrong)?.flash_contents());
        write("uf2", &uf2::container(&segments, family))?;
    }
    Ok(())
}
