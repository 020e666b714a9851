//! The whole hall as the log tells it: tables, matches with their referees, hubs and their line; and the event.
//!
//! The two halves, `tables` and `event`, do not know each other. What is about both (acts, which pairing a match is of, where a change is
//! counted) is here, above them.
//!
//! A hall is a pure function of the inputs applied to it, so that the live one, the delayed one that
//! the public sees and the one rebuilt after a crash are the same code and the same state. Everything a
//! client can be shown remembers the event id of its last change; what a client has missed is
//! whatever changed after the last event it saw, and no history needs to be kept for it.

pub mod acts;
#[cfg(test)]
mod any_rows_tests;
mod apply;
mod apply_act;
mod believed;
mod binding;
mod change_ids;
mod claimed_before;
#[cfg(test)]
mod deadline_tests;
mod delay_conflicts;
pub mod event;
mod event_link;
pub(crate) mod natural_order;
mod nodes_update;
mod notices;
mod panic_guard;
mod partitions;
mod placing;
mod refusal;
mod replacing;
pub mod report;
pub(crate) mod shared;
mod tables;
#[cfg(test)]
mod tests;
mod treatments;

use std::{collections::BTreeMap, time::Duration};

use ::event::{Consent, Names, PairingId, PlayerId};
pub use binding::Binding;
pub use change_ids::{Changes, EventId};
pub use event::{calls::Call, done::DoneLine, people::People, seen::Seen};
pub use notices::Notice;
pub use partitions::{Partition, Partitions};
pub use placing::{Guess, HubNodes};
pub use report::{Clip, HubNode, QuestionAsked};
pub use tables::{
    Table,
    calibration::BoardContent,
    clock_order::{ClockChange, ClockForm},
    ending::{ConfirmedBy, Ending},
    game::{Deadline, Game},
    orders::{ORDER_LIFE_MS, OrderCase, OrderState, Ordered},
    presence::HubHeard,
    put_ups::{PutUp, PutUpState},
    table_list::TableList,
    zero_test::ZeroTest,
};
pub(crate) use tables::{
    presence::shortened,
    row_limits::{MATCH_TIME_MAX_US, TIME_AHEAD_MAX_US},
};

use self::{
    acts::Answers,
    event::{EventFold, screens::Screens, staff::Staff},
    nodes_update::NodesUpdate,
    panic_guard::Failures,
    placing::Placings,
    report::HubPresence,
    shared::Shared,
    tables::Tables,
};
use crate::{
    config::{Config, Disclosure, Judging},
    limits::Limits,
};

/// Time of an input: its number, its moment (Unix milliseconds of this machine), and its hub's own time in microseconds.
#[derive(Clone, Copy, Debug)]
struct Moment {
    input: u64,
    at_ms: u64,
    hub_us: u64,
}

/// Summary of a hub, without matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HubSummary {
    /// Its id.
    pub id: String,
    /// Whether it is connected to the broker.
    pub is_online: bool,
    /// Number of problems that it reports.
    pub troubles: usize,
    /// Number of its tables.
    pub tables: usize,
    /// Number of its tables whose readings arrive.
    pub tables_live: usize,
}

/// The hall. A clone is a snapshot: it shares everything that has not changed since.
#[derive(Clone, Debug)]
pub struct Hall {
    tables: Tables,
    event: EventFold,
    disclosure: Shared<Disclosure>,
    judging: Shared<Judging>,
    /// By this much its readers see it later than it was.
    delay_ms: u64,
    last_input: u64,
    /// The last update of all nodes' firmware.
    nodes_update: Option<NodesUpdate>,
    /// The last tables that each hub was given.
    placings: Shared<Placings>,
    partitions: Partitions,
    refused: u64,
    failures: Shared<Failures>,
    answers: Answers,
    limits: Limits,
}

impl Hall {
    /// The hall before its first input, with the tables that the organiser listed.
    pub fn new(config: &Config) -> Hall {
        let disclosure = config.disclosure();
        let mut names: Vec<String> = disclosure.tables().map(str::to_owned).collect();
        names.sort_by(|one, other| natural_order::compare(one, other));
        let mut tables = Tables::new(config.limits.tables);
        for name in &names {
            tables.list_table(name, disclosure.hub(name));
        }
        let mut hall = Hall {
            tables,
            event: EventFold::default(),
            disclosure: disclosure.into(),
            judging: config.judging().into(),
            delay_ms: 0,
            nodes_update: None,
            placings: Shared::default(),
            last_input: 0,
            partitions: Partitions::new(config),
            refused: 0,
            failures: Shared::default(),
            answers: Answers::default(),
            limits: config.limits,
        };
        hall.count_touched();
        hall.partitions.end_change();
        hall
    }

