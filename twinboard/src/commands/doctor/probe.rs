//! What the doctor does at one serial port, decided without input or output: one driver after the other is tried until one understands what is
//! there, and what that says is told. A port of a hub gives places and journals; this does neither.
//!
//! Our own nodes keep what they read until it is acknowledged. What a node with a place has seen of play before the doctor came
//! belongs to its hub, and is left to it: then nothing of this node is acknowledged. Otherwise what the doctor saw is
//! acknowledged, so that a check's lifted pieces and presses do not reach the hub afterwards as if they were play.
//!
//! Use: [`Probe::handle`] whatever has come; [`Probe::poll_output`] until it is empty; [`Probe::transmit`] until it says nothing; again at
//! [`Probe::poll_timeout`].

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use hub::HubTime;
use hub::drivers::certabo::rfid::TagBook;
use hub::drivers::{ConnectionState, Driver, DriverSettings, Given, LineSettings, Output, Unit};
use hub::ports::Naming;
use proto::link::{CommandOutcome, CommandResult, Order, Standing};
use readings::ReadingKind;

/// How long a driver may try before the next one does, µs. Our nodes answer within milliseconds, the slowest of the others within a second.
pub(super) const TRY_US: u64 = 1_500_000;
/// Pause before a port that failed is opened again, µs.
const REOPEN_US: u64 = 700_000;
/// What a node read this long before the port was opened, or longer, was not the doctor's doing, in µs.
const BEFORE_US: u64 = 2_000_000;

/// The number of the doctor's one order.
const CALIBRATION: u64 = 1;

/// What happened at a port.
#[derive(Debug)]
pub(super) enum ProbeReport {
    /// It cannot be opened, or is lost: why, and what to do.
    Trouble(String),
    /// No driver understands what is there, if anything is.
    Silent(&'static str),
    /// A driver said this.
    Said(Output),
    /// The node holds readings that its hub has not taken; they are left to it.
    HoldsReadings,
}

/// What comes to a probe.
#[derive(Debug)]
pub(super) enum ProbeInput<'a> {
    /// The line is open.
    Opened,
    /// Bytes came.
    Received(&'a [u8]),
    /// The line could not be opened, or is lost: why, in words.
    Lost(String),
    /// The device blinks for these seconds.
    Blink(u8),
    /// The board shall learn what its squares read without pieces.
    Calibrate(Standing),
    /// Time has passed.
    Time,
}

/// Output of a probe.
#[derive(Debug)]
pub(super) enum ProbeOutput {
    /// Open the line as [`Probe::line`] says.
    Open,
    /// Close it.
    Close,
    /// A person is to be told.
    Tell(ProbeReport),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Closed until this time.
    Closed(HubTime),
    /// Somebody tries to open it.
    Opening,
    /// It has been open since then.
    Open(HubTime),
}

/// The doctor at one port.
pub(super) struct Probe {
    /// The drivers to try, each by the devices of its line; the likeliest first.
    drivers: Vec<Vec<DriverSettings>>,
    /// Driver that is tried.
    tried: usize,
    driver: Box<dyn Driver>,
    tags: TagBook,
    /// The nodes that have a place, and so a hub.
    placed: Arc<HashSet<String>>,
    /// Whether readings are wanted, or only who is there.
    readings: bool,
    phase: Phase,
    understood: bool,
    /// Whether the node that is there has a place.
    has_place: bool,
    left_to_hub: bool,
    /// Whether the node has named its image.
    has_image: bool,
    admitted: HashSet<Unit>,
    outputs: VecDeque<ProbeOutput>,
}

impl Probe {
    /// A port that is to be opened now. Of `drivers` there is at least one.
    pub(super) fn new(
        drivers: Vec<Vec<DriverSettings>>,
        placed: Arc<HashSet<String>>,
        readings: bool,
        now: HubTime,
    ) -> Probe {
        let tags = TagBook::default();
        Probe {
            driver: driver_of(&drivers, 0, &tags),
            drivers,
            tried: 0,
            tags,
            placed,
            readings,
            phase: Phase::Closed(now),
            understood: false,
            has_place: false,
            left_to_hub: false,
            has_image: false,
            admitted: HashSet::new(),
            outputs: VecDeque::new(),
        }
    }

    /// Settings of the line.
    pub(super) fn line(&self) -> LineSettings {
        self.driver.line()
    }

    /// Takes what has come, and does what is due.
    pub(super) fn handle(&mut self, now: HubTime, input: ProbeInput<'_>) {
        match input {
            ProbeInput::Opened => {
                self.phase = Phase::Open(now);
                self.driver.opened(now);
            }
            ProbeInput::Received(bytes) => self.driver.receive(now, bytes),
            ProbeInput::Lost(reason) => {
                self.take_outputs();
                self.outputs.push_back(ProbeOutput::Tell(ProbeReport::Trouble(reason)));
                self.reopen(now.plus_micros(REOPEN_US));
            }
            ProbeInput::Blink(seconds) => self.driver.identify(Unit::ONLY, seconds),
            ProbeInput::Calibrate(standing) => self.calibrate(now, standing),
            ProbeInput::Time => {}
        }
        match self.phase {
            Phase::Closed(open_at) if open_at <= now => {
                self.phase = Phase::Opening;
                self.outputs.push_back(ProbeOutput::Open);
            }
            Phase::Open(opened) => {
                if self.driver.next_due() <= now {
                    self.driver.poll(now);
                }
                self.take_outputs();
                if !self.understood && now >= opened.plus_micros(TRY_US) {
                    self.try_next(now);
                }
            }
            Phase::Closed(_) | Phase::Opening => {}
        }
    }

