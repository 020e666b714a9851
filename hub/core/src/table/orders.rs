//! Directors' orders at a table: possible ones are begun, impossible ones answered, and a match with a new fact is followed again.

use proto::link::{
    ClockDelay, DelayKind, HubTime, Order as LinkOrder, Standing, TimeControl as LinkControl,
};
use proto::mqtt::message::{self, NodeTimed, OrderEnded, OrderOutcome, OrderTaken, row::Event};
use rules::{BoardId, PerMove, TimeControl};

use super::reviews::{Reviewed, Wanted, check};
use super::zero_test::Ended;
use super::{Table, TableOutput, Waiting, WaitingInput};
use crate::journal::OutgoingEvent;
use crate::journal_line::{FactLine, FactTag};
use crate::orders::{
    BookOutput, ClockChange, Commanded, NOTHING_TO_CALIBRATE, Order, OrderAnswer, OrderKind,
    OrderRecord, What,
};
use crate::settings::{self, NodeKind};

const ANOTHER_MATCH: &str = "another match is at this table by now: nothing was changed";

impl Table {
    /// Takes up what was ordered before the hub stopped.
    pub(super) fn recover_orders(&mut self, now: HubTime, records: Vec<OrderRecord>) {
        let of_facts = |record: &&OrderRecord| {
            let is_of_facts =
                matches!(record.kind, OrderKind::Fact(_) | OrderKind::FactWithdrawn(_));
            is_of_facts && record.ended.is_none()
        };
        let waiting: Vec<String> =
            records.iter().filter(of_facts).map(|record| record.match_id.clone()).collect();
        for match_id in waiting.iter().filter(|id| self.session.match_id() != Some(id)) {
            self.reviews.want(match_id);
        }
        self.recover_facts(now, records.iter().filter(of_facts));
        self.orders.recover(now, records);
    }

    /// Takes an order: one that was met before has been answered, or will be.
    pub(super) fn take_order(&mut self, now: HubTime, order: Order) {
        if self.orders.meet(order.id) {
            return;
        }
        let Order { id, match_id, expires_us, what, .. } = order;
        if expires_us != 0 && now.as_micros() > expires_us {
            let words = "it came too late to the hub: give it again if it is still wanted";
            self.orders.refuse(id, match_id, OrderOutcome::Refused, words);
            return;
        }
        match what {
            What::Clock(board, change) => {
                self.take_clock_order(now, (id, expires_us), match_id, (board, change));
            }
            What::Fact(line) => {
                if let Err(words) = check(&match_id, &line) {
                    self.orders.refuse(id, match_id, OrderOutcome::Refused, words);
                    return;
                }
                self.keep_fact(
                    now,
                    OrderRecord { id, match_id, kind: OrderKind::Fact(line), ended: None },
                );
            }
            What::Evidence(from_us, to_us) => {
                let wanted = Wanted { order_id: id, match_id: match_id.clone(), from_us, to_us };
                if !self.reviews.show(wanted) {
                    let words = "the hub looks at too much already: ask again";
                    self.orders.refuse(id, match_id, OrderOutcome::Refused, words);
                }
            }
            What::ZeroTest => self.begin_zero_test(now, id, match_id),
            What::Baseline(board, standing) => {
                self.take_calibration(now, (id, expires_us), match_id, (board, standing));
            }
            What::FactWithdrawn(of) => {
                let kind = OrderKind::FactWithdrawn(of);
                self.keep_fact(now, OrderRecord { id, match_id, kind, ended: None });
            }
        }
    }

