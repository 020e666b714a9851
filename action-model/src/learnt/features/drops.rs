//! The clues of drops.

use rules::{Bitboard, Ply, RESERVE_ROLES, Role, Square};
use shakmaty::attacks;
use smallvec::SmallVec;

use super::{
    super::{
        super::{ActionClass, Recent, RoleSet},
        maps::Maps,
        tables::{
            CHECKS, COVERS, DISTANCES, GUARD, LEAST, LINES, RELATIVE, RINGS, SQUARES, THREATS,
            WEAK, deep, wide,
        },
    },
    arrival::{Arrival, arrival},
    clues::Clues,
    counts::threatened,
    sink::Sink,
    surroundings::surroundings,
};

/// The drops of a position.
pub(super) struct Drops<'a> {
    maps: &'a Maps<'a>,
    their_last: Option<Square>,
    own_last: Option<Square>,
    /// Squares that the pieces of the opponent's last ply attack.
    threatened: Bitboard,
}

/// A square to drop on.
struct Place {
    to: Square,
    /// Its least enemy attacker.
    least: usize,
    /// How often own pieces protect it, 2 for more.
    times: usize,
    /// Its direction from both kings and from the last arrivals: see [`Maps::relative`].
    from_enemy_king: Option<usize>,
    from_own_king: Option<usize>,
    from_their_last: Option<usize>,
    from_own_last: Option<usize>,
    /// Distance to the enemy king minus 1: 0 to 3, 3 for more.
    near: usize,
}

impl Place {
    fn danger(&self) -> usize {
        self.least + LEAST * self.times
    }
}

impl<'a> Drops<'a> {
    /// The drops of a position with these last arrivals.
    pub(super) fn new(maps: &'a Maps<'a>, recent: &Recent) -> Drops<'a> {
        Drops {
            maps,
            their_last: recent.by_opponent.first(),
            own_last: recent.by_mover.first(),
            threatened: threatened(maps, recent),
        }
    }

    /// The squares on which a drop is legal: all empty squares, or in check the squares that block it.
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
        let slots = (0..).zip(RESERVE_ROLES).filter(|&(slot, _)| roles.has_slot(slot));
        let dropped: SmallVec<[(usize, Role); 5]> = slots.collect();
        for to in self.targets() {
            let mut around = Clues::new();
            let place = self.place(to);
            let mut deep_clues = self.of_square(&place);
            surroundings(self.maps, to, self.maps.occupied, |at| {
                around.push(at as u16);
                deep_clues.push(deep::ON_AROUND.at(at));
            });
            sink.group(&deep_clues, &[], &around);
            for &(slot, role) in &dropped {
                let forbidden = role == Role::Pawn && Bitboard::BACKRANKS.contains(to);
                if !forbidden {
                    self.visit_drop(slot, role, &place, sink);
                }
            }
        }
    }

    fn place(&self, to: Square) -> Place {
        let maps = self.maps;
        let relative = |origin: Square| maps.relative(to, origin);
        let distance = maps.enemy_king.map_or(1, |king| king.distance(to).clamp(1, 4));
        Place {
            to,
            least: maps.by_enemy.least(to),
            times: maps.by_own.times(to),
            from_enemy_king: maps.enemy_king.map(relative),
            from_own_king: maps.own_king.map(relative),
            from_their_last: self.their_last.map(relative),
            from_own_last: self.own_last.map(relative),
            near: distance as usize - 1,
        }
    }

    fn of_square(&self, place: &Place) -> Clues {
        let mut clues = Clues::new();
        clues.push(deep::ON_DANGER.at(place.danger()));
        clues.push(deep::ON.at(self.maps.seen(place.to)));
        if let Some(relative) = place.from_enemy_king {
            clues.push(deep::ON_ENEMY_KING.at(relative));
        }
        if let Some(relative) = place.from_own_king {
            clues.push(deep::ON_OWN_KING.at(relative));
        }
        clues
    }

    fn visit_drop(&self, slot: usize, role: Role, place: &Place, sink: &mut impl Sink) {
        let (maps, to, danger) = (self.maps, place.to, place.danger());
        let occupied = maps.occupied.with(to);
        let reached = attacks::attacks(to, role.of(maps.turn), occupied);
        let Arrival { reached, check, threat, ring, cover, lines, weak, guard } =
            arrival(maps, role, to, (occupied, reached), place.least, place.times > 0);
        let mut deep_clues = Clues::new();
        deep_clues.push(deep::DROP_DANGER.at(slot * LEAST * 3 + danger));
        deep_clues.push(deep::DROP_CHECK.at(slot * CHECKS + check));
        deep_clues.push(deep::DROP_THREAT.at(slot * THREATS + threat));
        deep_clues.push(deep::DROP_RING.at((slot * RINGS + ring) * COVERS + cover));
        deep_clues.push(deep::DROP_LINES.at(slot * LINES + lines));
        deep_clues.push(deep::DROP_WEAK.at(slot * WEAK + weak));
        deep_clues.push(deep::DROP_GUARD.at(slot * GUARD + guard));
        let mut wide_clues = Clues::new();
        if let Some(relative) = place.from_enemy_king {
            deep_clues.push(deep::DROP_ENEMY_KING.at(slot * RELATIVE + relative));
            let in_danger = slot * LEAST * 3 + danger;
            wide_clues.push(wide::DROP_DANGER_NEAR.at(in_danger * DISTANCES + place.near));
        }
        wide_clues.push(wide::DROP_ON.at(slot * SQUARES + maps.seen(to)));
        wide_clues.push(wide::DROP_DANGER_CHECK.at((slot * LEAST * 3 + danger) * CHECKS + check));
        if let Some(relative) = place.from_own_king {
            wide_clues.push(wide::DROP_OWN_KING.at(slot * RELATIVE + relative));
            if maps.checkers.any() {
                let beside = usize::from(!maps.own_ring.contains(to));
                wide_clues
                    .push(wide::DROP_INTERPOSED.at((slot * LEAST * 3 + danger) * 3 + 1 + beside));
            }
        }
        if let (Some(last), Some(relative)) = (self.their_last, place.from_their_last) {
            wide_clues.push(wide::DROP_THEIR_LAST.at(slot * RELATIVE + relative));
            let hits = usize::from(reached.contains(last));
            let hit = usize::from(self.threatened.contains(to));
            wide_clues.push(wide::DROP_HITS_LAST.at(slot * 4 + hits + 2 * hit));
        }
        if let Some(relative) = place.from_own_last {
            wide_clues.push(wide::DROP_OWN_LAST.at(slot * RELATIVE + relative));
        }
        let class = ActionClass::drop(slot, check >= 4);
        sink.action(Ply::Drop { role, to }, class, &deep_clues, &wide_clues);
    }
}
