//! The clues of moves.

use rules::{Bitboard, Ply, Reserve, Role, Square};
use shakmaty::attacks;

use super::{
    super::{
        super::{ActionClass, Recent},
        maps::Maps,
        tables::{
            AROUND, CHECKS, COVERS, GUARD, LEAST, LINES, RELATIVE, RINGS, ROLES, SQUARES, THREATS,
            VICTIMS, WEAK, deep, wide,
        },
    },
    arrival::{Arrival, arrival},
    clues::Clues,
    counts::{index, threatened},
    sink::Sink,
    surroundings::surroundings,
};

/// Number of the special clue for a discovered check.
const DISCOVERED_CHECK: usize = 6;

/// The parts of a move that its clues use.
struct Step {
    /// Pawn to king, 0 to 5.
    role: usize,
    to: Square,
    /// 0 nothing, 1 pawn to 5 queen.
    victim: usize,
    /// 1 if the move captures the piece that arrived last.
    recapture: usize,
    /// Least attacker of the target, plus `LEAST` if another own piece protects it.
    danger: usize,
}

/// Room for moves at first. Bound: none, the list grows.
const USUAL_MOVES: usize = 64;

/// A number that sorts moves by the square left, by the target, and by the promotion.
fn by_squares(ply: Ply) -> u32 {
    match ply {
        Ply::Move { from, to, promotion } => {
            u32::from(from) << 16 | u32::from(to) << 8 | promotion.map_or(0, u32::from)
        }
        Ply::Drop { to, .. } => u32::MAX - u32::from(to),
    }
}

/// The moves of a position.
pub(super) struct Moves<'a> {
    maps: &'a Maps<'a>,
    theirs: Bitboard,
    their_last: Option<Square>,
    own_last: Option<Square>,
    /// Squares that the pieces of the opponent's last ply attack.
    threatened: Bitboard,
}

