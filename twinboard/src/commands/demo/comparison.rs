//! What the records say beside what happened.

use std::{collections::BTreeMap, fmt, path::Path};

use anyhow::Result;
use inference::record::{TruthLine, TruthPly};
use rules::{
    BoardId, Square,
    bpgn::{self, BpgnError, BpgnGame, BpgnPly},
};
use sim::hall::HallMatch;

use crate::files;

/// One match beside its record.
struct Row {
    name: String,
    plies: usize,
    recorded: usize,
    in_squares: usize,
    drops: usize,
    drop_types: usize,
    record: Option<BpgnGame>,
    unreadable: Option<String>,
}

/// All matches of a hall beside their records.
pub(super) struct Comparison {
    rows: Vec<Row>,
}

impl Comparison {
    /// Pairs the matches of each table with its records, in order of play.
    pub(super) fn new(
        matches: &[HallMatch],
        records: Vec<Result<BpgnGame, BpgnError>>,
    ) -> Comparison {
        let mut by_table: BTreeMap<String, Vec<(Option<String>, BpgnGame)>> = BTreeMap::new();
        for record in records {
            let (error, game) = match record {
                Ok(game) => (None, game),
                Err(error) => (Some(error.to_string()), *error.readable),
            };
            let table = game.tag("Table").unwrap_or_default().to_owned();
            by_table.entry(table).or_default().push((error, game));
        }
        let mut rows = Vec::new();
        for one in matches {
            let records = by_table.entry(one.table.to_string()).or_default();
            let record = if records.is_empty() { None } else { Some(records.remove(0)) };
            rows.push(Row::new(one, record));
        }
        Comparison { rows }
    }

    /// Whether every match has a record with as many plies as were made.
    pub(super) fn is_complete(&self) -> bool {
        self.rows
            .iter()
            .all(|row| row.recorded >= row.plies && row.record.as_ref().is_some_and(is_ended))
    }

    /// Writes every record into a file of its own.
    ///
    /// # Errors
    ///
    /// The folder cannot be written.
    pub(super) fn write_records(&self, folder: &Path) -> Result<()> {
        for row in &self.rows {
            if let Some(record) = &row.record {
                files::write(
                    &folder.join(format!("{}.bpgn", row.name)),
                    bpgn::write(record).as_bytes(),
                )?;
            }
        }
        Ok(())
    }
}

fn is_ended(record: &BpgnGame) -> bool {
    record.tag("Termination").is_some_and(|termination| termination != "unterminated")
}

impl Row {
    fn new(one: &HallMatch, record: Option<(Option<String>, BpgnGame)>) -> Row {
        let truth: Vec<&TruthPly> = one
            .truth
            .iter()
            .filter_map(|line| match line {
                TruthLine::Ply(ply) => Some(ply),
                TruthLine::Anomaly(_) => None,
            })
            .collect();
        let (unreadable, record) = match record {
            Some((unreadable, record)) => (unreadable, Some(record)),
            None => (None, None),
        };
        let plies = record.as_ref().map_or(&[][..], |record| &record.plies[..]);
        let (mut in_squares, mut drop_types) = (0, 0);
        for board in BoardId::ALL {
            let happened = truth.iter().filter(|ply| ply.board == board);
            let recorded = plies.iter().filter(|ply| ply.board == board);
            for (happened, recorded) in happened.zip(recorded) {
                in_squares += usize::from(squares_of(happened) == squares(recorded));
                drop_types += usize::from(happened.uci.is_drop() && happened.uci == recorded.ply);
            }
        }
        Row {
            name: one.match_id.clone(),
            plies: truth.len(),
            recorded: plies.len(),
            in_squares,
            drops: truth.iter().filter(|ply| ply.uci.is_drop()).count(),
            drop_types,
            record,
            unreadable,
        }
    }
}

fn squares(ply: &BpgnPly) -> (bool, Option<Square>, Square) {
    (ply.color.is_white(), ply.ply.from(), ply.ply.to())
}

fn squares_of(ply: &TruthPly) -> (bool, Option<Square>, Square) {
    (ply.side.is_white(), ply.uci.from(), ply.uci.to())
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
            if let Some(unreadable) = &row.unreadable {
                writeln!(f, "  its record cannot be read to its end: {unreadable}")?;
            }
        }
        Ok(())
    }
}
