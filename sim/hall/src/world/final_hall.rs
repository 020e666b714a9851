//! The end of a run, beside that of the same plan without faults: they are equal wherever no gap was reported. So no fault has effects beyond
//! those that are reported, and one table's trouble stays there.

use std::collections::BTreeMap;

use hub_core::journal::InputLine;
use hub_core::journal_line::Line;
use prost::Message as _;
use proto::mqtt::message::Row;
use proto::mqtt::message::row::Event;
use readings::ReadingKind;
use rules::BoardId;

use super::World;
use super::check::is_excused;
use crate::floor::{Act, Floor, FloorPlan, Maker};
use crate::outcome::{Nobody, Observer, Violation};
use crate::plan::TableAt;
use crate::sabotage::Sabotage;
use crate::store::Stored;

/// Runs that are compared: those with a control table, those of which one table alone has trouble, and every third of all.
const COMPARED_EVERY: u64 = 3;
const ONE_TABLE_EVERY: u64 = 16;
const ONE_TABLE_AT: u64 = 2;

/// The published end of hubs, and of the tables of the first one, in order.
#[derive(Debug, Default, PartialEq, Eq)]
struct FinalHall {
    hubs: BTreeMap<usize, Vec<String>>,
    tables: BTreeMap<String, FinalTable>,
}

/// The published end of a table without trouble of its own.
#[derive(Debug, Default, PartialEq, Eq)]
struct FinalTable {
    /// The readings of each device, and the matches.
    seen: BTreeMap<String, Vec<String>>,
    /// The plies on a page.
    plies: Vec<String>,
}

impl<O: Observer> World<'_, O> {
    /// Compares the end of the run with the end of the same plan without faults; how many plies were the same.
    pub(super) fn check_against_faultless(&self) -> Result<u64, Violation> {
        if !self.is_compared() {
            return Ok(0);
        }
        let plan = self.plan.faultless();
        let mut nobody = Nobody;
        let mut faultless = World::new(&plan, Sabotage::None, &mut nobody);
        let played = faultless.play();
        played.map_err(|what| {
            Violation::NotTheFaultless(format!("in the hall without faults: {what}"))
        })?;
        let (seen, expected) = (self.final_hall(), faultless.final_hall());
        for (slot, rows) in &seen.hubs {
            let expected = expected.hubs.get(slot).map(Vec::as_slice).unwrap_or_default();
            compare(&format!("hub {slot}"), rows, expected)?;
        }
        let mut same_plies = 0;
        for (table, end) in &seen.tables {
            // There, too, a line may be so bad that the table goes on without a node.
            let Some(expected) = expected.tables.get(table) else { continue };
            for (what, lines) in &end.seen {
                let expected = expected.seen.get(what).map(Vec::as_slice).unwrap_or_default();
                compare(&format!("table {table}, {what}"), lines, expected)?;
            }
            compare(&format!("table {table}, plies in the end"), &end.plies, &expected.plies)?;
            same_plies += end.plies.len() as u64;
        }
        Ok(same_plies)
    }

    /// Whether the run is compared with the same plan without faults.
    pub(super) fn is_compared(&self) -> bool {
        let seed = self.plan.seed;
        let has_spared = self.plan.floors.iter().any(|floor| floor.spared.is_some());
        let is_of_one_table = seed % ONE_TABLE_EVERY == ONE_TABLE_AT;
        has_spared || is_of_one_table || seed.is_multiple_of(COMPARED_EVERY)
    }

    /// The end of hubs and tables without a reported gap.
    fn final_hall(&self) -> FinalHall {
        let mut hall = FinalHall::default();
        for slot in 0..self.plan.rows_us.len() {
            let rows = self.rows_of(slot);
            if let Some(floor) = self.floors.get(&slot) {
                self.add_tables(floor, &rows, &mut hall);
            } else if !self.plan.may_lose_rows_of(slot)
                && !self.store.has_lost_rows_of(&self.hubs[slot].id)
            {
                hall.hubs.insert(slot, rows.iter().filter_map(|(_, row)| seen(row)).collect());
            }
        }
        hall
    }

    /// The rows that the store has of a hub, boot after boot; not those of its clone.
    fn rows_of(&self, slot: usize) -> Vec<(u64, Row)> {
        let id = &self.hubs[slot].id;
        let is_its_own = |boot_id: u64| {
            self.truth.boots.get(&(id.clone(), boot_id)).is_some_and(|boot| boot.slot == slot)
        };
        let mut rows: Vec<(u64, Row)> = self
            .store
            .all()
            .filter_map(|stored| match stored {
                Stored::Row(hub, boot_id, _, Some(body)) if hub == id && is_its_own(*boot_id) => {
                    Some((*boot_id, Row::decode(&body[..]).ok()?))
                }
                _ => None,
            })
            .collect();
        rows.sort_by_key(|(boot_id, row)| (*boot_id, row.sequence));
        rows
    }

    /// Adds the tables of a hub that had no trouble, or are whole all the same.
    fn add_tables(&self, floor: &Floor, rows: &[(u64, Row)], hall: &mut FinalHall) {
        if self.store.has_lost_rows_of(&self.hubs[floor.hub].id) {
            return;
        }
        let undisturbed = (0..floor.tables.len()).filter(|&table| {
            let at = TableAt { hub: floor.hub, table };
            self.plan.orders.iter().all(|&(_, of, _)| of != at)
                && (self.is_undisturbed(floor, table) || self.is_whole(floor, table))
        });
        for table in undisturbed {
            let name = &floor.tables[table].table.name;
            let end = hall.tables.entry(name.clone()).or_default();
            end.seen = self.readings_of(floor, table);
            // Where boards and clocks are set up at once, which came first decides when a match is over.
            if !is_set_up_at_once(&floor.plan, table) {
                let of_table = || rows.iter().filter(|(_, row)| row.table == *name);
                // Which of two boards has a ply taken back first, nobody sees in the end.
                let is_of_match =
                    |(_, row): &&(u64, Row)| !matches!(row.event, Some(Event::PlyRetracted(_)));
                let matches = of_table().filter(is_of_match).filter_map(|(_, row)| seen(row));
                let matches = matches.collect();
                end.seen.insert("matches".to_owned(), matches);
                end.plies = plies(of_table(), floor.plan.spared == Some(table));
            }
        }
    }

    /// Whether a control table has no reported gap, whatever faults hit its hub.
    fn is_whole(&self, floor: &Floor, table: usize) -> bool {
        floor.plan.spared == Some(table)
            && !is_excused(floor, table)
            && !self.inputs_of(floor, table).any(|input| input.line.contains(r#""kind":"gap""#))
    }

    /// The lines that a table's hub has journalled for it.
    fn inputs_of<'a>(
        &'a self,
        floor: &'a Floor,
        table: usize,
    ) -> impl Iterator<Item = &'a InputLine> {
        let name = &floor.tables[table].table.name;
        let entries = self.hubs[floor.hub].journal.entries().iter();
        entries.filter(move |entry| entry.table == *name).flat_map(|entry| &entry.inputs)
    }

    /// Readings of each device of a table, in order: those of two devices at one moment have no order.
    fn readings_of(&self, floor: &Floor, table: usize) -> BTreeMap<String, Vec<String>> {
        let mut readings: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let seen_in_parts = floor.plan.foreign.filter(|it| it.maker != Maker::Sentio);
        // When such a board is asked decides what it sees, and in which order.
        let has_such = seen_in_parts.is_some_and(|it| floor.plan.nodes[it.node].table == table);
        for input in self.inputs_of(floor, table) {
            let Ok(Line::Reading(reading)) = serde_json::from_str(&input.line) else { continue };
            let device = match reading.kind {
                ReadingKind::Square { .. } if has_such => continue,
                // So with its clock, which is one of a board B.
                ReadingKind::Press { .. } if has_such && reading.board == Some(BoardId::B) => {
                    continue;
                }
                ReadingKind::Square { .. } => "board",
                ReadingKind::Press { .. } | ReadingKind::Hand { .. } => "clock",
                // A clock's display may be known from an event or from a snapshot.
                _ => continue,
            };
            let name = format!("{device} {:?}", reading.board);
            readings.entry(name).or_default().push(format!("{:?}", reading.kind));
        }
        readings
    }
}