impl<'a> Moves<'a> {
    /// The moves of a position with these last arrivals.
    pub(super) fn new(maps: &'a Maps<'a>, recent: &Recent) -> Moves<'a> {
        Moves {
            maps,
            theirs: recent.by_opponent & maps.enemy,
            their_last: recent.by_opponent.first(),
            own_last: recent.by_mover.first(),
            threatened: threatened(maps, recent),
        }
    }

    /// Gives all legal moves to `sink`, piece by piece.
    pub(super) fn visit(&self, sink: &mut impl Sink) {
        let mut plies = Vec::with_capacity(USUAL_MOVES);
        self.maps.position.legal_plies(&Reserve::EMPTY, &mut plies);
        let mut plies: Vec<(u32, Ply)> =
            plies.into_iter().map(|ply| (by_squares(ply), ply)).collect();
        plies.sort_unstable_by_key(|&(squares, _)| squares);
        let mut group = None;
        for (_, ply) in plies {
            let Some(from) = ply.from() else { continue };
            let Some(role) = self.maps.position.board().role_at(from) else { continue };
            if group != Some(from) {
                group = Some(from);
                let mut around = Clues::new();
                surroundings(self.maps, from, self.maps.occupied, |at| {
                    around.push(wide::FROM_NEAR.at(index(role) * AROUND + at));
                });
                sink.group(&self.of_departure(role, from), &around, &[]);
            }
            self.visit_move(role, ply, sink);
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
        clues.push(deep::FROM_DANGER.at(index(role) + ROLES * (least + LEAST * protected)));
        clues.push(deep::FROM.at(index(role) * SQUARES + maps.seen(from)));
        clues.push(deep::FROM_RECENT.at(index(role) * 3 + recent));
        clues
    }

    fn visit_move(&self, role: Role, ply: Ply, sink: &mut impl Sink) {
        let Ply::Move { from, to, promotion } = ply else { return };
        let maps = self.maps;
        let in_passing = role == Role::Pawn && maps.position.en_passant() == Some(to);
        let victim = if in_passing {
            index(Role::Pawn) + 1
        } else {
            maps.position.board().role_at(to).map_or(0, |victim| index(victim) + 1)
        };
        let least = maps.by_enemy.least(to);
        // The moving piece attacks the target itself, unless it is a pawn that goes straight on.
        let straight = role == Role::Pawn && from.file() == to.file();
        let support = if straight { maps.by_own.once } else { maps.by_own.twice }.contains(to);
        let occupied = maps.occupied.without(from).with(to);
        let arriving = promotion.unwrap_or(role);
        let reached = attacks::attacks(to, arriving.of(maps.turn), occupied);
        let arrival = arrival(maps, arriving, to, (occupied, reached), least, support);
        let step = Step {
            role: index(role),
            to,
            victim,
            recapture: usize::from(self.theirs.contains(to)),
            danger: least + LEAST * usize::from(support),
        };
        let mut deep_clues = self.deep_clues(&step, &arrival);
        if let Some(special) = self.special(role, from, to, promotion) {
            deep_clues.push(deep::SPECIAL.at(special));
        }
        if maps.screens.contains(from)
            && maps.enemy_king.is_some_and(|king| !attacks::aligned(king, from, to))
        {
            deep_clues.push(deep::SPECIAL.at(DISCOVERED_CHECK));
        }
        let class = if victim > 0 { ActionClass::CAPTURE } else { ActionClass::QUIET };
        let mut wide_clues = self.wide_clues(&step, &arrival);
        surroundings(maps, to, maps.occupied.without(from), |at| {
            wide_clues.push(wide::TO_NEAR.at(step.role * AROUND + at));
        });
        sink.action(ply, class, &deep_clues, &wide_clues);
    }

    fn deep_clues(&self, step: &Step, arrival: &Arrival) -> Clues {
        let &Step { role, to, victim, recapture, danger } = step;
        let mut clues = Clues::new();
        clues.push(deep::TAKES.at(role + ROLES * (victim + VICTIMS * recapture)));
        clues.push(deep::TO_DANGER.at(role + ROLES * danger));
        clues.push(deep::TO.at(role * SQUARES + self.maps.seen(to)));
        if let Some(king) = self.maps.enemy_king {
            let relative = self.maps.relative(to, king);
            clues.push(deep::TO_ENEMY_KING.at(role * RELATIVE + relative));
        }
        clues.push(deep::MOVE_CHECK.at(role * CHECKS + arrival.check));
        clues.push(deep::MOVE_THREAT.at(role * THREATS + arrival.threat));
        clues.push(deep::MOVE_RING.at(role * RINGS + arrival.ring));
        clues.push(deep::MOVE_COVER.at(role * COVERS + arrival.cover));
        clues.push(deep::MOVE_LINES.at(role * LINES + arrival.lines));
        clues.push(deep::MOVE_WEAK.at(role * WEAK + arrival.weak));
        clues.push(deep::MOVE_GUARD.at(role * GUARD + arrival.guard));
        clues
    }

    fn wide_clues(&self, step: &Step, arrival: &Arrival) -> Clues {
        let &Step { role, to, victim, recapture, danger } = step;
        let mut clues = Clues::new();
        clues.push(
            wide::EXCHANGE.at(role + ROLES * (victim + VICTIMS * (danger + 2 * LEAST * recapture))),
        );
        let relative = |origin: Square| role * RELATIVE + self.maps.relative(to, origin);
        if let Some(king) = self.maps.own_king.filter(|_| role != index(Role::King)) {
            clues.push(wide::TO_OWN_KING.at(relative(king)));
        }
        if let Some(last) = self.their_last {
            clues.push(wide::TO_THEIR_LAST.at(relative(last)));
            let hits = usize::from(arrival.reached.contains(last));
            clues.push(wide::MOVE_HITS_LAST.at(role * 2 + hits));
        }
        if let Some(last) = self.own_last {
            clues.push(wide::TO_OWN_LAST.at(relative(last)));
        }
        clues
    }

    /// The special clue of a move: 0 and 1 castling, 2 to 5 a promotion; in check, 7 the capture of the checker, 8 a
    /// king's move, 9 a piece between.
    fn special(
        &self,
        role: Role,
        from: Square,
        to: Square,
        promotion: Option<Role>,
    ) -> Option<usize> {
        if let Some(promotion) = promotion {
            return Reserve::slot(promotion).map(|slot| slot + 1);
        }
        if role == Role::King {
            let files = i32::from(u8::from(to.file())) - i32::from(u8::from(from.file()));
            if files.abs() > 1 {
                return Some(if files > 0 { 0 } else { 1 });
            }
        }
        let checkers = self.maps.checkers;
        if checkers.is_empty() {
            return None;
        }
        Some(match role {
            // The king may take either of two checkers, and no order of the two is the same for both colours.
            _ if checkers.contains(to) => 7,
            Role::King => 8,
            _ => 9,
        })
    }
}
