//! Window of rows in flight: the part of the journal's queue that is in memory. Pure.
//!
//! The broker's PUBACK has no effect: a row leaves the window when the adjudicator's cumulative acknowledgement covers it.
//! After every connection the whole window is sent again. An acknowledgement counts up to the last sent row and no further. One
//! that is repeated while rows are on their way tells that they did not arrive, as the duplicate acknowledgements of TCP do
//! (RFC 5681, section 3.2).

use std::collections::{BTreeMap, VecDeque};

use proto::mqtt::MAX_ROWS;

use crate::JournalRow;

/// Maximum number of rows in the window, sent or not. It bounds memory, and the broker's queue for an offline adjudicator
/// (Mosquitto drops beyond 1,000 messages; these are at most 512, batched).
pub const WINDOW_ROWS_MAX: usize = 512;
/// Bytes of rows in one message; well below what brokers and the protocol allow.
const BATCH_BYTES_MAX: usize = 64 * 1024;
/// Rows in one message.
const BATCH_ROWS_MAX: usize = if MAX_ROWS < 100 { MAX_ROWS } else { 100 };

/// Boots of which is known how far they are sent and acknowledged.
const BOOTS_MAX: usize = 64;

/// Positions of one boot, by sequence; 0 for none.
#[derive(Clone, Copy, Debug, Default)]
struct Boot {
    sent: u64,
    acknowledged: u64,
    /// The store that acknowledged last, counted as they were met; 0 for one of an earlier run.
    store: u32,
}

/// Meaning of an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acknowledged {
    /// Rows are freed: of this boot up to this sequence.
    News(u64),
    /// A repetition that does not cover rows sent since: the adjudicator may lack them.
    Repeated,
    /// Lower than an earlier one of the same store: it is late.
    Lower,
    /// Lower than one of an earlier store: the adjudicator lacks the rows of this boot after this sequence.
    FellBack(u64),
    /// An acknowledgement of rows that were never sent.
    NeverSent,
    /// A repetition while no row is in flight.
    Nothing,
}

/// Rows in the order of the journal.
#[derive(Debug, Default)]
pub struct Window {
    rows: VecDeque<JournalRow>,
    /// Number of rows from the front that were handed out since the last rewind.
    sent: usize,
    /// The last row taken from the journal.
    last_row_id: i64,
    /// The last row that had been sent at the last rewind: until it is acknowledged, repeated acknowledgements may answer what was
    /// sent before the rewind.
    resent_through: i64,
    boots: BTreeMap<u64, Boot>,
    /// The last row of each message that was sent since the last rewind and is not acknowledged: boot and sequence.
    messages: VecDeque<(u64, u64)>,
}

impl Window {
    /// A window that has seen nothing.
    #[must_use]
    pub fn new() -> Window {
        Window::default()
    }

    /// Number of further rows that fit, and the journal's row that they follow.
    #[must_use]
    pub fn room(&self) -> (usize, i64) {
        (WINDOW_ROWS_MAX.saturating_sub(self.rows.len()), self.last_row_id)
    }

    /// Takes rows from the journal.
    pub fn fill(&mut self, rows: Vec<JournalRow>) {
        for row in rows {
            self.last_row_id = self.last_row_id.max(row.row_id);
            if row.sequence > self.acknowledged(row.boot_id) {
                self.rows.push_back(row);
            }
        }
    }

    /// The next rows to send: of one boot, consecutive. Call [`Window::mark_sent`] when they are.
    #[must_use]
    pub fn next_batch(&self) -> Option<Vec<&JournalRow>> {
        let mut batch: Vec<&JournalRow> = Vec::new();
        let mut bytes = 0;
        for row in self.rows.iter().skip(self.sent).take(BATCH_ROWS_MAX) {
            bytes += row.body.len();
            let follows = batch.last().is_none_or(|last| {
                last.boot_id == row.boot_id && last.sequence + 1 == row.sequence
            });
            if !follows || (bytes > BATCH_BYTES_MAX && !batch.is_empty()) {
                break;
            }
            batch.push(row);
        }
        (!batch.is_empty()).then_some(batch)
    }

