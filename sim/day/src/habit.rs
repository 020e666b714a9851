//! Habits of people between games, and their rates in one table.

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

/// A habit of people, or an accident.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the table describes each")]
pub enum Habit {
    StartsLate,
    NeverComes,
    NoShowClockRuns,
    ComesAfterForfeit,
    TriesOut,
    PlaysForFun,
    PlaysForFunAlone,
    StartsAnew,
    ForgetsClock,
    NeverStartsClock,
    ResetsByMistake,
    LeavesReset,
    LosesPower,
    SitsReversed,
    SitsElsewhere,
    SwapsBoards,
    SwapsClocks,
    TurnsQuarter,
    TurnsHalf,
    TurnsClock,
    StuckSquare,
    LostPawn,
    SetsShorterTime,
    LeavesClockRunning,
    ShowsKings,
    Analyses,
    AnalysesWithClock,
    PutsBackAtOnce,
    PutsBackOneBoard,
    ClearsBoards,
    ResetsClocksLater,
    ReportsOnPaper,
    ReportsLate,
    PairsAgain,
    MovesMatch,
    ExchangesInPlay,
    WrongSlip,
    CarriesBox,
    WrongSideStarts,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
struct Row {
    habit: Habit,
    /// Share of the occasions that are named beside it.
    rate: f64,
    /// Whether development never sees it: only `--held-out` days have it.
    is_held_out: bool,
}

const fn row(habit: Habit, rate: f64) -> Row {
    Row { habit, rate, is_held_out: false }
}

const fn held_out(habit: Habit, rate: f64) -> Row {
    Row { habit, rate, is_held_out: true }
}

/// Rates of all habits. Assumed, not measured: no hall has been counted.
const RATES: [Row; 39] = [
    // Share of a table's rounds.
    row(Habit::StartsLate, 0.20),
    row(Habit::NeverComes, 0.02),
    // Share of those who wait alone: they start the other side's clock.
    row(Habit::NoShowClockRuns, 0.60),
    // Share of the forfeits: entered, taken back, and played.
    row(Habit::ComesAfterForfeit, 0.30),
    // Share of the rounds: a few moves before it, or a whole game, or a game at one of two boards while the other is not set up.
    row(Habit::TriesOut, 0.06),
    row(Habit::PlaysForFun, 0.03),
    row(Habit::PlaysForFunAlone, 0.01),
    // A few moves with the clock, put back, begun again.
    row(Habit::StartsAnew, 0.03),
    // The clock is started after some moves, or never.
    row(Habit::ForgetsClock, 0.02),
    row(Habit::NeverStartsClock, 0.005),
    // Stopped in play, reset, set back or (of those) left so, and played on.
    row(Habit::ResetsByMistake, 0.02),
    row(Habit::LeavesReset, 0.30),
    held_out(Habit::LosesPower, 0.02),
    // Team 2 sits where team 1 should.
    row(Habit::SitsReversed, 0.03),
    // Two tables' children sit at each other's.
    row(Habit::SitsElsewhere, 0.01),
    held_out(Habit::SwapsBoards, 0.02),
    // The clocks of the two boards stand in each other's place for a round.
    row(Habit::SwapsClocks, 0.005),
    row(Habit::TurnsQuarter, 0.01),
    // At boards that know their pieces; others cannot know it from readings alone.
    row(Habit::TurnsHalf, 0.01),
    held_out(Habit::TurnsClock, 0.01),
    // For the whole day of a table.
    row(Habit::StuckSquare, 0.03),
    // From one round on.
    held_out(Habit::LostPawn, 0.01),
    // Share of the rounds: clocks are set to three minutes instead of five.
    row(Habit::SetsShorterTime, 0.04),
    // After a game.
    row(Habit::LeavesClockRunning, 0.10),
    row(Habit::ShowsKings, 0.25),
    row(Habit::Analyses, 0.20),
    // Share of those who analyse.
    row(Habit::AnalysesWithClock, 0.25),
    row(Habit::PutsBackAtOnce, 0.60),
    // Share of those at two boards: one board at once, the other later.
    row(Habit::PutsBackOneBoard, 0.15),
    row(Habit::ClearsBoards, 0.05),
    // Share of those who put back: the clocks are set before the next round.
    row(Habit::ResetsClocksLater, 0.30),
    // Share of the results.
    row(Habit::ReportsOnPaper, 0.10),
    row(Habit::ReportsLate, 0.05),
    // Share of a table's rounds, by directors.
    row(Habit::PairsAgain, 0.02),
    row(Habit::MovesMatch, 0.01),
    // Rate, among players at each other's tables, of a director who leaves them there and exchanges the pairings.
    row(Habit::ExchangesInPlay, 0.50),
    // A slip is entered at the pairing of the table beside it, and taken back.
    row(Habit::WrongSlip, 0.02),
    held_out(Habit::CarriesBox, 0.01),
    held_out(Habit::WrongSideStarts, 0.02),
];

/// The rates that a day is drawn by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rates {
    pub(crate) with_held_out: bool,
}

impl Rates {
    /// Whether it happens this time.
    pub(crate) fn happens(self, habit: Habit, rng: &mut ChaCha8Rng) -> bool {
        // Drawn also where it never happens, so that a day differs only in the habits held out.
        let drawn = rng.random::<f64>();
        let row = RATES.iter().find(|row| row.habit == habit);
        row.is_some_and(|row| drawn < row.rate && (self.with_held_out || !row.is_held_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_habit_has_one_rate() {
        for (at, row) in RATES.iter().enumerate() {
            assert!(RATES[..at].iter().all(|other| other.habit != row.habit), "{:?}", row.habit);
            assert!((0.0..=1.0).contains(&row.rate));
        }
    }
}
