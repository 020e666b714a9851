//! The numbering of the clues, and so the place of their weights.
//!
//! A clue is a small number in a table of its own, for example a role and a square. The tables follow one another in
//! one numbering. There are four kinds:
//!
//! - *Deep* clues have a row of [`LANES`] weights. The rows of an action are added up, and the sum goes through the
//!   hidden layer, where clues of position, square and piece meet.
//! - *Wide* clues have one weight, which is added to the score.
//! - *Rows by role* have one weight for each role that can be dropped. So the surroundings of a square are computed
//!   once for all roles.
//! - Circumstances have one weight for each class of actions.
//!
//! The constants are sizes: they follow from the definition of each clue.

use super::super::ACTION_CLASSES;

/// Weights of a deep clue: the first is added to the score as it is, the others go to hidden units. Measured: 32 cost
/// twice the time for 0.006 nats (`docs/decisions/0006-action-model.md`).
pub(crate) const LANES: usize = 16;

/// Weights of a row by role: five roles can be dropped, and three unused lanes fill a vector.
pub(crate) const ROLE_LANES: usize = 8;

/// A table: `len` clues from number `start` on.
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

/// Roles, pawn to king.
pub(super) const ROLES: usize = 6;
/// Roles that can be dropped.
pub(super) const DROPS: usize = 5;
/// Squares, as the side to move sees them.
pub(super) const SQUARES: usize = 64;
/// Files apart and ranks ahead: see [`Maps::relative`](super::maps::Maps::relative).
pub(super) const RELATIVE: usize = 120;
/// Least attacker: none to king.
pub(super) const LEAST: usize = 6;
/// Victims: none to queen.
pub(super) const VICTIMS: usize = 6;
/// Flight squares that are left to the enemy king, 0 to 3: without check, or with check × who can take the piece (3)
/// × whether the check can be blocked (2).
pub(super) const CHECKS: usize = 4 + 4 * 3 * 2;
/// Most valuable victim that is attacked (5) × number of victims worth taking (3).
pub(super) const THREATS: usize = 5 * 3;
/// Attacked squares beside the enemy king, 0 to 3.
pub(super) const RINGS: usize = 4;
/// Most valuable own hanging piece that is protected: none to queen.
pub(super) const COVERS: usize = 5;

/// Own pieces that are protected (3) × the piece behind a pinned one: none, a queen, the king (3).
pub(super) const LINES: usize = 3 * 3;
/// Squares within two files and two ranks: files apart (0 to 2), ranks ahead (-2 to 2).
pub(super) const NEAR: usize = 3 * 5;
/// Pieces of the mover, pawn to king, and the opponent's.
pub(super) const KINDS: usize = 12;
/// Directions of the first piece further away: ahead, diagonally ahead, beside, diagonally behind, behind.
pub(super) const AHEAD: usize = 5;
/// Surroundings of a square: near pieces, and the first ones further away.
pub(super) const AROUND: usize = (NEAR + AHEAD) * KINDS;
/// Squares beside the enemy king that only the king protects: attacked by this piece and another one (0 to 2), by
/// this piece alone (0 to 2).
pub(super) const WEAK: usize = 9;
/// Attacked squares beside the own king that only the king protects: the piece protects 0 to 2 of them × its own
/// square is not beside the king, is beside it, or is one of them (3).
pub(super) const GUARD: usize = 9;
/// Distance to the enemy king: 1, 2, 3, more.
pub(super) const DISTANCES: usize = 4;

/// Tables of deep clues.
pub(super) mod deep {
    use super::*;

