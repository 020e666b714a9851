//! Gives the linker the loader's piece of the flash, and memory that no image uses: what an image keeps over a reset stays.

use std::path::PathBuf;
use std::{env, fs};

const PICO: &str = "\
MEMORY
{
  BOOT2 : ORIGIN = 0x10000000, LENGTH = 0x100
  FLASH : ORIGIN = 0x10000100, LENGTH = 32K - 0x100
  RAM   : ORIGIN = 0x20030000, LENGTH = 64K
}
EXTERN(BOOT2)
SECTIONS
{
  .boot2 ORIGIN(BOOT2) :
  {
    KEEP(*(.boot2));
  } > BOOT2
} INSERT BEFORE .text;
";

/// The block that the boot ROM looks for lies behind the vectors, within the first 4 KB.
const PICO_2: &str = "\
MEMORY
{
  FLASH : ORIGIN = 0x10000000, LENGTH = 32K
  RAM   : ORIGIN = 0x20030000, LENGTH = 64K
}
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
    let pico_2 = env::var("TARGET").is_ok_and(|target| target.starts_with("thumbv8m"));
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let memory = if pico_2 { PICO_2 } else { PICO };
    fs::write(folder.join("memory.x"), memory).expect("cargo's output folder can be written");
    println!("cargo::rustc-link-search={}", folder.display());
}
