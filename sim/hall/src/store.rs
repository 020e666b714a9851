//! The adjudicator's store as a model: what is committed survives a kill, and a backup is a store of an earlier time. A test of the
//! adjudicator gives its SQLite and the model the same.

use std::collections::BTreeMap;
use std::rc::Rc;

use delivery::{Accepted, Position, accept};
use proto::mqtt::ReceivedRows;
use proto::mqtt::message::row::Event;
use proto::mqtt::message::{OrderOutcome, Row};

use crate::sabotage::Sabotage;

/// One thing that was committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stored {
    /// A row: hub, boot, sequence, and its bytes; none if a broken store took what had not come.
    Row(String, u64, u64, Option<Rc<Vec<u8>>>),
    /// Rows that will never come: hub, boot, first and last.
    Lost(String, u64, u64, u64),
    /// An order that a director gave.
    Order(u64),
}

/// State of an order, by the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OrderState {
    /// No hub has answered.
    Sent,
    /// The hub has it in its journal.
    Taken,
    /// The order has ended.
    Ended(OrderOutcome),
}

/// Rows and orders of one commit.
#[derive(Clone, Debug, Default)]
struct Commit {
    stored: Vec<Stored>,
    /// Reports of orders in rows.
    news: Vec<(u64, OrderState)>,
    /// The latest time of each hub's clock in its rows, and their time of arrival, Unix µs.
    heard: BTreeMap<String, (u64, u64)>,
}

/// The database.
#[derive(Debug, Default)]
pub struct Store {
    /// In order; each is committed whole.
    commits: Vec<Commit>,
    /// By hub and boot: how far, and in which commit that was seen last.
    positions: BTreeMap<(String, u64), (u64, usize)>,
    pub(crate) is_full: bool,
    openings: u32,
    orders: BTreeMap<u64, OrderState>,
}

impl Store {
    /// Opens it; returns its name.
    pub(crate) fn open(&mut self, sabotage: Sabotage) -> String {
        self.openings += 1;
        let name = if sabotage == Sabotage::OneStoreId { 1 } else { self.openings };
        format!("store-{name}")
    }

    /// Commits a group that came at `now_us` (Unix µs). Returns the outcome of each message.
    pub fn append(&mut self, group: &[ReceivedRows], now_us: u64) -> Vec<Accepted> {
        self.append_sabotaged(group, now_us, Sabotage::None).0
    }

    /// Appends like [`Self::append`], with a sabotage; also returns the stored rows.
    pub(crate) fn append_sabotaged(
        &mut self,
        group: &[ReceivedRows],
        now_us: u64,
        sabotage: Sabotage,
    ) -> (Vec<Accepted>, Vec<Stored>) {
        let (mut taken, mut stored, mut news) = (Vec::new(), Vec::new(), Vec::new());
        let mut heard = self.heard();
        for ReceivedRows { rows, bodies } in group {
            let key = (rows.hub_id.clone(), rows.boot_id);
            let known = self.positions.get(&key).map_or(0, |(position, _)| *position);
            let sequences: Vec<u64> = rows.rows.iter().map(|row| row.sequence).collect();
            let accepted =
                sabotaged(accept(known, rows.first_available, &sequences), &sequences, sabotage);
            taken.push(accepted);
            if let Some((first, last)) = accepted.lost {
                stored.push(Stored::Lost(key.0.clone(), key.1, first, last));
            }
            for sequence in accepted.taken() {
                let place = sequences.iter().position(|known| *known == sequence);
                let body = place.and_then(|place| bodies.get(place));
                let body = body.map(|body| Rc::new(body.clone()));
                stored.push(Stored::Row(key.0.clone(), key.1, sequence, body));
                if let Some(row) = place.and_then(|place| rows.rows.get(place)) {
                    news.extend(news_of(row));
                    let before = heard.get(&key.0).map_or(0, |(hub_us, _)| *hub_us);
                    if row.hub_time_us >= before {
                        heard.insert(key.0.clone(), (row.hub_time_us, now_us));
                    }
                }
            }
            if accepted.is_news() {
                self.positions.insert(key, (accepted.position, self.commits.len()));
            }
        }
        if !stored.is_empty() {
            news.iter().for_each(|(id, state)| self.hear(*id, *state));
            self.commits.push(Commit { stored: stored.clone(), news, heard });
        }
        (taken, stored)
    }

