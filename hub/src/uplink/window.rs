//! Which rows are on their way: the part of the journal's queue that is in memory. Pure.
//!
//! The broker's PUBACK means nothing here: a row leaves the window when the adjudicator's cumulative
//! acknowledgement covers it, and after every connection everything in the window is sent again.

use std::collections::{BTreeMap, VecDeque};

use proto::mqtt::MAX_ROWS;

use crate::journal::JournalRow;

/// Rows held, sent or not: bounds memory and what a broker may have to queue for an adjudicator
/// that is away (Mosquitto drops beyond 1,000 messages; these are at most 512, batched).
pub const WINDOW_ROWS_MAX: usize = 512;
/// Bytes of rows in one message; well below what brokers and the protocol allow.
const BATCH_BYTES_MAX: usize = 64 * 1024;
/// Rows in one message.
const BATCH_ROWS_MAX: usize = if MAX_ROWS < 100 { MAX_ROWS } else { 100 };

/// Rows in the order of the journal.
#[derive(Debug, Default)]
pub struct Window {
    rows: VecDeque<JournalRow>,
    /// How many from the front were handed out since the last rewind.
    sent: usize,
    /// The last row taken from the journal.
    last_row_id: i64,
    /// What is acknowledged, by boot.
    acknowledged: BTreeMap<u64, u64>,
}

impl Window {
    /// A window that has seen nothing.
    #[must_use]
    pub fn new() -> Window {
        Window::default()
    }

    /// How many more rows fit, and after which row of the journal they come.
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

    /// The next `count` rows were handed to the client.
    pub fn mark_sent(&mut self, count: usize) {
        self.sent = (self.sent + count).min(self.rows.len());
    }

    /// How far a boot's rows are acknowledged.
    #[must_use]
    pub fn acknowledged(&self, boot_id: u64) -> u64 {
        self.acknowledged.get(&boot_id).copied().unwrap_or(0)
    }

    /// Whether rows were sent that nobody has acknowledged.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.sent > 0
    }

    /// Sends everything again, from the last acknowledgement on.
    pub fn rewind(&mut self) {
        self.sent = 0;
    }

    /// The adjudicator has a boot's rows up to `sequence`. True when that is news; acknowledgements
    /// that come twice, or late, change nothing.
    pub fn acknowledge(&mut self, boot_id: u64, sequence: u64) -> bool {
        let reached = self.acknowledged.entry(boot_id).or_insert(0);
        if sequence <= *reached {
            return false;
        }
        *reached = sequence;
        let (sent, mut kept_sent, mut index) = (self.sent, 0, 0);
        self.rows.retain(|row| {
            let keep = row.boot_id != boot_id || row.sequence > sequence;
            kept_sent += usize::from(keep && index < sent);
            index += 1;
            keep
        });
        self.sent = kept_sent;
        true
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
        assert!(window.acknowledge(7, 2));
        assert!(!window.acknowledge(7, 2), "a repeated acknowledgement is no news");
        assert!(!window.acknowledge(7, 1), "nor is a late one");
        assert_eq!(keys(window.next_batch()), [(7, 5)]);
        window.rewind();
        assert_eq!(keys(window.next_batch()), [(7, 3), (7, 4), (7, 5)]);
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
                            window.acknowledge(7, sequence);
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