    // Of the position.
    /// Number of checkers, 0 to 2.
    pub(crate) const CHECKED: Table = Table::first(3);
    /// Pieces on the board by sixes, 0 to 8.
    pub(crate) const PIECES: Table = CHECKED.then(9);
    /// File of the own king × its rank: first, second, further (3).
    pub(crate) const OWN_KING: Table = PIECES.then(24);
    /// The same of the enemy king, from its own side.
    pub(crate) const ENEMY_KING: Table = OWN_KING.then(24);
    /// Squares beside the own king that the enemy attacks, 0 to 8.
    pub(crate) const OWN_RING: Table = ENEMY_KING.then(9);
    /// Squares beside the enemy king that own pieces attack, 0 to 8.
    pub(crate) const ENEMY_RING: Table = OWN_RING.then(9);
    /// Flight squares of the enemy king, 0 to 8.
    pub(crate) const ESCAPES: Table = ENEMY_RING.then(9);
    /// Most valuable own hanging piece, none to queen.
    pub(crate) const OWN_HANGING: Table = ESCAPES.then(5);
    /// Most valuable hanging piece of the enemy, none to queen.
    pub(crate) const ENEMY_HANGING: Table = OWN_HANGING.then(5);
    /// Own pieces on the own back rank, 0 to 8.
    pub(crate) const HOME: Table = ENEMY_HANGING.then(9);
    // Of moves, by the square that is left.
    /// Role × least attacker of the square × whether own pieces protect it (2).
    pub(crate) const FROM_DANGER: Table = HOME.then(ROLES * LEAST * 2);
    /// Role × square.
    pub(crate) const FROM: Table = FROM_DANGER.then(ROLES * SQUARES);
    /// Role × no relation to the last plies, the piece of the own last ply, attacked by the enemy's last piece (3).
    pub(crate) const FROM_RECENT: Table = FROM.then(ROLES * 3);
    // Of moves.
    /// Role × victim × whether the victim arrived last (2).
    pub(crate) const TAKES: Table = FROM_RECENT.then(ROLES * VICTIMS * 2);
    /// Role × least attacker of the target × whether another own piece protects it (2).
    pub(crate) const TO_DANGER: Table = TAKES.then(ROLES * LEAST * 2);
    /// Role × target.
    pub(crate) const TO: Table = TO_DANGER.then(ROLES * SQUARES);
    /// Role × direction of the target from the enemy king.
    pub(crate) const TO_ENEMY_KING: Table = TO.then(ROLES * RELATIVE);
    /// Role × check.
    pub(crate) const MOVE_CHECK: Table = TO_ENEMY_KING.then(ROLES * CHECKS);
    /// Role × threat.
    pub(crate) const MOVE_THREAT: Table = MOVE_CHECK.then(ROLES * THREATS);
    /// Role × attacked squares beside the enemy king.
    pub(crate) const MOVE_RING: Table = MOVE_THREAT.then(ROLES * RINGS);
    /// Role × most valuable own hanging piece that the move protects.
    pub(crate) const MOVE_COVER: Table = MOVE_RING.then(ROLES * COVERS);
    /// Role × protected pieces and pins.
    pub(crate) const MOVE_LINES: Table = MOVE_COVER.then(ROLES * LINES);
    /// Castling short and long, promotion to four roles, discovered check, answers to check.
    pub(crate) const SPECIAL: Table = MOVE_LINES.then(12);
    // Of drops, by the square.
    /// Least attacker of the square × how often own pieces protect it (3).
    pub(crate) const ON_DANGER: Table = SPECIAL.then(LEAST * 3);
    /// The square.
    pub(crate) const ON: Table = ON_DANGER.then(SQUARES);
    /// Direction of the square from the enemy king.
    pub(crate) const ON_ENEMY_KING: Table = ON.then(RELATIVE);
    /// Direction of the square from the own king.
    pub(crate) const ON_OWN_KING: Table = ON_ENEMY_KING.then(RELATIVE);
    // Of drops.
    /// Role × least attacker × how often own pieces protect the square (3).
    pub(crate) const DROP_DANGER: Table = ON_OWN_KING.then(DROPS * LEAST * 3);
    /// Role × check.
    pub(crate) const DROP_CHECK: Table = DROP_DANGER.then(DROPS * CHECKS);
    /// Role × threat.
    pub(crate) const DROP_THREAT: Table = DROP_CHECK.then(DROPS * THREATS);
    /// Role × attacked squares beside the enemy king × most valuable own hanging piece that the drop protects.
    pub(crate) const DROP_RING: Table = DROP_THREAT.then(DROPS * RINGS * COVERS);
    /// Role × protected pieces and pins.
    pub(crate) const DROP_LINES: Table = DROP_RING.then(DROPS * LINES);
    /// Role × direction from the enemy king.
    pub(crate) const DROP_ENEMY_KING: Table = DROP_LINES.then(DROPS * RELATIVE);
    // Of the position again: the surroundings of the kings.
    /// Place near the own king × kind of the piece there.
    pub(crate) const OWN_KING_NEAR: Table = DROP_ENEMY_KING.then(NEAR * KINDS);
    /// Place near the enemy king × kind of the piece there.
    pub(crate) const ENEMY_KING_NEAR: Table = OWN_KING_NEAR.then(NEAR * KINDS);
    // Of moves and of drops: squares around the kings that only the king protects.
    /// Role × weak squares beside the enemy king.
    pub(crate) const MOVE_WEAK: Table = ENEMY_KING_NEAR.then(ROLES * WEAK);
    /// Role × weak squares beside the own king.
    pub(crate) const MOVE_GUARD: Table = MOVE_WEAK.then(ROLES * GUARD);
    /// Role × weak squares beside the enemy king.
    pub(crate) const DROP_WEAK: Table = MOVE_GUARD.then(DROPS * WEAK);
    /// Role × weak squares beside the own king.
    pub(crate) const DROP_GUARD: Table = DROP_WEAK.then(DROPS * GUARD);
    /// Of drops, by the square: its surroundings.
    pub(crate) const ON_AROUND: Table = DROP_GUARD.then(AROUND);
}

