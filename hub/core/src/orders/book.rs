//! A table's orders for its clocks and boards: one after the other, each with its name in the journal before its node gets it. Sans-IO.

use std::collections::VecDeque;

use proto::link::{CommandName, CommandOutcome, CommandResult, HubTime, Order as LinkOrder};
use proto::mqtt::message::OrderOutcome;

use super::{OrderKind, OrderRecord};
use crate::request::{Naming, NodeRequest};

/// Orders that may wait for the one before them.
const WAITING_MAX: usize = 32;
/// Ids of orders that are remembered: what is older comes too late anyway.
pub const KNOWN_MAX: usize = 4_096;
/// A node is asked for a name, or given its command, again after this time, in µs of wall time.
const AGAIN_US: u64 = 2_000_000;
/// Time without a name after which the node counts as disconnected, in µs of wall time.
const NAME_MAX_US: u64 = 5_000_000;
/// Time without an answer after which a command is abandoned, in µs of wall time: longer than the link tries.
const ANSWER_MAX_US: u64 = 30_000_000;

/// Answer for a board whose sensors need no calibration.
pub(crate) const NOTHING_TO_CALIBRATE: &str =
    "this board has no hall sensors: there is nothing to calibrate";
/// Answer to an order after its expiry.
pub(crate) const TOO_LATE: &str =
    "it waited too long and was not done: give it again if it is still wanted";

/// An order that a node can do: which node, and what it is to do there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Commanded {
    pub(crate) id: u64,
    pub(crate) match_id: String,
    pub(crate) node_id: String,
    pub(crate) command: LinkOrder,
    /// Hub time at which it expires, in µs; 0: never.
    pub(crate) expires_us: u64,
}

impl Commanded {
    /// Whether it has expired.
    fn is_over(&self, now: HubTime) -> bool {
        self.expires_us != 0 && now.as_micros() > self.expires_us
    }
}

/// An output of the book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BookOutput {
    /// A node is to be asked, now.
    Ask(NodeRequest),
    /// This is to be journalled, with its answer to the adjudicator; then the node is to be asked.
    Keep(OrderRecord, OrderAnswer, Option<NodeRequest>),
}

/// An answer to the adjudicator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OrderAnswer {
    /// The order is in the journal.
    Taken,
    /// Its outcome, with words if it failed.
    Ended(OrderOutcome, String),
}

/// The order that is being done.
#[derive(Clone, Debug)]
struct UnderWay {
    order: Commanded,
    /// None until the node has named it.
    name: Option<CommandName>,
    /// Whether the name is in the journal: before that the node must not get the command.
    is_kept: bool,
    /// Time at which it was begun, or given for the first time in this run.
    since: HubTime,
    again_at: HubTime,
}

impl UnderWay {
    /// The order has its name, and the journal has still to commit it: a full disk may take any time.
    fn waits_for_journal(&self) -> bool {
        self.name.is_some() && !self.is_kept
    }
}

/// The orders for the nodes of one table.
#[derive(Debug)]
pub(crate) struct OrderBook {
    known: VecDeque<u64>,
    waiting: VecDeque<Commanded>,
    under_way: Option<UnderWay>,
    outputs: VecDeque<BookOutput>,
    /// Seconds of hub time in a second of wall time.
    rate: f64,
}

impl OrderBook {
    pub(crate) fn new(rate: f64) -> OrderBook {
        let (known, waiting, outputs) = (VecDeque::new(), VecDeque::new(), VecDeque::new());
        OrderBook { known, waiting, under_way: None, outputs, rate }
    }

    /// Takes what the journal has, oldest first: a command that was given and not answered is given again under its name.
    pub(crate) fn recover(&mut self, now: HubTime, records: Vec<OrderRecord>) {
        for record in records {
            self.meet(record.id);
            let OrderRecord { id, match_id, kind, ended: None } = record else { continue };
            if let OrderKind::Clock { node_id, name, command } = kind
                && let Ok(command) = serde_json::from_str(&command)
            {
                let order = Commanded { id, match_id, node_id, command, expires_us: 0 };
                let (name, is_kept) = (Some(name), true);
                self.under_way = Some(UnderWay { order, name, is_kept, since: now, again_at: now });
            }
        }
    }

