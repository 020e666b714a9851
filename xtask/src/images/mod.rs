//! The firmware's images: built with whichever compiler for microcontrollers is here, gathered in one folder, measured.

mod build;
mod elf;
mod emulator;
mod figures;
mod uf2;

use std::path::PathBuf;

use crate::workspace::{self, execute, target};

pub(crate) use build::compiler_is_here;

/// The workspace of the images.
pub(crate) const WORKSPACE: &str = "node-firmware/images";

/// One image.
struct Image {
    /// What it is called where it is gathered.
    name: &'static str,
    package: &'static str,
    program: &'static str,
    target: &'static str,
    /// The UF2 family of the chip that takes it, if one does.
    family: Option<u32>,
    limits: Limits,
}

/// Most flash and most memory an image may take, in bytes, its stack included.
#[derive(Clone, Copy)]
struct Limits {
    flash: u32,
    memory: u32,
}

/// The portable core, whatever carries it.
const CORE: Limits = Limits { flash: 32 * 1024, memory: 16 * 1024 };
/// A sixteenth of the Pico's flash, so that there is room for two images and more; a third of its memory.
const PICO: Limits = Limits { flash: 128 * 1024, memory: 96 * 1024 };

const CORTEX_M0: &str = "thumbv6m-none-eabi";
const CORTEX_M3: &str = "thumbv7m-none-eabi";
const CORTEX_M33: &str = "thumbv8m.main-none-eabihf";

const fn pico(name: &'static str) -> Image {
    let family = Some(uf2::RP2040);
    Image { name, package: "pico", program: name, target: CORTEX_M0, family, limits: PICO }
}

/// From the same sources as the Pico's image `program`.
const fn pico_2(name: &'static str, program: &'static str) -> Image {
    let family = Some(uf2::RP2350);
    Image { name, package: "pico", program, target: CORTEX_M33, family, limits: PICO }
}

const fn emulated(name: &'static str, program: &'static str, target: &'static str) -> Image {
    Image { name, package: "emulated", program, target, family: None, limits: CORE }
}

const IMAGES: &[Image] = &[
    emulated("lm3s6965-board", "board", CORTEX_M3),
    emulated("lm3s6965-clock", "clock", CORTEX_M3),
    emulated("microbit-board", "board", CORTEX_M0),
    emulated("microbit-clock", "clock", CORTEX_M0),
    pico("pico-reed-matrix"),
    pico("pico-reed-shift"),
    pico("pico-hall"),
    pico("pico-hall-polarity"),
    pico("pico-clock"),
    pico("pico-clock-characters"),
    pico_2("pico2-reed-matrix", "pico-reed-matrix"),
    pico_2("pico2-reed-shift", "pico-reed-shift"),
    pico_2("pico2-hall", "pico-hall"),
    pico_2("pico2-hall-polarity", "pico-hall-polarity"),
    pico_2("pico2-clock", "pico-clock"),
    pico_2("pico2-clock-characters", "pico-clock-characters"),
];

const USAGE: &str = "\
usage: cargo xtask images [--compiler packages|rustup] [--figures]

Builds every image of node-firmware/images and gathers them in the folder `images` of the target folder, those for the
Raspberry Pi Pico and Pico 2 as UF2 too. With --figures it also prints what they need of flash and memory, and, where Node.js is installed, of
time in an emulator of the Pico. Without --compiler that of the system's packages is taken if it is complete, or else rustup's.";

/// Builds all images; with `--figures` measures them.
///
/// # Errors
///
/// What to install, which command failed, or which image is too large.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (way, rest) = match &arguments[..] {
        ["--compiler", name, rest @ ..] => {
            let unknown = || format!("there is no compiler {name:?}\n\n{USAGE}");
            (Some(build::Way::named(name).ok_or_else(unknown)?), rest)
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

/// Builds all images, holds them to their limits and their pins to the build guide.
///
/// # Errors
///
/// Which command failed, or which image is too large.
pub(crate) fn test() -> Result<(), String> {
    let cargo = workspace::cargo();
    execute(WORKSPACE, &cargo, &["fmt", "--all", "--check"])?;
    execute(WORKSPACE, &cargo, &["test", "--locked", "--package", "node-pins"])?;
    build::all(None)?;
    figures::hold_to_limits()
}

/// Builds all images; those that a Pico or a Pico 2 takes, as files.
///
/// # Errors
///
/// What to install, or which command failed.
pub(crate) fn for_pico() -> Result<Vec<PathBuf>, String> {
    build::all(None)?;
    let images = IMAGES.iter().filter(|image| image.family.is_some());
    Ok(images.map(|image| folder().join(format!("{}.uf2", image.name))).collect())
}

/// Runs the Pico's images in an emulator of it.
///
/// # Errors
///
/// Which command failed.
pub(crate) fn test_on_emulated_pico() -> Result<(), String> {
    build::all(None)?;
    emulator::test()
}

/// Plays matches into the emulated boards, both kinds at once: they play in real time and mostly wait.
///
/// # Errors
///
/// Which command failed.
pub(crate) fn test_in_loop() -> Result<(), String> {
    build::all(None)?;
    let images = format!("TWINBOARD_IMAGES={}", folder().display());
    let cargo = workspace::cargo();
    let mut arguments = vec![images.as_str(), cargo.as_str(), "test", "--test", "firmware_loop"];
    arguments.extend(workspace::CRATES);
    arguments.extend(["--", "--ignored", "--nocapture", "--test-threads", "2"]);
    execute("", "env", &arguments)
}

/// Where the images are gathered.
fn folder() -> PathBuf {
    target().join("images")
}
