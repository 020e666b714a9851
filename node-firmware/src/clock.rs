//! The clock node: contacts, the countdowns they drive, and the link.
//!
//! A contact counts one debounce time after it closed, but a press takes effect at the instant it closed: the countdowns run one
//! debounce time behind the node's time, so that every press is known before they reach it, and displayed times are exact.

use proto::link::{
    BoardHealth, ClockDisplay, ClockKind, ClockReading, ClockState, CommandResult, Hand, Message,
    NodeKind, NodeState, NodeTime, Order, Press, PressKind, Side, Tilt, TimeControl,
};

use crate::countdown::{Countdown, CountdownMode};
use crate::debounce::{Change, Debouncer};
use crate::event_buffer::DEFAULT_BUFFER_BYTES;
use crate::link::{Identity, LinkSession, SensorHealth, Status};
use crate::pins::ReadClock;

const CHANNELS: usize = 5;
const WHITE_DOWN: u8 = 0;
const BLACK_DOWN: u8 = 1;
const TILTED: u8 = 2;
const WHITE_HAND: u8 = 3;
const BLACK_HAND: u8 = 4;

/// How a clock node is built and set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockConfig {
    /// How long a contact must keep its reading before it counts, in µs.
    pub debounce_us: u32,
    /// Lever or buttons.
    pub press: PressKind,
    /// Whether it has hand sensors.
    pub hand_sensor: bool,
    /// What it is set to at the start.
    pub control: TimeControl,
}

/// What the contacts of a clock read at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockInputs {
    /// White's button is pressed, or White's side of the lever is down.
    pub white_down: bool,
    /// Black's button is pressed, or Black's side of the lever is down.
    pub black_down: bool,
    /// The clock stands tilted.
    pub tilted: bool,
    /// A hand is near White's side.
    pub white_hand: bool,
    /// A hand is near Black's side.
    pub black_hand: bool,
}

impl ClockInputs {
    /// A lever whose side `down` is down, on a clock that stands upright with no hand near.
    pub fn lever(down: Side) -> Self {
        let white_down = down == Side::White;
        Self { white_down, black_down: !white_down, ..Self::default() }
    }

    fn bits(self) -> u64 {
        u64::from(self.white_down) << WHITE_DOWN
            | u64::from(self.black_down) << BLACK_DOWN
            | u64::from(self.tilted) << TILTED
            | u64::from(self.white_hand) << WHITE_HAND
            | u64::from(self.black_hand) << BLACK_HAND
    }
}

/// A clock node. `BUFFER` bytes hold the events that are not acknowledged.
#[derive(Clone, Debug)]
pub struct ClockNode<const BUFFER: usize = DEFAULT_BUFFER_BYTES> {
    sensors: Sensors,
    link: LinkSession<BUFFER>,
}

#[derive(Clone, Debug)]
struct Sensors {
    contacts: Debouncer<CHANNELS>,
    countdown: Countdown,
    pressed: Option<Side>,
    last_scan: Option<NodeTime>,
    longest_scan_gap_us: u32,
}

impl<const BUFFER: usize> ClockNode<BUFFER> {
    /// A node before its first reading.
    pub const fn new(identity: Identity, config: ClockConfig) -> Self {
        let kind = ClockKind { press: config.press, hand_sensor: config.hand_sensor };
        Self {
            sensors: Sensors {
                contacts: Debouncer::new(config.debounce_us),
                countdown: Countdown::new(config.control),
                pressed: None,
                last_scan: None,
                longest_scan_gap_us: 0,
            },
            link: LinkSession::new(identity, NodeKind::Clock(kind)),
        }
    }

    /// Reads the contacts and lets time pass to `now`.
    ///
    /// # Errors
    /// If a pin cannot be read: time passes, the reading before it holds.
    pub fn poll<C: ReadClock>(&mut self, now: NodeTime, contacts: &mut C) -> Result<(), C::Error> {
        match contacts.read() {
            Ok(inputs) => {
                let gap = self.sensors.last_scan.map_or(0, |last| now.micros_since(last));
                let gap = u32::try_from(gap).unwrap_or(u32::MAX);
                self.sensors.longest_scan_gap_us = self.sensors.longest_scan_gap_us.max(gap);
                self.sensors.last_scan = Some(now);
                self.observe(now, inputs);
                Ok(())
            }
            Err(error) => {
                self.advance(now);
                Err(error)
            }
        }
    }

    /// Takes what the contacts read at `now`, as a scan would. They are taken to hold until the next call.
    pub fn observe(&mut self, now: NodeTime, inputs: ClockInputs) {
        self.take(now, inputs.bits());
    }

    /// Lets time pass to `now` with the contacts unchanged. Before the first reading nothing happens.
    pub fn advance(&mut self, now: NodeTime) {
        if self.sensors.contacts.is_started() {
            self.take(now, self.sensors.contacts.raw());
        }
    }

    fn take(&mut self, now: NodeTime, bits: u64) {
        self.link.poll(now);
        let Sensors { contacts, countdown, pressed, .. } = &mut self.sensors;
        let link = &mut self.link;
        if !contacts.is_started() {
            contacts.observe(now, bits, |_| {});
            *pressed = side_down(bits);
            countdown.advance(now, |_, _| {});
            link.push(&reading_now(countdown));
            return;
        }
        contacts.observe(now, bits, |change| {
            countdown.advance(change.time, |time, display| link.push(&reading(time, display)));
            take_change(change, countdown, pressed, link);
        });
        let counted = now.minus_micros(u64::from(contacts.debounce_us()));
        countdown.advance(counted, |time, display| link.push(&reading(time, display)));
    }

