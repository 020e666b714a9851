//! Directors' orders for tables, and their outcomes: the outstanding orders are a function of the log.

use std::sync::Arc;

pub use delivery::ORDER_LIFE_MS;
use delivery::Unanswered;
use imbl::{HashMap, OrdSet};
use proto::mqtt::message::OrderOutcome;
use referee::{ClockReading, Input};
use rules::BoardId;
use sha2::{Digest as _, Sha256};

use super::{
    Tables,
    calibration::BoardContent,
    clock_order::{ClockChange, ClockForm},
    matches::Matches,
    order_effect::Expected,
    per_move::GaveBefore,
};
use crate::hall::{Game, HubHeard, acts::Source, report::OrderNews};

/// Maximum number of orders of one match.
const ORDERS_MAX: usize = 256;
/// Time within which a hub that has accepted a clock order reports its outcome, milliseconds since the order: a clock has half a
/// minute to answer.
const ENDED_MAX_MS: u64 = 120_000;
/// The anomaly of a running clock whose time cannot have come about by running.
const CLOCK_JUMP: &str = "clock-jump";

/// Content of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ordered {
    /// A board's clock is to be changed.
    Clock(BoardId, ClockChange),
    /// The hub is to follow the match with a fact, a line of their format.
    Fact(String),
    /// The fact of this order is none.
    FactWithdrawn(u64),
    /// The readings between two times of the match, microseconds.
    Evidence(u64, u64),
    /// A zero test of the two clocks.
    ZeroTest,
    /// A calibration of a board's hall sensors.
    Baseline(BoardId, BoardContent),
}

/// Stage of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrderState {
    /// No hub has answered.
    Sent,
    /// The hub has it in its journal.
    Taken,
    /// The order has ended, with words if it failed.
    Ended(OrderOutcome, String),
    /// The order was not carried out by command, and the clock shows it all the same: a person has done it by hand.
    Shown,
    /// The order was withdrawn before a hub had answered.
    Withdrawn,
}

/// An order and what became of it.
#[derive(Clone, Debug)]
pub struct OrderCase {
    /// Names it for ever.
    pub id: u64,
    /// The act that gave it.
    pub act: u64,
    /// The person.
    pub by: String,
    /// Time, Unix milliseconds.
    pub at_ms: u64,
    /// The content.
    pub what: Ordered,
    /// The ruling or penalty that it carries out.
    pub because: Option<u64>,
    /// Its stage.
    pub state: OrderState,
    expected: Option<Expected>,
}

impl OrderCase {
    /// Whether a person must go to the clock: the order was not carried out, and the clock does not show it.
    #[must_use]
    pub fn is_in_trouble(&self, now_ms: u64) -> bool {
        match &self.state {
            OrderState::Sent => self.is_too_late(now_ms),
            OrderState::Taken => self.is_unended(now_ms),
            OrderState::Shown | OrderState::Withdrawn => false,
            OrderState::Ended(outcome, _) => *outcome != OrderOutcome::Done,
        }
    }

    /// Whether it was done, by command or by hand.
    pub(in crate::hall) fn is_carried_out(&self) -> bool {
        matches!(self.state, OrderState::Ended(OrderOutcome::Done, _) | OrderState::Shown)
    }

    /// Whether no reading can show that it was done: then a person has to confirm it.
    #[must_use]
    pub fn is_unseen(&self) -> bool {
        matches!(self.what, Ordered::Clock(..)) && self.expected.is_none()
    }

    /// The clock's display once it was done, White's and Black's times in milliseconds; none where that is unknown, or where the order sets no times.
    #[must_use]
    pub fn to_show(&self) -> Option<(i64, i64)> {
        match self.expected {
            Some(Expected::Times(white_ms, black_ms)) => Some((white_ms, black_ms)),
            _ => None,
        }
    }

    fn has_ended(&self) -> bool {
        matches!(self.state, OrderState::Ended(..) | OrderState::Shown | OrderState::Withdrawn)
    }

    /// Whether a hub accepted it so long ago that its outcome stays unknown: the hub is disconnected.
    #[must_use]
    pub fn is_unended(&self, now_ms: u64) -> bool {
        let is_clocks = matches!(self.what, Ordered::Clock(..));
        is_clocks && self.state == OrderState::Taken && now_ms >= self.at_ms + ENDED_MAX_MS
    }

