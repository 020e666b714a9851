//! Update of the firmware over the line: a second image is received beside the one that runs, checked, and started on trial.
//!
//! What must survive a loss of power lies in flash alone. After a restart the sums of the sectors show what is there already.

use heapless::{String, Vec};
use proto::link::{
    IMAGE_HEADER_BYTES, IMAGE_HEADER_OFFSET, ImageChecksum, ImageHeader, MAX_IMAGE_NAME_BYTES,
    Message, NodeTime, UPDATE_CHUNK_BYTES, UPDATE_IMAGE_BYTES_MAX, UPDATE_SECTOR_BYTES,
    UPDATE_SECTORS, UPDATE_TRIAL_US, UpdateBegin, UpdateChunk, UpdateImage, UpdateRefusal,
    UpdateReport, UpdateStage,
};

/// Bytes of a page: the piece of flash that is written at once.
pub const PAGE_BYTES: usize = 256;
/// Time between the report and the restart, in µs: the report leaves the node first.
pub const RESTART_DELAY_US: u64 = 200_000;

/// The slot of the image that does not run, and the record of the loader that chooses between the two.
pub trait ImageSlot {
    /// Error of the flash.
    type Error;

    /// Reads from the slot.
    ///
    /// # Errors
    /// If the flash cannot be read there.
    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), Self::Error>;

    /// Erases a sector of the slot.
    ///
    /// # Errors
    /// If the flash cannot be erased there.
    fn erase(&mut self, offset: u32) -> Result<(), Self::Error>;

    /// Writes a page of the slot.
    ///
    /// # Errors
    /// If the flash cannot be written there.
    fn write(&mut self, offset: u32, page: &[u8; PAGE_BYTES]) -> Result<(), Self::Error>;

    /// Whether the image that runs is on trial.
    ///
    /// # Errors
    /// If the record cannot be read.
    fn is_trial(&mut self) -> Result<bool, Self::Error>;

    /// Records that the next start is with the other image, on trial.
    ///
    /// # Errors
    /// If the record cannot be written.
    fn start_other(&mut self) -> Result<(), Self::Error>;

    /// Records that the image on trial is to be kept.
    ///
    /// # Errors
    /// If the record cannot be written.
    fn keep(&mut self) -> Result<(), Self::Error>;
}

/// The node's end of an update.
#[derive(Debug)]
pub struct Update<S> {
    slot: S,
    /// Name of the image that runs.
    image: String<MAX_IMAGE_NAME_BYTES>,
    transfer: Option<Transfer>,
    /// End of the trial.
    trial_until: Option<NodeTime>,
    restart_at: Option<NodeTime>,
}

/// An image that is being received.
#[derive(Debug)]
struct Transfer {
    image: UpdateImage,
    sector_sums: Vec<u32, UPDATE_SECTORS>,
    next: u32,
    /// The page that contains `next`, as far as it has been received.
    page: [u8; PAGE_BYTES],
}

impl<S: ImageSlot> Update<S> {
    /// The update of a node that starts now with the image of this name.
    pub fn new(mut slot: S, image: String<MAX_IMAGE_NAME_BYTES>, now: NodeTime) -> Self {
        // A record that cannot be read is no trial: the loader has started this image from it.
        let is_trial = slot.is_trial().unwrap_or(false);
        let trial_until = is_trial.then(|| now.plus_micros(UPDATE_TRIAL_US));
        Self { slot, image, transfer: None, trial_until, restart_at: None }
    }

    /// Whether the node must restart now: into the other image, or back after a trial that nobody ended.
    pub fn must_restart(&self, now: NodeTime) -> bool {
        self.restart_at.or(self.trial_until).is_some_and(|at| now >= at)
    }

    /// Handles a request of the hub. A node that is in use refuses all that would disturb it.
    pub fn handle(&mut self, now: NodeTime, request: &Message, in_use: bool) -> UpdateReport {
        let stage = match request {
            Message::UpdateKeep => self.keep(),
            Message::UpdateBegin(_) | Message::UpdateChunk(_) | Message::UpdateStart(_)
                if self.trial_until.is_some() =>
            {
                Err(UpdateRefusal::OnTrial)
            }
            Message::UpdateBegin(_) | Message::UpdateChunk(_) | Message::UpdateStart(_)
                if in_use && self.restart_at.is_none() =>
            {
                Err(UpdateRefusal::InUse)
            }
            Message::UpdateBegin(begin) => self.begin(begin),
            Message::UpdateChunk(chunk) => self.take(chunk),
            Message::UpdateStart(image) => self.start(now, *image),
            _ => Ok(self.stage()),
        };
        let stage = stage.unwrap_or_else(UpdateStage::Refused);
        UpdateReport { image: self.image.clone(), stage }
    }

    fn stage(&self) -> UpdateStage {
        match &self.transfer {
            _ if self.restart_at.is_some() => UpdateStage::Restarting,
            _ if self.trial_until.is_some() => UpdateStage::Trial,
            None => UpdateStage::Idle,
            Some(transfer) if transfer.next >= transfer.image.bytes => UpdateStage::Complete,
            Some(transfer) => UpdateStage::Receiving(transfer.next),
        }
    }

    fn keep(&mut self) -> Result<UpdateStage, UpdateRefusal> {
        if self.trial_until.is_some() {
            self.slot.keep().map_err(|_| UpdateRefusal::FlashFailed)?;
            self.trial_until = None;
        }
        Ok(self.stage())
    }

