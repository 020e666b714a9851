//! The Pico's images in rp2040js, an emulator of it from npm.

use super::image::{WORKSPACE, folder};
use crate::prerequisite::Prerequisite;
use crate::workspace::{cargo, execute};

/// Folder of its lock file.
const PACKAGE: &str = "node-firmware/images/pico-emulator/emulator";

/// Runs the tests that need it.
pub(super) fn test() -> Result<(), String> {
    install()?;
    cargo_with_images("test --locked --package pico-emulator -- --ignored --nocapture")
}

/// Prints what the images need of time, or what is missing to say it.
pub(super) fn print_times() -> Result<(), String> {
    println!();
    if let Some(sentence) = Prerequisite::Node.missing() {
        println!("Times are not measured: {sentence}");
        return Ok(());
    }
    install()?;
    cargo_with_images("run --quiet --locked --package pico-emulator")
}

fn install() -> Result<(), String> {
    execute(PACKAGE, "npm", &["ci", "--no-audit", "--no-fund", "--loglevel=error"])
}

fn cargo_with_images(arguments: &str) -> Result<(), String> {
    let words = [format!("TWINBOARD_IMAGES={}", folder().display()), cargo()];
    let words: Vec<&str> = words.iter().map(String::as_str).chain(arguments.split(' ')).collect();
    execute(WORKSPACE, "env", &words)
}
