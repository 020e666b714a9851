//! Where each clue has its weights.
//!
//! A clue is a small number (a role and a square, say) in a table of its own; tables follow one
//! another in one numbering. *Deep* clues have a row of [`LANES`] weights each: rows are added up
//! for an action, and the sum goes through the hidden layer, where clues of position, square and
//! piece meet. *Wide* clues have one weight, added to the result. *Rows by role* have one weight
//! for each role that can be dropped, so that what stands around a square is looked at once for all
//! of them. Circumstances have one weight for each class of actions.

use super::super::ACTION_CLASSES;

/// Weights of a deep clue: the first is added to the result as it is, the others are hidden units.
pub(crate) const LANES: usize = 16;

/// Weights of a row by role: of the five roles that can be dropped, and three that are not used.
pub(crate) const ROLE_LANES: usize = 8;

/// Clues from `start`, `len` of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    start: usize,
    len: usize,
}

impl Table {
    const fn first(len: usize) -> Table {
        Table { start: 0, len }
    }

    const fn then(self, len: usize) -> Table {
        Table { start: self.start + self.len, len }
    }

    const fn end(self) -> usize {
        self.start + self.len
    }

    /// The number of the clue at `index`.
    pub(super) fn at(self, index: usize) -> u16 {
        debug_assert!(index < self.len, "{index} of {}", self.len);
        (self.start + index) as u16
    }
}

pub(super) const ROLES: usize = 6;
pub(super) const DROPS: usize = 5;
pub(super) const SQUARES: usize = 64;
/// Files apart and ranks ahead: see [`Maps::relative`](super::maps::Maps::relative).
pub(super) const RELATIVE: usize = 120;
/// Least attacker: none to king.
pub(super) const LEAST: usize = 6;
/// Victims: none to queen.
pub(super) const VICTIMS: usize = 6;
/// Flight squares left to the enemy king, 0 to 3: without check, or with it × who can take the
/// piece (3) × can be blocked (2).
pub(super) const CHECKS: usize = 4 + 4 * 3 * 2;
/// Most valuable victim attacked (5) × how many worth taking (3).
pub(super) const THREATS: usize = 5 * 3;
/// Squares beside the enemy king attacked, 0 to 3.
pub(super) const RINGS: usize = 4;
/// Most valuable own hanging piece that is protected: none to queen.
pub(super) const COVERS: usize = 5;

/// Own pieces protected (3) × what is pinned to: nothing, a queen, the king (3).
pub(super) const LINES: usize = 3 * 3;
/// Squares within two files and two ranks: files apart (0 to 2), ranks ahead (-2 to 2).
pub(super) const NEAR: usize = 3 * 5;
/// Pieces of the mover, pawn to king, and the opponent's.
pub(super) const KINDS: usize = 12;
/// The first piece further away in each direction: ahead, diagonally ahead, beside, diagonally
/// behind, behind.
pub(super) const AHEAD: usize = 5;
/// What stands around a square: near pieces, and the first ones further away.
pub(super) const AROUND: usize = (NEAR + AHEAD) * KINDS;
/// Squares beside the enemy king that only it protects: attacked by this piece and another (0 to
/// 2), by it alone (0 to 2).
pub(super) const WEAK: usize = 9;
/// Squares beside the own king that only it protects, attacked: protected (0 to 2); the square itself: not
/// beside the king, beside it, one of these.
pub(super) const GUARD: usize = 9;
/// Distance to the enemy king: 1, 2, 3, more.
pub(super) const DISTANCES: usize = 4;

/// Tables of deep clues.
pub(super) mod deep {
    use super::*;

