//! What goes down to the hubs: every order that nobody has answered, again and again, as long as it is wanted.

use std::collections::{BTreeMap, HashMap};

use proto::mqtt::message::{
    self, ClockAdjusted, ClockDelayed, ClockPaused, ClockResumed, ClockSetAnew, clock_order, order,
};
use rules::{BoardId, DelayKind, PerMove};

use crate::hall::{ClockChange, Game, Hall, ORDER_LIFE_MS, OrderCase, Ordered};

/// A clock order is sent again after this time, milliseconds.
const CLOCK_AGAIN_MS: u64 = 1_000;
/// A fact is sent again after this time, milliseconds: nobody stands at the table and waits for it.
const FACT_AGAIN_MS: u64 = 10_000;
/// Most orders in one message.
const ORDERS_MAX: usize = 64;
/// By so much a hub may take an order later than it is sent here, microseconds: clocks differ.
const TOLERANCE_US: u64 = 5_000_000;

/// When each order was sent last.
#[derive(Debug, Default)]
pub struct Outbox {
    sent_ms: HashMap<u64, u64>,
}

impl Outbox {
    /// What is to be sent now, by hub. Hubs that are not there get it when they are.
    pub fn due(
        &mut self,
        hall: &Hall,
        now_ms: u64,
        clock_rate: f64,
    ) -> BTreeMap<String, message::Orders> {
        let unanswered = hall.unanswered();
        self.sent_ms.retain(|id, _| unanswered.iter().any(|(_, order)| order.id == *id));
        let mut due: BTreeMap<String, message::Orders> = BTreeMap::new();
        for (game, order) in unanswered {
            let again_ms = match order.what {
                Ordered::Clock(..) | Ordered::Evidence(..) => CLOCK_AGAIN_MS,
                Ordered::Fact(_) | Ordered::FactWithdrawn(_) => FACT_AGAIN_MS,
            };
            let sent_ms = self.sent_ms.get(&order.id);
            if order.is_too_late(now_ms) || sent_ms.is_some_and(|sent| now_ms < sent + again_ms) {
                continue;
            }
            let Some(hub_us) = hall.hub_time_us(&game.hub, now_ms, clock_rate) else { continue };
            let orders = &mut due.entry(game.hub.clone()).or_default().orders;
            if orders.len() < ORDERS_MAX {
                let left_ms = (order.at_ms + ORDER_LIFE_MS).saturating_sub(now_ms);
                let left_us = (left_ms as f64 * 1_000.0 * clock_rate) as u64 + TOLERANCE_US;
                orders.push(wire(game, order, hub_us + left_us));
                self.sent_ms.insert(order.id, now_ms);
            }
        }
        due
    }
}

fn wire(game: &Game, case: &OrderCase, expires_us: u64) -> message::Order {
    let (what, expires_us) = match &case.what {
        Ordered::Clock(board, change) => {
            let what = Some(clock(*change));
            let board = match board {
                BoardId::A => message::Board::A,
                BoardId::B => message::Board::B,
            };
            let clock = message::ClockOrder { board: board.into(), what };
            (order::What::Clock(clock), expires_us)
        }
        Ordered::Fact(line) => (order::What::Fact(message::Fact { line: line.clone() }), 0),
        Ordered::FactWithdrawn(of) => (order::What::FactWithdrawn(*of), 0),
        Ordered::Evidence(from_us, to_us) => {
            let wanted = message::EvidenceWanted { from_us: *from_us, to_us: *to_us };
            (order::What::Evidence(wanted), expires_us)
        }
    };
    message::Order {
        order_id: case.id,
        table: game.table.clone(),
        match_id: game.id.clone(),
        expires_us,
        what: Some(what),
    }
}

fn clock(change: ClockChange) -> clock_order::What {
    match change {
        ClockChange::SetAnew => clock_order::What::SetAnew(ClockSetAnew {}),
        ClockChange::Pause => clock_order::What::Pause(ClockPaused {}),
        ClockChange::Resume => clock_order::What::Resume(ClockResumed {}),
        ClockChange::Adjust(white_ms, black_ms) => {
            clock_order::What::Adjust(ClockAdjusted { white_ms, black_ms })
        }
        ClockChange::Delay(per_move) => clock_order::What::Delay(delayed(per_move)),
    }
}

fn delayed(per_move: PerMove) -> ClockDelayed {
    let delay = match per_move.delay() {
        DelayKind::Us => message::DelayKind::Us,
        DelayKind::Bronstein => message::DelayKind::Bronstein,
    };
    ClockDelayed {
        delay_ms: per_move.delay_s().saturating_mul(1_000),
        delay: delay.into(),
        increment_ms: per_move.increment_s().saturating_mul(1_000),
    }
}
