//! The result that the evidence points to: the first game won ends the match
//! (`us-chess-bughouse-2018 7`).
//!
//! Mate (`15a`) and a king taken after an illegal ply (`15d`) show on the boards. A flag wins only when it
//! is claimed with the clock stopped while the claimant's own is up (`15c`), so it counts as
//! evidence of a result only once play has stopped. What the table did then decides against what the
//! boards show: where play went on after a "mate", nobody saw one, and no result is proposed.
//! Resignations, agreed draws and rulings leave no trace on boards or clocks: there the proposal is
//! none, and the tournament director enters the result.

use rules::{BoardId, BoardState, Color, Seat, Team};

use super::{
    FlagFall, Phase, Proposal, RESULT_SETTLES_AFTER_US, Referee, ResultReason, flags,
    timeline::TimedPly,
};

/// Derives the proposal from the whole match.
pub(super) fn propose(referee: &Referee) -> Option<Proposal> {
    let mut proposal = decided_on_board(referee).or_else(|| decided_by_flag(referee))?;
    proposal.settled = referee.phase == Phase::Ended
        || referee.now_us >= proposal.t_us.saturating_add(RESULT_SETTLES_AFTER_US);
    Some(proposal)
}

/// The first mate or king capture after which play on its board did not go on.
fn decided_on_board(referee: &Referee) -> Option<Proposal> {
    let plies = referee.timeline.plies();
    let stands = |board: BoardId, index: usize| {
        plies[index + 1..].iter().all(|later| later.report.board != board)
    };
    let (index, ply) = plies.iter().enumerate().find(|&(index, ply)| {
        let decisive = ply.state == BoardState::Mate || ply.king_taken.is_some();
        decisive && stands(ply.report.board, index)
    })?;
    Some(from_ply(referee, index, ply))
}

fn from_ply(referee: &Referee, index: usize, ply: &TimedPly) -> Proposal {
    let TimedPly { report, .. } = ply;
    let seat = Seat { board: report.board, color: report.side };
    let (reason, number, winner, what) = match ply.king_taken {
        Some(loser) => {
            let winner = Seat { board: report.board, color: loser.other() }.team();
            (ResultReason::KingCaptured, "15d", winner, "king captured")
        }
        None => (ResultReason::Mate, "15a", seat.team(), "mate"),
    };
    Proposal {
        winner: Some(winner),
        board: report.board,
        reason,
        ply: Some(report.id),
        t_us: report.t_us,
        confidence: confidence(referee, index, ply),
        rule: referee.terms.rule(number),
        text: format!("Board {}: {what}, seen by the table; not confirmed", report.board),
        settled: false,
    }
}

/// Probability that whatever was played there decided the game: the sum over the plies it may have
/// been.
fn confidence(referee: &Referee, index: usize, ply: &TimedPly) -> f64 {
    let others = ply.report.alternatives.iter().filter(|alternative| {
        ply.king_taken.is_none()
            && alternative.ply != ply.report.ply
            && referee.timeline.state_instead(index, alternative.ply) == BoardState::Mate
    });
    (ply.report.p + others.map(|alternative| alternative.p).sum::<f64>()).min(1.0)
}

/// The flags of a board's two seats, White's first.
pub(super) fn flags_of(referee: &Referee, board: BoardId) -> [Option<FlagFall>; 2] {
    Color::ALL.map(|color| {
        let seat = Seat { board, color };
        flags::of_seat(referee.flag(seat), referee.anomalies(), seat)
    })
}

fn decided_by_flag(referee: &Referee) -> Option<Proposal> {
    let one_down = BoardId::ALL.into_iter().filter_map(|board| {
        let (loser, flag) = match flags_of(referee, board) {
            [Some(flag), None] => (Color::White, flag),
            [None, Some(flag)] => (Color::Black, flag),
            _ => return None,
        };
        is_stopped_since(referee, board, flag.t_us).then_some((board, loser, flag))
    });
    if let Some((board, loser, flag)) = one_down.min_by_key(|(_, _, flag)| flag.t_us) {
        let winner = Seat { board, color: loser.other() }.team();
        let text = format!("Board {board}: flag down and clocks stopped; not confirmed");
        return Some(by_flag(referee, board, Some(winner), ResultReason::Flag, flag, text));
    }
    if referee.phase != Phase::Ended {
        return None;
    }
    let both_down = BoardId::ALL.into_iter().find_map(|board| match flags_of(referee, board) {
        [Some(white), Some(black)] if white.t_us >= black.t_us => Some((board, white)),
        [Some(_), Some(black)] => Some((board, black)),
        _ => None,
    });
    let (board, flag) = both_down?;
    let text = format!("Board {board}: both flags down; not confirmed");
    Some(by_flag(referee, board, None, ResultReason::BothFlags, flag, text))
}

fn by_flag(
    referee: &Referee,
    board: BoardId,
    winner: Option<Team>,
    reason: ResultReason,
    flag: FlagFall,
    text: String,
) -> Proposal {
    let number = if reason == ResultReason::Flag { "15c" } else { "16b" };
    Proposal {
        winner,
        board,
        reason,
        ply: None,
        t_us: flag.t_us,
        confidence: flag.confidence,
        rule: referee.terms.rule(number),
        text,
        settled: false,
    }
}

/// Whether a board's clock has been stopped since a moment, as a claimant must do.
fn is_stopped_since(referee: &Referee, board: BoardId, t_us: u64) -> bool {
    let stopped = |reading: super::ClockReading| reading.running.is_none() && reading.t_us >= t_us;
    referee.phase.is_stopped() || referee.clock(board).is_some_and(stopped)
}