    fn begin(&mut self, begin: &UpdateBegin) -> Result<UpdateStage, UpdateRefusal> {
        let UpdateBegin { image, sector_sums } = begin;
        let fits = (IMAGE_HEADER_OFFSET + IMAGE_HEADER_BYTES as u32..=UPDATE_IMAGE_BYTES_MAX)
            .contains(&image.bytes);
        let sectors = image.bytes.div_ceil(UPDATE_SECTOR_BYTES) as usize;
        if !fits || sector_sums.len() != sectors {
            return Err(UpdateRefusal::TooLarge);
        }
        if self.restart_at.is_some() {
            return Ok(self.stage());
        }
        let same = self.transfer.as_ref().is_some_and(|transfer| transfer.image == *image);
        if !same {
            let page = [0xff; PAGE_BYTES];
            let sector_sums = sector_sums.clone();
            self.transfer = Some(Transfer { image: *image, sector_sums, next: 0, page });
            self.skip_present(0)?;
        }
        Ok(self.stage())
    }

    /// Goes on with the first sector from `offset` on that the slot does not hold.
    fn skip_present(&mut self, offset: u32) -> Result<(), UpdateRefusal> {
        let Some(transfer) = &mut self.transfer else { return Ok(()) };
        transfer.next = offset;
        while let Some(&sum) =
            transfer.sector_sums.get((transfer.next / UPDATE_SECTOR_BYTES) as usize)
        {
            let end = (transfer.next + UPDATE_SECTOR_BYTES).min(transfer.image.bytes);
            let found = sum_of(&mut self.slot, transfer.next, end);
            if found.map_err(|_| UpdateRefusal::FlashFailed)? != sum {
                break;
            }
            transfer.next = end;
            if end % UPDATE_SECTOR_BYTES != 0 {
                break;
            }
        }
        Ok(())
    }

    fn take(&mut self, chunk: &UpdateChunk) -> Result<UpdateStage, UpdateRefusal> {
        let expected = self.transfer.as_mut().filter(|transfer| transfer.image == chunk.image);
        let Some(transfer) = expected else { return Ok(UpdateStage::Idle) };
        let rest = transfer.image.bytes.saturating_sub(transfer.next);
        let length = rest.min(UPDATE_CHUNK_BYTES as u32);
        if chunk.offset != transfer.next || length == 0 || self.restart_at.is_some() {
            return Ok(self.stage());
        }
        if chunk.bytes.len() != length as usize {
            return Err(UpdateRefusal::Damaged);
        }
        let at = transfer.next as usize % PAGE_BYTES;
        if at == 0 {
            transfer.page = [0xff; PAGE_BYTES];
        }
        if let Some(place) = transfer.page.get_mut(at..at + chunk.bytes.len()) {
            place.copy_from_slice(&chunk.bytes);
        }
        transfer.next += length;
        let (next, end) = (transfer.next, transfer.image.bytes);
        if next.is_multiple_of(PAGE_BYTES as u32) || next == end {
            let offset = (next - 1) / PAGE_BYTES as u32 * PAGE_BYTES as u32;
            let written = write_page(&mut self.slot, offset, &transfer.page);
            if written.is_err() {
                self.transfer = None;
                return Err(UpdateRefusal::FlashFailed);
            }
        }
        if next.is_multiple_of(UPDATE_SECTOR_BYTES) || next == end {
            // One that the flash has not kept is received again.
            self.skip_present((next - 1) / UPDATE_SECTOR_BYTES * UPDATE_SECTOR_BYTES)?;
        }
        Ok(self.stage())
    }

    fn start(&mut self, now: NodeTime, image: UpdateImage) -> Result<UpdateStage, UpdateRefusal> {
        let complete = self.transfer.as_ref().filter(|transfer| transfer.image == image);
        if self.restart_at.is_some() || complete.is_none_or(|it| it.next < image.bytes) {
            return Ok(self.stage());
        }
        let refusal = match self.check(image) {
            Ok(()) => match self.slot.start_other() {
                Ok(()) => {
                    self.restart_at = Some(now.plus_micros(RESTART_DELAY_US));
                    return Ok(UpdateStage::Restarting);
                }
                Err(_) => UpdateRefusal::FlashFailed,
            },
            Err(refusal) => refusal,
        };
        self.transfer = None;
        Err(refusal)
    }

    /// Checks that the slot holds this image, and that it is one for this node.
    fn check(&mut self, image: UpdateImage) -> Result<(), UpdateRefusal> {
        let sum = sum_of(&mut self.slot, 0, image.bytes);
        if sum.map_err(|_| UpdateRefusal::FlashFailed)? != image.checksum {
            return Err(UpdateRefusal::Damaged);
        }
        let mut bytes = [0; IMAGE_HEADER_BYTES];
        let read = self.slot.read(IMAGE_HEADER_OFFSET, &mut bytes);
        read.map_err(|_| UpdateRefusal::FlashFailed)?;
        match ImageHeader::read(&bytes) {
            Some(header) if header.name == self.image => Ok(()),
            _ => Err(UpdateRefusal::WrongImage),
        }
    }
}

/// Writes a page, and erases its sector before the first one.
fn write_page<S: ImageSlot>(
    slot: &mut S,
    offset: u32,
    page: &[u8; PAGE_BYTES],
) -> Result<(), S::Error> {
    if offset.is_multiple_of(UPDATE_SECTOR_BYTES) {
        slot.erase(offset)?;
    }
    slot.write(offset, page)
}

/// Checksum of a part of the slot.
fn sum_of<S: ImageSlot>(slot: &mut S, start: u32, end: u32) -> Result<u32, S::Error> {
    let mut page = [0; PAGE_BYTES];
    let mut checksum = ImageChecksum::new();
    let mut offset = start;
    while offset < end {
        let length = (end - offset).min(PAGE_BYTES as u32);
        let piece = &mut page[..length as usize];
        slot.read(offset, piece)?;
        checksum.add(piece);
        offset += length;
    }
    Ok(checksum.finish())
}
