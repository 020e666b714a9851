//! Recorded matches as choices: the knowledge of the player, and the ply that was played.

use rules::{Bitboard, BoardId, Color, Match, Ply, Position, Seat, bpgn::BpgnGame, pgn::PgnGame};

use crate::{Circumstances, Recent, RoleSet};

/// A match of bughouse or a game of chess to learn from. It keeps only the needed parts, 24 bytes a ply.
#[derive(Clone, Debug)]
pub struct TrainingMatch {
    start: Match,
    base_ms: Option<u32>,
    plies: Vec<TrainingPly>,
    lesson: Lesson,
}

/// What the choices of a match teach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lesson {
    /// The ply among all possible ones, and the type of a drop, given its square.
    Plies,
    /// The type of a drop alone, given its square: at another game, other plies are good.
    DroppedRoles,
}

#[derive(Clone, Copy, Debug)]
struct TrainingPly {
    board: BoardId,
    color: Color,
    ply: Ply,
    clock_ms: Option<u32>,
    /// Time that the ply added to the clock, milliseconds: an increment, or the time of a period.
    gained_ms: u32,
}

fn milliseconds(ms: i64) -> Option<u32> {
    u32::try_from(ms.max(0)).ok()
}

/// One choice of a player.
#[derive(Clone, Debug)]
pub struct Example {
    /// The position of the player's board; the player is to move.
    pub position: Position,
    /// The squares on which the last plies arrived.
    pub recent: Recent,
    /// Reserves and clocks.
    pub circumstances: Circumstances,
    /// The ply that was played.
    pub played: Ply,
    /// What the choice teaches.
    pub lesson: Lesson,
}

impl TrainingMatch {
    /// A match of bughouse to learn from. None if its starting position cannot be read.
    #[must_use]
    pub fn new(game: &BpgnGame) -> Option<TrainingMatch> {
        let plies = game.plies.iter().map(|ply| TrainingPly {
            board: ply.board,
            color: ply.color,
            ply: ply.ply,
            clock_ms: ply.clock_ms.and_then(milliseconds),
            gained_ms: 0,
        });
        Some(TrainingMatch {
            start: game.start().ok()?,
            base_ms: game.base_ms().and_then(milliseconds),
            plies: plies.collect(),
            lesson: Lesson::Plies,
        })
    }

    /// A game of chess to learn from. None if its starting position cannot be read.
    #[must_use]
    pub fn chess(game: &PgnGame) -> Option<TrainingMatch> {
        let start = game.start_match().ok()?;
        let control = game.time_control().ok().flatten();
        let first = start.position(BoardId::A).turn();
        let plies = game.plies.iter().enumerate().map(|(at, ply)| {
            let number = u32::try_from(at / 2 + 1).unwrap_or(u32::MAX);
            let gained_ms = control.as_ref().map_or(0, |control| control.gain_ms(number, 0));
            TrainingPly {
                board: BoardId::A,
                color: if at % 2 == 0 { first } else { first.other() },
                ply: ply.ply,
                clock_ms: ply.clock_ms.and_then(milliseconds),
                gained_ms: u32::try_from(gained_ms).unwrap_or(u32::MAX),
            }
        });
        let base_ms = control.as_ref().and_then(|control| u32::try_from(control.start_ms()).ok());
        Some(TrainingMatch { plies: plies.collect(), start, base_ms, lesson: Lesson::Plies })
    }

    /// A game of crazyhouse, which teaches what is dropped where. None if it begins elsewhere than chess does, because nobody knows
    /// the reserves there.
    #[must_use]
    pub fn crazyhouse(game: &PgnGame) -> Option<TrainingMatch> {
        if game.has_set_up() {
            return None;
        }
        let plies = game.plies.iter().zip([Color::White, Color::Black].into_iter().cycle());
        let plies = plies.map(|(ply, color)| TrainingPly {
            board: BoardId::A,
            color,
            ply: ply.ply,
            clock_ms: None,
            gained_ms: 0,
        });
        Some(TrainingMatch {
            plies: plies.collect(),
            start: Match::initial(),
            base_ms: None,
            lesson: Lesson::DroppedRoles,
        })
    }

    /// What its choices teach.
    #[must_use]
    pub const fn lesson(&self) -> Lesson {
        self.lesson
    }

    /// Number of plies.
    #[must_use]
    pub fn count(&self) -> usize {
        self.plies.len()
    }

