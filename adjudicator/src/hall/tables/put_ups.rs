//! Positions that directors have ordered to be put up again: the fact for the hub, and the board's squares meanwhile.

use referee::act::ActId;
use rules::{Bitboard, BoardId, Match, Seat};

use super::{
    Tables,
    orders::{Giving, Ordered},
};
use crate::hall::{Game, report::BoardNews};

/// Maximum number of positions of one match that are put up again.
const PUT_UPS_MAX: usize = 64;

/// A position that is put up again.
#[derive(Clone, Debug)]
pub struct PutUp {
    /// The act that ordered it.
    pub act: u64,
    /// The board.
    pub board: BoardId,
    /// Time of the order, microseconds of match time.
    pub t_us: u64,
    /// Time of the order, Unix milliseconds.
    pub at_ms: u64,
    /// Both boards when it was ordered.
    pub from: Match,
    /// Both boards once it is complete.
    pub to: Match,
    /// The occupied squares, as far as the board has reported since.
    pub read: Option<Bitboard>,
    /// Whether it is complete or was taken back.
    pub state: PutUpState,
}

/// Stage of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutUpState {
    /// Hands put it up.
    Waiting,
    /// The position is complete, and the match is followed from it; these squares read otherwise.
    Stands(Bitboard),
    /// The position was taken back, or another one took its place.
    Past,
}

impl Game {
    /// The positions that were put up again, oldest first.
    pub fn put_ups(&self) -> &[PutUp] {
        &self.put_ups
    }

    /// Adds the position that an act has ordered.
    fn put_up_of(&self, act: u64, at_ms: u64) -> Option<PutUp> {
        let found = self.referee().timeline().reinstated(ActId(act))?;
        Some(PutUp {
            act,
            board: found.board,
            t_us: found.t_us,
            at_ms,
            from: found.from.clone(),
            to: found.to.clone(),
            read: None,
            state: PutUpState::Waiting,
        })
    }

    /// The acts whose positions do not stand any more, each once.
    fn withdraw_put_ups(&mut self) -> Vec<u64> {
        let timeline = self.referee().timeline().clone();
        let gone = self.put_ups.iter_mut().filter(|put_up| {
            put_up.state != PutUpState::Past && timeline.reinstated(ActId(put_up.act)).is_none()
        });
        let withdrawn = gone.map(|put_up| {
            put_up.state = PutUpState::Past;
            put_up.act
        });
        withdrawn.collect()
    }

    /// Records a hub's report on a board.
    fn note_board(&mut self, board: BoardId, news: BoardNews) {
        let at_board = self.put_ups.iter_mut().filter(|put_up| put_up.board == board);
        match news {
            BoardNews::Read(occupied) => {
                let last = at_board.last();
                last.into_iter().for_each(|put_up| put_up.read = Some(occupied));
            }
            BoardNews::Stands(of_us, differing) => {
                let told = at_board
                    .filter(|put_up| put_up.t_us == of_us && put_up.state == PutUpState::Waiting);
                told.for_each(|put_up| put_up.state = PutUpState::Stands(differing));
            }
        }
    }
}

impl Tables {
    /// Orders the hub to go on from the position that an act has ordered, and no longer from one that it took back.
    pub(in crate::hall) fn follow_put_ups(&mut self, giving: &Giving<'_>, match_id: &str) {
        let Some(game) = self.matches.get_mut(match_id) else { return };
        let withdrawn = game.withdraw_put_ups();
        for (act, nth) in withdrawn.into_iter().zip(1..) {
            self.withdraw_fact(&Giving { nth, ..*giving }, match_id, act);
        }
        let Some(game) = self.matches.get_mut(match_id) else { return };
        let Some(put_up) = game.put_up_of(giving.act, giving.at_ms) else { return };
        if game.put_ups.len() >= PUT_UPS_MAX {
            return;
        }
        for before in game.put_ups.iter_mut().filter(|before| before.board == put_up.board) {
            if before.state == PutUpState::Waiting {
                before.state = PutUpState::Past;
            }
        }
        let (line, is_sensed) = (fact(match_id, &put_up), game.has(put_up.board));
        game.put_ups.push(put_up);
        if is_sensed {
            // Refused only where there are too many already: the page guides the hands all the same.
            drop(self.order(giving, match_id, Ordered::Fact(line), None));
        }
    }

    /// Handles a hub's report on a board on which a position is put up.
    pub(in crate::hall) fn note_board(
        &mut self,
        input: u64,
        hub: &str,
        match_id: &str,
        (board, news): (BoardId, BoardNews),
    ) -> Result<(), String> {
        let game = self.matches.get_mut(match_id).filter(|game| game.hub == hub);
        let game = game.ok_or_else(|| format!("match {match_id} is not this hub's"))?;
        game.note_board(board, news);
        game.changed_input = input;
        if let BoardNews::Stands(..) = news {
            self.desk_changed = input;
        }
        Ok(())
    }
}

/// The line of the fact.
fn fact(match_id: &str, put_up: &PutUp) -> String {
    let PutUp { board, t_us, to, .. } = put_up;
    let held = |board: BoardId| {
        let [white, black] =
            rules::Color::ALL.map(|color| to.reserve(Seat { board, color }).to_string());
        format!("[{white}{}]", black.to_lowercase())
    };
    let mut stands = serde_json::Map::new();
    stands.insert(board.to_string(), rules::fen::format_match_board(to, *board).into());
    if to.supply() == rules::Supply::Partner {
        stands.insert(board.other().to_string(), held(board.other()).into());
    }
    let line = serde_json::json!({
        "kind": "fact", "match": match_id, "board": board.to_string(), "t_us": t_us, "stands": stands,
    });
    line.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fact_tells_the_hub_the_position_and_what_both_boards_players_hold() {
        let mut to = Match::initial();
        to.reserve_mut(Seat { board: BoardId::B, color: rules::Color::Black })
            .add(rules::Role::Pawn);
        let put_up = PutUp {
            act: 4,
            board: BoardId::A,
            t_us: 5,
            at_ms: 6,
            from: Match::initial(),
            to,
            read: None,
            state: PutUpState::Waiting,
        };
        let told: serde_json::Value = serde_json::from_str(&fact("m", &put_up)).unwrap();
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1";
        assert_eq!(told["stands"], serde_json::json!({ "A": start, "B": "[p]" }));
        assert_eq!((&told["board"], &told["t_us"]), (&"A".into(), &5.into()));
        let chess = PutUp { to: Match::chess(), ..put_up };
        let told: serde_json::Value = serde_json::from_str(&fact("m", &chess)).unwrap();
        assert_eq!(told["stands"], serde_json::json!({ "A": start }));
    }
}
