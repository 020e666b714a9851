//! The clues of drops.

use rules::{Bitboard, Ply, RESERVE_ROLES, Role, Square};
use shakmaty::attacks;

use super::{
    super::{
        super::{ActionClass, Recent, RoleSet},
        maps::Maps,
        tables::{
            CHECKS, COVERS, DISTANCES, GUARD, LEAST, LINES, RELATIVE, RINGS, SQUARES, THREATS,
            WEAK, deep, wide,
        },
    },
    Clues, Sink,
    arrival::{Arrival, arrival},
    surroundings::surroundings,
    threatened,
};

/// The drops of a position.
pub(super) struct Drops<'a> {
    maps: &'a Maps<'a>,
    their_last: Option<Square>,
    own_last: Option<Square>,
    /// Squares that the pieces of the opponent's last ply attack.
    threatened: Bitboard,
}

impl<'a> Drops<'a> {
    /// In a position and what has just happened there.
    pub(super) fn new(maps: &'a Maps<'a>, recent: &Recent) -> Drops<'a> {
        Drops {
            maps,
            their_last: recent.by_opponent.first(),
            own_last: recent.by_mover.first(),
            threatened: threatened(maps, recent),
        }
    }

    /// Squares on which a drop answers whatever check there is.
    fn targets(&self) -> Bitboard {
        let maps = self.maps;
        match (maps.own_king, maps.checkers.single_square()) {
            _ if maps.checkers.is_empty() => !maps.occupied,
            (Some(king), Some(checker)) => attacks::between(king, checker),
            _ => Bitboard::EMPTY,
        }
    }

    /// Gives all legal drops of `roles` to `sink`, square by square.
    pub(super) fn visit(&self, roles: RoleSet, sink: &mut impl Sink) {
        if roles == RoleSet::NONE {
            return;
        }
        for to in self.targets() {
            let mut around = Clues::new();
            surroundings(self.maps, to, self.maps.occupied, |at| around.push(at as u16));
            let mut deep_clues = self.of_square(to);
            deep_clues.extend(around.iter().map(|&at| deep::ON_AROUND.at(usize::from(at))));
            sink.group(&deep_clues, &[], &around);
            for (slot, role) in RESERVE_ROLES.into_iter().enumerate() {
                let forbidden = role == Role::Pawn && Bitboard::BACKRANKS.contains(to);
                if roles.has_slot(slot) && !forbidden {
                    self.visit_drop(slot, role, to, sink);
                }
            }
        }
    }

    fn of_square(&self, to: Square) -> Clues {
        let maps = self.maps;
        let mut clues = Clues::new();
        clues.push(deep::ON_DANGER.at(maps.by_enemy.least(to) + LEAST * maps.by_own.times(to)));
        clues.push(deep::ON.at(maps.seen(to)));
        if let Some(king) = maps.enemy_king {
            clues.push(deep::ON_ENEMY_KING.at(maps.relative(to, king)));
        }
        if let Some(king) = maps.own_king {
            clues.push(deep::ON_OWN_KING.at(maps.relative(to, king)));
        }
        clues
    }

    fn visit_drop(&self, slot: usize, role: Role, to: Square, sink: &mut impl Sink) {
        let maps = self.maps;
        let (least, support) = (maps.by_enemy.least(to), maps.by_own.times(to));
        let danger = least + LEAST * support;
        let Arrival { reached, check, threat, ring, cover, lines, weak, guard } =
            arrival(maps, role, to, maps.occupied.with(to), least, support > 0);
        let mut deep_clues = Clues::new();
        deep_clues.push(deep::DROP_DANGER.at(slot * LEAST * 3 + danger));
        deep_clues.push(deep::DROP_CHECK.at(slot * CHECKS + check));
        deep_clues.push(deep::DROP_THREAT.at(slot * THREATS + threat));
        deep_clues.push(deep::DROP_RING.at((slot * RINGS + ring) * COVERS + cover));
        deep_clues.push(deep::DROP_LINES.at(slot * LINES + lines));
        deep_clues.push(deep::DROP_WEAK.at(slot * WEAK + weak));
        deep_clues.push(deep::DROP_GUARD.at(slot * GUARD + guard));
        let mut wide_clues = Clues::new();
        if let Some(king) = maps.enemy_king {
            deep_clues.push(deep::DROP_ENEMY_KING.at(slot * RELATIVE + maps.relative(to, king)));
            let near = king.distance(to).clamp(1, 4) as usize - 1;
            wide_clues
                .push(wide::DROP_DANGER_NEAR.at((slot * LEAST * 3 + danger) * DISTANCES + near));
        }
        wide_clues.push(wide::DROP_ON.at(slot * SQUARES + maps.seen(to)));
        wide_clues.push(wide::DROP_DANGER_CHECK.at((slot * LEAST * 3 + danger) * CHECKS + check));
        let relative = |origin: Square| slot * RELATIVE + maps.relative(to, origin);
        if let Some(king) = maps.own_king {
            wide_clues.push(wide::DROP_OWN_KING.at(relative(king)));
            if maps.checkers.any() {
                let beside = usize::from(!maps.own_ring.contains(to));
                wide_clues
                    .push(wide::DROP_INTERPOSED.at((slot * LEAST * 3 + danger) * 3 + 1 + beside));
            }
        }
        if let Some(last) = self.their_last {
            wide_clues.push(wide::DROP_THEIR_LAST.at(relative(last)));
            let hits = usize::from(reached.contains(last));
            let hit = usize::from(self.threatened.contains(to));
            wide_clues.push(wide::DROP_HITS_LAST.at(slot * 4 + hits + 2 * hit));
        }
        if let Some(last) = self.own_last {
            wide_clues.push(wide::DROP_OWN_LAST.at(relative(last)));
        }
        let class = ActionClass::drop(slot, check >= 4);
        sink.action(Ply::Drop { role, to }, class, &deep_clues, &wide_clues);
    }
}
