//! Connections, and what travels on them: in order, late, or never after the connection is lost.

use delivery::{ReceivedEvent, SenderEvent, Transmit};
use proto::mqtt::decode_rows;
use rand::RngExt;

use super::{ADJUDICATOR_PAUSE_US, EPOCH_US, Event, Message, Who, World};
use crate::broker::Session;
use crate::client::Client;
use crate::journal::LATER_FIELD;
use crate::outcome::Observer;
use crate::sabotage::Sabotage;

/// Longest pause of a hub's client between two tries, µs.
const PAUSE_MAX_US: u64 = 5_000_000;
/// Longest time that a client takes to send its next request, µs.
const SEND_US: u64 = 500;

impl<O: Observer> World<'_, O> {
    pub(super) fn client(&mut self, who: Who) -> Option<&mut Client> {
        match who {
            Who::Hub(slot) => self.hubs[slot].process.as_mut().map(|process| &mut process.client),
            Who::Adjudicator => self.adjudicator.as_mut().map(|process| &mut process.client),
        }
    }

    fn client_of(&mut self, who: Who, generation: u64) -> Option<&mut Client> {
        self.client(who).filter(|client| client.generation == generation)
    }

    fn client_at(&mut self, who: Who, connection: u64) -> Option<&mut Client> {
        self.client(who).filter(|client| client.connection == Some(connection))
    }

    fn id(&self, who: Who) -> String {
        match who {
            Who::Hub(slot) => self.hubs[slot].id.clone(),
            Who::Adjudicator => "adjudicator".to_owned(),
        }
    }

    /// Arrival of a message that is sent now: never before an earlier one on this connection.
    fn arrival(&mut self, connection: u64, is_up: bool) -> u64 {
        let at_us = self.now_us + self.some(self.pace.latency_us);
        let last_us = self.arrivals.entry((connection, is_up)).or_default();
        *last_us = at_us.max(*last_us);
        *last_us
    }

    pub(super) fn connect(&mut self, who: Who, generation: u64) {
        if self.client_of(who, generation).is_none() {
            return;
        }
        if !self.broker.is_up {
            self.connect_later(who);
            return;
        }
        let id = self.id(who);
        if let Some(before) = self.broker.sessions.get(&id).map(|session| session.connection) {
            self.expire(before);
        }
        let connection = self.name();
        let will = match who {
            Who::Hub(slot) => self.hubs[slot].process.as_ref().map(|p| p.sender.farewell()),
            Who::Adjudicator => {
                let now_us = EPOCH_US + self.now_us;
                self.adjudicator.as_ref().map(|p| p.receiver.farewell(now_us))
            }
        };
        let Some(will) = will else { return };
        let session = Session { connection, filters: Vec::new(), will, queued: 0 };
        self.broker.sessions.insert(id, session);
        self.ends.insert(connection, who);
        let at_us = self.arrival(connection, false);
        self.at(at_us, Event::Accepted(who, generation, connection));
    }

    fn connect_later(&mut self, who: Who) {
        let Some(client) = self.client(who) else { return };
        let (generation, pause_us) = (client.generation, client.pause_us);
        if who != Who::Adjudicator {
            client.pause_us = (pause_us * 2).min(PAUSE_MAX_US);
        }
        self.after(pause_us, Event::Connect(who, generation));
    }

    pub(super) fn accepted(&mut self, who: Who, generation: u64, connection: u64) {
        // A client that was disconnected meanwhile learns it when it sends: the connection is closed behind it.
        let is_open = self.broker.session(connection).is_some();
        let Some(client) = self.client_of(who, generation) else { return };
        if !is_open {
            self.connect_later(who);
            return;
        }
        client.connection = Some(connection);
        client.connections += 1;
        client.pause_us = if who == Who::Adjudicator { ADJUDICATOR_PAUSE_US } else { 200_000 };
        let is_first = client.connections == 1;
        let now = self.instant();
        match who {
            Who::Hub(slot) => {
                self.log(&format!("hub {slot}"), "connected");
                if let Some(process) = &mut self.hubs[slot].process
                    && (is_first || self.sabotage != Sabotage::SubscribesOnce)
                {
                    process.sender.handle(now, SenderEvent::Connected);
                }
            }
            Who::Adjudicator => {
                self.log("adjudicator", "connected");
                let event = ReceivedEvent::Connected(EPOCH_US + self.now_us);
                if let Some(process) = &mut self.adjudicator {
                    process.receiver.handle(event);
                }
            }
        }
        self.send_next(who);
        self.drive(who);
    }

    /// A client sends its next request in a moment, if it can.
    pub(super) fn send_next(&mut self, who: Who) {
        let wait_us = self.some(SEND_US);
        let Some(client) = self.client(who) else { return };
        if client.connection.is_some() && !client.is_sending && !client.requests.is_empty() {
            client.is_sending = true;
            let generation = client.generation;
            self.after(wait_us, Event::Send(who, generation));
        }
    }

    pub(super) fn send(&mut self, who: Who, generation: u64) {
        let Some(client) = self.client_of(who, generation) else { return };
        client.is_sending = false;
        let Some(connection) = client.connection else { return };
        let Some(request) = client.requests.pop_front() else { return };
        let at_us = self.arrival(connection, true);
        self.at(at_us, Event::ToBroker(who, connection, request));
        self.send_next(who);
        // There is room in the channel.
        self.drive(who);
    }

    pub(super) fn reach_broker(&mut self, who: Who, connection: u64, request: Transmit) {
        if self.broker.session(connection).is_none() {
            return;
        }
        match request {
            Transmit::Subscribe(filters) => {
                for (topic, payload) in self.broker.subscribe(connection, &filters) {
                    self.deliver(connection, Message { topic, payload, retained: true });
                }
            }
            Transmit::Publish { topic, retain, mut payload } => {
                if who == Who::Adjudicator && self.plan.later_adjudicator {
                    payload.extend(LATER_FIELD);
                    self.publish_later_command(&topic);
                }
                if self.sabotage == Sabotage::FreesOnPuback {
                    self.free_on_puback(who, &topic, &payload);
                }
                self.publish(&topic, retain, &payload);
            }
        }
    }

    /// An adjudicator of a later release tells a hub to do what hubs do not know.
    fn publish_later_command(&mut self, topic: &str) {
        if let Some(hub) = topic.strip_suffix("/ack") {
            self.publish(&format!("{hub}/command"), false, &LATER_FIELD);
        }
    }

    fn publish(&mut self, topic: &str, retain: bool, payload: &[u8]) {
        for connection in self.broker.publish(topic, retain, payload) {
            let (topic, payload) = (topic.to_owned(), payload.to_vec());
            self.deliver(connection, Message { topic, payload, retained: false });
        }
    }

    fn deliver(&mut self, connection: u64, message: Message) {
        let Some(who) = self.ends.get(&connection).copied() else { return };
        let at_us = self.arrival(connection, false);
        self.at(at_us, Event::ToClient(who, connection, message));
    }

    pub(super) fn reach_client(&mut self, who: Who, connection: u64, message: Message) {
        if let Some(session) = self.broker.session(connection) {
            session.queued = session.queued.saturating_sub(1);
        }
        if self.client_at(who, connection).is_none() {
            return;
        }
        // At least once is also twice.
        let copies = if self.rng.random_bool(0.01) { 2 } else { 1 };
        let now = self.instant();
        for _ in 0..copies {
            let Message { topic, payload, retained } = message.clone();
            match who {
                Who::Hub(slot) => {
                    if let Some(process) = &mut self.hubs[slot].process {
                        let event = SenderEvent::Message { topic, payload, retained };
                        process.sender.handle(now, event);
                    }
                }
                Who::Adjudicator => {
                    if self.sabotage == Sabotage::RefusesLaterRows && says_unknown(&payload) {
                        continue;
                    }
                    if let Some(process) = &mut self.adjudicator {
                        process.receiver.handle(ReceivedEvent::Message { topic, payload });
                    }
                }
            }
        }
        self.drive(who);
    }

    /// A client learns that its connection is lost. The content of its channel stays, or is lost with it.
    pub(super) fn closed(&mut self, who: Who, connection: u64) {
        let keeps = self.rng.random_bool(0.5);
        let Some(client) = self.client_at(who, connection) else { return };
        client.connection = None;
        if !keeps {
            client.requests.clear();
        }
        let now = self.instant();
        match who {
            Who::Hub(slot) => {
                self.log(&format!("hub {slot}"), "disconnected");
                if let Some(process) = &mut self.hubs[slot].process {
                    process.sender.handle(now, SenderEvent::Disconnected);
                }
            }
            Who::Adjudicator => {
                self.log("adjudicator", "disconnected");
                if let Some(process) = &mut self.adjudicator {
                    process.receiver.handle(ReceivedEvent::Disconnected);
                }
            }
        }
        self.connect_later(who);
        self.drive(who);
    }

    /// The broker drops a connection: its will is published, and all connected clients learn it.
    pub(super) fn expire(&mut self, connection: u64) {
        let Some((topic, payload)) = self.broker.end(connection) else { return };
        self.publish(&topic, true, &payload);
        if let Some(who) = self.ends.get(&connection).copied() {
            let wait_us = self.some(self.pace.latency_us);
            self.after(wait_us, Event::Closed(who, connection));
        }
    }
}

/// Whether a message has a row that this release does not know.
fn says_unknown(payload: &[u8]) -> bool {
    decode_rows(payload)
        .is_ok_and(|received| received.rows.rows.iter().any(|row| row.event.is_none()))
}
