//! Types of dropped pieces, by how often each is dropped in circumstances like these.
//!
//! A conditional logit: the weight of a role is the exponential of a sum of four clues (the role; its
//! rank as the dropping player sees the board; whether it would give check; the value of what it would
//! attack), and the probability of a role is its share of the weights of all roles held.
//!
//! The numbers were learnt from the 240 engine matches in `sim/games` (5,086 drops) by
//!
//! ```text
//! python3 sim/games/drop_roles.py --learn sim/games/engine-*.bpgn --test FILE.bpgn --weights attacks
//! ```
//!
//! and from nothing else. With the reserve known, the likeliest role was the right one in 79.8 % of the
//! 2,201 drops of 75 recorded online matches that were not learnt from (71.5 % of the 1,559 with a choice
//! of role; role frequencies alone: 59.0 % and 42.1 %).

use rules::{Bitboard, Ply, Position, RESERVE_ROLES, Reserve, Square};
use shakmaty::attacks;

use super::{ActionClass, ActionPrior, Recent, RoleSet, Survey, captures, survey::survey_by};
use crate::legality;

/// Rows: pawn, knight, bishop, rook, queen.
type Table<const N: usize> = [[f64; N]; 5];

const ROLE: Table<1> = [[0.351], [-0.247], [-0.134], [-0.607], [0.097]];
/// From the dropping player's first rank.
const RANK: Table<8> = [
    [0.000, 0.271, -0.553, -0.710, -0.198, 0.695, 0.676, 0.000],
    [-0.566, -0.532, 0.347, 0.059, 0.802, 0.185, -0.085, -0.280],
    [0.046, 0.550, 0.230, 0.299, 0.174, -0.216, -0.460, -0.575],
    [0.461, 0.252, 0.079, -0.187, -0.671, -0.492, -0.070, 0.448],
    [0.058, -0.543, -0.105, 0.537, -0.083, -0.192, -0.194, 0.408],
];
/// No check, check.
const CHECK: Table<2> =
    [[-0.502, 2.328], [-1.005, 1.512], [-1.118, 1.951], [-1.488, 1.673], [-0.846, 0.639]];
/// Value attacked, in pawns: below 3, below 6, below 9, more.
const ATTACK: Table<4> = [
    [-1.253, 0.218, 0.701, 1.033],
    [-0.580, -0.022, -0.102, 0.863],
    [-0.327, -0.202, -0.480, 1.054],
    [-0.505, 0.054, -0.297, 0.562],
    [0.614, 0.329, -0.419, -0.619],
];
/// Frequencies of dropped types and of captures, learnt from games.
#[derive(Clone, Debug)]
pub struct FrequencyPrior {
    role_and_rank: Table<8>,
    check: Table<2>,
    attack: Table<4>,
}

impl Default for FrequencyPrior {
    fn default() -> FrequencyPrior {
        let mut role_and_rank = exponentials(RANK);
        for (row, [role]) in role_and_rank.iter_mut().zip(exponentials(ROLE)) {
            row.iter_mut().for_each(|weight| *weight *= role);
        }
        FrequencyPrior { role_and_rank, check: exponentials(CHECK), attack: exponentials(ATTACK) }
    }
}

fn exponentials<const N: usize>(table: Table<N>) -> Table<N> {
    table.map(|row| row.map(libm::exp))
}

/// What a drop weighs beside a move, so that about one ply in five is a drop when pieces are held.
const DROP: f64 = 0.1;

impl ActionPrior for FrequencyPrior {
    fn survey(&self, position: &Position, recent: &Recent, roles: RoleSet) -> Survey {
        let drops: Vec<[f64; 5]> =
            Square::ALL.into_iter().map(|to| self.drop_weights(position, to)).collect();
        survey_by(position, roles, |ply, class| match ply {
            Ply::Drop { role, to } => {
                let slot = Reserve::slot(role).unwrap_or_default();
                (DROP * drops[usize::from(to)][slot]) as f32
            }
            Ply::Move { promotion, .. } => {
                let promoted = promotion.map_or(1.0, legality::promotion_weight);
                let captured = (class == ActionClass::CAPTURE)
                    .then(|| Self::capture_weight(position, ply, recent.by_opponent))
                    .flatten();
                (promoted * captured.unwrap_or(1.0)) as f32
            }
        })
    }
}

impl FrequencyPrior {
    /// For a drop by the side to move on `to`: how likely each role is, if the reserve held one of each.
    fn drop_weights(&self, position: &Position, to: Square) -> [f64; 5] {
        let (turn, board) = (position.turn(), position.board());
        let rank = usize::from(if turn.is_white() { to.rank() } else { to.flip_vertical().rank() });
        let enemies = board.by_color(turn.other());
        let occupied = position.occupied().with(to);
        let mut weights = [0.0; 5];
        for (slot, role) in RESERVE_ROLES.into_iter().enumerate() {
            let victims = attacks::attacks(to, role.of(turn), occupied) & enemies;
            let check = (victims & board.kings()).any();
            let value = value(position, victims);
            weights[slot] = self.role_and_rank[slot][rank]
                * self.check[slot][usize::from(check)]
                * self.attack[slot][(value / 3).min(3)];
        }
        weights
    }

    /// How likely a capture is beside others by the same piece; `arrived` is where the opponent's last ply
    /// was seen to arrive.
    fn capture_weight(position: &Position, ply: Ply, arrived: Bitboard) -> Option<f64> {
        captures::capture_clues(position, ply, arrived).map(captures::weight)
    }
}

/// What the pieces on these squares are worth, in pawns; a king counts nothing.
fn value(position: &Position, squares: Bitboard) -> usize {
    let board = position.board();
    let worth =
        [(board.pawns(), 1), (board.knights(), 3), (board.bishops(), 3), (board.rooks(), 5)];
    worth.into_iter().map(|(pieces, each)| (pieces & squares).count() * each).sum::<usize>()
        + (board.queens() & squares).count() * 9
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(fen_plies: &[&str], to: Square) -> [f64; 5] {
        let mut position = Position::initial();
        for ply in fen_plies {
            position.play(ply.parse().expect("a ply"));
        }
        let weights = FrequencyPrior::default().drop_weights(&position, to);
        let total: f64 = weights.iter().sum();
        weights.map(|weight| weight / total)
    }

    #[test]
    fn a_square_from_which_only_a_knight_checks_suggests_a_knight() {
        let [_, knight, ..] = shares(&[], Square::D6);
        assert!(knight > 0.5, "{knight}");
    }

    #[test]
    fn the_board_is_seen_by_the_player_who_drops() {
        let white = shares(&[], Square::E3);
        let black = shares(&["a2a3"], Square::E6);
        for (a, b) in white.iter().zip(black) {
            assert!((a - b).abs() < 1e-9);
        }
    }
}
