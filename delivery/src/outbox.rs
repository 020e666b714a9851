//! Downlink: directors' orders are sent to their hub again until the hub answers, or until they expire.
//!
//! A hub does an order once, however often it comes, and answers with rows. So the outbox keeps only the age of an order when
//! it was first seen, and when it was sent last: a restarted adjudicator sends it again.
//!
//! The log has the times of a clock that can be set. It is read once for each order; from then on a monotonic clock counts.

use std::collections::{BTreeMap, BTreeSet};

/// Time after which an awaited order that no hub has received expires, milliseconds.
pub const ORDER_LIFE_MS: u64 = 60_000;
/// Maximum number of orders in one message.
pub const ORDERS_MAX: usize = 64;
/// Time after which an awaited order is sent again, milliseconds.
const AWAITED_AGAIN_MS: u64 = 1_000;
/// Any other is sent again after this time, milliseconds.
const AGAIN_MS: u64 = 10_000;
/// Maximum difference of the hub's clock from ours, microseconds.
const TOLERANCE_US: u64 = 5_000_000;

/// An order that no hub has answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unanswered<'a> {
    /// Names it for ever.
    pub id: u64,
    /// Its hub.
    pub hub: &'a str,
    /// Time of the order, Unix milliseconds of the adjudicator.
    pub at_ms: u64,
    /// Whether people at the table wait for it: a clock is to be set, or something to be shown.
    pub is_awaited: bool,
}

impl Unanswered<'_> {
    /// Whether no hub has taken it in time.
    #[must_use]
    pub fn is_too_late(&self, now_ms: u64) -> bool {
        self.is_awaited && now_ms >= self.at_ms + ORDER_LIFE_MS
    }
}

/// An order that is to be sent now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// Its place among those that were given.
    pub index: usize,
    /// Time of the hub's own clock after which it is refused there, Unix microseconds; 0: never.
    pub expires_us: u64,
}

/// A moment by two clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Unix milliseconds of the adjudicator, by a clock that can be set.
    pub wall_ms: u64,
    /// Milliseconds since some moment of this run, by one that cannot.
    pub run_ms: u64,
}

/// Times of an order, by the monotonic clock.
#[derive(Clone, Copy, Debug)]
struct OrderTimes {
    /// First sight, milliseconds.
    seen_ms: u64,
    /// Its age then, milliseconds.
    age_ms: u64,
    /// Last sending, milliseconds.
    sent_ms: Option<u64>,
}

/// The orders that were seen.
#[derive(Debug, Default)]
pub struct Outbox {
    known: BTreeMap<u64, OrderTimes>,
}

