//! One serial port: opening, identification of its devices, their service, and a new start when the line is lost. Sans-IO.
//!
//! # Use
//!
//! [`Port::handle`] whatever has come; [`Port::poll_output`] until it is empty; [`Port::transmit`] until it gives no more bytes; and again
//! when something comes, or at [`Port::poll_timeout`]. The [`Registry`] is one for all ports of a hub.
//!
//! A table without room for inputs blocks its ports: the driver of the port reads no bytes meanwhile, and reports that with
//! [`PortInput::Waited`].

mod attached;
mod discovery;
mod output;
mod registry;
mod serving;

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use proto::link::HubTime;

use crate::drivers::{Device, Driver, LineSettings};
use crate::input::NodeInput;
use crate::journal_line::NodeState;
use crate::notice::{Level, LogThrottle, Notice, REPEAT_EVERY};
use crate::panicked;
use crate::time::{after, span};
use attached::Attached;

pub use discovery::Discovery;
pub use output::{Left, OpenProblem, PortInput, PortOutput};
pub use registry::{Firmware, Place, Registry, SeenNode};

/// First pause after a port was lost or could not be opened, in wall time; doubled until [`REOPEN_MAX`].
const REOPEN_MIN: Duration = Duration::from_millis(200);
const REOPEN_MAX: Duration = Duration::from_secs(1);
/// Silence after which a device is lost, in wall time: our nodes send at least a snapshot a second, others are asked at
/// least as often.
const SILENCE_MAX: Duration = Duration::from_secs(3);
/// Interval of the checks that no byte triggers, in wall time.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// The message about a port at which nothing is plugged in.
const ABSENT: &str =
    "nothing is plugged in: plug the node in, or correct the port in the configuration";

/// Makes the driver of a line: at the start, and again when one has failed.
pub type NewDriver = Box<dyn Fn() -> Box<dyn Driver> + Send + Sync>;

/// The port's path.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    /// The serial device.
    pub path: PathBuf,
    /// The device that the configuration has at this port; none for a port that was found.
    pub meant_for: Option<String>,
    /// Seconds of hub time in a second of wall time.
    pub rate: f64,
}

/// Whether the line is open.
#[derive(Clone, Copy, Debug)]
enum LinePhase {
    /// Opening is tried again at this time.
    Closed(HubTime),
    /// The shell is opening it.
    Opening,
    /// It is open.
    Open {
        /// Time of the last understood byte.
        heard: HubTime,
        /// Whether something was garbled since it was opened.
        garbled: bool,
        /// Time of the next check.
        look_at: HubTime,
    },
    /// The port was found, and its device was unplugged.
    Ended,
}

/// One serial port.
pub struct Port {
    path: PathBuf,
    /// The port in messages.
    name: String,
    /// Whether the port was found by search: it is dropped when its device is unplugged, and a device that is no node is no error there.
    was_found: bool,
    rate: f64,
    new_driver: NewDriver,
    driver: Box<dyn Driver>,
    phase: LinePhase,
    pause: Duration,
    /// The devices that have a place.
    attached: Vec<Attached>,
    /// Devices that have come while another port still hands on what they said there.
    awaited: Vec<Device>,
    /// The driver's failure, until it is reported.
    failure: Option<String>,
    opening: LogThrottle,
    failing: LogThrottle,
    garbled: LogThrottle,
    refused: LogThrottle,
    outputs: VecDeque<PortOutput>,
}

impl fmt::Debug for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Port { path, phase, attached, driver, .. } = self;
        f.debug_struct("Port")
            .field("path", path)
            .field("phase", phase)
            .field("attached", attached)
            .field("driver", driver)
            .finish_non_exhaustive()
    }
}

