//! What a clock gives for each move once a director has changed it: to the clock, and as a fact to whoever follows the match.
//!
//! The fact goes down with the order and not after it, so that nobody is accused of what the clock shows in between.

use referee::Input;
use rules::{BoardId, PerMove};

use super::{
    clock_order::ClockChange,
    orders::{Giving, Ordered},
};
use crate::hall::{EventId, Game, Hall};

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
}

impl Hall {
    /// Has the referee know what clocks give by now, where an order that was carried out has changed it.
    pub(in crate::hall) fn judge_per_moves(
        &mut self,
        input: u64,
        match_id: &str,
        before: [PerMove; 2],
    ) {
        let Some(game) = self.matches.get(match_id) else { return };
        let partition = self.partition_of(game);
        let event = EventId::of_plies(self.partitions.change(partition));
        let Some(game) = self.matches.get_mut(match_id) else { return };
        for (board, before) in BoardId::ALL.into_iter().zip(before) {
            let (per_move, now_us) = (game.per_move(board), game.referee().now_us());
            if per_move != before {
                game.judge(input, (partition, event), now_us, Input::PerMove(board, per_move));
            }
        }
        self.note_deadline(match_id);
    }

    /// Tells whoever follows the match what a clock will give for each move, if an order changes it.
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
