//! ```text
//! beyond explanation:  MAX_AGE or more closings in a row for 2 squares,  or  MAX_AGE_OF_MANY for MANY_SQUARES
//! surplus square s:    the piece of the nearest missing square, else one from a reserve
//! missing piece left:  to the same colour's reserve at the partner board; a king stays
//! ```
//!
//! Re-anchoring: when no path fits any more, hypotheses are made to agree with the occupied squares.
//!
//! Squares may differ from the likeliest hypothesis press after press. Then something happened that
//! no ply explains: pieces were put back wrongly, or pieces were taken away. The match goes on all
//! the same. One square alone is mostly a contact that fails; the piece on it stays, for its next
//! plies would look like drops otherwise. Where no reserve is known, a missing piece is off the
//! board. In chess a piece too many was captured before.

use rules::{Bitboard, Board, BoardId, Color, Piece, Position, Role, Square, Supply};

use crate::state::joint_state::JointState;

/// Two squares that differ after this number of closings of their board in a row are beyond explanation.
/// Assumed: set by hand.
const MAX_AGE: u8 = 6;
/// With this many differing squares, fewer closings are enough. Assumed: set by hand.
const MANY_SQUARES: usize = 5;
/// Closings in a row after which many differing squares are beyond explanation. Assumed: set by hand.
const MAX_AGE_OF_MANY: u8 = 3;

/// Notes the squares that differ after a closing; says whether they are beyond explanation. `ages`
/// has the number of closings in a row for which each square has differed from the likeliest
/// hypothesis.
pub(crate) fn beyond_explanation(ages: &mut [u8; 64], different: Bitboard) -> bool {
    let (mut old, mut oldest) = (0, 0);
    for (square, age) in Square::ALL.into_iter().zip(ages) {
        *age = if different.contains(square) { age.saturating_add(1) } else { 0 };
        old += usize::from(*age >= MAX_AGE_OF_MANY);
        oldest += usize::from(*age >= MAX_AGE);
    }
    oldest >= 2 || old >= MANY_SQUARES
}

/// `position` with its pieces moved so that exactly the squares `occupied` are occupied. A promoted piece may
/// lie unseen and stays. The reserves of `state` give and take the remaining pieces.
pub(crate) fn agree(
    position: &Position,
    occupied: Bitboard,
    board: BoardId,
    state: &mut JointState,
    supply: Supply,
) -> Position {
    let missing = position.occupied() & !occupied & !position.promoted();
    let extra = occupied & !position.occupied();
    let mut pieces = position.board().clone();
    let mut promoted = position.promoted();
    let mut homeless: Vec<(Square, Piece)> = Vec::new();
    for square in missing {
        if let Some(piece) = pieces.remove_piece_at(square) {
            homeless.push((square, piece));
        }
    }
    for square in extra {
        let nearest = homeless
            .iter()
            .enumerate()
            .min_by_key(|(_, (from, _))| from.distance(square))
            .map(|(at, _)| at);
        let piece = match nearest {
            Some(at) => homeless.remove(at).1,
            None => from_beside(board, square, state, &pieces, supply),
        };
        pieces.set_piece_at(square, piece);
        promoted.discard(square);
    }
    for (square, piece) in homeless {
        if piece.role == Role::King {
            // A king does not leave the match, so it stays on its square.
            pieces.set_piece_at(square, piece);
            continue;
        }
        if supply == Supply::Partner {
            // The opponent captured it, so it went to the same colour at the partner board.
            state.holding_mut(board.other(), piece.color).add(piece.role);
        }
    }
    Position::from_board(
        pieces,
        promoted,
        position.turn(),
        position.castling_rights(),
        position.en_passant(),
    )
    .with_counters(position.halfmove_clock(), position.fullmove_number())
}

/// A piece for a surplus square, beside `pieces`. Its role is the commonest one in a reserve of
/// `board`; in chess it is the commonest captured one. If both sides have this role, the piece
/// belongs to the side in whose half the square is. If no side has any, it is a pawn, or a knight
/// on a back rank.
fn from_beside(
    board: BoardId,
    square: Square,
    state: &mut JointState,
    pieces: &Board,
    supply: Supply,
) -> Piece {
    let near = if square.rank() <= rules::Rank::Fourth { Color::White } else { Color::Black };
    for (role, at_first) in rules::RESERVE_ROLES.into_iter().zip(ARMY) {
        if role == Role::Pawn && Bitboard::BACKRANKS.contains(square) {
            continue;
        }
        for color in [near, near.other()] {
            let is_beside = match supply {
                Supply::Partner => state.holding(board, color).reserve.count(role) > 0,
                Supply::Unseen => false,
                Supply::Nobody => pieces.by_piece(role.of(color)).count() < at_first,
            };
            if is_beside && supply == Supply::Partner {
                state.holding_mut(board, color).take(role);
            }
            if is_beside {
                return Piece { color, role };
            }
        }
    }
    let role = if Bitboard::BACKRANKS.contains(square) { Role::Knight } else { Role::Pawn };
    Piece { color: near, role }
}

