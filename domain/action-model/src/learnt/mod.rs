//! ```text
//! weight(action) ∝ exp(score(action))             score: `score.rs`, a network with one hidden layer
//! factor(class)  = exp(Σ over clues c of the circumstances of w(c, class))
//! ```
//!
//! A conditional logit learnt from games. Clues about the position, the square and the piece give the score of an
//! action. Clues about reserves, arrivals and clocks give the factor of its class.

mod circumstances;
mod exponential;
mod features;
mod maps;
mod score;
mod tables;
mod weights;

pub(super) use circumstances::CircumstanceClues;
pub use weights::{Weights, WeightsError};
#[cfg(feature = "training")]
pub(super) use {
    exponential::exp,
    features::{Sink, visit},
    tables::{LANES, ROLE_LANES},
};

use rules::{Game, Position};

use self::score::Steps;
use super::{ActionWeights, Circumstances, Factors, Recent, RoleSet};

/// A model of the players' choices. It is pure: equal arguments give equal numbers, bit for bit, on every machine.
#[derive(Clone, Debug)]
pub struct ActionPrior {
    pub(super) weights: Weights,
    /// The same weights in whole steps, for weighing actions.
    steps: Steps,
}

/// The weights for bughouse. Fitted: on 9,834 matches of an engine against itself, then on 75 recorded
/// matches (`docs/decisions/0006-action-model.md`).
const SHIPPED: &[u8] = include_bytes!("../../weights/shipped.weights");
/// The weights from which training starts if the recorded matches must stay unseen. Fitted: on the 9,834 matches of
/// an engine against itself.
const BASE: &[u8] = include_bytes!("../../weights/base.weights");
/// The weights for chess. Fitted: the base, tuned on 120 engine games and then on 137 recorded games of chess.
const CHESS: &[u8] = include_bytes!("../../weights/chess.weights");
/// The weights for chess from which training starts. Fitted: the base, tuned on the 120 engine games.
const CHESS_BASE: &[u8] = include_bytes!("../../weights/chess-base.weights");

impl Weights {
    /// The weights for a game that ship with the program, trained on all games at hand.
    #[must_use]
    pub fn of(game: Game) -> Weights {
        match game {
            Game::Bughouse => included(SHIPPED),
            Game::Chess => included(CHESS),
        }
    }

    /// The weights from which training for a game starts, trained on games of an engine against itself only. So no
    /// recorded game has been seen, and each can serve for measuring.
    #[must_use]
    pub fn base_of(game: Game) -> Weights {
        match game {
            Game::Bughouse => included(BASE),
            Game::Chess => included(CHESS_BASE),
        }
    }
}

/// Weights that are part of the program and never come from outside. A test reads every file. A program whose own
/// weights cannot be read must not go on without knowledge, so this panics.
fn included(bytes: &[u8]) -> Weights {
    Weights::from_bytes(bytes).expect("the weights that ship can be read")
}

impl ActionPrior {
    /// A prior with these weights.
    #[must_use]
    pub fn new(weights: Weights) -> ActionPrior {
        ActionPrior { steps: Steps::of(&weights), weights }
    }

    /// The prior with the weights for a game that ship with the program.
    #[must_use]
    pub fn of(game: Game) -> ActionPrior {
        ActionPrior::new(Weights::of(game))
    }

    /// The weights of all actions of the side to move, with drops as if one piece of each of `roles` were held.
    #[must_use]
    pub fn action_weights(
        &self,
        position: &Position,
        recent: &Recent,
        roles: RoleSet,
    ) -> ActionWeights {
        self.steps.weigh(position, recent, roles)
    }

    /// The prior without any knowledge of players: every action is equally likely.
    #[must_use]
    pub fn uniform() -> ActionPrior {
        ActionPrior::new(Weights::zero())
    }