    /// Records a hub's report. A withdrawn order may have been on its way all the same: then a person has to look. A hub that
    /// was restarted may report the outcome before its earlier boot has reported the acceptance.
    fn hear(&mut self, news: OrderNews) {
        if news == OrderNews::Taken && self.has_ended() {
            return;
        }
        let was_withdrawn = self.state == OrderState::Withdrawn;
        self.state = match news {
            OrderNews::Taken => OrderState::Taken,
            OrderNews::Ended(OrderOutcome::Done, _) if was_withdrawn => {
                let words = "it was taken back too late, and it was done: look at the clock";
                OrderState::Ended(OrderOutcome::Unknown, words.to_owned())
            }
            OrderNews::Ended(_, _) if was_withdrawn => OrderState::Withdrawn,
            OrderNews::Ended(outcome, words) => OrderState::Ended(outcome, words),
        };
    }

    /// Whether no hub has taken it in time.
    #[must_use]
    pub fn is_too_late(&self, now_ms: u64) -> bool {
        self.state == OrderState::Sent && self.unanswered("").is_too_late(now_ms)
    }

    /// The order as the outbox of its hub knows it.
    pub(crate) fn unanswered<'a>(&self, hub: &'a str) -> Unanswered<'a> {
        // A director who asks for readings does not wait for ever either.
        let is_awaited = !matches!(self.what, Ordered::Fact(_) | Ordered::FactWithdrawn(_));
        Unanswered { id: self.id, hub, at_ms: self.at_ms, is_awaited }
    }
}

/// The match of each order, and the unanswered orders.
#[derive(Clone, Debug, Default)]
pub(in crate::hall) struct Orders {
    of: HashMap<u64, Arc<str>>,
    open: OrdSet<u64>,
}

/// The id of the `nth` order that an act gives, from 0: the act's key is unique for ever, also where a log was set back.
fn order_id(source: &Source, nth: u32) -> u64 {
    let mut name = format!("{}\n{}", source.device.0, source.key);
    if nth > 0 {
        name = format!("{name}\n{nth}");
    }
    let digest = Sha256::digest(name.as_bytes());
    let first = digest.iter().take(8).fold(0, |id: u64, byte| id << 8 | u64::from(*byte));
    first.max(1)
}

/// Person and act that give an order.
pub(in crate::hall) struct Giving<'a> {
    pub(in crate::hall) source: &'a Source,
    pub(in crate::hall) act: u64,
    pub(in crate::hall) by: &'a str,
    pub(in crate::hall) at_ms: u64,
    /// Number among the act's orders, from 0: most acts give one.
    pub(in crate::hall) nth: u32,
}

impl Game {
    /// The clock's display once that is done, as far as it can be computed.
    fn expected(&self, board: BoardId, change: ClockChange) -> Option<Expected> {
        match change {
            ClockChange::Pause => Some(Expected::Standing),
            ClockChange::Resume => Some(Expected::Running),
            // A clock shows its times and not what it adds to them.
            ClockChange::Delay(_) => None,
            ClockChange::SetAnew => {
                let start_ms = i64::try_from(self.time.start_ms()).ok()?;
                Some(Expected::Times(start_ms, start_ms))
            }
            ClockChange::Adjust(white_ms, black_ms) => {
                let shown = self.referee().clock(board).filter(|it| it.running.is_none())?;
                let (white, black) = (i64::from(white_ms), i64::from(black_ms));
                Some(Expected::Times(shown.white_ms + white, shown.black_ms + black))
            }
        }
    }

    /// Same as [`Self::expected`]. Times are known only while one order is on its way: with a second one it is unknown which of the
    /// two a clock shows.
    fn expect(&mut self, board: BoardId, change: ClockChange, now_ms: u64) -> Option<Expected> {
        let expected = self.expected(board, change);
        if let ClockChange::Delay(_) = change {
            return expected;
        }
        let mut is_alone = true;
        let at_board = |order: &&mut OrderCase| match order.what {
            // It leaves the times as they are.
            Ordered::Clock(_, ClockChange::Delay(_)) => false,
            Ordered::Clock(at, _) => at == board,
            _ => false,
        };
        for order in self.orders.iter_mut().filter(at_board) {
            is_alone &= order.has_ended() || order.is_too_late(now_ms);
            if matches!(order.expected, Some(Expected::Times(..))) {
                order.expected = None;
            }
        }
        expected.filter(|expected| is_alone || !matches!(expected, Expected::Times(..)))
    }

    /// The clock order that an act gave.
    fn clock_order_of(&mut self, act: u64) -> Result<&mut OrderCase, String> {
        let is_it =
            |order: &&mut OrderCase| order.act == act && matches!(order.what, Ordered::Clock(..));
        let order = self.orders.iter_mut().find(is_it);
        order.ok_or_else(|| format!("act {act} has ordered nothing of a clock of this match"))
    }