    /// Gives the board the command, unless it is under way; one whose last command is not known yet is asked again by the caller.
    fn calibrate(&mut self, now: HubTime, standing: Standing) {
        match self.driver.name_command(Unit::ONLY) {
            Naming::Name(name) => {
                let command = Order::LearnBaseline(standing);
                self.driver.give(Unit::ONLY, now, Given { order_id: CALIBRATION, name, command });
            }
            Naming::NotNow => {}
            Naming::Unsupported => {
                let outcome = CommandOutcome::Answered(CommandResult::Unsupported);
                let answer = Output::Commanded { unit: Unit::ONLY, order_id: CALIBRATION, outcome };
                self.outputs.push_back(ProbeOutput::Tell(ProbeReport::Said(answer)));
            }
        }
    }

    /// Bytes for the line, into `out`; how many.
    pub(super) fn transmit(&mut self, out: &mut [u8]) -> usize {
        match self.phase {
            Phase::Open(_) => self.driver.transmit(out),
            Phase::Closed(_) | Phase::Opening => 0,
        }
    }

    /// The next thing to do.
    pub(super) fn poll_output(&mut self) -> Option<ProbeOutput> {
        self.outputs.pop_front()
    }

    /// Time of the next timeout.
    pub(super) fn poll_timeout(&self) -> Option<HubTime> {
        match self.phase {
            Phase::Closed(open_at) => Some(open_at),
            Phase::Opening => None,
            Phase::Open(opened) => {
                let gives_up = (!self.understood).then(|| opened.plus_micros(TRY_US));
                Some(gives_up.map_or(self.driver.next_due(), |at| at.min(self.driver.next_due())))
            }
        }
    }

    /// Nothing understood what is there: the next driver may try.
    fn try_next(&mut self, now: HubTime) {
        self.tried = (self.tried + 1) % self.drivers.len();
        if self.tried == 0 {
            self.outputs.push_back(ProbeOutput::Tell(ProbeReport::Silent(self.driver.silence())));
        }
        self.reopen(now);
    }

    /// The line is opened again at this time, with a driver that knows nothing yet.
    fn reopen(&mut self, open_at: HubTime) {
        if matches!(self.phase, Phase::Open(_)) {
            self.outputs.push_back(ProbeOutput::Close);
        }
        self.phase = Phase::Closed(open_at);
        self.driver = driver_of(&self.drivers, self.tried, &self.tags);
        (self.understood, self.has_place, self.left_to_hub) = (false, false, false);
        self.has_image = false;
        self.admitted.clear();
    }

    /// Passes on all that the driver has to say.
    fn take_outputs(&mut self) {
        while let Some(output) = self.driver.poll_output() {
            match &output {
                Output::Present(device) => {
                    self.understood = true;
                    self.has_place = device.id.as_ref().is_some_and(|id| self.placed.contains(id));
                    if self.readings && self.admitted.insert(device.unit) {
                        let state = ConnectionState::New { resume: None, kept: None };
                        self.driver.admit(device.unit, state);
                    }
                    if !self.has_image {
                        self.driver.request_image(device.unit);
                    }
                }
                Output::Gone { unit, .. } => drop(self.admitted.remove(unit)),
                Output::Image { .. } => self.has_image = true,
                Output::Unusable(_) => self.understood = true,
                Output::Readings { unit, readings, reached } => {
                    if self.holds_play(readings) {
                        self.left_to_hub = true;
                        self.outputs.push_back(ProbeOutput::Tell(ProbeReport::HoldsReadings));
                    }
                    if let Some(reached) = reached.filter(|_| !self.left_to_hub) {
                        self.driver.committed(*unit, reached);
                    }
                }
                _ => {}
            }
            self.outputs.push_back(ProbeOutput::Tell(ProbeReport::Said(output)));
        }
    }

    /// Whether there is play among these that is its hub's, for the first time.
    fn holds_play(&self, readings: &[(HubTime, ReadingKind)]) -> bool {
        let Phase::Open(opened) = self.phase else { return false };
        let limit = opened.minus_micros(BEFORE_US);
        let is_old_play = |(at, kind): &(HubTime, ReadingKind)| *at < limit && is_play(kind);
        self.has_place && !self.left_to_hub && readings.iter().any(is_old_play)
    }
}

fn driver_of(drivers: &[Vec<DriverSettings>], tried: usize, tags: &TagBook) -> Box<dyn Driver> {
    let devices = drivers.get(tried).into_iter().flatten();
    DriverSettings::driver_of_line(devices, tags)
}

/// Whether hands make such readings: a clock's display and a board's regular snapshot come by themselves.
fn is_play(kind: &ReadingKind) -> bool {
    matches!(
        kind,
        ReadingKind::Square { .. } | ReadingKind::Tray { .. } | ReadingKind::Press { .. }
    )
}

#[cfg(test)]
mod tests;
