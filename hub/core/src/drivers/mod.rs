//! Drivers: what a device on a serial line says and wants to hear, whoever made it. Sans-IO.
//!
//! A [`Driver`] is the hub's end of one line. It takes bytes and times and gives bytes, readings in hub
//! time, and news of who is there; it opens no port, reads no clock and sleeps never. The shell
//! around it ([`crate::ports`], or whoever looks at a device) goes round:
//!
//! 1. open the line as [`Driver::line`] says, then [`Driver::opened`];
//! 2. [`Driver::transmit`] until it gives no more bytes;
//! 3. wait for bytes ([`Driver::receive`]) or for [`Driver::next_due`] ([`Driver::poll`]);
//! 4. [`Driver::poll_output`] until it is empty; then from 2 again.
//!
//! A device that says who it is comes out as [`Output::Present`]. It is heard from then on, but gives
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

use proto::link::{CommandName, CommandOutcome, HubTime, Order, ResumePoint};
use readings::SensorKind;

pub use settings::DriverSettings;
pub use twinboard::Link as TwinboardLink;

use crate::journal_line::TimedReading;
use crate::request::Naming;

/// How a line is to be opened. Eight data bits, no parity, one stop bit, no flow control: a protocol with seven bits and
/// parity looks the same on the wire when the driver makes the parity bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineSettings {
    /// Bits a second.
    pub baud: u32,
    /// What the DTR line shall say; none leaves it to the operating system.
    pub dtr: Option<bool>,
    /// The same of the RTS line.
    pub rts: Option<bool>,
}

/// How a line carries bytes, as far as arrivals tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// One after the other, at the speed of [`LineSettings`].
    Uart,
    /// Many at once, at a speed of their own; or nobody knows.
    Packets,
}

/// One of the devices on a line; lines that hold one device call it [`Unit::ONLY`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Unit(pub u16);

impl Unit {
    /// The device of a line that holds one.
    pub const ONLY: Unit = Unit(0);
}

/// What a device's board can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardSenses {
    /// What a square can tell.
    pub sensor: SensorKind,
    /// Whether two reserve trays have sensed slots.
    pub trays: bool,
}

/// A device that said who it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Which one of the line.
    pub unit: Unit,
    /// What it is called for life; none if its maker gave it no name, so that only its port tells it from others.
    pub id: Option<String>,
    /// Its maker's version, in its maker's words; empty if it does not say.
    pub firmware: String,
    /// Names this run of the device, if it says so.
    pub boot_id: Option<u32>,
    /// Its squares, if it has a board.
    pub board: Option<BoardSenses>,
    /// Whether it is a clock, or brings one with its board. A device to which a clock may be connected says
    /// true when it does not know.
    pub clock: bool,
}

/// How a device is, in its own words or the driver's count.
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

/// How a board's sensors are, one by one, in the device's own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SensorHealth {
    /// They come and go faster than a hand.
    pub chattering: SensorSet,
    /// They do not change although they should have.
    pub stuck: SensorSet,
    /// They work, but barely.
    pub weak: SensorSet,
    /// How restless each square is since the last report, from a1; what the number means is the device's business.
    pub noise: [u8; 64],
}

/// What comes out of a driver, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// A device introduced itself, for the first time or again.
    Present(Device),
    /// The device was understood: it lives.
    Heard(Unit),
    /// It is not at this line any more, or another answers in its place.
    Gone {
        /// Which.
        unit: Unit,
        /// Why, in words.
        reason: String,
    },
    /// Readings of an admitted device, in order of time.
    Readings {
        /// Which.
        unit: Unit,
        /// What was read and when.
        readings: Vec<TimedReading>,
        /// What to acknowledge with [`Driver::committed`] when they are in the journal, if the device waits for that.
        reached: Option<ResumePoint>,
    },
    /// All that the device read before `until` has come out; not every device can say so.
    Watermark {
        /// Which.
        unit: Unit,
        /// Until when.
        until: HubTime,
    },
    /// What the device says is doubtful, in words for a person; none when it is no more.
    Doubtful {
        /// Which.
        unit: Unit,
        /// What is the matter and what to do.
        detail: Option<String>,
    },
    /// How the device is.
    Health {
        /// Which.
        unit: Unit,
        /// Its figures.
        health: DeviceHealth,
    },
    /// How its board's sensors are.
    Sensors {
        /// Which.
        unit: Unit,
        /// Sensor by sensor.
        sensors: Box<SensorHealth>,
    },
    /// A command of [`Driver::give`] has ended.
    Commanded {
        /// Which.
        unit: Unit,
        /// The order that it was of.
        order_id: u64,
        /// How.
        outcome: CommandOutcome,
    },
    /// What is to be kept of the device on disk, for [`ConnectionState::New`] of the hub's next run: text without line breaks.
    Persist {
        /// Which.
        unit: Unit,
        /// What to keep instead of what was kept before.
        text: String,
    },
    /// Bytes that make no sense were skipped: what was wrong, in words.
    Garbled(String),
    /// The device said something that its driver does not know: what, its bytes, and what to do. Each kind once.
    Unknown(String),
    /// What is at the line cannot be worked with: why, and what to do.
    Unusable(String),
}

/// What the shell keeps of a device between two connections, to whichever port it comes back.
#[derive(Debug)]
pub enum ConnectionState {
    /// The hub has not met it in this run.
    New {
        /// What the journal knows of it.
        resume: Option<ResumePoint>,
        /// What [`Output::Persist`] said last.
        kept: Option<String>,
    },
    /// One of our own nodes: the session of its link.
    Twinboard(Box<TwinboardLink>),
    /// A device that keeps nothing for the hub: while it was away, its readings were lost.
    Met {
        /// What [`Output::Persist`] said last.
        kept: Option<String>,
    },
}

impl ConnectionState {
    /// What was kept, and whether readings were lost since the device was here last, in this run of the hub or an
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
    /// How the line is to be opened.
    fn line(&self) -> LineSettings;

    /// How the line carries bytes; told before [`Self::opened`]. Matters to whoever looks at times closely.
    fn set_transport(&mut self, _carrier: Transport) {}

    /// A second of wall time has `rate` seconds of hub time; told before [`Self::opened`]. Matters to whoever waits for something
    /// that takes wall time.
    fn set_rate(&mut self, _rate: f64) {}

    /// The line was opened, for the first time or anew, perhaps to another device: forget half
    /// messages and begin from the start.
    fn opened(&mut self, now: HubTime);

    /// Takes bytes from the line. Bytes that make no sense do no harm, whatever they are.
    fn receive(&mut self, now: HubTime, bytes: &[u8]);

    /// Moves bytes for the line into `out`; how many.
    fn transmit(&mut self, out: &mut [u8]) -> usize;

    /// When time alone will change something.
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

    /// Somebody waits until [`Output::Watermark`] has come to `at`, at the latest `now`; the device is asked, if it can tell.
    fn request_watermark(&mut self, _unit: Unit, _now: HubTime, _at: HubTime) {}

    /// The device shall show itself to a person, if it can.
    fn identify(&mut self, _unit: Unit, _seconds: u8) {}

    /// How the next command would be named. Not every device takes commands.
    fn name_command(&mut self, _unit: Unit) -> Naming {
        Naming::Unsupported
    }

    /// The device shall do something under a name of [`Self::name_command`], perhaps one of an earlier run of the hub. The same order
    /// given again while it is under way changes nothing. Ends with [`Output::Commanded`].
    fn give(&mut self, _unit: Unit, _now: HubTime, _given: Given) {}

    /// What to tell a person when nothing on the line is understood.
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
