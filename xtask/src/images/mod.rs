//! The firmware's images: built with whichever compiler for microcontrollers is here, gathered in one folder, measured.

mod build;
mod elf;
mod emulator;
mod figures;
mod image;
mod uf2;

use std::path::PathBuf;

use crate::{
    image_compiler::Way,
    workspace::{self, execute},
};

use image::{ESP32C3_WORKSPACE, IMAGES, WORKSPACE, folder};

const USAGE: &str = "\
usage: cargo xtask images [--compiler packages|rustup] [--figures]

Builds every image of node-firmware/images and gathers them in the folder `images` of the target folder, those for the
Raspberry Pi Pico and Pico 2 as UF2 too. With --figures it also prints what they need of flash and memory, and, where Node.js is installed, of
time in an emulator of the Pico. Without --compiler the system's packages are used if they are complete, or else rustup.";

/// Builds all images; with `--figures` measures them.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (way, rest) = match &arguments[..] {
        ["--compiler", name, rest @ ..] => {
            let unknown = || format!("there is no compiler {name:?}\n\n{USAGE}");
            (Some(Way::named(name).ok_or_else(unknown)?), rest)
        }
        rest => (None, rest),
    };
    match rest {
        [] => build::all(way),
        ["--figures"] => {
            build::all(way)?;
            figures::print()?;
            emulator::print_times()
        }
        ["--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        _ => Err(format!("what is {:?}?\n\n{USAGE}", arguments.join(" "))),
    }
}

/// Builds all images.
pub(crate) fn build() -> Result<(), String> {
    build::all(None)
}

/// Builds all images, holds them to their limits and their pins to the build guide.
pub(crate) fn test() -> Result<(), String> {
    let cargo = workspace::cargo();
    for workspace in [WORKSPACE, ESP32C3_WORKSPACE] {
        execute(workspace, &cargo, &["fmt", "--check", "--all"])?;
    }
    execute(WORKSPACE, &cargo, &["test", "--locked", "--package", "node-pins"])?;
    build::all(None)?;
    figures::hold_to_limits()
}

/// Builds all images; those that a Pico or a Pico 2 takes, as files.
pub(crate) fn for_pico() -> Result<Vec<PathBuf>, String> {
    build::all(None)?;
    let images = IMAGES.iter().filter(|image| image.family.is_some());
    Ok(images.map(|image| folder().join(format!("{}.uf2", image.name))).collect())
}

/// Runs the Pico's images in an emulator of it.
pub(crate) fn test_on_emulated_pico() -> Result<(), String> {
    build::all(None)?;
    emulator::test()
}

/// Plays matches into the emulated boards, both kinds at once: they play in real time and mostly wait.
pub(crate) fn test_in_loop() -> Result<(), String> {
    build::all(None)?;
    let images = format!("TWINBOARD_IMAGES={}", folder().display());
    let cargo = workspace::cargo();
    let mut arguments = vec![images.as_str(), cargo.as_str()];
    arguments.extend(workspace::TEST);
    arguments.extend(["--test", "firmware_loop", "--", "--ignored", "--nocapture"]);
    arguments.extend(["--test-threads", "2"]);
    execute("", "env", &arguments)
}
