//! Names the chip library's linker script.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-link-arg-bins=-Tlinkall.x");
}
