//! The document: explanations by hand, figures by the bench.

use std::fmt::Write as _;

use rules::Game;

use super::{chart, matrix::Cell, tables};

/// Provenance of the figures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The game.
    pub game: Game,
    /// The command that repeats them.
    pub command: String,
    /// Name of the games' file.
    pub games: String,
    /// First and last seed.
    pub seeds: (u64, u64),
    /// Number of parts of the games.
    pub folds: usize,
    /// Hypotheses kept.
    pub beam: usize,
    /// The contender that the detailed tables are about.
    pub main: String,
    /// Descriptions of the contenders, a line each.
    pub contenders: Vec<String>,
    /// Games left out and why, a line each.
    pub left_out: Vec<String>,
}

/// Puts the figures into a template: `{{name}}` on a line of its own, or within one, is replaced.
///
/// # Errors
///
/// The name of a placeholder that is not known, or of a section that the template does not show.
pub fn fill(template: &str, provenance: &Provenance, cells: &[Cell]) -> Result<String, String> {
    for (name, _) in sections(provenance, cells) {
        if !template.contains(&placeholder(name)) {
            return Err(format!("the template does not show {}", placeholder(name)));
        }
    }
    fill_part(template, provenance, cells)
}

fn placeholder(name: &str) -> String {
    format!("{{{{{name}}}}}")
}

/// Fills a template like [`fill`], which need not have every section.
///
/// # Errors
///
/// The name of a placeholder that is not known.
pub fn fill_part(
    template: &str,
    provenance: &Provenance,
    cells: &[Cell],
) -> Result<String, String> {
    let mut text = template.to_owned();
    for (name, section) in sections(provenance, cells) {
        text = text.replace(&placeholder(name), section.trim_end());
    }
    match text.split_once("{{") {
        Some((_, rest)) => {
            let name: String = rest.chars().take_while(|&letter| letter != '}').collect();
            Err(format!("the template shows {name:?}, which is not known"))
        }
        None => Ok(text),
    }
}

/// The line before the part of the document that a run over games of chess writes…
pub const PART_BEGINS: &str = "<!-- chess: what follows is written by a run of its own -->";
/// …and the line after it.
pub const PART_ENDS: &str = "<!-- chess: end -->";

/// The part about chess of a document.
#[must_use]
pub fn part_of(document: &str) -> Option<&str> {
    let (_, rest) = document.split_once(PART_BEGINS)?;
    let (part, _) = rest.split_once(PART_ENDS)?;
    Some(part.trim())
}

/// The document with another part about chess.
///
/// # Errors
///
/// If the document has no place for it.
pub fn with_part(document: &str, part: &str) -> Result<String, String> {
    let begun = document.split_once(PART_BEGINS);
    let ended = begun.and_then(|(before, rest)| Some((before, rest.split_once(PART_ENDS)?.1)));
    let (before, after) = ended
        .ok_or_else(|| format!("the document has no lines {PART_BEGINS:?} and {PART_ENDS:?}"))?;
    Ok(format!("{before}{PART_BEGINS}\n{}\n{PART_ENDS}{after}", part.trim()))
}

/// Summary of a run for a terminal: the overview and the goals.
#[must_use]
pub fn summary(provenance: &Provenance, cells: &[Cell]) -> String {
    format!(
        "{}\n{}",
        tables::overview(cells),
        tables::goals(cells, provenance.game, &provenance.main)
    )
}

/// Bare counts of all cells: the same on every machine, so that a test can hold them fast.
#[must_use]
pub fn fixed_part(cells: &[Cell]) -> String {
    tables::counts(cells).to_string()
}

/// The name of each section of the page and its text.
fn sections(provenance: &Provenance, cells: &[Cell]) -> Vec<(&'static str, String)> {
    let main = provenance.main.as_str();
    vec![
        ("command", provenance.command.clone()),
        ("data", data(provenance, cells)),
        ("contenders", provenance.contenders.join("\n")),
        ("expect", tables::expect(cells, main).to_string()),
        ("missed", tables::missed_goals(cells, provenance.game, main)),
        ("surest", tables::surest(cells, main).to_string()),
        ("cost", tables::cost(cells, main)),
    ]
}

/// The files beside the page, by name: every table as CSV, and the page's chart.
#[must_use]
pub fn files(provenance: &Provenance, cells: &[Cell]) -> Vec<(String, String)> {
    let (main, game) = (provenance.main.as_str(), provenance.game);
    let tables = [
        ("overview", tables::overview(cells)),
        ("goals", tables::goals(cells, game, main)),
        ("figures", tables::figures(cells, main)),
        ("matches", tables::each_match(cells, main)),
        ("reliability", tables::reliability(cells, main)),
        ("anomalies", tables::anomalies(cells, main)),
        ("confidence", tables::confidence(cells, main)),
        ("cost", tables::effort(cells)),
        ("counts", tables::counts(cells)),
    ];
    let name = |table: &str, ending: &str| match game {
        Game::Bughouse => format!("{table}.{ending}"),
        Game::Chess => format!("chess-{table}.{ending}"),
    };
    let mut files: Vec<(String, String)> =
        tables.iter().map(|(table, rows)| (name(table, "csv"), rows.csv())).collect();
    if game == Game::Bughouse {
        files.push((name("exact", "svg"), chart::bars(&tables::exact_shares(cells, main))));
    }
    files
}

fn data(provenance: &Provenance, cells: &[Cell]) -> String {
    let (first, last) = provenance.seeds;
    let mut text = format!(
        "{} games of `{}`, each performed with seeds {first} to {last} in every setting; beam {}; {} folds.",
        cells.first().map_or(0, |cell| cell.games.len()),
        provenance.games,
        provenance.beam,
        provenance.folds
    );
    if let Some(cell) = cells.first() {
        let score = &cell.total.score;
        let _ = write!(
            text,
            " In the first setting ({}) that makes {} matches, {} plies, {} drops, {} promotions; mishaps add a few.",
            cell.setting,
            cell.total.matches,
            score.plies.end.of,
            score.drop_types.end.of,
            score.promotion_types.end.of
        );
    }
    for line in &provenance.left_out {
        let _ = write!(text, "\n- Left out: {line}");
    }
    text
}
