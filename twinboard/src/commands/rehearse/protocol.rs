//! The protocol of a rehearsal: who answered, who did not, and what to do about it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use adjudicator::rehearsal::RehearsedHub;
use serde::Serialize;
use serde_json::Value;

/// The protocol, as it is written as JSON.
#[derive(Debug, Default, Serialize)]
pub(super) struct Protocol {
    /// Duration of the rehearsal, seconds.
    took_s: f64,
    /// Whether the event's database is byte for byte what it was.
    pub(super) event_unchanged: bool,
    hubs: BTreeMap<String, Hub>,
    phones: Vec<Phone>,
    screens: Vec<Screen>,
    /// Silent devices, each with what to do.
    to_do: Vec<String>,
}

/// A hub.
#[derive(Debug, Default, Serialize)]
struct Hub {
    /// Time until its first answer, seconds; none if it did not answer.
    answered_s: Option<f64>,
    /// Nodes that are not connected, and its other problems.
    problems: Vec<String>,
    tables: BTreeMap<String, Table>,
}

/// A table of a hub.
#[derive(Debug, Default, Serialize)]
struct Table {
    /// Plies of the recording; none before its match has begun.
    plies_expected: Option<usize>,
    plies_seen: usize,
    /// Whether the directors' list has *Result to confirm*.
    alerted: bool,
}

/// A director's phone.
#[derive(Debug, Serialize)]
struct Phone {
    person: String,
    label: String,
    is_open: bool,
    sounds: bool,
}

/// A screen of the hall.
#[derive(Debug, Serialize)]
struct Screen {
    screen: u64,
    name: String,
    is_open: bool,
}

impl Protocol {
    /// Takes a hub's state in; an answer stays one, also when the hub goes offline later. `alerted`: tables with a result to confirm.
    pub(super) fn note_hub(
        &mut self,
        hub: RehearsedHub,
        alerted: &BTreeSet<String>,
        elapsed_s: f64,
    ) {
        let known = self.hubs.entry(hub.id).or_default();
        if hub.is_online {
            known.answered_s.get_or_insert(elapsed_s);
            known.problems = hub.troubles;
        }
        for table in hub.tables {
            let line = known.tables.entry(table.table.clone()).or_default();
            let Some(plies) = table.plies else { continue };
            line.plies_expected = Some(hub::rehearsal::plies(&table.boards));
            line.plies_seen = line.plies_seen.max(plies);
            line.alerted |= alerted.contains(&table.table);
        }
    }

    /// Takes the list of paired phones; one that was open once was open.
    pub(super) fn note_phones(&mut self, staff: &Value) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let devices = staff["devices"].as_array().map(Vec::as_slice).unwrap_or_default();
        let works = devices.iter().filter(|device| device["works"] == true);
        for device in works {
            let (person, label) = (text(&device["person"]), text(&device["label"]));
            let ready = &device["ready"];
            let (open, sounds) = (ready["is_connected"] == true, ready["sounds"] == true);
            match self.phones.iter_mut().find(|it| it.person == person && it.label == label) {
                Some(known) => {
                    known.is_open |= open;
                    known.sounds |= sounds;
                }
                None => self.phones.push(Phone { person, label, is_open: open, sounds }),
            }
        }
    }

    /// Takes the list of screens; one that was open once was open.
    pub(super) fn note_screens(&mut self, list: &Value) {
        for line in list["screens"].as_array().map(Vec::as_slice).unwrap_or_default() {
            let Some(screen) = line["screen"].as_u64() else { continue };
            let is_open = line["is_online"] == true;
            match self.screens.iter_mut().find(|it| it.screen == screen) {
                Some(known) => known.is_open |= is_open,
                None => {
                    let name = line["name"].as_str().unwrap_or_default().to_owned();
                    self.screens.push(Screen { screen, name, is_open });
                }
            }
        }
    }

    /// Whether everything that is known has answered, as of the last [`Self::conclude`].
    pub(super) fn is_complete(&self) -> bool {
        !self.hubs.is_empty() && self.to_do.is_empty()
    }

    /// Concludes which devices did not answer, after `took_s` seconds.
    pub(super) fn conclude(&mut self, took_s: f64) {
        let hubs = self.hubs.iter().flat_map(|(id, hub)| hub.to_do(id));
        let phones = self.phones.iter().filter_map(|phone| {
            let Phone { person, label, .. } = phone;
            match (phone.is_open, phone.sounds) {
                (false, _) => Some(format!(
                    "phone of {person} ({label}): no page is open; open /td there, in the hall's network"
                )),
                (true, false) => Some(format!("phone of {person} ({label}): touch Sound there once")),
                (true, true) => None,
            }
        });
        let screens = self.screens.iter().filter(|screen| !screen.is_open).map(|screen| {
            let Screen { screen, name, .. } = screen;
            format!("screen {screen} {name}: is not open; switch it on and open /screen there")
        });
        self.to_do = hubs.chain(phones).chain(screens).collect();
        self.took_s = took_s;
    }
}

