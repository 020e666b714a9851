//! The tables of the figures: as Markdown on the page and on a terminal, as CSV beside the page.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use rules::Game;

use super::{
    figure::{Figure, confident},
    goals::{percent, verdicts},
    matrix::Cell,
    tally::Single,
    trial::equipment_name,
};
use crate::{
    Equipment, HandsFrom, Population, Profile,
    score::{Calibration, Share},
};

/// Rows of cells under a head, as Markdown whose columns line up.
pub(super) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    fn new<S: ToString>(head: impl IntoIterator<Item = S>) -> Table {
        Table { rows: vec![head.into_iter().map(|text| text.to_string()).collect()] }
    }

    fn row<S: ToString>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(|text| text.to_string()).collect());
    }

    /// The rows as CSV (RFC 4180), the head first.
    pub(super) fn csv(&self) -> String {
        let quoted = |text: &String| match text.contains([',', '"', '\n']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text.clone(),
        };
        let line = |row: &Vec<String>| row.iter().map(quoted).collect::<Vec<_>>().join(",");
        self.rows.iter().map(|row| line(row) + "\n").collect()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(move |row| row.get(column));
            cells.map(|text| text.chars().count()).max().unwrap_or(0).max(3)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for (place, row) in self.rows.iter().enumerate() {
            for (column, &width) in widths.iter().enumerate() {
                write!(f, "| {:width$} ", row.get(column).map_or("", String::as_str))?;
            }
            writeln!(f, "|")?;
            if place == 0 {
                for width in &widths {
                    write!(f, "|-{}-", "-".repeat(*width))?;
                }
                writeln!(f, "|")?;
            }
        }
        Ok(())
    }
}

/// A line for each cell: the shares that matter most, without intervals.
pub(super) fn overview(cells: &[Cell]) -> Table {
    const SHOWN: [(Figure, &str); 10] = [
        (Figure::MatchesLost, "lost"),
        (Figure::MatchesExact, "exact"),
        (Figure::ExactAfterFive, "after 5 questions"),
        (Figure::SquaresEnd, "squares, end"),
        (Figure::PliesLive, "plies, live"),
        (Figure::PliesLag8, "8 later"),
        (Figure::PliesEnd, "end"),
        (Figure::DropsLive, "drop types, live"),
        (Figure::DropsLag8, "8 later"),
        (Figure::DropsEnd, "end"),
    ];
    let mut table =
        Table::new(["sensors, players", "prior"].into_iter().chain(SHOWN.map(|(_, name)| name)));
    for cell in cells {
        let shares = SHOWN.map(|(figure, _)| short(figure, figure.of(&cell.total)));
        table.row([cell.setting.to_string(), cell.contender.clone()].into_iter().chain(shares));
    }
    table
}

/// Whether a cell belongs to what a reader of the page expects of a hall: real players, at boards that are set up rightly.
fn is_expected(cell: &Cell) -> bool {
    let Population { profile, hands } = cell.setting.players;
    profile != Profile::Ideal && hands != HandsFrom::DrawnSwapped
}

/// Expected accuracy of each kind of board and players: a line for each cell of one contender.
pub(super) fn expect(cells: &[Cell], contender: &str) -> Table {
    const SHOWN: [(Figure, &str); 5] = [
        (Figure::MatchesExact, "matches right in every ply"),
        (Figure::PliesLive, "plies right, live"),
        (Figure::PliesEnd, "at the end"),
        (Figure::DropsEnd, "types of drops right, at the end"),
        (Figure::MatchesLost, "matches lost"),
    ];
    let heads = std::iter::once("sensors, players").chain(SHOWN.map(|(_, name)| name));
    let mut table = Table::new(heads);
    let own = cells.iter().filter(|cell| cell.contender == contender);
    for cell in own.filter(|cell| is_expected(cell)) {
        let shares = SHOWN.map(|(figure, _)| short(figure, figure.of(&cell.total)));
        table.row(std::iter::once(cell.setting.to_string()).chain(shares));
    }
    table
}

/// The share of matches right in every ply in each row of [`expect`], from 0 to 1, with the row's name.
pub(super) fn exact_shares(cells: &[Cell], contender: &str) -> Vec<(String, f64)> {
    let own = cells.iter().filter(|cell| cell.contender == contender && is_expected(cell));
    own.filter_map(|cell| {
        Some((cell.setting.to_string(), Figure::MatchesExact.of(&cell.total).value()?))
    })
    .collect()
}

