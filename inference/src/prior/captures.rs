//! Which of several pieces was taken, when the exchange was too quick to be seen.
//!
//! A piece is gone from its square and nothing else has changed: it stands where an enemy piece stood.
//! The weight of each capture it could have made is the exponential of a sum of four clues (the role
//! taken; whether the square is defended; whether the capture gives check; whether it takes the piece
//! that arrived last). The numbers were learnt from the 240 engine matches in `sim/games` by
//!
//! ```text
//! cargo run --release -p inference --example learn_captures -- --test FILE.bpgn sim/games/engine-*.bpgn
//! ```
//!
//! (2,128 captures by a piece that had a choice) and from nothing else. On 75 recorded online matches that
//! were not learnt from, the likeliest capture was the one made in 83.1 % of 753 (by chance: 43.2 %).

use rules::{Bitboard, Ply, Position, RESERVE_ROLES};

/// Clues of one capture, each as an index into its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaptureClues {
    /// Place of the captured role in [`RESERVE_ROLES`].
    pub role: usize,
    /// Whether an enemy piece could take back.
    pub defended: bool,
    /// Whether it gives check.
    pub check: bool,
    /// Whether it takes what arrived last.
    pub recapture: bool,
}

/// Pawn, knight, bishop, rook, queen.
const ROLE: [f64; 5] = [-1.649, -0.147, -0.147, 0.194, 1.750];
const DEFENDED: f64 = -1.657;
const CHECK: f64 = 1.054;
const RECAPTURE: f64 = 0.816;

/// The clues of a ply by the side to move, if it captures; `arrived` are the squares that were occupied
/// by the opponent's last ply.
#[must_use]
pub fn capture_clues(position: &Position, ply: Ply, arrived: Bitboard) -> Option<CaptureClues> {
    let turn = position.turn();
    let victim = position.piece_at(ply.to()).filter(|piece| piece.color != turn)?;
    let role = RESERVE_ROLES.iter().position(|&role| role == victim.role)?;
    let mut after = position.clone();
    after.play(ply);
    let takers = after.board().attacks_to(ply.to(), turn.other(), after.occupied());
    Some(CaptureClues {
        role,
        defended: takers.any(),
        check: after.is_check(),
        recapture: arrived.contains(ply.to()),
    })
}

/// How likely a capture is, beside others by the same piece. Only ratios matter.
pub(super) fn weight(clues: CaptureClues) -> f64 {
    let part = |clue: bool, weight: f64| if clue { weight } else { 0.0 };
    libm::exp(
        ROLE[clues.role]
            + part(clues.defended, DEFENDED)
            + part(clues.check, CHECK)
            + part(clues.recapture, RECAPTURE),
    )
}

#[cfg(test)]
mod tests {
    use rules::Square;

    use super::*;

    fn clues(plies: &[&str], ply: &str, arrived: Bitboard) -> Option<CaptureClues> {
        let mut position = Position::initial();
        for ply in plies {
            position.play(ply.parse().expect("a ply"));
        }
        capture_clues(&position, ply.parse().expect("a ply"), arrived)
    }

    #[test]
    fn a_defended_pawn_that_has_just_come_is_seen_as_such() {
        let arrived = Bitboard::from_square(Square::D5);
        let found = clues(&["e2e4", "d7d5"], "e4d5", arrived).expect("a capture");
        assert_eq!(found, CaptureClues { role: 0, defended: true, check: false, recapture: true });
    }

    #[test]
    fn a_ply_that_takes_nothing_has_no_clues() {
        assert_eq!(clues(&[], "e2e4", Bitboard::EMPTY), None);
    }

    #[test]
    fn a_loose_queen_is_likelier_taken_than_a_defended_pawn() {
        let queen = CaptureClues { role: 4, defended: false, check: false, recapture: false };
        let pawn = CaptureClues { role: 0, defended: true, check: false, recapture: false };
        assert!(weight(queen) > 20.0 * weight(pawn));
    }
}
