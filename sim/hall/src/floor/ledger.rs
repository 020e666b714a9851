//! Readings of the nodes against the hub's journal: each reading once and in order, or a gap that covers exactly the missing ones.
//! The journal has no other rows than a session emits for its lines (see [`super::programs`]).

use std::collections::BTreeMap;

use hub_core::journal::{Entry, InputLine};
use hub_core::journal_line::Line;
use proto::link::ResumePoint;
use readings::ReadingKind;

use super::{Floor, FloorNode, FloorPlan, ReadEvent};
use crate::journal::Journal;

/// Time by which two nodes' readings may be out of order in an undisturbed run, beside the jitter of their lines, µs.
const ORDER_TOLERANCE_US: u64 = 10_000;
/// Time from which the order is checked, µs: by then the hub knows the nodes' clocks.
pub(super) const ORDER_FROM_US: u64 = 6_000_000;

/// Error of a node's clock on a line without jitter, µs (docs/decisions/0016-time.md).
const NODE_CLOCK_US: u64 = 2_000;
/// Time after meeting a node in which a hub may know its clock from eight exchanges of some tenths of a second, µs. It waits for them for 4.5 s at most.
const NODE_CLOCK_NEW_US: u64 = 5_000_000;
/// Error of the place of a node's clock after such exchanges, in delays of the line.
const NEW_DELAYS: u64 = 4;
/// Error of its drift, as a number of parts: the smallest allowed error, and the largest drift that the hub believes, with the node's own.
const NEW_DRIFT_PARTS: u64 = 400;
const NEW_DRIFT_PARTS_MIN: u64 = 97;
/// Mean time between an exchange and the last one, µs; eight exchanges span 0.2 s. A wrong drift fits the exchanges better than the true one
/// only if in this time it differs by no more than a delay. For each frame, it lowers the sum of delays by at most one delay, and raises it by
/// the drift times the frame's distance from the last.
const NEW_MEAN_SPAN_US: u64 = 100_000;

/// Offsets of an entry that look like an event's and are none: the end of a gap of one event, and a HELLO's.
const LIKE_EVENTS_MAX: usize = 2;
/// The same where the journal was set back and no gap is reported: a HELLO's alone.
const LIKE_EVENTS_SET_BACK_MAX: usize = 1;

/// Longest times between a byte and its reader, µs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lateness {
    /// On a line.
    pub(crate) line_us: u64,
    /// Longest wait of the hub for the processor.
    pub(crate) processor_us: u64,
    /// Longest stall of a line during a question for a node's time: half of it is the error if no other question is answered.
    pub(crate) stall_us: u64,
}

/// One line of the journal that a node's event made.
struct Seen {
    true_us: u64,
    node: usize,
}

/// Checks the whole journal. `undisturbed`, for each table: no fault hit hub, journal or its own nodes, whatever hit other tables;
/// `was_set_back`: the journal was, so that nodes had freed what it lost.
pub(crate) fn check(
    floor: &Floor,
    journal: &Journal,
    plan: &FloorPlan,
    undisturbed: &[bool],
    was_set_back: bool,
) -> Result<u64, String> {
    let lateness = plan.lateness();
    let mut journalled = 0;
    for (index, settings) in floor.tables.iter().enumerate() {
        let entries: Vec<&Entry> = journal
            .entries()
            .iter()
            .map(|entry| &**entry)
            .filter(|entry| entry.table == settings.table.name)
            .collect();
        let mut seen: Vec<(usize, Seen)> = Vec::new();
        for (number, node) in floor.nodes.iter().enumerate() {
            if node.plan.table != index {
                continue;
            }
            if let Some(foreign) = &node.foreign {
                journalled += super::other_makers::check(node, foreign, &entries)?;
            } else {
                let check =
                    |reading| check_node((node, number), &entries, was_set_back, lateness, reading);
                // A loss that is reported at a board may be its clock's: each reading of the lines is accepted.
                let plain = check((Choice::First, false));
                let other = |what| {
                    let choices = [Choice::Exact, Choice::First, Choice::Nearest];
                    let mut ways = choices.into_iter().flat_map(|it| [(it, true), (it, false)]);
                    ways.find_map(|way| check(way).ok()).ok_or(what)
                };
                seen.extend(plain.or_else(other)?);
            }
        }
        seen.sort_by_key(|(place, _)| *place);
        journalled += seen.len() as u64;
        // A board of another maker has no watermark: its readings may arrive late.
        let is_foreign = |node: &FloorNode| node.plan.table == index && node.foreign.is_some();
        if plan.is_exact {
            check_order(&seen, 0, 0)?;
        } else if undisturbed[index] && !floor.nodes.iter().any(is_foreign) {
            check_order(&seen, lateness.line_us + ORDER_TOLERANCE_US, ORDER_FROM_US)?;
        }
        super::programs::check_rows(floor, index, journal)?;
    }
    Ok(journalled)
}

