//! Tables of the hall: their matches, their hubs and their orders. Nothing here names the event.

pub(super) mod calibration;
pub(super) mod clock_offset;
pub(super) mod clock_order;
pub(super) mod ending;
pub(super) mod evidence;
pub(super) mod game;
pub(super) mod hubs;
pub(super) mod losses;
pub(super) mod matches;
pub(super) mod order_effect;
pub(super) mod orders;
pub(super) mod ownership;
pub(super) mod per_move;
pub(super) mod presence;
pub(super) mod put_ups;
pub(super) mod row_limits;
pub(super) mod serving;
pub(super) mod table_list;
pub(super) mod withheld;
pub(super) mod work_quota;
pub(super) mod zero_test;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use imbl::OrdSet;
use proto::mqtt::NOT_FOLLOWED;

use self::{
    game::Game,
    hubs::Hubs,
    losses::Losses,
    matches::Matches,
    orders::Orders,
    ownership::{Owner, Strangers},
    presence::ReadingsLine,
    table_list::TableList,
    zero_test::NodeErrors,
};
use super::{EventId, Partition, report::NodeTrouble, shared::Shared};

/// One table of the hall.
#[derive(Clone, Debug)]
pub struct Table {
    /// The name its hub uses.
    pub name: String,
    /// The match being set up, played or just over.
    pub match_id: Option<String>,
    pub(super) owner: Owner,
    /// Nodes with which something is the matter.
    pub(super) troubled_nodes: BTreeMap<String, NodeTrouble>,
    pub(super) node_errors: NodeErrors,
    pub(super) line: ReadingsLine,
    pub(super) changed: (Partition, EventId),
}

impl Table {
    /// Silent nodes, in words.
    pub fn lost_nodes(&self) -> impl Iterator<Item = &str> {
        self.troubled_nodes.values().filter(|it| it.is_lost).map(|it| it.words.as_str())
    }

    /// Doubtful nodes: their ids, and the reasons in words.
    pub fn doubtful_nodes(&self) -> impl Iterator<Item = (&str, &str)> {
        let doubtful =
            self.troubled_nodes.iter().filter(|(id, it)| !it.is_lost && *id != NOT_FOLLOWED);
        doubtful.map(|(id, it)| (id.as_str(), it.words.as_str()))
    }

    /// Reason why play at the table is not followed, with the remedy; none if it is, or without play.
    pub fn not_followed(&self) -> Option<&str> {
        self.troubled_nodes.get(NOT_FOLLOWED).map(|it| it.words.as_str())
    }

    /// Whether the sensors' readings reach us.
    pub fn is_live(&self) -> bool {
        self.line.is_live()
    }

    /// Time since which they do not, Unix milliseconds, if they ever did.
    pub fn stale_since_ms(&self) -> Option<u64> {
        self.line.stale_since_ms()
    }

    /// The event of its last change, and where that is counted.
    pub fn changed(&self) -> (Partition, EventId) {
        self.changed
    }
}

/// The tables with their matches, their hubs and their orders. A clone shares everything that has not changed since.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    pub(super) list: TableList,
    pub(super) matches: Matches,
    pub(super) hubs: Hubs,
    pub(super) is_linked: bool,
    /// Matches whose referees have a deadline.
    pub(super) timed: OrdSet<Arc<str>>,
    pub(super) strangers: Shared<Strangers>,
    /// Rows that are lost for good.
    pub(super) lost: Shared<Losses>,
    orders: Orders,
    /// The table that a person chose for the stream.
    pub(super) on_stream: Option<String>,
    /// The last input that changed what directors see.
    pub(super) desk_changed: u64,
    /// Maximum number of them.
    pub(super) tables_max: usize,
    /// Slots of which something has changed with this input.
    touched: BTreeSet<usize>,
}

impl Tables {
    /// No tables, of which there may be so many.
    pub(super) fn new(tables_max: usize) -> Tables {
        Tables { tables_max, ..Tables::default() }
    }

    pub(super) fn slot_of(&self, name: &str) -> Option<usize> {
        self.list.slot_of(name)
    }

    /// The slot of the table at which a match is the current one.
    pub(super) fn slot_of_match(&self, match_id: &str) -> Option<usize> {
        let slot = self.slot_of(&self.matches.get(match_id)?.table)?;
        (self.list[slot].match_id.as_deref() == Some(match_id)).then_some(slot)
    }

    pub(super) fn table_slot(&mut self, name: &str) -> Option<usize> {
        if let Some(slot) = self.slot_of(name) {
            return Some(slot);
        }
        if self.list.len() >= self.tables_max {
            return None;
        }
        let slot = self.list.push(Table {
            name: name.to_owned(),
            match_id: None,
            owner: Owner::default(),
            troubled_nodes: BTreeMap::new(),
            node_errors: NodeErrors::new(),
            line: ReadingsLine::default(),
            changed: (Partition::GENERAL, EventId::default()),
        });
        self.touch(slot);
        Some(slot)
    }

    /// Notes whether the referee of a match has a deadline by now.
    pub(super) fn note_deadline(&mut self, match_id: &str) {
        let game = self.matches.get(match_id);
        let has_one = game.is_some_and(|game| game.referee().poll_timeout().is_some());
        match has_one {
            true if !self.timed.contains(match_id) => drop(self.timed.insert(match_id.into())),
            false => drop(self.timed.remove(match_id)),
            true => {}
        }
    }

    /// Whether a match is the one at its table.
    pub(super) fn is_at_table(&self, game: &Game) -> bool {
        let table = self.list.named(&game.table);
        table.is_some_and(|table| table.match_id.as_deref() == Some(game.id.as_str()))
    }

    /// The organiser has listed a table, and perhaps named its hub.
    pub(super) fn list_table(&mut self, name: &str, hub: Option<&str>) {
        if let (Some(slot), Some(hub)) = (self.table_slot(name), hub) {
            self.list[slot].owner = Owner::Named(hub.to_owned());
        }
    }

    /// Records a public change of a table.
    pub(super) fn touch(&mut self, slot: usize) {
        self.touched.insert(slot);
    }

    /// The slots of which something has changed.
    pub(super) fn take_touched(&mut self) -> BTreeSet<usize> {
        std::mem::take(&mut self.touched)
    }
}
