//! The whole hall as the log tells it: tables, matches with their referees, hubs and their line.
//!
//! A hall is a pure function of the inputs applied to it, so that the live one, the delayed one that
//! the public sees and the one rebuilt after a crash are the same code and the same state. Everything a
//! client can be shown remembers the event id of its last change; what a client has missed is
//! whatever changed after the last event it saw, and no history needs to be kept for it.

pub mod acts;
#[cfg(test)]
mod any_rows_tests;
mod apply_act;
mod believed;
mod binding;
mod change_ids;
#[cfg(test)]
mod deadline_tests;
pub mod event;
mod event_link;
pub(crate) mod natural_order;
mod notices;
mod partitions;
mod refusal;
mod replacing;
pub mod report;
mod shared;
mod tables;
#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

pub use binding::Binding;
pub use change_ids::{Changes, EventId};
pub use event::done::DoneLine;
pub use event::seen::Seen;
use event::seen::SeenItems;
pub use event_link::People;
use imbl::OrdSet;
pub use notices::Notice;
pub use partitions::{PARTITIONS_MAX, Partition, Partitions};
use proto::mqtt::NOT_FOLLOWED;
pub use report::{Clip, QuestionAsked};
use report::{HubPresence, NodeTrouble};
pub use tables::clock_order::{ClockChange, ClockForm};
pub use tables::ending::{ConfirmedBy, Ending};
pub use tables::game::{Deadline, Game};
pub use tables::orders::{ORDER_LIFE_MS, OrderCase, OrderState, Ordered};
pub use tables::put_ups::{PutUp, PutUpState};

use crate::{
    config::{Config, Disclosure, Judging, MAX_TABLES},
    hall::{acts::Answers, event::staff::Staff},
};
use event::seating::Seating;
use shared::Shared;
use tables::hubs::Hubs;
use tables::losses::Losses;
use tables::matches::Matches;
use tables::orders::Orders;
use tables::ownership::{Owner, Strangers};
use tables::panic_guard::Failures;
pub use tables::presence::HubHeard;
use tables::presence::Line;
pub(crate) use tables::presence::shortened;
pub(crate) use tables::row_limits::{MATCH_TIME_MAX_US, TIME_AHEAD_MAX_US};
pub use tables::table_list::Tables;

/// One table of the hall.
#[derive(Clone, Debug)]
pub struct Table {
    /// The name its hub uses.
    pub name: String,
    /// The match being set up, played or just over.
    pub match_id: Option<String>,
    owner: Owner,
    /// Nodes with which something is the matter.
    troubled_nodes: BTreeMap<String, NodeTrouble>,
    line: Line,
    changed: (Partition, EventId),
}

impl Table {
    /// Nodes of which nothing is heard, in words.
    pub fn lost_nodes(&self) -> impl Iterator<Item = &str> {
        self.troubled_nodes.values().filter(|it| it.is_lost).map(|it| it.words.as_str())
    }

    /// Nodes that are heard and doubtful: their ids, and why in words.
    pub fn doubtful_nodes(&self) -> impl Iterator<Item = (&str, &str)> {
        let doubtful =
            self.troubled_nodes.iter().filter(|(id, it)| !it.is_lost && *id != NOT_FOLLOWED);
        doubtful.map(|(id, it)| (id.as_str(), it.words.as_str()))
    }

    /// Why play at the table is not followed, and what to do; none if it is, or if nobody plays.
    pub fn not_followed(&self) -> Option<&str> {
        self.troubled_nodes.get(NOT_FOLLOWED).map(|it| it.words.as_str())
    }

    /// Whether the sensors' readings reach us.
    pub fn is_live(&self) -> bool {
        self.line.is_live()
    }

    /// Since when they do not, Unix milliseconds, if they ever did.
    pub fn stale_since_ms(&self) -> Option<u64> {
        self.line.stale_since_ms()
    }

    /// The event of its last change, and where that is counted.
    pub fn changed(&self) -> (Partition, EventId) {
        self.changed
    }
}

