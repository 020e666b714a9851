//! The clues of every action in a position.

use rules::{Bitboard, Ply, Position, RESERVE_ROLES, Reserve, Role, Square};
use shakmaty::attacks;
use smallvec::SmallVec;

use super::{
    super::{ActionClass, Recent, RoleSet, role_set::slot},
    maps::Maps,
    tables::{CHECKS, COVERS, LEAST, RELATIVE, RINGS, SQUARES, THREATS, VICTIMS, deep, wide},
};

/// Numbers of clues.
pub(crate) type Clues = SmallVec<[u16; 16]>;

/// Takes the clues of a position's actions. Actions that share clues come in groups: the moves of one
/// piece, the drops on one square.
pub(crate) trait Sink {
    /// Deep clues that all actions share.
    fn position(&mut self, deep: &[u16]);
    /// Deep clues that the actions to come share until the next group.
    fn group(&mut self, deep: &[u16]);
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

fn value(role: Role) -> usize {
    match role {
        Role::Pawn => 1,
        Role::Knight | Role::Bishop => 3,
        Role::Rook => 5,
        Role::Queen => 9,
        Role::King => 20,
    }
}

/// The most valuable of some pieces, kings excepted: 0 none, 1 pawn, 2 knight or bishop, 3 rook, 4 queen.
fn most_valuable(maps: &Maps<'_>, pieces: Bitboard) -> usize {
    let board = maps.position.board();
    let kinds = [board.queens(), board.rooks(), board.knights() | board.bishops(), board.pawns()];
    kinds.iter().position(|&kind| (kind & pieces).any()).map_or(0, |at| 4 - at)
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
    let home = Bitboard::from_rank(maps.turn.backrank()) & maps.own;
    clues.push(deep::HOME.at(home.count()));
    clues
}

/// What a piece arriving on a square does to the enemy.
struct Arrival {
    check: usize,
    threat: usize,
    ring: usize,
    cover: usize,
}

/// A piece of `role` on `to`, which attacks `reached`; `least` and `support` are the least enemy attacker
/// of the square and whether another own piece protects it.
fn arrival(
    maps: &Maps<'_>,
    role: Role,
    to: Square,
    occupied: Bitboard,
    least: usize,
    support: bool,
) -> Arrival {
    let reached = attacks::attacks(to, role.of(maps.turn), occupied);
    let check = match maps.enemy_king {
        Some(king) if reached.contains(king) => {
            let through = attacks::attacks(to, role.of(maps.turn), occupied.without(king));
            let escapes = (maps.escapes & !through).without(to).count().min(3);
            let takers = match (least, support) {
                (0, _) | (5, true) => 0,
                (5, false) => 1,
                _ => 2,
            };
            let blocked = !maps.enemy_ring.contains(to) && role != Role::Knight;
            1 + escapes + 4 * (takers + 3 * usize::from(blocked))
        }
        _ => 0,
    };
    let board = maps.position.board();
    let mut worth = reached & maps.enemy & !maps.by_enemy.once & !board.pawns();
    let dearer = match value(role) {
        1 => board.knights() | board.bishops() | board.rooks_and_queens(),
        3 => board.rooks_and_queens(),
        5 => board.queens(),
        _ => Bitboard::EMPTY,
    };
    worth = (worth | reached & maps.enemy & dearer) & !board.kings();
    let victims = reached & maps.enemy & !board.kings();
    Arrival {
        check,
        threat: most_valuable(maps, victims) + 5 * worth.count().min(2),
        ring: (reached & maps.enemy_ring).count().min(3),
        cover: most_valuable(maps, reached & maps.own_hanging),
    }
}

struct Moves<'a> {
    maps: &'a Maps<'a>,
    theirs: Bitboard,
    their_last: Option<Square>,
    own_last: Option<Square>,
    /// Squares that the pieces of the opponent's last ply attack.
    threatened: Bitboard,
}

