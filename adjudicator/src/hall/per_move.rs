//! What a clock gives for each move once a director has changed it: to the clock, and as a fact to whoever follows the match.
//!
//! The fact goes down with the order and not after it, so that nobody is accused of what the clock shows in between.

use proto::link::MAX_DELAY_MS;
use rules::{
    BoardId, PerMove,
    rulebook::{Topic, terms::DelayKinds},
};

use super::{
    Game, Hall,
    orders::{ClockChange, Giving, Ordered},
};

impl Game {
    /// What a board's clock gives for each move: by the time control, or by what was carried out since.
    pub fn per_move(&self, board: BoardId) -> PerMove {
        let done = self.orders.iter().rev().filter(|order| order.is_carried_out());
        let mut changes = done.filter_map(|order| self.gives(board, &order.what));
        changes.next().unwrap_or(self.time.per_move())
    }

    /// What a board's clock gives once this is carried out, if that changes it.
    fn gives(&self, board: BoardId, what: &Ordered) -> Option<PerMove> {
        match what {
            Ordered::Clock(at, ClockChange::Delay(per_move)) if *at == board => Some(*per_move),
            Ordered::Clock(at, ClockChange::SetAnew) if *at == board => Some(self.time.per_move()),
            _ => None,
        }
    }

    /// A delay that can be ordered.
    pub(super) fn delay_change(&self, per_move: PerMove) -> Result<ClockChange, String> {
        let most_s = MAX_DELAY_MS / 1_000;
        if per_move.increment_s().max(per_move.delay_s()) > most_s {
            return Err(format!("a clock gives from 0 to {most_s} s for each move: give less"));
        }
        let book = self.rulebook.book();
        let adds_up = |per_move: PerMove| per_move.increment_s() > 0;
        // Where the event itself plays with an increment, its book was left already.
        if adds_up(per_move)
            && !adds_up(self.time.per_move())
            && book.terms.time.kinds == DelayKinds::NoneThatAddsUp
        {
            let rule =
                book.cite(Topic::DelayKind).map_or_else(String::new, |cite| format!(" ({cite})"));
            return Err(format!(
                "the delay of this rulebook does not add up{rule}: give a delay or a Bronstein delay"
            ));
        }
        Ok(ClockChange::Delay(per_move))
    }
}

impl Hall {
    /// Tells whoever follows the match what a clock will give for each move, if an order changes it.
    pub(super) fn tell_per_move(
        &mut self,
        giving: &Giving<'_>,
        match_id: &str,
        board: BoardId,
        change: ClockChange,
    ) {
        let Some(game) = self.matches.get(match_id) else { return };
        let is_delay = |order: &Ordered| matches!(order, Ordered::Clock(at, ClockChange::Delay(_)) if *at == board);
        let what = Ordered::Clock(board, change);
        let was_changed = game.orders.iter().any(|order| is_delay(&order.what));
        let Some(per_move) = game.gives(board, &what).filter(|_| is_delay(&what) || was_changed)
        else {
            return;
        };
        let line = serde_json::json!({
            "kind": "fact", "match": match_id, "board": board.to_string(), "t_us": game.heard_us(), "per_move": per_move,
        });
        // Refused only where there are too many already: then the clock order is refused, too.
        drop(self.order(
            &Giving { nth: 1, ..*giving },
            match_id,
            Ordered::Fact(line.to_string()),
            None,
        ));
    }
}