    /// Whether an order has been met before; it counts as met from now on.
    pub(crate) fn meet(&mut self, id: u64) -> bool {
        if self.known.contains(&id) {
            return true;
        }
        if self.known.len() >= KNOWN_MAX {
            self.known.pop_front();
        }
        self.known.push_back(id);
        false
    }

    /// Takes an order that can be done.
    pub(crate) fn take(&mut self, now: HubTime, order: Commanded) {
        if self.waiting.len() >= WAITING_MAX {
            let words = "too many orders for this table wait already: give it again";
            self.refuse(order.id, order.match_id, OrderOutcome::Refused, words);
            return;
        }
        self.waiting.push_back(order);
        self.begin(now);
    }

    /// Answers an order that nothing is begun of.
    pub(crate) fn refuse(
        &mut self,
        id: u64,
        match_id: String,
        outcome: OrderOutcome,
        words: impl Into<String>,
    ) {
        let record = OrderRecord { id, match_id, kind: OrderKind::Refused, ended: Some(outcome) };
        let answer = OrderAnswer::Ended(outcome, words.into());
        self.outputs.push_back(BookOutput::Keep(record, answer, None));
    }

    /// A node has answered how a command would be named there.
    pub(crate) fn named(&mut self, now: HubTime, id: u64, naming: Naming) {
        let Some(under_way) = &mut self.under_way else { return };
        if under_way.order.id != id || under_way.name.is_some() {
            return;
        }
        match naming {
            Naming::Name(name) => {
                under_way.name = Some(name);
                let order = &under_way.order;
                let record = record(order, name, None);
                let request = give(order, name);
                self.outputs.push_back(BookOutput::Keep(record, OrderAnswer::Taken, Some(request)));
            }
            Naming::NotNow => {}
            Naming::Unsupported => {
                let (outcome, words) = match under_way.order.command {
                    LinkOrder::LearnBaseline(_) => (OrderOutcome::Refused, NOTHING_TO_CALIBRATE),
                    _ => {
                        (OrderOutcome::Unsupported, "this clock takes no commands: set it by hand")
                    }
                };
                self.give_up(now, outcome, words);
            }
        }
    }

    /// The journal has the name of a command, and the node must get the command. False: the order has expired, because the journal was
    /// so late; then it ends.
    pub(crate) fn kept(&mut self, now: HubTime, id: u64) -> bool {
        let again_at = self.after(now, AGAIN_US);
        let Some(under_way) = self.under_way.as_mut().filter(|it| it.order.id == id) else {
            return false;
        };
        let (Some(name), order) = (under_way.name, &under_way.order) else { return false };
        if order.is_over(now) {
            let record = record(order, name, Some(OrderOutcome::Refused));
            let answer = OrderAnswer::Ended(OrderOutcome::Refused, TOO_LATE.to_owned());
            self.outputs.push_back(BookOutput::Keep(record, answer, None));
            self.under_way = None;
            self.begin(now);
            return false;
        }
        (under_way.is_kept, under_way.since, under_way.again_at) = (true, now, again_at);
        true
    }

    /// Handles a node's outcome of a command.
    pub(crate) fn answered(&mut self, now: HubTime, id: u64, outcome: CommandOutcome) {
        let Some(under_way) = self.under_way.as_ref().filter(|it| it.order.id == id) else {
            return;
        };
        let Some(name) = under_way.name else { return };
        let (outcome, words) = words_of(&under_way.order.command, outcome);
        let record = record(&under_way.order, name, Some(outcome));
        let answer = OrderAnswer::Ended(outcome, words.to_owned());
        self.outputs.push_back(BookOutput::Keep(record, answer, None));
        self.under_way = None;
        self.begin(now);
    }

