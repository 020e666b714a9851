//! Update of one node's firmware over its line, without input or output.
//!
//! The updater has one request under way, sends it again until the node has reported, and gives up after a bounded number of attempts.
//! What the node reports decides what comes next, so a cut of line or power costs a few chunks at most. Events of the node are left
//! to its hub: the updater acknowledges none.

mod image;
mod release;

use std::collections::BTreeMap;
use std::sync::Arc;

use proto::link::{
    Decoder, Encoder, Frame, FrameError, Hello, HubTime, Message, MessageType, NodeId,
    UPDATE_CHUNK_BYTES, UpdateRefusal, UpdateReport, UpdateStage, knows,
};
use thiserror::Error;

pub use image::{ImageError, NodeImage};
pub use release::compare_releases;

/// Time after which a request without a report is sent again, in µs: a sector's erasure takes 0.4 s at most.
const REQUEST_INTERVAL_US: u64 = 700_000;
/// Attempts of one request.
const ATTEMPTS_MAX: u8 = 15;
/// Maximum wait for a node that was started again, in µs: the exchange of the images, and a computer that looks for USB devices.
const RETURN_MAX_US: u64 = 90_000_000;
/// Number of times that a node may restart, or that its port may be lost, before it is left alone.
const CUTS_MAX: u8 = 20;
/// Number of trials after the first one.
const TRIALS_MAX: u8 = 2;
/// A chunk may be sent so often on average.
const CHUNK_ATTEMPTS: u32 = 4;

/// The images of a release, by name.
pub type NodeImages = BTreeMap<String, NodeImage>;

/// Reason why a node was not updated, with what to do.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UpdateFailure {
    /// Nobody answers.
    #[error("no node answers here: check its cable and power")]
    Silent,
    /// Another schema, or one without updates.
    #[error(
        "its firmware {0} cannot be updated over the line: flash it once with its button, `twinboard flash`"
    )]
    TooOld(String),
    /// A node that knows the messages and has no second slot.
    #[error(
        "this kind of node cannot be updated over the line: flash it from a computer, `twinboard flash` or its maker's tool"
    )]
    Unsupported,
    /// There is no file for it.
    #[error("there is no image {0:?} in the folder: take the files of this release")]
    NoImage(String),
    /// In play.
    #[error("a match is played here: end it, set the clock again, and wait two minutes")]
    InUse,
    /// The node refused.
    #[error("it refused the image ({0}): nothing was changed")]
    Refused(&'static str),
    /// The flash chip fails.
    #[error("its flash chip does not keep what is written: replace the Pico")]
    FlashFailed,
    /// An image on trial that another hub installed.
    #[error("another update of it is on trial: try again in two minutes")]
    OnTrial,
    /// Too many repeats.
    #[error("its line loses too much: check the cable and its ground; what it has is kept")]
    Line,
    /// Gone after the restart.
    #[error(
        "it did not come back after the update: unplug it and plug it in, which brings its old firmware back"
    )]
    NotBack,
    /// The old image runs.
    #[error("the new firmware did not start, and the node is back to {0}: report this")]
    WentBack(String),
    /// Another node at the same port.
    #[error("another node answers here now: update that one by itself")]
    OtherNode,
}

/// Result of an update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UpdateOutcome {
    /// The new image runs and is kept.
    Updated,
    /// The image ran already.
    Current,
    /// The old image runs.
    Failed(UpdateFailure),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum UpdatePhase {
    /// Asks who is there.
    Meeting,
    /// Asks for its image and how far an update is.
    Asking,
    Beginning,
    /// Sends the chunk at this offset.
    Sending(u32),
    Starting,
    /// Waits for HELLO of another boot, until this time.
    Returning(HubTime),
    /// Runs the new image, which is to be kept.
    Keeping,
    Ended(UpdateOutcome),
}

