//! Properties of implied presses: for all readings, time goes on, no reading is lost, and presses alternate with moves.

use proptest::prelude::*;
use readings::{BoardHeader, Occupancy, SensorKind, SquareReading};
use rules::{Bitboard, Square};

use super::*;

fn header(clockless: bool) -> TraceHeader {
    let board = BoardHeader { clockless, ..BoardHeader::new(SensorKind::Reed) };
    TraceHeader::new(
        "us-chess-bughouse-2018",
        300,
        BoardId::ALL.map(|id| (id, board.clone())).into(),
    )
}

fn any_kind() -> impl Strategy<Value = ReadingKind> {
    let square = (0..64u32, any::<bool>()).prop_map(|(square, occupied)| {
        let reading = if occupied { SquareReading::Occupied } else { SquareReading::Empty };
        ReadingKind::Square { square: Square::new(square), reading: Some(reading), level: None }
    });
    let snapshot = any::<u64>().prop_map(|bits| {
        let occupied = Some(Occupancy(Bitboard(bits | Occupancy::INITIAL.0.0)));
        ReadingKind::Snapshot { occupied, squares: None }
    });
    prop_oneof![20 => square, 1 => snapshot, 1 => Just(ReadingKind::Press { by: Color::White })]
}

proptest! {
    #[test]
    fn every_reading_is_passed_on_in_order(
        kinds in prop::collection::vec((any_kind(), any::<bool>(), 0..5_000_000u64), 0..200),
        clockless: bool,
    ) {
        let mut unpressed = Unpressed::new(&header(clockless));
        let (mut t_us, mut given, mut passed) = (0, Vec::new(), Vec::new());
        for (kind, on_b, step_us) in kinds {
            t_us += step_us;
            // Stillness completes each ply once.
            for _ in 0..4 {
                let due = unpressed.poll_timeout().filter(|&due| due <= t_us);
                due.into_iter().for_each(|due| unpressed.advance(due));
            }
            prop_assert!(unpressed.poll_timeout().is_none_or(|due| due > t_us));
            let board = Some(if on_b { BoardId::B } else { BoardId::A });
            let reading = Reading { t_us, board, kind };
            unpressed.take(&reading);
            given.push(reading);
            passed.extend(std::iter::from_fn(|| unpressed.poll()));
        }
        unpressed.take(&Reading { t_us, board: None, kind: ReadingKind::End });
        passed.extend(std::iter::from_fn(|| unpressed.poll()));
        let mut rest = passed.iter();
        for reading in &given {
            prop_assert!(rest.any(|it| it == reading), "{reading:?} is lost");
        }
        prop_assert!(passed.is_sorted_by_key(|reading| reading.t_us));
    }
}