/// Matches lost are counted; everything else is a share.
fn short(figure: Figure, share: Share) -> String {
    match (figure, share.value()) {
        (_, None) => "–".to_owned(),
        (Figure::MatchesLost, _) => format!("{} of {}", share.right, share.of),
        (_, Some(value)) => percent(value),
    }
}

/// Every figure of one contender, with its interval; a line for each figure and setting.
pub(super) fn figures(cells: &[Cell], contender: &str) -> Table {
    let mut table = Table::new(["sensors, players", "figure", "measured", "low_95", "high_95"]);
    for cell in cells.iter().filter(|cell| cell.contender == contender) {
        for figure in Figure::ALL {
            let Some((share, interval)) = cell.figure(figure) else { continue };
            let bounds = [interval.low, interval.high].map(percent);
            let [low, high] = bounds;
            table.row([
                cell.setting.to_string(),
                figure.name().to_owned(),
                short(figure, share),
                low,
                high,
            ]);
        }
    }
    table
}

fn of<'a>(
    cells: &'a [Cell],
    contender: &'a str,
    equipment: Equipment,
) -> impl Iterator<Item = &'a Cell> {
    cells
        .iter()
        .filter(move |cell| cell.contender == contender && cell.setting.equipment == equipment)
}

/// Reliability of stated probabilities of drops, over all players at each kind of board.
pub(super) fn reliability(cells: &[Cell], contender: &str) -> Table {
    let mut table = Table::new([
        "sensors",
        "p from",
        "labels, live",
        "stated",
        "right",
        "8 plies later",
        "stated",
        "right",
        "end",
        "stated",
        "right",
    ]);
    for equipment in boards(cells, contender) {
        add_reliability(&mut table, cells, contender, equipment);
    }
    table
}

fn add_reliability(table: &mut Table, cells: &[Cell], contender: &str, equipment: Equipment) {
    let mut stages = [Calibration::default(), Calibration::default(), Calibration::default()];
    for cell in of(cells, contender, equipment) {
        let labels = &cell.total.score.drop_calibration;
        for (sum, more) in stages.iter_mut().zip([&labels.live, &labels.lag8, &labels.end]) {
            *sum += more;
        }
    }
    let row = |first: String| [equipment_name(equipment), first].into_iter();
    for bin in 0..stages[0].bins.len() {
        let texts = stages.iter().flat_map(|stage| {
            let bin = stage.bins[bin];
            let mean = |sum: f64| match bin.answers {
                0 => "–".to_owned(),
                answers => percent(sum / answers as f64),
            };
            [bin.answers.to_string(), mean(bin.sum_p), mean(bin.right as f64)]
        });
        table.row(row(stages[0].bins[bin].from.to_string()).chain(texts));
    }
    let brier = stages.iter().flat_map(|stage| {
        let score = stage.brier().map_or("–".to_owned(), |brier| format!("{brier:.4}"));
        [stage.answers().to_string(), score, String::new()]
    });
    table.row(row("Brier score".to_owned()).chain(brier));
}

/// Found and true anomalies; a line for each code and setting in which either occurs.
pub(super) fn anomalies(cells: &[Cell], contender: &str) -> Table {
    let own: Vec<&Cell> = cells.iter().filter(|cell| cell.contender == contender).collect();
    let codes: BTreeSet<&String> =
        own.iter().flat_map(|cell| cell.total.score.anomalies.keys()).collect();
    let mut table = Table::new([
        "anomaly",
        "sensors, players",
        "happened",
        "recall",
        "in time",
        "reported",
        "precision",
        "false alarms a match",
        "ever shown and false, a match",
    ]);
    for code in codes {
        for cell in &own {
            let Some(score) = cell.total.score.anomalies.get(code) else { continue };
            let alarms = (score.precision.of - score.precision.right) as f64;
            table.row([
                format!("`{code}`"),
                cell.setting.to_string(),
                score.recall.of.to_string(),
                with_wilson(score.recall),
                with_wilson(score.recall_live),
                score.precision.of.to_string(),
                with_wilson(score.precision),
                format!("{:.3}", alarms / cell.total.matches.max(1) as f64),
                format!(
                    "{:.3}",
                    (score.shown.of - score.shown.right) as f64 / cell.total.matches.max(1) as f64
                ),
            ]);
        }
    }
    table
}

