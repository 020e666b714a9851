//! Hubs of tables, owners of matches, and the tables whose readings come.

use super::{
    Table, Tables,
    ownership::{Owner, hub_and_table, is_hub_and_table},
    presence::Hub,
};
use crate::{
    hall::{
        refusal::Refusal,
        report::{HubPresence, NodeTrouble},
    },
    limits::HUB_TABLES_MAX,
    log::input::Input,
};

/// Maximum number of remembered doubtful or silent nodes of a table.
const NODES_MAX: usize = 64;

impl Tables {
    /// Rows of a hub will never come.
    pub(in crate::hall) fn note_lost(&mut self, hub: &str, which: &str) {
        self.lost.note(hub, which);
        let first = which.split(' ').nth(1).and_then(|first| first.parse::<u64>().ok());
        if first == Some(1) {
            self.hubs.of(hub).begin_boot();
        }
    }

    /// An input fills a hub's share of the log.
    pub(in crate::hall) fn count(&mut self, hub: &str, input: &Input) {
        self.hubs.of(hub).count(input.weight());
    }

    /// A node is in trouble, or no longer, at a moment: the number of the input and when it is shown.
    pub(in crate::hall) fn note_node(
        &mut self,
        (input, at_ms): (u64, u64),
        slot: usize,
        id: String,
        trouble: Option<NodeTrouble>,
    ) {
        let was_followed = self.list[slot].not_followed().is_none();
        let troubled = &mut self.list[slot].troubled_nodes;
        match trouble {
            None => drop(troubled.remove(&id)),
            Some(trouble) if troubled.len() < NODES_MAX || troubled.contains_key(&id) => {
                troubled.insert(id, trouble);
            }
            Some(_) => {}
        }
        self.refresh_line(slot, at_ms);
        if self.list[slot].not_followed().is_none() != was_followed {
            self.touch(slot);
        }
        self.desk_changed = input;
    }

    /// Whether a hub may report this of a match.
    pub(in crate::hall) fn check_report(
        &mut self,
        match_id: &str,
        (hub, table): (&str, &str),
        (hub_time_us, t_us): (u64, u64),
        report: &referee::Input,
    ) -> Result<(), Refusal> {
        let Some(game) = self.matches.get_mut(match_id) else { return Ok(()) };
        if game.hub != hub {
            let words = self.strangers.meet(&format!("match {match_id}"), hub, &game.hub);
            return Err(Refusal::Stranger(words));
        }
        if game.table != table {
            return Err(format!("match {match_id} is played at another table").into());
        }
        Ok(game.check(hub_time_us, t_us, report)?)
    }

    /// The place of a table that a hub speaks of; a new one, if it may have another.
    pub(in crate::hall) fn hub_table_slot(&mut self, table: &str, hub: &str) -> Option<usize> {
        if let Some(slot) = self.slot_of(table) {
            return Some(slot);
        }
        let of_hub = self.list.iter().filter(|known| known.owner.hub() == Some(hub)).count();
        if of_hub < HUB_TABLES_MAX { self.table_slot(table) } else { None }
    }

    /// Records that a hub serves a table. `true` if it may.
    pub(in crate::hall) fn claim(&mut self, slot: usize, hub: &str) -> bool {
        let Tables { list, hubs, strangers, .. } = self;
        let table = &mut list[slot];
        let before = table.owner.hub().map(str::to_owned);
        let has_left = |owner: &str| hubs.get(owner).is_some_and(Hub::has_left);
        let may = table.owner.claim(hub, has_left);
        if may && before.as_deref() != Some(hub) {
            table.troubled_nodes.clear();
            strangers.settle(&format!("table {}", table.name), hub);
        }
        may
    }

    pub(in crate::hall) fn stranger(&mut self, what: String, hub: &str, slot: usize) -> Refusal {
        let owner = self.list[slot].owner.hub().unwrap_or_default();
        Refusal::Stranger(self.strangers.meet(&what, hub, owner))
    }

    /// Whether a hub may open a match of this name at its table. A name that fits several hubs and their tables ("a" and "b-1", "a-b" and
    /// "1") belongs to the hub whose table is first: one that the organiser has listed, or an earlier one.
    pub(in crate::hall) fn check_name(
        &mut self,
        match_id: &str,
        slot: usize,
        hub: &str,
    ) -> Result<(), Refusal> {
        if let Some(game) = self.matches.get(match_id) {
            if game.hub == hub {
                return Err(format!("match {match_id} has been opened before").into());
            }
            let words = self.strangers.meet(&format!("match {match_id}"), hub, &game.hub);
            return Err(Refusal::Stranger(words));
        }
        let Some(named) = hub_and_table(match_id) else { return Ok(()) };
        let is_named = |table: &Table| {
            table.owner.hub().is_some_and(|owner| is_hub_and_table(named, owner, &table.name))
        };
        let first = self.list.slots().position(is_named);
        match first {
            Some(first) if first == slot => Ok(()),
            Some(first) if self.list[first].owner.hub() != Some(hub) => {
                let what = format!("matches of table {}", self.list[first].name);
                Err(self.stranger(what, hub, first))
            }
            _ => {
                let table = &self.list[slot].name;
                Err(format!("match {match_id} is not named after hub {hub} and table {table}")
                    .into())
            }
        }
    }

    pub(in crate::hall) fn apply_hub_state(&mut self, name: &str, state: &HubPresence) {
        let hub = self.hubs.of(name);
        let is_new_boot = hub.hear(state.boot_id, state.is_online);
        hub.complain(&state.troubles);
        hub.note_update(state.update_ended);
        hub.note_nodes(state);
        self.release_tables(name, state);
        let names: Vec<String> =
            state.tables.iter().filter(|table| crate::config::is_segment(table)).cloned().collect();
        for table in names {
            let Some(slot) = self.hub_table_slot(&table, name) else { continue };
            // A hub that sends its farewell claims nothing.
            if !state.is_online && self.list[slot].owner.hub() != Some(name) {
                continue;
            }
            if !self.claim(slot, name) {
                let refusal = self.stranger(format!("table {table}"), name, slot);
                if let Refusal::Stranger(Some(words)) = refusal {
                    tracing::warn!("{words}");
                }
                continue;
            }
            if is_new_boot {
                self.list[slot].troubled_nodes.clear();
            }
        }
    }

    /// Frees tables that a hub served and does not name any more: its nodes were placed elsewhere.
    fn release_tables(&mut self, name: &str, state: &HubPresence) {
        if !state.is_online {
            return;
        }
        for slot in 0..self.list.len() {
            let table = &mut self.list[slot];
            if !state.tables.contains(&table.name) && table.owner.release(name) {
                table.troubled_nodes.clear();
            }
        }
    }

    /// Works out which tables' readings reach us.
    pub(in crate::hall) fn refresh_lines(&mut self, at_ms: u64) {
        for slot in 0..self.list.len() {
            self.refresh_line(slot, at_ms);
        }
    }

    pub(in crate::hall) fn refresh_line(&mut self, slot: usize, at_ms: u64) {
        let table = &self.list[slot];
        let hub = table.owner.hub().and_then(|hub| self.hubs.get(hub));
        // A doubtful node counts as present: one switch that flickers does not disconnect the table.
        let is_lost = table.lost_nodes().next().is_some();
        let is_served = !matches!(table.owner, Owner::Released(_));
        let is_live = self.is_linked && hub.is_some_and(Hub::is_online) && is_served && !is_lost;
        let mut line = table.line;
        if line.set(is_live, at_ms) {
            self.list[slot].line = line;
            self.touch(slot);
        }
    }
}