    /// Repeats requests, and abandons orders that have taken too long.
    pub(crate) fn poll(&mut self, now: HubTime) {
        let Some(under_way) = self.under_way.as_ref().filter(|it| !it.waits_for_journal()) else {
            return;
        };
        let passed_us = now.micros_since(under_way.since);
        let most_us = if under_way.name.is_some() { ANSWER_MAX_US } else { NAME_MAX_US };
        if passed_us as f64 > most_us as f64 * self.rate {
            match under_way.name {
                Some(_) => {
                    self.answered(now, under_way.order.id, CommandOutcome::Unanswered);
                }
                None => {
                    let words = match under_way.order.command {
                        LinkOrder::LearnBaseline(_) => {
                            "the board does not answer: check its cable, and try again"
                        }
                        _ => "the clock does not answer: check its cable, or set it by hand",
                    };
                    self.give_up(now, OrderOutcome::Refused, words);
                }
            }
            return;
        }
        if now >= under_way.again_at {
            let request = match under_way.name {
                Some(name) => give(&under_way.order, name),
                None => name_it(&under_way.order),
            };
            let again_at = self.after(now, AGAIN_US);
            if let Some(under_way) = &mut self.under_way {
                under_way.again_at = again_at;
            }
            self.outputs.push_back(BookOutput::Ask(request));
        }
    }

    /// Time at which [`Self::poll`] must be called.
    pub(crate) fn next_due(&self) -> Option<HubTime> {
        Some(self.under_way.as_ref().filter(|it| !it.waits_for_journal())?.again_at)
    }

    pub(crate) fn poll_output(&mut self) -> Option<BookOutput> {
        self.outputs.pop_front()
    }

    /// Begins the next order that is still expected: the ones before it may have waited long for their node.
    fn begin(&mut self, now: HubTime) {
        while self.under_way.is_none()
            && let Some(order) = self.waiting.pop_front()
        {
            if order.is_over(now) {
                self.refuse(order.id, order.match_id, OrderOutcome::Refused, TOO_LATE);
                continue;
            }
            self.outputs.push_back(BookOutput::Ask(name_it(&order)));
            let again_at = self.after(now, AGAIN_US);
            let (name, is_kept) = (None, false);
            self.under_way = Some(UnderWay { order, name, is_kept, since: now, again_at });
        }
    }

    /// Ends the current order, which the node has not received.
    fn give_up(&mut self, now: HubTime, outcome: OrderOutcome, words: &str) {
        if let Some(UnderWay { order, .. }) = self.under_way.take() {
            self.refuse(order.id, order.match_id, outcome, words);
        }
        self.begin(now);
    }

    fn after(&self, now: HubTime, wall_us: u64) -> HubTime {
        now.plus_micros((wall_us as f64 * self.rate) as u64)
    }
}

fn name_it(order: &Commanded) -> NodeRequest {
    NodeRequest::Name { node_id: order.node_id.clone(), order_id: order.id }
}

fn give(order: &Commanded, name: CommandName) -> NodeRequest {
    let Commanded { id, node_id, command, .. } = order.clone();
    NodeRequest::Give { node_id, order_id: id, name, command }
}

fn record(order: &Commanded, name: CommandName, ended: Option<OrderOutcome>) -> OrderRecord {
    let Commanded { id, match_id, node_id, command, .. } = order.clone();
    let command = serde_json::to_string(&command).unwrap_or_default();
    OrderRecord { id, match_id, kind: OrderKind::Clock { node_id, name, command }, ended }
}

