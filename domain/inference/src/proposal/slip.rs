//! Likelihood of an illegal ply beside a legal one with the same squares.
//!
//! ```text
//! weight(ply) = s * q
//! s           = BESIDE_ITS_AIM             for a wrong geometry beside a square that the piece could have gone to
//!             = illegal_weight(reason)     otherwise
//! q           = promotion_weight(role)     for a promotion, else 1
//! ```
//!
//! An illegal ply is a slip of the hand or of the eye, so it looks like a legal one: a piece of
//! wrong geometry mostly lands beside a square that it could have gone to. A piece that goes
//! anywhere else stays improbable, because a wrong belief about its type makes such plies of
//! ordinary moves. A ply that takes another back is weighed in `state/takeback.rs`.

use rules::{Bitboard, IllegalReason, Ply, Position, Rank, Role, Square};
use shakmaty::attacks;

use crate::params;

/// Weight of a ply of this position, illegal for this reason, relative to an average legal one, 0 to 1.
pub(crate) fn weight(position: &Position, ply: Ply, reason: IllegalReason) -> f64 {
    let slip = match reason {
        IllegalReason::WrongGeometry if lands_beside_its_aim(position, ply) => {
            params::BESIDE_ITS_AIM
        }
        _ => params::illegal_weight(reason),
    };
    slip * promotion_weight(ply)
}

/// Probability that the pawn of a ply becomes the role that it names, 1 if the ply names none.
pub(crate) fn promotion_weight(ply: Ply) -> f64 {
    match ply {
        Ply::Move { promotion: Some(role), .. } => params::promotion_weight(role),
        _ => 1.0,
    }
}

/// Whether the piece lands beside a square that it could have gone to.
fn lands_beside_its_aim(position: &Position, ply: Ply) -> bool {
    let aims = ply.from().map_or(Bitboard::EMPTY, |from| aims(position, from));
    (attacks::king_attacks(ply.to()) & aims).any()
}

/// Squares that the piece on this square can go to. Castling and captures en passant are left out:
/// both end beside one of these squares. Masks are cheaper than a list of plies, and this is asked
/// for most pieces that are read on some square.
fn aims(position: &Position, from: Square) -> Bitboard {
    let Some(piece) = position.piece_at(from) else { return Bitboard::EMPTY };
    let occupied = position.occupied();
    let own = position.board().by_color(piece.color);
    if piece.role != Role::Pawn {
        return attacks::attacks(from, piece, occupied) & !own;
    }
    let free = |square: Square| {
        let ahead = square.offset(piece.color.fold_wb(8, -8));
        ahead.filter(|&ahead| !occupied.contains(ahead))
    };
    let once = free(from);
    let twice =
        once.filter(|_| from.rank() == piece.color.relative_rank(Rank::Second)).and_then(free);
    let captures = attacks::pawn_attacks(piece.color, from) & occupied & !own;
    once.into_iter().chain(twice).fold(captures, Bitboard::with)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The weight of a knight's wrong geometry, from g1 in the initial position.
    fn from_g1(to: Square) -> f64 {
        let ply = Ply::Move { from: Square::G1, to, promotion: None };
        weight(&Position::initial(), ply, IllegalReason::WrongGeometry)
    }

    #[test]
    fn a_piece_lands_beside_its_aim_more_easily_than_anywhere() {
        // A knight of g1 may go to f3 and h3.
        assert_eq!(from_g1(Square::G3), params::BESIDE_ITS_AIM);
        assert_eq!(from_g1(Square::F4), params::BESIDE_ITS_AIM);
        let anywhere = params::illegal_weight(IllegalReason::WrongGeometry);
        assert_eq!(from_g1(Square::B4), anywhere);
        assert!(anywhere < params::BESIDE_ITS_AIM);
    }

    #[test]
    fn what_a_piece_aims_at_is_what_it_may_go_to() {
        let mut position = Position::initial();
        for ply in ["e2e4", "d7d5", "g1f3", "b8c6", "f1b5", "a7a6"] {
            position.play(ply.parse().expect("a ply"));
        }
        for from in position.board().by_color(position.turn()) {
            let mut plies = Vec::new();
            position.pseudo_legal_moves(Bitboard::from_square(from), &mut plies);
            let castles = |ply: &&Ply| from == Square::E1 && from.distance(ply.to()) > 1;
            let reached: Bitboard =
                plies.iter().filter(|ply| !castles(ply)).map(|ply| ply.to()).collect();
            assert_eq!(aims(&position, from), reached, "{from}");
        }
    }

    #[test]
    fn a_pawn_that_promotes_against_the_rules_becomes_a_queen_first() {
        let mut position = Position::initial();
        for ply in ["P@b6", "a7a5", "b6b7", "h7h6"] {
            position.play(ply.parse().expect("a ply"));
        }
        // It takes to a8 and c8, and may not go beside them.
        for to in [Square::D8, Square::F8] {
            let weight = |role| {
                let ply = Ply::Move { from: Square::B7, to, promotion: Some(role) };
                weight(&position, ply, IllegalReason::WrongGeometry)
            };
            assert!(weight(Role::Queen) > 10.0 * weight(Role::Knight), "{to}");
        }
    }
}
