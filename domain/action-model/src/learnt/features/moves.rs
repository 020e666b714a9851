//! The clues of moves.

use rules::{Ply, Reserve, Role, Square};
use shakmaty::attacks;

use super::{
    arrival::Arrival,
    counts::index,
    sink::{Clues, Sink},
    surroundings::surroundings,
};
use crate::{
    ActionClass,
    learnt::{
        maps::Maps,
        tables::{
            AROUND, CHECKS, COVERS, GUARD, LEAST, LINES, RELATIVE, RINGS, ROLES, SQUARES, THREATS,
            VICTIMS, WEAK, deep, wide,
        },
    },
};

/// Number of the special clue for a discovered check.
const DISCOVERED_CHECK: usize = 6;

/// Room for moves at first. Bound: none, the list grows.
const USUAL_MOVES: usize = 64;

/// Gives all legal moves to `sink`, piece by piece.
pub(super) fn visit(maps: &Maps<'_>, sink: &mut impl Sink) {
    let mut plies = Vec::with_capacity(USUAL_MOVES);
    maps.position.legal_plies(&Reserve::EMPTY, &mut plies);
    plies.sort_unstable();
    for of_piece in plies.chunk_by(|a, b| a.from() == b.from()) {
        let Some(from) = of_piece[0].from() else { continue };
        let Some(role) = maps.position.board().role_at(from) else { continue };
        let around: Clues = surroundings(maps, from, maps.occupied)
            .map(|at| wide::FROM_NEAR.at(index(role) * AROUND + at))
            .collect();
        sink.group(&of_departure(maps, index(role), from), &around, &[]);
        for &ply in of_piece {
            visit_move(maps, role, ply, sink);
        }
    }
}

fn of_departure(maps: &Maps<'_>, role: usize, from: Square) -> Clues {
    let danger = maps.by_enemy.least(from) + LEAST * usize::from(maps.by_own.once.contains(from));
    let recent = if maps.own_last == Some(from) {
        1
    } else if maps.threatened.contains(from) {
        2
    } else {
        0
    };
    let mut clues = Clues::new();
    clues.push(deep::FROM_DANGER.at(role + ROLES * danger));
    clues.push(deep::FROM.at(role * SQUARES + maps.seen(from)));
    clues.push(deep::FROM_RECENT.at(role * 3 + recent));
    clues
}

fn visit_move(maps: &Maps<'_>, moved: Role, ply: Ply, sink: &mut impl Sink) {
    let Ply::Move { from, to, promotion } = ply else { return };
    let in_passing = moved == Role::Pawn && maps.position.en_passant() == Some(to);
    let victim = in_passing.then_some(Role::Pawn).or(maps.position.board().role_at(to));
    // The moving piece attacks the target itself, unless it is a pawn that goes straight on.
    let straight = moved == Role::Pawn && from.file() == to.file();
    let support = if straight { maps.by_own.once } else { maps.by_own.twice }.contains(to);
    let left = maps.occupied.without(from);
    let arrival =
        Arrival::of(maps, promotion.unwrap_or(moved), to, left.with(to), usize::from(support));
    let recapture = usize::from(maps.theirs.contains(to));
    let (role, taken) = (index(moved), victim.map_or(0, usize::from));
    let relative = |origin: Square| role * RELATIVE + maps.relative(to, origin);
    let mut deep_clues = Clues::new();
    deep_clues.push(deep::TAKES.at(role + ROLES * (taken + VICTIMS * recapture)));
    deep_clues.push(deep::TO_DANGER.at(role + ROLES * arrival.danger));
    deep_clues.push(deep::TO.at(role * SQUARES + maps.seen(to)));
    deep_clues.extend(maps.enemy_king.map(|king| deep::TO_ENEMY_KING.at(relative(king))));
    deep_clues.push(deep::MOVE_CHECK.at(role * CHECKS + arrival.check));
    deep_clues.push(deep::MOVE_THREAT.at(role * THREATS + arrival.threat));
    deep_clues.push(deep::MOVE_RING.at(role * RINGS + arrival.ring));
    deep_clues.push(deep::MOVE_COVER.at(role * COVERS + arrival.cover));
    deep_clues.push(deep::MOVE_LINES.at(role * LINES + arrival.lines));
    deep_clues.push(deep::MOVE_WEAK.at(role * WEAK + arrival.weak));
    deep_clues.push(deep::MOVE_GUARD.at(role * GUARD + arrival.guard));
    deep_clues.extend(
        special(maps, moved, (from, to), promotion).map(|special| deep::SPECIAL.at(special)),
    );
    let aligned = |king: Square| attacks::aligned(king, from, to);
    if maps.screens.contains(from) && maps.enemy_king.is_some_and(|king| !aligned(king)) {
        deep_clues.push(deep::SPECIAL.at(DISCOVERED_CHECK));
    }
    let mut wide_clues = Clues::new();
    let exchange = taken + VICTIMS * (arrival.danger + 2 * LEAST * recapture);
    wide_clues.push(wide::EXCHANGE.at(role + ROLES * exchange));
    let own_king = maps.own_king.filter(|_| moved != Role::King);
    wide_clues.extend(own_king.map(|king| wide::TO_OWN_KING.at(relative(king))));
    if let Some(last) = maps.their_last {
        wide_clues.push(wide::TO_THEIR_LAST.at(relative(last)));
        let hits = usize::from(arrival.reached.contains(last));
        wide_clues.push(wide::MOVE_HITS_LAST.at(role * 2 + hits));
    }
    wide_clues.extend(maps.own_last.map(|last| wide::TO_OWN_LAST.at(relative(last))));
    let around = surroundings(maps, to, left);
    wide_clues.extend(around.map(|at| wide::TO_NEAR.at(role * AROUND + at)));
    let class = if victim.is_some() { ActionClass::CAPTURE } else { ActionClass::QUIET };
    sink.action(ply, class, &deep_clues, &wide_clues);
}

/// The special clue of a move: 0 and 1 castling, 2 to 5 a promotion; in check, 7 the capture of the checker, 8 a
/// king's move, 9 a piece between.
fn special(
    maps: &Maps<'_>,
    role: Role,
    (from, to): (Square, Square),
    promotion: Option<Role>,
) -> Option<usize> {
    if let Some(promotion) = promotion {
        return Reserve::slot(promotion).map(|slot| slot + 1);
    }
    if role == Role::King && from.file().distance(to.file()) > 1 {
        return Some(usize::from(to.file() < from.file()));
    }
    maps.checkers.any().then_some(match role {
        // The king may take either of two checkers, and no order of the two is the same for both colours.
        _ if maps.checkers.contains(to) => 7,
        Role::King => 8,
        _ => 9,
    })
}