    // Of the position.
    pub(crate) const CHECKED: Table = Table::first(3);
    pub(crate) const PIECES: Table = CHECKED.then(9);
    pub(crate) const OWN_KING: Table = PIECES.then(24);
    pub(crate) const ENEMY_KING: Table = OWN_KING.then(24);
    pub(crate) const OWN_RING: Table = ENEMY_KING.then(9);
    pub(crate) const ENEMY_RING: Table = OWN_RING.then(9);
    pub(crate) const ESCAPES: Table = ENEMY_RING.then(9);
    pub(crate) const OWN_HANGING: Table = ESCAPES.then(5);
    pub(crate) const ENEMY_HANGING: Table = OWN_HANGING.then(5);
    pub(crate) const HOME: Table = ENEMY_HANGING.then(9);
    // Of moves, by the square that is left.
    pub(crate) const FROM_DANGER: Table = HOME.then(ROLES * LEAST * 2);
    pub(crate) const FROM: Table = FROM_DANGER.then(ROLES * SQUARES);
    pub(crate) const FROM_RECENT: Table = FROM.then(ROLES * 3);
    // Of moves.
    pub(crate) const TAKES: Table = FROM_RECENT.then(ROLES * VICTIMS * 2);
    pub(crate) const TO_DANGER: Table = TAKES.then(ROLES * LEAST * 2);
    pub(crate) const TO: Table = TO_DANGER.then(ROLES * SQUARES);
    pub(crate) const TO_ENEMY_KING: Table = TO.then(ROLES * RELATIVE);
    pub(crate) const MOVE_CHECK: Table = TO_ENEMY_KING.then(ROLES * CHECKS);
    pub(crate) const MOVE_THREAT: Table = MOVE_CHECK.then(ROLES * THREATS);
    pub(crate) const MOVE_RING: Table = MOVE_THREAT.then(ROLES * RINGS);
    pub(crate) const MOVE_COVER: Table = MOVE_RING.then(ROLES * COVERS);
    pub(crate) const MOVE_LINES: Table = MOVE_COVER.then(ROLES * LINES);
    /// Castling short and long, promotion to four roles, discovered check, answers to check.
    pub(crate) const SPECIAL: Table = MOVE_LINES.then(12);
    // Of drops, by the square.
    pub(crate) const ON_DANGER: Table = SPECIAL.then(LEAST * 3);
    pub(crate) const ON: Table = ON_DANGER.then(SQUARES);
    pub(crate) const ON_ENEMY_KING: Table = ON.then(RELATIVE);
    pub(crate) const ON_OWN_KING: Table = ON_ENEMY_KING.then(RELATIVE);
    // Of drops.
    pub(crate) const DROP_DANGER: Table = ON_OWN_KING.then(DROPS * LEAST * 3);
    pub(crate) const DROP_CHECK: Table = DROP_DANGER.then(DROPS * CHECKS);
    pub(crate) const DROP_THREAT: Table = DROP_CHECK.then(DROPS * THREATS);
    pub(crate) const DROP_RING: Table = DROP_THREAT.then(DROPS * RINGS * COVERS);
    pub(crate) const DROP_LINES: Table = DROP_RING.then(DROPS * LINES);
    pub(crate) const DROP_ENEMY_KING: Table = DROP_LINES.then(DROPS * RELATIVE);
    // Of the position again: what stands around the kings.
    pub(crate) const OWN_KING_NEAR: Table = DROP_ENEMY_KING.then(NEAR * KINDS);
    pub(crate) const ENEMY_KING_NEAR: Table = OWN_KING_NEAR.then(NEAR * KINDS);
    // Of moves and of drops: squares around the kings that nothing else protects.
    pub(crate) const MOVE_WEAK: Table = ENEMY_KING_NEAR.then(ROLES * WEAK);
    pub(crate) const MOVE_GUARD: Table = MOVE_WEAK.then(ROLES * GUARD);
    pub(crate) const DROP_WEAK: Table = MOVE_GUARD.then(DROPS * WEAK);
    pub(crate) const DROP_GUARD: Table = DROP_WEAK.then(DROPS * GUARD);
    /// Of drops, by the square: what stands around it.
    pub(crate) const ON_AROUND: Table = DROP_GUARD.then(AROUND);
    pub(crate) const LAST: Table = ON_AROUND;
}

/// Tables of wide clues.
pub(super) mod wide {
    use super::*;

