//! Check of the journal against a board of another maker: every change while the board was online, as far as it can tell the order, and each
//! square as it was; otherwise a gap.

use std::collections::BTreeMap;

use hub_core::journal::Entry;
use hub_core::journal_line::Line;
use readings::{ReadingKind, SquareReading};
use rules::{BoardId, Square};

use super::clock::with;
use super::{Change, Foreign, Maker, after, piece_on};
use crate::floor::FloorNode;
use crate::floor::device::INITIAL;

/// Maximum silence without a gap in the journal, µs: a driver's time, and some more where the hub is slow.
const SILENT_MAX_US: u64 = 4_000_000;
/// Maximum number of changes between two reports, which have no order: emptied squares are first.
const WINDOW: usize = 80;

/// A place in the changes of a board up to which the journal may be.
#[derive(Clone)]
struct Place {
    used: Vec<bool>,
    /// The first change that is not in the journal.
    next: usize,
    /// Behind the last one that is.
    end: usize,
}

impl Place {
    /// Before the change of this index nothing is missed any more.
    fn at(next: usize, count: usize) -> Place {
        Place { used: (0..count).map(|index| index < next).collect(), next, end: next }
    }

    /// The journal has a change: it must be the next, or one of those that happened with it.
    fn take(&mut self, changes: &[Change], square: u8, is_occupied: bool) -> bool {
        let end = (self.end + WINDOW).min(changes.len());
        // A change before a silence was there and back unseen: a later change of the same square is another one.
        let last_us = self.end.checked_sub(1).map_or(0, |last| changes[last].at_us);
        let is_it = |change: &Change| {
            (change.square, change.is_occupied) == (square, is_occupied)
                && change.at_us + SILENT_MAX_US >= last_us
        };
        let Some(found) =
            (self.next..end).find(|&index| !self.used[index] && is_it(&changes[index]))
        else {
            return false;
        };
        self.used[found] = true;
        self.end = self.end.max(found + 1);
        while self.used.get(self.next) == Some(&true) {
            self.next += 1;
        }
        true
    }
}

impl Place {
    /// A change that the journal lacks; `None` if only squares are missing that changed there and back between two reports of the board.
    fn lacks<'a>(&self, changes: &'a [Change]) -> Option<&'a Change> {
        let mut open: BTreeMap<u8, &Change> = BTreeMap::new();
        let unused = changes.iter().zip(&self.used).filter(|(_, used)| !**used);
        for (change, _) in unused {
            match open.remove(&change.square) {
                Some(before) if change.at_us - before.at_us > SILENT_MAX_US => return Some(before),
                Some(_) => {}
                None => drop(open.insert(change.square, change)),
            }
        }
        open.into_values().next()
    }
}

/// Duration of a board's scan of all squares, µs: changes meanwhile may be seen or not.
const fn scan_us(maker: Maker) -> u64 {
    match maker {
        Maker::Sentio | Maker::Chessnut => 0,
        // A tag that nobody knows counts when it was read twice.
        Maker::Certabo => 700_000,
        Maker::Dgt => 600_000,
        Maker::ChessLink => 50_000,
    }
}

/// The places at which all squares could be seen so, none of them before `from`.
fn places(changes: &[Change], from: usize, all: u64, scan_us: u64) -> Vec<Place> {
    let mut occupied = INITIAL;
    let mut places = Vec::new();
    for next in 0..=changes.len() {
        if next >= from {
            places.extend(seen_during(changes, next, occupied ^ all, scan_us));
        }
        if let Some(change) = changes.get(next) {
            occupied ^= 1 << change.square;
        }
    }
    places
}

/// The place at which the board saw everything before `next`, and of the changes within a scan from there on just those that make the difference.
fn seen_during(changes: &[Change], next: usize, mut differs: u64, scan_us: u64) -> Option<Place> {
    let mut place = Place::at(next, changes.len());
    let begin_us = changes.get(next).map_or(0, |change| change.at_us);
    let meanwhile = (next..changes.len())
        .take_while(|&index| changes[index].at_us <= begin_us + scan_us && scan_us > 0);
    for index in meanwhile {
        let bit = 1 << changes[index].square;
        if differs & bit != 0 {
            differs ^= bit;
            place.used[index] = true;
            place.end = index + 1;
        }
    }
    while place.used.get(place.next) == Some(&true) {
        place.next += 1;
    }
    (differs == 0).then_some(place)
}