/// The update of the node at one line.
#[derive(Debug)]
pub struct NodeUpdater {
    images: Arc<NodeImages>,
    phase: UpdatePhase,
    decoder: Decoder,
    encoder: Encoder,
    node: Option<Met>,
    /// Name of the image that the node runs.
    image: Option<String>,
    attempts: u8,
    cuts: u8,
    chunks: u32,
    send_at: HubTime,
    /// Whether the new image was started.
    started: bool,
    /// Number of times that the node came back with the old image: a loss of power ends a trial as well.
    went_back: u8,
}

/// The node as it introduced itself.
#[derive(Debug)]
struct Met {
    node_id: NodeId,
    boot_id: u32,
    firmware: String,
}

impl NodeUpdater {
    /// An update with one of these images, whichever the node needs.
    pub fn new(images: Arc<NodeImages>, now: HubTime) -> NodeUpdater {
        NodeUpdater {
            images,
            phase: UpdatePhase::Meeting,
            decoder: Decoder::new(),
            encoder: Encoder::new(),
            node: None,
            image: None,
            attempts: 0,
            cuts: 0,
            chunks: 0,
            send_at: now,
            started: false,
            went_back: 0,
        }
    }

    /// The result, when there is one.
    pub fn outcome(&self) -> Option<&UpdateOutcome> {
        match &self.phase {
            UpdatePhase::Ended(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// The node's id, when it has introduced itself.
    pub fn node_id(&self) -> Option<&NodeId> {
        self.node.as_ref().map(|node| &node.node_id)
    }

    /// Version of the firmware that it ran when it introduced itself last.
    pub fn firmware(&self) -> Option<&str> {
        self.node.as_ref().map(|node| node.firmware.as_str())
    }

    /// Share of the image that the node has, in percent.
    pub fn percent(&self) -> u32 {
        match (&self.phase, self.new_image()) {
            (UpdatePhase::Sending(offset), Some(image)) => offset * 100 / image.length().max(1),
            (UpdatePhase::Meeting | UpdatePhase::Asking | UpdatePhase::Beginning, _)
            | (UpdatePhase::Sending(_), None) => 0,
            _ => 100,
        }
    }

    /// The port was opened again.
    pub fn reopened(&mut self, now: HubTime) {
        self.decoder.reset();
        self.encoder.reset();
        match self.phase {
            UpdatePhase::Ended(_) | UpdatePhase::Returning(_) => self.send_at = now,
            UpdatePhase::Meeting => self.send_at = now,
            _ => self.begin_again(now),
        }
    }

    /// Handles bytes from the line.
    pub fn receive(&mut self, now: HubTime, bytes: &[u8]) {
        for &byte in bytes {
            match self.decoder.push(byte) {
                Some(Ok(frame)) => self.take(now, frame),
                Some(Err(FrameError::Schema(other))) => {
                    self.end(UpdateFailure::TooOld(other.firmware.to_string()));
                }
                // The request is sent again.
                Some(Err(_)) | None => {}
            }
        }
    }

    /// Lets time pass: sends a request again, or gives up.
    pub fn poll(&mut self, now: HubTime) {
        if let UpdatePhase::Returning(until) = self.phase
            && now >= until
        {
            self.end(UpdateFailure::NotBack);
        }
        if now < self.send_at || self.outcome().is_some() || !self.encoder.is_drained() {
            return;
        }
        let returning = matches!(self.phase, UpdatePhase::Returning(_));
        if self.attempts >= ATTEMPTS_MAX && !returning {
            self.end(match self.phase {
                UpdatePhase::Meeting => UpdateFailure::Silent,
                UpdatePhase::Asking => UpdateFailure::Unsupported,
                _ => UpdateFailure::Line,
            });
            return;
        }
        self.attempts = self.attempts.saturating_add(1);
        self.send_at = now.plus_micros(REQUEST_INTERVAL_US);
        self.send();
    }

    /// Time of the next work of [`Self::poll`].
    pub fn next_due(&self) -> HubTime {
        match self.phase {
            UpdatePhase::Ended(_) => HubTime::MAX,
            UpdatePhase::Returning(until) => until.min(self.send_at),
            _ => self.send_at,
        }
    }

    /// Moves bytes for the line into `out`; returns how many.
    pub fn transmit(&mut self, out: &mut [u8]) -> usize {
        self.encoder.drain_into(out)
    }

    /// Whether a frame waits for the line.
    pub fn is_sending(&self) -> bool {
        !self.encoder.is_drained()
    }

    fn new_image(&self) -> Option<&NodeImage> {
        self.images.get(self.image.as_deref()?)
    }

    fn send(&mut self) {
        let chunk = match self.phase {
            UpdatePhase::Sending(offset) => self.new_image().and_then(|image| image.chunk(offset)),
            _ => None,
        };
        let image = self.new_image();
        let message = match self.phase {
            UpdatePhase::Meeting | UpdatePhase::Returning(_) => Some(Message::RequestHello),
            UpdatePhase::Asking => Some(Message::RequestUpdate),
            UpdatePhase::Beginning => image.map(|image| Message::UpdateBegin(image.begin())),
            UpdatePhase::Sending(_) => chunk.map(Message::UpdateChunk),
            UpdatePhase::Starting => image.map(|image| Message::UpdateStart(image.id())),
            UpdatePhase::Keeping => Some(Message::UpdateKeep),
            UpdatePhase::Ended(_) => None,
        };
        let Some(message) = message else { return };
        let boot_id = match (&message, &self.node) {
            (Message::RequestHello, _) | (_, None) => 0,
            (_, Some(node)) => node.boot_id,
        };
        // The requests of an update fit a frame; another one is not sent, and ends as one that is lost.
        let _ = self.encoder.encode(&Frame { boot_id, sequence: 0, message });
    }

    /// Goes on with a phase, whose request is sent at once.
    fn enter(&mut self, now: HubTime, phase: UpdatePhase) {
        self.attempts = 0;
        self.send_at = now;
        self.phase = phase;
        self.poll(now);
    }

    fn end(&mut self, failure: UpdateFailure) {
        self.phase = UpdatePhase::Ended(UpdateOutcome::Failed(failure));
    }

    /// The node or its line was gone: it is asked again, for the image that is there already is not lost.
    fn begin_again(&mut self, now: HubTime) {
        self.cuts += 1;
        if self.cuts > CUTS_MAX {
            self.end(UpdateFailure::Line);
        } else {
            self.enter(now, UpdatePhase::Meeting);
        }
    }

    fn take(&mut self, now: HubTime, frame: Frame) {
        match frame.message {
            Message::Hello(hello) => self.meet(now, frame.boot_id, &hello),
            Message::UpdateReport(report)
                if self.node.as_ref().is_some_and(|node| node.boot_id == frame.boot_id) =>
            {
                self.follow(now, report);
            }
            _ => {}
        }
    }

    fn meet(&mut self, now: HubTime, boot_id: u32, hello: &Hello) {
        if self.outcome().is_some() {
            return;
        }
        let before = self.node.as_ref();
        if before.is_some_and(|before| before.node_id != hello.node_id) {
            self.end(UpdateFailure::OtherNode);
            return;
        }
        let is_same_boot = before.is_some_and(|before| before.boot_id == boot_id);
        // A repeated HELLO changes nothing, and before the restart the old boot still answers.
        if is_same_boot && self.phase != UpdatePhase::Meeting {
            return;
        }
        let firmware = hello.firmware.to_string();
        if !knows(hello.schema_hash, MessageType::UpdateBegin) {
            self.end(UpdateFailure::TooOld(firmware));
            return;
        }
        let interrupted = !matches!(self.phase, UpdatePhase::Meeting | UpdatePhase::Returning(_));
        self.node = Some(Met { node_id: hello.node_id.clone(), boot_id, firmware });
        if interrupted {
            self.cuts += 1;
        }
        if self.cuts > CUTS_MAX {
            self.end(UpdateFailure::Line);
        } else {
            self.enter(now, UpdatePhase::Asking);
        }
    }

    /// Whether the node runs the image that it is to run.
    fn is_current(&self) -> bool {
        let wanted = self.new_image().map(|image| image.header.firmware.as_str());
        wanted.is_some() && wanted == self.firmware()
    }

    fn follow(&mut self, now: HubTime, report: UpdateReport) {
        if matches!(self.phase, UpdatePhase::Ended(_) | UpdatePhase::Meeting) {
            return;
        }
        self.image = Some(report.image.to_string());
        if self.new_image().is_none() {
            self.end(UpdateFailure::NoImage(report.image.to_string()));
            return;
        }
        match (report.stage, &self.phase) {
            (UpdateStage::Refused(refusal), _) => self.refused(refusal),
            (UpdateStage::Trial, _) if self.is_current() => {
                if self.phase != UpdatePhase::Keeping {
                    self.started = true;
                    self.enter(now, UpdatePhase::Keeping);
                }
            }
            (UpdateStage::Trial, _) => self.end(UpdateFailure::OnTrial),
            (UpdateStage::Restarting, UpdatePhase::Returning(_)) => {}
            (UpdateStage::Restarting, _) => {
                self.started = true;
                self.enter(now, UpdatePhase::Returning(now.plus_micros(RETURN_MAX_US)));
            }
            (_, UpdatePhase::Returning(_)) => {}
            (_, UpdatePhase::Asking | UpdatePhase::Keeping) if self.is_current() => {
                let updated = self.started;
                self.phase = UpdatePhase::Ended(match updated {
                    true => UpdateOutcome::Updated,
                    false => UpdateOutcome::Current,
                });
            }
            (_, UpdatePhase::Asking) if self.started && self.went_back < TRIALS_MAX => {
                self.went_back += 1;
                self.started = false;
                self.enter(now, UpdatePhase::Beginning);
            }
            (_, UpdatePhase::Asking) if self.started => {
                let firmware = self.firmware().unwrap_or_default().to_owned();
                self.end(UpdateFailure::WentBack(firmware));
            }
            (_, UpdatePhase::Asking)
            | (UpdateStage::Idle, UpdatePhase::Sending(_) | UpdatePhase::Starting) => {
                self.enter(now, UpdatePhase::Beginning);
            }
            (UpdateStage::Receiving(offset), UpdatePhase::Sending(sent)) if offset == *sent => {}
            (UpdateStage::Receiving(offset), _) => self.send_chunk(now, offset),
            (UpdateStage::Complete, UpdatePhase::Starting) => {}
            (UpdateStage::Complete, _) => self.enter(now, UpdatePhase::Starting),
            (UpdateStage::Idle, _) => {}
        }
    }

    fn send_chunk(&mut self, now: HubTime, offset: u32) {
        self.chunks += 1;
        let length = self.new_image().map_or(0, NodeImage::length);
        let most = CHUNK_ATTEMPTS * length.div_ceil(UPDATE_CHUNK_BYTES as u32);
        if offset >= length || self.chunks > most {
            self.end(UpdateFailure::Line);
        } else {
            self.enter(now, UpdatePhase::Sending(offset));
        }
    }

    fn refused(&mut self, refusal: UpdateRefusal) {
        self.end(match refusal {
            UpdateRefusal::InUse => UpdateFailure::InUse,
            UpdateRefusal::OnTrial => UpdateFailure::OnTrial,
            UpdateRefusal::FlashFailed => UpdateFailure::FlashFailed,
            UpdateRefusal::TooLarge => UpdateFailure::Refused("too large"),
            UpdateRefusal::WrongImage => UpdateFailure::Refused("for another wiring"),
            UpdateRefusal::Damaged => UpdateFailure::Refused("damaged"),
        });
    }
}
