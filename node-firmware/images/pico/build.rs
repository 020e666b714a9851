//! Gives the linker the chip's memory, no more of it than an image may use, and chooses the chip by the processor.

use std::path::PathBuf;
use std::{env, fs};

/// 128 KB of flash and 96 KB of memory: what does not fit is not linked. The stack lies below everything else, so that one that
/// grows too far ends in a fault and not in the variables.
const PICO: &str = "\
MEMORY
{
  BOOT2 : ORIGIN = 0x10000000, LENGTH = 0x100
  FLASH : ORIGIN = 0x10000100, LENGTH = 128K - 0x100
  STACK : ORIGIN = 0x20000000, LENGTH = 16K
  RAM   : ORIGIN = 0x20004000, LENGTH = 80K
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

/// The same limits. The block that the boot ROM looks for lies behind the vectors, within the first 4 KB.
const PICO_2: &str = "\
MEMORY
{
  FLASH : ORIGIN = 0x10000000, LENGTH = 128K
  STACK : ORIGIN = 0x20000000, LENGTH = 16K
  RAM   : ORIGIN = 0x20004000, LENGTH = 80K
}
_stack_start = ORIGIN(STACK) + LENGTH(STACK);
_stack_end = ORIGIN(STACK);
SECTIONS
{
  .start_block : ALIGN(4)
  {
    KEEP(*(.start_block));
  } > FLASH
} INSERT AFTER .vector_table;
_stext = ADDR(.start_block) + SIZEOF(.start_block);
";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(pico2)");
    let pico_2 = env::var("TARGET").is_ok_and(|target| target.starts_with("thumbv8m"));
    if pico_2 {
        println!("cargo::rustc-cfg=pico2");
    }
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let memory = if pico_2 { PICO_2 } else { PICO };
    fs::write(folder.join("memory.x"), memory).expect("cargo's output folder can be written");
    println!("cargo::rustc-link-search={}", folder.display());
}
