//! The whole hall as the log tells it: tables, matches with their referees, hubs and their line.
//!
//! A hall is a pure function of the inputs applied to it, so that the live one, the delayed one that
//! the public sees and the one rebuilt after a crash are the same code and the same state. Everything a
//! client can be shown remembers the event id of its last change; what a client has missed is
//! whatever changed after the last event it saw, and no history needs to be kept for it.

mod changes;
mod game;
mod presence;

use std::collections::{BTreeSet, HashMap};

pub use changes::{Changes, EventId};
pub use game::Game;
use prost::Message as _;
use proto::mqtt::message::{HubState, Row};
use rules::Match;

use crate::{
    config::{Disclosure, MAX_TABLES},
    referee,
    store::{Input, InputKind},
    wire::{self, Opened, Report},
};
use presence::{Hub, Line};

/// Most matches of an event that are kept in memory.
const MAX_MATCHES: usize = 8192;

/// One table of the hall.
#[derive(Debug)]
pub struct Table {
    /// The name its hub uses.
    pub name: String,
    /// The match being set up, played or just over.
    pub match_id: Option<String>,
    hub: Option<String>,
    lost_nodes: BTreeSet<String>,
    line: Line,
    changed: EventId,
}

impl Table {
    /// Whether the sensors' readings reach us.
    pub fn is_live(&self) -> bool {
        self.line.is_live()
    }

    /// Since when they do not, Unix milliseconds, if they ever did.
    pub fn stale_since_ms(&self) -> Option<u64> {
        self.line.stale_since_ms()
    }

    /// The event of its last change.
    pub fn changed(&self) -> EventId {
        self.changed
    }
}

/// The hall.
#[derive(Debug)]
pub struct Hall {
    disclosure: Disclosure,
    /// By this much everything is shown later than it was received.
    delay_ms: u64,
    tables: Vec<Table>,
    matches: HashMap<String, Game>,
    hubs: HashMap<String, Hub>,
    is_linked: bool,
    last_input: u64,
    /// Matches whose judgments changed since they were last taken.
    judged: BTreeSet<String>,
    refused: u64,
}

impl Hall {
    /// The hall before anything was heard, with the tables that the organiser listed.
    pub fn new(disclosure: Disclosure, delay_ms: u64) -> Hall {
        let mut hall = Hall {
            delay_ms,
            tables: Vec::new(),
            matches: HashMap::new(),
            hubs: HashMap::new(),
            is_linked: false,
            last_input: 0,
            judged: BTreeSet::new(),
            refused: 0,
            disclosure: Disclosure::default(),
        };
        let names: Vec<String> = disclosure.tables().map(str::to_owned).collect();
        hall.disclosure = disclosure;
        for name in &names {
            hall.table_slot(name);
        }
        hall
    }

    /// What may be shown of the tables.
    pub fn disclosure(&self) -> &Disclosure {
        &self.disclosure
    }

    /// The tables, in the order of the configuration and then of their first appearance.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// A match.
    pub fn game(&self, match_id: &str) -> Option<&Game> {
        self.matches.get(match_id)
    }

    /// All matches in the order in which they were opened.
    pub fn games(&self) -> Vec<&Game> {
        let mut games: Vec<&Game> = self.matches.values().collect();
        games.sort_by_key(|game| game.opened_input);
        games
    }

    /// Number of the last input applied.
    pub fn last_input(&self) -> u64 {
        self.last_input
    }

    /// The last event there can be so far: a client that has seen it has seen everything.
    pub fn last_event(&self) -> EventId {
        EventId::last_of(self.last_input)
    }

    /// Inputs that made no sense and were left out, since the start.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// Whether the adjudicator hears the broker.
    pub fn is_linked(&self) -> bool {
        self.is_linked
    }

    /// Matches whose judgments changed since the last call.
    pub fn take_judged(&mut self) -> Vec<String> {
        std::mem::take(&mut self.judged).into_iter().collect()
    }

    /// A match, to take its new alerts.
    pub fn game_mut(&mut self, match_id: &str) -> Option<&mut Game> {
        self.matches.get_mut(match_id)
    }

    /// Applies the next input of the log. One that makes no sense is counted, said and left out.
    pub fn apply(&mut self, input: &Input) {
        if input.id <= self.last_input {
            return;
        }
        self.last_input = input.id;
        let shown_ms = input.received_ms + self.delay_ms;
        if let Err(reason) = self.apply_known(input, shown_ms) {
            self.refused += 1;
            tracing::warn!(input = input.id, hub = input.hub, %reason, "an input makes no sense and is left out");
        }
        self.refresh_lines(input.id, shown_ms);
    }