/// Choice among several equal events of an entry for a line.
#[derive(Clone, Copy)]
enum Choice {
    First,
    /// The one before which the reported number is missing.
    Exact,
    /// The one that was read when the line was made.
    Nearest,
}

/// Place in a node's events up to which the journal is checked.
struct Following<'a> {
    node: &'a FloorNode,
    /// The boot, and the last of its events that the journal has.
    present: Option<(usize, u32)>,
    /// Events told as missing on the node's board since then.
    told: u64,
    /// Restarts told on the node's board since then.
    restarts: u32,
    /// Lines since then that tell of missing events.
    gaps: usize,
    choice: Choice,
    /// Each line that tells of missing events may have an end that looks like one.
    has_gaps: bool,
}

/// A node's events in the journal, each with the place of its line among the table's lines.
fn check_node<'a>(
    (node, number): (&FloorNode, usize),
    entries: &[&'a Entry],
    was_set_back: bool,
    lateness: Lateness,
    (choice, has_gaps): (Choice, bool),
) -> Result<Vec<(usize, Seen)>, String> {
    let board = node.board();
    let mut seen = Vec::new();
    let mut following =
        Following { node, present: None, told: 0, restarts: 0, gaps: 0, choice, has_gaps };
    let events = events_of(node, entries);
    let with_entry = |(number, entry): (usize, &&'a Entry)| {
        let entry = *entry;
        entry.inputs.iter().map(move |input| (number, input))
    };
    let mut lines = entries.iter().enumerate().flat_map(with_entry).enumerate();
    while let Some((place, (entry, input))) = lines.next() {
        let Ok(Line::Reading(reading)) = serde_json::from_str::<Line>(&input.line) else {
            continue;
        };
        if reading.board != Some(board) {
            continue;
        }
        let words = |what: String| {
            format!("{}, line {place} of its table, {}: {what}", node.id, input.line)
        };
        let fail = |what| Err(words(what));
        match reading.kind {
            ReadingKind::Gap { lost: 0 } => following.restarts += 1,
            ReadingKind::Gap { lost } => {
                following.told += lost;
                following.gaps += 1;
            }
            _ => {
                let Some(is_certain) = certainty(node, &reading.kind) else { continue };
                let said = word(&input.line);
                let found = following.find(&said, &events[entry], input);
                // A snapshot may say the same as an event that comes later.
                let found = found.filter(|&(boot, sequence)| {
                    let event = &node.boots[boot].events[sequence as usize - 1];
                    let is_next =
                        || following.is_next((boot, sequence), &events[entry], was_set_back);
                    is_certain || (!is_before(node, event, input, lateness) && is_next())
                });
                let Some((boot, sequence)) = found else {
                    match is_certain {
                        true => return fail("no event of this node may come here".to_owned()),
                        false => continue,
                    }
                };
                if let Err(what) = following.reach(boot, sequence, was_set_back) {
                    return fail(what);
                }
                let event = &node.boots[boot].events[sequence as usize - 1];
                seen.push((place, Seen { true_us: event.at_us, node: number }));
                // A snapshot may have said it, at another time.
                if is_certain && !node.had_bad_line {
                    check_made(node, event, input, lateness).map_err(words)?;
                }
                // The other lines of the same event.
                for more in &event.lines[1..] {
                    match lines.next() {
                        Some((_, (_, input))) if word(&input.line) == *more => {}
                        other => {
                            let other = other.map(|(_, (_, input))| &input.line);
                            return fail(format!("its event goes on with {more}, not {other:?}"));
                        }
                    }
                }
            }
        }
    }
    following.end(was_set_back)?;
    Ok(seen)
}

/// The events of a node in each entry, by their offsets: an event and its offset are in the same entry. An offset that is not the next
/// one is a HELLO's, or the end of a gap.
fn events_of(node: &FloorNode, entries: &[&Entry]) -> Vec<Vec<(usize, u32)>> {
    let mut last = None;
    let mut of_entry = |entry: &&Entry| {
        let mut events = Vec::new();
        for offset in entry.offsets.iter().filter(|offset| offset.node_id == node.id) {
            let ResumePoint { boot_id, sequence } = offset.reached;
            let Some(boot) = node.boots.iter().rposition(|boot| boot.id == boot_id) else {
                continue;
            };
            let next = match last {
                Some((before, sequence)) if before == boot => sequence + 1,
                _ => 1,
            };
            if sequence == next {
                events.push((boot, sequence));
            }
            last = Some((boot, sequence));
        }
        events
    };
    entries.iter().map(&mut of_entry).collect()
}

