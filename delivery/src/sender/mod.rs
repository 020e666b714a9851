//! The hub's end: journal rows in flight to the adjudicator over MQTT 3.1.1, until it acknowledges them.
//!
//! The journal is the queue; a bounded [`Window`] of it is in memory. Birth, will and the adjudicator's STATE are those of
//! Sparkplug B, with 64-bit sequences. Promise: every row arrives at least once, rows of one boot in order; the adjudicator
//! drops duplicates.
//!
//! Driving it, in a loop: pass inputs to [`Sender::handle`]; give the journal every [`Sender::poll_note`]; answer every
//! [`Sender::poll_query`]; hand every [`Sender::poll_transmit`] to the client as long as it has room; take every
//! [`Sender::poll_command`]; and from time to time check [`Sender::is_stalled`].

mod congestion;
mod journal;
mod listener;
mod probes;
mod retry;
mod window;

use std::time::{Duration, Instant};

use prost::Message as _;
use proto::mqtt::message::{Command, HubState, Rehearsal, SeenNode};
use proto::mqtt::{Segment, SegmentError, Topic, encode_rows, hub_filter};
use tracing::debug;

pub use journal::{Answer, Note, Query};
pub use window::{Acknowledged, WINDOW_ROWS_MAX, Window};

use crate::{JournalRow, Transmit};
use congestion::Congestion;
use listener::{Listener, MessageEffect};
use probes::{Beginnings, PROBES_MAX, Probes};
use retry::RetryTimer;

/// Time without an acknowledgement, while rows wait for one, after which the client is to be rebuilt.
pub const ACKNOWLEDGEMENT_TIMEOUT: Duration = Duration::from_secs(10);
/// Minimum interval of resending. A repeated acknowledgement shows that rows did not arrive; they are sent again at once.
/// Further repetitions may be answers to the first sending. They count only after this time, or the recent round-trip time,
/// doubled each time up to [`ACKNOWLEDGEMENT_TIMEOUT`].
const RESEND_MIN: Duration = Duration::from_millis(200);
/// Interval of a hub's births: a broker may have dropped one for an adjudicator whose queue was full. Births are not
/// acknowledged, and no orders go to an unknown hub.
const BIRTH_EVERY: Duration = Duration::from_secs(10);

/// Settings of a sender.
#[derive(Clone, Debug)]
pub struct SenderSettings {
    /// The hub.
    pub hub_id: String,
    /// The journal's present boot.
    pub boot_id: u64,
    /// The shard of the event.
    pub shard: String,
    /// The tables, for the birth message.
    pub tables: Vec<String>,
    /// The release, for the birth message.
    pub version: String,
    /// [`ACKNOWLEDGEMENT_TIMEOUT`], or less in a test.
    pub acknowledgement_timeout: Duration,
}

/// A hub's report about itself, in its birth.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HubReport {
    /// Health warnings, in words for directors.
    pub troubles: Vec<String>,
    /// The last request to update its nodes whose end is known; 0 = none.
    pub update_ended: u64,
    /// The nodes that it sees.
    pub nodes: Vec<SeenNode>,
    /// The last request to place its nodes whose end is known; 0 = none.
    pub placing_ended: u64,
    /// Refused part, in words for directors.
    pub placing_refused: String,
}

/// An input of a sender.
#[derive(Clone, Debug)]
pub enum SenderEvent {
    /// The broker took the client in. It may have lost its session of the hub.
    Connected,
    /// The client lost its connection.
    Disconnected,
    /// A message came.
    Message {
        /// Topic.
        topic: String,
        /// Payload.
        payload: Vec<u8>,
        /// Whether the broker had retained it, so that it is not new (MQTT 3.1.1, section 3.3.1.3).
        retained: bool,
    },
    /// The journal has committed rows.
    RowsWritten,
    /// The journal has committed so many notes in all.
    NotesCommitted(u64),
    /// What the hub reports of itself has changed.
    Report(HubReport),
}

/// Messages that come before rows after a connection.
#[derive(Clone, Copy, Debug)]
enum Introduction {
    Filters,
    Birth,
}

/// Last output of [`Sender::poll_transmit`].
#[derive(Clone, Copy, Debug)]
enum PendingTransmit {
    Introduction,
    Probe,
    Rows(usize),
}