/// Whether boards and clocks of a table are set up at the same moment.
fn is_set_up_at_once(plan: &FloorPlan, table: usize) -> bool {
    let here = |node: usize| plan.nodes[node].table == table;
    plan.spared != Some(table)
        && plan.acts.iter().any(|&(_, node, act)| act == Act::SetUp && here(node))
}

/// The visible content of a row, without the times, which differ with the way of a reading. Plies of the light follower are none: readings make
/// them that come in any order.
fn seen(row: &Row) -> Option<String> {
    match row.event.as_ref()? {
        Event::MatchOpened(opened) => Some(format!("a match of {}", opened.rulebook)),
        Event::MatchStateChanged(changed) => Some(format!("{:?}", changed.state())),
        Event::PlyRetracted(ply) => Some(format!("ply {} retracted", ply.ply_id)),
        _ => None,
    }
}

/// The plies of a table on a page when all rows have arrived: those that were reported and not retracted, match by match.
/// `with_revisions`: with the number of revisions, which at other tables depends on the order within some milliseconds.
fn plies<'a>(rows: impl Iterator<Item = &'a (u64, Row)>, with_revisions: bool) -> Vec<String> {
    let mut matches: Vec<(&str, BTreeMap<u32, String>)> = Vec::new();
    for (_, row) in rows {
        match &row.event {
            Some(Event::MatchOpened(opened)) => matches.push((&opened.match_id, BTreeMap::new())),
            Some(Event::PlyReported(ply)) => {
                if let Some((_, plies)) = matches.iter_mut().find(|(id, _)| *id == ply.match_id) {
                    let mut shown = ply.uci.clone();
                    if with_revisions {
                        shown += &format!(", {:?}, revision {}", ply.stage(), ply.revision);
                    }
                    plies.insert(ply.ply_id, shown);
                }
            }
            Some(Event::PlyRetracted(ply)) => {
                if let Some((_, plies)) = matches.iter_mut().find(|(id, _)| *id == ply.match_id) {
                    plies.remove(&ply.ply_id);
                }
            }
            _ => {}
        }
    }
    let said = |(number, (_, plies)): (usize, (&str, BTreeMap<u32, String>))| {
        plies
            .into_iter()
            .map(move |(id, ply)| format!("match {number}, ply {id}: {ply}"))
            .collect::<Vec<_>>()
    };
    matches.into_iter().enumerate().flat_map(said).collect()
}

fn compare(whose: &str, seen: &[String], expected: &[String]) -> Result<(), Violation> {
    let same = seen.iter().zip(expected).take_while(|(seen, expected)| seen == expected).count();
    if same == seen.len() && same == expected.len() {
        return Ok(());
    }
    Err(Violation::NotTheFaultless(format!(
        "{whose}: {} things are seen in the end, {} in the hall without faults, the first {same} are the same; then {:?} instead of {:?}",
        seen.len(),
        expected.len(),
        seen.get(same),
        expected.get(same)
    )))
}
