//! The clues of every action in a position.

mod arrival;
mod counts;
mod drops;
mod moves;
mod sink;
mod surroundings;

use rules::{Bitboard, Position};

use self::{counts::most_valuable, surroundings::pieces_near};
use super::{
    super::{Recent, RoleSet},
    maps::Maps,
    tables::deep,
};
use sink::Clues;
pub(crate) use sink::Sink;

/// Gives the clues of all legal actions to `sink`: moves, and drops of `roles`.
pub(crate) fn visit(position: &Position, recent: &Recent, roles: RoleSet, sink: &mut impl Sink) {
    let maps = Maps::new(position, recent);
    sink.position(&of_position(&maps));
    moves::visit(&maps, sink);
    drops::visit(&maps, roles, sink);
}

fn of_position(maps: &Maps<'_>) -> Clues {
    // Files, and the first, second and further ranks of the king's own side.
    let zone = |seen: usize| seen % 8 + 8 * (seen / 8).min(2);
    let (own_king, enemy_king) = (maps.own_king, maps.enemy_king);
    let mut clues = Clues::new();
    clues.push(deep::CHECKED.at(maps.checkers.count().min(2)));
    clues.push(deep::PIECES.at((maps.occupied.count() / 6).min(8)));
    clues.extend(own_king.map(|king| deep::OWN_KING.at(zone(maps.seen(king)))));
    clues.extend(enemy_king.map(|king| deep::ENEMY_KING.at(zone(maps.seen(king) ^ 56))));
    clues.push(deep::OWN_RING.at((maps.own_ring & maps.by_enemy.once).count()));
    clues.push(deep::ENEMY_RING.at((maps.enemy_ring & maps.by_own.once).count()));
    clues.push(deep::ESCAPES.at(maps.escapes.count()));
    clues.push(deep::OWN_HANGING.at(most_valuable(maps, maps.own_hanging)));
    clues.push(deep::ENEMY_HANGING.at(most_valuable(maps, maps.enemy_hanging)));
    for (king, table) in [(own_king, deep::OWN_KING_NEAR), (enemy_king, deep::ENEMY_KING_NEAR)] {
        let near = king.into_iter().flat_map(|king| pieces_near(maps, king, maps.occupied));
        clues.extend(near.map(|at| table.at(at)));
    }
    let home = Bitboard::from_rank(maps.turn.backrank()) & maps.own;
    clues.push(deep::HOME.at(home.count()));
    clues
}
