//! Gives the linker the RP2040's memory, no more of it than an image may use.

use std::path::PathBuf;
use std::{env, fs};

/// 32 KB of flash and 16 KB of memory: what does not fit is not linked. The stack lies below everything else, so that one that
/// grows too far ends in a fault and not in the variables.
const MEMORY: &str = "\
MEMORY
{
  BOOT2 : ORIGIN = 0x10000000, LENGTH = 0x100
  FLASH : ORIGIN = 0x10000100, LENGTH = 32K - 0x100
  STACK : ORIGIN = 0x20000000, LENGTH = 9728
  RAM   : ORIGIN = 0x20002600, LENGTH = 6656
}
_stack_start = ORIGIN(STACK) + LENGTH(STACK);
_stack_end = ORIGIN(STACK);
EXTERN(BOOT2)
SECTIONS
{
  .boot2 ORIGIN(BOOT2) :
  {
    KEEP(*(.boot2));
  } > BOOT2
} INSERT BEFORE .text;
";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(folder.join("memory.x"), MEMORY).expect("cargo's output folder can be written");
    println!("cargo::rustc-link-search={}", folder.display());
}
