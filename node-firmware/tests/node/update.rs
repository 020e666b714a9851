//! Requests about the firmware at a node: an image is received beside the one that runs, and only by a node that nobody uses.

use node_firmware::{ImageSlot, PAGE_BYTES, RESTART_DELAY_US, Update};
use proto::link::*;

use crate::host::at;

const NAME: &str = "pico-clock";
const SECTOR: usize = UPDATE_SECTOR_BYTES as usize;

/// A slot in memory.
#[derive(Debug)]
struct Slot {
    bytes: Vec<u8>,
    is_trial: bool,
    was_started: bool,
    fails: bool,
}

impl Slot {
    fn new(is_trial: bool) -> Slot {
        let bytes = vec![0xff; UPDATE_IMAGE_BYTES_MAX as usize];
        Slot { bytes, is_trial, was_started: false, fails: false }
    }
}

impl ImageSlot for &mut Slot {
    type Error = ();

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), ()> {
        bytes.copy_from_slice(&self.bytes[offset as usize..offset as usize + bytes.len()]);
        Ok(())
    }

    fn erase(&mut self, offset: u32) -> Result<(), ()> {
        self.bytes[offset as usize..offset as usize + SECTOR].fill(0xff);
        if self.fails { Err(()) } else { Ok(()) }
    }

    fn write(&mut self, offset: u32, page: &[u8; PAGE_BYTES]) -> Result<(), ()> {
        self.bytes[offset as usize..offset as usize + PAGE_BYTES].copy_from_slice(page);
        Ok(())
    }

    fn is_trial(&mut self) -> Result<bool, ()> {
        Ok(self.is_trial)
    }

    fn start_other(&mut self) -> Result<(), ()> {
        self.was_started = true;
        Ok(())
    }

    fn keep(&mut self) -> Result<(), ()> {
        self.is_trial = false;
        Ok(())
    }
}

fn update(slot: &mut Slot) -> Update<&mut Slot> {
    Update::new(slot, NAME.try_into().unwrap(), at(0))
}

fn image(name: &str) -> Vec<u8> {
    let mut image: Vec<u8> = (0..SECTOR + 1_000).map(|at| (at % 251) as u8).collect();
    let header = IMAGE_HEADER_OFFSET as usize;
    image[header..header + IMAGE_HEADER_BYTES].copy_from_slice(&ImageHeader::bytes(name, "2"));
    image
}

fn id(image: &[u8]) -> UpdateImage {
    UpdateImage { bytes: image.len() as u32, checksum: ImageChecksum::of(image) }
}

fn begin(image: &[u8]) -> Message {
    let sector_sums = image.chunks(SECTOR).map(ImageChecksum::of).collect();
    Message::UpdateBegin(UpdateBegin { image: id(image), sector_sums })
}

fn chunk(image: &[u8], offset: usize) -> Message {
    let end = image.len().min(offset + UPDATE_CHUNK_BYTES);
    let bytes = image[offset..end].iter().copied().collect();
    Message::UpdateChunk(UpdateChunk { image: id(image), offset: offset as u32, bytes })
}

/// Answers to the requests of a whole transfer; the last one is to the start.
fn send(update: &mut Update<&mut Slot>, image: &[u8]) -> UpdateStage {
    update.handle(at(1), &begin(image), false);
    for offset in (0..image.len()).step_by(UPDATE_CHUNK_BYTES) {
        update.handle(at(1), &chunk(image, offset), false);
    }
    update.handle(at(1), &Message::UpdateStart(id(image)), false).stage
}

#[test]
fn an_image_is_received_checked_and_started() {
    let (mut slot, image) = (Slot::new(false), image(NAME));
    let mut node = update(&mut slot);
    assert_eq!(node.handle(at(1), &Message::RequestUpdate, true).stage, UpdateStage::Idle);
    assert_eq!(send(&mut node, &image), UpdateStage::Restarting);
    assert!(!node.must_restart(at(1)) && node.must_restart(at(1 + RESTART_DELAY_US)));
    assert!(slot.was_started && slot.bytes.starts_with(&image));
}