    /// The boot of the next row to send.
    #[must_use]
    pub fn next_boot(&self) -> Option<u64> {
        self.rows.get(self.sent).map(|row| row.boot_id)
    }

    /// The next `count` rows were handed to the client.
    pub fn mark_sent(&mut self, count: usize) {
        let end = (self.sent + count).min(self.rows.len());
        for row in self.rows.range(self.sent..end) {
            let boot = self.boots.entry(row.boot_id).or_default();
            boot.sent = boot.sent.max(row.sequence);
        }
        if let Some(last) = self.rows.range(self.sent..end).next_back() {
            self.messages.push_back((last.boot_id, last.sequence));
        }
        self.sent = end;
        self.forget_boots();
    }

    /// Messages that were sent since the last rewind and are not wholly acknowledged.
    #[must_use]
    pub fn messages(&self) -> usize {
        self.messages.len()
    }

    /// The last row that was sent: boot and sequence.
    #[must_use]
    pub fn last_sent(&self) -> Option<(u64, u64)> {
        self.messages.back().copied()
    }

    /// Forgets the oldest boots beyond [`BOOTS_MAX`] of which no row is here.
    fn forget_boots(&mut self) {
        while self.boots.len() > BOOTS_MAX {
            let is_here = |boot_id: &u64| self.rows.iter().any(|row| row.boot_id == *boot_id);
            let Some(oldest) = self.boots.keys().copied().find(|boot_id| !is_here(boot_id)) else {
                return;
            };
            self.boots.remove(&oldest);
        }
    }

    /// Last acknowledged sequence of a boot.
    #[must_use]
    pub fn acknowledged(&self, boot_id: u64) -> u64 {
        self.boots.get(&boot_id).map_or(0, |boot| boot.acknowledged)
    }

    /// An earlier run of the hub, or an earlier store, has acknowledged a boot's rows so far.
    pub fn note_acknowledged(&mut self, boot_id: u64, sequence: u64) {
        let boot = self.boots.entry(boot_id).or_default();
        boot.sent = boot.sent.max(sequence);
        boot.acknowledged = boot.acknowledged.max(sequence);
        self.forget_boots();
    }

    /// Clears the window: acknowledged rows are queued again in the journal, so all are read from it again.
    pub fn reset(&mut self) {
        self.rows.clear();
        self.messages.clear();
        self.sent = 0;
        self.last_row_id = 0;
        self.resent_through = 0;
    }