/// When an input was made: its number, the moment at which it is shown as happening (Unix milliseconds of this machine), and its
/// hub's own time in microseconds.
#[derive(Clone, Copy, Debug)]
struct Moment {
    input: u64,
    shown_ms: u64,
    hub_us: u64,
}

/// The hall. A clone is a snapshot: it shares everything that has not changed since.
#[derive(Clone, Debug)]
pub struct Hall {
    disclosure: Shared<Disclosure>,
    judging: Shared<Judging>,
    /// By this much everything is shown later than it was received.
    delay_ms: u64,
    tables: Tables,
    matches: Matches,
    hubs: Hubs,
    is_linked: bool,
    last_input: u64,
    partitions: Partitions,
    /// Matches whose referees have a deadline.
    timed: OrdSet<Arc<str>>,
    refused: u64,
    strangers: Shared<Strangers>,
    /// What is lost for good.
    lost: Shared<Losses>,
    failures: Shared<Failures>,
    event: Shared<::event::Event>,
    seating: Shared<Seating>,
    /// What people did about the event, oldest first.
    done: Shared<Vec<event::done::Done>>,
    /// With which input each pairing was made.
    paired: Shared<BTreeMap<::event::PairingId, u64>>,
    staff: Shared<Staff>,
    answers: Answers,
    seen: SeenItems,
    orders: Orders,
    /// The table that a person chose for the stream.
    on_stream: Option<String>,
    /// The last input that was a person's act.
    desk_changed: u64,
}

impl Hall {
    /// The hall before anything was heard, with the tables that the organiser listed.
    pub fn new(config: &Config, delay_ms: u64) -> Hall {
        let disclosure = config.disclosure();
        let mut hall = Hall {
            judging: config.judging().into(),
            delay_ms,
            tables: Tables::default(),
            matches: Matches::default(),
            hubs: Hubs::default(),
            is_linked: false,
            last_input: 0,
            partitions: Partitions::new(config),
            timed: OrdSet::new(),
            refused: 0,
            strangers: Shared::default(),
            lost: Shared::default(),
            failures: Shared::default(),
            event: Shared::default(),
            seating: Shared::default(),
            done: Shared::default(),
            paired: Shared::default(),
            staff: Shared::default(),
            answers: Answers::default(),
            seen: SeenItems::default(),
            orders: Orders::default(),
            on_stream: None,
            desk_changed: 0,
            disclosure: Shared::default(),
        };
        let mut names: Vec<String> = disclosure.tables().map(str::to_owned).collect();
        names.sort_by(|one, other| natural_order::compare(one, other));
        hall.disclosure = disclosure.into();
        for name in &names {
            let owner = hall.disclosure.hub(name).map(|hub| Owner::Named(hub.to_owned()));
            if let (Some(slot), Some(owner)) = (hall.table_slot(name), owner) {
                hall.tables[slot].owner = owner;
            }
        }
        hall.partitions.end_change();
        hall
    }

    /// By how much everything is shown later than it was received.
    pub fn delay(&self) -> Duration {
        Duration::from_millis(self.delay_ms)
    }

    /// What may be shown of the tables.
    pub fn disclosure(&self) -> &Disclosure {
        &self.disclosure
    }

    /// By which book matches are judged.
    pub fn judging(&self) -> &Judging {
        &self.judging
    }

    /// The tables, in the order in which people count them.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// A match.
    pub fn game(&self, match_id: &str) -> Option<&Game> {
        self.matches.get(match_id)
    }

    /// Whether a match is the one at its table.
    pub fn is_at_table(&self, game: &Game) -> bool {
        let table = self.tables.named(&game.table);
        table.is_some_and(|table| table.match_id.as_deref() == Some(game.id.as_str()))
    }

    /// All matches in the order in which they were opened.
    pub fn games(&self) -> Vec<&Game> {
        self.matches.values().collect()
    }

    /// The deadlines of matches that are at their tables. A match at which judging failed has none.
    #[must_use]
    pub fn deadlines(&self, clock_rate: f64) -> Vec<Deadline> {
        let timed = self.timed.iter().filter_map(|id| self.matches.get(id));
        let judged = timed.filter(|game| self.is_at_table(game) && !self.failures.has(game));
        judged.filter_map(|game| game.deadline(clock_rate)).collect()
    }

