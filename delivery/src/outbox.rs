//! The way down: what directors order goes to its hub again and again, as long as nobody has answered and somebody waits for it.
//!
//! A hub does an order once, however often it comes, and answers with rows. So nothing is remembered here but when an order was sent last:
//! an adjudicator that starts anew sends it again.

use std::collections::BTreeMap;

/// An order that somebody waits for and that no hub has taken after this time is over: nobody expects it any more, milliseconds.
pub const ORDER_LIFE_MS: u64 = 60_000;
/// Most orders in one message.
pub const ORDERS_MAX: usize = 64;
/// An order that somebody waits for is sent again after this time, milliseconds.
const AWAITED_AGAIN_MS: u64 = 1_000;
/// Any other is sent again after this time, milliseconds.
const AGAIN_MS: u64 = 10_000;
/// By so much a hub may take an order later than it is sent here, microseconds: clocks differ.
const TOLERANCE_US: u64 = 5_000_000;

/// An order that no hub has answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unanswered<'a> {
    /// Names it for ever.
    pub id: u64,
    /// Its hub.
    pub hub: &'a str,
    /// When it was given, Unix milliseconds of the adjudicator.
    pub at_ms: u64,
    /// Somebody stands at the table and waits: a clock is to be set, or something to be shown.
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

/// When each order was sent last.
#[derive(Debug, Default)]
pub struct Outbox {
    sent_ms: BTreeMap<u64, u64>,
}

impl Outbox {
    /// What of `unanswered` is to be sent at `now_ms`, by hub. `hub_time_us`: the present time of a hub's own clock; none of a hub that is
    /// not there, which gets its orders when it is. `clock_rate`: seconds of hub time in a second.
    pub fn due(
        &mut self,
        unanswered: &[Unanswered<'_>],
        now_ms: u64,
        hub_time_us: impl Fn(&str) -> Option<u64>,
        clock_rate: f64,
    ) -> BTreeMap<String, Vec<Due>> {
        self.sent_ms.retain(|id, _| unanswered.iter().any(|order| order.id == *id));
        let mut due: BTreeMap<String, Vec<Due>> = BTreeMap::new();
        for (index, order) in unanswered.iter().enumerate() {
            let again_ms = if order.is_awaited { AWAITED_AGAIN_MS } else { AGAIN_MS };
            let is_recent =
                self.sent_ms.get(&order.id).is_some_and(|sent| now_ms < sent + again_ms);
            if order.is_too_late(now_ms) || is_recent {
                continue;
            }
            let Some(hub_us) = hub_time_us(order.hub) else { continue };
            let of_hub = due.entry(order.hub.to_owned()).or_default();
            if of_hub.len() < ORDERS_MAX {
                let left_ms = (order.at_ms + ORDER_LIFE_MS).saturating_sub(now_ms);
                let left_us = (left_ms as f64 * 1_000.0 * clock_rate) as u64 + TOLERANCE_US;
                let expires_us = if order.is_awaited { hub_us + left_us } else { 0 };
                of_hub.push(Due { index, expires_us });
                self.sent_ms.insert(order.id, now_ms);
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

    /// The places of the orders that are sent to the hub.
    fn sent(outbox: &mut Outbox, orders: &[Unanswered<'_>], now_ms: u64) -> Vec<usize> {
        let due = outbox.due(orders, now_ms, |_| Some(0), 1.0);
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
    fn an_order_expires_by_the_hubs_clock_and_a_hub_that_is_away_gets_it_later() {
        let orders = [order(1, true), order(2, false)];
        let mut outbox = Outbox::default();
        assert!(outbox.due(&orders, 40_000, |_| None, 1.0).is_empty());
        let due = outbox.due(&orders, 40_000, |_| Some(7_000_000), 2.0);
        let expires: Vec<u64> = due["north"].iter().map(|due| due.expires_us).collect();
        assert_eq!(expires, [7_000_000 + 40_000_000 + TOLERANCE_US, 0]);
    }
}
