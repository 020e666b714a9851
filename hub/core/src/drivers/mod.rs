//! Drivers: the protocols of the devices on serial lines, of every maker. Sans-IO.
//!
//! A [`Driver`] is the hub's end of one line. It takes bytes and times and gives bytes, readings in hub
//! time, and news of who is there; it opens no port, reads no clock and sleeps never. The shell
//! around it ([`crate::ports`], or the doctor) goes round:
//!
//! 1. open the line as [`Driver::line`] says, then [`Driver::opened`];
//! 2. [`Driver::transmit`] until it gives no more bytes;
//! 3. wait for bytes ([`Driver::receive`]) or for [`Driver::next_due`] ([`Driver::poll`]);
//! 4. [`Driver::poll_output`] until it is empty; then from 2 again.
//!
//! A device that sends its id comes out as [`Output::Present`]. It is heard from then on, but gives
//! readings only when the shell has found a place for it and said so with [`Driver::admit`].
//!
//! All times are hub time, which may run faster than wall time in simulations: a driver keeps its
//! own intervals in hub time, the shell judges in wall time whether a device has fallen silent.

pub(crate) mod board;
pub mod certabo;
pub mod chesslink;
pub mod chessnut;
pub mod dgt;
mod settings;
mod silence;
mod twinboard;
mod unknown;

use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::Arc;

use proto::link::{CommandName, CommandOutcome, HubTime, Order, ResumePoint};
use readings::SensorKind;

pub use settings::DriverSettings;
pub use twinboard::Link as TwinboardLink;

use crate::journal_line::TimedReading;
use crate::request::Naming;
use crate::update::{NodeImages, UpdateOutcome};

/// Settings with which a line is opened. Eight data bits, no parity, one stop bit, no flow control: a protocol with seven bits and
/// parity looks the same on the wire when the driver makes the parity bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineSettings {
    /// Bits a second.
    pub baud: u32,
    /// Level of the DTR line; none leaves it to the operating system.
    pub dtr: Option<bool>,
    /// The same of the RTS line.
    pub rts: Option<bool>,
}

/// A line's way of carrying bytes, as far as arrivals show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// One after the other, at the speed of [`LineSettings`].
    Uart,
    /// Many bytes at once, at an own speed; or unknown.
    Packets,
}

/// One of the devices on a line; lines that hold one device call it [`Unit::ONLY`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Unit(pub u16);

impl Unit {
    /// The device of a line that holds one.
    pub const ONLY: Unit = Unit(0);
}

/// Kind of sensors of a device's board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardSenses {
    /// Kind of sensor of a square.
    pub sensor: SensorKind,
    /// Whether two reserve trays have sensed slots.
    pub trays: bool,
}

/// A device that said who it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Number of the device on the line.
    pub unit: Unit,
    /// Its permanent id; none if its maker gave it none, so that only its port distinguishes it from others.
    pub id: Option<String>,
    /// Its maker's version, in its maker's words; empty if it does not say.
    pub firmware: String,
    /// Id of this run of the device, if it sends one.
    pub boot_id: Option<u32>,
    /// Its squares, if it has a board.
    pub board: Option<BoardSenses>,
    /// Whether it is a clock, or brings one with its board. A device to which a clock may be connected says
    /// true when it does not know.
    pub clock: bool,
}

/// Health of a device, from itself or from the driver's counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceHealth {
    /// Readings that wait for acknowledgement in the device.
    pub buffered_events: u32,
    /// Readings the device had to discard.
    pub lost_events: u32,
    /// Readings it sent more than once.
    pub resent_events: u32,
    /// Messages that one end did not understand.
    pub rejected_messages: u64,
    /// Longest time between two scans lately, in µs; 0 if it does not say.
    pub longest_scan_gap_us: u32,
    /// Squares that flicker, as a bitboard; of a clock bit 0 = White's press, 1 = Black's, 2 = tilt, 3 and 4 = hands.
    pub flickering: u64,
}

