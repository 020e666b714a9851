//! The points of a report: those that it gives for results, and its points column.

use rules::standings::EntrantNumber;

use super::Report;
use crate::{
    Names,
    import::{Problem, draft::Draft},
};

/// The points of a result in halves, by the letters that `162` and `XXS` name them by.
const POINTS: &[(&str, u32)] = &[
    ("W", 2),
    ("WW", 2),
    ("BW", 2),
    ("WF", 2),
    ("FW", 2),
    ("D", 1),
    ("WD", 1),
    ("BD", 1),
    ("L", 0),
    ("FL", 0),
    ("WL", 0),
    ("BL", 0),
    ("P", 2),
    ("PAB", 2),
    ("FPB", 2),
    ("F", 2),
    ("U", 2),
    ("H", 1),
    ("HPB", 1),
    ("Z", 0),
    ("ZPB", 0),
    ("A", 0),
    ("X", 1),
];

/// Compares the points that a report gives for results with those that are given here.
pub(super) fn check(draft: &mut Draft<'_>, line: u64, record: &str, rest: &str) {
    let spaced = rest.replace(['=', ':', ';', ','], " ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    for pair in words.chunks(2) {
        let [letters, points] = pair else { continue };
        let known = POINTS.iter().find(|(it, _)| it.eq_ignore_ascii_case(letters));
        let given = points.parse::<f32>().ok();
        let is_usual = known
            .zip(given)
            .is_some_and(|((_, halves), given)| f64::from(given) * 2.0 == f64::from(*halves));
        if !is_usual {
            let what = format!(
                "the report gives {points} for {letters}, and here it is a point for a win and half a point for a draw"
            );
            let todo = "enter the points by another program, or take the record out and accept the usual ones";
            draft.note(Problem::error(Some(line), Some(record), what, todo));
            return;
        }
    }
}

/// Warns of each player whose points column differs from the event's points after the import: with the byes of rounds to
/// come, which some programs count, or without them. `rounds`: of the cells, and those that are open.
pub(super) fn compare(draft: &mut Draft<'_>, section: &str, report: &Report, rounds: [usize; 2]) {
    let Ok(results) = draft.event().results(section, Names::Hidden) else { return };
    let rounds = rounds.map(|round| u8::try_from(round).unwrap_or(u8::MAX));
    let mut warnings = Vec::new();
    for player in report.players.values() {
        let Some(stated) = player.half_points else { continue };
        let after = |round| {
            results.score(EntrantNumber(player.rank), round).map_or(0, |it| it.half_points())
        };
        let [here, open] = rounds.map(after);
        if stated != here && stated != open {
            let points = |halves: u32| format!("{}.{}", halves / 2, halves % 2 * 5);
            let what = format!(
                "number {} has {} points in the file, and its games and byes give {}",
                player.rank,
                points(stated),
                points(here)
            );
            let todo = "look which of the two is right before you take it";
            warnings.push(Problem::error(Some(player.line), Some("81-84"), what, todo).warning());
        }
    }
    draft.note_all(warnings);
}