impl Outbox {
    /// Selects the orders of `unanswered` that are due now, by hub. `hub_time_us`: the present time of a hub's own clock;
    /// `None` if the hub is offline, which gets its orders once it is online. `clock_rate`: seconds of hub time in a second.
    pub fn due(
        &mut self,
        unanswered: &[Unanswered<'_>],
        now: Moment,
        hub_time_us: impl Fn(&str) -> Option<u64>,
        clock_rate: f64,
    ) -> BTreeMap<String, Vec<Due>> {
        let open: BTreeSet<u64> = unanswered.iter().map(|order| order.id).collect();
        self.known.retain(|id, _| open.contains(id));
        let mut due: BTreeMap<String, Vec<Due>> = BTreeMap::new();
        for (index, order) in unanswered.iter().enumerate() {
            let again_ms = if order.is_awaited { AWAITED_AGAIN_MS } else { AGAIN_MS };
            let known = self.known.entry(order.id).or_insert_with(|| OrderTimes {
                seen_ms: now.run_ms,
                age_ms: now.wall_ms.saturating_sub(order.at_ms),
                sent_ms: None,
            });
            let is_recent = known.sent_ms.is_some_and(|sent_ms| now.run_ms < sent_ms + again_ms);
            let age_ms = known.age_ms.saturating_add(now.run_ms.saturating_sub(known.seen_ms));
            let is_too_late = order.is_awaited && age_ms >= ORDER_LIFE_MS;
            if is_too_late || is_recent {
                continue;
            }
            let Some(hub_us) = hub_time_us(order.hub) else { continue };
            let of_hub = due.entry(order.hub.to_owned()).or_default();
            if of_hub.len() < ORDERS_MAX {
                let left_ms = ORDER_LIFE_MS.saturating_sub(age_ms);
                let left_us = (left_ms as f64 * 1_000.0 * clock_rate) as u64 + TOLERANCE_US;
                let expires_us = if order.is_awaited { hub_us + left_us } else { 0 };
                of_hub.push(Due { index, expires_us });
                known.sent_ms = Some(now.run_ms);
            }
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(id: u64, is_awaited: bool) -> Unanswered<'static> {
        Unanswered { id, hub: "north", at_ms: 0, is_awaited }
    }

    /// A moment at which both clocks show the same.
    fn at(now_ms: u64) -> Moment {
        Moment { wall_ms: now_ms, run_ms: now_ms }
    }

    /// The places of the orders that are sent to the hub.
    fn sent(outbox: &mut Outbox, orders: &[Unanswered<'_>], now_ms: u64) -> Vec<usize> {
        sent_at(outbox, orders, at(now_ms))
    }

    fn sent_at(outbox: &mut Outbox, orders: &[Unanswered<'_>], now: Moment) -> Vec<usize> {
        let due = outbox.due(orders, now, |_| Some(0), 1.0);
        due.into_values().flatten().map(|due| due.index).collect()
    }

    #[test]
    fn an_order_is_sent_again_until_it_is_answered_or_over() {
        let orders = [order(1, true), order(2, false)];
        let mut outbox = Outbox::default();
        assert_eq!(sent(&mut outbox, &orders, 0), [0, 1]);
        assert_eq!(sent(&mut outbox, &orders, 999), []);
        assert_eq!(sent(&mut outbox, &orders, 1_000), [0]);
        assert_eq!(sent(&mut outbox, &orders, 10_000), [0, 1]);
        assert_eq!(sent(&mut outbox, &orders, ORDER_LIFE_MS), [1], "nobody waits for it any more");
        assert_eq!(sent(&mut outbox, &orders[..1], ORDER_LIFE_MS + 20_000), []);
    }

    #[test]
    fn a_clock_that_is_set_back_neither_keeps_an_order_nor_its_repeats() {
        const HOUR_MS: u64 = 3_600_000;
        let orders = [Unanswered { at_ms: HOUR_MS, ..order(1, true) }];
        let mut outbox = Outbox::default();
        let after = |run_ms, wall_ms| Moment { wall_ms, run_ms };
        assert_eq!(sent_at(&mut outbox, &orders, after(0, HOUR_MS)), [0]);
        // An hour back.
        assert_eq!(sent_at(&mut outbox, &orders, after(1_000, 1_000)), [0], "it is sent again");
        let due = outbox.due(&orders, after(20_000, 20_000), |_| Some(0), 1.0);
        assert_eq!(due["north"][0].expires_us, 40_000_000 + TOLERANCE_US);
        let late = after(ORDER_LIFE_MS, ORDER_LIFE_MS);
        assert_eq!(sent_at(&mut outbox, &orders, late), [], "nobody waits for it any more");
    }

    #[test]
    fn a_clock_that_is_set_forward_ends_no_order() {
        let orders = [order(1, true)];
        let mut outbox = Outbox::default();
        assert_eq!(sent(&mut outbox, &orders, 0), [0]);
        let forward = Moment { wall_ms: 3_600_000, run_ms: 1_000 };
        assert_eq!(sent_at(&mut outbox, &orders, forward), [0]);
    }

    #[test]
    fn an_order_expires_by_the_hubs_clock_and_a_hub_that_is_away_gets_it_later() {
        let orders = [order(1, true), order(2, false)];
        let mut outbox = Outbox::default();
        assert!(outbox.due(&orders, at(40_000), |_| None, 1.0).is_empty());
        let due = outbox.due(&orders, at(40_000), |_| Some(7_000_000), 2.0);
        let expires: Vec<u64> = due["north"].iter().map(|due| due.expires_us).collect();
        assert_eq!(expires, [7_000_000 + 40_000_000 + TOLERANCE_US, 0]);
    }
}
