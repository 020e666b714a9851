//! The list of images, and where they are built and gathered.

use std::path::PathBuf;

use super::uf2;
use crate::workspace::target;

/// The workspace of the images.
pub(super) const WORKSPACE: &str = "node-firmware/images";

/// One image.
pub(super) struct Image {
    /// What it is called where it is gathered.
    pub(super) name: &'static str,
    pub(super) package: &'static str,
    pub(super) program: &'static str,
    pub(super) target: &'static str,
    /// The UF2 family of the chip that takes it, if one does.
    pub(super) family: Option<u32>,
    pub(super) limits: Limits,
}

/// Most flash and most memory an image may take, in bytes, its stack included.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) flash: u32,
    pub(super) memory: u32,
}

/// The portable core, whatever carries it.
const CORE: Limits = Limits { flash: 32 * 1024, memory: 16 * 1024 };
/// A sixteenth of the Pico's flash, so that there is room for two images and more; a third of its memory.
const PICO: Limits = Limits { flash: 128 * 1024, memory: 96 * 1024 };

const CORTEX_M0: &str = "thumbv6m-none-eabi";
const CORTEX_M3: &str = "thumbv7m-none-eabi";
const CORTEX_M33: &str = "thumbv8m.main-none-eabihf";

const fn pico(name: &'static str) -> Image {
    let family = Some(uf2::RP2040);
    Image { name, package: "pico", program: name, target: CORTEX_M0, family, limits: PICO }
}

/// From the same sources as the Pico's image `program`.
const fn pico_2(name: &'static str, program: &'static str) -> Image {
    let family = Some(uf2::RP2350);
    Image { name, package: "pico", program, target: CORTEX_M33, family, limits: PICO }
}

const fn emulated(name: &'static str, program: &'static str, target: &'static str) -> Image {
    Image { name, package: "emulated", program, target, family: None, limits: CORE }
}

/// The loader of a chip: it lies before each of the chip's images.
pub(super) const LOADER_PACKAGE: &str = "loader";
/// Its program.
pub(super) const LOADER_PROGRAM: &str = "pico-loader";

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
    pico_2("pico2-reed-matrix", "pico-reed-matrix"),
    pico_2("pico2-reed-shift", "pico-reed-shift"),
    pico_2("pico2-hall", "pico-hall"),
    pico_2("pico2-hall-polarity", "pico-hall-polarity"),
    pico_2("pico2-clock", "pico-clock"),
    pico_2("pico2-clock-characters", "pico-clock-characters"),
];

/// Folder of the images.
pub(super) fn folder() -> PathBuf {
    target().join("images")
}
