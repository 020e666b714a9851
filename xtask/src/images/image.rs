//! The list of images, and where they are built and gathered.

use std::path::PathBuf;

use crate::workspace::target;

/// The workspace of the images.
pub(super) const WORKSPACE: &str = "node-firmware/images";

/// One image.
pub(super) struct Image {
    /// Name in the folder of images.
    pub(super) name: &'static str,
    pub(super) package: &'static str,
    pub(super) program: &'static str,
    pub(super) target: &'static str,
    /// Whether a Pico takes it, so that it is wanted as UF2 too.
    pub(super) for_pico: bool,
}

const CORTEX_M0: &str = "thumbv6m-none-eabi";
const CORTEX_M3: &str = "thumbv7m-none-eabi";

const fn pico(name: &'static str) -> Image {
    Image { name, package: "pico", program: name, target: CORTEX_M0, for_pico: true }
}

const fn emulated(name: &'static str, program: &'static str, target: &'static str) -> Image {
    Image { name, package: "emulated", program, target, for_pico: false }
}

pub(super) const IMAGES: &[Image] = &[
    emulated("lm3s6965-board", "board", CORTEX_M3),
    emulated("lm3s6965-clock", "clock", CORTEX_M3),
    emulated("microbit-board", "board", CORTEX_M0),
    emulated("microbit-clock", "clock", CORTEX_M0),
    pico("pico-reed-matrix"),
    pico("pico-reed-shift"),
    pico("pico-hall"),
    pico("pico-hall-polarity"),
    pico("pico-clock"),
    pico("pico-clock-characters"),
];

/// Folder of the images.
pub(super) fn folder() -> PathBuf {
    target().join("images")
}
