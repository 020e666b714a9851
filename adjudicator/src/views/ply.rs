//! One ply as everybody may see it, with its board as it was afterwards.

use referee::{TimedPly, Timeline};
use rules::{BoardId, Ply};
use serde::Serialize;

use super::{
    PerBoard, ReservesView, Uncertain,
    doubt::{self, SURE_FROM},
    placement, rounded, side_name,
};
use crate::hall::Game;

/// A ply that may have been played instead.
#[derive(Clone, Debug, Serialize)]
pub struct AlternativeView {
    /// In UCI.
    pub uci: String,
    /// In SAN.
    pub san: String,
    /// Its probability, 0 to 1.
    pub p: f64,
}

/// Reason why a ply was illegal, once that may be shown.
#[derive(Clone, Debug, Serialize)]
pub struct IllegalView {
    /// A stable code, such as `king-left-in-check`.
    pub reason: String,
    /// Always true: hidden illegal plies are left out.
    pub public: bool,
}

/// The ply's board afterwards, and all reserves.
#[derive(Clone, Debug, Serialize)]
pub struct AfterView {
    /// Piece placement.
    pub fen: String,
    /// Side to move there.
    pub turn: &'static str,
    /// All four reserves, where there are any and they are known.
    pub reserves: PerBoard<Option<ReservesView>>,
    /// Pieces of this board whose type is not sure, as known now.
    pub uncertain: Vec<Uncertain>,
}

/// One ply.
#[derive(Clone, Debug, Serialize)]
pub struct PlyView {
    /// Stable id.
    pub id: u32,
    /// Position in the match, from 1.
    pub n: usize,
    /// The board.
    pub board: BoardId,
    /// The player.
    pub side: &'static str,
    /// Move number on the board.
    pub number: u32,
    /// In SAN.
    pub san: String,
    /// In UCI.
    pub uci: String,
    /// Its probability, 0 to 1.
    pub p: f64,
    /// Alternatives.
    pub alternatives: Vec<AlternativeView>,
    /// The mover's remaining time afterwards, milliseconds.
    pub clock_ms: Option<i64>,
    /// Time of its completion, milliseconds of match time.
    pub t_ms: u64,
    /// Reason why it was illegal, if it was, once the claim against it has closed.
    pub illegal: Option<IllegalView>,
    /// Whether it was played after the match had been decided on the other board.
    pub after_end: bool,
    /// Whether the position before it has been reinstated since.
    pub undone: bool,
    /// The ply before its last changing revision, in SAN.
    pub was: Option<String>,
    /// The boards afterwards.
    pub after: AfterView,
}

impl PlyView {
    /// A match's plies from a position on.
    pub fn all_from(game: &Game, from: usize) -> Vec<PlyView> {
        let plies = game.referee().timeline().plies();
        plies
            .iter()
            .enumerate()
            .skip(from)
            .map(|(index, ply)| PlyView::of(game, index, ply))
            .collect()
    }

    /// A match's plies as JSON.
    pub(crate) fn all_as_json(game: &Game) -> String {
        serde_json::to_string(&PlyView::all_from(game, 0)).unwrap_or_else(|_| "[]".to_owned())
    }

    fn of(game: &Game, index: usize, ply: &TimedPly) -> PlyView {
        let timeline = game.referee().timeline();
        let report = &ply.report;
        PlyView {
            id: report.id,
            n: index + 1,
            board: report.board,
            side: side_name(report.side),
            number: ply.number,
            san: ply.san.clone(),
            uci: report.ply.to_string(),
            p: rounded(report.p),
            alternatives: alternatives(timeline, index, ply),
            clock_ms: game.referee().shown_clock_ms(index),
            t_ms: report.t_us / 1000,
            illegal: illegal(game, index, ply),
            after_end: game.referee().is_after_end(index),
            undone: ply.is_undone,
            was: ply.was.map(|was| timeline.san_instead(index, was)),
            after: AfterView {
                fen: placement(&ply.after.boards, report.board),
                turn: side_name(ply.after.boards.position(report.board).turn()),
                reserves: PerBoard::of(|board| ReservesView::of(&ply.after.boards, board)),
                uncertain: doubt::on_board(timeline, &ply.after, report.board),
            },
        }
    }
}

fn alternatives(timeline: &Timeline, index: usize, ply: &TimedPly) -> Vec<AlternativeView> {
    let of = |uci: Ply, p: f64| AlternativeView {
        uci: uci.to_string(),
        san: timeline.san_instead(index, uci),
        p: rounded(p),
    };
    let others = ply.report.alternatives.iter().filter(|other| other.ply != ply.report.ply);
    others.map(|other| of(other.ply, other.p)).collect()
}

/// The public view of an illegal ply. An unsure guess is shown as uncertain and not
/// as a breach of the rules: its likelier reading is often that the piece was another one.
fn illegal(game: &Game, index: usize, ply: &TimedPly) -> Option<IllegalView> {
    if ply.report.p < SURE_FROM {
        return None;
    }
    let reason = ply.illegal.filter(|_| game.referee().may_be_said(index))?;
    Some(IllegalView { reason: reason.code().to_owned(), public: true })
}