impl Port {
    /// A port that is to be opened now.
    #[must_use]
    pub fn new(about: About, new_driver: NewDriver, now: HubTime) -> Port {
        let About { path, meant_for, rate } = about;
        let was_found = meant_for.is_none();
        let name = match meant_for {
            Some(meant_for) => format!("port {} ({meant_for})", path.display()),
            None => format!("port {}", path.display()),
        };
        Port {
            path,
            name,
            was_found,
            rate,
            driver: new_driver(),
            new_driver,
            phase: LinePhase::Closed(now),
            pause: REOPEN_MIN,
            attached: Vec::new(),
            awaited: Vec::new(),
            failure: None,
            opening: LogThrottle::default(),
            failing: LogThrottle::default(),
            garbled: LogThrottle::default(),
            refused: LogThrottle::default(),
            outputs: VecDeque::new(),
        }
    }

    /// The serial device.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Settings with which the line is opened.
    #[must_use]
    pub fn line(&self) -> LineSettings {
        self.driver.line()
    }

    /// Takes what has come, and does what is due.
    pub fn handle(&mut self, now: HubTime, registry: &mut Registry, input: PortInput<'_>) {
        match input {
            PortInput::Opened(transport) => {
                self.opening.clear();
                let look_at = after(now, self.span(LOOK_EVERY));
                self.phase = LinePhase::Open { heard: now, garbled: false, look_at };
                let rate = self.rate;
                self.guard(|driver| {
                    driver.set_transport(transport);
                    driver.set_rate(rate);
                    driver.opened(now);
                });
            }
            PortInput::NotOpened(problem) => self.not_opened(now, registry, problem),
            PortInput::Received(bytes) => self.guard(|driver| driver.receive(now, bytes)),
            PortInput::Lost(reason) => self.lose_line(now, registry, &reason),
            PortInput::Request(request) => self.ask(now, request),
            PortInput::Waited => self.forgive_silence(now),
            PortInput::Stop => {
                for attached in std::mem::take(&mut self.attached) {
                    self.release(registry, &attached);
                }
            }
            PortInput::Committed(offset) => self.note_committed(&offset),
            PortInput::WatermarkWanted { table, at } => self.want_watermark(now, table, at),
            PortInput::Time => {}
        }
        self.do_what_is_due(now, registry);
        self.take_outputs(now, registry);
        if let Some(words) = self.failure.take() {
            self.fail(now, registry, &words);
        }
    }

    /// Bytes for the line, into `out`; how many.
    pub fn transmit(&mut self, now: HubTime, registry: &mut Registry, out: &mut [u8]) -> usize {
        if !matches!(self.phase, LinePhase::Open { .. }) {
            return 0;
        }
        let mut length = 0;
        self.guard(|driver| length = driver.transmit(out));
        if let Some(words) = self.failure.take() {
            self.fail(now, registry, &words);
            return 0;
        }
        length
    }

    /// The next thing to do.
    pub fn poll_output(&mut self) -> Option<PortOutput> {
        self.outputs.pop_front()
    }

