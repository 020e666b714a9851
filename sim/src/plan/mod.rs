//! The plan of a match: the recorded game, with what the players' profile changes about
//! the plies themselves (the set-up, and illegal plies that nobody claims).
//!
//! # King and queen swapped at set-up
//!
//! A board whose king and queen are swapped on both sides is the mirror image of the ordinary one.
//! The recorded game is therefore played mirrored on it, a-file for h-file: every ply stays exactly
//! as legal as it was, and castling becomes the short castling to the queen's side that the
//! rulebook describes (`us-chess-bughouse-2018 8c`).

mod planned;
mod slips;

use rules::{BoardId, Game, Match, Ply, Position, Reserve};

pub(crate) use self::planned::PlannedPly;
use self::{planned::physical, slips::with_slips};
use crate::{
    RecordedGame, SimError, chance::Chance, players::Players, profile::Behaviour,
    recorded::RecordedPly,
};

/// Plan of a match.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// The boards as set up; of chess, board A counts alone.
    pub(crate) start: Match,
    /// Boards on which king and queen were swapped.
    pub(crate) swapped: [bool; 2],
    /// The plies in the order in which they are to be completed.
    pub(crate) plies: Vec<PlannedPly>,
    /// Whether the last of them takes a king as a claim, so that the match ends otherwise than recorded.
    pub(crate) is_claimed: bool,
}

impl Plan {
    /// Plans a match after a recorded game.
    ///
    /// # Errors
    ///
    /// If the record cannot be played by hands: a player out of turn, no piece where one is to be
    /// moved, a drop on an occupied square.
    pub(crate) fn new(
        game: &RecordedGame,
        players: &Players,
        chance: &Chance,
    ) -> Result<Plan, SimError> {
        let swapped = BoardId::ALL.map(|board| {
            boards_of(game.game).contains(&board)
                && chance.draw(board, 0, Behaviour::SetupSwapped)
                    < players.rate(Behaviour::SetupSwapped)
        });
        let set_up = |swapped: bool| match swapped {
            true => Position::initial_swapped(true, true),
            false => Position::initial(),
        };
        let start =
            Match::new(swapped.map(set_up), [Reserve::EMPTY; 4]).with_supply(game.game.supply());
        let recorded = recorded_plies(game, swapped);
        let baseline = check(&start, &recorded)?;
        let plies = with_slips(&start, &recorded, &baseline, players, chance);
        let mut end = start.clone();
        for ply in &plies {
            end.play(ply.board, ply.ply);
        }
        let has_both = |board| end.position(board).board().kings().count() == 2;
        let is_claimed = !BoardId::ALL.into_iter().all(has_both);
        Ok(Plan { start, swapped, plies, is_claimed })
    }
}

/// The boards on which a game is played.
pub(crate) fn boards_of(game: Game) -> &'static [BoardId] {
    &BoardId::ALL[..game.boards()]
}

fn recorded_plies(game: &RecordedGame, swapped: [bool; 2]) -> Vec<PlannedPly> {
    let plies = game.plies.iter().enumerate();
    plies
        .map(|(key, &RecordedPly { board, color, ply, think })| {
            let ply = if swapped[board.index()] { mirrored(ply) } else { ply };
            PlannedPly { board, color, ply, think, key, slip: false }
        })
        .collect()
}

fn mirrored(ply: Ply) -> Ply {
    match ply {
        Ply::Move { from, to, promotion } => {
            Ply::Move { from: from.flip_horizontal(), to: to.flip_horizontal(), promotion }
        }
        Ply::Drop { role, to } => Ply::Drop { role, to: to.flip_horizontal() },
    }
}

/// Replays the record; which plies are legal.
fn check(start: &Match, plies: &[PlannedPly]) -> Result<Vec<bool>, SimError> {
    let mut now = start.clone();
    let mut legal = Vec::with_capacity(plies.len());
    for (index, &PlannedPly { board, color, ply, .. }) in plies.iter().enumerate() {
        let position = now.position(board);
        let reason = if position.turn() != color {
            Some("it is the other side's turn")
        } else if !physical(position, ply) {
            Some("the pieces do not stand so that hands could make it")
        } else {
            None
        };
        if let Some(reason) = reason {
            return Err(SimError::Unplayable { number: index + 1, board, ply, reason });
        }
        legal.push(now.illegality(board, ply).is_none());
        now.play(board, ply);
    }
    Ok(legal)
}
