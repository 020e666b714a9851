//! Record of the matches at a hub's tables, read from its journal, and the plies that were really played.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]

use std::collections::BTreeMap;
use std::path::Path;

use hub::journal::Reader;
use prost::Message as _;
use proto::mqtt::message::Row;
use proto::mqtt::message::row::Event;
use readings::{ReadingKind, TruthLine};
use rules::{BoardId, Color};

/// The plies of one board in their order, each with its side and squares.
pub type BoardRecord = Vec<(Color, String)>;

/// The hub's record of one table.
#[derive(Debug, Default)]
pub struct TableRecord {
    /// Matches that were opened, and how many of them have ended.
    pub matches: usize,
    pub ended: usize,
    /// The plies as reported last, by their boards.
    pub boards: BTreeMap<BoardId, BoardRecord>,
    /// The boards whose nodes told a gap.
    pub gaps: Vec<BoardId>,
}

impl TableRecord {
    /// Reads what the journal of hub `hub_id` has of `table`.
    pub async fn read(journal: &Path, hub_id: &str, table: &str) -> TableRecord {
        let mut record = TableRecord::default();
        let Ok(reader) = Reader::open(journal).await else { return record };
        let prefix = format!("{hub_id}-{table}");
        // The rest is the time.
        let is_here = |id: &str| id.rsplit_once('-').is_some_and(|(before, _)| before == prefix);
        let mut plies = BTreeMap::new();
        for event in events(&reader).await {
            match event {
                Event::PlyReported(ply) if is_here(&ply.match_id) => {
                    let side = if ply.side().as_str_name().ends_with("BLACK") {
                        Color::Black
                    } else {
                        Color::White
                    };
                    let board = if ply.board().as_str_name().ends_with('B') {
                        BoardId::B
                    } else {
                        BoardId::A
                    };
                    let id = (ply.match_id, ply.ply_id);
                    plies.insert(id, (ply.t_us, board, (side, squares(&ply.uci))));
                }
                Event::PlyRetracted(ply) => drop(plies.remove(&(ply.match_id, ply.ply_id))),
                _ => {}
            }
        }
        let mut plies: Vec<_> = plies.into_iter().collect();
        plies.sort_by_key(|((_, ply_id), (t_us, ..))| (*t_us, *ply_id));
        for (_, (_, board, ply)) in plies {
            record.boards.entry(board).or_default().push(ply);
        }
        for (id, ended) in reader.matches().await.unwrap_or_default() {
            if !is_here(&id) {
                continue;
            }
            record.matches += 1;
            record.ended += usize::from(ended);
            let Ok(Some(trace)) = reader.trace(&id).await else { continue };
            let gaps =
                trace.readings.iter().filter(|of| matches!(of.kind, ReadingKind::Gap { .. }));
            record.gaps.extend(gaps.filter_map(|of| of.board));
        }
        record
    }
}

async fn events(reader: &Reader) -> Vec<Event> {
    let rows = reader.rows_after(0, usize::MAX).await.unwrap_or_default();
    rows.iter().filter_map(|row| Row::decode(row.body.as_slice()).unwrap().event).collect()
}

/// The plies that were really played.
pub fn played(truth: &[TruthLine]) -> BTreeMap<BoardId, BoardRecord> {
    let mut boards = BTreeMap::<_, Vec<_>>::new();
    for line in truth {
        if let TruthLine::Ply(ply) = line {
            let record = boards.entry(ply.board).or_default();
            record.push((ply.side, squares(&ply.uci.to_string())));
        }
    }
    boards
}

/// A ply by its squares: a reed board cannot always tell the type of a dropped piece.
pub fn squares(uci: &str) -> String {
    match uci.split_once('@') {
        Some((_, to)) => format!("@{to}"),
        None => uci.chars().take(4).collect(),
    }
}