/// The middle and the worst tenth of matches, each by itself; a line for each setting.
pub(super) fn each_match(cells: &[Cell], contender: &str) -> Table {
    let mut table = Table::new([
        "sensors, players",
        "matches",
        "squares, end",
        "plies, end",
        "drop types, live",
        "end",
        "false reports, end",
        "ever shown",
    ]);
    for cell in cells.iter().filter(|cell| cell.contender == contender) {
        let each = &cell.total.each;
        let shares = |value: &dyn Fn(&Single) -> Option<f64>| {
            let values: Vec<f64> = each.iter().filter_map(value).collect();
            match (quantile(&values, 0.5), quantile(&values, WORST)) {
                (Some(middle), Some(worst)) => format!("{}, {}", percent(middle), percent(worst)),
                _ => "–".to_owned(),
            }
        };
        let counts = |value: &dyn Fn(&Single) -> u64| {
            let values: Vec<f64> = each.iter().map(|single| value(single) as f64).collect();
            match (quantile(&values, 0.5), quantile(&values, 1.0 - WORST)) {
                (Some(middle), Some(worst)) => format!("{middle:.0}, {worst:.0}"),
                _ => "–".to_owned(),
            }
        };
        table.row([
            cell.setting.to_string(),
            each.len().to_string(),
            shares(&|single| Some(single.squares_end)),
            shares(&|single| Some(single.plies_end)),
            shares(&|single| Some(single.drops?.0)),
            shares(&|single| Some(single.drops?.1)),
            counts(&|single| single.false_reports),
            counts(&|single| single.false_shown),
        ]);
    }
    table
}

/// The part of matches that counts as the worst.
const WORST: f64 = 0.1;

/// The value below which this part of the values lies, the nearest that occurs; none of no values.
fn quantile(values: &[f64], part: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    sorted.get((last as f64 * part).round() as usize).copied()
}

/// Reliability of the stated confidence of reports, over all players and boards; a line for each code.
pub(super) fn confidence(cells: &[Cell], contender: &str) -> Table {
    let mut codes: BTreeMap<&String, Calibration> = BTreeMap::new();
    for cell in cells.iter().filter(|cell| cell.contender == contender) {
        for (code, score) in &cell.total.score.anomalies {
            *codes.entry(code).or_default() += &score.reliability;
        }
    }
    let bins = Calibration::default().bins;
    let shown: Vec<usize> = (0..bins.len())
        .filter(|&bin| codes.values().any(|reports| reports.bins[bin].answers > 0))
        .collect();
    let heads = shown.iter().map(|&bin| format!("from {}", bins[bin].from));
    let mut table = Table::new(["anomaly".to_owned()].into_iter().chain(heads));
    for (code, reports) in codes.iter().filter(|(_, reports)| reports.answers() > 0) {
        let texts = shown.iter().map(|&bin| {
            let bin = reports.bins[bin];
            let mean = |sum: f64| sum / bin.answers as f64;
            match bin.answers {
                0 => "–".to_owned(),
                of => format!("{:.3}, {:.3} of {of}", mean(bin.sum_p), mean(bin.right as f64)),
            }
        });
        table.row(std::iter::once(format!("`{code}`")).chain(texts));
    }
    table
}

/// The surest reports about drawn hands, over all boards; a line for each code.
pub(super) fn surest(cells: &[Cell], contender: &str) -> Table {
    let is_drawn = |cell: &&Cell| cell.setting.players.hands != HandsFrom::Table;
    let own: Vec<&Cell> =
        cells.iter().filter(|cell| cell.contender == contender).filter(is_drawn).collect();
    let mut players: Vec<Population> = Vec::new();
    let mut codes: BTreeMap<&String, Vec<Share>> = BTreeMap::new();
    for cell in &own {
        let known = players.iter().position(|&known| known == cell.setting.players);
        let column = known.unwrap_or(players.len());
        if known.is_none() {
            players.push(cell.setting.players);
        }
        for (code, score) in &cell.total.score.anomalies {
            let shares = codes.entry(code).or_default();
            shares.resize(shares.len().max(column + 1), Share::default());
            shares[column] += confident(&score.reliability);
        }
    }
    let heads = players.iter().map(ToString::to_string);
    let mut table = Table::new(["anomaly".to_owned()].into_iter().chain(heads));
    for (code, mut shares) in codes {
        shares.resize(players.len(), Share::default());
        if shares.iter().any(|share| share.of > 0) {
            let texts = shares.iter().map(|share| match share.value() {
                Some(value) => format!("{value:.3}, {} of {}", share.right, share.of),
                None => "–".to_owned(),
            });
            table.row(std::iter::once(format!("`{code}`")).chain(texts));
        }
    }
    table
}

fn with_wilson(share: Share) -> String {
    match (share.value(), share.wilson_95()) {
        (Some(value), Some((low, high))) => format!("{value:.3} ({low:.3} to {high:.3})"),
        _ => "–".to_owned(),
    }
}

