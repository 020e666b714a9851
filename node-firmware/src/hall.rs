//! Squares with linear hall sensors: from counts of a converter to empty, white, black, and how strong.
//!
//! A sensor rests at half its supply, give or take an offset of its own; a piece's magnet moves it up (south pole: White) or down
//! (Black). So each square's own rest, its *baseline*, must be known:
//!
//! * *At the start* every square is averaged over [`START_SCANS`] scans. A square within [`START_EMPTY_COUNTS`] of half the range is
//!   empty, and the average is its baseline: the weakest piece is three times as far off. A piece is on each of the other squares,
//!   whatever the position. Their baseline is estimated as the average of the empty squares until they are empty for the first time. So
//!   a board may be switched on empty, set up, or in the middle of a game.
//! * *On command* ([`Standing`]) the node learns the present readings of the squares that should be empty.
//! * *From then on* an empty square's baseline follows its readings, slowly and only up to [`DRIFT_LIMIT_COUNTS`]. So warmth and ageing
//!   do not add up, but a badly placed piece never becomes the baseline. An occupied square's follows the empty ones' average.
//!
//! A reading counts when it has held for the debounce time, as a switch's does. It holds while three properties hold: occupied or empty
//! with hysteresis, the sign and, for magnitude, the level within [`LEVEL_STEP`]. A piece that is still coming down has no level.

use proto::link::{
    BoardHealth, CommandResult, MagnitudeState, NodeState, NodeTime, PerSquare, PolarityState,
    SensorKind, SensorReading, Standing,
};

use crate::debounce::channels;
use crate::inputs::Samples;
use crate::quality::Quality;
use crate::squares::{SQUARES, SquareChanged, Squares};

/// Counts of a level: 128 levels are half the range of 12 bits.
pub const COUNTS_PER_LEVEL: i32 = 16;
/// Half the range: where a sensor rests.
pub const MID_RAIL_COUNTS: u16 = 2048;
/// Scans whose average is the first baseline.
pub const START_SCANS: u8 = 32;
/// Furthest from half the range that a sensor rests, in counts: 80 mV, where a data sheet (DRV5055) allows 50.
pub const START_EMPTY_COUNTS: u16 = 100;
/// Distance from the baseline at which a square becomes occupied, in counts: a third of a pawn that stands well.
pub const OCCUPIED_COUNTS: i32 = 112;
/// Distance at which it becomes empty again, in counts.
pub const EMPTY_COUNTS: i32 = 64;
/// An occupied square nearer to the baseline than this is weak, in counts.
pub const WEAK_COUNTS: i32 = 180;
/// Minimum change of a level that is reported again, in levels.
pub const LEVEL_STEP: i32 = 3;
/// Maximum distance of a baseline from its learnt value, in counts.
pub const DRIFT_LIMIT_COUNTS: i32 = 48;
/// Time between two steps of the baselines, in µs; a step is a sixteenth of a count.
pub const DRIFT_INTERVAL_US: u64 = 100_000;
/// Nearer to an end of the range than this a sensor or its wire is broken, in counts.
pub const RAIL_COUNTS: u16 = 8;
/// Time for which a reading of polarity must hold, in µs.
pub const POLARITY_DEBOUNCE_US: u32 = 5_000;
/// Time for which a level must hold, in µs: longer, because a piece that comes down takes its time to settle.
pub const MAGNITUDE_DEBOUNCE_US: u32 = 20_000;

/// Sixteenths of a count: the unit of baselines and means.
const Q: i32 = 16;

/// Kind of reading of hall sensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HallKind {
    /// The pole: empty, white, black.
    Polarity,
    /// The level.
    Magnitude,
}

/// Hall sensors.
#[derive(Clone, Debug)]
pub struct HallSquares {
    kind: HallKind,
    debounce_us: u32,
    started: bool,
    scans: u8,
    /// Moving average of each square's readings (at the start, their sum), in sixteenths of a count.
    mean: [u16; SQUARES],
    /// Reading of each square without a piece, in sixteenths of a count.
    baseline: [u16; SQUARES],
    /// The baseline as it was learnt, in sixteenths of a count.
    learnt: [u16; SQUARES],
    /// Average distance of readings from the mean, in sixteenths of a count.
    stray: [u16; SQUARES],
    /// Squares whose baseline is a guess.
    guessed: u64,
    told: [i8; SQUARES],
    candidate: [i8; SQUARES],
    since: [NodeTime; SQUARES],
    /// Squares whose candidate differs from the reported value.
    restless: u64,
    quality: Quality<SQUARES>,
    drift_at: NodeTime,
}

impl HallSquares {
    /// Sensors before their first reading, with the debounce time of their kind unless another is given.
    pub const fn new(kind: HallKind, debounce_us: u32) -> Self {
        Self {
            kind,
            debounce_us,
            started: false,
            scans: 0,
            mean: [0; SQUARES],
            baseline: [0; SQUARES],
            learnt: [0; SQUARES],
            stray: [0; SQUARES],
            guessed: 0,
            told: [0; SQUARES],
            candidate: [0; SQUARES],
            since: [NodeTime::ZERO; SQUARES],
            restless: 0,
            quality: Quality::new(),
            drift_at: NodeTime::ZERO,
        }
    }

