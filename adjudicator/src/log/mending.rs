//! Repair of a log at a start, after its survey: no damaged row is believed, and every row that a hub or a copy still has comes back.
//!
//! A damaged input keeps its number and becomes an input without effect. A position that contradicts its rows is set to theirs, so that
//! the hub gives the rest again; a row that comes again takes its damaged one's place. Acts that the log lacks are put back from their copy.

use std::collections::HashMap;

use super::{
    damage::Damage,
    shard_log::{BootPosition, Inspected},
    stored_row::StoredRow,
    survey::{Behind, Boot, LoggedAct, Survey},
};
use crate::log::input::InputKind;

/// Writes that repair a damaged log.
#[derive(Debug, Default)]
pub(super) struct Mend {
    /// Rows by their places in the table: damaged ones under their numbers, or their former content.
    pub(super) rewritten: Vec<(i64, StoredRow)>,
    /// Acts that go behind everything.
    pub(super) appended: Vec<StoredRow>,
    /// Positions that are to be set; 0 for a boot of which there is nothing.
    pub(super) positions: Vec<(Boot, u64)>,
}

impl Mend {
    /// Whether nothing is wrong.
    pub(super) fn is_empty(&self) -> bool {
        self.rewritten.is_empty() && self.appended.is_empty() && self.positions.is_empty()
    }
}

/// Finds what mends what the survey has found, and says what that was.
pub(super) fn mend(
    survey: &mut Survey,
    found: Inspected,
    known: &[BootPosition],
) -> (Mend, Damage) {
    let mut damage = Damage {
        file: found.file,
        missing: survey.holes.iter().map(|(first, last)| last - first + 1).sum(),
        damaged: survey.damaged.len() as u64 + survey.damaged_before,
        is_copy_damaged: found.is_copy_damaged,
        ..Damage::default()
    };
    let lacking: Vec<LoggedAct> =
        found.acts.into_iter().filter(|act| !survey.acts.contains(&act.digest())).collect();
    let mut mend = Mend { rewritten: set_aside(survey), ..Mend::default() };
    put_back(survey, lacking, &mut mend, &mut damage);
    set_positions(survey, known, &mut mend, &mut damage);
    (mend, damage)
}

impl Behind {
    /// Whether there is more of the boot in the log than its position says.
    pub(super) fn is_behind(&self) -> bool {
        !self.damaged.is_empty() || self.present.last() > self.present.without_gap()
    }
}

/// Marks damaged inputs as such, under their numbers.
fn set_aside(survey: &mut Survey) -> Vec<(i64, StoredRow)> {
    let mut rewritten = Vec::with_capacity(survey.damaged.len());
    for damaged in &survey.damaged {
        let mut row = damaged.found.clone();
        row.kind = InputKind::Damaged.name().to_owned();
        if let (Some(sequence), Some(boot)) = (row.sequence, row.hub.clone().zip(row.boot_id)) {
            survey.boots.entry(boot).or_default().damaged.insert(sequence, row.id);
        }
        rewritten.push((damaged.place, row));
    }
    rewritten
}

/// Puts acts back that the log lacks: into its place where that is damaged, else behind everything.
fn put_back(survey: &mut Survey, lacking: Vec<LoggedAct>, mend: &mut Mend, damage: &mut Damage) {
    for mut act in lacking {
        let row = |id: u64| StoredRow {
            id,
            received_ms: act.received_ms,
            kind: InputKind::Act.name().to_owned(),
            match_id: act.match_id.clone(),
            payload: act.payload.clone(),
            ..StoredRow::default()
        };
        if let Some((_, damaged)) = mend.rewritten.iter_mut().find(|(_, row)| row.id == act.id) {
            *damaged = row(act.id);
            damage.acts_mended += 1;
            damage.damaged -= 1;
        } else {
            survey.last_id += 1;
            let row = row(survey.last_id);
            damage.acts_put_back.push(row.id);
            act.id = row.id;
            mend.appended.push(row);
        }
        tracing::error!(
            act = act.id,
            "an act that had been answered was missing from the log, and was put back from the copy beside it"
        );
        survey.newest_acts.push_back(act);
    }
    // In their order once more.
    survey.newest_acts.make_contiguous().sort_by_key(|act| act.id);
}

/// Sets each position to what the rows bear.
fn set_positions(survey: &Survey, known: &[BootPosition], mend: &mut Mend, damage: &mut Damage) {
    let known: HashMap<&Boot, u64> = known.iter().map(|at| (&at.boot, at.sequence)).collect();
    let borne = |boot: &Boot| survey.boots.get(boot).map_or(0, |rows| rows.present.without_gap());
    let boots = survey.boots.keys().filter(|boot| !known.contains_key(*boot));
    let boots = boots.map(|boot| (boot, 0)).chain(known.iter().map(|(boot, at)| (*boot, *at)));
    let mut wrong: Vec<_> = boots
        .map(|(boot, from)| (boot, from, borne(boot)))
        .filter(|(_, from, to)| from != to)
        .collect();
    wrong.sort_unstable();
    for (boot, from, to) in wrong {
        tracing::error!(
            hub = boot.0,
            boot = boot.1,
            from,
            to,
            "the position of a boot was not what its rows bear, and was set: is the database's disk damaged?"
        );
        mend.positions.push((boot.clone(), to));
        if to < from {
            damage.set_back.push((boot.0.clone(), from, to));
        }
    }
}
