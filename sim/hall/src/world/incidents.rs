//! Faults of the hall.

use rand::RngExt;

use super::{ADJUDICATOR_PAUSE_US, EPOCH_US, Event, KEEP_ALIVE_US, Who, World};
use crate::adjudicator;
use crate::client::Client;
use crate::hub::{self, HubProcess};
use crate::outcome::Observer;
use crate::plan::Incident;
use crate::sabotage::Sabotage;

/// First pause of a hub's client after a connection that failed, µs.
const HUB_PAUSE_US: u64 = 200_000;
/// Bound of the number added to a boot's id, as in the hub.
const BOOT_ID_NOISE: u64 = 1 << 20;
/// Rows of a clone.
const CLONE_ROWS: u64 = 12;

impl<O: Observer> World<'_, O> {
    pub(super) fn befall(&mut self, incident: Incident) {
        self.log("fate", &format!("{incident:?}"));
        let count = self.plan.rows_us.len();
        match incident {
            Incident::HubOff(slot) => self.stop_hub(slot),
            Incident::HubOn(slot, behind_us) => self.start_hub(slot, behind_us),
            Incident::OtherRelease | Incident::OtherConfiguration => {
                if let Some(floor) = self.floors.get_mut(&0).filter(|floor| floor.process.is_none())
                {
                    floor.become_other(incident == Incident::OtherRelease);
                }
            }
            Incident::JournalSetBack(slot, commits) => self.set_journal_back(slot, commits),
            Incident::JournalFull(slot, is_full) => self.hubs[slot].journal.is_full = is_full,
            Incident::Clone(slot, true) => {
                self.start_hub(count + slot, 0);
                for n in 0..CLONE_ROWS {
                    self.after(n * 200_000, Event::Row(count + slot));
                }
            }
            Incident::Clone(slot, false) => self.stop_hub(count + slot),
            Incident::HubCut(slot, seen) => self.cut(Who::Hub(slot), seen),
            Incident::AdjudicatorCut(seen) => self.cut(Who::Adjudicator, seen),
            Incident::AdjudicatorOff => self.stop_adjudicator(),
            Incident::AdjudicatorOn(nameless) => self.start_adjudicator(nameless),
            Incident::StoreSetBack(share) => {
                if self.adjudicator.is_none() {
                    let commits = (self.store.commits() as f64 * share) as usize;
                    self.store.set_back(commits);
                    self.counts.set_back += 1;
                }
            }
            Incident::StoreFull(is_full) => self.store.is_full = is_full,
            Incident::StoreSlow(store_us) => self.pace.store_us = store_us,
            Incident::Latency(latency_us) => self.pace.latency_us = latency_us,
            Incident::BrokerOff => self.stop_broker(),
            Incident::BrokerOn(forgot) => self.start_broker(forgot),
            Incident::Calm => self.calm(count),
        }
    }

    fn calm(&mut self, count: usize) {
        self.is_calm = true;
        self.pace.store_us = self.plan.store_commit_us;
        self.pace.latency_us = self.plan.latency_us;
        self.store.is_full = false;
        self.start_broker(false);
        if self.adjudicator.as_ref().is_some_and(|process| process.is_nameless) {
            // No hub can know the losses of such a release: it is updated.
            self.stop_adjudicator();
        }
        self.start_adjudicator(false);
        for slot in 0..count {
            self.hubs[slot].journal.is_full = false;
            self.stop_hub(count + slot);
            self.start_hub(slot, 0);
        }
        (0..count).for_each(|hub| self.calm_floor(hub));
    }

    fn set_journal_back(&mut self, slot: usize, commits: usize) {
        let hub = &mut self.hubs[slot];
        if hub.process.is_some() || !hub.journal.set_back(commits) {
            return;
        }
        hub.was_set_back = true;
        self.counts.set_back += 1;
        for ((id, boot_id), boot) in &mut self.truth.boots {
            if *id == hub.id && boot.slot == slot {
                // Rows freed before are not missed.
                boot.available = boot.available.min(hub.journal.last(*boot_id));
            }
        }
    }

    pub(super) fn stop_hub(&mut self, slot: usize) {
        let Some(process) = self.hubs[slot].process.take() else { return };
        self.counts.kills += 1;
        if let Some(floor) = self.floors.get_mut(&slot) {
            floor.process = None;
        }
        if self.sabotage == Sabotage::CommitsAreNotDurable {
            self.hubs[slot].journal.set_back(1);
        }
        self.abandon(process.client.connection);
    }

    pub(super) fn start_hub(&mut self, slot: usize, behind_us: u64) {
        if self.hubs[slot].process.is_some() {
            return;
        }
        let (incarnation, generation) = (self.name(), self.name());
        let (now_us, now) = (EPOCH_US + self.now_us - behind_us, self.instant());
        let (truth, rng) = (&self.truth, &mut self.rng);
        let hub = &mut self.hubs[slot];
        let taken = |boot_id| truth.boots.contains_key(&(hub.id.clone(), boot_id));
        let mut noise = || rng.random_range(0..BOOT_ID_NOISE);
        let boot_id = hub.journal.begin_boot(now_us, &mut noise, taken, self.sabotage);
        self.truth.boot(&hub.id, boot_id).slot = slot;
        hub.process = Some(HubProcess {
            incarnation,
            boot_id,
            next_sequence: 1,
            sender: hub::sender(&hub.id, boot_id, now),
            client: Client::new(generation, HUB_PAUSE_US),
            commands: Default::default(),
            rows_waiting: 0,
            is_committing: false,
            notes: 0,
        });
        if self.sabotage == Sabotage::ForgetsWhatWaited {
            hub.offered.pop_front();
        }
        self.log(&format!("hub {slot}"), &format!("starts as boot {boot_id}"));
        self.after(0, Event::Connect(Who::Hub(slot), generation));
        self.after(250_000, Event::Tick(slot, incarnation));
        self.start_floor_process(slot, behind_us);
        self.offer(slot);
        self.drive_hub(slot);
    }

    fn stop_adjudicator(&mut self) {
        let Some(process) = self.adjudicator.take() else { return };
        self.counts.kills += 1;
        self.abandon(process.client.connection);
    }

    pub(super) fn start_adjudicator(&mut self, nameless: bool) {
        if self.adjudicator.is_some() {
            return;
        }
        let (incarnation, generation) = (self.name(), self.name());
        let store_id = self.store.open(self.sabotage);
        self.log("adjudicator", &format!("starts with {store_id}"));
        self.adjudicator = Some(adjudicator::AdjudicatorProcess {
            incarnation,
            is_nameless: nameless,
            receiver: adjudicator::receiver(if nameless { String::new() } else { store_id }),
            client: Client::new(generation, ADJUDICATOR_PAUSE_US),
            outbox: Default::default(),
            hubs_there: Default::default(),
            work: None,
        });
        self.look_for_orders(incarnation);
        self.after(0, Event::Connect(Who::Adjudicator, generation));
    }

    fn stop_broker(&mut self) {
        if !std::mem::replace(&mut self.broker.is_up, false) {
            return;
        }
        self.counts.kills += 1;
        let sessions = std::mem::take(&mut self.broker.sessions);
        for session in sessions.into_values() {
            let wait_us = self.some(self.pace.latency_us);
            if let Some(who) = self.ends.get(&session.connection).copied() {
                self.after(wait_us, Event::Closed(who, session.connection));
            }
        }
    }

    fn start_broker(&mut self, forgot: bool) {
        self.broker.is_up = true;
        if forgot {
            self.broker.retained.clear();
        }
    }

    /// The process at the end of a connection has ended: the system reports it to the broker, or its power was cut and the broker gets no report.
    fn abandon(&mut self, connection: Option<u64>) {
        let Some(connection) = connection else { return };
        let wait_us = match self.rng.random_bool(0.7) {
            true => self.some(self.pace.latency_us),
            false => KEEP_ALIVE_US,
        };
        self.after(wait_us, Event::Expired(connection));
    }

    fn cut(&mut self, who: Who, seen: bool) {
        let Some(connection) = self.client(who).and_then(|client| client.connection) else {
            return;
        };
        self.counts.cuts += 1;
        let wait_us = if seen { 0 } else { KEEP_ALIVE_US };
        self.after(wait_us, Event::Expired(connection));
        self.after(0, Event::Closed(who, connection));
    }
}