    /// Keeps the first so many commits only.
    pub fn set_back(&mut self, commits: usize) {
        self.commits.truncate(commits);
        self.positions.clear();
        self.orders.clear();
        for (index, commit) in std::mem::take(&mut self.commits).into_iter().enumerate() {
            for stored in &commit.stored {
                match stored {
                    Stored::Row(hub, boot_id, last, _) | Stored::Lost(hub, boot_id, _, last) => {
                        self.positions.insert((hub.clone(), *boot_id), (*last, index));
                    }
                    Stored::Order(id) => drop(self.orders.insert(*id, OrderState::Sent)),
                }
            }
            commit.news.iter().for_each(|(id, state)| self.hear(*id, *state));
            self.commits.push(commit);
        }
    }

    /// The times of hubs' clocks by the last commit.
    fn heard(&self) -> BTreeMap<String, (u64, u64)> {
        self.commits.last().map_or_else(BTreeMap::new, |commit| commit.heard.clone())
    }

    /// Number of commits.
    #[must_use]
    pub fn commits(&self) -> usize {
        self.commits.len()
    }

    /// All that was committed, in order.
    pub fn all(&self) -> impl Iterator<Item = &Stored> {
        self.commits.iter().flat_map(|commit| &commit.stored)
    }

    /// A director gives an order.
    pub(crate) fn give(&mut self, id: u64) {
        let heard = self.heard();
        self.commits.push(Commit { stored: vec![Stored::Order(id)], news: Vec::new(), heard });
        self.orders.insert(id, OrderState::Sent);
    }

    /// Takes a hub's report of an order; reports of unknown orders are ignored.
    fn hear(&mut self, id: u64, news: OrderState) {
        if let Some(state) = self.orders.get_mut(&id) {
            // Rows of the boot that received it may arrive after those of the boot that ended it.
            if news == OrderState::Taken && matches!(state, OrderState::Ended(_)) {
                return;
            }
            *state = news;
        }
    }

    /// Every order of the log, and how far it has come.
    pub(crate) fn orders(&self) -> impl Iterator<Item = (u64, OrderState)> {
        self.orders.iter().map(|(id, state)| (*id, *state))
    }

    /// A broken adjudicator takes an order for answered when it has sent it.
    pub(crate) fn note_sent_for_good(&mut self, id: u64) {
        self.hear(id, OrderState::Taken);
    }

    /// The present time of a hub's clock, by its rows, Unix µs.
    pub(crate) fn hub_time_us(&self, hub: &str, now_us: u64) -> Option<u64> {
        let &(hub_us, received_us) = self.commits.last()?.heard.get(hub)?;
        Some(hub_us + now_us.saturating_sub(received_us))
    }

    /// Whether rows of a hub will never come.
    pub(crate) fn has_lost_rows_of(&self, hub: &str) -> bool {
        self.all().any(|stored| matches!(stored, Stored::Lost(of, ..) if of == hub))
    }

    /// Last committed sequence of a boot; 0 for none.
    #[must_use]
    pub fn position(&self, hub: &str, boot_id: u64) -> u64 {
        self.positions.get(&(hub.to_owned(), boot_id)).map_or(0, |(position, _)| *position)
    }

    /// The position of every hub's latest boot.
    #[must_use]
    pub fn latest_positions(&self) -> Vec<Position> {
        let mut latest: BTreeMap<&str, (usize, u64, u64)> = BTreeMap::new();
        for ((hub, boot_id), (sequence, seen)) in &self.positions {
            let entry = (*seen, *boot_id, *sequence);
            let known = latest.entry(hub).or_insert(entry);
            *known = (*known).max(entry);
        }
        let position = |(hub, (_, boot_id, sequence)): (&str, (usize, u64, u64))| Position {
            hub: hub.to_owned(),
            boot_id,
            sequence,
        };
        latest.into_iter().map(position).collect()
    }
}

/// Report of an order in a row.
fn news_of(row: &Row) -> Option<(u64, OrderState)> {
    match row.event.as_ref()? {
        Event::OrderTaken(taken) => Some((taken.order_id, OrderState::Taken)),
        Event::OrderEnded(ended) => Some((ended.order_id, OrderState::Ended(ended.outcome()))),
        _ => None,
    }
}

fn sabotaged(accepted: Accepted, sequences: &[u64], sabotage: Sabotage) -> Accepted {
    let last = sequences.last().copied().unwrap_or(0);
    match sabotage {
        Sabotage::TakesTwice if accepted.duplicates > 0 && accepted.accepted == 0 => {
            Accepted { position: last, accepted: sequences.len(), lost: None, ..accepted }
        }
        Sabotage::TakesBehindGap if accepted.gap && accepted.accepted == 0 => {
            Accepted { position: last, accepted: sequences.len(), lost: None, ..accepted }
        }
        _ => accepted,
    }
}
