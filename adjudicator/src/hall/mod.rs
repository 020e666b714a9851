//! The whole hall as the log tells it: tables, matches with their referees, hubs and their line.
//!
//! A hall is a pure function of the inputs applied to it, so that the live one, the delayed one that
//! the public sees and the one rebuilt after a crash are the same code and the same state. Everything a
//! client can be shown remembers the event id of its last change; what a client has missed is
//! whatever changed after the last event it saw, and no history needs to be kept for it.

mod acts;
#[cfg(test)]
mod any_rows;
mod apart;
mod apply;
mod bounds;
mod changes;
mod claims;
mod clock_change;
mod effort;
mod ending;
mod evidence;
mod expected;
mod game;
mod losses;
mod offset;
mod orders;
mod pairings;
mod partitions;
mod per_move;
mod presence;
mod put_ups;
mod wall;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    time::Duration,
};

pub use acts::Seen;
pub use changes::{Changes, EventId};
pub use clock_change::{ClockChange, ClockForm};
pub use ending::{ConfirmedBy, Ending};
pub use evidence::Clip;
pub use game::{Game, QuestionAsked};
pub use orders::{ORDER_LIFE_MS, OrderCase, OrderNews, OrderState, Ordered};
pub use pairings::People;
pub use partitions::{PARTITIONS_MAX, Partition, Partitions};
use proto::mqtt::message::HubState;
pub use put_ups::{BoardNews, PutUp, PutUpState};

use crate::{
    acts::Answers,
    config::{Config, Disclosure, Judging, MAX_TABLES},
    staff::Staff,
};
use acts::SeenItems;
pub(crate) use bounds::{MATCH_TIME_MAX_US, TIME_AHEAD_MAX_US};
use claims::{Owner, Strangers};
use losses::Losses;
use orders::Orders;
pub(crate) use presence::in_short;
use presence::{Hub, Line};
use wall::Failures;

/// One table of the hall.
#[derive(Debug)]
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

/// What is the matter with a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeTrouble {
    /// Whether nothing is heard of it; otherwise it speaks, and what it says is doubtful.
    pub is_lost: bool,
    /// Which node, at which board, and what to do.
    pub words: String,
}

impl Table {
    /// Nodes of which nothing is heard, in words.
    pub fn lost_nodes(&self) -> impl Iterator<Item = &str> {
        self.troubled_nodes.values().filter(|it| it.is_lost).map(|it| it.words.as_str())
    }