    /// Whether sent rows are unacknowledged.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.sent > 0
    }

    /// Sends everything again, from the last acknowledgement on.
    pub fn rewind(&mut self) {
        if let Some(last) = self.sent.checked_sub(1).and_then(|last| self.rows.get(last)) {
            self.resent_through = self.resent_through.max(last.row_id);
        }
        self.sent = 0;
        self.messages.clear();
    }

    /// Whether rows that had been sent before the last rewind are still not acknowledged.
    #[must_use]
    pub fn is_resending(&self) -> bool {
        self.rows.front().is_some_and(|row| row.row_id <= self.resent_through)
    }

    /// Applies an acknowledgement: the adjudicator's store, the `store`th so far, has a boot's rows up to `sequence`.
    pub fn acknowledge(&mut self, boot_id: u64, sequence: u64, store: u32) -> Acknowledged {
        let Some(boot) = self.boots.get_mut(&boot_id) else {
            return if sequence == 0 { Acknowledged::Nothing } else { Acknowledged::NeverSent };
        };
        let is_later_store = store > boot.store;
        boot.store = boot.store.max(store);
        if sequence < boot.acknowledged {
            if !is_later_store {
                return Acknowledged::Lower;
            }
            boot.acknowledged = sequence;
            // The rows in flight arrive behind a gap.
            self.rows.clear();
            self.messages.clear();
            self.sent = 0;
            return Acknowledged::FellBack(sequence);
        }
        let (reached, is_too_much) = (sequence.min(boot.sent), sequence > boot.sent);
        if reached <= boot.acknowledged {
            let is_on_its_way = |row: &&JournalRow| row.boot_id == boot_id;
            return match self.rows.iter().take(self.sent).find(is_on_its_way) {
                _ if is_too_much => Acknowledged::NeverSent,
                Some(_) => Acknowledged::Repeated,
                None => Acknowledged::Nothing,
            };
        }
        boot.acknowledged = reached;
        let (sent, mut kept_sent, mut index) = (self.sent, 0, 0);
        self.rows.retain(|row| {
            let keep = row.boot_id != boot_id || row.sequence > reached;
            kept_sent += usize::from(keep && index < sent);
            index += 1;
            keep
        });
        self.sent = kept_sent;
        self.messages.retain(|&(boot, last)| boot != boot_id || last > reached);
        Acknowledged::News(reached)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn row(row_id: i64, boot_id: u64, sequence: u64) -> JournalRow {
        JournalRow { row_id, boot_id, sequence, body: vec![0; 10] }
    }

    fn keys(batch: Option<Vec<&JournalRow>>) -> Vec<(u64, u64)> {
        batch.unwrap_or_default().iter().map(|row| (row.boot_id, row.sequence)).collect()
    }

    #[test]
    fn a_batch_never_mixes_boots() {
        let mut window = Window::new();
        window.fill(vec![row(1, 7, 9), row(2, 7, 10), row(3, 8, 1)]);
        assert_eq!(keys(window.next_batch()), [(7, 9), (7, 10)]);
        window.mark_sent(2);
        assert_eq!(keys(window.next_batch()), [(8, 1)]);
        window.mark_sent(1);
        assert_eq!(window.next_batch(), None);
    }

    #[test]
    fn a_rewind_sends_what_is_not_acknowledged_again() {
        let mut window = Window::new();
        window.fill((1..=5_u64).map(|n| row(n.cast_signed(), 7, n)).collect());
        window.mark_sent(4);
        assert_eq!(window.acknowledge(7, 2, 1), Acknowledged::News(2));
        assert_eq!(window.acknowledge(7, 2, 1), Acknowledged::Repeated);
        assert_eq!(window.acknowledge(7, 1, 1), Acknowledged::Lower);
        assert_eq!(keys(window.next_batch()), [(7, 5)]);
        window.rewind();
        assert_eq!(keys(window.next_batch()), [(7, 3), (7, 4), (7, 5)]);
    }

    #[test]
    fn an_acknowledgement_counts_up_to_what_was_sent_and_no_further() {
        let mut window = Window::new();
        assert_eq!(window.acknowledge(7, u64::MAX, 1), Acknowledged::NeverSent);
        window.fill((1..=5_u64).map(|n| row(n.cast_signed(), 7, n)).collect());
        window.mark_sent(3);
        assert_eq!(window.acknowledge(7, u64::MAX, 1), Acknowledged::News(3));
        assert_eq!(window.acknowledge(7, u64::MAX, 1), Acknowledged::NeverSent);
        // Rows that are written later are sent all the same.
        window.fill((6..=9_u64).map(|n| row(n.cast_signed(), 7, n)).collect());
        let expected: Vec<(u64, u64)> = (4..=9).map(|n| (7, n)).collect();
        assert_eq!(keys(window.next_batch()), expected);
    }

    #[test]
    fn boots_that_somebody_invents_take_no_memory_and_old_ones_are_forgotten() {
        let mut window = Window::new();
        for boot_id in 1..10_000 {
            window.acknowledge(boot_id, 5, 1);
        }
        assert!(window.boots.is_empty());
        for n in 1..=1_000_u64 {
            window.fill(vec![row(n.cast_signed(), n, 1)]);
            window.mark_sent(1);
            assert_eq!(window.acknowledge(n, 1, 1), Acknowledged::News(1));
        }
        assert!(window.boots.len() <= BOOTS_MAX + 1, "{}", window.boots.len());
    }

    #[test]
    fn a_repeated_acknowledgement_tells_of_rows_on_their_way_only() {
        let mut window = Window::new();
        window.fill((1..=4_u64).map(|n| row(n.cast_signed(), 7, n)).collect());
        window.mark_sent(2);
        assert_eq!(window.acknowledge(7, 0, 1), Acknowledged::Repeated, "nothing has arrived");
        assert_eq!(window.acknowledge(7, 2, 1), Acknowledged::News(2));
        assert_eq!(
            window.acknowledge(7, 2, 1),
            Acknowledged::Nothing,
            "rows 3 and 4 were not sent"
        );
        window.mark_sent(2);
        window.rewind();
        window.mark_sent(2);
        assert!(window.is_resending(), "an answer may be one to the first sending");
        assert_eq!(window.acknowledge(7, 4, 1), Acknowledged::News(4));
        assert!(!window.is_resending());
    }

    #[test]
    fn a_later_store_that_has_less_is_believed_and_a_late_word_of_the_same_is_not() {
        let mut window = Window::new();
        window.fill((1..=9_u64).map(|n| row(n.cast_signed(), 7, n)).collect());
        window.mark_sent(9);
        assert_eq!(window.acknowledge(7, 6, 1), Acknowledged::News(6));
        assert_eq!(window.acknowledge(7, 2, 1), Acknowledged::Lower);
        assert_eq!(window.acknowledge(7, 2, 2), Acknowledged::FellBack(2));
        assert_eq!(window.next_batch(), None, "all of it comes behind a gap");
        window.reset();
        assert_eq!(window.room(), (WINDOW_ROWS_MAX, 0));
        window.fill((3..=9_u64).map(|n| row(n.cast_signed(), 7, n)).collect());
        let expected: Vec<(u64, u64)> = (3..=9).map(|n| (7, n)).collect();
        assert_eq!(keys(window.next_batch()), expected);
        window.mark_sent(7);
        assert_eq!(window.acknowledge(7, 9, 2), Acknowledged::News(9));
        // Acknowledgements of an earlier boot of the hub are doubted, too.
        window.note_acknowledged(5, 40);
        assert_eq!(window.acknowledge(5, 30, 2), Acknowledged::FellBack(30));
    }

    #[test]
    fn a_large_row_travels_alone() {
        let mut window = Window::new();
        let large =
            |n: u64| JournalRow { body: vec![0; BATCH_BYTES_MAX], ..row(n.cast_signed(), 7, n) };
        window.fill(vec![large(1), large(2)]);
        assert_eq!(keys(window.next_batch()), [(7, 1)]);
    }

    proptest! {
        /// An adjudicator behind a connection that breaks at random gets every row, in order.
        #[test]
        fn every_row_arrives_in_order_however_often_the_connection_breaks(
            steps in prop::collection::vec(0u8..5, 1..400), total in 1u64..600,
        ) {
            let mut window = Window::new();
            let mut on_the_wire: VecDeque<(u64, u64)> = VecDeque::new();
            let mut acks: VecDeque<u64> = VecDeque::new();
            let mut has = 0;
            let ending = [4].into_iter().chain([0, 1, 2, 3, 3].repeat(600));
            for step in steps.into_iter().chain(ending) {
                match step {
                    0 => {
                        let (room, after) = window.room();
                        let next = after.cast_unsigned() + 1;
                        let end = (next + (room as u64).min(50)).min(total + 1);
                        window.fill((next..end).map(|n| row(n.cast_signed(), 7, n)).collect());
                    }
                    1 => {
                        let batch = keys(window.next_batch());
                        window.mark_sent(batch.len());
                        on_the_wire.extend(batch);
                    }
                    2 => {
                        for (_, sequence) in on_the_wire.drain(..) {
                            if sequence == has + 1 {
                                has = sequence;
                            }
                        }
                        acks.push_back(has);
                        acks.push_back(has / 2);
                    }
                    3 => {
                        if let Some(sequence) = acks.pop_front() {
                            window.acknowledge(7, sequence, 1);
                        }
                    }
                    _ => {
                        on_the_wire.clear();
                        acks.clear();
                        window.rewind();
                    }
                }
            }
            prop_assert_eq!(has, total);
        }
    }
}
