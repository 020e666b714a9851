//! A firmware image in its UF2 container: found by name, and checked before a Pico gets it.
//!
//! UF2 (microsoft/uf2): blocks of 512 bytes, each with two magic numbers, flags, an address, its number, the number of blocks, the family of
//! its processor, 256 bytes of data and a last magic number. A boot mode that gets anything else ignores it without a word.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::chip::Chip;

const BLOCK_BYTES: usize = 512;
/// Largest file that is read, bytes: a Pico 2 has 4 MB of flash, and its container is twice as large.
const IMAGE_BYTES_MAX: u64 = 8 << 20;
const MAGIC: [u32; 2] = [0x0a32_4655, 0x9e5d_5157];
const MAGIC_END: u32 = 0x0ab1_6f30;
const FAMILY_IS_GIVEN: u32 = 0x2000;
/// Folder of images, where a package puts it.
const INSTALLED: &str = "/usr/share/twinboard/firmware";
/// Folder of images beside the program, as in an unpacked tarball.
const BESIDE: &str = "firmware";

/// Wiring of each image, in the words of the build guide. An image's name is the chip's prefix and this.
const WIRINGS: [(&str, &str); 6] = [
    ("reed-matrix", "board, reed matrix"),
    ("reed-shift", "board, shift registers"),
    ("hall-polarity", "board, hall sensors, magnets by polarity"),
    ("hall", "board, hall sensors, magnets by polarity and size"),
    ("clock", "clock, seven-segment displays or none"),
    ("clock-characters", "clock, character display"),
];

/// A firmware image that was read and checked.
#[derive(Debug)]
pub(super) struct Image {
    /// Name without the ending: `pico-reed-matrix`.
    pub(super) name: String,
    /// The processor that it is for.
    pub(super) chip: Chip,
    /// The container's bytes.
    pub(super) bytes: Vec<u8>,
}

impl Image {
    /// Reads an image: a file's path, or the name of an image in one of the folders.
    ///
    /// # Errors
    ///
    /// There is no such image, or it is not one for a Pico.
    pub(super) fn read(wanted: &str, folders: &[PathBuf]) -> Result<Image> {
        let path = if Path::new(wanted).extension().is_some() {
            PathBuf::from(wanted)
        } else {
            let Some(path) = named(wanted, folders) else { bail!(unknown(wanted, folders)) };
            path
        };
        let shown = path.display();
        let bytes = fs::metadata(&path).with_context(|| format!("cannot read {shown}"))?.len();
        if bytes > IMAGE_BYTES_MAX {
            bail!(
                "{shown} has {bytes} bytes: no image for a Pico is larger than {IMAGE_BYTES_MAX}"
            );
        }
        let bytes = fs::read(&path).with_context(|| format!("cannot read {shown}"))?;
        let chip = check(&bytes).with_context(|| format!("{shown} is no image for a Pico"))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Image { name, chip, bytes })
    }

    /// Whether a node with this image is a clock.
    pub(super) fn is_clock(&self) -> bool {
        wiring_name(&self.name).starts_with("clock")
    }
}

/// The folders that are searched for images: the named one alone, or the usual ones.
pub(super) fn folders(named: Option<&Path>) -> Vec<PathBuf> {
    if let Some(named) = named {
        return vec![named.to_owned()];
    }
    let program = std::env::current_exe().ok();
    let beside = program.as_deref().and_then(Path::parent).map(|folder| folder.join(BESIDE));
    beside.into_iter().chain([PathBuf::from(INSTALLED)]).collect()
}

/// The images of the first folder that has any, each with its wiring.
pub(super) fn list(folders: &[PathBuf]) -> Vec<(String, &'static str)> {
    for folder in folders {
        let Ok(entries) = fs::read_dir(folder) else { continue };
        let mut names: Vec<String> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "uf2"))
            .filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()))
            .collect();
        if !names.is_empty() {
            names.sort_unstable();
            return names.into_iter().map(|name| (name.clone(), wiring(&name))).collect();
        }
    }
    Vec::new()
}

/// Wiring of an image; empty for one that the build guide does not have.
fn wiring(name: &str) -> &'static str {
    let name = wiring_name(name);
    WIRINGS.iter().find(|(known, _)| *known == name).map_or("", |(_, words)| words)
}

/// Name of an image without the chip's prefix.
fn wiring_name(name: &str) -> &str {
    Chip::ALL.iter().find_map(|chip| name.strip_prefix(chip.prefix())).unwrap_or(name)
}

fn named(name: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    folders.iter().map(|folder| folder.join(format!("{name}.uf2"))).find(|path| path.is_file())
}

fn unknown(name: &str, folders: &[PathBuf]) -> String {
    let images: Vec<String> = list(folders).into_iter().map(|(name, _)| name).collect();
    if images.is_empty() {
        let looked: Vec<String> = folders.iter().map(|it| it.display().to_string()).collect();
        return format!(
            "there are no images in {}: name a .uf2 file, or a folder with --firmware",
            looked.join(" or ")
        );
    }
    format!("there is no image {name:?}; the images are {}", images.join(", "))
}