/// The hub's end.
pub struct Sender {
    settings: SenderSettings,
    rows_topic: String,
    state_topic: String,
    filters: [String; 3],
    report: HubReport,
    listener: Listener,
    window: Window,
    connected: bool,
    /// From last to first.
    to_introduce: Vec<Introduction>,
    /// Time of the last birth.
    introduced: Instant,
    offered: Option<PendingTransmit>,
    retry: RetryTimer,
    /// Whether an answer is overdue: one batch is sent, and no more until one arrives.
    is_retrying: bool,
    /// Time of the last resending, and how long a repeated acknowledgement does not count after it.
    resent: Instant,
    resend_after: Duration,
    congestion: Congestion,
    /// A row whose acknowledgement is timed, by boot and sequence, and when it was sent. None of those that were sent again is: an answer
    /// may be one to the first sending (RFC 6298, section 3).
    timed: Option<(u64, u64, Instant)>,
    probes: Probes,
    beginnings: Beginnings,
    rows_left_in_journal: bool,
}

impl Sender {
    /// A sender that is not connected yet.
    ///
    /// # Errors
    ///
    /// When hub id or shard cannot stand in a topic, which a checked configuration rules out.
    pub fn new(settings: SenderSettings, now: Instant) -> Result<Sender, SegmentError> {
        let (shard, hub): (Segment, Segment) = (settings.shard.parse()?, settings.hub_id.parse()?);
        let filters = hub_filter(&shard, &hub);
        let rows = Topic::Rows { shard: shard.clone(), hub: hub.clone() };
        Ok(Sender {
            listener: Listener::new(settings.hub_id.clone(), settings.boot_id),
            rows_topic: rows.to_string(),
            state_topic: Topic::HubState { shard, hub }.to_string(),
            filters,
            report: HubReport::default(),
            window: Window::new(),
            connected: false,
            to_introduce: Vec::new(),
            introduced: now,
            offered: None,
            retry: RetryTimer::new(settings.acknowledgement_timeout, now),
            is_retrying: false,
            resent: now,
            resend_after: RESEND_MIN,
            congestion: Congestion::default(),
            timed: None,
            probes: Probes::default(),
            beginnings: Beginnings::default(),
            rows_left_in_journal: true,
            settings,
        })
    }

    /// Will of this client, which a stopping hub publishes itself: topic and payload, retained.
    #[must_use]
    pub fn farewell(&self) -> (String, Vec<u8>) {
        (self.state_topic.clone(), self.state(false))
    }

    fn state(&self, online: bool) -> Vec<u8> {
        HubState {
            hub_id: self.settings.hub_id.clone(),
            boot_id: self.settings.boot_id,
            online,
            version: self.settings.version.clone(),
            tables: self.settings.tables.clone(),
            // A will does not contain them.
            troubles: if online { self.report.troubles.clone() } else { Vec::new() },
            update_ended: self.report.update_ended,
            nodes: if online { self.report.nodes.clone() } else { Vec::new() },
            placing_ended: self.report.placing_ended,
            placing_refused: self.report.placing_refused.clone(),
        }
        .encode_to_vec()
    }

    /// The rehearsal of this event that an adjudicator holds, as far as this hub is connected.
    #[must_use]
    pub fn rehearsal(&self) -> Option<&Rehearsal> {
        self.listener.rehearsal(&self.settings.shard).filter(|_| self.connected)
    }

    /// Takes what happened.
    pub fn handle(&mut self, now: Instant, event: SenderEvent) {
        match event {
            SenderEvent::Connected => {
                self.connected = true;
                self.expect_another_store(now);
                self.to_introduce = vec![Introduction::Birth, Introduction::Filters];
                self.introduced = now;
            }
            SenderEvent::Disconnected => self.connected = false,
            SenderEvent::Message { topic, payload, retained } => {
                self.handle_message(now, &topic, &payload, retained);
            }
            SenderEvent::RowsWritten => self.rows_left_in_journal = true,
            SenderEvent::NotesCommitted(count) => {
                if self.probes.journal_noted(count) {
                    self.window.reset();
                    self.beginnings.forget();
                    self.rows_left_in_journal = true;
                }
            }
            SenderEvent::Report(report) => {
                self.report = report;
                self.introduce_again(now);
            }
        }
    }

