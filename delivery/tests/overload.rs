//! Two hundred hubs that write twice what their adjudicator can take, in virtual time: real senders, the real receiver, a line
//! and a store that take time, and a processor that hubs get late. Resent rows are wasted work of the adjudicator.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use delivery::{
    ACKNOWLEDGEMENT_TIMEOUT, Answer, JournalRow, Note, Position, Query, ReceivedEvent, Receiver,
    ReceiverSettings, Sender, SenderEvent, SenderSettings, Transmit, Work, accept,
};
use prost::Message as _;
use proto::mqtt::message::{ClockRead, Row, Rows, row::Event};
use proto::mqtt::{ReceivedRows, Topic};

const HUBS: usize = 200;
const BOOT: u64 = 7;
/// Time that the adjudicator's processor takes, µs: for each row that comes, and for each that is stored.
const RECEIVE_ROW_US: u64 = 20;
const STORE_ROW_US: u64 = 60;
/// Rows a second that it can take if each comes once.
const CAPACITY: u64 = 1_000_000 / (RECEIVE_ROW_US + STORE_ROW_US);
/// Way of a message through broker and network.
const LINE_US: u64 = 2_000;
/// A hub gets the processor again after a time up to this.
const HUB_LATE_MAX_US: u64 = 50_000;
/// Time that is played, and the part at its beginning that does not count.
const SPAN_US: u64 = 12_000_000;
const WARM_UP_US: u64 = 4_000_000;

/// A hub whose journal is in memory.
struct Hub {
    sender: Sender,
    rows: VecDeque<JournalRow>,
    written: u64,
    acknowledged: u64,
    notes: u64,
    wakes_us: u64,
    inbox: VecDeque<(u64, String, Vec<u8>)>,
}

impl Hub {
    fn new(number: usize, now: Instant) -> Hub {
        let settings = SenderSettings {
            hub_id: format!("hub-{number}"),
            boot_id: BOOT,
            shard: "hall".to_owned(),
            tables: vec![],
            version: "test".to_owned(),
            acknowledgement_timeout: ACKNOWLEDGEMENT_TIMEOUT,
        };
        let mut sender = Sender::new(settings, now).unwrap();
        sender.handle(now, SenderEvent::Connected);
        let (rows, inbox) = (VecDeque::new(), VecDeque::new());
        Hub { sender, rows, written: 0, acknowledged: 0, notes: 0, wakes_us: 0, inbox }
    }

    fn write_until(&mut self, due: u64) {
        while self.written < due {
            self.written += 1;
            let event = Event::ClockRead(ClockRead { t_us: self.written, ..ClockRead::default() });
            let row = Row {
                sequence: self.written,
                hub_time_us: self.written,
                table: "1".to_owned(),
                event: Some(event),
            };
            let (row_id, body) = (self.written.cast_signed(), row.encode_to_vec());
            let row = JournalRow { row_id, boot_id: BOOT, sequence: self.written, body };
            self.rows.push_back(row);
        }
    }

    /// Does its work while it has the processor; returns its messages.
    fn work(&mut self, now: Instant, now_us: u64) -> Vec<(String, Vec<u8>)> {
        while self.inbox.front().is_some_and(|(at_us, ..)| *at_us <= now_us) {
            let (_, topic, payload) = self.inbox.pop_front().unwrap();
            let message = SenderEvent::Message { topic, payload, retained: false };
            self.sender.handle(now, message);
        }
        self.sender.handle(now, SenderEvent::RowsWritten);
        assert!(!self.sender.is_stalled(now), "nobody is to be connected anew");
        while let Some(note) = self.sender.poll_note() {
            if let Note::Acknowledged { sequence, .. } = note {
                self.acknowledged = self.acknowledged.max(sequence);
                // The last one is kept, to ask with.
                while self.rows.front().is_some_and(|row| row.sequence < sequence) {
                    self.rows.pop_front();
                }
            }
            self.sender.noted(note);
            self.notes += 1;
            self.sender.handle(now, SenderEvent::NotesCommitted(self.notes));
        }
        while let Some(query) = self.sender.poll_query() {
            let answer = self.answer(&query);
            self.sender.answer(answer);
        }
        let mut sent = Vec::new();
        while let Some(transmit) = self.sender.poll_transmit() {
            self.sender.transmitted(now);
            if let Transmit::Publish { topic, payload, .. } = transmit {
                sent.push((topic, payload));
            }
        }
        sent
    }

    fn answer(&self, query: &Query) -> Answer {
        let waits = |row: &&JournalRow| row.sequence > self.acknowledged;
        match *query {
            Query::RowsAfter { row_id, limit } => {
                let from = self.rows.partition_point(|row| row.row_id <= row_id);
                Answer::RowsAfter(
                    self.rows.range(from..).filter(waits).take(limit).cloned().collect(),
                )
            }
            Query::LastAcknowledged(_) => {
                let last = self.rows.iter().find(|row| !waits(row));
                Answer::LastAcknowledged(last.cloned().into_iter().collect())
            }
            Query::FirstSequences => {
                let first = self.rows.front().map(|row| (row.boot_id, row.sequence));
                Answer::FirstSequences(first.into_iter().collect())
            }
        }
    }
}

/// The adjudicator: one processor for receiving and storing.
struct Adjudicator {
    receiver: Receiver,
    stored: BTreeMap<String, u64>,
    inbox: VecDeque<(u64, String, Vec<u8>)>,
    free_us: u64,
}

impl Adjudicator {
    fn new() -> Adjudicator {
        let settings = ReceiverSettings {
            shard: "hall".to_owned(),
            id: "main".to_owned(),
            store_id: "one".to_owned(),
        };
        let mut receiver = Receiver::new(settings).unwrap();
        receiver.handle(ReceivedEvent::Connected(1));
        Adjudicator { receiver, stored: BTreeMap::new(), inbox: VecDeque::new(), free_us: 0 }
    }

