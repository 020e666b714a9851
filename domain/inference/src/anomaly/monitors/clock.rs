//! Evidence that needs no hypotheses: one board's clock and contacts, as their readings come in.
//!
//! The monitor holds the state that the detectors of clock and contacts are called with. It calls
//! them when something has changed or enough time has passed.

use readings::{SensorKind, TraceHeader};
use rules::{Bitboard, BoardId, ByColor, Color, PerMove};

use crate::{
    anomaly::{
        detectors::{
            both_flags, clock_drift, clock_hover, clock_jump, clock_knocked_over,
            clock_set_wrong::clock_set_wrong, flag_fallen, sensor_fault, setup_wrong,
        },
        findings::{finding::Finding, register::LIKELIER_THAN_NOT},
        hands::pace::Pace,
        segments::clock_allowance::{Allowance, passed_us},
    },
    sensing::{clock::DisplayReading, placing::Lie, square_sensor::SquareEvent},
};

/// Longest interval between two readings of a running clock that tells its rate, microseconds. Assumed.
const MAX_INTERVAL_US: u64 = 5_000_000;

/// The state of one board's clock and contacts.
#[derive(Clone, Debug)]
pub(crate) struct ClockMonitor {
    board: BoardId,
    /// Abilities of the board's squares.
    sensor: SensorKind,
    /// The base time, and the time that some clocks show above it from the start, milliseconds: the
    /// first increment, or the Bronstein delay of the first move.
    right_ms: (i64, i64),
    /// The time that the clock may gain.
    allowance: Allowance,
    pace: Pace,
    /// Largest error of each time by the resolution of the clock, milliseconds.
    resolution_ms: i64,
    /// Time at which play began, if it has.
    pub(crate) started_us: Option<u64>,
    stopped: bool,
    shown: Option<DisplayReading>,
    /// The display before that.
    shown_before: Option<DisplayReading>,
    press: Option<(Color, u64)>,
    /// Time since which the clock has been tilted; none if it is upright, or if its fall has been reported.
    tilted_since_us: Option<u64>,
    near: ByColor<Option<clock_hover::Stay>>,
    running: clock_drift::Running,
    drift_reported: bool,
    changes: [sensor_fault::Changes; 64],
    /// The findings that nobody has taken yet.
    pub(crate) found: Vec<Finding>,
}

impl ClockMonitor {
    /// A board of a match with this header.
    pub(crate) fn of(header: &TraceHeader, board: BoardId) -> ClockMonitor {
        let resolution_ms = header.boards.get(&board).and_then(|board| board.clock_resolution_ms);
        let first_s = header.time.as_ref().map_or(0, |control| {
            let per_move = control.per_move();
            per_move.increment_s().max(per_move.given_back_s())
        });
        let sensor = header.boards.get(&board).map_or(SensorKind::Reed, |board| board.sensor);
        ClockMonitor {
            board,
            sensor,
            right_ms: (i64::from(header.base_s) * 1_000, i64::from(first_s) * 1_000),
            allowance: Allowance::new(header.time.clone(), header.delay_s),
            pace: Pace::of(header),
            resolution_ms: i64::from(resolution_ms.unwrap_or(0)),
            started_us: None,
            stopped: false,
            shown: None,
            shown_before: None,
            press: None,
            tilted_since_us: None,
            near: ByColor::default(),
            running: clock_drift::Running::default(),
            drift_reported: false,
            changes: [sensor_fault::Changes::default(); 64],
            found: Vec::new(),
        }
    }

    /// A director has the clock give this for each move from now on.
    pub(crate) fn may_give(&mut self, per_move: PerMove) {
        self.allowance.may_give(per_move);
    }

    /// Sets the orientation of board and clock, which is now settled.
    pub(crate) fn put_right(&mut self, lie: Lie) {
        if lie.clock_turned {
            self.shown.iter_mut().chain(&mut self.shown_before).for_each(DisplayReading::exchange);
            self.press = self.press.map(|(by, t_us)| (by.other(), t_us));
            let ByColor { white, black } = &mut self.near;
            std::mem::swap(white, black);
        }
    }

    /// Play begins with these squares occupied.
    pub(crate) fn start(&mut self, t_us: u64, occupied: Bitboard) {
        if self.started_us.is_some() {
            return;
        }
        self.started_us = Some(t_us);
        self.allowance.turn_us = t_us;
        self.found.extend(setup_wrong::squares_wrong(self.board, self.sensor, t_us, occupied));
        if let Some(DisplayReading { left_ms, .. }) = self.shown.filter(|_| self.right_ms.0 > 0) {
            let ClockMonitor { board, right_ms, resolution_ms, .. } = *self;
            self.found.extend(clock_set_wrong(board, t_us, left_ms, right_ms, resolution_ms));
        }
    }