/// Outcome of a command, for the adjudicator and in words.
fn words_of(command: &LinkOrder, outcome: CommandOutcome) -> (OrderOutcome, &'static str) {
    if let LinkOrder::LearnBaseline(_) = command {
        return words_of_calibration(outcome);
    }
    match outcome {
        CommandOutcome::Answered(CommandResult::Done) => (OrderOutcome::Done, ""),
        CommandOutcome::Answered(CommandResult::Unsupported) => {
            (OrderOutcome::Unsupported, "this clock cannot do that: do it by hand")
        }
        CommandOutcome::Answered(CommandResult::OutOfRange) => (
            OrderOutcome::OutOfRange,
            "the clock cannot show such a time; nothing was changed: give another one",
        ),
        CommandOutcome::Answered(CommandResult::NotNow) => {
            (OrderOutcome::Refused, "the clock cannot do that now: give it again")
        }
        CommandOutcome::Answered(CommandResult::NumberTaken) => (
            OrderOutcome::Unknown,
            "another program has commanded this clock at the same time: look at it, and set it by hand if it is wrong",
        ),
        CommandOutcome::Interrupted => (
            OrderOutcome::Unknown,
            "the clock has restarted and lost its times: look at it and set it by hand",
        ),
        CommandOutcome::Unanswered => (
            OrderOutcome::Unknown,
            "the clock has not answered, and it may have been done: look at it, and set it by hand if it is wrong",
        ),
    }
}

/// Outcome of a board's calibration, likewise.
fn words_of_calibration(outcome: CommandOutcome) -> (OrderOutcome, &'static str) {
    match outcome {
        CommandOutcome::Answered(CommandResult::Done) => (OrderOutcome::Done, ""),
        CommandOutcome::Answered(CommandResult::Unsupported) => {
            (OrderOutcome::Refused, NOTHING_TO_CALIBRATE)
        }
        CommandOutcome::Answered(CommandResult::NotNow | CommandResult::OutOfRange) => (
            OrderOutcome::Refused,
            "a square that should be empty reads a piece: clear it, and calibrate again",
        ),
        CommandOutcome::Answered(CommandResult::NumberTaken)
        | CommandOutcome::Interrupted
        | CommandOutcome::Unanswered => {
            (OrderOutcome::Unknown, "the board has not confirmed its calibration: calibrate again")
        }
    }
}

#[cfg(test)]
mod tests {
    use proto::link::{ClockDelay, DelayKind};

    use super::*;

    const NAME: CommandName = CommandName { boot_id: 4, request: 9 };

    fn order(id: u64) -> Commanded {
        let (match_id, node_id) = ("m".to_owned(), "clock-a".to_owned());
        Commanded { id, match_id, node_id, command: LinkOrder::PauseClock, expires_us: 0 }
    }

    fn at(seconds: u64) -> HubTime {
        HubTime::from_micros(seconds * 1_000_000)
    }

    fn outputs(book: &mut OrderBook) -> Vec<BookOutput> {
        std::iter::from_fn(|| book.poll_output()).collect()
    }

    #[test]
    fn a_node_hears_of_a_command_only_with_the_commit_of_its_name() {
        let mut book = OrderBook::new(1.0);
        book.take(at(0), order(1));
        assert_eq!(outputs(&mut book), [BookOutput::Ask(name_it(&order(1)))]);
        book.named(at(0), 1, Naming::Name(NAME));
        let kept = outputs(&mut book);
        let [BookOutput::Keep(record, OrderAnswer::Taken, Some(request))] = &kept[..] else {
            panic!("{kept:?}")
        };
        assert_eq!(*request, give(&order(1), NAME));
        assert_eq!(record.ended, None);
        // A disk is full for a minute: nothing is sent to the node, and nothing abandoned.
        book.poll(at(60));
        assert_eq!((outputs(&mut book), book.next_due()), (vec![], None));
        assert!(book.kept(at(60), 1));
        book.poll(at(62));
        assert_eq!(outputs(&mut book), [BookOutput::Ask(give(&order(1), NAME))]);
        book.answered(at(63), 1, CommandOutcome::Answered(CommandResult::Done));
        let kept = outputs(&mut book);
        let [BookOutput::Keep(record, OrderAnswer::Ended(OrderOutcome::Done, _), None)] = &kept[..]
        else {
            panic!("{kept:?}")
        };
        assert_eq!(record.ended, Some(OrderOutcome::Done));
    }