impl<'a> Moves<'a> {
    fn new(maps: &'a Maps<'a>, recent: &Recent) -> Moves<'a> {
        let theirs = recent.by_opponent & maps.enemy;
        let board = maps.position.board();
        let mut threatened = Bitboard::EMPTY;
        for square in theirs {
            threatened |= board.attacks_from(square);
        }
        Moves {
            maps,
            theirs,
            their_last: recent.by_opponent.first(),
            own_last: recent.by_mover.first(),
            threatened,
        }
    }

    fn visit(&self, sink: &mut impl Sink) {
        let mut plies = Vec::with_capacity(64);
        self.maps.position.legal_plies(&Reserve::EMPTY, &mut plies);
        plies.sort_unstable();
        let mut group = None;
        for ply in plies {
            let Ply::Move { from, to, promotion } = ply else { continue };
            let Some(role) = self.maps.position.board().role_at(from) else { continue };
            if group != Some(from) {
                group = Some(from);
                sink.group(&self.of_departure(role, from));
            }
            self.visit_move(role, from, to, promotion, sink);
        }
    }

    fn of_departure(&self, role: Role, from: Square) -> Clues {
        let maps = self.maps;
        let least = maps.by_enemy.least(from);
        let protected = usize::from(maps.by_own.once.contains(from));
        let recent = if self.own_last == Some(from) {
            1
        } else if self.threatened.contains(from) {
            2
        } else {
            0
        };
        let mut clues = Clues::new();
        clues.push(deep::FROM_DANGER.at(index(role) + 6 * (least + LEAST * protected)));
        clues.push(deep::FROM.at(index(role) * SQUARES + maps.seen(from)));
        clues.push(deep::FROM_RECENT.at(index(role) * 3 + recent));
        clues
    }

    fn visit_move(
        &self,
        role: Role,
        from: Square,
        to: Square,
        promotion: Option<Role>,
        sink: &mut impl Sink,
    ) {
        let maps = self.maps;
        let role_index = index(role);
        let in_passing = role == Role::Pawn && maps.position.en_passant() == Some(to);
        let victim = if in_passing {
            1
        } else {
            maps.position.board().role_at(to).map_or(0, |victim| index(victim) + 1)
        };
        let least = maps.by_enemy.least(to);
        let straight = role == Role::Pawn && from.file() == to.file();
        let support = if straight { maps.by_own.once } else { maps.by_own.twice }.contains(to);
        let recapture = self.theirs.contains(to);
        let occupied = maps.occupied.without(from).with(to);
        let Arrival { check, threat, ring, cover } =
            arrival(maps, promotion.unwrap_or(role), to, occupied, least, support);
        let mut deep_clues = Clues::new();
        let danger = least + LEAST * usize::from(support);
        deep_clues
            .push(deep::TAKES.at(role_index + 6 * (victim + VICTIMS * usize::from(recapture))));
        deep_clues.push(deep::TO_DANGER.at(role_index + 6 * danger));
        deep_clues.push(deep::TO.at(role_index * SQUARES + maps.seen(to)));
        if let Some(king) = maps.enemy_king {
            deep_clues
                .push(deep::TO_ENEMY_KING.at(role_index * RELATIVE + maps.relative(to, king)));
        }
        deep_clues.push(deep::MOVE_CHECK.at(role_index * CHECKS + check));
        deep_clues.push(deep::MOVE_THREAT.at(role_index * THREATS + threat));
        deep_clues.push(deep::MOVE_RING.at(role_index * RINGS + ring));
        deep_clues.push(deep::MOVE_COVER.at(role_index * COVERS + cover));
        if let Some(special) = self.special(role, from, to, promotion) {
            deep_clues.push(deep::SPECIAL.at(special));
        }
        if maps.screens.contains(from)
            && maps.enemy_king.is_some_and(|king| !attacks::aligned(king, from, to))
        {
            deep_clues.push(deep::SPECIAL.at(6));
        }
        let mut wide_clues = Clues::new();
        wide_clues.push(wide::EXCHANGE.at(
            role_index + 6 * (victim + VICTIMS * (danger + 2 * LEAST * usize::from(recapture)))
        ));
        let relative = |origin: Square| role_index * RELATIVE + maps.relative(to, origin);
        if let Some(king) = maps.own_king.filter(|_| role != Role::King) {
            wide_clues.push(wide::TO_OWN_KING.at(relative(king)));
        }
        if let Some(last) = self.their_last {
            wide_clues.push(wide::TO_THEIR_LAST.at(relative(last)));
        }
        if let Some(last) = self.own_last {
            wide_clues.push(wide::TO_OWN_LAST.at(relative(last)));
        }
        let class = if victim > 0 { ActionClass::CAPTURE } else { ActionClass::QUIET };
        sink.action(Ply::Move { from, to, promotion }, class, &deep_clues, &wide_clues);
    }

    fn special(
        &self,
        role: Role,
        from: Square,
        to: Square,
        promotion: Option<Role>,
    ) -> Option<usize> {
        if let Some(promotion) = promotion {
            return slot(promotion).map(|slot| slot + 1);
        }
        if role == Role::King {
            let files = i32::from(u8::from(to.file())) - i32::from(u8::from(from.file()));
            if files.abs() > 1 {
                return Some(if files > 0 { 0 } else { 1 });
            }
        }
        let checker = self.maps.checkers.first()?;
        Some(match role {
            _ if checker == to => 7,
            Role::King => 8,
            _ => 9,
        })
    }
}

struct Drops<'a> {
    maps: &'a Maps<'a>,
    their_last: Option<Square>,
    own_last: Option<Square>,
}

impl<'a> Drops<'a> {
    fn new(maps: &'a Maps<'a>, recent: &Recent) -> Drops<'a> {
        Drops { maps, their_last: recent.by_opponent.first(), own_last: recent.by_mover.first() }
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

    fn visit(&self, roles: RoleSet, sink: &mut impl Sink) {
        if roles == RoleSet::NONE {
            return;
        }
        for to in self.targets() {
            sink.group(&self.of_square(to));
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
        let Arrival { check, threat, ring, cover } =
            arrival(maps, role, to, maps.occupied.with(to), least, support > 0);
        let mut deep_clues = Clues::new();
        deep_clues.push(deep::DROP_DANGER.at(slot * LEAST * 3 + danger));
        deep_clues.push(deep::DROP_CHECK.at(slot * CHECKS + check));
        deep_clues.push(deep::DROP_THREAT.at(slot * THREATS + threat));
        deep_clues.push(deep::DROP_RING.at((slot * RINGS + ring) * COVERS + cover));
        if let Some(king) = maps.enemy_king {
            deep_clues.push(deep::DROP_ENEMY_KING.at(slot * RELATIVE + maps.relative(to, king)));
        }
        let mut wide_clues = Clues::new();
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
        }
        if let Some(last) = self.own_last {
            wide_clues.push(wide::DROP_OWN_LAST.at(relative(last)));
        }
        let class = ActionClass::drop(slot, check > 0);
        sink.action(Ply::Drop { role, to }, class, &deep_clues, &wide_clues);
    }
}