/// A set of a board's sensors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SensorSet {
    /// Squares as a bitboard.
    pub squares: u64,
    /// Slots of the trays from which White and Black drop, bit 0 = slot 0.
    pub trays: [u16; 2],
}

/// Health of a board's sensors, one by one, from the device itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SensorHealth {
    /// Sensors that change faster than a hand.
    pub chattering: SensorSet,
    /// Sensors that do not change although they should have.
    pub stuck: SensorSet,
    /// Sensors that work barely.
    pub weak: SensorSet,
    /// Restlessness of each square since the last report, from a1, in the device's own unit.
    pub noise: [u8; 64],
}

/// The outputs of a driver, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// A device introduced itself, for the first time or again.
    Present(Device),
    /// The device was understood: it lives.
    Heard(Unit),
    /// The device has left this line, or another answers in its place.
    Gone {
        /// Which.
        unit: Unit,
        /// The reason, in words.
        reason: String,
    },
    /// Readings of an admitted device, in order of time.
    Readings {
        /// Which.
        unit: Unit,
        /// The readings with their times.
        readings: Vec<TimedReading>,
        /// Position to acknowledge with [`Driver::committed`] when they are in the journal, if the device waits for that.
        reached: Option<ResumePoint>,
    },
    /// Watermark: all readings of the device before `until` have come out; not every device sends watermarks.
    Watermark {
        /// Which.
        unit: Unit,
        /// Time of the watermark.
        until: HubTime,
    },
    /// The error of the device's times has changed much; only devices that stamp their readings say it.
    Timed {
        /// Which.
        unit: Unit,
        /// Largest error of a reading's time, microseconds.
        error_us: u32,
    },
    /// Doubt about the device's readings, in words for a person; none when it is over.
    Doubtful {
        /// Which.
        unit: Unit,
        /// The problem and the remedy.
        detail: Option<String>,
    },
    /// Health of the device.
    Health {
        /// Which.
        unit: Unit,
        /// Its figures.
        health: DeviceHealth,
    },
    /// Health of its board's sensors.
    Sensors {
        /// Which.
        unit: Unit,
        /// Sensor by sensor.
        sensors: Box<SensorHealth>,
    },
    /// Answer to [`Driver::request_image`].
    Image {
        /// The device.
        unit: Unit,
        /// Name of the image that runs: processor and wiring.
        name: String,
    },
    /// A command of [`Driver::give`] has ended.
    Commanded {
        /// Which.
        unit: Unit,
        /// The order that it was of.
        order_id: u64,
        /// The outcome.
        outcome: CommandOutcome,
    },
    /// An update of [`Driver::update`] has ended.
    Updated {
        /// Which.
        unit: Unit,
        /// The outcome.
        outcome: UpdateOutcome,
    },
    /// The device's text to be kept on disk, for [`ConnectionState::New`] of the hub's next run: without line breaks.
    Persist {
        /// Which.
        unit: Unit,
        /// The text, in place of the former one.
        text: String,
    },
    /// Invalid bytes were skipped: the problem, in words.
    Garbled(String),
    /// A message that the driver does not know: its kind, its bytes, and the remedy. Each kind comes once.
    Unknown(String),
    /// The device at the line cannot be used: the reason, and the remedy.
    Unusable(String),
}

/// State of a device that the shell keeps between two connections, at any port.
#[derive(Debug)]
pub enum ConnectionState {
    /// The hub has not met it in this run.
    New {
        /// Its state in the journal.
        resume: Option<ResumePoint>,
        /// Text of the last [`Output::Persist`].
        kept: Option<String>,
    },
    /// One of our own nodes: the session of its link.
    Twinboard(Box<TwinboardLink>),
    /// A device that keeps nothing for the hub: while it was away, its readings were lost.
    Met {
        /// Text of the last [`Output::Persist`].
        kept: Option<String>,
    },
}

impl ConnectionState {
    /// The kept text, and whether readings were lost since the device was here last, in this run of the hub or an
    /// earlier one.
    fn kept(self) -> (Option<String>, bool) {
        match self {
            ConnectionState::New { kept, .. } => {
                let met = kept.is_some();
                (kept, met)
            }
            ConnectionState::Met { kept } => (kept, true),
            ConnectionState::Twinboard(_) => (None, false),
        }
    }
}

