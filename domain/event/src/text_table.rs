//! Standings and charts as text, for a terminal and for the wall: columns as wide as their widest cell.

use rules::standings::{Chart, ClubStandings, Standings, TieBreakPoints};

/// Spaces between columns.
const GAP: &str = "  ";
/// Mark of a number that may still change.
const PROVISIONAL: &str = "*";

/// The standings as text. An asterisk marks a value that rests on an unconfirmed result.
#[must_use]
pub fn standings_text(standings: &Standings) -> String {
    let mut header =
        vec!["Rank".to_owned(), "No.".to_owned(), "Name".to_owned(), "Score".to_owned()];
    header.extend(standings.order.iter().map(ToString::to_string));
    let rows = standings.rows.iter().map(|row| {
        let mark = if row.provisional { PROVISIONAL } else { "" };
        let name = match row.players.as_slice() {
            [] => row.name.clone(),
            [alone] if *alone == row.name => row.name.clone(),
            players => format!("{} ({})", row.name, players.join(", ")),
        };
        let mut cells = vec![
            row.rank.to_string(),
            row.number.to_string(),
            name,
            format!("{}{mark}", row.score),
        ];
        cells.extend(row.tie_breaks.iter().map(points));
        cells
    });
    let title = title("Standings", standings.after_round, standings.provisional);
    format!("{title}{}", lines(header, rows.collect()))
}

/// The standings of clubs as text.
#[must_use]
pub fn club_standings_text(standings: &ClubStandings) -> String {
    let mut header = vec!["Rank".to_owned(), "Club".to_owned(), "Score".to_owned()];
    header.extend(standings.order.iter().map(ToString::to_string));
    header.push("Counting".to_owned());
    let rows = standings.rows.iter().map(|row| {
        let rank = row.rank.map_or_else(|| "-".to_owned(), |rank| rank.to_string());
        let mut cells = vec![rank, row.name.clone(), row.score.to_string()];
        cells.extend(row.tie_breaks.iter().map(points));
        let counting: Vec<String> = row.counting.iter().map(ToString::to_string).collect();
        cells.push(counting.join(" "));
        cells
    });
    let title = title("Clubs", standings.after_round, standings.provisional);
    format!("{title}{}", lines(header, rows.collect()))
}

/// A wall chart or crosstable as text.
#[must_use]
pub fn chart_text(name: &str, chart: &Chart) -> String {
    let mut header = vec!["No.".to_owned(), "Name".to_owned()];
    header.extend((1..=chart.after_round).map(|round| format!("Rd {round}")));
    header.push("Score".to_owned());
    let mut provisional = false;
    let mut rows = Vec::new();
    for row in &chart.rows {
        let mut cells = vec![row.shown_number.to_string(), row.name.clone()];
        for cell in &row.cells {
            provisional |= cell.provisional;
            let mark = if cell.provisional { PROVISIONAL } else { "" };
            cells.push(format!("{cell}{mark}"));
        }
        cells.push(row.score.to_string());
        rows.push(cells);
    }
    format!("{}{}", title(name, chart.after_round, provisional), lines(header, rows))
}

fn title(name: &str, after_round: u8, provisional: bool) -> String {
    let sure = if provisional { ", provisional" } else { "" };
    format!("{name} after round {after_round}{sure}\n\n")
}

fn points(value: &Option<TieBreakPoints>) -> String {
    value.map_or_else(|| "-".to_owned(), |points| points.to_string())
}

fn lines(header: Vec<String>, rows: Vec<Vec<String>>) -> String {
    let all: Vec<Vec<String>> = std::iter::once(header).chain(rows).collect();
    let columns = all.first().map_or(0, Vec::len);
    let width = |column: usize| {
        all.iter().filter_map(|row| row.get(column)).map(|it| it.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in &all {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        text.push_str(cells.join(GAP).trim_end());
        text.push('\n');
    }
    text
}
