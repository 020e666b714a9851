//! Comparison of the records with the truth.

use std::{collections::BTreeMap, fmt, path::Path};

use anyhow::Result;
use readings::{InferredPly, TruthLine, TruthPly};
use rules::{BoardId, Ply, Square};
use sim::{
    real_time::HallMatch,
    score::{Step, align},
};

use super::record::{Record, RecordedPly};
use crate::files;

/// Records do not say when a ply was made: they are compared by their order alone.
const NO_TIME_US: u64 = 0;

/// One match beside its record.
struct Row {
    name: String,
    plies: usize,
    recorded: usize,
    in_squares: usize,
    drops: usize,
    drop_types: usize,
    record: Option<Record>,
}

/// All matches of a hall beside their records.
pub(super) struct Comparison {
    rows: Vec<Row>,
}

impl Comparison {
    /// Pairs the matches of each table with its records, in order of play.
    pub(super) fn new(matches: &[HallMatch], records: Vec<Record>) -> Comparison {
        let mut by_table: BTreeMap<String, Vec<Record>> = BTreeMap::new();
        for record in records {
            by_table.entry(record.table.clone()).or_default().push(record);
        }
        let mut rows = Vec::new();
        for one in matches {
            let records = by_table.entry(one.table.to_string()).or_default();
            let record = if records.is_empty() { None } else { Some(records.remove(0)) };
            rows.push(Row::new(one, record));
        }
        Comparison { rows }
    }

    /// Writes every record into a file of its own.
    ///
    /// # Errors
    ///
    /// The folder cannot be written.
    pub(super) fn write_records(&self, folder: &Path) -> Result<()> {
        for row in &self.rows {
            if let Some(record) = &row.record {
                let name = format!("{}.{}", row.name, record.extension);
                files::write(&folder.join(name), record.text.as_bytes())?;
            }
        }
        Ok(())
    }
}

impl Row {
    fn new(one: &HallMatch, record: Option<Record>) -> Row {
        let truth = one.truth.iter().filter_map(|line| match line {
            TruthLine::Ply(ply) => Some(TruthPly { t_us: NO_TIME_US, ..ply.clone() }),
            TruthLine::Anomaly(_) => None,
        });
        let truth: Vec<TruthPly> = truth.collect();
        let plies = record.as_ref().map_or(&[][..], |record| &record.plies[..]);
        let (mut in_squares, mut drop_types) = (0, 0);
        for (happened, recorded) in pairs(&truth, plies) {
            let is_right =
                happened.side == recorded.color && squares(happened.uci) == squares(recorded.ply);
            in_squares += usize::from(is_right);
            drop_types +=
                usize::from(is_right && happened.uci.is_drop() && happened.uci == recorded.ply);
        }
        Row {
            name: one.match_id.clone(),
            plies: truth.len(),
            recorded: plies.len(),
            in_squares,
            drops: truth.iter().filter(|ply| ply.uci.is_drop()).count(),
            drop_types,
            record,
        }
    }
}

/// Pairs of recorded and true plies, board by board: a ply that is missing from the record does not make all later ones wrong.
fn pairs<'a>(
    truth: &'a [TruthPly],
    record: &'a [RecordedPly],
) -> impl Iterator<Item = (&'a TruthPly, &'a RecordedPly)> {
    BoardId::ALL.into_iter().flat_map(move |board| {
        let happened: Vec<&TruthPly> = truth.iter().filter(|ply| ply.board == board).collect();
        let recorded: Vec<&RecordedPly> = record.iter().filter(|ply| ply.board == board).collect();
        let told: Vec<InferredPly> = recorded.iter().map(|ply| as_inferred(ply)).collect();
        let steps = align(&happened, &told.iter().collect::<Vec<_>>());
        steps.into_iter().filter_map(move |step| match step {
            Step::Paired { truth, inferred } => Some((happened[truth], recorded[inferred])),
            Step::Missed { .. } | Step::Invented { .. } => None,
        })
    })
}

/// A ply of a record, which says nothing of probabilities and times.
fn as_inferred(ply: &RecordedPly) -> InferredPly {
    InferredPly {
        n: 0,
        board: ply.board,
        side: ply.color,
        t_us: NO_TIME_US,
        uci: ply.ply,
        p: 1.0,
        legal: true,
        alternatives: Vec::new(),
        live: None,
        lag8: None,
    }
}

/// Squares of a ply as reed switches sense it: from a square, or from the hand, to a square.
fn squares(ply: Ply) -> (Option<Square>, Square) {
    (ply.from(), ply.to())
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<18}{:>7}{:>10}{:>18}{:>18}",
            "match", "plies", "recorded", "squares right", "drop types right"
        )?;
        for row in &self.rows {
            writeln!(
                f,
                "{:<18}{:>7}{:>10}{:>18}{:>18}",
                row.name,
                row.plies,
                row.recorded,
                format!("{} of {}", row.in_squares, row.plies),
                format!("{} of {}", row.drop_types, row.drops),
            )?;
            let unreadable = row.record.as_ref().and_then(|record| record.unreadable.as_ref());
            if let Some(unreadable) = unreadable {
                writeln!(f, "  its record cannot be read to its end: {unreadable}")?;
            }
        }
        Ok(())
    }
}
