//! An update of the Pico's image over its line, in an emulator of the Pico: the loader and the image are those that ship.
//!
//! Needs the images and Node.js: `cargo xtask test pico`.

use std::fs;
use std::path::PathBuf;

use pico_emulator::boards::CLOCK;
use pico_emulator::{Bench, Seen, images_folder};
use proto::link::{
    Frame, IMAGE_ADDRESS, IMAGE_HEADER_BYTES, IMAGE_HEADER_OFFSET, ImageChecksum, ImageHeader,
    Message, UPDATE_CHUNK_BYTES, UPDATE_SECTOR_BYTES, UpdateBegin, UpdateChunk, UpdateImage,
    UpdateReport, UpdateStage,
};

const NUMBER: u32 = 0x1a2b_3c4d;
/// Time by which the node has said who it is.
const UP_US: u64 = 60_000;
/// Time that the loader takes for an exchange, at most.
const EXCHANGE_US: u64 = 5_000_000;
/// Time between two chunks, and after the one that has a sector erased.
const CHUNK_US: u64 = 4_000;
const ERASE_US: u64 = 60_000;
/// Place of the second slot in the flash.
const OTHER_SLOT: usize = 0x40000;
const FLASH_ADDRESS: u32 = 0x1000_0000;
const NEW: &str = "99.0.0";

/// The flash of a Pico with the image that ships.
fn flash() -> Vec<u8> {
    let file = images_folder().unwrap().join(CLOCK.image).with_extension("uf2");
    let mut flash = vec![0xff; 0x61000];
    for block in fs::read(file).unwrap().chunks(512) {
        let word = |at: usize| u32::from_le_bytes(block[at..at + 4].try_into().unwrap());
        let start = (word(12) - FLASH_ADDRESS) as usize;
        flash[start..start + 256].copy_from_slice(&block[32..288]);
    }
    flash
}

/// The image in the first slot, of another version and of another name.
fn image(flash: &[u8], name: &str) -> Vec<u8> {
    let slot = &flash[(IMAGE_ADDRESS - FLASH_ADDRESS) as usize..OTHER_SLOT];
    let end = slot.iter().rposition(|&byte| byte != 0xff).unwrap() + 1;
    let mut image = slot[..end].to_vec();
    let header = IMAGE_HEADER_OFFSET as usize;
    image[header..header + IMAGE_HEADER_BYTES].copy_from_slice(&ImageHeader::bytes(name, NEW));
    image
}

/// A bench on which the flash is kept from run to run.
struct Pico {
    file: PathBuf,
}

impl Pico {
    fn new(name: &str, flash: &[u8]) -> Pico {
        let file = std::env::temp_dir().join(format!("pico-{name}-{}", std::process::id()));
        fs::write(&file, flash).unwrap();
        Pico { file }
    }

    fn bench(&self) -> Bench {
        (CLOCK.wire)(Bench::new(CLOCK.image, NUMBER)).flash(&self.file).save(&self.file)
    }

    /// A copy, for another continuation.
    fn copy(&self, name: &str) -> Pico {
        Pico::new(name, &fs::read(&self.file).unwrap())
    }
}

impl Drop for Pico {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.file);
    }
}

fn frame(boot_id: u32, message: Message) -> Frame {
    Frame { boot_id, sequence: 0, message }
}

fn reports(seen: &Seen) -> Vec<UpdateReport> {
    let frames = seen.frames().into_iter().map(|(_, frame)| frame.unwrap().message);
    frames
        .filter_map(|message| match message {
            Message::UpdateReport(report) => Some(report),
            _ => None,
        })
        .collect()
}

/// Version in the first HELLO.
fn firmware(seen: &Seen) -> String {
    let mut frames = seen.frames().into_iter().map(|(_, frame)| frame.unwrap().message);
    let hello = frames.find_map(|message| match message {
        Message::Hello(hello) => Some(hello.firmware.to_string()),
        _ => None,
    });
    hello.expect("a node says HELLO")
}

/// The same in every run: the emulator's noise is.
fn boot_id(pico: &Pico) -> u32 {
    let seen = pico.bench().run(UP_US).unwrap();
    seen.frames().into_iter().find_map(|(_, frame)| Some(frame.ok()?.boot_id)).unwrap()
}

