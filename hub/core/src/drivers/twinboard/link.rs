//! The link to one node: its session, its readings in hub time, and its watermark.
//!
//! Readings of a new node are held back until exchanges have fixed its clock: arrivals alone may place them
//! 0.3 s late at a starved hub, and beside another node's readings it would have the wrong place for ever. That takes a few tenths of
//! a second, and 4.5 seconds at most. The same after a silence for which too little is known of how its clock goes.
//!
//! Frames of a node before it had its place are evidence of its clock too: a line may stall, or a cable be pulled, right after them.

use std::collections::VecDeque;

use proto::link::{
    self, CommandOutcome, FrameTiming, HostEvent, HostSession, HubTime, ResumePoint,
    TooManyCommands,
};

use super::doubts::Doubts;
use super::node_readings::NodeReadings;
use crate::drivers::Given;
use crate::journal_line::TimedReading;
use crate::update::NodeUpdater;

/// Longest time for which readings of a node that was just met are held back, in µs of wall time: less than a table waits for it.
const SETTLE_MAX_US: u64 = 4_500_000;
/// Silence after which a node may have been disconnected, in µs of wall time: it sends every second.
const SILENCE_US: u64 = 3_000_000;
/// Events that are held back at most: a node's buffer of 64 KB holds less.
const HELD_MAX: usize = 8_192;
/// Time after which an unanswered question is repeated, in µs of wall time.
const ANSWER_MAX_US: u64 = 100_000;
/// Maximum number of questions for a watermark without an answer.
const ASKS_MAX: u8 = 50;

/// An output of the link.
#[derive(Debug)]
pub(super) enum LinkOutput {
    /// Readings, and the position to acknowledge when they are in the journal.
    Readings(Vec<TimedReading>, Option<ResumePoint>),
    /// Watermark of the node.
    Watermark(HubTime),
    /// Largest error of the node's times, microseconds.
    Timed(u32),
}

/// The link to one node.
#[derive(Debug)]
pub struct Link {
    pub(super) session: HostSession,
    readings: NodeReadings,
    /// Doubts about its sensors.
    pub(super) doubts: Doubts,
    /// The boot whose reason was reported.
    pub(super) explained: Option<u32>,
    /// Events that came before the node's clock was known, with their arrivals.
    held: VecDeque<(HubTime, HostEvent)>,
    /// Time at which they are handed on all the same; none before the node was met.
    settle_at: Option<HubTime>,
    /// Time of the node's last bytes.
    heard_at: HubTime,
    /// Events of the node before it had its place, with their arrivals.
    introduced: Option<(HubTime, FrameTiming)>,
    /// The last watermark.
    watermark: HubTime,
    /// The watermark that the table waits for.
    wanted: HubTime,
    /// Time of the next question, and the number of questions so far.
    ask_at: Option<HubTime>,
    asks: u8,
    /// Seconds of hub time in a second of wall time.
    rate: f64,
    /// Orders whose command is under way, with its number there: a table gives one after the other.
    given: Vec<(u32, u64)>,
    /// The update of the node's firmware, while there is one.
    pub(super) updater: Option<NodeUpdater>,
}

impl Link {
    pub(super) fn new(resume: Option<ResumePoint>) -> Link {
        Link {
            session: HostSession::new(resume),
            readings: NodeReadings::new(),
            doubts: Doubts::default(),
            explained: None,
            held: VecDeque::new(),
            settle_at: None,
            heard_at: HubTime::ZERO,
            introduced: None,
            watermark: HubTime::ZERO,
            wanted: HubTime::ZERO,
            ask_at: None,
            asks: 0,
            rate: 1.0,
            given: Vec::new(),
            updater: None,
        }
    }

    /// Sets the line's way of carrying bytes, and the rate of hub time.
    pub(super) fn set_line(&mut self, baud: Option<u32>, rate: f64) {
        self.readings.set_baud(baud);
        self.rate = rate;
    }

    /// Records bytes of the node before it had its place.
    pub(super) fn introduce(&mut self, introduced: Option<(HubTime, FrameTiming)>) {
        self.introduced = introduced;
    }

    /// The outputs of an event that arrived at `now`, behind those that were held back.
    pub(super) fn take(&mut self, now: HubTime, event: &HostEvent) -> Vec<LinkOutput> {
        let mut told = Vec::new();
        let was_silent = now.micros_since(self.heard_at) > self.wall(SILENCE_US);
        self.heard_at = now;
        if was_silent && self.held.is_empty() && self.settle_at.is_some() {
            self.settle_at = Some(self.after(now, SETTLE_MAX_US));
        }
        match event {
            HostEvent::Timing(timing) => {
                let is_of_boot =
                    |(_, it): &mut (HubTime, FrameTiming)| it.boot_id == timing.boot_id;
                if let Some((arrival, before)) = self.introduced.take_if(is_of_boot) {
                    self.read(arrival, &HostEvent::Timing(before), &mut told);
                }
                self.read(now, event, &mut told);
                told.extend(self.readings.changed_error().map(LinkOutput::Timed));
                self.settle_at.get_or_insert(self.after(now, SETTLE_MAX_US));
                if self.readings.is_settled(now) {
                    self.release(&mut told);
                }
            }
            HostEvent::Restarted { .. } => {
                self.release(&mut told);
                self.read(now, event, &mut told);
                self.settle_at = Some(self.after(now, SETTLE_MAX_US));
            }
            _ if self.is_settled(now) => {
                self.release(&mut told);
                self.read(now, event, &mut told);
            }
            _ => {
                self.held.push_back((now, event.clone()));
                if self.held.len() > HELD_MAX {
                    self.release(&mut told);
                }
            }
        }
        told
    }

