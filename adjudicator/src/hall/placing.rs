//! Places of nodes at tables, as the chief gives them: sent to the hub until it reports the end, refused in play.
//!
//! The hub keeps them; the hall knows what each hub sees. From that come a guess for nodes without a place, and notices of hubs or nodes that were swapped.

use std::collections::BTreeMap;

use rules::{BoardId, Game, TimeControl, rulebook::BookId};

use super::{
    Hall,
    acts::{
        Actor, PlacedNode, PlacedTable,
        placed::{NODES_MAX, TABLES_MAX},
    },
    notices::Notice,
    report::HubNode,
};

/// Time for which a hub is asked, milliseconds: one that was off meanwhile is asked when it comes back.
const ASKED_MS: u64 = 15 * 60 * 1_000;

/// Tables that hubs were given, by hub.
pub(super) type Placings = BTreeMap<String, Placing>;

/// Tables that a hub was given.
#[derive(Clone, Debug)]
pub(super) struct Placing {
    /// Time of the act, Unix milliseconds. It names the request.
    at_ms: u64,
    tables: Vec<PlacedTable>,
}

/// A hub and the nodes that it sees.
#[derive(Clone, Debug)]
pub struct HubNodes<'a> {
    /// Its id.
    pub hub: &'a str,
    /// Whether it is connected.
    pub is_online: bool,
    /// Whether it was given places of which it has not reported the end.
    pub is_waited_for: bool,
    /// Refused part of its last places, in its words; empty if all of them hold.
    pub refused: &'a str,
    /// Its nodes, in the order of their ports.
    pub nodes: &'a [HubNode],
}

/// A guess where the nodes of a hub belong that have no place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guess {
    /// The next table without sensors; none: all tables have some.
    pub table: Option<String>,
    /// Nodes with the boards they may belong to.
    pub nodes: Vec<(String, BoardId)>,
}

impl Guess {
    /// Boards and clocks in the order of their ports: the first of each kind at board A, the second at board B. Of more there is no guess. `free`: tables without
    /// sensors, the next one first.
    fn of(nodes: &[HubNode], free: Option<&str>) -> Guess {
        let mut met = [0, 0];
        let mut guessed = Vec::new();
        for node in nodes.iter().filter(|node| node.is_present && node.place.is_none()) {
            let of_kind = &mut met[usize::from(node.sensor.is_some())];
            let board = BoardId::ALL.get(*of_kind);
            *of_kind += 1;
            guessed.extend(board.map(|board| (node.id.clone(), *board)));
        }
        Guess { table: free.map(str::to_owned), nodes: guessed }
    }
}

impl Hall {
    /// Gives a hub its tables, unless a match is played at one of its tables.
    pub(super) fn place_nodes(
        &mut self,
        (act, at_ms): (u64, u64),
        by: &Actor,
        hub: &str,
        tables: &[PlacedTable],
    ) -> Result<(), String> {
        if self.tables.hubs.get(hub).is_none() {
            return Err(format!("hub {hub} was never connected"));
        }
        if tables.len() > TABLES_MAX {
            return Err(format!("a hub has at most {TABLES_MAX} tables: give some to another hub"));
        }
        if let Some(full) = tables.iter().find(|it| it.nodes.len() > NODES_MAX) {
            return Err(format!("table {} has more than {NODES_MAX} nodes", full.table));
        }
        self.check_no_play(|game| game.hub == hub, "no node of this hub is placed")?;
        let words = match tables {
            [] => format!("hub {hub} has no tables any more"),
            _ => {
                let names: Vec<&str> = tables.iter().map(|it| it.table.as_str()).collect();
                format!("nodes of hub {hub} are placed (tables {})", names.join(", "))
            }
        };
        self.event.note_equipment((act, at_ms), by, words);
        self.placings.insert(hub.to_owned(), Placing { at_ms, tables: tables.to_vec() });
        Ok(())
    }

    /// Connected hubs that have not reported the end of a request, with the request.
    pub fn hubs_to_place(&self, now_ms: u64) -> Vec<(&str, u64, &[PlacedTable])> {
        let waiting = self.placings.iter().filter(|(hub, placing)| {
            self.tables.is_linked
                && now_ms < placing.at_ms.saturating_add(ASKED_MS)
                && self.is_waited_for(hub)
                && self.tables.hubs.get(hub).is_some_and(|hub| hub.is_online())
        });
        waiting.map(|(hub, it)| (hub.as_str(), it.at_ms, it.tables.as_slice())).collect()
    }

