//! Orders of directors: given at the desk, sent down until a hub answers, done by a clock. The final state of each is compared with its clock's
//! actions.

use delivery::{Moment, Transmit, Unanswered};
use hub_core::hub::HubInput;
use hub_core::input::{INPUTS_MAX, NodeInput};
use hub_core::orders::{Order, OrderKind, OrderRecord};
use hub_core::table::{Job, Reviewed};
use proto::mqtt::Topic;
use proto::mqtt::message::{Command, OrderOutcome, Orders, command};

use super::{EPOCH_US, Event, Who, World};
use crate::director::Given;
use crate::floor::{Floor, check_trace};
use crate::hub::Hub;
use crate::outcome::{Observer, Violation};
use crate::plan::{Ordered, TableAt};
use crate::sabotage::Sabotage;
use crate::store::OrderState;

/// Interval at which the adjudicator checks for orders to be sent, as in the program, µs.
const LOOK_US: u64 = 100_000;

impl<O: Observer> World<'_, O> {
    /// A director orders something for the match at a table. While the adjudicator is away nobody can.
    pub(super) fn give_order(&mut self, index: usize) {
        let (_, TableAt { hub, table }, what) = self.plan.orders[index];
        let Some(floor) = self.floors.get(&hub) else { return };
        let open = floor.process.as_ref().and_then(|it| it.match_id(table));
        let (Some(match_id), true) = (open, self.adjudicator.is_some() && !self.store.is_full)
        else {
            return;
        };
        let table = floor.tables[table].table.name.clone();
        let (hub, match_id) = (self.hubs[hub].id.clone(), match_id.to_owned());
        let given = Given { at_us: self.now_us, hub, table, match_id, what };
        let id = self.desk.give(given);
        self.counts.orders += 1;
        self.store.give(id);
        self.log("director", &format!("orders {id}: {what:?}"));
    }

    /// The adjudicator begins to look what is to be sent.
    pub(super) fn look_for_orders(&mut self, incarnation: u64) {
        if !self.plan.orders.is_empty() {
            self.after(LOOK_US, Event::Look(incarnation));
        }
    }

    pub(super) fn send_orders(&mut self, incarnation: u64) {
        let Some(process) = &mut self.adjudicator else { return };
        if process.incarnation != incarnation {
            return;
        }
        let now_us = EPOCH_US + self.now_us;
        let (store, there) = (&self.store, &process.hubs_there);
        let hub_us = |hub: &str| store.hub_time_us(hub, now_us).filter(|_| there.contains(hub));
        let open: Vec<(u64, &Given)> = self
            .store
            .orders()
            .filter(|(_, state)| *state == OrderState::Sent)
            .filter_map(|(id, _)| Some((id, self.desk.order(id)?)))
            .collect();
        let unanswered: Vec<Unanswered<'_>> =
            open.iter().map(|(id, given)| unanswered(*id, given)).collect();
        let mut sent = Vec::new();
        if process.receiver.is_up() {
            let now = Moment { wall_ms: now_us / 1_000, run_ms: self.now_us / 1_000 };
            let due = process.outbox.due(&unanswered, now, hub_us, 1.0);
            for (mut hub, due) in due {
                if self.sabotage == Sabotage::OrdersGoToTheFirstHub {
                    hub = crate::hub::id(0);
                }
                let order = |due: &delivery::Due| self.desk.wire(open[due.index].0, due.expires_us);
                let orders = Orders { orders: due.iter().filter_map(order).collect() };
                let command = Command { command: Some(command::Command::Orders(orders)) };
                sent.extend(due.iter().map(|due| open[due.index].0));
                process.client.take(command_to(&hub, &command));
            }
            if self.sabotage == Sabotage::OrdersAreSentOnce {
                open.iter().for_each(|(id, _)| self.store.note_sent_for_good(*id));
            }
        }
        if !sent.is_empty() {
            self.log("adjudicator", &format!("sends orders {sent:?}"));
        }
        self.send_next(Who::Adjudicator);
        self.after(LOOK_US, Event::Look(incarnation));
    }

    /// Orders received for a hub: its tables take them as far as the hub's queues have room. Others are redelivered. Queues
    /// that a plan makes short keep ports waiting; an order, which does not wait, would get into one by luck alone.
    pub(super) fn take_commands(&mut self, hub: usize, commands: Vec<Command>) {
        let Some(mut floor) = self.floors.remove(&hub) else { return };
        let orders = commands.into_iter().filter_map(|command| match command.command {
            Some(command::Command::Orders(orders)) => Some(orders.orders),
            _ => None,
        });
        for order in orders.flatten() {
            let Ok(order) = Order::read(order) else { continue };
            let Some(table) = floor.table_named(&order.table) else { continue };
            self.log(&format!("hub {hub}"), &format!("hears order {}", order.id));
            let Some(process) = &mut floor.process else { continue };
            let (id, now) = (process.tables[table].id, process.now(self.now_us));
            if process.hub.table(id).is_some_and(|(_, waiting)| waiting < INPUTS_MAX) {
                process.hub.handle(now, HubInput::Node(id, NodeInput::Order(order)));
                self.wake(&mut floor);
            }
        }
        self.floors.insert(hub, floor);
    }

    /// Looks a match up: people's facts are confirmed, and nothing else is requested. Its trace has the true times.
    pub(super) fn review(&self, floor: &mut Floor, table: usize, job: &Job) -> Reviewed {
        let Job::Review(match_id) = job else { return Reviewed::default() };
        let Hub { journal, was_set_back, .. } = &self.hubs[floor.hub];
        let lateness = floor.plan.lateness();
        if let Some((opened, trace)) = journal.trace_sabotaged(match_id, self.sabotage)
            && !was_set_back
            && let Err(what) = check_trace(floor, table, opened.as_micros(), &trace, lateness)
        {
            floor.broken.get_or_insert(format!("the trace of {match_id}: {what}"));
        }
        let is_open_fact = |record: &OrderRecord| {
            let is_fact = matches!(record.kind, OrderKind::Fact(_) | OrderKind::FactWithdrawn(_));
            is_fact && record.ended.is_none() && record.match_id == *match_id
        };
        let records = journal.orders(&floor.tables[table].table.name, usize::MAX).into_iter();
        let ended = records
            .filter(is_open_fact)
            .map(|record| (record, OrderOutcome::Done, String::new()))
            .collect();
        Reviewed { ended, ..Reviewed::default() }
    }

    /// The hub that an order is for.
    fn hub_of(&self, given: &Given) -> Option<&Hub> {
        self.hubs.iter().find(|hub| hub.id == given.hub)
    }

    /// Whether a hub's orders cannot be judged: it has lost its state of them, or the log its reports.
    fn may_forget(&self, hub: &Hub) -> bool {
        hub.was_set_back || self.store.has_lost_rows_of(&hub.id)
    }

    /// An order of which directors wait to hear, in words.
    pub(super) fn unsettled_order(&self) -> Option<String> {
        let now_ms = (EPOCH_US + self.now_us) / 1_000;
        let is_open = |(id, state): &(u64, OrderState)| {
            let Some(given) = self.desk.order(*id) else { return false };
            if self.hub_of(given).is_none_or(|hub| self.may_forget(hub)) {
                return false;
            }
            let is_clocks = matches!(given.what, Ordered::Clock { .. });
            match state {
                OrderState::Sent => !unanswered(*id, given).is_too_late(now_ms),
                OrderState::Taken => is_clocks,
                OrderState::Ended(_) => false,
            }
        };
        let (id, state) = self.store.orders().find(is_open)?;
        Some(format!("order {id} is {state:?}"))
    }

    /// No clock was changed twice; what directors know of each order is what its clock did.
    pub(super) fn check_orders(&self) -> Result<(), Violation> {
        let wrong = |what: String| Err(Violation::Order(what));
        for id in self.desk.ids() {
            let Some(given) = self.desk.order(id) else { continue };
            let Some(hub) = self.hub_of(given) else { continue };
            let boots = self.floors.values().flat_map(|it| &it.nodes).flat_map(|node| &node.boots);
            let times = boots.flat_map(|boot| &boot.done).filter(|done| **done == id).count();
            if times > 1 && !hub.was_set_back {
                return wrong(format!("order {id} was done {times} times"));
            }
            let told = self.facts_told(id);
            if told > 1 && !hub.was_set_back {
                return wrong(format!("fact {id} was published {told} times"));
            }
            let Some((_, state)) = self.store.orders().find(|(of, _)| *of == id) else { continue };
            if self.may_forget(hub) {
                continue;
            }
            let is_clocks = matches!(given.what, Ordered::Clock { .. });
            let is_true = match state {
                OrderState::Ended(OrderOutcome::Done) => !is_clocks || times == 1,
                // It is unknown, and people are notified of that.
                OrderState::Ended(OrderOutcome::Unknown) | OrderState::Taken => true,
                OrderState::Ended(_) | OrderState::Sent => times == 0,
            };
            if !is_true {
                return wrong(format!(
                    "order {id} is {state:?} to directors, and its clock has done it {times} times"
                ));
            }
        }
        Ok(())
    }

    /// Number of times that journals have the fact of an order.
    fn facts_told(&self, id: u64) -> usize {
        let entries = self.hubs.iter().flat_map(|hub| hub.journal.entries());
        let told = format!(r#""order":{id},"fact":"#);
        let lines = entries.flat_map(|entry| &entry.inputs);
        lines.filter(|input| input.line.contains(&told)).count()
    }
}

fn unanswered(id: u64, given: &Given) -> Unanswered<'_> {
    let at_ms = (EPOCH_US + given.at_us) / 1_000;
    Unanswered {
        id,
        hub: &given.hub,
        at_ms,
        is_awaited: matches!(given.what, Ordered::Clock { .. }),
    }
}

/// A command on its way to a hub.
fn command_to(hub: &str, command: &Command) -> Transmit {
    let segment = |name: &str| name.parse().expect("names of the simulation can stand in topics");
    let topic = Topic::Command { shard: segment("hall"), hub: segment(hub) }.to_string();
    Transmit::Publish { topic, retain: false, payload: prost::Message::encode_to_vec(command) }
}
