//! The adjudicator's store: what is committed survives a kill, and a backup is a store of an earlier time.

use std::collections::BTreeMap;

use delivery::{Accepted, Position, accept};
use proto::mqtt::ReceivedRows;

use crate::sabotage::Sabotage;
use crate::truth::digest;

/// One thing that was committed.
#[derive(Clone, Debug)]
pub(crate) enum Stored {
    /// A row: hub, boot, sequence, digest.
    Row(String, u64, u64, Option<u64>),
    /// Rows that will never come: hub, boot, first and last.
    Lost(String, u64, u64, u64),
}

/// The database.
#[derive(Debug, Default)]
pub(crate) struct Store {
    /// In order; each is committed whole.
    commits: Vec<Vec<Stored>>,
    /// By hub and boot: how far, and in which commit that was seen last.
    positions: BTreeMap<(String, u64), (u64, usize)>,
    pub(crate) is_full: bool,
    openings: u32,
}

impl Store {
    /// Opens it; returns its name.
    pub(crate) fn open(&mut self, sabotage: Sabotage) -> String {
        self.openings += 1;
        let name = if sabotage == Sabotage::OneStoreId { 1 } else { self.openings };
        format!("store-{name}")
    }

    /// Commits a group. What became of each message, and what was stored.
    pub(crate) fn append(
        &mut self,
        group: &[ReceivedRows],
        sabotage: Sabotage,
    ) -> (Vec<Accepted>, Vec<Stored>) {
        let (mut taken, mut stored) = (Vec::new(), Vec::new());
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
                let digest = body.map(|body| digest(body));
                stored.push(Stored::Row(key.0.clone(), key.1, sequence, digest));
            }
            if accepted.is_news() {
                self.positions.insert(key, (accepted.position, self.commits.len()));
            }
        }
        if !stored.is_empty() {
            self.commits.push(stored.clone());
        }
        (taken, stored)
    }

    /// Keeps the first so many commits only.
    pub(crate) fn set_back(&mut self, commits: usize) {
        self.commits.truncate(commits);
        self.positions.clear();
        for (index, commit) in self.commits.iter().enumerate() {
            for stored in commit {
                let (Stored::Row(hub, boot_id, last, _) | Stored::Lost(hub, boot_id, _, last)) =
                    stored;
                self.positions.insert((hub.clone(), *boot_id), (*last, index));
            }
        }
    }

    pub(crate) fn commits(&self) -> usize {
        self.commits.len()
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Stored> {
        self.commits.iter().flatten()
    }

    pub(crate) fn position(&self, hub: &str, boot_id: u64) -> u64 {
        self.positions.get(&(hub.to_owned(), boot_id)).map_or(0, |(position, _)| *position)
    }

    /// The position of every hub's latest boot.
    pub(crate) fn latest_positions(&self) -> Vec<Position> {
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