    fn handle_message(&mut self, now: Instant, topic: &str, payload: &[u8], retained: bool) {
        let on_their_way = self.window.messages();
        let heard = self.listener.handle_message(topic, payload, retained, &mut self.window);
        if heard == MessageEffect::Progress {
            self.measure(now);
            let acknowledged = on_their_way.saturating_sub(self.window.messages());
            self.congestion.acknowledged(acknowledged, on_their_way);
        }
        if let Some(boot_id) = self.listener.take_answer() {
            match self.probes.answered(boot_id) {
                true => self.retry.progress(now),
                false => self.retry.note_answer(now),
            }
            self.is_retrying = false;
            self.listener.note_live_answer();
        }
        match heard {
            MessageEffect::Nothing => {}
            MessageEffect::Progress => {
                self.retry.progress(now);
                self.resend_after = self.retry.answer_max().max(RESEND_MIN);
                self.rows_left_in_journal = true;
            }
            MessageEffect::Repeated => self.resend(now),
            // Goes on when the journal has noted it.
            MessageEffect::FellBack => {
                self.timed = None;
                self.retry.rest(now);
            }
            MessageEffect::AdjudicatorBack => {
                self.expect_another_store(now);
                // A broker may have lost its retained messages: the birth is published again.
                self.introduce_again(now);
            }
        }
    }

    /// Notes how long the row that is timed took, if it is acknowledged.
    fn measure(&mut self, now: Instant) {
        let is_acknowledged =
            |&mut (boot_id, sequence, _): &mut _| self.window.acknowledged(boot_id) >= sequence;
        if let Some((_, _, sent)) = self.timed.take_if(is_acknowledged) {
            self.retry.measured(now.duration_since(sent));
        }
    }

    /// The birth is published once more, unless it still waits.
    fn introduce_again(&mut self, now: Instant) {
        self.introduced = now;
        if self.connected && !matches!(self.to_introduce.first(), Some(Introduction::Birth)) {
            self.to_introduce.push(Introduction::Birth);
        }
    }

    /// Forgets all acknowledgements: the adjudicator may have another store now.
    fn expect_another_store(&mut self, now: Instant) {
        self.rewind(now);
        self.probes.raise();
        self.retry.restart(now);
        self.is_retrying = false;
        self.congestion = Congestion::default();
    }

    /// Sends all unacknowledged rows again.
    fn rewind(&mut self, now: Instant) {
        self.window.rewind();
        self.timed = None;
        self.resent = now;
    }

    /// The adjudicator lacks rows that were sent.
    fn resend(&mut self, now: Instant) {
        if self.window.is_resending() && now.duration_since(self.resent) < self.resend_after {
            return;
        }
        debug!("an acknowledgement was repeated: sending again what it does not cover");
        self.rewind(now);
        self.congestion.dropped();
        self.resend_after = (self.resend_after * 2).min(ACKNOWLEDGEMENT_TIMEOUT);
    }

    /// Whether an acknowledgement is overdue: then the client is to be replaced, and [`Sender::rebuilt`] called. Before that,
    /// unanswered messages are sent again. Also publishes the birth from time to time.
    pub fn is_stalled(&mut self, now: Instant) -> bool {
        if now.duration_since(self.introduced) >= BIRTH_EVERY {
            self.introduce_again(now);
            // The broker may have dropped the adjudicator's word that it is back, and then its answer.
            if self.connected && self.listener.nobody_listens() {
                self.send_oldest_again(now);
            }
        }
        let is_waiting = self.window.is_waiting() || self.is_retrying || self.probes.is_waiting();
        if !self.connected || self.listener.nobody_listens() || !is_waiting {
            self.retry.rest(now);
        } else if self.retry.take_retry(now) {
            debug!("no acknowledgement from the adjudicator: sending the oldest row again");
            self.send_oldest_again(now);
        }
        self.retry.is_expired(now)
    }

    /// The question what the adjudicator has, or else the oldest rows that wait for an answer.
    fn send_oldest_again(&mut self, now: Instant) {
        if self.probes.is_waiting() {
            self.probes.ask_again();
        } else if self.window.is_waiting() || self.is_retrying {
            self.rewind(now);
            self.congestion.timed_out();
            self.is_retrying = true;
        }
    }

    /// There is a new client, which is not connected yet.
    pub fn rebuilt(&mut self, now: Instant) {
        self.retry.rebuilt(now);
        self.connected = false;
    }

    /// Maximum time without an acknowledgement before the client is replaced.
    #[must_use]
    pub fn patience(&self) -> Duration {
        self.retry.patience()
    }

