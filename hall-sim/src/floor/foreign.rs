//! A board of another maker on the floor: a Sentio, which says ten times a second where something stands, and keeps nothing for anybody. And
//! what the journal must have of it: every change while it was heard, and otherwise that something may be missing.

use std::collections::BTreeMap;

use hub_core::journal::Entry;
use hub_core::record::Line;
use readings::{ReadingKind, SquareReading};
use rules::BoardId;

use super::FloorNode;
use super::device::INITIAL;

/// Time between two of its lines, µs.
pub(crate) const LINE_US: u64 = 100_000;
/// A driver tells a gap after so long without a line, µs; some more where the hub is slow.
const SILENT_MAX_US: u64 = 4_000_000;
/// So many changes between two lines may be told in any order: emptied squares come first.
const WINDOW: usize = 80;

/// What a board of another maker has besides its squares.
#[derive(Clone, Debug, Default)]
pub(crate) struct Foreign {
    /// Whether it has power.
    pub(crate) is_on: bool,
    /// When it says its next line.
    pub(crate) line_us: u64,
    /// Every change of a square, in order.
    pub(crate) changes: Vec<Change>,
}

/// A change of a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    at_us: u64,
    square: u8,
    /// Whether something stands there then.
    is_occupied: bool,
}

impl Foreign {
    /// Notes what has changed between two states of its squares.
    pub(crate) fn note(&mut self, at_us: u64, before: u64, after: u64) {
        let changed = (0..64).filter(|square| (before ^ after) >> square & 1 == 1);
        let change = |square| Change { at_us, square, is_occupied: after >> square & 1 == 1 };
        self.changes.extend(changed.map(change));
    }
}

/// Its line: rank 8 first, the a-file in the highest bit.
pub(crate) fn line(occupied: u64) -> Vec<u8> {
    let rank = |number: u32| ((occupied >> (8 * number)) as u8).reverse_bits().to_string();
    let ranks: Vec<String> = (0..8).rev().map(rank).collect();
    format!(":{}\r\n", ranks.join(" ")).into_bytes()
}

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
        let is_it = |change: &Change| (change.square, change.is_occupied) == (square, is_occupied);
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
    /// Whether all that the journal lacks are squares that changed there and back before the board said anything.
    fn lacks_nothing(&self, changes: &[Change]) -> bool {
        let mut open: BTreeMap<u8, u64> = BTreeMap::new();
        let unused = changes.iter().zip(&self.used).filter(|(_, used)| !**used);
        for (&Change { at_us, square, .. }, _) in unused {
            match open.remove(&square) {
                Some(before_us) if at_us - before_us > SILENT_MAX_US => return false,
                Some(_) => {}
                None => drop(open.insert(square, at_us)),
            }
        }
        open.is_empty()
    }
}

/// The places at which all squares were so, none of them before `from`.
fn places(changes: &[Change], from: usize, all: u64) -> Vec<Place> {
    let mut occupied = INITIAL;
    let mut places = Vec::new();
    for next in 0..=changes.len() {
        if next >= from && occupied == all {
            places.push(Place::at(next, changes.len()));
        }
        if let Some(change) = changes.get(next) {
            occupied ^= 1 << change.square;
        }
    }
    places
}

/// Checks what the journal has of a board.
pub(crate) fn check(
    node: &FloorNode,
    foreign: &Foreign,
    entries: &[&Entry],
) -> Result<u64, String> {
    let board = if node.plan.on_b { BoardId::B } else { BoardId::A };
    let changes = &foreign.changes[..];
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
        match reading.kind {
            ReadingKind::Snapshot { occupied: Some(all), .. } => {
                let from = places.iter().map(|place| place.next).min().unwrap_or(0);
                places = self::places(changes, from, all.0.0);
                occupied = Some(all.0.0);
            }
            ReadingKind::Square { square, reading: Some(reading), .. } => {
                let (bit, is_occupied) = (u32::from(square), reading != SquareReading::Empty);
                let Some(known) = &mut occupied else {
                    return fail("nothing was told of all squares before");
                };
                if (*known >> bit & 1 == 1) == is_occupied {
                    return fail("it was so already");
                }
                *known ^= 1 << bit;
                places.retain_mut(|place| place.take(changes, bit as u8, is_occupied));
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
    if !places.iter().any(|place| place.lacks_nothing(changes)) {
        return Err(format!("{}: changes are missing at the journal's end", node.id));
    }
    Ok(seen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_rank_8_first_with_the_a_file_in_the_highest_bit() {
        // Something stands on a8 and h1.
        assert_eq!(line(1 << 56 | 1 << 7), b":128 0 0 0 0 0 0 1\r\n");
    }
}
