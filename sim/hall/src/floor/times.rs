//! Times of readings: on their way to the journal at a table without faults, and in the trace by which a match is reviewed.

use std::collections::BTreeMap;

use hub_core::review::MatchTrace;
use readings::ReadingKind;

use super::ledger::{Lateness, ORDER_FROM_US, certainty, placed, word};
use super::{Floor, FloorNode, FloorPlan};
use crate::plan::BUSY_US;

/// Longest time from a reading to the journal beside the delays of line, processor and disk, µs.
const LATE_US: u64 = 1_000_000;
/// The same where single squares and presses are read.
const EXACT_LATE_US: u64 = 20_000;
/// The same as a number of delays: the reading, the question and the answer, each twice.
const LINE_DELAYS: u64 = 6;
const PROCESSOR_DELAYS: u64 = 10;
const COMMITS: u64 = 3;

/// Every reading of an undisturbed table without devices of other makers is journalled in time.
///
/// A starved hub is excused: there a burst of readings waits for one turn of the processor after the other.
pub(crate) fn check_lateness(
    floor: &Floor,
    plan: &FloorPlan,
    commit_us: u64,
    undisturbed: &[bool],
) -> Result<(), String> {
    let lateness = plan.lateness();
    let most_us = if plan.is_exact { EXACT_LATE_US } else { LATE_US }
        + LINE_DELAYS * lateness.line_us
        + PROCESSOR_DELAYS * lateness.processor_us
        + COMMITS * commit_us;
    if !plan.is_exact && lateness.processor_us > BUSY_US {
        return Ok(());
    }
    let has_foreign = |table| floor.nodes_of(table).any(|node| node.foreign.is_some());
    let tables = (0..floor.tables.len()).filter(|&it| undisturbed[it] && !has_foreign(it));
    for node in tables.flat_map(|table| floor.nodes_of(table)) {
        for event in node.boots.iter().flat_map(|boot| &boot.events) {
            let journalled = event.journalled.first().map(|(at_us, _)| at_us - event.at_us);
            let late_us = journalled.filter(|_| event.at_us >= ORDER_FROM_US).unwrap_or(0);
            if late_us > most_us && !event.lines.is_empty() {
                return Err(format!(
                    "what {} read at {} µs is journalled {late_us} µs later, and {most_us} µs are allowed",
                    node.id, event.at_us
                ));
            }
        }
    }
    Ok(())
}

/// A match is reviewed by readings at the times at which their nodes have made them, however late they came.
pub(crate) fn check_trace(
    floor: &Floor,
    table: usize,
    opened_us: u64,
    trace: &MatchTrace,
    lateness: Lateness,
) -> Result<(), String> {
    // No reading precedes the first ones, which report the state at the beginning.
    let begin_us = trace.readings.iter().take_while(|it| is_of_beginning(&it.kind)).last();
    let begin_us = begin_us.map_or(0, |reading| reading.t_us);
    let has_jumped = was_set_back(floor, table);
    let (mut last_us, mut latest_us) = (BTreeMap::new(), begin_us);
    for reading in trace.readings.iter().filter(|reading| reading.t_us > begin_us) {
        let is_latest = reading.t_us <= latest_us;
        latest_us = latest_us.max(reading.t_us);
        let is_its = |node: &&FloorNode| {
            reading.board == Some(node.board())
                && node.foreign.is_none()
                && !node.had_bad_line
                && certainty(node, &reading.kind).is_some()
        };
        let Some(node) = floor.nodes_of(table).find(is_its) else { continue };
        // A reading does not precede an earlier one of its sensors, or of any where the hub's clock had been ahead.
        let is_held =
            last_us.insert(&node.id, reading.t_us) == Some(reading.t_us) || has_jumped && is_latest;
        if is_held || certainty(node, &reading.kind) != Some(true) {
            continue;
        }
        let line = serde_json::to_string(reading).unwrap_or_default();
        let (words, at_us) = (word(&line), opened_us + reading.t_us);
        let events = node.boots.iter().flat_map(|boot| &boot.events);
        let events = events.filter(|event| event.lines.contains(&words));
        let mut times = events.flat_map(|event| placed(node, event, lateness));
        // A hub that was started again may place a moment later than before.
        if !times.any(|(true_us, most_us)| at_us.abs_diff(true_us) <= 2 * most_us) {
            return Err(format!("{} has made no such reading at {at_us} µs: {line}", node.id));
        }
    }
    Ok(())
}

/// Whether the clock of a table's hub was behind after a restart.
fn was_set_back(floor: &Floor, table: usize) -> bool {
    let events = floor.nodes_of(table).flat_map(|node| &node.boots).flat_map(|boot| &boot.events);
    let mut epochs: Vec<(u64, u64)> = events.flat_map(|event| event.journalled.clone()).collect();
    epochs.sort_unstable();
    !epochs.is_sorted_by_key(|&(_, epoch_us)| epoch_us)
}

/// Whether a reading may be one of the first, which tell whole states.
const fn is_of_beginning(kind: &ReadingKind) -> bool {
    matches!(kind, ReadingKind::Snapshot { .. } | ReadingKind::Clock { .. })
}