    /// Time at which the port must be called again.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<HubTime> {
        match self.phase {
            LinePhase::Closed(open_at) => Some(open_at),
            LinePhase::Open { look_at, .. } => Some(self.driver.next_due().min(look_at)),
            LinePhase::Opening | LinePhase::Ended => None,
        }
    }

    /// The devices that are attached here, by their ids.
    pub fn nodes(&self) -> impl Iterator<Item = &str> {
        self.attached.iter().map(Attached::id)
    }

    fn do_what_is_due(&mut self, now: HubTime, registry: &mut Registry) {
        match self.phase {
            LinePhase::Closed(open_at) if open_at <= now => {
                self.phase = LinePhase::Opening;
                self.outputs.push_back(PortOutput::Open);
            }
            LinePhase::Open { heard, garbled, look_at } => {
                if self.driver.next_due() <= now {
                    self.guard(|driver| driver.poll(now));
                }
                if look_at <= now {
                    let look_at = after(now, self.span(LOOK_EVERY));
                    self.phase = LinePhase::Open { heard, garbled, look_at };
                    self.look_after(now, registry);
                    self.meet_awaited(now, registry);
                }
            }
            _ => {}
        }
    }

    fn not_opened(&mut self, now: HubTime, registry: &Registry, problem: OpenProblem) {
        match problem {
            OpenProblem::Absent if self.was_found => {
                self.phase = LinePhase::Ended;
                self.outputs.push_back(PortOutput::End);
                return;
            }
            // A node that goes on at another port is not missed at this one.
            OpenProblem::Absent if registry.missing_at(&self.path).is_empty() => {}
            OpenProblem::Absent => self.complain_of_opening(now, registry, ABSENT),
            OpenProblem::Elsewhere => {}
            OpenProblem::Other(words) => self.complain_of_opening(now, registry, &words),
        }
        self.open_later(now);
    }

    fn open_later(&mut self, now: HubTime) {
        self.phase = LinePhase::Closed(after(now, self.span(self.pause)));
        self.pause = (self.pause * 2).min(REOPEN_MAX);
    }

    fn complain_of_opening(&mut self, now: HubTime, registry: &Registry, problem: &str) {
        if self.opening.is_due(problem, now, self.span(REPEAT_EVERY)).is_some() {
            self.say(Level::Error, format!("{}: {problem}", self.name));
            self.report_missing(now, registry, problem);
        }
    }

    /// Tells the tables that the nodes expected here are not.
    fn report_missing(&mut self, now: HubTime, registry: &Registry, problem: &str) {
        for place in registry.missing_at(&self.path) {
            let input = NodeInput::State {
                node_id: place.node.id,
                board: place.node.board,
                at: now,
                state: NodeState::Lost,
                detail: format!("port {}: {problem}", self.path.display()),
            };
            self.outputs.push_back(PortOutput::ToTable { table: place.table, input });
        }
    }

    /// Closes the port after a lost line; `why`: the reason in words.
    fn lose_line(&mut self, now: HubTime, registry: &mut Registry, reason: &str) {
        if !matches!(self.phase, LinePhase::Open { .. }) {
            return;
        }
        // The device's last readings come before its departure.
        self.take_outputs(now, registry);
        self.awaited.clear();
        registry.lose_strangers(&self.path);
        let attached = std::mem::take(&mut self.attached);
        if attached.is_empty() {
            self.say(Level::Debug, format!("port {}: {reason}", self.path.display()));
        } else {
            self.pause = REOPEN_MIN;
            // The loss is reported already; an empty port is not reported again.
            self.opening.is_due(ABSENT, now, self.span(REPEAT_EVERY));
        }
        for attached in attached {
            self.lose(now, registry, attached, reason);
        }
        self.outputs.push_back(PortOutput::Close);
        self.open_later(now);
    }

    /// The driver has failed at bytes of its device: this port begins again with a new driver, and the other ports go on. It
    /// waits longer each time, so that a device that makes it fail again and again costs little.
    fn fail(&mut self, now: HubTime, registry: &mut Registry, words: &str) {
        if let Some(more) = self.failing.is_due(words, now, self.span(REPEAT_EVERY)) {
            let words = format!(
                "{}: its driver failed ({words}; {more} more times since the last report) and restarts; report this with the hub's log",
                self.name
            );
            self.say(Level::Error, words);
        }
        self.driver = (self.new_driver)();
        self.awaited.clear();
        registry.lose_strangers(&self.path);
        for mut attached in std::mem::take(&mut self.attached) {
            self.outputs.extend(attached.note_lost(now, "its driver failed"));
            registry.note_leaving(attached.id());
            self.outputs.push_back(attached.leave(None));
        }
        self.outputs.push_back(PortOutput::Close);
        self.open_later(now);
    }

    /// Calls the driver. A driver that has failed is not called any more.
    fn guard(&mut self, act: impl FnOnce(&mut dyn Driver)) {
        if self.failure.is_some() {
            return;
        }
        let driver = &mut *self.driver;
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| act(driver))) {
            self.failure = Some(panicked::words(&*panic));
        }
    }

    fn say(&mut self, level: Level, words: impl Into<String>) {
        self.outputs.push_back(PortOutput::Notice(Notice::new(level, words)));
    }

    /// A span of wall time as hub time.
    fn span(&self, wall: Duration) -> Duration {
        span(wall, self.rate)
    }
}

#[cfg(test)]
mod tests;
