//! The clues of every action in a position.

mod arrival;
mod clues;
mod counts;
mod drops;
mod moves;
mod sink;
mod surroundings;

use rules::{Bitboard, Position, Square};

pub(crate) use self::sink::Sink;
use self::{clues::Clues, counts::most_valuable, drops::Drops, moves::Moves};
use super::{
    super::{Recent, RoleSet},
    maps::Maps,
    tables::deep,
};

/// Gives the clues of all legal actions to `sink`: moves, and drops of `roles`.
pub(crate) fn visit(position: &Position, recent: &Recent, roles: RoleSet, sink: &mut impl Sink) {
    let maps = Maps::new(position);
    sink.position(&of_position(&maps));
    Moves::new(&maps, recent).visit(sink);
    Drops::new(&maps, recent).visit(roles, sink);
}

fn of_position(maps: &Maps<'_>) -> Clues {
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
