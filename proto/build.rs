//! Compiles `mqtt/twinboard.proto` without protoc when the feature `mqtt` asks for it.

#[cfg(feature = "mqtt")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=mqtt/twinboard.proto");
    println!("cargo::rerun-if-changed=build.rs");
    let descriptors = protox::compile(["mqtt/twinboard.proto"], ["mqtt"])?;
    prost_build::Config::new().compile_fds(descriptors)?;
    Ok(())
}

#[cfg(not(feature = "mqtt"))]
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
}