#[test]
fn a_chunk_that_is_early_late_or_short_changes_nothing() {
    let (mut slot, image) = (Slot::new(false), image(NAME));
    let mut node = update(&mut slot);
    node.handle(at(1), &begin(&image), false);
    let waits = |offset| UpdateStage::Receiving(offset);
    let mut stage = |message: &Message| node.handle(at(1), message, false).stage;
    assert_eq!(stage(&chunk(&image, 128)), waits(0));
    assert_eq!(stage(&chunk(&image, 0)), waits(128));
    assert_eq!(stage(&chunk(&image, 0)), waits(128));
    let Message::UpdateChunk(mut short) = chunk(&image, 128) else { panic!("no chunk") };
    short.bytes.pop();
    let refused = UpdateStage::Refused(UpdateRefusal::Damaged);
    assert_eq!(stage(&Message::UpdateChunk(short)), refused);
    assert_eq!(stage(&Message::UpdateStart(id(&image))), waits(128), "not all is there");
}

#[test]
fn a_node_in_use_or_on_trial_takes_no_image() {
    let (mut slot, image) = (Slot::new(false), image(NAME));
    let mut node = update(&mut slot);
    let refused = |refusal| UpdateStage::Refused(refusal);
    assert_eq!(node.handle(at(1), &begin(&image), true).stage, refused(UpdateRefusal::InUse));
    let mut slot = Slot::new(true);
    let mut node = update(&mut slot);
    assert_eq!(node.handle(at(1), &begin(&image), false).stage, refused(UpdateRefusal::OnTrial));
    assert!(node.must_restart(at(UPDATE_TRIAL_US)), "nobody keeps it");
    assert_eq!(node.handle(at(1), &Message::UpdateKeep, true).stage, UpdateStage::Idle);
    assert!(!node.must_restart(at(UPDATE_TRIAL_US)) && !slot.is_trial);
}

#[test]
fn an_image_of_another_name_or_sum_or_size_is_refused() {
    let mut slot = Slot::new(false);
    let refused = |refusal| UpdateStage::Refused(refusal);
    let other = image("pico-hall");
    assert_eq!(send(&mut update(&mut slot), &other), refused(UpdateRefusal::WrongImage));
    let mut node = update(&mut slot);
    let too_large = UpdateBegin {
        image: UpdateImage { bytes: UPDATE_IMAGE_BYTES_MAX + 1, checksum: 0 },
        sector_sums: Default::default(),
    };
    let stage = node.handle(at(1), &Message::UpdateBegin(too_large), false).stage;
    assert_eq!(stage, refused(UpdateRefusal::TooLarge));
    // Its sectors are right, and its own sum is not.
    let image = image(NAME);
    let mut wrong = id(&image);
    wrong.checksum ^= 1;
    let sector_sums = image.chunks(SECTOR).map(ImageChecksum::of).collect();
    let begin = UpdateBegin { image: wrong, sector_sums };
    node.handle(at(1), &Message::UpdateBegin(begin), false);
    for offset in (0..image.len()).step_by(UPDATE_CHUNK_BYTES) {
        let Message::UpdateChunk(mut piece) = chunk(&image, offset) else { panic!("no chunk") };
        piece.image = wrong;
        node.handle(at(1), &Message::UpdateChunk(piece), false);
    }
    let stage = node.handle(at(1), &Message::UpdateStart(wrong), false).stage;
    assert_eq!(stage, refused(UpdateRefusal::Damaged));
    assert!(!slot.was_started);
}

#[test]
fn a_flash_that_fails_ends_the_transfer() {
    let (mut slot, image) = (Slot::new(false), image(NAME));
    slot.fails = true;
    let mut node = update(&mut slot);
    node.handle(at(1), &begin(&image), false);
    node.handle(at(1), &chunk(&image, 0), false);
    let stage = node.handle(at(1), &chunk(&image, 128), false).stage;
    assert_eq!(stage, UpdateStage::Refused(UpdateRefusal::FlashFailed));
    assert_eq!(node.handle(at(1), &Message::RequestUpdate, false).stage, UpdateStage::Idle);
}
