//! The clocks of a match: last readings, fallen flags, and when they were stopped.
//!
//! A stop is how a player claims. It freezes every claim window until a clock runs again: what
//! happens at the table meanwhile, and whatever the hub's timers say, closes nothing.

use rules::{BoardId, Color, PerMove, Seat};

use crate::{AnomalyReport, ClockReading, Phase, anomalies::Anomalies};

/// Confidence of a flag that a clock's own reading shows: the display is the clock's state, not an
/// inference.
const READ_CONFIDENCE: f64 = 1.0;

/// A flag that is down.
#[derive(Clone, Debug, PartialEq)]
pub struct FlagFall {
    /// First known moment, microseconds of match time.
    pub t_us: u64,
    /// The last moment at which the clock still showed time, microseconds of match time.
    pub not_before_us: u64,
    /// Probability, 0 to 1.
    pub confidence: f64,
    /// Evidence.
    pub evidence: String,
}

/// The clocks of both boards.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clocks {
    /// The first readings: what the clocks were set to.
    firsts: [Option<ClockReading>; 2],
    readings: [Option<ClockReading>; 2],
    /// Reading of each board's clock when it was set for a new start, before a restart of this match was known.
    anew: [Option<ClockReading>; 2],
    /// Time up to which flags belong to an abandoned start.
    reset_us: Option<u64>,
    flags: [Option<FlagFall>; 4],
    /// Time of each board's clock stop, within play.
    stopped_us: [Option<u64>; 2],
    /// Time at which each board's clock ran first.
    started_us: [Option<u64>; 2],
    /// Time for each move of each board's clock, where it differs from the time control.
    changed: [Option<PerMove>; 2],
}

impl Clocks {
    /// Takes a reading in. A clock that is set for the next match gives no reading of this one.
    pub(crate) fn read(&mut self, reading: ClockReading, phase: Phase) {
        let board = reading.board.index();
        self.firsts[board].get_or_insert(reading);
        if phase == Phase::Ended {
            return;
        }
        if self.is_set_anew(reading) {
            self.anew[board] = Some(reading);
            return;
        }
        self.anew[board] = None;
        let before_us = self.readings[board].map_or(0, |before| before.t_us);
        self.readings[board] = Some(reading);
        match reading.running {
            Some(_) => {
                self.started_us[board].get_or_insert(reading.t_us);
                self.stopped_us[board] = None;
            }
            None if self.started_us[board].is_some() => {
                self.stopped_us[board].get_or_insert(reading.t_us);
            }
            None => {}
        }
        for color in Color::ALL {
            let seat = Seat { board: reading.board, color };
            read_flag(&mut self.flags[seat.index()], seat, reading, before_us);
        }
    }

    /// Whether a clock that ran shows the times that it began with, stopped.
    fn is_set_anew(&self, reading: ClockReading) -> bool {
        let board = reading.board.index();
        let times = |of: ClockReading| (of.white_ms, of.black_ms);
        reading.running.is_none()
            && self.stopped_us[board].is_some()
            && self.firsts[board].map(times) == Some(times(reading))
    }

    /// Takes a change of phase in, at match time `now_us`.
    pub(crate) fn enter(&mut self, phase: Phase, now_us: u64) {
        // With the pieces at the start again and no play, the clocks have been reset: no flag is down.
        if matches!(phase, Phase::SetUp | Phase::Ready) {
            self.flags = Default::default();
            self.reset_us = self.started_us.iter().any(Option::is_some).then_some(now_us);
            for (reading, anew) in self.readings.iter_mut().zip(&mut self.anew) {
                *reading = anew.take().or(*reading);
            }
        }
        for stopped in &mut self.stopped_us {
            match phase {
                Phase::Paused | Phase::Ended => {
                    stopped.get_or_insert(now_us);
                }
                Phase::SetUp | Phase::Ready | Phase::Playing => *stopped = None,
            }
        }
    }

    /// A board's clock gives this for each move from now on.
    pub(crate) fn give(&mut self, board: BoardId, per_move: PerMove) {
        self.changed[board.index()] = Some(per_move);
    }

    /// Time for each move of a board's clock, if that was changed.
    pub(crate) fn changed(&self, board: BoardId) -> Option<PerMove> {
        self.changed[board.index()]
    }

    pub(crate) fn reading(&self, board: BoardId) -> Option<ClockReading> {
        self.readings[board.index()]
    }

    /// The first reading of a board's clock.
    pub(crate) fn first(&self, board: BoardId) -> Option<ClockReading> {
        self.firsts[board.index()]
    }

    /// Time of a board's clock stop.
    pub(crate) fn stopped_us(&self, board: BoardId) -> Option<u64> {
        self.stopped_us[board.index()]
    }

    /// Time at which a board's clock ran first.
    pub(crate) fn started_us(&self, board: BoardId) -> Option<u64> {
        self.started_us[board.index()]
    }

    /// The flag of a seat: what the clock shows, and what the hub reports. A report that the clock's next reading refutes is none.
    pub(crate) fn flag(&self, anomalies: &Anomalies, seat: Seat) -> Option<FlagFall> {
        let read = self.flags[seat.index()].as_ref();
        let is_refuted = |anomaly: &&AnomalyReport| {
            let is_of_before = self.reset_us.is_some_and(|reset_us| anomaly.t_us <= reset_us);
            is_of_before
                || self.readings[seat.board.index()].is_some_and(|reading| {
                    reading.t_us > anomaly.t_us && reading.remaining_ms(seat.color) > 0
                })
        };
        let reported =
            anomalies.flag_of(seat).filter(|it| !is_refuted(it)).map(|anomaly| FlagFall {
                t_us: anomaly.t_us,
                not_before_us: self.readings[seat.board.index()]
                    .filter(|it| it.t_us <= anomaly.t_us && it.remaining_ms(seat.color) > 0)
                    .map_or(0, |it| it.t_us),
                confidence: anomaly.confidence,
                evidence: anomaly.evidence.clone(),
            });
        match (read, reported) {
            (Some(read), Some(reported)) => Some(FlagFall {
                t_us: reported.t_us.min(read.t_us),
                not_before_us: reported
                    .not_before_us
                    .max(read.not_before_us)
                    .min(reported.t_us)
                    .min(read.t_us),
                confidence: read.confidence.max(reported.confidence),
                evidence: reported.evidence,
            }),
            (read, reported) => read.cloned().or(reported),
        }
    }
}

/// A flag is down when a clock shows no time left. It stays down until the same clock shows time again in the same match: then
/// the clock was set, or the message was wrong.
fn read_flag(flag: &mut Option<FlagFall>, seat: Seat, reading: ClockReading, before_us: u64) {
    if reading.remaining_ms(seat.color) > 0 {
        *flag = None;
    } else if flag.is_none() {
        *flag = Some(FlagFall {
            t_us: reading.t_us,
            not_before_us: before_us.min(reading.t_us),
            confidence: READ_CONFIDENCE,
            evidence: format!("The clock of board {} shows 0:00.", seat.board),
        });
    }
}
