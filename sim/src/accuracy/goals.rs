//! Goals of the tracker, and whether the figures reach them.

use readings::SensorKind;
use rules::Game;

use super::{figure::Figure, matrix::Cell};
use crate::{BoardSensors, Equipment, HandsFrom, Population, Profile, Sensors, score::Share};

/// A measure in a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Measure {
    /// At least this share.
    AtLeast(Figure, f64),
    /// No case at all.
    None(Figure),
    /// At most this much below the same figure with ideal players.
    LossAgainstIdeal(Figure, f64),
    /// Recall of an anomaly.
    Recall(&'static str, f64),
    /// Recall of reports made while it could still be acted on.
    LiveRecall(&'static str, f64),
    /// Precision of an anomaly's reports.
    Precision(&'static str, f64),
    /// Reports of an anomaly that did not happen, a match.
    FalseAlarms(&'static str, f64),
    /// Reports of an anomaly that did not happen, taken back later or not, a match.
    FalseShown(&'static str, f64),
}

/// Maximum cost of tracking, over all settings.
#[derive(Clone, Copy, Debug, PartialEq)]
enum CostGoal {
    /// Milliseconds a ply on average.
    MsPerPly,
    /// Milliseconds of the longest step.
    WorstStepMs,
    /// Milliseconds of the longest end of a match.
    WorstEndMs,
    /// Megabytes held.
    MemoryMb,
}

/// Limits, in the unit of each.
const COSTS: [(CostGoal, f64); 4] = [
    (CostGoal::MsPerPly, 0.4),
    (CostGoal::WorstStepMs, 20.0),
    (CostGoal::WorstEndMs, 100.0),
    (CostGoal::MemoryMb, 16.0),
];

/// Verdict on one goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Setting and limit.
    pub goal: String,
    /// Measured value.
    pub measured: String,
    /// Whether it is reached.
    pub met: bool,
}

/// One goal: a measure in some settings.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Goal {
    equipment: Equipment,
    players: Population,
    measure: Measure,
}

const REED: Equipment = both(SensorKind::Reed, false);
const TRAYS: Equipment = both(SensorKind::Reed, true);
const POLARITY: Equipment = both(SensorKind::HallPolarity, false);
const MAGNITUDE: Equipment = both(SensorKind::HallMagnitude, false);
const PIECE_ID: Equipment = both(SensorKind::PieceId, false);

const fn both(kind: SensorKind, trays: bool) -> Equipment {
    let board = Some(BoardSensors { kind, trays, stated_levels: true });
    Equipment { hand_sensors: false, hand_sides: false, sensors: Sensors([board; 2]) }
}

const fn goal(equipment: Equipment, profile: Profile, measure: Measure) -> Goal {
    Goal { equipment, players: Population { profile, hands: HandsFrom::Table }, measure }
}

const fn drawn(equipment: Equipment, profile: Profile, measure: Measure) -> Goal {
    Goal { equipment, players: Population { profile, hands: HandsFrom::Drawn }, measure }
}

const fn swapped(measure: Measure) -> Goal {
    let players = Population { profile: Profile::Scholastic, hands: HandsFrom::DrawnSwapped };
    Goal { equipment: REED, players, measure }
}

/// The goals, apart from those that hold in every cell, which [`verdicts`] adds.
const GOALS: &[Goal] = {
    use Figure::*;
    use Measure::*;
    use Profile::*;
    &[
        goal(REED, Ideal, AtLeast(DropsLive, 0.85)),
        goal(REED, Ideal, AtLeast(DropsLag8, 0.91)),
        goal(REED, Ideal, AtLeast(DropsEnd, 0.955)),
        goal(REED, Ideal, AtLeast(PliesLive, 0.96)),
        goal(REED, Ideal, AtLeast(PliesEnd, 0.988)),
        goal(REED, Ideal, AtLeast(MatchesExact, 0.42)),
        goal(REED, Ideal, AtLeast(ExactAfterFive, 0.88)),
        goal(REED, Club, AtLeast(ExactAfterFive, 0.88)),
        goal(REED, Scholastic, AtLeast(ExactAfterFive, 0.88)),
        goal(REED, Club, LossAgainstIdeal(DropsEnd, 0.005)),
        goal(REED, Scholastic, LossAgainstIdeal(DropsEnd, 0.02)),
        goal(REED, Club, AtLeast(SquaresEnd, 0.999)),
        goal(REED, Scholastic, AtLeast(SquaresEnd, 0.995)),
        goal(TRAYS, Club, AtLeast(PliesLive, 0.993)),
        goal(TRAYS, Club, AtLeast(PliesEnd, 0.999)),
        goal(TRAYS, Club, AtLeast(MatchesExact, 0.95)),
        goal(REED, Ideal, AtLeast(ConfidentRight, 0.993)),
        goal(REED, Ideal, AtLeast(ConfidentLabels, 0.75)),
        goal(MAGNITUDE, Ideal, AtLeast(DropsLive, 0.985)),
        goal(MAGNITUDE, Ideal, AtLeast(DropsEnd, 0.996)),
        goal(REED, Scholastic, Recall("illegal-move", 0.97)),
        goal(REED, Scholastic, Precision("illegal-move", 0.95)),
        goal(REED, Scholastic, LiveRecall("illegal-move", 0.9)),
        goal(REED, Club, Precision("clock-hand", 0.9)),
        goal(REED, Club, Recall("clock-hand", 0.6)),
        goal(REED, Scholastic, Precision("clock-hand", 0.9)),
        goal(REED, Scholastic, Recall("clock-hand", 0.6)),
    ]
};

/// The goals for drawn hands.
const DRAWN_GOALS: &[Goal] = {
    use Measure::*;
    use Profile::*;
    &[
        drawn(REED, Scholastic, Recall("illegal-move", 0.93)),
        drawn(REED, Scholastic, Precision("illegal-move", 0.93)),
        drawn(REED, Scholastic, LiveRecall("illegal-move", 0.9)),
        drawn(REED, Ideal, FalseShown("illegal-move", 0.04)),
        drawn(REED, Club, FalseShown("illegal-move", 0.04)),
        drawn(REED, Scholastic, FalseShown("illegal-move", 0.15)),
        drawn(REED, Scholastic, Recall("touch-move", 0.88)),
        drawn(REED, Scholastic, Precision("touch-move", 0.93)),
        drawn(REED, Scholastic, Recall("early-press", 0.88)),
        drawn(REED, Scholastic, Precision("early-press", 0.93)),
        drawn(REED, Scholastic, Recall("press-after-displacing", 0.88)),
        drawn(REED, Scholastic, Precision("press-after-displacing", 0.93)),
        drawn(TRAYS, Club, FalseAlarms("hidden-piece", 0.1)),
        drawn(TRAYS, Scholastic, FalseAlarms("hidden-piece", 0.1)),
        drawn(TRAYS, Club, FalseAlarms("early-pass", 0.1)),
        drawn(TRAYS, Scholastic, FalseAlarms("early-pass", 0.1)),
        drawn(REED, Scholastic, Precision("displaced-pieces", 0.9)),
        drawn(POLARITY, Scholastic, Precision("displaced-pieces", 0.9)),
        drawn(MAGNITUDE, Scholastic, Precision("displaced-pieces", 0.9)),
        drawn(PIECE_ID, Scholastic, Precision("displaced-pieces", 0.9)),
        drawn(REED, Scholastic, Precision("sensor-fault", 0.9)),
        drawn(POLARITY, Scholastic, Precision("sensor-fault", 0.9)),
        drawn(MAGNITUDE, Scholastic, Precision("sensor-fault", 0.9)),
        drawn(PIECE_ID, Scholastic, Precision("sensor-fault", 0.9)),
        swapped(Recall("setup-wrong", 0.9)),
        swapped(FalseAlarms("illegal-move", 0.3)),
    ]
};

/// The goals for chess.
const CHESS_GOALS: &[Goal] = {
    use Figure::MatchesExact;
    use Measure::*;
    use Profile::*;
    &[
        goal(REED, Ideal, AtLeast(MatchesExact, 1.0)),
        goal(REED, Club, AtLeast(MatchesExact, 0.99)),
        goal(REED, Scholastic, AtLeast(MatchesExact, 0.96)),
        goal(REED, Club, Precision("illegal-move", 0.97)),
        goal(REED, Scholastic, Precision("illegal-move", 0.97)),
        goal(REED, Ideal, FalseAlarms("clock-jump", 0.0)),
        goal(REED, Club, FalseAlarms("clock-jump", 0.0)),
        goal(REED, Scholastic, FalseAlarms("clock-jump", 0.0)),
        goal(REED, Ideal, FalseAlarms("clock-drift", 0.0)),
        goal(REED, Club, FalseAlarms("clock-drift", 0.0)),
        goal(REED, Scholastic, FalseAlarms("clock-drift", 0.0)),
    ]
};

/// Anomalies with a recall of at least 0.9 and few false alarms, and the sensors they need.
const ANOMALIES: &[(&str, Equipment)] = &[
    ("touch-move", REED),
    ("press-after-displacing", REED),
    ("early-press", REED),
    ("early-press", TRAYS),
    ("missed-press", REED),
    ("displaced-pieces", REED),
    ("clock-knocked-over", REED),
    ("early-pass", TRAYS),
    ("hidden-piece", TRAYS),
];
const ANOMALY_RECALL: f64 = 0.9;
/// False alarms a match that are borne: one in 20 matches of club players, one in 10 of children.
const FALSE_ALARMS: [(Profile, f64); 2] = [(Profile::Club, 0.05), (Profile::Scholastic, 0.1)];

/// Every goal at a game for which there are figures of `contender`.
#[must_use]
pub fn verdicts(cells: &[Cell], game: Game, contender: &str) -> Vec<Verdict> {
    let own: Vec<&Cell> = cells.iter().filter(|cell| cell.contender == contender).collect();
    let anomalies = ANOMALIES.iter().flat_map(|&(code, sensors)| {
        FALSE_ALARMS.into_iter().flat_map(move |(players, alarms)| {
            [
                goal(sensors, players, Measure::Recall(code, ANOMALY_RECALL)),
                goal(sensors, players, Measure::FalseAlarms(code, alarms)),
            ]
        })
    });
    let everywhere = own.iter().map(|cell| Goal {
        equipment: cell.setting.equipment,
        players: cell.setting.players,
        measure: Measure::None(Figure::MatchesLost),
    });
    let of_game: Vec<Goal> = match game {
        Game::Bughouse => GOALS.iter().chain(DRAWN_GOALS).copied().chain(anomalies).collect(),
        Game::Chess => CHESS_GOALS.to_vec(),
    };
    let costs = COSTS.into_iter().filter_map(|(cost, most)| cost.verdict(&own, most));
    everywhere.chain(of_game).filter_map(|goal| goal.verdict(&own)).chain(costs).collect()
}

impl CostGoal {
    fn of(self, cell: &Cell) -> Option<f64> {
        let effort = &cell.effort;
        let ms = |ns: u64| ns as f64 / 1e6;
        match self {
            CostGoal::MsPerPly => effort.ms_per_ply(),
            CostGoal::WorstStepMs => Some(ms(effort.worst_step_ns)),
            CostGoal::WorstEndMs => Some(ms(effort.worst_finish_ns)),
            CostGoal::MemoryMb => Some(cell.total.memory_bytes as f64 / 1e6),
        }
    }

    /// The verdict on the cell that costs most; none if nothing was timed.
    fn verdict(self, cells: &[&Cell], most: f64) -> Option<Verdict> {
        let timed = cells.iter().filter(|cell| cell.effort.tracking_ns > 0);
        let costs = timed.filter_map(|cell| Some((self.of(cell)?, cell.setting)));
        let (worst, setting) = costs.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
        let (asked, measured) = match self {
            CostGoal::MsPerPly => (format!("time a ply ≤ {most} ms"), format!("{worst:.3} ms")),
            CostGoal::WorstStepMs => {
                (format!("longest step ≤ {most} ms"), format!("{worst:.1} ms"))
            }
            CostGoal::WorstEndMs => {
                (format!("longest end of a match ≤ {most} ms"), format!("{worst:.1} ms"))
            }
            CostGoal::MemoryMb => (format!("memory ≤ {most} MB"), format!("{worst:.1} MB")),
        };
        let goal = format!("in every setting: {asked}");
        Some(Verdict { goal, measured: format!("{measured} ({setting})"), met: worst <= most })
    }
}

impl Goal {
    fn cell<'a>(&self, cells: &[&'a Cell], players: Population) -> Option<&'a Cell> {
        cells
            .iter()
            .find(|cell| {
                cell.setting.equipment == self.equipment && cell.setting.players == players
            })
            .copied()
    }

    fn verdict(&self, cells: &[&Cell]) -> Option<Verdict> {
        let cell = self.cell(cells, self.players)?;
        let (asked, measured, met) = match self.measure {
            Measure::AtLeast(figure, floor) => {
                let (share, interval) = cell.figure(figure)?;
                let asked = format!("{} ≥ {}", figure.name(), percent(floor));
                let (low, high) = (percent(interval.low), percent(interval.high));
                let value = share.value()?;
                (asked, format!("{} ({low} to {high})", percent(value)), value >= floor)
            }
            Measure::None(figure) => {
                let share = figure.of(&cell.total);
                let measured = format!("{} of {}", share.right, share.of);
                (format!("{}: 0", figure.name()), measured, share.right == 0)
            }
            Measure::LossAgainstIdeal(figure, most) => {
                let ideal = self.cell(cells, Profile::Ideal.into())?.figure(figure)?.0.value()?;
                let loss = ideal - cell.figure(figure)?.0.value()?;
                let asked = format!("{}, loss against ideal ≤ {}", figure.name(), points(most));
                (asked, points(loss), loss <= most)
            }
            Measure::Recall(code, floor) => {
                at_least("recall", code, cell.total.score.anomalies.get(code)?.recall, floor)?
            }
            Measure::LiveRecall(code, floor) => at_least(
                "live recall",
                code,
                cell.total.score.anomalies.get(code)?.recall_live,
                floor,
            )?,
            Measure::Precision(code, floor) => {
                at_least("precision", code, cell.total.score.anomalies.get(code)?.precision, floor)?
            }
            Measure::FalseAlarms(code, most) => {
                let known = cell.total.score.anomalies.get(code);
                let rate = wrong_a_match(cell, known.map(|score| score.precision));
                let asked = format!("{code}: false alarms a match ≤ {most}");
                (asked, format!("{rate:.3}"), rate <= most)
            }
            Measure::FalseShown(code, most) => {
                let known = cell.total.score.anomalies.get(code);
                let rate = wrong_a_match(cell, known.map(|score| score.shown));
                let asked = format!("{code}: shown and false, a match ≤ {most}");
                (asked, format!("{rate:.3}"), rate <= most)
            }
        };
        Some(Verdict { goal: format!("{}: {asked}", cell.setting), measured, met })
    }
}

/// Number of wrong reports a match.
fn wrong_a_match(cell: &Cell, reports: Option<Share>) -> f64 {
    let reports = reports.unwrap_or_default();
    (reports.of - reports.right) as f64 / cell.total.matches.max(1) as f64
}

fn at_least(what: &str, code: &str, share: Share, floor: f64) -> Option<(String, String, bool)> {
    let asked = format!("{code}: {what} ≥ {floor}");
    let (Some((low, high)), Some(value)) = (share.wilson_95(), share.value()) else {
        return Some((asked, "no case".to_owned(), false));
    };
    let measured = format!("{value:.3} ({low:.3} to {high:.3}), {} of {}", share.right, share.of);
    Some((asked, measured, value >= floor))
}

/// A share in percent, so that 99.99 % does not look like all.
pub(super) fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

fn points(share: f64) -> String {
    format!("{:.2} points", 100.0 * share)
}