    /// Whether a report is about nothing but an order: a running clock that is set jumps, and nobody did
    /// wrong.
    pub(in crate::hall) fn explains(&self, report: &Input, at_ms: u64) -> bool {
        let Input::Anomaly(anomaly) = report else { return false };
        let changes_times = |order: &OrderCase| match order.what {
            Ordered::Clock(board, ClockChange::Adjust(..) | ClockChange::SetAnew) => {
                let until_ms = order.at_ms + ORDER_LIFE_MS;
                board == anomaly.board && (order.at_ms..until_ms).contains(&at_ms)
            }
            _ => false,
        };
        anomaly.code == CLOCK_JUMP && self.orders.iter().any(changes_times)
    }

    /// Records that a clock shows at `read_ms` an order that a person has carried out by hand.
    pub(in crate::hall) fn note_shown(&mut self, reading: &ClockReading, read_ms: u64) {
        for order in &mut self.orders {
            let (Ordered::Clock(board, _), Some(expected)) = (&order.what, order.expected) else {
                continue;
            };
            let by_hand = order.is_in_trouble(read_ms);
            if *board == reading.board && by_hand && expected.is_shown(reading) {
                order.state = OrderState::Shown;
            }
        }
    }
}

/// The match of an id, for an act about it.
fn match_of<'a>(matches: &'a mut Matches, match_id: &str) -> Result<&'a mut Game, String> {
    matches.get_mut(match_id).ok_or_else(|| format!("there is no match {match_id}"))
}

impl Tables {
    /// Gives a clock order.
    pub(in crate::hall) fn order_clock(
        &mut self,
        giving: &Giving<'_>,
        match_id: &str,
        (board, form): (BoardId, ClockForm),
        because: Option<u64>,
    ) -> Result<(), String> {
        let change = match_of(&mut self.matches, match_id)?.clock_change(board, form)?;
        self.tell_per_move(giving, match_id, board, change);
        self.order(giving, match_id, Ordered::Clock(board, change), because)
    }

    pub(in crate::hall) fn order(
        &mut self,
        giving: &Giving<'_>,
        match_id: &str,
        what: Ordered,
        because: Option<u64>,
    ) -> Result<(), String> {
        let id = order_id(giving.source, giving.nth);
        let game = match_of(&mut self.matches, match_id)?;
        if game.orders.len() >= ORDERS_MAX {
            return Err(format!("a match has at most {ORDERS_MAX} orders"));
        }
        let expected = match &what {
            Ordered::Clock(board, change) => game.expect(*board, *change, giving.at_ms),
            _ => None,
        };
        let Giving { act, at_ms, .. } = *giving;
        let (by, state) = (giving.by.to_owned(), OrderState::Sent);
        game.orders.push(OrderCase { id, act, by, at_ms, what, because, state, expected });
        game.changed_input = act;
        self.orders.of.insert(id, match_id.into());
        self.orders.open.insert(id);
        Ok(())
    }

    /// Records a person's word that a clock order was carried out by hand, which no reading can show. Returns the former delays of the clocks.
    pub(in crate::hall) fn clock_done_by_hand(
        &mut self,
        giving: &Giving<'_>,
        match_id: &str,
        act: u64,
    ) -> Result<GaveBefore, String> {
        let game = match_of(&mut self.matches, match_id)?;
        let before = game.gives_now();
        let order = game.clock_order_of(act)?;
        if !order.is_in_trouble(giving.at_ms) {
            return Err("the clock does it by command: wait for its answer".to_owned());
        }
        if !order.is_unseen() {
            return Err("the clock's reading will show it: wait for that".to_owned());
        }
        order.state = OrderState::Shown;
        self.orders.open.remove(&order.id);
        game.changed_input = giving.act;
        Ok(before)
    }

    /// Takes a clock order back that no hub has answered: it is sent no more.
    pub(in crate::hall) fn withdraw_clock(
        &mut self,
        giving: &Giving<'_>,
        match_id: &str,
        act: u64,
    ) -> Result<(), String> {
        let game = match_of(&mut self.matches, match_id)?;
        let order = game.clock_order_of(act)?;
        match order.state {
            OrderState::Sent => {}
            OrderState::Taken => {
                return Err(
                    "the hub has it already: its answer comes within half a minute".to_owned()
                );
            }
            OrderState::Ended(..) | OrderState::Shown => {
                return Err("it has ended already: order the contrary if it is wrong".to_owned());
            }
            OrderState::Withdrawn => return Err("it was taken back before".to_owned()),
        }
        order.state = OrderState::Withdrawn;
        self.orders.open.remove(&order.id);
        game.changed_input = giving.act;
        // The fact about the clock's delay that the hub has.
        self.withdraw_fact(giving, match_id, act);
        Ok(())
    }