    /// Delay between receipt and display.
    pub fn delay(&self) -> Duration {
        Duration::from_millis(self.delay_ms)
    }

    /// The same hall for readers who see it so much later, with no more of some players' names than is agreed by now.
    #[must_use]
    pub(crate) fn late(&self, delay_ms: u64, narrowed: &BTreeMap<PlayerId, Consent>) -> Hall {
        let mut late = Hall { delay_ms, ..self.clone() };
        if !narrowed.is_empty() {
            late.event.state.narrow(narrowed);
        }
        late
    }

    /// The time at which its readers see a moment of it, Unix milliseconds.
    #[must_use]
    pub fn shown_ms(&self, at_ms: u64) -> u64 {
        at_ms.saturating_add(self.delay_ms)
    }

    /// Whether this is its event, and has not changed since it was kept.
    pub(crate) fn is_of_event(&self, event: &Shared<::event::Event>) -> bool {
        event.is(&self.event.state)
    }

    /// The event, to be kept.
    pub(crate) fn shared_event(&self) -> Shared<::event::Event> {
        self.event.state.clone()
    }

    /// A match, to be kept.
    pub(crate) fn shared_game(&self, match_id: &str) -> Option<Shared<Game>> {
        self.tables.matches.shared(match_id)
    }

    /// Public view of the tables.
    pub fn disclosure(&self) -> &Disclosure {
        &self.disclosure
    }

    /// Book of matches.
    pub fn judging(&self) -> &Judging {
        &self.judging
    }

    /// The tables, in the order in which people count them.
    pub fn tables(&self) -> &TableList {
        &self.tables.list
    }

    /// A match.
    pub fn game(&self, match_id: &str) -> Option<&Game> {
        self.tables.matches.get(match_id)
    }

    /// All matches in the order in which they were opened.
    pub fn games(&self) -> Vec<&Game> {
        self.tables.matches.values().collect()
    }

    /// Matches of a pairing in the order in which they were opened.
    pub fn games_of_pairing(&self, id: PairingId) -> impl DoubleEndedIterator<Item = &Game> {
        self.tables.matches.of_pairing(id)
    }

    /// The deadlines of matches that are at their tables. A match at which judging failed has none.
    #[must_use]
    pub fn deadlines(&self, clock_rate: f64) -> Vec<Deadline> {
        let timed = self.tables.timed.iter().filter_map(|id| self.tables.matches.get(id));
        let judged = timed.filter(|game| self.is_at_table(game) && !self.failures.has(game));
        judged.filter_map(|game| game.deadline(clock_rate)).collect()
    }

    /// Number of the last input applied.
    pub fn last_input(&self) -> u64 {
        self.last_input
    }

    /// Number of public changes.
    pub fn partitions(&self) -> &Partitions {
        &self.partitions
    }

    /// Invalid inputs that were left out since the start.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// Directors and their devices.
    pub fn staff(&self) -> &Staff {
        &self.event.staff
    }

    /// Outcomes of people's acts.
    pub fn answers(&self) -> &Answers {
        &self.answers
    }

    /// Director who has taken an item of the list.
    pub fn seen(&self, item: &str) -> Option<&Seen> {
        self.event.seen.get(item)
    }

    /// The open call of a table.
    #[must_use]
    pub fn call_of(&self, table: &str) -> Option<Call> {
        self.event.calls.of(table)
    }

    /// Tables that have called a director.
    pub fn calls(&self) -> impl Iterator<Item = (&str, Call)> {
        self.event.calls.iter()
    }

    /// Screens to which the desk has given something.
    #[must_use]
    pub fn screens(&self) -> &Screens {
        &self.event.screens
    }

    /// The table that a person chose for the stream; none: its director chooses.
    pub fn on_stream(&self) -> Option<&str> {
        self.tables.on_stream.as_deref()
    }

    /// The last input that was a person's act.
    pub fn desk_changed(&self) -> u64 {
        self.tables.desk_changed
    }

