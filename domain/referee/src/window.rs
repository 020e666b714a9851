//! Claim windows: from when until when a player may claim, in the book's own terms.
//!
//! Every book opens the claim against an illegal ply when its player presses. They differ in what closes it
//! ([`IllegalWindow`]). A stop freezes all windows, for it is how a player claims; and only a confirmed result or the
//! set-up of the next match closes whatever is left.

use rules::{
    BoardId, Color,
    rulebook::{
        Cite, Topic,
        terms::{Completion, IllegalWindow, SetUpWindow},
    },
};

use crate::{alert::ClaimState, case::Case, names, timeline::TimedPly};

/// Claim window: open, or closed by an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Window {
    /// The claim is possible.
    Open,
    /// The opponent has answered with the ply at this position and pressed.
    AnswerPressed(usize),
    /// The opponent has let go of the piece of the answer at this position.
    AnswerReleased(usize),
    /// Its player has made so many plies since.
    BeyondLastMoves(u8),
    /// Each side of the board has completed so many plies.
    EachSideMoved(u8),
    /// A result is confirmed, or the next match is being set up.
    MatchOver,
}

impl Window {
    pub(crate) fn state(self) -> ClaimState {
        match self {
            Window::Open => ClaimState::Open,
            Window::AnswerPressed(_)
            | Window::AnswerReleased(_)
            | Window::BeyondLastMoves(_)
            | Window::EachSideMoved(_)
            | Window::MatchOver => ClaimState::Closed,
        }
    }

    /// Event that closed it, as a sentence; `None` while it is open.
    pub(crate) fn says(self, case: &Case<'_>) -> Option<String> {
        let answer = |index: usize| {
            let ply = &case.timeline.plies()[index];
            (names::side(ply.report.side), ply.san.clone())
        };
        Some(match self {
            Window::Open => return None,
            Window::AnswerPressed(index) => {
                let (side, san) = answer(index);
                format!("{side} pressed after {san}.")
            }
            Window::AnswerReleased(index) => {
                let (side, san) = answer(index);
                format!("{side} let go of the piece of {san}.")
            }
            Window::BeyondLastMoves(moves) => {
                format!("It is not one of the last {moves} moves of its player.")
            }
            Window::EachSideMoved(1) => "Each side has completed a move.".to_owned(),
            Window::EachSideMoved(moves) => format!("Each side has completed {moves} moves."),
            Window::MatchOver => "The match is over.".to_owned(),
        })
    }
}

/// The clause that limits the time of a claim of an illegal ply.
pub(crate) fn cite(case: &Case<'_>) -> Option<Cite> {
    case.cite(Topic::IllegalClaimLapses).or_else(|| case.cite(Topic::IllegalPly))
}

/// The claim against the ply at `index`, as the board stood at `as_of_us`.
pub(crate) fn of_ply(case: &Case<'_>, index: usize, as_of_us: u64) -> Window {
    if case.is_over {
        return Window::MatchOver;
    }
    let offence = &case.timeline.plies()[index].report;
    let later = case.timeline.later_on_board(offence.board, index);
    let pressed = |ply: &TimedPly| ply.report.t_us < as_of_us;
    let mut answers = later.clone().filter(|(_, ply)| ply.report.side != offence.side);
    match case.terms().illegal.window {
        IllegalWindow::AnswerPressed => answers
            .find(|(_, ply)| pressed(ply))
            .map_or(Window::Open, |(at, _)| Window::AnswerPressed(at)),
        IllegalWindow::AnswerReleased => answers
            .find(|(_, ply)| ply.report.let_go_us() < as_of_us)
            .map_or(Window::Open, |(at, _)| Window::AnswerReleased(at)),
        IllegalWindow::LastMoves(moves) => {
            let since = later.filter(|(_, ply)| ply.report.side == offence.side && pressed(ply));
            match since.take(usize::from(moves)).count() < usize::from(moves) {
                true => Window::Open,
                false => Window::BeyondLastMoves(moves),
            }
        }
        IllegalWindow::WholeGame => Window::Open,
    }
}

/// The claim about set-up or clock settings of a board, as it stood at `as_of_us`.
pub(crate) fn of_set_up(case: &Case<'_>, board: BoardId, as_of_us: u64) -> Window {
    if case.is_over {
        return Window::MatchOver;
    }
    let moves = match case.terms().set_up.until {
        SetUpWindow::EachSideMoved(moves) => moves,
        SetUpWindow::WholeGame => return Window::Open,
    };
    let by_release = match case.terms().completion {
        Completion::Pressed | Completion::ReleasedAndPressed => false,
        Completion::Released | Completion::ReleasedIfLegalElsePressed => true,
    };
    let completed_us = |ply: &TimedPly| match by_release && ply.illegal.is_none() {
        true => ply.report.let_go_us(),
        false => ply.report.t_us,
    };
    let has_moved = |side: Color| {
        let plies = case.timeline.on_board(board);
        let completed =
            plies.filter(|(_, ply)| ply.report.side == side && completed_us(ply) < as_of_us);
        completed.take(usize::from(moves)).count() == usize::from(moves)
    };
    if Color::ALL.into_iter().all(has_moved) { Window::EachSideMoved(moves) } else { Window::Open }
}