    /// Records a hub's report on an order. An unknown order belongs to a log that was set back. Returns what
    /// clocks gave before.
    pub(in crate::hall) fn note_order(
        &mut self,
        input: u64,
        hub: &str,
        id: u64,
        news: OrderNews,
    ) -> Result<GaveBefore, String> {
        let game = self.orders.of.get(&id).and_then(|match_id| self.matches.get_mut(match_id));
        let game = game.ok_or_else(|| format!("order {id} was not given by this log"))?;
        if game.hub != hub {
            return Err(format!("order {id} is for hub {}", game.hub));
        }
        let before = game.gives_now();
        let Some(order) = game.orders.iter_mut().find(|order| order.id == id) else {
            return Ok(before);
        };
        order.hear(news);
        game.changed_input = input;
        self.orders.open.remove(&id);
        self.desk_changed = input;
        Ok(before)
    }

    /// The orders that no hub has answered, each with its match and whether its hub is there, in the order in which they were given.
    pub(in crate::hall) fn unanswered(&self) -> Vec<(&Game, &OrderCase)> {
        let case = |id: &u64| {
            let game = self.matches.get(self.orders.of.get(id)?)?;
            Some((game, game.orders.iter().find(|order| order.id == *id)?))
        };
        let mut cases: Vec<_> = self.orders.open.iter().filter_map(case).collect();
        cases.sort_by_key(|(_, order)| order.act);
        cases
    }

    /// Connected hubs, with the time of each hub's last message.
    pub(in crate::hall) fn hubs_heard(&self) -> impl Iterator<Item = (&str, HubHeard)> {
        let there = self.hubs.iter().filter(|(_, hub)| self.is_linked && hub.is_online());
        there.filter_map(|(id, hub)| Some((id, hub.heard()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hall::event::staff::DeviceId;

    #[test]
    fn an_order_is_named_by_its_act_and_by_nothing_else() {
        let source = |device, key: &str| Source { device: DeviceId(device), key: key.to_owned() };
        assert_eq!(order_id(&source(1, "a"), 0), order_id(&source(1, "a"), 0));
        assert_ne!(order_id(&source(1, "a"), 0), order_id(&source(2, "a"), 0));
        assert_ne!(order_id(&source(1, "a"), 0), order_id(&source(1, "b"), 0));
        assert_ne!(order_id(&source(1, "a"), 0), order_id(&source(1, "a"), 1));
    }

    /// An order of the first second to stop a clock.
    fn order(state: OrderState) -> OrderCase {
        OrderCase {
            id: 1,
            act: 1,
            by: "Ann".to_owned(),
            at_ms: 1_000,
            what: Ordered::Clock(BoardId::A, ClockChange::Pause),
            because: None,
            state,
            expected: None,
        }
    }

    #[test]
    fn what_no_hub_took_in_time_or_could_not_do_is_for_a_person() {
        let sent = order(OrderState::Sent);
        assert!(!sent.is_in_trouble(1_000 + ORDER_LIFE_MS - 1));
        assert!(sent.is_in_trouble(1_000 + ORDER_LIFE_MS));
        let ended = |outcome| order(OrderState::Ended(outcome, String::new()));
        assert!(ended(OrderOutcome::Refused).is_in_trouble(1_000));
        assert!(!ended(OrderOutcome::Done).is_in_trouble(u64::MAX));
        let taken = order(OrderState::Taken);
        assert!(!taken.is_in_trouble(1_000 + ENDED_MAX_MS - 1));
        assert!(taken.is_in_trouble(1_000 + ENDED_MAX_MS), "a hub that is away does not say it");
        assert!(!order(OrderState::Withdrawn).is_in_trouble(u64::MAX));
        assert!(!order(OrderState::Shown).is_in_trouble(u64::MAX));
    }

    #[test]
    fn that_a_hub_took_it_is_no_news_of_an_order_that_has_ended() {
        let done = OrderState::Ended(OrderOutcome::Done, String::new());
        let mut order = order(OrderState::Sent);
        order.hear(OrderNews::Ended(OrderOutcome::Done, String::new()));
        order.hear(OrderNews::Taken);
        assert_eq!(order.state, done);
    }

    #[test]
    fn what_was_taken_back_and_done_all_the_same_is_for_a_person() {
        let mut order = order(OrderState::Withdrawn);
        order.hear(OrderNews::Ended(OrderOutcome::Refused, String::new()));
        assert_eq!(order.state, OrderState::Withdrawn, "as wanted");
        order.hear(OrderNews::Ended(OrderOutcome::Done, String::new()));
        assert!(order.is_in_trouble(1_000));
    }
}