/// Checks that every block is whole, in its order, and for one processor of those that have images: this one.
fn check(bytes: &[u8]) -> Result<Chip> {
    let mut image_chip = None;
    if bytes.is_empty() || !bytes.len().is_multiple_of(BLOCK_BYTES) {
        bail!("its {} bytes are no whole number of blocks: copy it again", bytes.len());
    }
    let count = bytes.len() / BLOCK_BYTES;
    for (number, block) in bytes.chunks_exact(BLOCK_BYTES).enumerate() {
        let word = |at: usize| {
            let four = block.get(4 * at..4 * at + 4).and_then(|four| four.try_into().ok());
            u32::from_le_bytes(four.unwrap_or_default())
        };
        if [word(0), word(1)] != MAGIC || word(127) != MAGIC_END {
            bail!("block {number} is none of UF2: is it the .uf2 file, and not the .elf or .bin?");
        }
        let family = word(7);
        let is_given = word(2) & FAMILY_IS_GIVEN != 0;
        let Some(chip) = Chip::of_family(family).filter(|_| is_given) else {
            bail!("it is for another processor (family {family:#010x})");
        };
        if *image_chip.get_or_insert(chip) != chip {
            bail!("block {number} is for a {chip}, and those before it are not: copy it again");
        }
        if word(5) as usize != number || word(6) as usize != count {
            bail!("block {number} of {count} is missing or out of order: copy it again");
        }
    }
    image_chip.context("it has no block: copy it again")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    const RP2040: u32 = 0xe48b_ff56;
    const RP2350: u32 = 0xe48b_ff59;

    /// A sound image of some blocks.
    pub(in crate::commands::flash) fn container(blocks: u32, family: u32) -> Vec<u8> {
        let block = |number: u32| {
            let address = 0x1000_0000 + 256 * number;
            let head = [MAGIC[0], MAGIC[1], FAMILY_IS_GIVEN, address, 256, number, blocks, family];
            let mut bytes: Vec<u8> = head.iter().flat_map(|word| word.to_le_bytes()).collect();
            bytes.resize(BLOCK_BYTES - 4, 0);
            bytes.extend(MAGIC_END.to_le_bytes());
            bytes
        };
        (0..blocks).flat_map(block).collect()
    }

    fn refusal(bytes: &[u8]) -> String {
        check(bytes).unwrap_err().to_string()
    }

    #[test]
    fn only_a_whole_image_for_one_processor_is_accepted() {
        let sound = container(3, RP2040);
        assert_eq!(check(&sound).unwrap(), Chip::Rp2040);
        assert_eq!(check(&container(3, RP2350)).unwrap(), Chip::Rp2350);
        let mixed = [&sound[..BLOCK_BYTES], &container(3, RP2350)[BLOCK_BYTES..]].concat();
        assert!(refusal(&mixed).contains("block 1 is for a Pico 2"));
        assert!(refusal(&[]).contains("no whole number of blocks"));
        assert!(refusal(&sound[..sound.len() - 1]).contains("no whole number of blocks"));
        assert!(refusal(&sound[..2 * BLOCK_BYTES]).contains("block 0 of 2 is missing"));
        assert!(refusal(&sound[BLOCK_BYTES..]).contains("out of order"));
        assert!(refusal(&container(3, 0x1234)).contains("0x00001234"));
        assert!(refusal(&[0; BLOCK_BYTES]).contains("none of UF2"));
    }

    #[test]
    fn an_image_is_found_by_its_name_and_an_unknown_one_named_with_those_there() {
        let folder = tempfile::tempdir().unwrap();
        let folders = [folder.path().join("none"), folder.path().to_owned()];
        let refused = Image::read("pico-clock", &folders).unwrap_err().to_string();
        assert!(refused.contains("there are no images in"), "{refused}");
        fs::write(folder.path().join("pico-clock.uf2"), container(2, RP2040)).unwrap();
        let image = Image::read("pico-clock", &folders).unwrap();
        assert_eq!((image.name.as_str(), image.is_clock()), ("pico-clock", true));
        let refused = Image::read("pico-reed", &folders).unwrap_err().to_string();
        assert!(refused.contains("the images are pico-clock"), "{refused}");
        fs::write(folder.path().join("pico2-clock.uf2"), container(2, RP2350)).unwrap();
        let image = Image::read("pico2-clock", &folders).unwrap();
        assert_eq!((image.chip, image.is_clock()), (Chip::Rp2350, true));
        let listed = ["pico-clock", "pico2-clock"].map(|name| (name.to_owned(), WIRINGS[4].1));
        assert_eq!(list(&folders), listed);
    }
}
