//! Delay or increment that a director has changed: sent to the clock, and as a fact to the follower of the match.
//!
//! The fact goes down with the order and not after it, so that no player is accused by the display in between.

use rules::{BoardId, PerMove};

use super::{
    Tables,
    clock_order::ClockChange,
    game::Game,
    orders::{Giving, Ordered},
};

/// Delays and increments of a match's clocks before an order changed them.
pub(in crate::hall) struct GaveBefore {
    pub(in crate::hall) match_id: String,
    pub(in crate::hall) per_move: [PerMove; 2],
}

impl Game {
    /// Present delays and increments of its clocks.
    pub(super) fn gives_now(&self) -> GaveBefore {
        let per_move = BoardId::ALL.map(|board| self.per_move(board));
        GaveBefore { match_id: self.id.clone(), per_move }
    }

    /// Delay or increment of a board's clock: by the time control, or by the orders carried out since.
    pub fn per_move(&self, board: BoardId) -> PerMove {
        let done = self.orders.iter().rev().filter(|order| order.is_carried_out());
        let mut changes = done.filter_map(|order| self.gives(board, &order.what));
        changes.next().unwrap_or(self.time.per_move())
    }

    /// Delay or increment of a board's clock once this is carried out, if it changes.
    fn gives(&self, board: BoardId, what: &Ordered) -> Option<PerMove> {
        match what {
            Ordered::Clock(at, ClockChange::Delay(per_move)) if *at == board => Some(*per_move),
            Ordered::Clock(at, ClockChange::SetAnew) if *at == board => Some(self.time.per_move()),
            _ => None,
        }
    }
}

impl Tables {
    /// Sends the follower of the match a clock's new delay or increment, if an order changes it.
    pub(in crate::hall) fn tell_per_move(
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