    pub(crate) const EXCHANGE: Table = Table::first(ROLES * VICTIMS * LEAST * 2 * 2);
    pub(crate) const TO_OWN_KING: Table = EXCHANGE.then(ROLES * RELATIVE);
    pub(crate) const TO_THEIR_LAST: Table = TO_OWN_KING.then(ROLES * RELATIVE);
    pub(crate) const TO_OWN_LAST: Table = TO_THEIR_LAST.then(ROLES * RELATIVE);
    pub(crate) const DROP_ON: Table = TO_OWN_LAST.then(DROPS * SQUARES);
    pub(crate) const DROP_OWN_KING: Table = DROP_ON.then(DROPS * RELATIVE);
    pub(crate) const DROP_THEIR_LAST: Table = DROP_OWN_KING.then(DROPS * RELATIVE);
    pub(crate) const DROP_OWN_LAST: Table = DROP_THEIR_LAST.then(DROPS * RELATIVE);
    pub(crate) const DROP_DANGER_CHECK: Table = DROP_OWN_LAST.then(DROPS * LEAST * 3 * CHECKS);
    pub(crate) const DROP_INTERPOSED: Table = DROP_DANGER_CHECK.then(DROPS * LEAST * 3 * 3);
    pub(crate) const DROP_DANGER_NEAR: Table = DROP_INTERPOSED.then(DROPS * LEAST * 3 * DISTANCES);
    /// Whether what arrived last is attacked from there (2) and attacks the square (2).
    pub(crate) const DROP_HITS_LAST: Table = DROP_DANGER_NEAR.then(DROPS * 4);
    pub(crate) const MOVE_HITS_LAST: Table = DROP_HITS_LAST.then(ROLES * 2);
    pub(crate) const TO_NEAR: Table = MOVE_HITS_LAST.then(ROLES * AROUND);
    pub(crate) const FROM_NEAR: Table = TO_NEAR.then(ROLES * AROUND);
    pub(crate) const LAST: Table = FROM_NEAR;
}

/// Tables of circumstances; each clue has a weight for every class of actions.
pub(super) mod circumstance {
    use super::*;

    /// Pieces held in all: 0, 1, 2, 3 to 4, 5 to 7, more.
    pub(crate) const HELD: Table = Table::first(6);
    /// Of each role: how many are held (1, 2, more) and whether one is fresh, read by its own drops only.
    pub(crate) const OF_ROLE: Table = HELD.then(6);
    /// Which roles are held, each held or not.
    pub(crate) const HELD_ROLE: Table = OF_ROLE.then(10);
    /// Pieces the opponent holds.
    pub(crate) const AGAINST: Table = HELD_ROLE.then(6);
    /// Which roles the opponent holds, each held or not.
    pub(crate) const AGAINST_ROLE: Table = AGAINST.then(10);
    /// Thought time, and whether anything is fresh.
    pub(crate) const THOUGHT: Table = AGAINST_ROLE.then(2 * 9);
    /// Time left.
    pub(crate) const LEFT: Table = THOUGHT.then(6);
    pub(crate) const LAST: Table = LEFT;
}

/// Rows by role: what stands around the square of a drop.
pub(crate) const BY_ROLE: usize = AROUND;

/// Deep clues.
pub(crate) const DEEP: usize = deep::LAST.end();
/// Wide clues.
pub(crate) const WIDE: usize = wide::LAST.end();
/// Clues of circumstances.
pub(crate) const CIRCUMSTANCES: usize = circumstance::LAST.end();

/// Where each part begins in the list of all weights: deep rows, hidden units' weights, wide clues,
/// circumstances, rows by role.
pub(crate) const OUT_START: usize = DEEP * LANES;
pub(crate) const WIDE_START: usize = OUT_START + LANES;
pub(crate) const CIRCUMSTANCE_START: usize = WIDE_START + WIDE;
/// All weights.
pub(crate) const BY_ROLE_START: usize = CIRCUMSTANCE_START + CIRCUMSTANCES * ACTION_CLASSES;
pub(crate) const WEIGHTS: usize = BY_ROLE_START + BY_ROLE * ROLE_LANES;

/// Sizes of all parts, by which weights of another layout are told.
pub(super) fn sizes() -> Vec<usize> {
    vec![LAYOUT, LANES, DEEP, WIDE, CIRCUMSTANCES, ACTION_CLASSES, BY_ROLE]
}

/// Raised when a clue changes its meaning while the tables keep their sizes.
const LAYOUT: usize = 3;