    /// Notes whether the referee of a match has a deadline by now.
    fn note_deadline(&mut self, match_id: &str) {
        let game = self.matches.get(match_id);
        let has_one = game.is_some_and(|game| game.referee().poll_timeout().is_some());
        match has_one {
            true if !self.timed.contains(match_id) => drop(self.timed.insert(match_id.into())),
            false => drop(self.timed.remove(match_id)),
            true => {}
        }
    }

    /// Number of the last input applied.
    pub fn last_input(&self) -> u64 {
        self.last_input
    }

    /// What everybody may see of it has changed how often.
    pub fn partitions(&self) -> &Partitions {
        &self.partitions
    }

    /// Inputs that made no sense and were left out, since the start.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// Directors and their devices.
    pub fn staff(&self) -> &Staff {
        &self.staff
    }

    /// What became of people's acts.
    pub fn answers(&self) -> &Answers {
        &self.answers
    }

    /// Who sees about an item of the directors' list.
    pub fn seen(&self, item: &str) -> Option<&Seen> {
        self.seen.get(item)
    }

    /// The table that a person chose for the stream; none: its director chooses.
    pub fn on_stream(&self) -> Option<&str> {
        self.on_stream.as_deref()
    }

    /// The last input that was a person's act.
    pub fn desk_changed(&self) -> u64 {
        self.desk_changed
    }

    /// Hubs that were heard, and how many of them are there.
    pub fn hubs_online(&self) -> (usize, usize) {
        let online = self.hubs.iter().filter(|(_, hub)| self.is_linked && hub.is_online()).count();
        (self.hubs.len(), online)
    }

    /// Whether a match is played at a table of which nothing reaches us: then what is known of it may not be all.
    #[must_use]
    pub fn is_unheard(&self, game: &Game) -> bool {
        let is_lost = || self.tables.named(&game.table).is_some_and(|table| !table.is_live());
        !game.referee().is_over() && self.is_at_table(game) && is_lost()
    }

    /// Whether the adjudicator hears the broker.
    pub fn is_linked(&self) -> bool {
        self.is_linked
    }

    /// Whether a hub's state is news, so that it belongs into the log.
    pub fn is_news(&self, name: &str, state: &HubPresence) -> bool {
        self.hubs.get(name).is_none_or(|hub| hub.differs(state))
    }

    fn slot_of(&self, name: &str) -> Option<usize> {
        self.tables.slot_of(name)
    }

    /// The slot of the table at which a match is the current one.
    fn slot_of_match(&self, match_id: &str) -> Option<usize> {
        let slot = self.slot_of(&self.matches.get(match_id)?.table)?;
        (self.tables[slot].match_id.as_deref() == Some(match_id)).then_some(slot)
    }

    fn table_slot(&mut self, name: &str) -> Option<usize> {
        if let Some(slot) = self.slot_of(name) {
            return Some(slot);
        }
        if self.tables.len() >= MAX_TABLES {
            return None;
        }
        let slot = self.tables.push(Table {
            name: name.to_owned(),
            match_id: None,
            owner: Owner::default(),
            troubled_nodes: BTreeMap::new(),
            line: Line::default(),
            changed: (Partition::GENERAL, EventId::default()),
        });
        self.touch_table(slot);
        Some(slot)
    }

    /// Everybody may see that something of a table has changed.
    fn touch_table(&mut self, slot: usize) {
        let table = &self.tables[slot];
        let game = table.match_id.as_deref().and_then(|id| self.matches.get(id));
        let section = self.section_of(&table.name, game);
        let partition = self.partitions.of_section(section.as_deref());
        let event = EventId::of_table(self.partitions.change(partition), slot);
        self.tables.note_change(slot, partition, event);
        self.partitions.note(partition, event);
    }

    /// Where changes of a match are counted.
    fn partition_of(&self, game: &Game) -> Partition {
        self.partitions.of_section(self.section_of(&game.table, Some(game)).as_deref())
    }
}