/// Tables of wide clues.
pub(super) mod wide {
    use super::*;

    /// Role × victim × least attacker of the target × protection (2) × whether the victim arrived last (2).
    pub(crate) const EXCHANGE: Table = Table::first(ROLES * VICTIMS * LEAST * 2 * 2);
    /// Role × direction of the target from the own king. Moves of the king have none.
    pub(crate) const TO_OWN_KING: Table = EXCHANGE.then(ROLES * RELATIVE);
    /// Role × direction of the target from the arrival of the opponent's last ply.
    pub(crate) const TO_THEIR_LAST: Table = TO_OWN_KING.then(ROLES * RELATIVE);
    /// Role × direction of the target from the arrival of the own last ply.
    pub(crate) const TO_OWN_LAST: Table = TO_THEIR_LAST.then(ROLES * RELATIVE);
    /// Role × square.
    pub(crate) const DROP_ON: Table = TO_OWN_LAST.then(DROPS * SQUARES);
    /// Role × direction from the own king.
    pub(crate) const DROP_OWN_KING: Table = DROP_ON.then(DROPS * RELATIVE);
    /// Role × direction from the arrival of the opponent's last ply.
    pub(crate) const DROP_THEIR_LAST: Table = DROP_OWN_KING.then(DROPS * RELATIVE);
    /// Role × direction from the arrival of the own last ply.
    pub(crate) const DROP_OWN_LAST: Table = DROP_THEIR_LAST.then(DROPS * RELATIVE);
    /// Role × least attacker × how often own pieces protect the square (3) × check.
    pub(crate) const DROP_DANGER_CHECK: Table = DROP_OWN_LAST.then(DROPS * LEAST * 3 * CHECKS);
    /// In check: role × least attacker × protections (3) × unused, beside the own king, further away (3).
    pub(crate) const DROP_INTERPOSED: Table = DROP_DANGER_CHECK.then(DROPS * LEAST * 3 * 3);
    /// Role × least attacker × protections (3) × distance to the enemy king.
    pub(crate) const DROP_DANGER_NEAR: Table = DROP_INTERPOSED.then(DROPS * LEAST * 3 * DISTANCES);
    /// Whether the drop attacks the piece that arrived last (2), and whether that piece attacks the square (2).
    pub(crate) const DROP_HITS_LAST: Table = DROP_DANGER_NEAR.then(DROPS * 4);
    /// Role × whether the move attacks the piece that arrived last (2).
    pub(crate) const MOVE_HITS_LAST: Table = DROP_HITS_LAST.then(ROLES * 2);
    /// Role × surroundings of the target.
    pub(crate) const TO_NEAR: Table = MOVE_HITS_LAST.then(ROLES * AROUND);
    /// Role × surroundings of the square that is left.
    pub(crate) const FROM_NEAR: Table = TO_NEAR.then(ROLES * AROUND);
}

/// Tables of circumstances; each clue has a weight for every class of actions.
pub(super) mod circumstance {
    use super::*;

    /// Pieces held in all: 0, 1, 2, 3 to 4, 5 to 7, more.
    pub(crate) const HELD: Table = Table::first(6);
    /// Of each role: number held (1, 2, more) and whether one is fresh. Only the role's own drops use it.
    pub(crate) const OF_ROLE: Table = HELD.then(6);
    /// For each role, whether it is held.
    pub(crate) const HELD_ROLE: Table = OF_ROLE.then(10);
    /// Pieces the opponent holds.
    pub(crate) const AGAINST: Table = HELD_ROLE.then(6);
    /// For each role, whether the opponent holds it.
    pub(crate) const AGAINST_ROLE: Table = AGAINST.then(10);
    /// Thought time, and whether any piece is fresh.
    pub(crate) const THOUGHT: Table = AGAINST_ROLE.then(2 * 9);
    /// The mover's remaining time.
    pub(crate) const LEFT: Table = THOUGHT.then(6);
}

/// Rows by role: the surroundings of the square of a drop.
pub(crate) const BY_ROLE: usize = AROUND;

/// Deep clues: up to the end of their last table.
pub(crate) const DEEP: usize = deep::ON_AROUND.end();
/// Wide clues: up to the end of their last table.
pub(crate) const WIDE: usize = wide::FROM_NEAR.end();
/// Clues of circumstances: up to the end of their last table.
pub(crate) const CIRCUMSTANCES: usize = circumstance::LEFT.end();

/// Sizes of all parts. They tell weights of another layout apart.
pub(super) const SIZES: [usize; 7] =
    [LAYOUT, LANES, DEEP, WIDE, CIRCUMSTANCES, ACTION_CLASSES, BY_ROLE];

/// Version of the layout. Raise it when a clue changes its meaning and the tables keep their sizes.
const LAYOUT: usize = 3;