    /// Sensors that tell the pole.
    pub const fn polarity() -> Self {
        Self::new(HallKind::Polarity, POLARITY_DEBOUNCE_US)
    }

    /// Sensors that tell the level.
    pub const fn magnitude() -> Self {
        Self::new(HallKind::Magnitude, MAGNITUDE_DEBOUNCE_US)
    }

    /// Distance from the baseline in sixteenths of a count.
    fn distance(&self, square: usize) -> i32 {
        i32::from(self.mean[square]) - i32::from(self.baseline[square])
    }

    /// The level to report for this distance: 0 for an empty square, else not 0. For polarity, 1 and -1.
    fn value(&self, square: usize) -> i8 {
        let distance = self.distance(square);
        let was_occupied = self.candidate[square] != 0;
        let threshold = if was_occupied { EMPTY_COUNTS } else { OCCUPIED_COUNTS };
        if distance.abs() < threshold * Q {
            return 0;
        }
        match self.kind {
            HallKind::Polarity => distance.signum() as i8,
            HallKind::Magnitude => {
                let half = COUNTS_PER_LEVEL * Q / 2 * distance.signum();
                ((distance + half) / (COUNTS_PER_LEVEL * Q)).clamp(-128, 127) as i8
            }
        }
    }

    fn is_other(&self, a: i8, b: i8) -> bool {
        let step = match self.kind {
            HallKind::Polarity => 1,
            HallKind::Magnitude => LEVEL_STEP,
        };
        a.signum() != b.signum() || (i32::from(a) - i32::from(b)).abs() >= step
    }

    fn reading(&self, value: i8) -> SensorReading {
        match (value, self.kind) {
            (0, _) => SensorReading::Empty,
            (1.., HallKind::Polarity) => SensorReading::White,
            (_, HallKind::Polarity) => SensorReading::Black,
            (level, HallKind::Magnitude) => SensorReading::Level(level),
        }
    }

    /// Averages the first scans; after the last of them every square has a baseline.
    fn start(&mut self, now: NodeTime, samples: &Samples) {
        for (sum, &sample) in self.mean.iter_mut().zip(samples) {
            // Sixteenths of a count: half of each sample's, so that 32 of them make sixteen times their average.
            *sum += sample.min(4095) * (Q as u16) / u16::from(START_SCANS);
        }
        self.scans += 1;
        if self.scans < START_SCANS {
            return;
        }
        let rests =
            |mean: u16| mean.abs_diff(MID_RAIL_COUNTS * Q as u16) <= START_EMPTY_COUNTS * Q as u16;
        let resting = self.mean.iter().filter(|&&mean| rests(mean));
        let (count, sum) =
            resting.fold((0, 0), |(count, sum), &mean| (count + 1, sum + u32::from(mean)));
        let guess = sum.checked_div(count).map_or(MID_RAIL_COUNTS * Q as u16, |mean| mean as u16);
        for square in 0..SQUARES {
            let known = rests(self.mean[square]);
            self.baseline[square] = if known { self.mean[square] } else { guess };
            self.guessed |= u64::from(!known) << square;
        }
        self.learnt = self.baseline;
        for square in 0..SQUARES {
            self.told[square] = self.value(square);
        }
        self.candidate = self.told;
        self.drift_at = now.plus_micros(DRIFT_INTERVAL_US);
        self.started = true;
    }

    fn sample(&mut self, square: usize, sample: u16) {
        let raw = i32::from(sample.min(4095)) * Q;
        let mean = i32::from(self.mean[square]);
        let off = raw - mean;
        if off.abs() >= EMPTY_COUNTS * Q {
            // A piece that comes or goes is no noise, and is seen at once.
            self.mean[square] = raw as u16;
            return;
        }
        // The mean follows by a quarter of the difference: noise shrinks to two fifths.
        self.mean[square] = (mean + off / 4) as u16;
        let stray = i32::from(self.stray[square]);
        self.stray[square] = (stray + (off.abs() - stray) / 16) as u16;
    }

    /// Moves the baselines by a step.
    fn drift(&mut self) {
        let limit = DRIFT_LIMIT_COUNTS * Q;
        let (mut empty, mut wandered) = (0, 0);
        for square in 0..SQUARES {
            let resting = self.told[square] == 0 && self.candidate[square] == 0;
            if !resting {
                continue;
            }
            if self.guessed >> square & 1 == 1 {
                // Empty for the first time.
                self.guessed &= !(1 << square);
                self.baseline[square] = self.mean[square];
                self.learnt[square] = self.mean[square];
                continue;
            }
            let learnt = i32::from(self.learnt[square]);
            let step = self.distance(square).signum();
            let moved =
                (i32::from(self.baseline[square]) + step).clamp(learnt - limit, learnt + limit);
            self.baseline[square] = moved as u16;
            empty += 1;
            wandered += moved - learnt;
        }
        if empty == 0 {
            return;
        }
        let common = wandered / empty;
        for square in 0..SQUARES {
            if self.told[square] != 0 && self.candidate[square] != 0 {
                let target = i32::from(self.learnt[square]) + common;
                let baseline = i32::from(self.baseline[square]);
                self.baseline[square] = (baseline + (target - baseline).signum()) as u16;
            }
        }
    }
}