    /// The factor of each class of actions in the circumstances of a joint hypothesis. Finite and above 0.
    #[must_use]
    pub fn factors(&self, circumstances: &Circumstances) -> Factors {
        let clues = CircumstanceClues::of(circumstances);
        clues.sums(&self.weights.circumstances).map(|sum| f64::from(exponential::exp(sum)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rules::{
        Bitboard, Board, CastlingRights, CastlingSide, Color, Ply, Position, Role, Square,
    };

    use super::*;
    use crate::{
        Recent, RoleSet,
        action_weights::tests::{NO_FACTORS, legal_actions, share},
    };

    #[test]
    fn the_weights_that_come_with_the_program_can_be_read() {
        for bytes in [SHIPPED, BASE, CHESS, CHESS_BASE] {
            let weights = Weights::from_bytes(bytes).expect("readable weights");
            assert_ne!(weights.wide, Weights::zero().wide);
        }
    }

    /// The same position with the colours exchanged.
    fn mirrored(position: &Position) -> Position {
        let mut board = Board::empty();
        for (square, piece) in position.board() {
            let piece = rules::Piece { color: piece.color.other(), ..piece };
            board.set_piece_at(square.flip_vertical(), piece);
        }
        let mut rights = CastlingRights::NONE;
        for color in Color::ALL {
            for side in [CastlingSide::KingSide, CastlingSide::QueenSide] {
                if position.castling_rights().has(color, side) {
                    rights = rights.with(color.other(), side);
                }
            }
        }
        Position::from_board(
            board,
            position.promoted().flip_vertical(),
            position.turn().other(),
            rights,
            position.en_passant().map(Square::flip_vertical),
        )
    }

    fn mirrored_ply(ply: Ply) -> Ply {
        match ply {
            Ply::Drop { role, to } => Ply::Drop { role, to: to.flip_vertical() },
            Ply::Move { from, to, promotion } => {
                Ply::Move { from: from.flip_vertical(), to: to.flip_vertical(), promotion }
            }
        }
    }

    proptest! {
        #[test]
        fn both_colours_choose_alike(choices in proptest::collection::vec(any::<u16>(), 0..50)) {
            let mut position = Position::initial();
            let mut recent = Recent::default();
            for choice in choices {
                let plies = legal_actions(&position, RoleSet::ALL);
                if plies.is_empty() {
                    break;
                }
                let ply = plies[usize::from(choice) % plies.len()];
                position.play(ply);
                recent = Recent {
                    by_opponent: Bitboard::from_square(ply.to()),
                    by_mover: recent.by_opponent,
                };
            }
            let other = Recent {
                by_opponent: recent.by_opponent.flip_vertical(),
                by_mover: recent.by_mover.flip_vertical(),
            };
            let prior = ActionPrior::of(Game::Bughouse);
            let weights = prior.action_weights(&position, &recent, RoleSet::ALL);
            let reflected = prior.action_weights(&mirrored(&position), &other, RoleSet::ALL);
            for ply in legal_actions(&position, RoleSet::ALL) {
                let (found, expected) = (reflected.weight(mirrored_ply(ply)), weights.weight(ply));
                prop_assert_eq!(found, expected, "{}", ply);
            }
        }
    }

    /// A king between two checkers that takes one of them.
    #[test]
    fn a_checker_is_taken_alike_by_both_colours_whichever_of_two_it_is() {
        let fen = "4k3/8/8/4q3/8/3b4/4K3/8 w - - 0 1";
        let position = rules::fen::parse_chess(fen).expect("a position");
        let (prior, recent) = (ActionPrior::of(Game::Bughouse), Recent::default());
        let ply: Ply = "e2d3".parse().expect("a ply");
        let weight = |position: &Position, ply| {
            prior
                .action_weights(position, &recent, RoleSet::NONE)
                .weight(ply)
                .map(|found| found.weight)
        };
        let expected = weight(&position, ply);
        assert!(expected.is_some());
        assert_eq!(weight(&mirrored(&position), mirrored_ply(ply)), expected);
    }

    fn share_after(plies: &str, ply: &str, held: RoleSet) -> f64 {
        let mut position = Position::initial();
        for ply in plies.split_whitespace() {
            position.play(ply.parse().expect("a ply"));
        }
        let ply: Ply = ply.parse().expect("a ply");
        let prior = ActionPrior::of(Game::Bughouse);
        let weights = prior.action_weights(&position, &Recent::default(), held);
        share(&weights, ply, &NO_FACTORS, held)
    }

    #[test]
    fn a_mate_is_played_and_a_queen_is_not_given_away() {
        let scholars = "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6";
        let mate = share_after(scholars, "h5f7", RoleSet::NONE);
        assert!(mate > 10.0 * share_after(scholars, "h5h6", RoleSet::NONE), "{mate}");
    }

    #[test]
    fn a_drop_that_mates_speaks_for_the_piece_that_mates() {
        // The knight's check on f7 is mate.
        let plies = "e2e4 f7f5 a2a3 g8f6 a3a4 e7e6 a4a5 f8e7 a5a6 e8g8 h2h3 g8h8 h3h4 f8g8";
        let held = RoleSet::NONE.with(Role::Knight).with(Role::Bishop);
        let [knight, bishop] = ["N@f7", "B@f7"].map(|drop| share_after(plies, drop, held));
        assert!(knight > 3.0 * bishop, "{knight} {bishop}");
    }
}