    /// Nodes that are heard and doubtful, in words.
    pub fn doubtful_nodes(&self) -> impl Iterator<Item = &str> {
        self.troubled_nodes.values().filter(|it| !it.is_lost).map(|it| it.words.as_str())
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

/// The hall.
#[derive(Debug)]
pub struct Hall {
    disclosure: Disclosure,
    judging: Judging,
    /// By this much everything is shown later than it was received.
    delay_ms: u64,
    tables: Vec<Table>,
    matches: HashMap<String, Game>,
    hubs: HashMap<String, Hub>,
    is_linked: bool,
    last_input: u64,
    partitions: Partitions,
    /// Matches whose judgments changed since they were last taken.
    judged: BTreeSet<String>,
    refused: u64,
    strangers: Strangers,
    /// What is lost for good.
    lost: Losses,
    failures: Failures,
    event: event::Event,
    /// Why a result did not reach the event.
    pairing_troubles: BTreeMap<event::PairingId, String>,
    staff: Staff,
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
            judging: config.judging(),
            delay_ms,
            tables: Vec::new(),
            matches: HashMap::new(),
            hubs: HashMap::new(),
            is_linked: false,
            last_input: 0,
            partitions: Partitions::new(config),
            judged: BTreeSet::new(),
            refused: 0,
            strangers: Strangers::default(),
            lost: Losses::default(),
            failures: Failures::default(),
            event: event::Event::default(),
            pairing_troubles: BTreeMap::new(),
            staff: Staff::default(),
            answers: Answers::default(),
            seen: SeenItems::default(),
            orders: Orders::default(),
            on_stream: None,
            desk_changed: 0,
            disclosure: Disclosure::default(),
        };
        let names: Vec<String> = disclosure.tables().map(str::to_owned).collect();
        hall.disclosure = disclosure;
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

    /// The tables, in the order of the configuration and then of their first appearance.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// A match.
    pub fn game(&self, match_id: &str) -> Option<&Game> {
        self.matches.get(match_id)
    }

    /// Whether a match is the one at its table.
    pub fn is_at_table(&self, game: &Game) -> bool {
        let table = self.tables.iter().find(|table| table.name == game.table);
        table.is_some_and(|table| table.match_id.as_deref() == Some(game.id.as_str()))
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

    /// What everybody may see of it has changed how often.
    pub fn partitions(&self) -> &Partitions {
        &self.partitions
    }

    /// Inputs that made no sense and were left out, since the start.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// What whoever looks after the hall should know of it, in words; of no one match.
    ///
    /// `clock_rate`: seconds of hubs' time in a second here. Where it is not 1, as in a demonstration, hubs' clocks are not judged.
    pub fn notices(&self, clock_rate: f64) -> Vec<String> {
        let of_hub = |(name, hub): (&String, &Hub)| {
            let words = |trouble: &String| format!("hub {name}: {trouble}");
            let doubled = hub.is_doubled().then(|| {
                format!(
                    "two hubs use the id {name} and put each other out: a card was copied; give one of them an id of its own \
                     (hub.id) and start both again"
                )
            });
            let clock = hub.wrong_clock().filter(|_| clock_rate == 1.0);
            let release = hub.other_release().map(str::to_owned);
            let of_hub: Vec<String> = [hub.fullness(), hub.restlessness(), release, clock]
                .into_iter()
                .flatten()
                .chain(hub.effort.notices())
                .map(|it| words(&it))
                .collect();
            hub.troubles().iter().map(words).chain(doubled).chain(of_hub).collect::<Vec<_>>()
        };
        let mut of_hubs: Vec<String> = self.hubs.iter().flat_map(of_hub).collect();
        of_hubs.sort();
        let of_pairings = self.pairing_troubles.values().cloned();
        let lost = self.failures.words().chain(self.lost.notices());
        lost.chain(self.strangers.notices())
            .chain(of_hubs)
            .chain(self.full_devices())
            .chain(of_pairings)
            .collect()
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
        let online = self.hubs.values().filter(|hub| self.is_linked && hub.is_online()).count();
        (self.hubs.len(), online)
    }

    /// Whether a match is played at a table of which nothing reaches us: then what is known of it may not be all.
    #[must_use]
    pub fn is_unheard(&self, game: &Game) -> bool {
        let is_here = |table: &&Table| table.match_id.as_ref() == Some(&game.id);
        let is_lost = || self.tables.iter().find(is_here).is_some_and(|table| !table.is_live());
        !game.referee().is_over() && is_lost()
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

    /// Whether a hub's state is news, so that it belongs into the log.
    pub fn is_news(&self, name: &str, state: &HubState) -> bool {
        self.hubs.get(name).is_none_or(|hub| hub.differs(state))
    }

    fn slot_of(&self, name: &str) -> Option<usize> {
        self.tables.iter().position(|table| table.name == name)
    }

    fn table_slot(&mut self, name: &str) -> Option<usize> {
        if let Some(slot) = self.slot_of(name) {
            return Some(slot);
        }
        if self.tables.len() >= MAX_TABLES {
            return None;
        }
        let slot = self.tables.len();
        self.tables.push(Table {
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
        self.tables[slot].changed = (partition, event);
        self.partitions.note(partition, event);
    }

    /// Where changes of a match are counted.
    fn partition_of(&self, game: &Game) -> Partition {
        self.partitions.of_section(self.section_of(&game.table, Some(game)).as_deref())
    }
}
