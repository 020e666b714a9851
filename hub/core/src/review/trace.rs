//! The trace of a match, from its inputs in the journal: the sensors' readings with their times.
//!
//! A session cannot wait for ever for a board whose cable is out. The readings that such a board has kept come too late, and count then as
//! read at that moment, because published rows are not taken back. The journal knows both times. A trace has the true ones: it is evidence,
//! and a match is reviewed by it when it is over.

use std::collections::BTreeMap;

use proto::link::HubTime;
use readings::{Reading, ReadingKind, TraceHeader};
use rules::BoardId;

/// The sensors' readings during a match, with times from its beginning, in microseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchTrace {
    /// Header of its trace.
    pub header: TraceHeader,
    /// The readings in the order in which they were made.
    pub readings: Vec<Reading>,
    /// Whether any came after its turn, so that it counted as read later while the match was played.
    pub came_late: bool,
}

/// A reading that came after the first ones of its match.
#[derive(Clone, Debug)]
pub struct TraceInput {
    /// The line as it counted.
    pub reading: Reading,
    /// Time of the reading, microseconds.
    pub made_us: u64,
}

impl MatchTrace {
    /// Builds the trace of a match that began at a hub time: its first readings, in match time, and the later ones in the order in which they
    /// counted, in hub time.
    #[must_use]
    pub fn new(
        header: TraceHeader,
        opened: HubTime,
        prologue: Vec<Reading>,
        mut inputs: Vec<TraceInput>,
        ended: bool,
    ) -> MatchTrace {
        let of_match = |us: u64| HubTime::from_micros(us).micros_since(opened);
        for TraceInput { reading, made_us } in &mut inputs {
            (reading.t_us, *made_us) = (of_match(reading.t_us), of_match(*made_us));
        }
        let (readings, came_late) = in_order(prologue, inputs);
        MatchTrace { header, readings: with_end(readings, ended), came_late }
    }
}

/// The readings in the order in which they were made, and whether any counted as read later.
///
/// The first readings stand for all that had been read by then, so that nothing comes before them. Nor does anything come before what the same
/// sensors said earlier: a hub that was started again may place the same moment a little earlier than before.
fn in_order(prologue: Vec<Reading>, inputs: Vec<TraceInput>) -> (Vec<Reading>, bool) {
    let begin_us = prologue.last().map_or(0, |reading| reading.t_us);
    let mut reached: BTreeMap<(Option<BoardId>, bool), u64> = BTreeMap::new();
    let mut came_late = false;
    let mut made: Vec<Reading> = Vec::with_capacity(inputs.len());
    for TraceInput { reading, made_us } in inputs {
        let source = (reading.board, is_of_clock(&reading.kind));
        let earliest_us = reached.get(&source).copied().unwrap_or(begin_us);
        let t_us = made_us.max(earliest_us);
        reached.insert(source, t_us);
        came_late |= t_us < reading.t_us;
        made.push(Reading { t_us, ..reading });
    }
    // Readings of one moment keep their order.
    made.sort_by_key(|reading| reading.t_us);
    (prologue.into_iter().chain(made).collect(), came_late)
}

/// Whether this reading is of a board's clock, and not of its squares or trays. A gap may be of either.
const fn is_of_clock(kind: &ReadingKind) -> bool {
    use ReadingKind::{Clock, Hand, Press, Tilt};
    matches!(kind, Press { .. } | Clock { .. } | Tilt { .. } | Hand { .. })
}

fn with_end(mut readings: Vec<Reading>, ended: bool) -> Vec<Reading> {
    if ended {
        let t_us = readings.last().map_or(0, |reading| reading.t_us);
        readings.push(Reading { t_us, board: None, kind: ReadingKind::End });
    }
    readings
}

#[cfg(test)]
mod tests {
    use readings::SquareReading;
    use rules::{Color, Square};

    use super::*;

    fn square(counted_us: u64, made_us: u64, square: Square) -> TraceInput {
        let kind = ReadingKind::Square { square, reading: Some(SquareReading::Empty), level: None };
        let reading = Reading { t_us: counted_us, board: Some(BoardId::A), kind };
        TraceInput { reading, made_us }
    }

    fn press(t_us: u64) -> TraceInput {
        let kind = ReadingKind::Press { by: Color::White };
        TraceInput { reading: Reading { t_us, board: Some(BoardId::A), kind }, made_us: t_us }
    }

    fn times(readings: &[Reading]) -> Vec<(u64, bool)> {
        readings.iter().map(|reading| (reading.t_us, is_of_clock(&reading.kind))).collect()
    }

    #[test]
    fn what_a_board_kept_while_its_cable_was_out_stands_where_it_was_made() {
        let inputs =
            vec![press(20), press(40), square(50, 15, Square::E2), square(50, 35, Square::D2)];
        let (made, came_late) = in_order(Vec::new(), inputs);
        assert_eq!(times(&made), [(15, false), (20, true), (35, false), (40, true)]);
        assert!(came_late);
    }

    #[test]
    fn a_match_in_which_nothing_came_late_is_as_it_counted() {
        let inputs = vec![square(15, 15, Square::E2), press(20)];
        let (made, came_late) = in_order(Vec::new(), inputs);
        assert_eq!((times(&made), came_late), (vec![(15, false), (20, true)], false));
    }

    #[test]
    fn nothing_comes_before_the_first_readings_or_before_what_the_same_sensors_said_earlier() {
        let prologue = vec![press(30).reading];
        let inputs = vec![
            square(50, 10, Square::E2),
            square(60, 60, Square::D2),
            square(61, 55, Square::C2),
        ];
        let (made, _) = in_order(prologue, inputs);
        assert_eq!(times(&made), [(30, true), (30, false), (60, false), (60, false)]);
        let of = |at: usize| match made[at].kind {
            ReadingKind::Square { square, .. } => square,
            _ => panic!("{made:?}"),
        };
        assert_eq!([of(1), of(2), of(3)], [Square::E2, Square::D2, Square::C2]);
    }
}
