//! Claim windows: from when until when a player may claim, in the rulebook's terms.
//!
//! An illegal ply may be claimed from its completion (`us-chess-bughouse-2018 6`, `8`) until the
//! opponent completes a ply (`8a`), or the match is over. A fallen flag may be claimed while the
//! claimant's own flag is up and the game goes on (`15c`). Set-up and clock settings may be claimed until
//! each side of the board has completed a ply (`8b`).

use rules::Color;

use super::{alert::ClaimState, timeline::TimedPly};

/// The claim against the illegal ply at `index`, and the ply that closed it, if one did.
pub(super) fn against_ply(
    plies: &[TimedPly],
    index: usize,
    match_over: bool,
) -> (ClaimState, Option<usize>) {
    let offence = &plies[index].report;
    let answer = plies[index + 1..]
        .iter()
        .position(|ply| ply.report.board == offence.board && ply.report.side != offence.side)
        .map(|offset| index + 1 + offset);
    match answer {
        Some(answer) => (ClaimState::Closed, Some(answer)),
        None if match_over => (ClaimState::Closed, None),
        None => (ClaimState::Open, None),
    }
}

/// The claim for a wrong set-up or clock setting on a board.
pub(super) fn against_set_up(
    plies: &[TimedPly],
    board: rules::BoardId,
    match_over: bool,
) -> ClaimState {
    let has_played =
        |side| plies.iter().any(|ply| ply.report.board == board && ply.report.side == side);
    if match_over || Color::ALL.into_iter().all(has_played) {
        ClaimState::Closed
    } else {
        ClaimState::Open
    }
}