    fn is_waited_for(&self, hub: &str) -> bool {
        let ended = self.tables.hubs.get(hub).map_or(0, |hub| hub.placing_ended().0);
        self.placings.get(hub).is_some_and(|placing| placing.at_ms != ended)
    }

    /// The hubs with the nodes that they see.
    pub fn hub_nodes(&self) -> impl Iterator<Item = HubNodes<'_>> {
        self.tables.hubs.iter().map(|(id, hub)| HubNodes {
            hub: id,
            is_online: self.tables.is_linked && hub.is_online(),
            is_waited_for: self.is_waited_for(id),
            refused: hub.placing_ended().1,
            nodes: hub.nodes(),
        })
    }

    /// A guess where a hub's nodes without a place belong: at the next table without sensors. Hubs before it, with nodes of their own to be placed, get earlier tables.
    #[must_use]
    pub fn guess(&self, hub: &str) -> Guess {
        let Some(nodes) = self.tables.hubs.get(hub).map(|hub| hub.nodes()) else {
            return Guess::default();
        };
        let free = self.free_tables();
        Guess::of(nodes, free.first().copied())
    }

    /// Tables of the event at which no hub has nodes, in their order.
    #[must_use]
    pub fn free_tables(&self) -> Vec<&str> {
        let has_nodes = |table: &str| {
            let mut hubs = self.tables.hubs.iter();
            hubs.any(|(_, hub)| {
                hub.nodes().iter().any(|node| node.place.as_ref().is_some_and(|it| it.0 == table))
            })
        };
        let is_given = |table: &str| {
            let mut waited = self.placings.iter().filter(|(hub, _)| self.is_waited_for(hub));
            waited.any(|(_, it)| it.tables.iter().any(|it| it.table == table))
        };
        let mut free: Vec<&str> = self.event.state.tables().iter().map(String::as_str).collect();
        free.extend(self.tables.list.iter().map(|table| table.name.as_str()));
        free.sort_by(|one, other| super::natural_order::compare(one, other));
        free.dedup();
        let is_named = |table: &&str| {
            let known = self.tables.list.named(table);
            known.is_some_and(|it| matches!(it.owner, super::tables::ownership::Owner::Named(_)))
        };
        free.retain(|table| !is_named(table) && !has_nodes(table) && !is_given(table));
        free
    }

    /// The tables of a hub with `nodes` at one of them: what the hub has from the desk, but for these nodes, and that table with them alone. Without nodes the table is not the
    /// hub's any more. `section`: the section whose terms are played there, where the event has several.
    ///
    /// # Errors
    ///
    /// The hub does not see a node, a place is given twice, or no book and time are known for its table.
    pub fn placing(
        &self,
        hub: &str,
        table: &str,
        nodes: &[(String, BoardId)],
        section: Option<&str>,
    ) -> Result<Vec<PlacedTable>, String> {
        let known = self.tables.hubs.get(hub).ok_or_else(|| format!("there is no hub {hub}"))?;
        let mut places = BTreeMap::<&str, Vec<PlacedNode>>::new();
        let is_moved = |id: &str| nodes.iter().any(|(node, _)| node == id);
        for node in known.nodes() {
            if let Some((of, board)) = &node.place
                && of != table
                && !node.by_file
                && !is_moved(&node.id)
            {
                places.entry(of).or_default().push(placed(node, *board));
            }
        }
        let mut taken = BTreeMap::new();
        for (id, board) in nodes {
            let node = known.nodes().iter().find(|node| node.id == *id);
            let node =
                node.ok_or_else(|| format!("hub {hub} does not see node {id}: plug it in"))?;
            if node.by_file {
                return Err(format!(
                    "node {id} has its place in the configuration of hub {hub}: change it there"
                ));
            }
            if let Some(first) = taken.insert((*board, node.sensor.is_some()), id) {
                let kind = if node.sensor.is_some() { "boards" } else { "clocks" };
                return Err(format!(
                    "{first} and {id} are both {kind} of board {board}: give one of them the other board"
                ));
            }
            places.entry(table).or_default().push(placed(node, *board));
        }
        places
            .into_iter()
            .map(|(name, nodes)| {
                let section = section.filter(|_| name == table);
                let (game, rulebook, time) = self.terms_at(name, section)?;
                let rulebook = rulebook.name().to_owned();
                Ok(PlacedTable { table: name.to_owned(), game, rulebook, time, nodes })
            })
            .collect()
    }

    /// Game, book and time of a table: by the terms of its section, or of the only section or book of the event.
    fn terms_at(
        &self,
        table: &str,
        section: Option<&str>,
    ) -> Result<(Game, BookId, TimeControl), String> {
        let named = section.map(str::to_owned).or_else(|| self.section_of(table, None));
        let sections = self.event.state.sections();
        let terms = match named.as_ref() {
            Some(name) => sections.get(name).map(|section| &section.terms),
            None => {
                let mut all = sections.values().map(|section| &section.terms);
                let first = all.next();
                let is_same = |other: &::event::SectionTerms| {
                    first.is_some_and(|it| (it.rulebook, &it.time) == (other.rulebook, &other.time))
                };
                if !all.all(is_same) {
                    return Err(format!(
                        "the event has sections of different terms: choose the one that plays at table {table}"
                    ));
                }
                first
            }
        };
        let book = terms.map(|terms| terms.rulebook).or_else(|| self.judging.announced_book(table));
        let book = book.ok_or_else(|| {
            format!("the game and rulebook of table {table} are not known: open a section on the page Event, or set event.rulebook")
        })?;
        let standard = || {
            let time = &book.book().terms.time;
            time.base_s.and_then(|base_s| TimeControl::sudden_death(base_s, 0).ok())
        };
        let time = terms.and_then(|terms| terms.time.clone()).or_else(standard);
        let time = time.ok_or_else(|| {
            format!(
                "the book {} names no time: set the time control of the section on the page Event",
                book.name()
            )
        })?;
        Ok((book.book().terms.game, book, time))
    }

    /// Notices of places that hubs did not take, and of nodes that are at another hub than their places.
    pub(super) fn placing_notices(&self) -> Vec<Notice> {
        let mut notices = Vec::new();
        for HubNodes { hub, is_online, is_waited_for, refused, .. } in self.hub_nodes() {
            if is_waited_for && is_online {
                let words = format!(
                    "hub {hub} has not reported that its nodes are placed: if this stays for a minute, check that the hub runs this release, and place them again"
                );
                notices.push(Notice::new(format!("placing:{hub}"), words));
            } else if !refused.is_empty() {
                notices
                    .push(Notice::new(format!("placing:{hub}"), format!("hub {hub}: {refused}")));
            }
        }
        notices.extend(self.swaps().into_iter().map(|(id, words)| Notice::new(id, words)));
        notices
    }

    /// Nodes that one hub has a place for and another one sees, in words by pair of hubs.
    #[must_use]
    pub fn swaps(&self) -> Vec<(String, String)> {
        let mut homes = BTreeMap::<&str, (&str, &str)>::new();
        for (hub, about) in self.tables.hubs.iter() {
            for node in about.nodes().iter().filter(|node| !node.is_present) {
                let place = node.place.as_ref();
                homes.extend(place.map(|(table, _)| (node.id.as_str(), (hub, table.as_str()))));
            }
        }
        // By the hub at which they are, and the hub that misses them: their ids, and the table.
        let mut strays = BTreeMap::<(&str, &str), (Vec<&str>, &str)>::new();
        for (hub, about) in self.tables.hubs.iter().filter(|(_, about)| about.is_online()) {
            for node in about.nodes().iter().filter(|node| node.is_present && node.place.is_none())
            {
                if let Some(&(home, table)) = homes.get(node.id.as_str()).filter(|it| it.0 != hub) {
                    let found = strays.entry((hub, home)).or_insert((Vec::new(), table));
                    found.0.push(&node.id);
                }
            }
        }
        let table_at = |hub: &str, home: &str| strays.get(&(home, hub)).map(|(_, table)| *table);
        strays
            .iter()
            .filter(|((hub, home), _)| hub < home || table_at(hub, home).is_none())
            .map(|((hub, home), (nodes, table))| {
                let words = match table_at(hub, home) {
                    Some(own) => format!(
                        "hubs {hub} and {home} have been swapped: {hub} is at table {table}, and has the places of table {own}; \
                         exchange the two hubs, or place the nodes again on the page Hubs"
                    ),
                    None => format!(
                        "{} at hub {hub} and {} in hub {home}, for table {table}: plug {} in there, or place {} here on the page Hubs",
                        match nodes.as_slice() {
                            [one] => format!("node {one} is"),
                            more => format!("nodes {} are", more.join(", ")),
                        },
                        if nodes.len() == 1 { "has its place" } else { "have their places" },
                        if nodes.len() == 1 { "it" } else { "them" },
                        if nodes.len() == 1 { "it" } else { "them" },
                    ),
                };
                (format!("swapped:{hub}:{home}"), words)
            })
            .collect()
    }
}

fn placed(node: &HubNode, board: BoardId) -> PlacedNode {
    PlacedNode { node: node.id.clone(), board, sensor: node.sensor.clone(), trays: node.trays }
}
