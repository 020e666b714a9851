//! King and queen swapped at set-up : seen only from how the pieces move.
//!
//! Reed boards do not distinguish a king from a queen, so the hub keeps a swapped set-up as a hypothesis. It judges the legality of
//! plies by its likeliest set-up. A referee that assumed another would find those plies illegal. So it assumes the set-up that
//! contradicts the hub's legality least, and the usual one unless another is clearly better.

use rules::{BoardId, Match, Position, Supply};

use crate::PlyReport;

/// Minimum number of plies by which another set-up must explain a board better. One may be a ply that the hub has not revised
/// yet; a swapped queen gives itself away with every move.
const LEAST_GAIN: usize = 2;

/// Sides of a board with king and queen swapped: White, Black.
const VARIANTS: [(bool, bool); 3] = [(true, false), (false, true), (true, true)];

/// Whether both boards have the initial position, with any supply: then another set-up may be inferred.
pub(super) fn may_be_swapped(start: &Match) -> bool {
    *start == Match::initial().with_supply(start.supply())
}

/// Both boards at the start, as the plies say.
pub(super) fn inferred(plies: &[&PlyReport], supply: Supply) -> Match {
    let mut start = Match::initial().with_supply(supply);
    for board in BoardId::ALL {
        let usual = disagreements(&start, plies, board);
        let variants = VARIANTS.into_iter().map(|variant| {
            let start = with_variant(&start, board, variant);
            (disagreements(&start, plies, board), start)
        });
        // The first of equals: one swap before two.
        if let Some((left, best)) = variants.min_by_key(|&(left, _)| left)
            && left + LEAST_GAIN <= usual
        {
            start = best;
        }
    }
    start
}

fn with_variant(start: &Match, board: BoardId, (white, black): (bool, bool)) -> Match {
    let mut start = start.clone();
    *start.position_mut(board) = Position::initial_swapped(white, black);
    start
}

/// Plies of a board that the hub takes to be legal and that are not from this start.
fn disagreements(start: &Match, plies: &[&PlyReport], board: BoardId) -> usize {
    let mut boards = start.clone();
    let mut count = 0;
    for report in plies {
        boards.set_turn(report.board, report.side);
        let is_legal = boards.illegality(report.board, report.ply).is_none();
        count += usize::from(report.board == board && report.legal && !is_legal);
        boards.play(report.board, report.ply);
    }
    count
}
