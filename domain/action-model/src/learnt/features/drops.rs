//! The clues of drops.

use rules::{Bitboard, Ply, Role, Square};
use shakmaty::attacks;

use super::{
    arrival::Arrival,
    counts::index,
    sink::{Clues, Sink},
    surroundings::surroundings,
};
use crate::{
    ActionClass, RoleSet,
    learnt::{
        maps::Maps,
        tables::{
            CHECKS, COVERS, DISTANCES, GUARD, LEAST, LINES, RELATIVE, RINGS, SQUARES, THREATS,
            WEAK, deep, wide,
        },
    },
};

/// Gives all legal drops of `roles` to `sink`, square by square.
pub(super) fn visit(maps: &Maps<'_>, roles: RoleSet, sink: &mut impl Sink) {
    if roles == RoleSet::NONE {
        return;
    }
    for to in targets(maps) {
        let danger = maps.by_enemy.least(to) + LEAST * maps.by_own.times(to);
        let relative = |origin: Square| maps.relative(to, origin);
        let around: Clues =
            surroundings(maps, to, maps.occupied).map(|number| number as u16).collect();
        let mut clues = Clues::new();
        clues.push(deep::ON_DANGER.at(danger));
        clues.push(deep::ON.at(maps.seen(to)));
        clues.extend(maps.enemy_king.map(|king| deep::ON_ENEMY_KING.at(relative(king))));
        clues.extend(maps.own_king.map(|king| deep::ON_OWN_KING.at(relative(king))));
        clues.extend(around.iter().map(|&number| deep::ON_AROUND.at(usize::from(number))));
        sink.group(&clues, &[], &around);
        for role in roles.iter() {
            if role != Role::Pawn || !Bitboard::BACKRANKS.contains(to) {
                visit_drop(maps, role, to, sink);
            }
        }
    }
}

/// The squares on which a drop is legal: all empty squares, or in check the squares that block it.
fn targets(maps: &Maps<'_>) -> Bitboard {
    match (maps.own_king, maps.checkers.single_square()) {
        _ if maps.checkers.is_empty() => !maps.occupied,
        (Some(king), Some(checker)) => attacks::between(king, checker),
        _ => Bitboard::EMPTY,
    }
}

fn visit_drop(maps: &Maps<'_>, role: Role, to: Square, sink: &mut impl Sink) {
    let slot = index(role);
    let Arrival { reached, danger, check, threat, ring, cover, lines, weak, guard } =
        Arrival::of(maps, role, to, maps.occupied.with(to), maps.by_own.times(to));
    let in_danger = slot * LEAST * 3 + danger;
    let relative = |origin: Square| slot * RELATIVE + maps.relative(to, origin);
    let mut deep_clues = Clues::new();
    deep_clues.push(deep::DROP_DANGER.at(in_danger));
    deep_clues.push(deep::DROP_CHECK.at(slot * CHECKS + check));
    deep_clues.push(deep::DROP_THREAT.at(slot * THREATS + threat));
    deep_clues.push(deep::DROP_RING.at((slot * RINGS + ring) * COVERS + cover));
    deep_clues.push(deep::DROP_LINES.at(slot * LINES + lines));
    deep_clues.push(deep::DROP_WEAK.at(slot * WEAK + weak));
    deep_clues.push(deep::DROP_GUARD.at(slot * GUARD + guard));
    let mut wide_clues = Clues::new();
    if let Some(king) = maps.enemy_king {
        deep_clues.push(deep::DROP_ENEMY_KING.at(relative(king)));
        let near = king.distance(to).clamp(1, DISTANCES as u32) as usize - 1;
        wide_clues.push(wide::DROP_DANGER_NEAR.at(in_danger * DISTANCES + near));
    }
    wide_clues.push(wide::DROP_ON.at(slot * SQUARES + maps.seen(to)));
    wide_clues.push(wide::DROP_DANGER_CHECK.at(in_danger * CHECKS + check));
    if let Some(king) = maps.own_king {
        wide_clues.push(wide::DROP_OWN_KING.at(relative(king)));
        if maps.checkers.any() {
            let beside = usize::from(!maps.own_ring.contains(to));
            wide_clues.push(wide::DROP_INTERPOSED.at(in_danger * 3 + 1 + beside));
        }
    }
    if let Some(last) = maps.their_last {
        wide_clues.push(wide::DROP_THEIR_LAST.at(relative(last)));
        let hits = usize::from(reached.contains(last));
        let hit = usize::from(maps.threatened.contains(to));
        wide_clues.push(wide::DROP_HITS_LAST.at(slot * 4 + hits + 2 * hit));
    }
    wide_clues.extend(maps.own_last.map(|last| wide::DROP_OWN_LAST.at(relative(last))));
    let class = ActionClass::drop(slot, check >= 4);
    sink.action(Ply::Drop { role, to }, class, &deep_clues, &wide_clues);
}
