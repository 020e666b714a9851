//! The effects of a piece on its new square: checks, threats, pins and protection.

use rules::{Bitboard, Role, Square};
use shakmaty::attacks;

use super::{
    super::maps::Maps,
    counts::{index, most_valuable, up_to_three, up_to_two},
};

/// The effects of a piece that arrives on a square.
pub(super) struct Arrival {
    /// Squares it attacks or protects.
    pub(super) reached: Bitboard,
    /// See [`CHECKS`](super::super::tables::CHECKS).
    pub(super) check: usize,
    /// See [`THREATS`](super::super::tables::THREATS).
    pub(super) threat: usize,
    /// Squares beside the enemy king that it attacks, at most 3.
    pub(super) ring: usize,
    /// The most valuable own hanging piece that it protects.
    pub(super) cover: usize,
    /// See [`LINES`](super::super::tables::LINES).
    pub(super) lines: usize,
    /// See [`WEAK`](super::super::tables::WEAK).
    pub(super) weak: usize,
    /// See [`GUARD`](super::super::tables::GUARD).
    pub(super) guard: usize,
}

/// The effects of a piece of `role` on `to`, which attacks `reached` with these squares `occupied`. `least` is the
/// least enemy attacker of the square, and `support` tells whether another own piece protects it.
#[inline]
pub(super) fn arrival(
    maps: &Maps<'_>,
    role: Role,
    to: Square,
    (occupied, reached): (Bitboard, Bitboard),
    least: usize,
    support: bool,
) -> Arrival {
    let fled = |attacked: Bitboard| up_to_three((maps.escapes & !attacked).without(to));
    let check = match maps.enemy_king {
        Some(king) if reached.contains(king) => {
            let through = attacks::attacks(to, role.of(maps.turn), occupied.without(king));
            let takers = match (least, support) {
                (0, _) | (5, true) => 0,
                (5, false) => 1,
                _ => 2,
            };
            let blocked = !maps.enemy_ring.contains(to) && role != Role::Knight;
            4 + fled(through) + 4 * (takers + 3 * usize::from(blocked))
        }
        _ => fled(reached),
    };
    let worth = reached & maps.worth_taking[index(role)];
    let victims = reached & maps.victims;
    let protected = up_to_two(reached & maps.wards);
    let hit = reached & maps.enemy_weak;
    let weak = up_to_two(hit & maps.by_own.once) + 3 * up_to_two(hit & !maps.by_own.once);
    let place = usize::from(maps.own_ring.contains(to)) + usize::from(maps.own_weak.contains(to));
    Arrival {
        weak,
        guard: up_to_two(reached & maps.own_weak) + 3 * place,
        reached,
        check,
        threat: most_valuable(maps, victims) + 5 * up_to_two(worth),
        ring: up_to_three(reached & maps.enemy_ring),
        cover: most_valuable(maps, reached & maps.own_hanging),
        lines: protected + 3 * pinned_to(maps, role, to, occupied, reached, victims),
    }
}

/// The piece behind the first one that a slider attacks: 2 the enemy king, 1 a queen, 0 neither.
fn pinned_to(
    maps: &Maps<'_>,
    role: Role,
    to: Square,
    occupied: Bitboard,
    reached: Bitboard,
    victims: Bitboard,
) -> usize {
    if victims.is_empty() || !matches!(role, Role::Bishop | Role::Rook | Role::Queen) {
        return 0;
    }
    let behind = attacks::attacks(to, role.of(maps.turn), occupied & !victims) & !reached;
    if maps.enemy_king.is_some_and(|king| behind.contains(king)) {
        2
    } else {
        usize::from((behind & maps.enemy & maps.position.board().queens()).any())
    }
}
