//! Conditions that hold at every step, and in the end.

use std::collections::BTreeMap;

use delivery::RECEIVED_MAX;

use super::World;
use crate::floor::{Floor, FloorIncident};
use crate::hub::COMMANDS_MAX;
use crate::outcome::{Observer, Violation};
use crate::plan::BUSY_US;
use crate::store::Stored;
use crate::truth::{Boot, digest};

/// Maximum number of messages to people about one trouble: its beginning, its duration, its effects.
const WARNINGS_MAX: usize = 6;
/// Longest time from the journal to the store of a hall without faults, µs: the first connections, and a number of ways and commits.
const STORED_US: u64 = 1_500_000;
const STORED_DELAYS: u64 = 8;
/// Messages that a broker holds at most for one client in a hall without faults.
const ROWS_QUEUED_MAX: usize = 50;

impl<O: Observer> World<'_, O> {
    /// Whether every hub of the event has journalled everything, it has arrived in the store, and the hub knows.
    pub(super) fn is_settled(&self) -> bool {
        let has_arrived = |((hub, boot_id), boot): (&(String, u64), &Boot)| {
            !self.plan_hubs().contains(&boot.slot)
                || self.store.position(hub, *boot_id) >= boot.available
        };
        self.is_calm
            && self.floors.values().all(|floor| floor.unsettled(self.now_us).is_none())
            && self.unsettled_order().is_none()
            && self.plan_hubs().all(|slot| self.is_hub_settled(slot))
            && self.truth.boots.iter().all(has_arrived)
    }

    fn plan_hubs(&self) -> std::ops::Range<usize> {
        0..self.plan.rows_us.len()
    }

    fn is_hub_settled(&self, slot: usize) -> bool {
        let hub = &self.hubs[slot];
        let is_idle = hub.process.as_ref().is_some_and(|process| process.commands.is_empty());
        is_idle && hub.offered.is_empty() && hub.journal.waiting() == 0
    }

    /// The pending work, in words.
    pub(super) fn unsettled(&self) -> String {
        let left = self.plan_hubs().filter(|slot| !self.is_hub_settled(*slot)).map(|slot| {
            let hub = &self.hubs[slot];
            format!(
                "hub {slot} has {} rows not journalled and {} not acknowledged",
                hub.offered.len(),
                hub.journal.waiting()
            )
        });
        let floor = self.floors.values().find_map(|floor| floor.unsettled(self.now_us));
        left.chain(floor).chain(self.unsettled_order()).collect::<Vec<_>>().join("; ")
    }

    pub(super) fn check_bounds(&self) -> Result<(), Violation> {
        if let Some(process) = &self.adjudicator
            && process.receiver.waiting() > RECEIVED_MAX + 2
        {
            return Err(Violation::Unbounded("the receiver's queue", process.receiver.waiting()));
        }
        let commands =
            self.hubs.iter().filter_map(|hub| Some(hub.process.as_ref()?.commands.len()));
        match commands.max() {
            Some(most) if most > COMMANDS_MAX => {
                Err(Violation::Unbounded("a writer's queue", most))
            }
            _ => Ok(()),
        }
    }

    /// The store has every row once, in order, as it was journalled, and every missing row is reported as lost.
    pub(super) fn check_store(&self) -> Result<(), Violation> {
        let mut reached: BTreeMap<(&str, u64), u64> = BTreeMap::new();
        for stored in self.store.all() {
            let (key, first, last) = match stored {
                Stored::Row(hub, boot_id, sequence, _) => ((hub, boot_id), *sequence, *sequence),
                Stored::Lost(hub, boot_id, first, last) => ((hub, boot_id), *first, *last),
                Stored::Order(_) => continue,
            };
            let (hub, boot_id) = (key.0.as_str(), *key.1);
            let before = reached.insert((hub, boot_id), last).unwrap_or(0);
            let boot = self.truth.boots.get(&(hub.to_owned(), boot_id));
            let slot = boot.map_or(usize::MAX, |boot| boot.slot);
            let wrong = |what: String| Err(Violation::NotTheJournal { hub: slot, what });
            if first != before + 1 {
                return wrong(format!("boot {boot_id}: {first} comes after {before}"));
            }
            if let Stored::Row(_, _, sequence, body) = stored {
                let digest = body.as_ref().map(|body| digest(body));
                let digests = boot.map(|boot| &boot.digests[..]).unwrap_or_default();
                let journalled = digests.get(*sequence as usize - 1).copied();
                if digest != journalled {
                    return wrong(format!(
                        "boot {boot_id}, row {sequence}: {digest:?} is stored, {journalled:?} was journalled"
                    ));
                }
            }
        }
        for ((hub, boot_id), boot) in &self.truth.boots {
            let reached = reached.get(&(hub.as_str(), *boot_id)).copied().unwrap_or(0);
            if self.plan_hubs().contains(&boot.slot) && reached < boot.available {
                let what = format!(
                    "boot {boot_id}: the journal had {} rows, the store has {reached}, and no loss was reported",
                    boot.available
                );
                return Err(Violation::NotTheJournal { hub: boot.slot, what });
            }
        }
        Ok(())
    }

    /// Checks the floor of each hub.
    pub(super) fn check_floors(&mut self) -> Result<(), Violation> {
        for floor in std::mem::take(&mut self.floors).into_values() {
            let checked = self.check_floor(&floor);
            self.floors.insert(floor.hub, floor);
            checked?;
        }
        Ok(())
    }

    /// The hub's journal has what its nodes read, and the rows that follow from it. People were notified in plain words, where there was a
    /// fault, and nowhere else.
    fn check_floor(&mut self, floor: &Floor) -> Result<(), Violation> {
        let (plan, hub) = (&floor.plan, &self.hubs[floor.hub]);
        let undisturbed: Vec<bool> =
            (0..plan.tables).map(|it| self.is_undisturbed(floor, it)).collect();
        let (journal, was_set_back) = (&hub.journal, hub.was_set_back);
        let commit_us = self.plan.journal_commit_us;
        let readings = crate::floor::check(floor, journal, plan, &undisturbed, was_set_back);
        self.counts.readings += readings.map_err(Violation::Floor)?;
        floor.broken.clone().map_or(Ok(()), Err).map_err(Violation::Floor)?;
        crate::floor::check_lateness(floor, plan, commit_us, &undisturbed)
            .map_err(Violation::Floor)?;
        self.counts.warnings += floor.warnings.len() as u64;
        for boots in floor.nodes.iter().map(|node| &node.boots) {
            self.counts.node_restarts += boots.len().saturating_sub(1) as u64;
            self.counts.discarded += boots.iter().map(|it| u64::from(it.discarded)).sum::<u64>();
        }
        let lines = floor.ports.iter().flat_map(|port| [&port.up, &port.down]);
        self.counts.line_faults += lines.map(link_sim::Line::faults_so_far).sum::<u64>();
        self.count_excuses(floor)?;
        // A weak contact is no fault of the run, and is reported to people whenever its node was met.
        let weak = plan.weak.map(|node| format!("node {}: weak", floor.nodes[node].id));
        let is_weak = |words: &str| weak.as_ref().is_some_and(|weak| words.starts_with(weak));
        for node in floor.nodes.iter().filter(|node| !node.was_troubled) {
            let about_it = |words: &&String| {
                let id = format!("node {} ", node.id);
                words.contains(&id) && !is_behind(words) && !is_learning(words)
            };
            if let Some(words) = floor.warnings.iter().find(about_it) {
                return Err(Violation::Floor(format!(
                    "{} had no fault, and people are notified: {words}",
                    node.id
                )));
            }
        }
        // Hands here touch boards and clocks at random, so that two devices seem exchanged, or play is not followed.
        let of_play = |words: &String| {
            words.contains("exchange the two")
                || words.contains("after plies on its own board again")
                || words.contains(": play is not followed")
                || words.contains(": play may be followed wrongly")
                || words.contains(": play has begun and the clock was not started")
        };
        let is_of_trouble = |words: &&String| {
            !of_play(words) && !is_learning(words) && !is_behind(words) && !is_weak(words)
        };
        let warnings = floor.warnings.iter().filter(is_of_trouble);
        let warnings: Vec<&String> = warnings.collect();
        let troubles = plan.incidents.len() + self.plan.incidents.len();
        match warnings.len() > WARNINGS_MAX * (troubles - 1) {
            true => {
                let (warnings, last) = (warnings.len(), warnings.last());
                Err(Violation::Floor(format!(
                    "{warnings} messages to people about {troubles} troubles; the last: {last:?}"
                )))
            }
            false => Ok(()),
        }
    }

    /// Counts what is not checked, by its reason.
    fn count_excuses(&mut self, floor: &Floor) -> Result<(), Violation> {
        let (plan, hub) = (&floor.plan, &self.hubs[floor.hub]);
        let mut counts = self.counts;
        counts.tables += floor.tables.len() as u64;
        counts.nodes += floor.nodes.len() as u64;
        for table in (0..plan.tables).filter(|&table| is_excused(floor, table)) {
            let has_fault = floor.nodes_of(table).any(|node| node.was_troubled);
            match (has_fault, self.plan.befalls(floor.hub)) {
                (true, _) => counts.excused_by_node += 1,
                (false, true) => counts.excused_by_hub += 1,
                (false, false) if plan.processor_us > BUSY_US => counts.excused_undisturbed += 1,
                (false, false) => {
                    let words = "a table without faults reports that a node does not answer";
                    return Err(Violation::Floor(words.to_owned()));
                }
            }
        }
        counts.excused_times += floor.nodes.iter().filter(|node| node.had_bad_line).count() as u64;
        let foreign = floor.nodes.iter().filter_map(|node| node.foreign.as_ref());
        counts.excused_squares += foreign.filter(|foreign| foreign.had_noise).count() as u64;
        counts.excused_losses += u64::from(hub.was_set_back);
        let has_lost = self.store.has_lost_rows_of(&hub.id);
        counts.excused_comparisons += u64::from(self.is_compared() && has_lost);
        self.counts = counts;
        Ok(())
    }

    /// Whether no fault hit the hub, its journal, or the nodes and lines of this table; faults at its other table do not count.
    pub(super) fn is_undisturbed(&self, floor: &Floor, table: usize) -> bool {
        let poison = FloorIncident::Poison(table);
        !self.plan.befalls(floor.hub)
            && floor.nodes_of(table).all(|node| !node.was_troubled)
            && !is_excused(floor, table)
            && floor.plan.incidents.iter().all(|&(_, incident)| incident != poison)
    }

    /// A row of a hall without faults is stored soon after its journal has it.
    pub(super) fn check_stored_in_time(
        &self,
        hub: &str,
        boot_id: u64,
        sequence: u64,
    ) -> Result<(), Violation> {
        let boot = self.truth.boots.get(&(hub.to_owned(), boot_id));
        let journalled = boot.and_then(|boot| boot.journalled_us.get(sequence as usize - 1));
        let late_us = journalled.map_or(0, |at_us| self.now_us - at_us);
        let most_us =
            STORED_US + STORED_DELAYS * (self.plan.latency_us + self.plan.store_commit_us);
        // A broker whose queue is short drops messages, which are sent again after seconds.
        let is_judged = self.plan.is_quiet() && self.plan.broker_queue > ROWS_QUEUED_MAX;
        match late_us > most_us && is_judged {
            true => Err(Violation::Floor(format!(
                "row {sequence} of boot {boot_id} of {hub} is stored {late_us} µs after its journal had it, and {most_us} µs are allowed"
            ))),
            false => Ok(()),
        }
    }

    /// A journal notes rows as delivered only if a store has had them.
    pub(super) fn check_freed(
        &self,
        slot: usize,
        boot_id: u64,
        noted: u64,
    ) -> Result<(), Violation> {
        let key = (self.hubs[slot].id.clone(), boot_id);
        let had = self.truth.boots.get(&key).map_or(0, |boot| boot.stored);
        match noted > had {
            true => Err(Violation::FreedTooEarly { hub: slot, boot_id, noted, had }),
            false => Ok(()),
        }
    }

    /// Rows are reported as lost only if their journal does not have them.
    pub(super) fn check_lost(
        &self,
        hub: &str,
        boot_id: u64,
        first: u64,
        last: u64,
    ) -> Result<(), Violation> {
        let Some(boot) = self.truth.boots.get(&(hub.to_owned(), boot_id)) else { return Ok(()) };
        let owner = &self.hubs[boot.slot];
        // A journal that was set back may have rows again that a message in flight reports as lost.
        if owner.was_set_back {
            return Ok(());
        }
        match (first..=last).find(|sequence| owner.journal.has(boot_id, *sequence)) {
            Some(sequence) => Err(Violation::ToldLostInVain { hub: boot.slot, boot_id, sequence }),
            None => Ok(()),
        }
    }
}

/// Whether the table has reported that it goes on without a node: one behind a bad line may be seconds behind.
pub(super) fn is_excused(floor: &Floor, table: usize) -> bool {
    let of_table = format!("table {}: ", floor.tables[table].table.name);
    floor.warnings.iter().any(|words| words.starts_with(&of_table) && is_behind(words))
}

/// Whether words say that a node is so far behind that its table goes on without it: a bad line needs no incident for that.
fn is_behind(words: &str) -> bool {
    words.contains("does not answer")
}

/// Whether words report that a Certabo board learns the tags of its pieces.
fn is_learning(words: &str) -> bool {
    words.contains("learnt")
}