/// Whether such a board may report this for a square, at any time.
fn may_say(maker: Maker, square: Square, reading: SquareReading) -> bool {
    let is_it = reading == SquareReading::Piece(piece_on(square));
    match (maker, reading) {
        (_, SquareReading::Empty) => true,
        (Maker::Sentio, _) => reading == SquareReading::Occupied,
        (Maker::Dgt | Maker::ChessLink | Maker::Chessnut, _) => is_it,
        // It reports an unknown tag as occupied.
        (Maker::Certabo, _) => is_it || reading == SquareReading::Occupied,
    }
}

/// Checks what the journal has of a board and its clock.
pub(crate) fn check(
    node: &FloorNode,
    foreign: &Foreign,
    entries: &[&Entry],
) -> Result<u64, String> {
    check_clock(foreign).map_err(|what| format!("{}: {what}", node.id))?;
    check_squares(node, foreign, entries)
}

/// While bytes were garbled, which no checksum detects, a clock's reports may be anything.
fn check_clock(foreign: &Foreign) -> Result<(), String> {
    if !foreign.has_clock || foreign.had_noise {
        return Ok(());
    }
    let (wrong, untold) = with(&foreign.clock, |clock| (clock.wrong.clone(), clock.untold()));
    match wrong.or(untold) {
        Some(what) => Err(what),
        None => Ok(()),
    }
}

fn check_squares(node: &FloorNode, foreign: &Foreign, entries: &[&Entry]) -> Result<u64, String> {
    let board = if node.plan.on_b { BoardId::B } else { BoardId::A };
    let changes = &foreign.changes[..];
    let maker = foreign.maker;
    let mut places = vec![Place::at(0, changes.len())];
    let (mut occupied, mut seen) = (None, 0);
    for input in entries.iter().flat_map(|entry| &entry.inputs) {
        let Ok(Line::Reading(reading)) = serde_json::from_str::<Line>(&input.line) else {
            continue;
        };
        if reading.board != Some(board) {
            continue;
        }
        let fail = |what: &str| Err(format!("{}, {}: {what}", node.id, input.line));
        let before = occupied;
        occupied = after(occupied, &reading.kind);
        if foreign.had_noise {
            continue;
        }
        match reading.kind {
            ReadingKind::Snapshot { squares, .. } => {
                let all = squares.iter().flatten().zip(Square::ALL);
                if all.clone().any(|(&reading, square)| !may_say(maker, square, reading)) {
                    return fail("its reading of a square was never true");
                }
                let from = places.iter().map(|place| place.next).min().unwrap_or(0);
                places = self::places(changes, from, occupied.unwrap_or(0), scan_us(maker));
            }
            ReadingKind::Square { square, reading: Some(reading), .. } => {
                if before.is_none() {
                    return fail("no reading of all squares was published before");
                }
                if !may_say(maker, square, reading) {
                    return fail("this never stood there");
                }
                if before == occupied {
                    // A tag was learnt.
                    if maker == Maker::Certabo && reading != SquareReading::Empty {
                        continue;
                    }
                    return fail("it was so already");
                }
                let is_occupied = reading != SquareReading::Empty;
                let index = u32::from(square) as u8;
                places.retain_mut(|place| place.take(changes, index, is_occupied));
                seen += 1;
            }
            _ => continue,
        }
        if places.is_empty() {
            return fail("the board has not read this now");
        }
    }
    let stands = node.device.occupied();
    if occupied != Some(stands) {
        return Err(format!(
            "{} is {stands:016x} in the end, and the journal has {occupied:016x?}",
            node.id
        ));
    }
    let lacks = || places.iter().map(|place| place.lacks(changes));
    if !foreign.had_noise && lacks().all(|lacks| lacks.is_some()) {
        let lacks = lacks().next();
        return Err(format!("{}: the journal lacks {lacks:?} in the end", node.id));
    }
    Ok(seen)
}