impl Following<'_> {
    /// The event of a line, among those of its entry: one behind the events before, with the same words.
    fn find(
        &self,
        words: &str,
        events: &[(usize, u32)],
        input: &InputLine,
    ) -> Option<(usize, u32)> {
        let event = |(boot, sequence): (usize, u32)| {
            self.node.boots[boot].events.get(sequence as usize - 1)
        };
        let is_later = |it: &&(usize, u32)| self.present.is_none_or(|present| **it > present);
        let says_so = |it: &&(usize, u32)| {
            event(**it).is_some_and(|event| event.lines.first().is_some_and(|line| line == words))
        };
        let mut candidates = events.iter().filter(is_later).filter(says_so).copied();
        let is_exact = |it: &(usize, u32)| self.missing_before(*it) == self.told;
        match self.choice {
            Choice::First => candidates.next(),
            Choice::Exact => candidates.clone().find(is_exact).or_else(|| candidates.next()),
            Choice::Nearest => {
                candidates.min_by_key(|it| event(*it).map(|it| beside_us(it, input)))
            }
        }
    }

    /// Number of missing readings of an event's boot before it.
    fn missing_before(&self, (boot, sequence): (usize, u32)) -> u64 {
        let through = self.present.filter(|(before, _)| *before == boot).map_or(0, |(_, it)| it);
        self.missing(boot, through + 1, sequence - 1)
    }

    /// Whether a line that may be a snapshot's is this event's: all gaps before it are reported, or need no report, and
    /// its entry has no other event before it.
    fn is_next(&self, event: (usize, u32), events: &[(usize, u32)], was_set_back: bool) -> bool {
        let says_something = |&&(boot, sequence): &&(usize, u32)| {
            let event = self.node.boots[boot].events.get(sequence as usize - 1);
            event.is_some_and(|event| !event.lines.is_empty())
        };
        let is_later = |it: &&(usize, u32)| self.present.is_none_or(|present| **it > present);
        let later = events.iter().filter(is_later).filter(says_something);
        let before = later.take_while(|it| **it != event).count();
        if was_set_back && self.may_lack(event.0) {
            return before <= LIKE_EVENTS_SET_BACK_MAX;
        }
        let like_events = if self.has_gaps { self.gaps + 1 } else { 0 }.max(LIKE_EVENTS_MAX);
        self.missing_before(event) <= self.told && before <= like_events
    }

    /// The journal has this event; every event before it that is missing was reported.
    fn reach(&mut self, boot: usize, sequence: u32, was_set_back: bool) -> Result<(), String> {
        let is_same = self.present.is_none_or(|(before, _)| before == boot);
        if !is_same && self.restarts == 0 {
            return Err(
                "the node restarted before it, and the journal does not report it".to_owned()
            );
        }
        let through = self.present.filter(|_| is_same).map_or(0, |(_, through)| through);
        self.excuse(boot, through + 1, sequence - 1, was_set_back)?;
        self.present = Some((boot, sequence));
        (self.told, self.restarts, self.gaps) = (0, 0, 0);
        Ok(())
    }

    /// Whether a journal that was set back has lost this boot: all its acknowledged events are behind the restart, or
    /// before the beginning.
    fn may_lack(&self, boot: usize) -> bool {
        match self.present {
            None => true,
            Some((present, _)) => present != boot && self.restarts > 0,
        }
    }

    /// Number of events of a boot, from one to another, that are readings and not answers to commands.
    fn missing(&self, boot: usize, first: u32, last: u32) -> u64 {
        let events = &self.node.boots[boot].events;
        let (first, last) = (first.max(1) as usize, (last as usize).min(events.len()));
        let between = events.get(first - 1..last).unwrap_or_default();
        between.iter().filter(|event| !event.lines.is_empty()).count() as u64
    }

    /// Events that are missing in the journal must be reported as missing, and the node must have discarded them.
    fn excuse(&self, boot: usize, first: u32, last: u32, was_set_back: bool) -> Result<(), String> {
        let missing = self.missing(boot, first, last);
        if was_set_back && self.may_lack(boot) {
            return Ok(());
        }
        let discarded = self.node.boots[boot].discarded_through;
        // An answer to a command is not missing, whatever became of it.
        let last = (first..=last).rev().find(|&it| self.missing(boot, it, it) > 0).unwrap_or(last);
        if missing > 0 && self.told < missing {
            return Err(format!(
                "events {first} to {last} are missing before it, and {} are reported as missing",
                self.told
            ));
        }
        if missing > 0 && last > discarded && !was_set_back {
            return Err(format!(
                "events {first} to {last} are reported as missing, and its buffer discarded none after {discarded}"
            ));
        }
        Ok(())
    }

    /// Checks the end of the journal.
    fn end(&self, was_set_back: bool) -> Result<(), String> {
        let Some(last) = self.node.boots.len().checked_sub(1) else { return Ok(()) };
        let events = &self.node.boots[last].events;
        let through = self.present.filter(|(boot, _)| *boot == last).map_or(0, |(_, it)| it);
        // A clock's display may be known from a snapshot.
        let reached =
            events.iter().rposition(|event| !event.lines.is_empty()).map_or(0, |at| at as u32 + 1);
        self.excuse(last, through + 1, reached, was_set_back)
            .map_err(|what| format!("{}, at the journal's end: {what}", self.node.id))
    }
}