/// Sends the image from `offset` on, then the request to start it. The node is expected to restart, or not.
fn send(pico: &Pico, boot_id: u32, image: &[u8], offset: usize) -> Seen {
    let checksum = ImageChecksum::of(image);
    let id = UpdateImage { bytes: image.len() as u32, checksum };
    let sums = image.chunks(UPDATE_SECTOR_BYTES as usize).map(ImageChecksum::of);
    let begin = UpdateBegin { image: id, sector_sums: sums.collect() };
    let mut at_us = UP_US;
    let mut bench = pico.bench().send(at_us, &frame(boot_id, Message::UpdateBegin(begin)));
    at_us += ERASE_US;
    for (number, piece) in image[offset..].chunks(UPDATE_CHUNK_BYTES).enumerate() {
        let offset = (offset + number * UPDATE_CHUNK_BYTES) as u32;
        let bytes = piece.iter().copied().collect();
        let chunk = UpdateChunk { image: id, offset, bytes };
        bench = bench.send(at_us, &frame(boot_id, Message::UpdateChunk(chunk)));
        let erases = offset % UPDATE_SECTOR_BYTES == UPDATE_CHUNK_BYTES as u32;
        at_us += if erases { ERASE_US } else { CHUNK_US };
    }
    let bench = bench.send(at_us, &frame(boot_id, Message::UpdateStart(id)));
    bench.run(at_us + 1_500_000).unwrap()
}

/// A Pico whose second slot holds all of the image but the last sectors, and where those begin.
fn prepared(name: &str, image_name: &str) -> (Pico, Vec<u8>, usize) {
    let mut flash = flash();
    let image = image(&flash, image_name);
    let sector = UPDATE_SECTOR_BYTES as usize;
    let offset = (image.len() / sector - 1) * sector;
    flash[OTHER_SLOT..OTHER_SLOT + offset].copy_from_slice(&image[..offset]);
    (Pico::new(name, &flash), image, offset)
}

#[test]
#[ignore = "needs the images and Node.js: cargo xtask test pico"]
fn a_pico_starts_a_new_image_after_a_cut_and_keeps_it_or_goes_back() {
    let (pico, image, offset) = prepared("update", "pico-clock");
    let boot_id = boot_id(&pico);
    let sent = send(&pico, boot_id, &image, offset);
    let stages: Vec<UpdateStage> = reports(&sent).iter().map(|report| report.stage).collect();
    assert_eq!(stages.first(), Some(&UpdateStage::Receiving(offset as u32)), "it goes on there");
    assert_eq!(stages.last(), Some(&UpdateStage::Restarting), "{stages:?}");
    assert!(sent.was_reset);
    // Power fails in the midst of the exchange.
    let cut = pico.bench().run(1_500_000).unwrap();
    assert!(cut.pieces.is_empty(), "it was not done yet");
    let ask = frame(boot_id, Message::RequestUpdate);
    let asked = |bench: Bench| bench.send(EXCHANGE_US, &ask).run(EXCHANGE_US + 100_000).unwrap();
    // On trial, and power fails again: the image before comes back.
    let other = pico.copy("back");
    let trial = asked(other.bench());
    assert_eq!(firmware(&trial), NEW);
    assert_eq!(reports(&trial).last().unwrap().stage, UpdateStage::Trial);
    let back = asked(other.bench());
    assert_ne!(firmware(&back), NEW);
    assert_eq!(reports(&back).last().unwrap().stage, UpdateStage::Idle);
    // On trial, and the hub keeps it.
    let keep = frame(boot_id, Message::UpdateKeep);
    let kept = pico.bench().send(EXCHANGE_US, &keep).run(EXCHANGE_US + 1_000_000).unwrap();
    assert_eq!(reports(&kept).last().unwrap().stage, UpdateStage::Idle);
    let again = pico.bench().run(UP_US).unwrap();
    assert_eq!(firmware(&again), NEW);
}

#[test]
#[ignore = "needs the images and Node.js: cargo xtask test pico"]
fn a_pico_refuses_the_image_of_another_wiring() {
    let (pico, image, offset) = prepared("wrong", "pico-hall");
    let sent = send(&pico, boot_id(&pico), &image, offset);
    let refused = UpdateStage::Refused(proto::link::UpdateRefusal::WrongImage);
    assert_eq!(reports(&sent).last().unwrap().stage, refused);
    assert!(!sent.was_reset);
}
