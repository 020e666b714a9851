//! Directors who order something, and what they know of it.

use proto::mqtt::message::{self, ClockAdjusted, ClockOrder, Fact, clock_order, order};

use crate::plan::Ordered;

/// An order that was given.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    /// Time, µs of the run.
    pub(crate) at_us: u64,
    pub(crate) hub: String,
    pub(crate) table: String,
    pub(crate) match_id: String,
    pub(crate) what: Ordered,
}

/// All orders of a run; an order's id is its place, from 1.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    given: Vec<Given>,
}

impl Desk {
    /// The id of an order that is given now.
    pub(crate) fn give(&mut self, given: Given) -> u64 {
        self.given.push(given);
        self.given.len() as u64
    }

    pub(crate) fn order(&self, id: u64) -> Option<&Given> {
        self.given.get(usize::try_from(id).ok()?.checked_sub(1)?)
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = u64> + use<> {
        1..=self.given.len() as u64
    }

    /// The order as the adjudicator sends it.
    pub(crate) fn wire(&self, id: u64, expires_us: u64) -> Option<message::Order> {
        let Given { table, match_id, what, .. } = self.order(id)?;
        let what = match what {
            Ordered::Clock { on_b } => {
                let board = if *on_b { message::Board::B } else { message::Board::A };
                let adjusted = ClockAdjusted { white_ms: id as i32, black_ms: 0 };
                let what = Some(clock_order::What::Adjust(adjusted));
                order::What::Clock(ClockOrder { board: board.into(), what })
            }
            Ordered::Fact => order::What::Fact(Fact { line: FACT.to_owned() }),
            Ordered::FactWithdrawn => order::What::FactWithdrawn(self.last_fact_before(id)),
        };
        let (table, match_id) = (table.clone(), match_id.clone());
        Some(message::Order { order_id: id, table, match_id, expires_us, what: Some(what) })
    }

    /// The last fact of the same match published before an order; the order itself if there is none.
    fn last_fact_before(&self, id: u64) -> u64 {
        let match_id = self.order(id).map(|given| &given.match_id);
        let is_fact = |of: &u64| {
            self.order(*of)
                .is_some_and(|it| it.what == Ordered::Fact && Some(&it.match_id) == match_id)
        };
        (1..id).rev().find(is_fact).unwrap_or(id)
    }
}

/// A line of the format of facts.
const FACT: &str = r#"{"kind":"fact","board":"A","side":"white","t_us":5,"uci":"N@e6"}"#;