/// Pieces of each of the [`RESERVE_ROLES`](rules::RESERVE_ROLES) that a side begins with. Rule: the initial
/// position.
const ARMY: [usize; 5] = [8, 2, 2, 2, 1];

#[cfg(test)]
mod tests {
    use super::*;

    fn empty_handed() -> JointState {
        JointState::empty_handed([0; 2])
    }

    #[test]
    fn a_piece_that_jumped_is_found_where_a_piece_is_read() {
        let position = Position::initial();
        let occupied = position.occupied().without(Square::G1).with(Square::G4);
        let agreed = agree(&position, occupied, BoardId::A, &mut empty_handed(), Supply::Partner);
        assert_eq!(agreed.occupied(), occupied);
        assert_eq!(agreed.piece_at(Square::G4), position.piece_at(Square::G1));
    }

    #[test]
    fn a_piece_that_vanished_goes_to_the_reserve_its_capture_would_have_fed() {
        let position = Position::initial();
        let mut state = empty_handed();
        let occupied = position.occupied().without(Square::D8);
        let agreed = agree(&position, occupied, BoardId::A, &mut state, Supply::Partner);
        assert_eq!(agreed.occupied(), occupied);
        assert_eq!(state.holding(BoardId::B, Color::Black).reserve.count(Role::Queen), 1);
    }

    #[test]
    fn a_piece_from_nowhere_comes_from_a_reserve_if_one_holds_any() {
        let mut state = empty_handed();
        state.holding_mut(BoardId::A, Color::White).add(Role::Bishop);
        let position = Position::initial();
        let occupied = position.occupied().with(Square::C4);
        let agreed = agree(&position, occupied, BoardId::A, &mut state, Supply::Partner);
        assert_eq!(agreed.piece_at(Square::C4), Some(Color::White.bishop()));
        assert_eq!(state.holding(BoardId::A, Color::White).reserve.total(), 0);
    }

    #[test]
    fn in_chess_a_vanished_piece_is_nowhere_and_may_be_put_back() {
        let position = Position::initial();
        let mut state = empty_handed();
        let without = position.occupied().without(Square::D8);
        let gone = agree(&position, without, BoardId::A, &mut state, Supply::Nobody);
        assert_eq!((gone.occupied(), state), (without, empty_handed()));
        let back = agree(&gone, position.occupied(), BoardId::A, &mut state, Supply::Nobody);
        assert_eq!((back.board(), state), (position.board(), empty_handed()));
    }

    #[test]
    fn what_an_unseen_partner_supplied_comes_from_no_reserve_that_is_known() {
        let position = Position::initial();
        let mut state = empty_handed();
        let occupied = position.occupied().with(Square::E4).without(Square::G8);
        let agreed = agree(&position, occupied, BoardId::A, &mut state, Supply::Unseen);
        assert_eq!(agreed.piece_at(Square::E4), position.piece_at(Square::G8), "it jumped there");
        let more = agreed.occupied().with(Square::E5);
        let agreed = agree(&agreed, more, BoardId::A, &mut state, Supply::Unseen);
        assert_eq!(agreed.piece_at(Square::E5), Some(Color::Black.pawn()));
        assert_eq!(state, empty_handed());
    }

    #[test]
    fn only_squares_that_stay_different_are_beyond_explanation() {
        let mut ages = [0; 64];
        let squares = Bitboard::from_square(Square::E4).with(Square::E5);
        for _ in 0..MAX_AGE - 1 {
            assert!(!beyond_explanation(&mut ages, squares));
        }
        assert!(!beyond_explanation(&mut ages, Bitboard::EMPTY));
        for _ in 0..MAX_AGE - 1 {
            assert!(!beyond_explanation(&mut ages, squares));
        }
        assert!(beyond_explanation(&mut ages, squares));
    }

    #[test]
    fn one_square_alone_is_a_contact_that_fails() {
        let mut ages = [0; 64];
        assert!(
            (0..=u8::MAX)
                .all(|_| !beyond_explanation(&mut ages, Bitboard::from_square(Square::E4)))
        );
    }
}