    fn apply_known(&mut self, input: &Input, shown_ms: u64) -> Result<(), String> {
        let hub = input.hub.clone().unwrap_or_default();
        match input.kind {
            InputKind::Row => {
                let row =
                    Row::decode(input.payload.as_slice()).map_err(|error| error.to_string())?;
                self.apply_row(input, &hub, &row)
            }
            InputKind::HubState => {
                let state = HubState::decode(input.payload.as_slice())
                    .map_err(|error| error.to_string())?;
                self.apply_hub_state(&hub, &state);
                Ok(())
            }
            InputKind::LinkUp => {
                // Who is there is heard anew: births and wills are retained by the broker.
                self.is_linked = true;
                self.hubs.values_mut().for_each(Hub::forget_presence);
                Ok(())
            }
            InputKind::LinkDown => {
                self.is_linked = false;
                Ok(())
            }
            InputKind::Deadline => {
                let text = String::from_utf8_lossy(&input.payload);
                let t_us = text.parse().map_err(|_| format!("{text:?} is no match time"))?;
                let match_id = input.match_id.clone().unwrap_or_default();
                self.apply_to_match(input.id, shown_ms, &match_id, t_us, referee::Input::Timeout)
            }
        }
    }

    fn apply_row(&mut self, input: &Input, hub: &str, row: &Row) -> Result<(), String> {
        let report = wire::read(row).map_err(|error| error.to_string())?;
        let slot = self.table_slot(&row.table).ok_or_else(|| {
            format!("table {:?} is one too many: at most {MAX_TABLES} are served", row.table)
        })?;
        self.tables[slot].hub = Some(hub.to_owned());
        let presence = self.hubs.entry(hub.to_owned()).or_default();
        let read_ms = presence.local_ms(row.hub_time_us / 1000, input.received_ms) + self.delay_ms;
        match report {
            Report::Opened(opened) => self.open_match(input.id, read_ms, slot, opened),
            Report::Match { match_id, t_us, input: report } => {
                if self.matches.get(&match_id).is_some_and(|game| game.table != row.table) {
                    return Err(format!("match {match_id} is played at another table"));
                }
                self.apply_to_match(input.id, read_ms, &match_id, t_us, report)
            }
            Report::Node { id, is_live } => {
                let lost = &mut self.tables[slot].lost_nodes;
                if is_live {
                    lost.remove(&id)
                } else {
                    lost.insert(id)
                };
                Ok(())
            }
        }
    }

    fn open_match(
        &mut self,
        input: u64,
        opened_ms: u64,
        slot: usize,
        opened: Opened,
    ) -> Result<(), String> {
        if self.matches.contains_key(&opened.match_id) {
            return Err(format!("match {} has been opened before", opened.match_id));
        }
        if self.matches.len() >= MAX_MATCHES {
            return Err(format!("more than {MAX_MATCHES} matches: start a new database"));
        }
        let id = opened.match_id.clone();
        let table = self.tables[slot].name.clone();
        self.matches
            .insert(id.clone(), Game::new(table, opened, Match::initial(), input, opened_ms));
        self.tables[slot].match_id = Some(id.clone());
        self.tables[slot].changed = EventId::of_table(input, slot);
        self.judged.insert(id);
        Ok(())
    }

    fn apply_to_match(
        &mut self,
        input: u64,
        shown_ms: u64,
        match_id: &str,
        t_us: u64,
        report: referee::Input,
    ) -> Result<(), String> {
        let game = self
            .matches
            .get_mut(match_id)
            .ok_or_else(|| format!("match {match_id} has never been opened"))?;
        game.handle(input, shown_ms, t_us, report);
        self.judged.insert(match_id.to_owned());
        let current = self.tables.iter().position(|at| at.match_id.as_deref() == Some(match_id));
        if let Some(slot) = current {
            self.tables[slot].changed = EventId::of_table(input, slot);
        }
        Ok(())
    }

    fn apply_hub_state(&mut self, name: &str, state: &HubState) {
        let hub = self.hubs.entry(name.to_owned()).or_default();
        let is_new_boot = hub.hear(state.boot_id, state.online);
        let names: Vec<String> =
            state.tables.iter().filter(|table| crate::config::is_segment(table)).cloned().collect();
        for table in names {
            let Some(slot) = self.table_slot(&table) else { continue };
            self.tables[slot].hub = Some(name.to_owned());
            if is_new_boot {
                self.tables[slot].lost_nodes.clear();
            }
        }
    }

    /// Whether a hub's state is news, so that it belongs into the log.
    pub fn is_news(&self, name: &str, state: &HubState) -> bool {
        self.hubs.get(name).is_none_or(|hub| hub.differs(state.boot_id, state.online))
    }

    /// Works out which tables' readings reach us, after any input.
    fn refresh_lines(&mut self, input: u64, shown_ms: u64) {
        for (slot, table) in self.tables.iter_mut().enumerate() {
            let hub = table.hub.as_ref().and_then(|hub| self.hubs.get(hub));
            let is_live =
                self.is_linked && hub.is_some_and(Hub::is_online) && table.lost_nodes.is_empty();
            if table.line.set(is_live, shown_ms) {
                table.changed = EventId::of_table(input, slot);
            }
        }
    }

    fn table_slot(&mut self, name: &str) -> Option<usize> {
        if let Some(slot) = self.tables.iter().position(|table| table.name == name) {
            return Some(slot);
        }
        if self.tables.len() >= MAX_TABLES {
            return None;
        }
        let slot = self.tables.len();
        self.tables.push(Table {
            name: name.to_owned(),
            match_id: None,
            hub: None,
            lost_nodes: BTreeSet::new(),
            line: Line::default(),
            changed: EventId::of_table(self.last_input, slot),
        });
        Some(slot)
    }
}
