//! The effects of a piece on its new square: checks, threats, pins and protection.

use rules::{Bitboard, Role, Square};
use shakmaty::attacks;

use super::counts::{index, most_valuable, up_to_three, up_to_two};
use crate::learnt::{maps::Maps, tables::LEAST};

/// The effects of a piece that arrives on a square.
pub(super) struct Arrival {
    /// Squares it attacks or protects.
    pub(super) reached: Bitboard,
    /// Least enemy attacker of its square, plus `LEAST` for each own piece that protects it, two at most.
    pub(super) danger: usize,
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

impl Arrival {
    /// The effects of a piece of `role` on `to`, with these squares `occupied`. Other own pieces protect the square
    /// `support` times, 2 for more.
    #[inline]
    pub(super) fn of(
        maps: &Maps<'_>,
        role: Role,
        to: Square,
        occupied: Bitboard,
        support: usize,
    ) -> Arrival {
        let attacked = |occupied: Bitboard| attacks::attacks(to, role.of(maps.turn), occupied);
        let reached = attacked(occupied);
        let fled = |attacked: Bitboard| up_to_three((maps.escapes & !attacked).without(to));
        let least = maps.by_enemy.least(to);
        let check = match maps.enemy_king {
            Some(king) if reached.contains(king) => {
                let takers = match (least, support) {
                    (0, _) | (5, 1..) => 0,
                    (5, 0) => 1,
                    _ => 2,
                };
                let blocked = !maps.enemy_ring.contains(to) && role != Role::Knight;
                let through = attacked(occupied.without(king));
                4 + fled(through) + 4 * (takers + 3 * usize::from(blocked))
            }
            _ => fled(reached),
        };
        let victims = reached & maps.victims;
        // The piece behind the first one that a slider attacks: 2 the enemy king, 1 a queen, 0 neither.
        let slides = matches!(role, Role::Bishop | Role::Rook | Role::Queen);
        let pinned_to = if victims.any() && slides {
            let behind = attacked(occupied & !victims) & !reached;
            let queens = behind & maps.enemy & maps.position.board().queens();
            let is_king = maps.enemy_king.is_some_and(|king| behind.contains(king));
            if is_king { 2 } else { usize::from(queens.any()) }
        } else {
            0
        };
        let worth = reached & maps.worth_taking[index(role)];
        let hit = reached & maps.enemy_weak;
        let place =
            usize::from(maps.own_ring.contains(to)) + usize::from(maps.own_weak.contains(to));
        Arrival {
            reached,
            danger: least + LEAST * support,
            check,
            threat: most_valuable(maps, victims) + 5 * up_to_two(worth),
            ring: up_to_three(reached & maps.enemy_ring),
            cover: most_valuable(maps, reached & maps.own_hanging),
            lines: up_to_two(reached & maps.wards) + 3 * pinned_to,
            weak: up_to_two(hit & maps.by_own.once) + 3 * up_to_two(hit & !maps.by_own.once),
            guard: up_to_two(reached & maps.own_weak) + 3 * place,
        }
    }
}