    /// When [`Self::advance`] next has something to do: a contact comes to count, the clock has something to tell, or something
    /// is due on the link.
    pub fn next_due(&self) -> NodeTime {
        let Sensors { contacts, countdown, .. } = &self.sensors;
        let debounce_us = u64::from(contacts.debounce_us());
        let told = countdown.next_due().map(|due| due.plus_micros(debounce_us));
        [contacts.next_due(), told].into_iter().flatten().fold(self.link.next_due(), NodeTime::min)
    }

    /// Sets the clock at `now`: both times stand and wait for Black's press.
    pub fn set(&mut self, now: NodeTime, control: TimeControl) {
        self.command(now, |countdown| countdown.set(control));
    }

    /// Starts White's time at `now` without a press, or goes on after a pause.
    pub fn start(&mut self, now: NodeTime) {
        self.command(now, Countdown::start);
    }

    /// Stops both times at `now`.
    pub fn pause(&mut self, now: NodeTime) {
        self.command(now, Countdown::pause);
    }

    fn command(&mut self, now: NodeTime, command: impl FnOnce(&mut Countdown)) {
        self.advance(now);
        let link = &mut self.link;
        let countdown = &mut self.sensors.countdown;
        countdown.advance(now, |time, display| link.push(&reading(time, display)));
        command(countdown);
        if self.sensors.contacts.is_started() {
            link.push(&reading_now(countdown));
        }
    }

    /// What the displays show (as of one debounce time ago).
    pub fn display(&self) -> ClockDisplay {
        self.sensors.countdown.display()
    }

    /// What the clock is doing.
    pub const fn mode(&self) -> CountdownMode {
        self.sensors.countdown.mode()
    }

    /// Takes bytes from the line.
    pub fn receive(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(order) = self.link.receive(&mut rest) {
            self.obey(order);
        }
    }

    fn obey(&mut self, order: Order) {
        let now = self.link.now();
        let Self { sensors: Sensors { countdown, contacts, .. }, link } = self;
        // The answer's time is that of the readings around it, which may be a moment later than the last debounced one.
        countdown.advance(now, |time, display| link.push(&reading(time, display)));
        let result = match order {
            Order::SetClock(control) if !control.is_valid() => CommandResult::OutOfRange,
            Order::SetClock(control) => {
                countdown.set(control);
                CommandResult::Done
            }
            Order::AdjustClock(adjustment) => match countdown.adjust(adjustment) {
                Ok(()) => CommandResult::Done,
                Err(_) => CommandResult::OutOfRange,
            },
            Order::PauseClock => {
                countdown.pause();
                CommandResult::Done
            }
            Order::ResumeClock => {
                countdown.start();
                CommandResult::Done
            }
            Order::LearnBaseline(_) => CommandResult::Unsupported,
        };
        link.answer(result);
        if result == CommandResult::Done && contacts.is_started() {
            link.push(&reading_now(countdown));
        }
    }

    /// Moves bytes for the line into `out`; returns how many. Call again until it returns 0.
    pub fn transmit(&mut self, out: &mut [u8]) -> usize {
        self.link.transmit(out, &mut self.sensors)
    }

    /// Whether [`Self::transmit`] has something to say.
    pub fn wants_transmit(&self) -> bool {
        self.link.wants_transmit()
    }

    /// The node's end of the link.
    pub const fn link(&self) -> &LinkSession<BUFFER> {
        &self.link
    }
}

/// The side that is down, if one and only one is.
fn side_down(bits: u64) -> Option<Side> {
    match (bits >> WHITE_DOWN & 1, bits >> BLACK_DOWN & 1) {
        (1, 0) => Some(Side::White),
        (0, 1) => Some(Side::Black),
        _ => None,
    }
}

fn take_change<const BUFFER: usize>(
    change: Change,
    countdown: &mut Countdown,
    pressed: &mut Option<Side>,
    link: &mut LinkSession<BUFFER>,
) {
    // A command may have taken the countdown past the beginning of this change.
    let time = change.time.max(countdown.now());
    let on = change.on;
    match change.channel {
        WHITE_DOWN | BLACK_DOWN if on => {
            let by = if change.channel == WHITE_DOWN { Side::White } else { Side::Black };
            *pressed = Some(by);
            countdown.press(by);
            link.push(&Message::Press(Press { time, by }));
            link.push(&reading_now(countdown));
        }
        TILTED => link.push(&Message::Tilt(Tilt { time, on })),
        WHITE_HAND => link.push(&Message::Hand(Hand { time, side: Side::White, near: on })),
        BLACK_HAND => link.push(&Message::Hand(Hand { time, side: Side::Black, near: on })),
        // A button released, or the side of a lever that goes up.
        _ => {}
    }
}

const fn reading(time: NodeTime, display: ClockDisplay) -> Message {
    Message::ClockReading(ClockReading { time, display })
}

fn reading_now(countdown: &Countdown) -> Message {
    reading(countdown.now(), countdown.display())
}

impl Status for Sensors {
    fn state(&self) -> (NodeTime, NodeState) {
        let contacts = self.contacts.settled();
        let on = |channel: u8| contacts >> channel & 1 == 1;
        let state = NodeState::Clock(ClockState {
            display: self.countdown.display(),
            pressed: self.pressed,
            tilted: on(TILTED),
            white_hand: on(WHITE_HAND),
            black_hand: on(BLACK_HAND),
            control: self.countdown.control(),
            paused: self.countdown.paused(),
        });
        (self.countdown.now(), state)
    }

    fn take_sensor_health(&mut self) -> SensorHealth {
        SensorHealth {
            longest_scan_gap_us: core::mem::take(&mut self.longest_scan_gap_us),
            flickering: self.contacts.take_flickering(),
        }
    }

    fn take_board_health(&mut self) -> Option<BoardHealth> {
        None
    }
}