/// Cost of tracking.
pub(super) fn effort(cells: &[Cell]) -> Table {
    let mut table = Table::new([
        "sensors, players",
        "prior",
        "matches",
        "ms a ply",
        "in the slowest match",
        "longest step, ms",
        "longest end of a match, ms",
        "most memory, MB",
    ]);
    for cell in cells.iter().filter(|cell| cell.effort.tracking_ns > 0) {
        let effort = &cell.effort;
        let ms = |ns: u64| ns as f64 / 1e6;
        table.row([
            cell.setting.to_string(),
            cell.contender.clone(),
            effort.matches.to_string(),
            effort.ms_per_ply().map_or("–".to_owned(), |ms| format!("{ms:.3}")),
            format!("{:.3}", ms(effort.worst_match_ns_per_ply)),
            format!("{:.1}", ms(effort.worst_step_ns)),
            format!("{:.1}", ms(effort.worst_finish_ns)),
            format!("{:.1}", cell.total.memory_bytes as f64 / 1e6),
        ]);
    }
    table
}

/// Whether the goals are reached.
pub(super) fn goals(cells: &[Cell], game: Game, contender: &str) -> Table {
    let mut table = Table::new(["goal", "measured", "reached"]);
    for verdict in verdicts(cells, game, contender) {
        let met = if verdict.met { "yes" } else { "no" };
        table.row([verdict.goal, verdict.measured, met.to_owned()]);
    }
    table
}

/// Number of goals that are reached, and a list of the others.
pub(super) fn missed_goals(cells: &[Cell], game: Game, contender: &str) -> String {
    let all = verdicts(cells, game, contender);
    let missed: Vec<_> = all.iter().filter(|verdict| !verdict.met).collect();
    let reached = all.len() - missed.len();
    if missed.is_empty() {
        return format!("All {reached} goals are reached.");
    }
    let mut table = Table::new(["goal that is not reached", "measured"]);
    for verdict in missed {
        table.row([&verdict.goal, &verdict.measured]);
    }
    format!("{reached} of {} goals are reached.\n\n{table}", all.len())
}

/// The most that tracking cost one contender in any setting, in a sentence.
pub(super) fn cost(cells: &[Cell], contender: &str) -> String {
    let timed = |cell: &&Cell| cell.contender == contender && cell.effort.tracking_ns > 0;
    let own: Vec<&Cell> = cells.iter().filter(timed).collect();
    let most =
        |value: &dyn Fn(&Cell) -> f64| own.iter().map(|cell| value(cell)).fold(0.0, f64::max);
    let ms = |ns: u64| ns as f64 / 1e6;
    if own.is_empty() {
        return "Not timed in this run.".to_owned();
    }
    format!(
        "At most {:.2} ms a ply on average in a setting, {:.1} ms for a reading, {:.0} ms for the end of a match, and {:.1} MB.",
        most(&|cell| cell.effort.ms_per_ply().unwrap_or(0.0)),
        most(&|cell| ms(cell.effort.worst_step_ns)),
        most(&|cell| ms(cell.effort.worst_finish_ns)),
        most(&|cell| cell.total.memory_bytes as f64 / 1e6),
    )
}

/// Bare counts, which are the same on every machine.
pub(super) fn counts(cells: &[Cell]) -> Table {
    let mut table = Table::new([
        "sensors, players",
        "prior",
        "matches",
        "plies",
        "right live",
        "8 later",
        "end",
        "squares, end",
        "missed",
        "misread",
        "invented",
        "drops",
        "live",
        "8 later",
        "end",
        "exact",
        "lost",
    ]);
    for cell in cells {
        let score = &cell.total.score;
        let counts = [
            cell.total.matches,
            score.plies.end.of,
            score.plies.live.right,
            score.plies.lag8.right,
            score.plies.end.right,
            score.squares.end.right,
            score.missed,
            score.misread,
            score.invented,
            score.drop_types.end.of,
            score.drop_types.live.right,
            score.drop_types.lag8.right,
            score.drop_types.end.right,
            score.exact.right,
            score.lost.right,
        ];
        let names = [cell.setting.to_string(), cell.contender.clone()];
        table.row(names.into_iter().chain(counts.map(|count| count.to_string())));
    }
    table
}

/// Every kind of board in the cells, in their order.
fn boards(cells: &[Cell], contender: &str) -> Vec<Equipment> {
    let mut found: Vec<Equipment> = Vec::new();
    for cell in cells.iter().filter(|cell| cell.contender == contender) {
        if !found.contains(&cell.setting.equipment) {
            found.push(cell.setting.equipment);
        }
    }
    found
}