/// A command of a director's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Given {
    /// The order.
    pub order_id: u64,
    /// The command's name, as the journal has it.
    pub name: CommandName,
    /// The command.
    pub command: Order,
}

/// Moves bytes that wait for the line into `out`; how many.
fn drain(waiting: &mut VecDeque<u8>, out: &mut [u8]) -> usize {
    let length = out.len().min(waiting.len());
    for (place, byte) in out.iter_mut().zip(waiting.drain(..length)) {
        *place = byte;
    }
    length
}

/// The hub's end of a line.
pub trait Driver: Debug + Send + Sync {
    /// Settings with which the line is opened.
    fn line(&self) -> LineSettings;

    /// Sets the line's way of carrying bytes, before [`Self::opened`]. Only drivers with exact times use it.
    fn set_transport(&mut self, _carrier: Transport) {}

    /// Sets the seconds of hub time in a second of wall time, before [`Self::opened`]. Only drivers that wait use it
    /// that takes wall time.
    fn set_rate(&mut self, _rate: f64) {}

    /// The line was opened, for the first time or again, perhaps to another device: forget half
    /// messages and begin from the start.
    fn opened(&mut self, now: HubTime);

    /// Reads bytes from the line. Invalid bytes do no harm.
    fn receive(&mut self, now: HubTime, bytes: &[u8]);

    /// Moves bytes for the line into `out`; how many.
    fn transmit(&mut self, out: &mut [u8]) -> usize;

    /// Time at which the driver must be called again.
    fn next_due(&self) -> HubTime {
        HubTime::MAX
    }

    /// Does what is due.
    fn poll(&mut self, now: HubTime);

    /// The next thing to say.
    fn poll_output(&mut self) -> Option<Output>;

    /// A device has its place: its readings are wanted from now on.
    fn admit(&mut self, unit: Unit, memory: ConnectionState);

    /// The device's place is taken away, or the line is closed; what is to be kept of it.
    fn release(&mut self, unit: Unit) -> ConnectionState;

    /// Readings up to `reached` are in the journal.
    fn committed(&mut self, _unit: Unit, _reached: ResumePoint) {}

    /// The table waits until [`Output::Watermark`] has come to `at`, at the latest `now`; a device that sends watermarks is asked.
    fn request_watermark(&mut self, _unit: Unit, _now: HubTime, _at: HubTime) {}

    /// The device shall show itself to a person, if it can.
    fn identify(&mut self, _unit: Unit, _seconds: u8) {}

    /// Asks for the firmware image that the device runs, which names its wiring. A device without images of ours does not answer.
    fn request_image(&mut self, _unit: Unit) {}

    /// Updates the firmware of the device with one of these images, at any port it comes to. Ends with [`Output::Updated`]. False for a
    /// device that has no firmware of ours.
    fn update(&mut self, _unit: Unit, _now: HubTime, _images: &Arc<NodeImages>) -> bool {
        false
    }

    /// Name of the next command. Not every device accepts commands.
    fn name_command(&mut self, _unit: Unit) -> Naming {
        Naming::Unsupported
    }

    /// The device shall do something under a name of [`Self::name_command`], perhaps one of an earlier run of the hub. The same order
    /// given again while it is under way changes nothing. Ends with [`Output::Commanded`].
    fn give(&mut self, _unit: Unit, _now: HubTime, _given: Given) {}

    /// Notice when nothing on the line is understood.
    fn silence(&self) -> &'static str;
}

/// The readings that a driver has to say, for tests.
#[cfg(test)]
fn readings_said(driver: &mut impl Driver) -> Vec<TimedReading> {
    let outputs = std::iter::from_fn(|| driver.poll_output());
    let readings = outputs.filter_map(|output| match output {
        Output::Readings { readings, .. } => Some(readings),
        _ => None,
    });
    readings.flatten().collect()
}