    /// Numbers of known hubs and of connected ones.
    pub fn hubs_online(&self) -> (usize, usize) {
        (self.tables.hubs.len(), self.hub_summaries().filter(|hub| hub.is_online).count())
    }

    /// Summaries of the known hubs.
    pub fn hub_summaries(&self) -> impl Iterator<Item = HubSummary> {
        self.tables.hubs.iter().map(|(id, hub)| {
            let tables = || self.tables().iter().filter(|table| table.owner.hub() == Some(id));
            HubSummary {
                id: id.to_owned(),
                is_online: self.tables.is_linked && hub.is_online(),
                troubles: hub.troubles().len(),
                tables: tables().count(),
                tables_live: tables().filter(|table| table.is_live()).count(),
            }
        })
    }

    /// Problems that a hub reports, in words for directors.
    #[must_use]
    pub fn hub_troubles(&self, id: &str) -> &[String] {
        self.tables.hubs.get(id).map_or(&[], |hub| hub.troubles())
    }

    /// Names of the tables that are a hub's.
    pub fn tables_of_hub(&self, id: &str) -> impl Iterator<Item = &str> {
        let of_hub = self.tables().iter().filter(move |table| table.owner.hub() == Some(id));
        of_hub.map(|table| table.name.as_str())
    }

    /// Whether a match is played at a table of which nothing reaches us: then what is known of it may not be all.
    #[must_use]
    pub fn is_unheard(&self, game: &Game) -> bool {
        let is_lost = || self.tables.list.named(&game.table).is_some_and(|table| !table.is_live());
        !game.referee().is_over() && self.is_at_table(game) && is_lost()
    }

    /// Whether the broker's line is up.
    pub fn is_linked(&self) -> bool {
        self.tables.is_linked
    }

    /// Whether a hub's state is news, so that it belongs into the log.
    pub fn is_news(&self, name: &str, state: &HubPresence) -> bool {
        self.tables.hubs.get(name).is_none_or(|hub| hub.differs(state))
    }

    /// Partition in which changes of a match are counted.
    fn partition_of(&self, game: &Game) -> Partition {
        self.partitions.of_section(self.section_of(&game.table, Some(game)).as_deref())
    }

    /// Gives the tables of which something has changed their events, and counts them where their sections are counted.
    fn count_touched(&mut self) {
        for slot in self.tables.take_touched() {
            let table = &self.tables.list[slot];
            let game = table.match_id.as_deref().and_then(|id| self.tables.matches.get(id));
            let section = self.section_of(&table.name, game);
            let partition = self.partitions.of_section(section.as_deref());
            let event = EventId::of_table(self.partitions.change(partition), slot);
            self.tables.list.note_change(slot, partition, event);
            self.partitions.note(partition, event);
        }
    }

    /// Whether a match is the one at its table.
    pub fn is_at_table(&self, game: &Game) -> bool {
        self.tables.is_at_table(game)
    }

    /// The event.
    #[must_use]
    pub fn event(&self) -> &::event::Event {
        &self.event.state
    }

    /// Acts about the event and about bindings of matches, oldest first.
    #[must_use]
    pub fn done_lines(&self) -> Vec<DoneLine> {
        self.event.done_lines()
    }

    /// A pairing in words such as `round 2, Rooks – Pawns, table 4`.
    #[must_use]
    pub fn pairing_words(&self, id: PairingId) -> String {
        self.event.pairing_words(id)
    }

    /// Names of the two sides of a pairing.
    #[must_use]
    pub fn sides_of(&self, id: PairingId, names: Names) -> [String; 2] {
        self.event.sides_of(id, names)
    }

    /// Time of the last result from paper of a pairing, Unix milliseconds of this machine.
    pub(crate) fn paper_ms(&self, id: PairingId) -> Option<u64> {
        self.event.paper_ms.get(&id).copied()
    }

    /// Games of a pairing in its round.
    #[must_use]
    pub fn games_of(&self, pairing: &::event::Pairing) -> usize {
        self.event.games_of(pairing)
    }

    /// The orders that no hub has answered, each with its match, in the order in which they were given.
    pub fn unanswered(&self) -> Vec<(&Game, &OrderCase)> {
        self.tables.unanswered()
    }

    /// Connected hubs, with the time of each hub's last message.
    pub fn hubs_heard(&self) -> impl Iterator<Item = (&str, HubHeard)> {
        self.tables.hubs_heard()
    }
}