    /// Whether the broker has the client.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.connected
    }

    /// Returns the next note for the journal; then call [`Sender::noted`].
    #[must_use]
    pub fn poll_note(&self) -> Option<Note> {
        self.listener.next_note()
    }

    /// The journal will write a note down: it is in its queue.
    pub fn noted(&mut self, note: Note) {
        self.listener.noted(note);
        self.probes.note_given(note);
    }

    /// Returns the next query to the journal. If it cannot be read, ask again later.
    #[must_use]
    pub fn poll_query(&self) -> Option<Query> {
        // The journal's answers would lack the notes that it has not stored yet.
        if self.probes.is_due() && self.listener.next_note().is_none() && self.probes.is_noted() {
            return Some(Query::LastAcknowledged(PROBES_MAX));
        }
        let (limit, row_id) = self.window.room();
        if self.rows_left_in_journal && limit > 0 {
            return Some(Query::RowsAfter { row_id, limit });
        }
        self.beginnings.lack(&self.next_boots()).then_some(Query::FirstSequences)
    }

    /// Takes what the journal said to the last query.
    pub fn answer(&mut self, answer: Answer) {
        match answer {
            Answer::LastAcknowledged(rows) => {
                self.probes.found(rows, &mut self.window);
                self.beginnings.forget();
            }
            Answer::RowsAfter(rows) => {
                self.rows_left_in_journal = rows.len() == self.window.room().0;
                self.window.fill(rows);
            }
            Answer::FirstSequences(first) => self.beginnings.found(first, &self.next_boots()),
        }
    }

    /// The boots whose rows are sent next.
    fn next_boots(&self) -> Vec<u64> {
        let probe = self.probes.next().map(|row| row.boot_id);
        probe.into_iter().chain(self.window.next_boot()).collect()
    }

    /// Returns the next message for the client. Once the client has accepted it, call [`Sender::transmitted`]; until then the
    /// same message is returned.
    pub fn poll_transmit(&mut self) -> Option<Transmit> {
        self.offered = None;
        if !self.connected {
            return None;
        }
        if let Some(next) = self.to_introduce.last() {
            self.offered = Some(PendingTransmit::Introduction);
            return Some(match next {
                Introduction::Filters => Transmit::Subscribe(self.filters.to_vec()),
                Introduction::Birth => {
                    let topic = self.state_topic.clone();
                    Transmit::Publish { topic, retain: true, payload: self.state(true) }
                }
            });
        }
        let (message, offered) = if let Some(probe) = self.probes.next() {
            (self.message(&[probe]), PendingTransmit::Probe)
        } else if self.is_held_back() {
            return None;
        } else {
            let batch = self.window.next_batch()?;
            (self.message(&batch), PendingTransmit::Rows(batch.len()))
        };
        self.offered = Some(offered);
        let (topic, payload) = (self.rows_topic.clone(), message);
        Some(Transmit::Publish { topic, retain: false, payload })
    }

    /// Whether rows have to wait: for the adjudicator's positions, for the answer to the one batch that was resent, or because
    /// the window is full.
    fn is_held_back(&self) -> bool {
        self.probes.is_unsure()
            || self.listener.is_giving_back()
            || (self.is_retrying && self.window.is_waiting())
            || self.window.messages() >= self.congestion.window()
    }

    /// The client has taken what [`Sender::poll_transmit`] gave.
    pub fn transmitted(&mut self, now: Instant) {
        match self.offered.take() {
            Some(PendingTransmit::Introduction) => {
                self.to_introduce.pop();
            }
            Some(PendingTransmit::Probe) => self.probes.mark_sent(),
            Some(PendingTransmit::Rows(count)) => {
                if !self.window.is_waiting() && !self.is_retrying {
                    self.retry.rest(now);
                }
                self.window.mark_sent(count);
                if self.timed.is_none() && !self.window.is_resending() {
                    self.timed = self.window.last_sent().map(|(boot, last)| (boot, last, now));
                }
            }
            None => {}
        }
    }

    /// Rows of one boot, as they are sent.
    fn message(&self, batch: &[&JournalRow]) -> Vec<u8> {
        let (boot_id, first) = batch.first().map_or((0, 0), |row| (row.boot_id, row.sequence));
        let first_available = self.beginnings.of(boot_id, first);
        let bodies = batch.iter().map(|row| &row.body[..]);
        encode_rows(&self.settings.hub_id, boot_id, first_available, bodies)
    }

    /// The next command that came for the hub.
    pub fn poll_command(&mut self) -> Option<Command> {
        self.listener.poll_command()
    }

    /// Whether rows that were taken from the journal are not acknowledged.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.window.is_waiting() || self.window.next_batch().is_some()
    }
}

#[cfg(test)]
mod tests;