    /// Words for an order of a match that is not the open one.
    fn why_not_open(&self, match_id: &str) -> Option<&'static str> {
        match self.session.match_id() {
            Some(open) if open == match_id => None,
            Some(_) => Some(ANOTHER_MATCH),
            None => Some("this match is over at its table: nothing was changed"),
        }
    }

    fn take_clock_order(
        &mut self,
        now: HubTime,
        (id, expires_us): (u64, u64),
        match_id: String,
        (board, change): (BoardId, ClockChange),
    ) {
        if let Some(words) = self.why_not_open(&match_id) {
            self.orders.refuse(id, match_id, OrderOutcome::Refused, words);
            return;
        }
        let table = &self.settings.table;
        let node = table.nodes.iter().find(|node| node.board == board && node.has_clock());
        match (node, command(table, change)) {
            (Some(node), Some(command)) => {
                let node_id = node.id.clone();
                self.orders.take(now, Commanded { id, match_id, node_id, command, expires_us });
            }
            (None, _) => {
                let words =
                    format!("board {board} has no clock that takes commands: do it by hand");
                self.orders.refuse(id, match_id, OrderOutcome::Unsupported, words);
            }
            (_, None) => {
                let words = "no clock of ours can be set to this time control: set it by hand";
                self.orders.refuse(id, match_id, OrderOutcome::Unsupported, words);
            }
        }
    }

    /// Begins the calibration of a board, which its node refuses while a square that should be empty reads a piece.
    fn take_calibration(
        &mut self,
        now: HubTime,
        (id, expires_us): (u64, u64),
        match_id: String,
        (board, standing): (BoardId, Standing),
    ) {
        let nodes = &self.settings.table.nodes;
        let node = nodes.iter().find(|node| node.board == board && node.kind == NodeKind::Board);
        let (outcome, words) = if self.session.is_in_play() {
            let words = "the match is being played: a board is calibrated before or after it";
            (OrderOutcome::Refused, words)
        } else if self.session.match_id().is_some_and(|open| open != match_id) {
            (OrderOutcome::Refused, ANOTHER_MATCH)
        } else if let Some(node) = node {
            let (node_id, command) = (node.id.clone(), LinkOrder::LearnBaseline(standing));
            self.orders.take(now, Commanded { id, match_id, node_id, command, expires_us });
            return;
        } else {
            (OrderOutcome::Refused, NOTHING_TO_CALIBRATE)
        };
        self.orders.refuse(id, match_id, outcome, words);
    }

    /// Begins a zero test, which ends by itself: see [`super::zero_test`].
    fn begin_zero_test(&mut self, now: HubTime, id: u64, match_id: String) {
        let has_clock = |board| self.settings.table.has_clock(board);
        let (outcome, words) = if !BoardId::ALL.into_iter().all(has_clock) {
            let words = "a zero test compares the clocks of two boards, and this table has not two that are read";
            (OrderOutcome::Unsupported, words)
        } else if let Some(words) = self.why_not_open(&match_id) {
            (OrderOutcome::Refused, words)
        } else if self.session.is_in_play() {
            (OrderOutcome::Refused, "the match is being played: a zero test is done before it")
        } else if !self.zero_test.begin(now, id, match_id.clone()) {
            (
                OrderOutcome::Refused,
                "a zero test is running at this table: press both clocks together eight times",
            )
        } else {
            return;
        };
        self.orders.refuse(id, match_id, outcome, words);
    }

    /// Publishes the error of a node's times.
    pub(super) fn publish_error(
        &mut self,
        now: HubTime,
        node_id: String,
        at: BoardId,
        error_us: u32,
    ) {
        if self.errors_us.insert(node_id.clone(), error_us) == Some(error_us) {
            return;
        }
        let board = match at {
            BoardId::A => message::Board::A,
            BoardId::B => message::Board::B,
        };
        self.answer_with(
            now,
            Event::NodeTimed(NodeTimed { node_id, board: board.into(), error_us }),
        );
    }

    /// Gives the session the facts that it had not received when the hub stopped.
    fn recover_facts<'a>(
        &mut self,
        now: HubTime,
        records: impl Iterator<Item = &'a OrderRecord> + Clone,
    ) {
        let withdrawn: Vec<u64> = records
            .clone()
            .filter_map(|record| match record.kind {
                OrderKind::FactWithdrawn(of) => Some(of),
                _ => None,
            })
            .collect();
        for record in records {
            let is_news = match &record.kind {
                OrderKind::FactWithdrawn(of) => self.session.knows_fact(*of),
                _ => !withdrawn.contains(&record.id) && !self.session.knows_fact(record.id),
            };
            if is_news {
                self.follow_with(now, record);
            }
        }
    }

    /// Gives the session a fact of its open match, at its place among the readings.
    fn follow_with(&mut self, now: HubTime, record: &OrderRecord) {
        let (order, fact) = match &record.kind {
            OrderKind::Fact(line) => (record.id, Some(line.clone())),
            OrderKind::FactWithdrawn(of) => (*of, None),
            OrderKind::Clock { .. } | OrderKind::Refused => return,
        };
        if self.session.match_id() != Some(&record.match_id) {
            return;
        }
        let at = now;
        let match_id = record.match_id.clone();
        let line =
            FactLine { t_us: at.as_micros(), kind: FactTag::FactTold, match_id, order, fact };
        self.reorder.push(at, Waiting { what: Some(WaitingInput::Fact(line)), offset: None });
    }

    /// Keeps the facts of a match. While it is played it is followed again at once, and when it is over once more.
    fn keep_fact(&mut self, now: HubTime, record: OrderRecord) {
        if self.session.match_id() != Some(&record.match_id) {
            self.reviews.want(&record.match_id);
        }
        self.follow_with(now, &record);
        self.answer(now, record.id, OrderAnswer::Taken);
        self.entry.orders.push(record);
    }

    /// Lets time pass for the orders, and hands on what they want.
    pub(super) fn follow_orders(&mut self, now: HubTime) {
        self.orders.poll(now);
        if let Some(Ended { order_id, tested, outcome, words }) = self.zero_test.poll(now) {
            tested.into_iter().for_each(|event| self.answer_with(now, event));
            self.answer(now, order_id, OrderAnswer::Ended(outcome, words));
        }
        while let Some(output) = self.orders.poll_output() {
            match output {
                // A port that is too busy is asked again.
                BookOutput::Ask(request) => self.outputs.push_back(TableOutput::Ask(request)),
                BookOutput::Keep(record, answer, request) => {
                    self.answer(now, record.id, answer);
                    self.entry.orders.push(record);
                    self.requests.extend(request);
                }
            }
        }
    }

    fn answer(&mut self, now: HubTime, order_id: u64, answer: OrderAnswer) {
        let event = match answer {
            OrderAnswer::Taken => Event::OrderTaken(OrderTaken { order_id }),
            OrderAnswer::Ended(outcome, detail) => {
                Event::OrderEnded(OrderEnded { order_id, outcome: outcome.into(), detail })
            }
        };
        self.answer_with(now, event);
    }

    fn answer_with(&mut self, now: HubTime, event: Event) {
        self.entry.answers.push(OutgoingEvent { at: now, event });
    }

    /// Publishes the result of following a match again.
    pub(super) fn take_review(&mut self, now: HubTime, reviewed: Reviewed) {
        self.reviews.done(now, reviewed.again);
        self.outputs.extend(reviewed.notice.map(TableOutput::Notice));
        for event in reviewed.events {
            self.answer_with(now, event);
        }
        for (record, outcome, words) in reviewed.ended {
            self.answer(now, record.id, OrderAnswer::Ended(outcome, words));
            self.entry.orders.push(OrderRecord { ended: Some(outcome), ..record });
        }
    }
}

