//! Chooses the emulated board by the processor: Cortex-M3 is the lm3s6965evb, Cortex-M0 the microbit; gives the linker its memory.

use std::path::PathBuf;
use std::{env, fs};

/// The images' limits, and the smaller of the two boards' memory: the linker refuses more. The stack lies below everything else, so
/// that one that grows too far ends in a fault and not in the variables. The panel, which simulates the pins, lies behind it.
const MEMORY: &str = "\
MEMORY
{
  FLASH : ORIGIN = 0x00000000, LENGTH = 32K
  STACK : ORIGIN = 0x20000000, LENGTH = 9728
  RAM   : ORIGIN = 0x20002600, LENGTH = 6400
  PANEL : ORIGIN = 0x20003F00, LENGTH = 256
}
_stack_start = ORIGIN(STACK) + LENGTH(STACK);
_stack_end = ORIGIN(STACK);
";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(machine, values(\"lm3s6965evb\", \"microbit\"))");
    let target = env::var("TARGET").unwrap_or_default();
    let machine = if target.starts_with("thumbv6m") { "microbit" } else { "lm3s6965evb" };
    println!("cargo::rustc-cfg=machine=\"{machine}\"");
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(folder.join("memory.x"), MEMORY).expect("cargo's output folder can be written");
    println!("cargo::rustc-link-search={}", folder.display());
}
