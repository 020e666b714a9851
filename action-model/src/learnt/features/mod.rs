//! The clues of every action in a position.

mod arrival;
mod clues;
mod drops;
mod moves;
mod surroundings;

use rules::{Bitboard, Ply, Position, Role, Square};

use self::{drops::Drops, moves::Moves};
use super::{
    super::{ActionClass, Recent, RoleSet},
    maps::Maps,
    tables::deep,
};

use self::clues::{Clues, FEW, MANY};

/// Takes the clues of a position's actions. Actions that share clues come in groups: the moves of one
/// piece, the drops on one square.
pub(crate) trait Sink {
    /// Deep clues that all actions share.
    fn position(&mut self, deep: &[u16]);
    /// Deep and wide clues that the actions to come share until the next group, and the rows by
    /// role of its drops.
    fn group(&mut self, deep: &[u16], wide: &[u16], by_role: &[u16]);
    /// One action with its deep and wide clues.
    fn action(&mut self, ply: Ply, class: ActionClass, deep: &[u16], wide: &[u16]);
}

/// Gives the clues of all legal actions to `sink`: moves, and drops of `roles`.
pub(crate) fn visit(position: &Position, recent: &Recent, roles: RoleSet, sink: &mut impl Sink) {
    let maps = Maps::new(position);
    sink.position(&of_position(&maps));
    Moves::new(&maps, recent).visit(sink);
    Drops::new(&maps, recent).visit(roles, sink);
}

/// Place of a role: pawn to king.
fn index(role: Role) -> usize {
    usize::from(role) - 1
}

/// How many squares, 2 for more: without counting them all, which takes much longer where no instruction does it.
#[inline]
fn up_to_two(squares: Bitboard) -> usize {
    usize::from(squares.any()) + usize::from(squares.more_than_one())
}

/// How many squares, 3 for more.
#[inline]
fn up_to_three(squares: Bitboard) -> usize {
    let but_lowest = Bitboard(squares.0 & squares.0.wrapping_sub(1));
    usize::from(squares.any()) + up_to_two(but_lowest)
}

/// The most valuable of some pieces, kings excepted: 0 none, 1 pawn, 2 knight or bishop, 3 rook, 4 queen.
#[inline]
fn most_valuable(maps: &Maps<'_>, pieces: Bitboard) -> usize {
    if pieces.is_empty() {
        return 0;
    }
    let board = maps.position.board();
    let kinds = [board.queens(), board.rooks(), board.knights() | board.bishops(), board.pawns()];
    kinds.iter().position(|&kind| (kind & pieces).any()).map_or(0, |at| 4 - at)
}

fn of_position(maps: &Maps<'_>) -> Clues<MANY> {
    let zone = |square: Square| {
        let seen = maps.seen(square);
        // Files, and the first, second and further ranks of the king's own side.
        seen % 8 + 8 * (seen / 8).min(2)
    };
    let mut clues = Clues::new();
    clues.push(deep::CHECKED.at(maps.checkers.count().min(2)));
    clues.push(deep::PIECES.at((maps.occupied.count() / 6).min(8)));
    if let Some(king) = maps.own_king {
        clues.push(deep::OWN_KING.at(zone(king)));
    }
    if let Some(king) = maps.enemy_king {
        let seen = maps.seen(king) ^ 56;
        clues.push(deep::ENEMY_KING.at(seen % 8 + 8 * (seen / 8).min(2)));
    }
    clues.push(deep::OWN_RING.at((maps.own_ring & maps.by_enemy.once).count()));
    clues.push(deep::ENEMY_RING.at((maps.enemy_ring & maps.by_own.once).count()));
    clues.push(deep::ESCAPES.at(maps.escapes.count()));
    clues.push(deep::OWN_HANGING.at(most_valuable(maps, maps.own_hanging)));
    clues.push(deep::ENEMY_HANGING.at(most_valuable(maps, maps.enemy_hanging)));
    if let Some(king) = maps.own_king {
        surroundings::near_king(maps, king, &mut clues, |at| deep::OWN_KING_NEAR.at(at));
    }
    if let Some(king) = maps.enemy_king {
        surroundings::near_king(maps, king, &mut clues, |at| deep::ENEMY_KING_NEAR.at(at));
    }
    let home = Bitboard::from_rank(maps.turn.backrank()) & maps.own;
    clues.push(deep::HOME.at(home.count()));
    clues
}

/// Squares that the pieces of the opponent's last ply attack.
fn threatened(maps: &Maps<'_>, recent: &Recent) -> Bitboard {
    let board = maps.position.board();
    let pieces = recent.by_opponent & maps.enemy;
    pieces.into_iter().fold(Bitboard::EMPTY, |all, square| all | board.attacks_from(square))
}