/// Command to a clock node; none if the clock cannot be set so.
fn command(table: &settings::TableConfig, change: ClockChange) -> Option<LinkOrder> {
    Some(match change {
        ClockChange::SetAnew => LinkOrder::SetClock(control(&table.time)?),
        ClockChange::Adjust(adjustment) => LinkOrder::AdjustClock(adjustment),
        ClockChange::Pause => LinkOrder::PauseClock,
        ClockChange::Resume => LinkOrder::ResumeClock,
        ClockChange::Delay(per_move) => LinkOrder::SetDelay(clock_delay(per_move)?),
    })
}

/// A time control of one period as our clocks know it.
fn control(time: &TimeControl) -> Option<LinkControl> {
    let [period] = time.periods() else { return None };
    let base_ms = period.base_s.checked_mul(1_000)?;
    let ClockDelay { delay_ms, delay_kind } = clock_delay(time.per_move())?;
    let control = LinkControl { white_ms: base_ms, black_ms: base_ms, delay_ms, delay_kind };
    control.is_valid().then_some(control)
}

/// A delay as our clocks know it; none if it is longer than theirs.
fn clock_delay(per_move: PerMove) -> Option<ClockDelay> {
    let (delay_s, delay_kind) = match (per_move.increment_s(), per_move.delay()) {
        (0, rules::DelayKind::Us) => (per_move.delay_s(), DelayKind::Delay),
        (0, rules::DelayKind::Bronstein) => (per_move.delay_s(), DelayKind::Bronstein),
        (increment_s, _) => (increment_s, DelayKind::Increment),
    };
    let delay = ClockDelay { delay_ms: delay_s.checked_mul(1_000)?, delay_kind };
    delay.is_valid().then_some(delay)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_set_to_the_tables_time_control() {
        let blitz = TimeControl::sudden_death(300, 2).unwrap();
        let control = control(&blitz).unwrap();
        assert_eq!((control.white_ms, control.delay_ms), (300_000, 2_000));
        assert_eq!(control.delay_kind, DelayKind::Delay);
    }

    #[test]
    fn every_kind_of_delay_has_its_kind_at_the_clock() {
        let kind = |increment_s, delay_s, kind| {
            clock_delay(PerMove::new(increment_s, delay_s, kind).unwrap())
        };
        let delay = |delay_ms, delay_kind| Some(ClockDelay { delay_ms, delay_kind });
        assert_eq!(kind(0, 5, rules::DelayKind::Us), delay(5_000, DelayKind::Delay));
        assert_eq!(kind(0, 5, rules::DelayKind::Bronstein), delay(5_000, DelayKind::Bronstein));
        assert_eq!(kind(2, 0, rules::DelayKind::Us), delay(2_000, DelayKind::Increment));
        assert_eq!(kind(0, 0, rules::DelayKind::Us), delay(0, DelayKind::Delay));
        assert_eq!(kind(0, 100, rules::DelayKind::Us), None);
    }
}
