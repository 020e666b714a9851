//! One ply and what it led to, and when taking a king is a claim.

use rules::{
    BoardState, Color, IllegalReason, Match, Piece, Ply, Role, rulebook::terms::KingCapture,
};

use super::board_snapshot::BoardSnapshot;
use crate::{ids::PlyId, input::PlyReport};

/// A ply and what it led to.
#[derive(Clone, Debug, PartialEq)]
pub struct TimedPly {
    /// The hub's report, with a director's correction in its place where there is one.
    pub report: PlyReport,
    /// Whether a director has stated what the ply was.
    pub is_pinned: bool,
    /// Whether a position from before it was reinstated.
    pub is_undone: bool,
    /// Ply of an earlier report, if that was another one.
    pub was: Option<Ply>,
    /// Move number on its board, from 1.
    pub number: u32,
    /// Reason why it was illegal, if it was. A king that is taken as a claim is taken rightly.
    pub illegal: Option<IllegalReason>,
    /// Meaning of a king capture, if there was one.
    pub king_taken: Option<KingTaken>,
    /// State of the opponent on this board afterwards.
    pub state: BoardState,
    /// The ply in SAN.
    pub san: String,
    /// Both boards afterwards.
    pub after: BoardSnapshot,
}

/// Meaning of a king capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KingTaken {
    /// A claim of the game after the opponent's illegal ply.
    IsClaim {
        /// The opponent's illegal ply.
        against: PlyId,
    },
    /// An illegal ply like others: the opponent's ply was legal, the capture impossible, or the book knows no such claim.
    IsIllegal,
}

impl TimedPly {
    pub(super) fn key(&self) -> (u64, PlyId) {
        (self.report.t_us, self.report.id)
    }

    /// Whether taking a king claimed the game.
    #[must_use]
    pub fn is_king_capture_claim(&self) -> bool {
        matches!(self.king_taken, Some(KingTaken::IsClaim { .. }))
    }
}

/// Plays a ply on the boards before it.
pub(super) fn play(
    mut after: BoardSnapshot,
    index: usize,
    report: PlyReport,
    previous: Option<&TimedPly>,
    king_capture: KingCapture,
) -> TimedPly {
    let (board, side) = (report.board, report.side);
    let out_of_turn = after.boards.position(board).turn() != side;
    give_turn(&mut after.boards, &report);
    let number = u32::from(after.boards.position(board).fullmove_number());
    let reason = after.boards.illegality(board, report.ply);
    let san = san(&after.boards, &report, report.ply);
    let captured = after.play(index, &report).map(|captured| captured.piece);
    let king_taken =
        match captured {
            Some(Piece { role: Role::King, color }) => {
                let is_claim = color == side.other() && !out_of_turn
                // The piece goes that way, and nothing but the king's being a king is wrong with it.
                && reason == Some(IllegalReason::KingCaptured)
                && king_capture != KingCapture::NoClaim;
                let against = previous.filter(|ply| is_claim && is_offence(ply, side));
                Some(against.map_or(KingTaken::IsIllegal, |ply| KingTaken::IsClaim {
                    against: ply.report.id,
                }))
            }
            _ => None,
        };
    let illegal = match king_taken {
        Some(KingTaken::IsClaim { .. }) => None,
        _ => reason.or(out_of_turn.then_some(IllegalReason::NotYourPiece)),
    };
    let state = match king_taken {
        Some(_) => BoardState::Normal,
        None => after.boards.state(board),
    };
    TimedPly {
        report,
        is_pinned: false,
        is_undone: false,
        was: None,
        number,
        illegal,
        king_taken,
        state,
        san,
        after,
    }
}

/// Whether the ply before, on the same board, is an illegal one of the opponent's.
fn is_offence(previous: &TimedPly, side: Color) -> bool {
    previous.report.side == side.other() && previous.illegal.is_some() && !previous.is_undone
}

pub(super) fn give_turn(boards: &mut Match, report: &PlyReport) {
    if boards.position(report.board).turn() != report.side {
        boards.set_turn(report.board, report.side);
    }
}

pub(super) fn san(boards: &Match, report: &PlyReport, ply: Ply) -> String {
    rules::san::to_san(boards.position(report.board), boards.supply(), ply)
}
