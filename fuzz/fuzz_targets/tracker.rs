//! The tracker: sound readings of any kind, made of any bytes, which reaches further than bytes that must first be a file. Nothing panics
//! and memory stays bounded.

#![no_main]

use std::collections::BTreeMap;

use inference::{Tracker, TrackerConfig};
use libfuzzer_sys::fuzz_target;
use readings::{
    BoardHeader, Occupancy, Reading, ReadingKind, SensorKind, SquareReading, TraceHeader,
};
use rules::{Bitboard, BoardId, Color, Square};

/// Hypotheses kept: few, so that many readings are tried.
const BEAM: usize = 16;
/// Bytes of one reading.
const OF_READING: usize = 4;

/// A reading from four bytes: what, where, how, and after how many times 10 ms.
fn reading(bytes: [u8; OF_READING], t_us: &mut u64) -> Reading {
    let [what, at, how, wait] = bytes;
    *t_us += u64::from(wait) * 10_000;
    let board = if what & 1 == 0 { BoardId::A } else { BoardId::B };
    let side = if how & 1 == 0 { Color::White } else { Color::Black };
    let square = Square::new(u32::from(at % 64));
    let said = if how & 2 == 0 { SquareReading::Empty } else { SquareReading::Occupied };
    let kind = match what >> 1 {
        0..=71 => ReadingKind::Square { square, reading: Some(said), level: None },
        72..=99 => ReadingKind::Press { by: side },
        100..=105 => ReadingKind::Clock {
            white_ms: i64::from(at) * 1_500 - 3_000,
            black_ms: i64::from(how) * 1_500 - 3_000,
            running: (what & 1 == 0).then_some(side),
        },
        106..=111 => ReadingKind::Tray { side, slot: at % 16, reading: said },
        112..=114 => ReadingKind::Tilt { on: how & 2 == 0 },
        115..=117 => ReadingKind::Hand { side, near: how & 2 == 0 },
        118..=119 => ReadingKind::Gap { lost: u64::from(at) },
        _ => {
            let noise = u64::from(at) << (how % 56);
            let occupied = Some(Occupancy(Occupancy::INITIAL.0 ^ Bitboard(noise)));
            ReadingKind::Snapshot { occupied, squares: None }
        }
    };
    Reading { t_us: *t_us, board: Some(board), kind }
}

fuzz_target!(|bytes: &[u8]| {
    let reed = BoardHeader { trays: true, ..BoardHeader::new(SensorKind::Reed) };
    let boards = BTreeMap::from([(BoardId::A, reed.clone()), (BoardId::B, reed)]);
    let header = TraceHeader::new("us-chess-bughouse-2018", 300, boards);
    let config = TrackerConfig { beam: BEAM, ..TrackerConfig::default() };
    let mut tracker = Tracker::new(&header, config);
    let mut t_us = 0;
    for board in BoardId::ALL {
        let occupied = Some(Occupancy::INITIAL);
        let kind = ReadingKind::Snapshot { occupied, squares: None };
        tracker.handle(&Reading { t_us, board: Some(board), kind });
        t_us += 1_000_000;
        let kind = ReadingKind::Press { by: Color::Black };
        tracker.handle(&Reading { t_us, board: Some(board), kind });
    }
    let (parts, _) = bytes.as_chunks::<OF_READING>();
    for &part in parts {
        tracker.handle(&reading(part, &mut t_us));
        while tracker.poll_output().is_some() {}
    }
    tracker.finish();
    assert!(tracker.memory_bytes() < 16 << 20);
    let _ = tracker.record();
});