    #[test]
    fn what_was_given_before_a_kill_is_given_again_under_the_same_name() {
        let mut book = OrderBook::new(1.0);
        book.recover(at(0), vec![record(&order(1), NAME, None)]);
        assert!(book.meet(1), "and is known when it comes again");
        book.poll(at(0));
        assert_eq!(outputs(&mut book), [BookOutput::Ask(give(&order(1), NAME))]);
    }

    #[test]
    fn an_order_waits_for_the_one_before_it() {
        let mut book = OrderBook::new(1.0);
        book.take(at(0), order(1));
        book.take(at(0), order(2));
        assert_eq!(outputs(&mut book).len(), 1);
        book.named(at(0), 1, Naming::Unsupported);
        let said = outputs(&mut book);
        assert!(matches!(
            said[0],
            BookOutput::Keep(_, OrderAnswer::Ended(OrderOutcome::Unsupported, _), None)
        ));
        assert_eq!(said[1], BookOutput::Ask(name_it(&order(2))));
    }

    #[test]
    fn what_waited_too_long_for_the_order_before_it_is_not_begun() {
        let mut book = OrderBook::new(1.0);
        book.take(at(0), order(1));
        book.take(at(0), Commanded { expires_us: 3_000_000, ..order(2) });
        book.take(at(0), Commanded { expires_us: 60_000_000, ..order(3) });
        outputs(&mut book);
        book.poll(at(6));
        let said = outputs(&mut book);
        let ended = |output: &BookOutput| match output {
            BookOutput::Keep(record, OrderAnswer::Ended(OrderOutcome::Refused, _), None) => {
                Some(record.id)
            }
            _ => None,
        };
        assert_eq!(said.iter().map(ended).collect::<Vec<_>>(), [Some(1), Some(2), None]);
        assert_eq!(said[2], BookOutput::Ask(name_it(&order(3))));
    }

    #[test]
    fn what_the_journal_took_too_late_is_not_given() {
        let mut book = OrderBook::new(1.0);
        book.take(at(0), Commanded { expires_us: 60_000_000, ..order(1) });
        book.named(at(1), 1, Naming::Name(NAME));
        outputs(&mut book);
        assert!(!book.kept(at(61), 1));
        let said = outputs(&mut book);
        let [BookOutput::Keep(record, OrderAnswer::Ended(OrderOutcome::Refused, _), None)] =
            &said[..]
        else {
            panic!("{said:?}")
        };
        assert_eq!(record.ended, Some(OrderOutcome::Refused));
    }

    #[test]
    fn a_node_that_is_away_is_given_up_before_it_hears_anything() {
        let mut book = OrderBook::new(1.0);
        book.take(at(0), order(1));
        outputs(&mut book);
        book.poll(at(3));
        assert_eq!(outputs(&mut book), [BookOutput::Ask(name_it(&order(1)))]);
        book.poll(at(6));
        let said = outputs(&mut book);
        assert!(matches!(
            said[0],
            BookOutput::Keep(_, OrderAnswer::Ended(OrderOutcome::Refused, _), None)
        ));
        book.named(at(7), 1, Naming::Name(NAME));
        assert_eq!(outputs(&mut book), [], "nobody waits for the name any more");
    }

    #[test]
    fn a_delay_that_was_not_answered_is_given_again_after_a_restart_as_it_was_journalled() {
        let delay = ClockDelay { delay_ms: 5_000, delay_kind: DelayKind::Bronstein };
        let order = Commanded { command: LinkOrder::SetDelay(delay), ..order(1) };
        let mut book = OrderBook::new(1.0);
        book.recover(at(0), vec![record(&order, NAME, None)]);
        book.poll(at(0));
        assert_eq!(outputs(&mut book), [BookOutput::Ask(give(&order, NAME))]);
    }

    #[test]
    fn a_command_without_an_answer_ends_with_what_is_not_known() {
        let mut book = OrderBook::new(1.0);
        book.recover(at(0), vec![record(&order(1), NAME, None)]);
        book.poll(at(31));
        let said = outputs(&mut book);
        assert!(matches!(
            said[0],
            BookOutput::Keep(_, OrderAnswer::Ended(OrderOutcome::Unknown, _), None)
        ));
    }
}
