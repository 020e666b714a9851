//! The list of images, and where they are built and gathered.

use std::path::PathBuf;

use super::uf2;
use crate::workspace::target;

/// The workspace of the images.
pub(super) const WORKSPACE: &str = "node-firmware/images";
/// The workspace of the ESP32-C3's: its library and the Pico 2's cannot be in one list of versions.
pub(super) const ESP32C3_WORKSPACE: &str = "node-firmware/images/esp32c3";

/// One image.
pub(super) struct Image {
    /// What it is called where it is gathered.
    pub(super) name: &'static str,
    pub(super) workspace: &'static str,
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
const RISC_V: &str = "riscv32imc-unknown-none-elf";

const fn of_pico(
    name: &'static str,
    program: &'static str,
    target: &'static str,
    family: Option<u32>,
) -> Image {
    let limits = PICO;
    Image { name, workspace: WORKSPACE, package: "pico", program, target, family, limits }
}

const fn pico(name: &'static str) -> Image {
    of_pico(name, name, CORTEX_M0, Some(uf2::RP2040))
}

/// From the same sources as the Pico's image `program`.
const fn pico_2(name: &'static str, program: &'static str) -> Image {
    of_pico(name, program, CORTEX_M33, Some(uf2::RP2350))
}

/// Written onto the chip with its maker's tool, from the ELF file.
const fn esp32c3(name: &'static str) -> Image {
    let (workspace, package) = (ESP32C3_WORKSPACE, "esp32c3-node");
    Image { name, workspace, package, program: name, target: RISC_V, family: None, limits: PICO }
}

const fn emulated(name: &'static str, program: &'static str, target: &'static str) -> Image {
    let (workspace, package) = (WORKSPACE, "emulated");
    Image { name, workspace, package, program, target, family: None, limits: CORE }
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
    esp32c3("esp32c3-reed-shift"),
    esp32c3("esp32c3-clock"),
];

/// Folder of the images.
pub(super) fn folder() -> PathBuf {
    target().join("images")
}
