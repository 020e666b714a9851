//! Errors of the nodes' times, and the zero tests that check them before a match.

use std::collections::BTreeMap;

use referee::{ClockErrors, Offset};
use rules::BoardId;

use super::{
    Tables,
    orders::{Giving, Ordered},
};
use crate::hall::Game;

/// Maximum number of a match's zero tests; later ones replace the oldest.
const TESTS_MAX: usize = 8;
/// Maximum number of a table's nodes whose errors are kept.
const NODES_MAX: usize = 16;

/// Errors that nodes state, with their boards, microseconds.
pub(in crate::hall) type NodeErrors = BTreeMap<String, (BoardId, u32)>;

/// Result of a zero test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZeroTest {
    /// The act that asked for it.
    pub act: u64,
    /// The offset.
    pub offset: Offset,
}

impl Game {
    /// Errors of its boards' times: of the least exact node of each, and of the last zero test.
    #[must_use]
    pub fn clock_errors(&self) -> ClockErrors {
        let stated = |board| {
            let of_board = self.node_errors.values().filter(|(at, _)| *at == board);
            of_board.map(|(_, error_us)| u64::from(*error_us)).max()
        };
        let offset = self.zero_tests.last().map(|test| test.offset);
        ClockErrors { stated_us: BoardId::ALL.map(stated), offset }
    }

    /// Its zero tests, oldest first.
    #[must_use]
    pub fn zero_tests(&self) -> &[ZeroTest] {
        &self.zero_tests
    }
}

impl Tables {
    /// Orders a zero test, before the first ply.
    pub(in crate::hall) fn order_zero_test(
        &mut self,
        giving: &Giving<'_>,
        match_id: &str,
    ) -> Result<(), String> {
        let game = self.matches.get(match_id).filter(|game| self.is_at_table(game));
        let game = game.ok_or("the pieces of this match do not stand at the table any more")?;
        if !BoardId::ALL.into_iter().all(|board| game.has(board)) {
            return Err(
                "a zero test compares the clocks of two boards: this match has one".to_owned()
            );
        }
        if !game.referee().timeline().plies().is_empty() || game.referee().is_over() {
            return Err("the match has begun: a zero test is done before it".to_owned());
        }
        self.order(giving, match_id, Ordered::ZeroTest, None)
    }

    /// Keeps the result of a zero test that a hub has sent.
    pub(in crate::hall) fn note_zero_test(
        &mut self,
        input: u64,
        hub: &str,
        (match_id, order_id): (&str, u64),
        differences_us: &[i32],
    ) -> Result<(), String> {
        let game = self.matches.get_mut(match_id).filter(|game| game.hub == hub);
        let game = game.ok_or_else(|| format!("match {match_id} is not this hub's"))?;
        let order = game.orders.iter().find(|order| order.id == order_id);
        let act = order.map(|order| order.act).ok_or("no director has requested this zero test")?;
        let offset = Offset::of(differences_us).ok_or("too few presses for a zero test")?;
        if game.zero_tests.len() >= TESTS_MAX {
            game.zero_tests.remove(0);
        }
        game.zero_tests.push(ZeroTest { act, offset });
        game.changed_input = input;
        self.desk_changed = input;
        Ok(())
    }

    /// Keeps the error that a node states. A match that is over keeps what was so while it was played.
    pub(in crate::hall) fn note_node_error(
        &mut self,
        slot: usize,
        id: String,
        error: (BoardId, u32),
    ) {
        let table = &mut self.list[slot];
        if table.node_errors.len() >= NODES_MAX && !table.node_errors.contains_key(&id) {
            return;
        }
        table.node_errors.insert(id, error);
        let errors = table.node_errors.clone();
        if let Some(game) = table.match_id.clone().and_then(|id| self.matches.get_mut(&id))
            && !game.referee().is_over()
        {
            game.node_errors = errors;
        }
    }
}