    /// Visits the choices of the match, in order. Illegal plies and plies out of turn are played but not visited,
    /// because nobody chose them among the legal ones.
    pub fn visit(&self, mut visit: impl FnMut(Example)) {
        let mut now = self.start.clone();
        let mut fresh = [RoleSet::NONE; 4];
        let mut clocks = [self.base_ms; 4];
        let mut recent = [[Bitboard::EMPTY; 2]; 2];
        for &TrainingPly { board, color, ply, clock_ms, gained_ms } in &self.plies {
            let seat = Seat { board, color };
            let in_turn = now.seat_to_move(board) == seat;
            now.set_turn(board, color);
            let [by_opponent, by_mover] = recent[board.index()];
            let (before, opponent) = (clocks[seat.index()], clocks[seat.opponent().index()]);
            let teaches = self.lesson == Lesson::Plies || ply.is_drop();
            if teaches && in_turn && now.illegality(board, ply).is_none() {
                visit(Example {
                    position: now.position(board).clone(),
                    recent: Recent { by_opponent, by_mover },
                    circumstances: Circumstances {
                        held: *now.reserve(seat),
                        fresh: fresh[seat.index()],
                        against: *now.reserve(seat.opponent()),
                        thought_ms: before
                            .zip(clock_ms)
                            .map(|(was, is)| was.saturating_add(gained_ms).saturating_sub(is)),
                        left_ms: before.zip(opponent).map(|(mover, other)| [mover, other]),
                    },
                    played: ply,
                    lesson: self.lesson,
                });
            }
            fresh[seat.index()] = RoleSet::NONE;
            clocks[seat.index()] = clock_ms;
            recent[board.index()] = [Bitboard::from_square(ply.to()), by_opponent];
            let captured = now.play(board, ply).captured;
            if let Some(captured) = captured
                && let Some(role) = captured.role_to_reserve
            {
                let partner = Seat { board: board.other(), color: captured.piece.color };
                let owner = match self.lesson {
                    Lesson::Plies => partner,
                    Lesson::DroppedRoles => seat,
                };
                if owner != partner {
                    now.reserve_mut(partner).take(role);
                    now.reserve_mut(owner).add(role);
                }
                fresh[owner.index()].add(role);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "[TimeControl \"60+0\"]\n\n1A. e4{59.0} 1a. d5{58.0} 2A. exd5{55.0} \
        1B. e3{58.5} 1b. P@e4{57.0} 2a. Qxd5{50.0}\n*";

    fn examples() -> Vec<Example> {
        let game = rules::bpgn::read(GAME.as_bytes()).remove(0).expect("a game");
        let mut examples = Vec::new();
        TrainingMatch::new(&game).expect("a start").visit(|example| examples.push(example));
        examples
    }

    #[test]
    fn an_example_knows_what_is_fresh_and_how_long_was_thought() {
        let examples = examples();
        assert_eq!(examples.len(), 6);
        let drop = &examples[4];
        assert_eq!(drop.played.to_string(), "P@e4");
        assert_eq!(drop.circumstances.held.total(), 1);
        assert_eq!(drop.circumstances.fresh, RoleSet::NONE.with(rules::Role::Pawn));
        assert_eq!(drop.circumstances.thought_ms, Some(3_000));
        assert_eq!(drop.circumstances.left_ms, Some([60_000, 58_500]));
    }

    #[test]
    fn an_example_knows_where_the_last_plies_arrived() {
        let examples = examples();
        let Recent { by_opponent, by_mover } = examples[5].recent;
        assert_eq!(by_opponent, Bitboard::from_square(rules::Square::D5));
        assert_eq!(by_mover, Bitboard::from_square(rules::Square::D5));
        assert_eq!(examples[0].recent, Recent::default());
    }

    #[test]
    fn game_of_chess_is_learnt_from_without_reserves_and_with_its_increments() {
        let text = "[TimeControl \"60+2\"]\n\n1. e4 {[%clk 0:00:59.0]} d5 {[%clk 0:01:02.0]} \
            2. exd5 {[%clk 0:00:55.0]} Qxd5 {[%clk 0:00:50.0]} *";
        let (game, error) = rules::pgn::read(text.as_bytes()).remove(0);
        assert_eq!(error, None);
        let mut examples = Vec::new();
        TrainingMatch::chess(&game).expect("a start").visit(|example| examples.push(example));
        let thought: Vec<_> = examples.iter().map(|e| e.circumstances.thought_ms).collect();
        assert_eq!(thought, [Some(3_000), Some(0), Some(6_000), Some(14_000)]);
        let empty = |e: &Example| e.circumstances.held == rules::Reserve::EMPTY;
        assert!(examples.iter().all(empty));
        assert_eq!(examples[3].played.to_string(), "d8d5");
    }
}