    /// Time at which time alone will bring a finding, microseconds: a tilt or a hand near the clock will
    /// have lasted long enough.
    pub(crate) fn deadline_us(&self) -> Option<u64> {
        if self.started_us.is_none() || self.stopped {
            return None;
        }
        let tilted = self.tilted_since_us;
        let fallen = tilted.map(|since_us| since_us.saturating_add(clock_knocked_over::FALLEN_US));
        let near = self.near.iter().flatten().filter(|near| !near.reported);
        let hovers = near.map(|near| {
            near.since_us.saturating_add(clock_hover::enough_us(near.pressed, self.pace))
        });
        hovers.chain(fallen).min()
    }

    /// Time has passed: checks whether a tilt or a hand near the clock has lasted long enough for a finding.
    pub(crate) fn wait(&mut self, now_us: u64) {
        if self.started_us.is_none() || self.stopped {
            return;
        }
        if let Some(since_us) = self.tilted_since_us
            && let Some(fall) =
                clock_knocked_over::clock_knocked_over(self.board, since_us, now_us, self.press)
        {
            self.tilted_since_us = None;
            self.found.push(fall);
        }
        for (side, near) in self.near.as_mut().zip_color() {
            if let Some(stay) = near
                && !stay.reported
                && let Some(hover) =
                    clock_hover::clock_hover((self.board, side), *stay, now_us, self.pace)
            {
                stay.reported = true;
                self.found.push(hover);
            }
        }
    }

    /// The clock begins to be tilted, or stands again.
    pub(crate) fn tilt(&mut self, t_us: u64, on: bool) {
        self.wait(t_us);
        self.tilted_since_us = on.then_some(t_us);
    }

    /// A hand comes near the clock, or leaves it.
    pub(crate) fn hand(&mut self, t_us: u64, side: Color, near: bool) {
        self.wait(t_us);
        let come = clock_hover::Stay { since_us: t_us, pressed: false, reported: false };
        self.near[side] = near.then_some(come);
    }

    /// A player presses.
    pub(crate) fn press(&mut self, t_us: u64, by: Color) {
        self.wait(t_us);
        self.press = Some((by, t_us));
        if self.started_us.is_some() {
            self.allowance.press(t_us, by);
        }
        if let Some(stay) = &mut self.near[by] {
            *stay = clock_hover::Stay { since_us: t_us, pressed: true, reported: false };
        }
    }

    /// The display is read.
    pub(crate) fn read_clock(&mut self, now: DisplayReading) {
        let before = self.shown.replace(now);
        let first = std::mem::replace(&mut self.shown_before, before);
        self.stopped = now.running.is_none() && self.started_us.is_some();
        let (Some(started_us), Some(before)) = (self.started_us, before) else { return };
        let (board, interval) = (self.board, [before, now]);
        let allowed_ms = self.allowance.gained_ms(interval);
        if before.running.is_some() || now.running.is_some() {
            let sure = self.allowance.flags();
            self.found.extend(flag_fallen::flag_fallen(board, now.t_us, now.left_ms, sure));
            self.found.extend(both_flags::both_flags(board, now.t_us, now.left_ms, sure));
        }
        if let Some(first) = first {
            self.refute_flags([first, before, now]);
        }
        if before.running.is_none() {
            self.running.interrupt();
            return;
        }
        let passed_us = passed_us(interval);
        let counts = passed_us <= MAX_INTERVAL_US && now.left_ms.iter().all(|&left| left > 0);
        let jump = clock_jump::clock_jump(board, interval, allowed_ms, self.resolution_ms);
        if jump.is_some() {
            self.found.extend(jump);
        } else if counts && allowed_ms == [0; 2] && self.allowance.runs_evenly(interval) {
            let [before_ms, now_ms] = interval.map(|shown| shown.left_ms.iter().sum::<i64>());
            self.running.add(passed_us, before_ms - now_ms, self.resolution_ms);
            let drift = clock_drift::clock_drift(board, started_us, self.running)
                .filter(|drift| drift.confidence >= LIKELIER_THAN_NOT || self.drift_reported);
            self.drift_reported |= drift.is_some();
            self.found.extend(drift);
            return;
        }
        self.running.interrupt();
    }

    /// Takes back the flags that a single reading showed fallen.
    fn refute_flags(&mut self, readings: [DisplayReading; 3]) {
        let refuted = flag_fallen::refuted(readings);
        let (board, t_us) = (self.board, readings[2].t_us);
        let mut found = flag_fallen::flag_fallen(board, t_us, readings[1].left_ms, [1.0; 2]);
        found.retain(|of| of.side.is_some_and(|side| refuted[usize::from(side.is_black())]));
        if refuted.contains(&true) {
            found.extend(both_flags::both_flags(board, t_us, readings[1].left_ms, [1.0; 2]));
        }
        self.found.extend(found.into_iter().map(|of| Finding { confidence: 0.0, ..of }));
    }

    /// A square changes.
    pub(crate) fn square(&mut self, event: SquareEvent) {
        let changes = &mut self.changes[usize::from(event.square)];
        if changes.note(event.t_us) && self.started_us.is_some() {
            self.found.push(sensor_fault::contact_chatters(self.board, event.square, *changes));
        }
    }

