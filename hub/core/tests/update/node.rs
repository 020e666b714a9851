//! A clock node with a simulated flash chip: the loader's choice, the firmware's link and update, and the line's time.

use hub_core::HubTime;
use hub_core::update::{NodeImage, NodeUpdater};
use node_firmware::{ClockConfig, ClockInputs, ClockNode, EventMemory, Identity, Update};
use node_slots::{FLASH_END, OtherSlot, RUNNING, SharedFlash, prepare_start, shared};
use proto::link::{IMAGE_HEADER_BYTES, IMAGE_HEADER_OFFSET, ImageHeader, NodeTime};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::flash::Chip;

pub(crate) const NAME: &str = "pico-clock";
/// Time of a byte at 115,200 baud, in ns.
const BYTE_NS: u64 = 86_806;
/// Delay of a computer's USB and scheduler in one direction, in µs.
const DELAY_US: u64 = 1_000;

/// An image of random bytes with a header.
pub(crate) fn image(name: &str, firmware: &str, sectors: usize) -> Vec<u8> {
    let mut random =
        ChaCha8Rng::seed_from_u64(firmware.len() as u64 + firmware.as_bytes()[0] as u64);
    let mut bytes: Vec<u8> = (0..sectors * 4_096 - 100).map(|_| random.random()).collect();
    let start = IMAGE_HEADER_OFFSET as usize;
    bytes[start..start + IMAGE_HEADER_BYTES].copy_from_slice(&ImageHeader::bytes(name, firmware));
    bytes
}

/// The other end of a node's line.
pub(crate) trait End {
    /// Lets time pass.
    fn poll(&mut self, now: HubTime);
    /// Moves bytes for the node into `out`; returns how many.
    fn transmit(&mut self, now: HubTime, out: &mut [u8]) -> usize;
    /// Handles bytes of the node.
    fn receive(&mut self, now: HubTime, bytes: &[u8]);
    /// Whether its work is done.
    fn is_done(&self) -> bool;
}

impl End for NodeUpdater {
    fn poll(&mut self, now: HubTime) {
        NodeUpdater::poll(self, now);
    }

    fn transmit(&mut self, _: HubTime, out: &mut [u8]) -> usize {
        NodeUpdater::transmit(self, out)
    }

    fn receive(&mut self, now: HubTime, bytes: &[u8]) {
        NodeUpdater::receive(self, now, bytes);
    }

    fn is_done(&self) -> bool {
        self.outcome().is_some()
    }
}

/// A node with its flash chip.
pub(crate) struct SimNode {
    flash: &'static SharedFlash<Chip>,
    running: Option<Running>,
    boots: u32,
    seed: u64,
    /// Virtual time.
    pub(crate) now_us: u64,
    /// Time at which this boot began.
    started_us: u64,
    /// Whether its clock is started after each boot.
    pub(crate) plays: bool,
}

struct Running {
    node: ClockNode,
    update: Update<OtherSlot<'static, Chip>>,
}

impl SimNode {
    pub(crate) fn new(image: &[u8], seed: u64) -> SimNode {
        let mut chip = Chip::new(FLASH_END, ChaCha8Rng::seed_from_u64(seed));
        let start = RUNNING.start as usize;
        chip.bytes[start..start + image.len()].copy_from_slice(image);
        let flash = Box::leak(Box::new(shared(chip)));
        SimNode { flash, running: None, boots: 0, seed, now_us: 0, started_us: 0, plays: false }
    }

    pub(crate) fn chip<R>(&self, act: impl FnOnce(&mut Chip) -> R) -> R {
        self.flash.lock(|chip| act(&mut chip.borrow_mut()))
    }

    /// The image that runs.
    pub(crate) fn slot(&self) -> Vec<u8> {
        let slot = RUNNING.start as usize..RUNNING.end as usize;
        self.chip(|chip| chip.bytes[slot].to_vec())
    }

    /// Takes the time that the chip was busy.
    fn spend(&mut self) {
        self.now_us += self.chip(|chip| std::mem::take(&mut chip.busy_us));
    }

    /// Starts the node, unless the power fails meanwhile.
    pub(crate) fn start(&mut self) {
        self.running = None;
        let started = prepare_start(self.flash);
        self.spend();
        if started.is_err() {
            return;
        }
        let slot = self.slot();
        let header = slot[IMAGE_HEADER_OFFSET as usize..][..IMAGE_HEADER_BYTES].try_into().unwrap();
        let header = ImageHeader::read(header).expect("what was started has a header");
        self.boots += 1;
        let boot_id = self.seed as u32 * 100_000 + self.boots;
        let mut identity = Identity::new(format!("clock-{}", self.seed).parse().unwrap(), boot_id);
        identity.firmware = header.firmware;
        let mut node =
            ClockNode::new(identity, ClockConfig::default(), EventMemory::of_heap(1_024));
        self.started_us = self.now_us;
        node.observe(NodeTime::ZERO, ClockInputs::default());
        let update = Update::new(OtherSlot::new(self.flash), header.name, NodeTime::ZERO);
        self.running = Some(Running { node, update });
    }

    pub(crate) fn is_running(&self) -> bool {
        self.running.is_some() && !self.chip(|chip| chip.is_dark)
    }

    /// Lets the line carry what both ends have to say, once. Whether anything was said.
    pub(crate) fn exchange(&mut self, updater: &mut impl End) -> bool {
        let mut bytes = [0; 4_096];
        let now = HubTime::from_micros(self.now_us);
        updater.poll(now);
        let sent = updater.transmit(now, &mut bytes);
        let Some(running) = &mut self.running else { return false };
        self.now_us += if sent > 0 { DELAY_US } else { 0 } + sent as u64 * BYTE_NS / 1_000;
        let time = NodeTime::from_micros(self.now_us - self.started_us);
        running.node.advance(time);
        running.node.receive(&bytes[..sent]);
        if let Some(request) = running.node.link_mut().take_update_request() {
            let in_use = self.plays || running.node.is_in_use();
            let report = running.update.handle(time, &request, in_use);
            running.node.link_mut().report_update(report);
        }
        let must_restart = running.update.must_restart(time);
        self.spend();
        if must_restart {
            self.start();
            return true;
        }
        if !self.is_running() {
            return false;
        }
        let Some(running) = &mut self.running else { return false };
        let told = running.node.transmit(&mut bytes);
        self.now_us += if told > 0 { DELAY_US } else { 0 } + told as u64 * BYTE_NS / 1_000;
        updater.receive(HubTime::from_micros(self.now_us), &bytes[..told]);
        sent + told > 0
    }

    /// Goes on until the updater has ended, the power fails, or this time.
    pub(crate) fn run(&mut self, updater: &mut impl End, until_us: u64) {
        while !updater.is_done() && self.is_running() && self.now_us < until_us {
            if !self.exchange(updater) {
                self.now_us += 1_000;
            }
        }
    }
}

/// Whether a slot begins with this image.
pub(crate) fn holds(slot: &[u8], image: &[u8]) -> bool {
    slot.starts_with(image)
}

pub(crate) fn as_node_image(bytes: &[u8]) -> NodeImage {
    NodeImage::of(bytes.to_vec()).expect("it has a header")
}