impl Hub {
    fn to_do(&self, id: &str) -> Vec<String> {
        if self.answered_s.is_none() {
            return vec![format!(
                "hub {id}: did not answer; look at its power, its lights and its network, then run twinboard doctor there. A hub of \
                 an earlier release does not rehearse: update it"
            )];
        }
        let problems = self.problems.iter().map(|problem| format!("hub {id}: {problem}"));
        let tables = self.tables.iter().filter_map(|(name, table)| {
            let seen = table.plies_seen;
            match table.plies_expected {
                None => Some(format!("hub {id}, table {name}: its match did not arrive; look at the hub's log")),
                Some(expected) if seen != expected => Some(format!(
                    "hub {id}, table {name}: {seen} of {expected} plies arrived; look at the hub's log"
                )),
                Some(_) if !table.alerted => Some(format!(
                    "hub {id}, table {name}: its result is not on the directors' list; look at the adjudicator's log"
                )),
                Some(_) => None,
            }
        });
        problems.chain(tables).collect()
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Protocol of the rehearsal, {:.0} s", self.took_s)?;
        if self.hubs.is_empty() {
            writeln!(f, "no hub has ever been connected to this event")?;
        }
        for (id, hub) in &self.hubs {
            match hub.answered_s {
                Some(s) => writeln!(f, "hub {id}: answered after {s:.1} s")?,
                None => writeln!(f, "hub {id}: NO ANSWER")?,
            }
            for (name, table) in &hub.tables {
                let Table { plies_expected, plies_seen, alerted } = table;
                let expected = plies_expected.map_or("?".to_owned(), |it| it.to_string());
                let alert = if *alerted { "alerted" } else { "NO ALERT" };
                writeln!(f, "  table {name}: {plies_seen} of {expected} plies, {alert}")?;
            }
        }
        for Phone { person, label, is_open, sounds } in &self.phones {
            let state = match (is_open, sounds) {
                (true, true) => "open, sounds",
                (true, false) => "open, SILENT",
                (false, _) => "NOT OPEN",
            };
            writeln!(f, "phone of {person} ({label}): {state}")?;
        }
        for Screen { screen, name, is_open } in &self.screens {
            let state = if *is_open { "open" } else { "NOT OPEN" };
            writeln!(f, "screen {screen} {name}: {state}")?;
        }
        match self.to_do.is_empty() {
            true if self.hubs.is_empty() => {}
            true => writeln!(f, "everything answered")?,
            false => writeln!(f, "to do:")?,
        }
        for line in &self.to_do {
            writeln!(f, "  - {line}")?;
        }
        match self.event_unchanged {
            true => writeln!(f, "the event's database is as it was"),
            false => {
                writeln!(f, "THE EVENT'S DATABASE WAS CHANGED meanwhile, by another program")
            }
        }
    }
}