impl Squares for HallSquares {
    type Raw = Samples;

    fn kind(&self) -> SensorKind {
        match self.kind {
            HallKind::Polarity => SensorKind::HallPolarity,
            HallKind::Magnitude => SensorKind::HallMagnitude,
        }
    }

    fn observe(&mut self, now: NodeTime, raw: &Samples, changed: impl FnMut(SquareChanged)) {
        if !self.started {
            self.start(now, raw);
            return;
        }
        self.advance(now, changed);
        for (square, &sample) in raw.iter().enumerate() {
            self.sample(square, sample);
            let value = self.value(square);
            let candidate = self.candidate[square];
            if self.is_other(value, candidate) {
                self.candidate[square] = value;
                self.since[square] = now;
                self.restless |= 1 << square;
                // Levels of a piece that is being lifted or put down do not count as flicker.
                if value.signum() != candidate.signum() {
                    self.quality.edge(square, now, self.told[square] == candidate);
                }
            }
        }
        if now >= self.drift_at {
            // Any time without a scan is one step: the baseline does not follow missed readings.
            self.drift_at = self.drift_at.plus_micros(DRIFT_INTERVAL_US).max(now);
            self.drift();
        }
    }

    fn advance(&mut self, now: NodeTime, mut changed: impl FnMut(SquareChanged)) {
        let mut due = 0;
        for square in channels(self.restless) {
            if now.micros_since(self.since[square]) >= u64::from(self.debounce_us) {
                due |= 1 << square;
            }
        }
        self.restless &= !due;
        while let Some(square) = channels(due).min_by_key(|&square| self.since[square]) {
            due &= !(1 << square);
            // As it reads now: the candidate was the first of readings that are all alike.
            let value = self.value(square);
            self.candidate[square] = value;
            if !self.is_other(value, self.told[square]) {
                continue;
            }
            if value.signum() != self.told[square].signum() {
                self.quality.change(square);
            }
            self.told[square] = value;
            let reading = self.reading(value);
            changed(SquareChanged { time: self.since[square], square: square as u8, reading });
        }
    }

    fn next_due(&self) -> Option<NodeTime> {
        let since = channels(self.restless).map(|square| self.since[square]).min()?;
        Some(since.plus_micros(u64::from(self.debounce_us)))
    }

    fn is_started(&self) -> bool {
        self.started
    }

    fn debounce_us(&self) -> u32 {
        self.debounce_us
    }

    fn occupied(&self) -> u64 {
        (0..SQUARES).fold(0, |bits, square| bits | u64::from(self.told[square] != 0) << square)
    }

    fn state(&self, white_tray: u16, black_tray: u16) -> NodeState {
        if self.kind == HallKind::Magnitude {
            let levels = PerSquare(self.told);
            return NodeState::MagnitudeBoard(MagnitudeState { levels, white_tray, black_tray });
        }
        let of = |sign| {
            (0..SQUARES)
                .fold(0, |bits, square| bits | u64::from(self.told[square] == sign) << square)
        };
        let (white, black) = (of(1), of(-1));
        NodeState::PolarityBoard(PolarityState { white, black, white_tray, black_tray })
    }

    fn chattering(&self) -> u64 {
        self.quality.chattering()
    }

    fn report(&mut self, health: &mut BoardHealth) {
        health.chattering.occupied = self.quality.chattering();
        health.stuck.occupied = self.quality.stuck(8, true);
        health.weak.occupied = 0;
        for square in 0..SQUARES {
            let distance = self.distance(square).abs();
            let weak = if self.told[square] != 0 {
                distance < WEAK_COUNTS * Q
            } else {
                distance > EMPTY_COUNTS * Q
            };
            health.weak.occupied |= u64::from(weak) << square;
            let counts = self.mean[square] / Q as u16;
            let broken = !(RAIL_COUNTS..4096 - RAIL_COUNTS).contains(&counts);
            health.stuck.occupied |= u64::from(broken && self.started) << square;
            health.noise.0[square] = (self.stray[square] / Q as u16).min(255) as u8;
        }
        self.quality.begin_report();
    }

    fn learn(&mut self, standing: Standing) -> CommandResult {
        let squares = match standing {
            Standing::Nothing => 0..SQUARES,
            Standing::SetUp => 16..48,
        };
        let limit = (START_EMPTY_COUNTS + DRIFT_LIMIT_COUNTS as u16) * Q as u16;
        let rests = |square: usize| self.mean[square].abs_diff(MID_RAIL_COUNTS * Q as u16) <= limit;
        if !self.started || !squares.clone().all(rests) {
            return CommandResult::NotNow;
        }
        for square in squares {
            self.baseline[square] = self.mean[square];
            self.learnt[square] = self.mean[square];
            self.guessed &= !(1 << square);
        }
        CommandResult::Done
    }
}
