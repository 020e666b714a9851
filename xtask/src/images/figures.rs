//! Sizes of the images, from the images themselves.

use std::fs;

use super::{
    elf::Elf,
    image::{IMAGES, Image, folder},
};

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
    println!("| image | flash | of its limit | variables | stack kept | memory | of its limit |");
    println!("|---|---|---|---|---|---|---|");
    for image in IMAGES {
        let Size { flash, variables, stack } = size(image)?;
        let memory = variables + stack;
        println!(
            "| `{}` | {flash} | {} % | {variables} | {stack} | {memory} | {} % |",
            image.name,
            flash * 100 / image.limits.flash,
            memory * 100 / image.limits.memory,
        );
    }
    Ok(())
}

/// Every image keeps its limits.
pub(super) fn hold_to_limits() -> Result<(), String> {
    for image in IMAGES {
        let Size { flash, variables, stack } = size(image)?;
        if flash > image.limits.flash || variables + stack > image.limits.memory {
            let memory = variables + stack;
            return Err(format!("{}: {flash} bytes of flash, {memory} of memory", image.name));
        }
    }
    Ok(())
}