    /// Readings were lost.
    pub(crate) fn gap(&mut self, t_us: u64, lost: u64) {
        self.found.extend(sensor_fault::readings_lost(self.board, t_us, lost));
    }

    /// A reading claimed a time hours ahead.
    pub(crate) fn leap(&mut self, t_us: u64) {
        self.found.push(sensor_fault::time_leaps(self.board, t_us));
    }

    /// Memory taken beside the struct itself, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.found.capacity() * size_of::<Finding>() + self.allowance.memory_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use readings::Occupancy;

    use crate::report::AnomalyCode;

    fn started() -> ClockMonitor {
        let header = TraceHeader::new("us-chess-bughouse-2018", 300, Default::default());
        let mut readings = ClockMonitor::of(&header, BoardId::A);
        let shown = DisplayReading { t_us: 0, left_ms: [300_000; 2], running: None };
        readings.read_clock(shown);
        readings.start(1_000_000, Occupancy::INITIAL.0);
        readings.press(1_000_000, Color::Black);
        readings.read_clock(DisplayReading {
            t_us: 1_000_000,
            running: Some(Color::White),
            ..shown
        });
        readings
    }

    fn codes(readings: &mut ClockMonitor) -> Vec<AnomalyCode> {
        std::mem::take(&mut readings.found).iter().map(|found| found.code).collect()
    }

    #[test]
    fn an_orderly_clock_is_nothing_to_speak_of() {
        let mut readings = started();
        for second in 2..120u64 {
            let left_ms = [300_000 - 1_000 * (second as i64 - 1), 300_000];
            let running = Some(Color::White);
            readings.wait(second * 1_000_000);
            readings.read_clock(DisplayReading { t_us: second * 1_000_000, left_ms, running });
        }
        assert_eq!(codes(&mut readings), []);
    }

    #[test]
    fn a_clock_that_lies_is_told_once_and_again_when_it_falls_again() {
        let mut readings = started();
        for fall_us in [10_000_000, 20_000_000] {
            readings.press(fall_us - 30_000, Color::White);
            readings.tilt(fall_us, true);
            for later_us in [100_000, 400_000, 900_000] {
                readings.wait(fall_us + later_us);
            }
            readings.tilt(fall_us + 1_000_000, false);
            assert_eq!(codes(&mut readings), [AnomalyCode::ClockKnockedOver]);
        }
    }

    #[test]
    fn a_short_fall_between_two_readings_is_judged_when_it_ends() {
        let mut readings = started();
        readings.tilt(10_000_000, true);
        readings.tilt(10_700_000, false);
        assert_eq!(codes(&mut readings), [AnomalyCode::ClockKnockedOver]);
    }

    #[test]
    fn a_hand_hovers_from_its_press_on() {
        let mut readings = started();
        readings.hand(9_900_000, Color::White, true);
        readings.press(10_000_000, Color::White);
        readings.wait(11_950_000);
        assert_eq!(codes(&mut readings), []);
        readings.wait(12_050_000);
        let found = std::mem::take(&mut readings.found);
        assert_eq!((found[0].code, found[0].t_us), (AnomalyCode::ClockHover, 10_000_000));
        readings.wait(14_000_000);
        assert_eq!(codes(&mut readings), []);
    }

    #[test]
    fn a_flag_that_the_next_reading_refutes_is_taken_back() {
        let mut readings = started();
        let white_ms = [299_000, 0, 298_000, 297_000];
        for (second, white_ms) in (2..).zip(white_ms) {
            let left_ms = [white_ms, 300_000];
            let running = Some(Color::White);
            readings.read_clock(DisplayReading { t_us: second * 1_000_000, left_ms, running });
        }
        let found = std::mem::take(&mut readings.found).into_iter();
        let flags = found.filter(|found| found.code == AnomalyCode::FlagFallen);
        assert_eq!(flags.map(|found| found.confidence).collect::<Vec<_>>(), [1.0, 0.0]);
    }

    #[test]
    fn a_clock_that_runs_slow_is_found_while_it_runs() {
        let mut readings = started();
        for second in 2..100u64 {
            let left_ms = [300_000 - 980 * (second as i64 - 1), 300_000];
            let running = Some(Color::White);
            readings.read_clock(DisplayReading { t_us: second * 1_000_000, left_ms, running });
        }
        let found = std::mem::take(&mut readings.found);
        assert!(found.iter().all(|found| found.code == AnomalyCode::ClockDrift));
        assert_eq!(found[0].t_us, 1_000_000);
    }

    #[test]
    fn both_flags_are_found_when_the_second_falls() {
        let mut readings = started();
        for (t_us, black_ms) in [(300_000_000, 5_000), (306_000_000, 0)] {
            let left_ms = [0, black_ms];
            readings.read_clock(DisplayReading { t_us, left_ms, running: Some(Color::Black) });
        }
        assert!(codes(&mut readings).contains(&AnomalyCode::BothFlags));
    }
}