    fn position(&self, hub: &str) -> Position {
        let sequence = self.stored.get(hub).copied().unwrap_or(0);
        Position { hub: hub.to_owned(), boot_id: BOOT, sequence }
    }

    /// Does what is due: as rows that come and rows that are stored share the processor, each puts off the next.
    fn work(&mut self, now_us: u64) -> Vec<(String, Vec<u8>)> {
        self.free_us = self.free_us.max(now_us.saturating_sub(1_000));
        while self.free_us <= now_us
            && self.inbox.front().is_some_and(|(at_us, ..)| *at_us <= now_us)
        {
            let (_, topic, payload) = self.inbox.pop_front().unwrap();
            self.free_us += RECEIVE_ROW_US * rows_in(&topic, &payload);
            self.receiver.handle(ReceivedEvent::Message { topic, payload });
        }
        while self.free_us <= now_us {
            let Some(work) = self.receiver.poll_work() else { break };
            match work {
                Work::LinkUp => self.receiver.greet(vec![]),
                Work::LinkDown | Work::HubState(_) => {}
                Work::Position(hub, _) => {
                    let position = self.position(&hub);
                    self.receiver.committed(vec![position]);
                }
                Work::Commit(group) => {
                    let positions = group.iter().map(|message| self.commit(message)).collect();
                    self.receiver.committed(positions);
                }
            }
        }
        let mut sent = Vec::new();
        while let Some(transmit) = self.receiver.poll_transmit() {
            self.receiver.transmitted();
            if let Transmit::Publish { topic, payload, .. } = transmit {
                sent.push((topic, payload));
            }
        }
        sent
    }

    fn commit(&mut self, ReceivedRows { rows, .. }: &ReceivedRows) -> Position {
        let known = self.position(&rows.hub_id).sequence;
        let sequences: Vec<u64> = rows.rows.iter().map(|row| row.sequence).collect();
        let accepted = accept(known, rows.first_available, &sequences);
        assert_eq!(accepted.lost, None);
        self.free_us += STORE_ROW_US * accepted.accepted as u64;
        self.stored.insert(rows.hub_id.clone(), accepted.position);
        self.position(&rows.hub_id)
    }

    fn rows(&self) -> u64 {
        self.stored.values().sum()
    }
}

fn rows_in(topic: &str, payload: &[u8]) -> u64 {
    match topic.parse() {
        Ok(Topic::Rows { .. }) => Rows::decode(payload).unwrap().rows.len() as u64,
        _ => 0,
    }
}

/// A number up to `below`, by the generator of Steele, Lea and Flood (SplitMix64).
fn random(state: &mut u64, below: u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)) % below
}

#[expect(
    clippy::disallowed_methods,
    reason = "an instant can be made in no other way, and any will do"
)]
fn any_instant() -> Instant {
    Instant::now()
}

/// Rows a second that are stored when all hubs together write so many percent of the capacity, and the part of all sent that was sent in vain.
fn load(percent: u64, seed: u64) -> (f64, f64) {
    let (start, mut state) = (any_instant(), seed);
    let mut hubs: Vec<Hub> = (0..HUBS).map(|number| Hub::new(number, start)).collect();
    let mut adjudicator = Adjudicator::new();
    let (mut sent, mut before) = (0, (0, 0));
    for now_us in (0..SPAN_US).step_by(1_000) {
        let now = start + Duration::from_micros(now_us);
        if now_us == WARM_UP_US {
            before = (sent, adjudicator.rows());
        }
        for hub in &mut hubs {
            if hub.wakes_us > now_us {
                continue;
            }
            hub.wakes_us = now_us + random(&mut state, HUB_LATE_MAX_US);
            hub.write_until(percent * CAPACITY * now_us / 100_000_000 / HUBS as u64);
            for (topic, payload) in hub.work(now, now_us) {
                sent += rows_in(&topic, &payload);
                adjudicator.inbox.push_back((now_us + LINE_US, topic, payload));
            }
        }
        for (topic, payload) in adjudicator.work(now_us) {
            let Ok(Topic::Ack { hub, .. }) = topic.parse() else { continue };
            let number: usize = hub.as_str().rsplit('-').next().unwrap().parse().unwrap();
            hubs[number].inbox.push_back((now_us + LINE_US, topic, payload));
        }
    }
    let (sent, stored) = (sent - before.0, adjudicator.rows() - before.1);
    let seconds = (SPAN_US - WARM_UP_US) as f64 / 1e6;
    (stored as f64 / seconds, sent as f64 / stored as f64 - 1.0)
}

#[test]
fn at_twice_what_an_adjudicator_can_take_hardly_a_row_is_sent_in_vain() {
    for seed in 1..=3 {
        let (rate, again) = load(200, seed);
        println!("seed {seed}: {rate:.0} of {CAPACITY} rows/s, {:.1} % sent again", 100.0 * again);
        assert!(rate >= 0.9 * CAPACITY as f64, "seed {seed}: {rate:.0} of {CAPACITY} rows/s");
        assert!(again <= 0.1, "seed {seed}: {:.1} % of the rows were sent again", 100.0 * again);
    }
}

#[test]
fn below_what_an_adjudicator_can_take_no_row_is_sent_twice_and_none_waits() {
    let (rate, again) = load(90, 1);
    assert!(rate >= 0.89 * CAPACITY as f64, "{rate:.0} of {CAPACITY} rows/s");
    assert!(again < 0.001, "{:.1} % of the rows were sent again", 100.0 * again);
}
