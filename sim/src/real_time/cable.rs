//! A cable of the hall in real time: a node or a device of another maker, its line, and what people do to both.

use std::{
    io,
    path::PathBuf,
    time::{SystemTime, UNIX_EPOCH},
};

use proto::link::Side;
use rules::Square;
use tokio::{
    sync::{mpsc, oneshot},
    time::{Duration, Instant, sleep_until},
};

use super::line::Line;
use crate::{
    SimError,
    device::{Device, Stimulus, Timed},
    devices::SerialDevice,
};

/// Longest sleep, in real time, whatever there is to do.
const LONGEST_SLEEP: Duration = Duration::from_millis(250);

/// The hall's time: a timeline that runs `speed` times as fast as real time.
#[derive(Clone, Copy, Debug)]
pub(super) struct HallTime {
    pub(super) start: Instant,
    pub(super) speed: f64,
}

impl HallTime {
    /// Microseconds of hall time since the hall was opened.
    pub(super) fn now_us(self) -> u64 {
        (self.start.elapsed().as_secs_f64() * self.speed * 1e6) as u64
    }

    /// The real time of a moment of hall time; far ones are cut off.
    pub(super) fn instant(self, us: u64) -> Instant {
        const FAR_S: f64 = 1e6;
        let seconds = (us as f64 / 1e6 / self.speed).min(FAR_S);
        self.start + Duration::from_secs_f64(seconds)
    }
}

/// A fault of a device or its cable.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// The cable is pulled: the serial device disappears. A node has power of its own and goes on; a device of another maker has
    /// not.
    Unplug,
    /// The cable is plugged in again where it was: a new serial device appears under the same link.
    Replug,
    /// The cable is plugged in elsewhere: a new serial device appears under this link, and none is left under the old one.
    PlugInAt(PathBuf),
    /// The receiver fails: messages to the node are lost, and it continues to send.
    Deaf,
}

/// A touch of a hand at a node of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    /// A piece is put on a square of a reed board, or lifted from it.
    Square(Square, bool),
    /// This side of the lever is pressed down.
    Lever(Side),
    /// Both times of a clock are stopped with its middle button.
    Stop,
}

impl Touch {
    pub(super) fn stimulus(self) -> Stimulus {
        match self {
            Touch::Square(square, occupied) => Stimulus::Contact(square, occupied),
            Touch::Lever(side) => Stimulus::Lever(side),
            Touch::Stop => Stimulus::Stop,
        }
    }
}

/// A fault, a touch, or more stimuli at their times.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Deed {
    Fault(Fault),
    Touch(Touch),
    Stimuli(Vec<Timed>),
}

pub(super) type Order = (Deed, oneshot::Sender<Result<(), SimError>>);

/// The device on the cable.
pub(super) enum Attachment {
    /// A node of ours.
    Node(Device),
    /// A device of another maker.
    Other(Box<dyn SerialDevice>),
}

pub(super) struct CableTask {
    attachment: Attachment,
    line: Line,
    time: HallTime,
    orders: mpsc::Receiver<Order>,
    is_deaf: bool,
}

impl CableTask {
    pub(super) fn new(
        attachment: Attachment,
        line: Line,
        time: HallTime,
        orders: mpsc::Receiver<Order>,
    ) -> CableTask {
        CableTask { attachment, line, time, orders, is_deaf: false }
    }

    /// Runs until nobody can give orders any more.
    pub(super) async fn run(mut self) {
        loop {
            if let Err(error) = self.exchange() {
                let path = self.line.path().display();
                tracing::warn!(%path, %error, "line failed; its device is unplugged");
                self.line.unplug();
            }
            let due = self.time.instant(self.attachment.next_due_us());
            let wake = due.min(Instant::now() + LONGEST_SLEEP);
            tokio::select! {
                order = self.orders.recv() => match order {
                    Some((deed, done)) => {
                        let result = self.suffer(deed);
                        // The caller may have ended.
                        let _ = done.send(result);
                    }
                    None => return,
                },
                () = self.line.ready() => {}
                () = sleep_until(wake) => {}
            }
        }
    }

    fn exchange(&mut self) -> io::Result<()> {
        let attachment = &mut self.attachment;
        attachment.run_until(self.time.now_us());
        let is_deaf = self.is_deaf;
        self.line.receive(|bytes| {
            if !is_deaf {
                attachment.receive(bytes);
            }
        })?;
        self.line.send(|out| attachment.transmit(out))
    }

    fn suffer(&mut self, deed: Deed) -> Result<(), SimError> {
        let fault = match deed {
            Deed::Fault(fault) => fault,
            Deed::Touch(touch) => {
                self.attachment.run_until(self.time.now_us());
                self.attachment.touched(touch);
                return Ok(());
            }
            Deed::Stimuli(timeline) => {
                // A device of another maker has hands of its own.
                if let Attachment::Node(device) = &mut self.attachment {
                    device.extend(timeline);
                }
                return Ok(());
            }
        };
        match fault {
            Fault::Unplug => {
                self.line.unplug();
                self.attachment.unplugged();
            }
            Fault::Replug => self.line.plug_in()?,
            Fault::PlugInAt(path) => {
                self.line.unplug();
                self.attachment.unplugged();
                self.line.plug_in_at(path)?;
            }
            Fault::Deaf => self.is_deaf = true,
        }
        Ok(())
    }
}

impl Attachment {
    fn next_due_us(&self) -> u64 {
        match self {
            Attachment::Node(device) => device.next_due_us(),
            Attachment::Other(device) => device.next_due_us(),
        }
    }

    fn run_until(&mut self, now_us: u64) {
        match self {
            Attachment::Node(device) => device.run_until(now_us),
            Attachment::Other(device) => device.run_until(now_us),
        }
    }

    fn receive(&mut self, bytes: &[u8]) {
        match self {
            Attachment::Node(device) => device.receive(bytes),
            Attachment::Other(device) => device.receive(bytes),
        }
    }

    fn transmit(&mut self, out: &mut [u8]) -> usize {
        match self {
            Attachment::Node(device) => device.transmit(out),
            Attachment::Other(device) => device.transmit(out),
        }
    }

    /// A hand does something at a node; a device of another maker has hands of its own.
    fn touched(&mut self, touch: Touch) {
        let Attachment::Node(device) = self else { return };
        device.touched(touch.stimulus());
    }

    fn unplugged(&mut self) {
        match self {
            Attachment::Node(..) => {}
            Attachment::Other(device) => device.power_off(),
        }
    }
}

/// Has something done to what hangs on a cable; when this returns, it has happened.
pub(super) async fn order(orders: &mpsc::Sender<Order>, deed: Deed) -> Result<(), SimError> {
    let (done, finished) = oneshot::channel();
    orders.send((deed, done)).await.map_err(|_| SimError::Closed)?;
    finished.await.map_err(|_| SimError::Closed)?
}

/// Names a run of a node: different at every start, also of the hall, hence not from its seed.
pub(super) fn boot_id() -> u32 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mixed = (since.as_nanos() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed >> 32) as u32).max(1)
}