/// A reading was made when its node has read it, by the clock of the hub that has journalled it: within what is known of the node's clock.
fn check_made(
    node: &FloorNode,
    event: &ReadEvent,
    input: &InputLine,
    lateness: Lateness,
) -> Result<(), String> {
    match placed(node, event, lateness)
        .map(|(true_us, most_us)| (input.made.as_micros().abs_diff(true_us), most_us))
        .min_by_key(|(wrong_us, most_us)| wrong_us.saturating_sub(*most_us))
    {
        Some((wrong_us, most_us)) if wrong_us > most_us => Err(format!(
            "the journal has that it was made at {} µs, {wrong_us} µs beside the truth, and {most_us} µs at most are allowed",
            input.made.as_micros()
        )),
        _ => Ok(()),
    }
}

/// Distance of a line's time from its event's true time, µs.
fn beside_us(event: &ReadEvent, input: &InputLine) -> u64 {
    let true_us = event.journalled.iter().map(|(_, epoch_us)| epoch_us + event.at_us);
    true_us.map(|at_us| input.made.as_micros().abs_diff(at_us)).min().unwrap_or(u64::MAX)
}

/// Whether a line was made before its node read this event, by more than the hub may be wrong: a snapshot said the same.
fn is_before(node: &FloorNode, event: &ReadEvent, input: &InputLine, lateness: Lateness) -> bool {
    let made_us = input.made.as_micros();
    !(node.had_bad_line || event.journalled.is_empty())
        && placed(node, event, lateness).all(|(true_us, most_us)| made_us + most_us < true_us)
}

/// Times at which the node read an event, by the clock of each hub that journalled it, each with the hub's largest error, µs.
pub(super) fn placed(
    node: &FloorNode,
    event: &ReadEvent,
    lateness: Lateness,
) -> impl Iterator<Item = (u64, u64)> {
    let delay_us = lateness.line_us + lateness.processor_us;
    event.journalled.iter().map(move |&(journalled_us, epoch_us)| {
        let late_us = journalled_us - event.at_us;
        let met_us = node.met_us.iter().copied().filter(|&met_us| met_us <= journalled_us).max();
        let met_us = met_us.unwrap_or(0);
        // Earlier readings are placed by the first exchanges, however late the journal has room for them.
        let is_new = event.at_us < met_us || journalled_us - met_us < NODE_CLOCK_NEW_US;
        let known_us = match is_new {
            true => {
                let parts = NEW_MEAN_SPAN_US / delay_us.max(1);
                let drifted_us = late_us / parts.clamp(NEW_DRIFT_PARTS_MIN, NEW_DRIFT_PARTS);
                NEW_DELAYS * delay_us + lateness.stall_us + drifted_us
            }
            false => delay_us,
        };
        (epoch_us + event.at_us, NODE_CLOCK_US + known_us)
    })
}

/// Whether a node of this kind reports such a reading in events alone; `None` if it reports it in none.
pub(super) fn certainty(node: &FloorNode, kind: &ReadingKind) -> Option<bool> {
    match kind {
        ReadingKind::Square { .. } if !node.plan.is_clock => Some(true),
        ReadingKind::Press { .. } | ReadingKind::Hand { .. } if node.plan.is_clock => Some(true),
        ReadingKind::Clock { .. } | ReadingKind::Tilt { .. } if node.plan.is_clock => Some(false),
        ReadingKind::Tray { .. } if !node.plan.is_clock => Some(false),
        _ => None,
    }
}

/// A line without its time.
pub(super) fn word(line: &str) -> String {
    line.split_once(',').map_or(line, |(_, rest)| rest).to_owned()
}

/// What happened first comes first, whichever line it came over.
fn check_order(seen: &[(usize, Seen)], tolerance_us: u64, from_us: u64) -> Result<(), String> {
    let mut latest: BTreeMap<usize, u64> = BTreeMap::new();
    for (place, Seen { true_us, node }) in seen {
        let others = latest.iter().filter(|(other, _)| *other != node);
        if let Some((other, &before_us)) = others.max_by_key(|(_, at_us)| **at_us)
            && *true_us >= from_us
            && before_us > true_us + tolerance_us
        {
            return Err(format!(
                "line {place}: a reading of node-{node} at {true_us} µs follows one of node-{other} at {before_us} µs"
            ));
        }
        let at_us = latest.entry(*node).or_default();
        *at_us = (*at_us).max(*true_us);
    }
    Ok(())
}
