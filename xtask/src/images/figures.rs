//! Sizes of the images, from the images themselves.

use std::fs;

use super::{
    elf::Elf,
    image::{IMAGES, Image, folder},
};

/// Maximum flash of an image.
const FLASH_MAX_BYTES: u32 = 32 * 1024;
/// Maximum memory of an image, its stack included.
const MEMORY_MAX_BYTES: u32 = 16 * 1024;

struct Size {
    flash: u32,
    variables: u32,
    stack: u32,
}

fn size(image: &Image) -> Result<Size, String> {
    let file = folder().join(format!("{}.elf", image.name));
    let bytes = fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let wrong = |error: String| format!("{}: {error}", file.display());
    let elf = Elf::read(&bytes).map_err(wrong)?;
    let stack =
        elf.stack_bytes().ok_or_else(|| wrong("does not say how large its stack is".to_owned()))?;
    Ok(Size { flash: elf.flash_bytes(), variables: elf.variable_bytes(), stack })
}

/// Prints a table of sizes.
pub(super) fn print() -> Result<(), String> {
    println!("| image | flash | of 32,768 | variables | stack kept | memory | of 16,384 |");
    println!("|---|---|---|---|---|---|---|");
    for image in IMAGES {
        let Size { flash, variables, stack } = size(image)?;
        let memory = variables + stack;
        println!(
            "| `{}` | {flash} | {} % | {variables} | {stack} | {memory} | {} % |",
            image.name,
            flash * 100 / FLASH_MAX_BYTES,
            memory * 100 / MEMORY_MAX_BYTES,
        );
    }
    Ok(())
}

/// Every image keeps its limits.
pub(super) fn hold_to_limits() -> Result<(), String> {
    for image in IMAGES {
        let Size { flash, variables, stack } = size(image)?;
        if flash > FLASH_MAX_BYTES || variables + stack > MEMORY_MAX_BYTES {
            let memory = variables + stack;
            return Err(format!("{}: {flash} bytes of flash, {memory} of memory", image.name));
        }
    }
    Ok(())
}
