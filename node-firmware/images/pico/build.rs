//! Gives the linker the chip's memory, no more of it than an image may use, and chooses the chip by the processor.

use std::path::PathBuf;
use std::{env, fs};

/// 128 KB of flash behind the loader, and 96 KB of memory: what does not fit is not linked. The header has a fixed place behind the
/// vectors. The stack lies below everything else, so that one that grows too far ends in a fault and not in the variables.
const MEMORY: &str = "\
MEMORY
{
  FLASH : ORIGIN = 0x10020000, LENGTH = 128K
  STACK : ORIGIN = 0x20000000, LENGTH = 16K
  RAM   : ORIGIN = 0x20004000, LENGTH = 80K
}
_stack_start = ORIGIN(STACK) + LENGTH(STACK);
_stack_end = ORIGIN(STACK);
SECTIONS
{
  .image_header ORIGIN(FLASH) + 0x200 :
  {
    KEEP(*(.image_header));
  } > FLASH
} INSERT AFTER .vector_table;
_stext = ADDR(.image_header) + SIZEOF(.image_header);
";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(pico2)");
    let pico_2 = env::var("TARGET").is_ok_and(|target| target.starts_with("thumbv8m"));
    if pico_2 {
        println!("cargo::rustc-cfg=pico2");
    }
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(folder.join("memory.x"), MEMORY).expect("cargo's output folder can be written");
    println!("cargo::rustc-link-search={}", folder.display());
}