    /// Hands on what was held back for too long, and asks again.
    pub(super) fn poll(&mut self, now: HubTime) -> Vec<LinkOutput> {
        let mut told = Vec::new();
        if self.is_settled(now) {
            self.release(&mut told);
        }
        if self.ask_at.is_some_and(|at| at <= now) {
            self.ask(now);
        }
        told
    }

    /// Time at which [`Self::poll`] must be called.
    pub(super) fn next_due(&self) -> Option<HubTime> {
        let settle_at = self.settle_at.filter(|_| !self.held.is_empty());
        settle_at.into_iter().chain(self.ask_at).chain(self.session.next_due()).min()
    }

    /// Gives the node the command of an order, unless that is under way. Returns its outcome, if it has ended already.
    pub(super) fn give(&mut self, now: HubTime, given: Given) -> Option<CommandOutcome> {
        let Given { order_id, name, command } = given;
        if self.given.iter().any(|(_, known)| *known == order_id) {
            return None;
        }
        match self.session.give(now, name, command) {
            Ok(link::Given::UnderWay(number)) => {
                self.given.push((number, order_id));
                None
            }
            Ok(link::Given::OtherRun) => Some(CommandOutcome::Interrupted),
            // The sender repeats the request.
            Ok(link::Given::NotYet) | Err(TooManyCommands) => None,
        }
    }

    /// A command has ended: the order that it was of, if it was of one.
    pub(super) fn end_command(&mut self, number: u32) -> Option<u64> {
        let index = self.given.iter().position(|(known, _)| *known == number)?;
        Some(self.given.swap_remove(index).1)
    }

    /// The table waits for all readings of the node before `at`.
    pub(super) fn request_watermark(&mut self, now: HubTime, at: HubTime) {
        self.wanted = self.wanted.max(at);
        self.asks = 0;
        if self.watermark < self.wanted && self.ask_at.is_none() {
            self.ask(now);
        }
    }

    fn ask(&mut self, now: HubTime) {
        self.ask_at = None;
        if self.watermark < self.wanted && self.asks < ASKS_MAX {
            self.asks += 1;
            self.session.request_snapshot();
            self.ask_at = Some(self.after(now, ANSWER_MAX_US));
        }
    }

    fn is_settled(&self, now: HubTime) -> bool {
        self.readings.is_settled(now) || self.settle_at.is_some_and(|at| at <= now)
    }

    fn release(&mut self, told: &mut Vec<LinkOutput>) {
        for (arrival, event) in std::mem::take(&mut self.held) {
            self.read(arrival, &event, told);
        }
    }

    fn read(&mut self, arrival: HubTime, event: &HostEvent, told: &mut Vec<LinkOutput>) {
        let readings = self.readings.take(arrival, event);
        let reached = match *event {
            HostEvent::Event { boot_id, sequence, .. }
            | HostEvent::Gap { boot_id, last: sequence, .. } => {
                Some(ResumePoint { boot_id, sequence })
            }
            // So a restarted hub knows the last run of the node, even if it read nothing in it.
            HostEvent::Hello { boot_id, next_sequence, .. } => {
                Some(ResumePoint { boot_id, sequence: next_sequence.saturating_sub(1) })
            }
            // The node's restart is journalled before, or with, the first event of the new run: a hub that begins with the run would not report it.
            HostEvent::Restarted { boot_id, .. } => Some(ResumePoint { boot_id, sequence: 0 }),
            _ => None,
        };
        if !readings.is_empty() || reached.is_some() {
            told.push(LinkOutput::Readings(readings, reached));
        }
        // It comes after all events that are older.
        if matches!(event, HostEvent::Snapshot { .. }) {
            self.watermark = self.readings.latest();
            self.asks = 0;
            told.push(LinkOutput::Watermark(self.watermark));
            self.ask(arrival);
        }
    }

    fn after(&self, now: HubTime, wall_us: u64) -> HubTime {
        now.plus_micros(self.wall(wall_us))
    }

    /// A span of wall time in hub time, µs.
    fn wall(&self, wall_us: u64) -> u64 {
        (wall_us as f64 * self.rate) as u64
    }
}
