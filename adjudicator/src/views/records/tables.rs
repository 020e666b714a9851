//! Matches as JSON and plies as CSV, for programs and spreadsheets.

use event::csv_text;
use referee::{Alert, ClaimState};
use rules::{BoardId, TimeControl, rulebook::Finding};
use serde::Serialize;

use super::{Reader, bpgn};
use crate::{
    hall::{Game, Hall},
    views::{DecidedView, MatchLine, PlyView},
};

#[derive(Serialize)]
struct MatchRecord {
    #[serde(flatten)]
    line: MatchLine,
    game: rules::Game,
    rulebook: &'static str,
    /// In the form of a trace's header.
    time: TimeControl,
    base_ms: u64,
    delay_ms: u64,
    termination: String,
    plies: Vec<PlyRecord>,
    decided: Vec<DecidedView>,
    findings: Vec<FindingRecord>,
}

/// A finding of boards and clocks, and its rule. A finding is no ruling.
#[derive(Serialize)]
struct FindingRecord {
    /// A code, such as `illegal-move`.
    finding: String,
    /// The clause; none where the book has none.
    rule: Option<String>,
    board: BoardId,
    /// Id of the ply that it is about.
    ply: Option<u32>,
    t_ms: u64,
    /// Probability that it happened, 0 to 1.
    p: f64,
    claim: ClaimState,
    /// The finding, in words.
    evidence: String,
}

impl FindingRecord {
    /// Those that a reader may know of: the organiser all, everybody those about plies that are marked for everybody.
    fn all(game: &Game, reader: Reader) -> Vec<FindingRecord> {
        let timeline = game.referee().timeline();
        let may_know = |alert: &&Alert| {
            let index = alert.ply.and_then(|ply| timeline.index_of(ply));
            !alert.retracted
                && (reader == Reader::Organiser
                    || alert.code == Finding::IllegalMove.code()
                        && index.is_some_and(|index| reader.may_mark(game, index)))
        };
        let known = game.referee().alerts().filter(may_know);
        known
            .map(|alert| FindingRecord {
                finding: alert.code.clone(),
                rule: alert.rule.map(|rule| rule.to_string()),
                board: alert.board,
                ply: alert.ply,
                t_ms: alert.t_us / 1000,
                p: alert.confidence,
                claim: alert.claim,
                evidence: alert.evidence.clone(),
            })
            .collect()
    }
}

#[derive(Serialize)]
struct PlyRecord {
    #[serde(flatten)]
    ply: PlyView,
    /// A code, or null; for the public only once the claim has closed.
    illegal_reason: Option<String>,
}

fn illegal_reason(game: &Game, index: usize, reader: Reader) -> Option<String> {
    let ply = game.referee().timeline().plies().get(index)?;
    let reason = ply.illegal.filter(|_| reader.may_mark(game, index))?;
    Some(reason.code().to_owned())
}

/// A match as an element of the array.
pub(super) fn json(hall: &Hall, game: &Game, reader: Reader) -> String {
    let text = serde_json::to_string_pretty(&[record(hall, game, reader)]);
    let text = text.unwrap_or_else(|error| format!("[\n  {{\"error\": \"{error}\"}}\n]"));
    text.trim_start_matches("[\n").trim_end_matches("\n]").to_owned()
}

fn record(hall: &Hall, game: &Game, reader: Reader) -> MatchRecord {
    let plies = PlyView::all_from(game, 0).into_iter().enumerate();
    MatchRecord {
        line: MatchLine::of(hall, game),
        game: game.game,
        rulebook: game.rulebook.name(),
        time: game.time.clone(),
        base_ms: game.time.start_ms(),
        delay_ms: u64::from(game.time.delay_s()) * 1000,
        termination: bpgn::termination(game),
        plies: plies
            .map(|(index, ply)| PlyRecord {
                ply,
                illegal_reason: illegal_reason(game, index, reader),
            })
            .collect(),
        decided: DecidedView::all(game),
        findings: FindingRecord::all(game, reader),
    }
}

/// Names of the columns.
pub(super) const CSV_HEAD: &str =
    "match,table,n,board,side,number,uci,san,p,illegal,clock_ms,t_ms,after_end,undone\n";

/// The lines of a match, one for each ply.
pub(super) fn csv(game: &Game, reader: Reader) -> String {
    let mut out = String::new();
    for (index, ply) in PlyView::all_from(game, 0).into_iter().enumerate() {
        let fields = [
            game.id.clone(),
            game.table.clone(),
            ply.n.to_string(),
            ply.board.to_string(),
            ply.side.to_owned(),
            ply.number.to_string(),
            ply.uci,
            ply.san,
            ply.p.to_string(),
            illegal_reason(game, index, reader).unwrap_or_default(),
            reader.clock_ms(game, index).map(|ms| ms.to_string()).unwrap_or_default(),
            ply.t_ms.to_string(),
            ply.after_end.to_string(),
            ply.undone.to_string(),
        ];
        out.push_str(&csv_text::line(fields.iter().map(String::as_str)));
    }
    out
}
