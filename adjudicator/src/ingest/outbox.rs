//! The orders for hubs: each is sent again and again until it is answered or no longer wanted.

use std::collections::BTreeMap;

use delivery::{Due, Moment, Outbox, Unanswered};
use proto::mqtt::message::{
    self, ClockAdjusted, ClockDelayed, ClockPaused, ClockResumed, ClockSetAnew, clock_order, order,
};
use rules::{BoardId, DelayKind, PerMove};

use crate::{
    hall::{BoardContent, ClockChange, Game, Hall, OrderCase, Ordered},
    ingest::hub_times::HubTimes,
};

/// The orders to send now, by hub. A hub that is not connected gets its orders when it connects.
pub(crate) fn due(
    outbox: &mut Outbox,
    hall: &Hall,
    hub_times: &HubTimes,
    now: Moment,
    clock_rate: f64,
) -> BTreeMap<String, message::Orders> {
    let cases = hall.unanswered();
    let unanswered: Vec<Unanswered<'_>> =
        cases.iter().map(|(game, order)| order.unanswered(&game.hub)).collect();
    let hub_time_us = |hub: &str| hub_times.time_us(hub, now, clock_rate);
    let due = outbox.due(&unanswered, now, hub_time_us, clock_rate);
    let message = |due: Vec<Due>| {
        let orders = due.into_iter().filter_map(|Due { index, expires_us }| {
            let (game, order) = cases.get(index)?;
            Some(wire(game, order, expires_us))
        });
        message::Orders { orders: orders.collect() }
    };
    due.into_iter().map(|(hub, due)| (hub, message(due))).collect()
}

fn wire(game: &Game, case: &OrderCase, expires_us: u64) -> message::Order {
    let what = match &case.what {
        Ordered::Clock(board, change) => {
            let what = Some(clock(*change));
            let clock = message::ClockOrder { board: wire_board(*board).into(), what };
            order::What::Clock(clock)
        }
        Ordered::Fact(line) => order::What::Fact(message::Fact { line: line.clone() }),
        Ordered::FactWithdrawn(of) => order::What::FactWithdrawn(*of),
        Ordered::Evidence(from_us, to_us) => {
            let wanted = message::EvidenceWanted { from_us: *from_us, to_us: *to_us };
            order::What::Evidence(wanted)
        }
        Ordered::ZeroTest => order::What::ZeroTest(message::ZeroTestWanted {}),
        Ordered::Baseline(board, content) => {
            let content = match content {
                BoardContent::Empty => message::BoardContent::Empty,
                BoardContent::SetUp => message::BoardContent::SetUp,
            };
            let (board, content) = (wire_board(*board).into(), content.into());
            order::What::Baseline(message::BaselineWanted { board, content })
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

fn wire_board(board: BoardId) -> message::Board {
    match board {
        BoardId::A => message::Board::A,
        BoardId::B => message::Board::B,
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
