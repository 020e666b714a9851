//! What holds for any readings, sensible or not.

mod common;

use std::collections::BTreeMap;

use common::{chess, header, track, track_in_time};
use inference::{PlyId, Tracker, TrackerConfig, TrackerOutput};
use proptest::prelude::*;
use readings::{
    BoardHeader, HandFrom, InferredLine, Occupancy, Reading, ReadingKind, SensorKind,
    SquareReading, TraceHeader,
};
use rules::{Bitboard, BoardId, Color, Square};

fn color() -> impl Strategy<Value = Color> {
    prop_oneof![Just(Color::White), Just(Color::Black)]
}

fn hand_from() -> impl Strategy<Value = Option<HandFrom>> {
    prop_oneof![Just(None), Just(Some(HandFrom::Board)), Just(Some(HandFrom::Away))]
}

fn kind() -> impl Strategy<Value = ReadingKind> {
    let square = (0u32..64).prop_map(Square::new);
    let reading = prop_oneof![
        Just(Some(SquareReading::Empty)),
        Just(Some(SquareReading::Occupied)),
        Just(None)
    ];
    prop_oneof![
        12 => (square, reading)
            .prop_map(|(square, reading)| ReadingKind::Square { square, reading, level: None }),
        5 => color().prop_map(|by| ReadingKind::Press { by }),
        2 => (-5i64..300_000, -5i64..300_000, proptest::option::of(color())).prop_map(
            |(white_ms, black_ms, running)| ReadingKind::Clock { white_ms, black_ms, running }
        ),
        1 => any::<u64>().prop_map(|bits| ReadingKind::Snapshot {
            occupied: Some(Occupancy(Bitboard(bits))),
            squares: None
        }),
        1 => (0u64..9).prop_map(|lost| ReadingKind::Gap { lost }),
        1 => any::<bool>().prop_map(|on| ReadingKind::Tilt { on }),
        1 => (color(), any::<bool>(), hand_from())
            .prop_map(|(side, near, from)| ReadingKind::Hand { side, near, from }),
        1 => (color(), 0u8..6, any::<bool>()).prop_map(|(side, slot, filled)| {
            let reading = if filled { SquareReading::Occupied } else { SquareReading::Empty };
            ReadingKind::Tray { side, slot, reading }
        }),
        1 => Just(ReadingKind::Snapshot { occupied: None, squares: Some(vec![]) }),
    ]
}

fn readings(most: usize) -> impl Strategy<Value = Vec<Reading>> {
    let board =
        prop_oneof![9 => Just(Some(BoardId::A)), 5 => Just(Some(BoardId::B)), 1 => Just(None)];
    proptest::collection::vec((board, kind(), 0u64..700_000), 0..most).prop_map(|parts| {
        let mut t_us = 0;
        parts
            .into_iter()
            .map(|(board, kind, wait_us)| {
                t_us += wait_us;
                Reading { t_us, board, kind }
            })
            .collect()
    })
}

/// Bughouse with both boards sensed, bughouse with one of them, and chess with time controls of every kind.
fn headers() -> impl Strategy<Value = TraceHeader> {
    let only = |board: BoardId| {
        let mut half = header();
        half.boards.retain(|&of, _| of == board);
        half
    };
    let controls = [
        r#"{"periods":[{"base_s":60,"moves":3},{"base_s":30,"moves":2}],"increment_s":1}"#,
        r#"{"periods":[{"base_s":5400,"moves":40},{"base_s":1800}],"delay_s":5}"#,
        r#"{"periods":[{"base_s":0,"moves":1}],"delay_s":3600,"delay":"bronstein"}"#,
    ];
    let headers = [header(), only(BoardId::A), only(BoardId::B)].into_iter();
    proptest::sample::select(headers.chain(controls.map(chess)).collect::<Vec<_>>())
}

fn narrow() -> TrackerConfig {
    TrackerConfig { beam: 64, ..TrackerConfig::default() }
}

/// Follows the reports as a receiver does; fails when they contradict each other.
fn follow(outputs: &[TrackerOutput]) -> Result<BTreeMap<PlyId, u32>, TestCaseError> {
    let mut standing = BTreeMap::new();
    let mut last_us = 0;
    for output in outputs {
        match output {
            TrackerOutput::Ply(report) => {
                let sum: f64 =
                    report.p + report.alternatives.iter().map(|other| other.p).sum::<f64>();
                prop_assert!((0.0..=1.0).contains(&report.p) && sum <= 1.0 + 1e-9, "{report:?}");
                let known = standing.insert(report.id, report.revision);
                prop_assert_eq!(report.revision, known.map_or(0, |revision| revision + 1));
            }
            TrackerOutput::PlyRetracted { id, t_us } => {
                prop_assert!(standing.remove(id).is_some(), "{id:?} was never reported");
                prop_assert!(*t_us >= last_us);
                last_us = *t_us;
            }
            TrackerOutput::Anomaly(report) => {
                prop_assert!((0.0..=1.0).contains(&report.confidence), "{report:?}");
            }
            TrackerOutput::AnomalyRetracted { .. }
            | TrackerOutput::Reanchored { .. }
            | TrackerOutput::PutUp { .. } => {}
        }
    }
    Ok(standing)
}

/// Times and clocks that no match has, among ordinary ones.
fn wild() -> impl Strategy<Value = Vec<Reading>> {
    let ends =
        || prop_oneof![Just(i64::MIN), Just(i64::MAX), Just(-1), 0..400_000i64, any::<i64>()];
    let clock = (ends(), ends(), proptest::option::of(color())).prop_map(
        |(white_ms, black_ms, running)| ReadingKind::Clock { white_ms, black_ms, running },
    );
    let kind = prop_oneof![2 => kind(), 1 => clock];
    let time = prop_oneof![
        6 => 0u64..100_000_000,
        1 => any::<u64>(),
        1 => Just(u64::MAX),
        1 => (0u64..50).prop_map(|days| days * 86_400_000_000),
    ];
    let board = prop_oneof![Just(Some(BoardId::A)), Just(Some(BoardId::B))];
    let reading = (board, kind, time).prop_map(|(board, kind, t_us)| Reading { t_us, board, kind });
    proptest::collection::vec(reading, 0..120)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_time_and_no_clock_makes_it_panic(header in headers(), readings in wild()) {
        follow(&track(&header, &readings, narrow()).outputs)?;
    }

    #[test]
    fn no_readings_make_it_panic_or_contradict_itself(
        header in headers(),
        readings in readings(160),
    ) {
        let tracked = track(&header, &readings, narrow());
        let standing = follow(&tracked.outputs)?;
        let plies = tracked.lines.iter().filter(|line| matches!(line, InferredLine::Ply(_))).count();
        prop_assert_eq!(standing.len(), plies, "reports and record disagree");
    }

    #[test]
    fn equal_readings_give_equal_outputs(readings in readings(90)) {
        let first = track(&header(), &readings, narrow());
        let second = track(&header(), &readings, narrow());
        prop_assert_eq!(first.outputs, second.outputs);
        prop_assert_eq!(first.lines, second.lines);
    }

    #[test]
    fn outputs_are_the_same_whether_a_reading_or_a_clock_brings_the_time(
        header in headers(),
        trays in any::<bool>(),
        readings in readings(160),
    ) {
        let mut header = header;
        header.boards.values_mut().for_each(|board| board.trays = trays);
        let by_readings = track(&header, &readings, narrow());
        let by_time = track_in_time(&header, &readings, narrow());
        prop_assert_eq!(by_readings.outputs, by_time.outputs);
        prop_assert_eq!(by_readings.lines, by_time.lines);
    }

    #[test]
    fn a_beam_of_one_holds_what_it_can(readings in readings(90)) {
        let config = TrackerConfig { beam: 1, lag: 0, ..TrackerConfig::default() };
        follow(&track(&header(), &readings, config).outputs)?;
    }
}

/// Has two boards report so many segments of nonsense, of up to `changes` changed squares each.
/// After each reading, calls `look`.
fn press_nonsense(
    tracker: &mut Tracker,
    segments: u64,
    changes: u64,
    mut look: impl FnMut(&mut Tracker),
) {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let color = |number| if number == 0 { Color::White } else { Color::Black };
    let mut handle = |t_us, board, kind| {
        tracker.handle(&Reading { t_us, board: Some(board), kind });
        look(tracker);
    };
    for board in BoardId::ALL {
        handle(0, board, ReadingKind::Press { by: Color::Black });
    }
    for segment in 0..segments {
        let board = if segment % 3 == 0 { BoardId::B } else { BoardId::A };
        let begun_us = segment * 2_000_000;
        for change in 0..=random(changes) {
            let t_us = begun_us + change * 150_000;
            let reading =
                if random(2) == 0 { SquareReading::Empty } else { SquareReading::Occupied };
            let square = Square::new(random(64) as u32);
            handle(
                t_us,
                board,
                ReadingKind::Square { square, reading: Some(reading), level: None },
            );
            let (side, slot) = (color(random(2)), random(6) as u8);
            handle(t_us, board, ReadingKind::Tray { side, slot, reading });
        }
        handle(begun_us + 1_900_000, board, ReadingKind::Press { by: color(random(2)) });
    }
}

/// Memory a table may take, whatever is fed to its tracker.
const MAX_BYTES: usize = 16 << 20;
/// Work of one step, whatever is fed to the tracker, nodes and transitions. Two segments may be
/// explained in one step, and once in a match those that waited until it was settled how the table lies.
const MAX_STEP: usize = 90_000;
/// Work of the end of a match.
const MAX_END: usize = 200_000 + 2 * MAX_STEP;

#[test]
fn the_end_of_a_match_takes_bounded_work_after_nonsense() {
    for segments in [100, 400] {
        let mut tracker = Tracker::new(&header(), TrackerConfig::default());
        press_nonsense(
            &mut tracker,
            segments,
            4,
            |tracker| while tracker.poll_output().is_some() {},
        );
        let before = tracker.work();
        tracker.finish();
        let work = tracker.work() - before;
        assert!(work <= MAX_END, "{work} after {segments} segments");
    }
}

/// After every so many readings, and no more of them, a match of nonsense is also ended: it is
/// followed again then, and two runs of it are kept. Longer ones are followed once.
const END_EVERY: usize = 2_000;
const END_AT_MOST: usize = 15_000;

/// Follows nonsense for hours, and looks at memory and the work of each step.
fn bounded_in_nonsense(segments: u64, changes: u64, trays: bool) {
    let mut header = header();
    header.boards.values_mut().for_each(|board| board.trays = trays);
    let mut tracker = Tracker::new(&header, TrackerConfig::default());
    let (mut most, mut longest, mut before) = (0, 0, 0);
    let (mut readings, mut followed) = (0_usize, 0);
    press_nonsense(&mut tracker, segments, changes, |tracker| {
        while tracker.poll_output().is_some() {}
        most = most.max(tracker.memory_bytes());
        longest = longest.max(tracker.work() - before);
        readings += 1;
        if readings.is_multiple_of(END_EVERY) && readings <= END_AT_MOST {
            let mut ended = tracker.clone();
            ended.finish();
            followed += usize::from(ended.second_pass_bytes() > 0);
            most = most.max(ended.second_pass_bytes()).max(ended.memory_bytes());
        }
        before = tracker.work();
    });
    assert!(followed > 1, "{followed} were followed again");
    assert!(most < MAX_BYTES, "{most} bytes");
    assert!(longest < MAX_STEP, "{longest} in one step");
    tracker.finish();
    let end = tracker.work() - before;
    assert!(end <= MAX_END, "{end} at the end");
    let at_end = tracker.memory_bytes().max(tracker.second_pass_bytes());
    assert!(at_end < MAX_BYTES, "{at_end} bytes at the end");
}

#[test]
fn memory_and_steps_stay_bounded_when_nonsense_is_pressed_for_hours() {
    bounded_in_nonsense(5_000, 4, false);
}

#[test]
fn memory_and_steps_stay_bounded_when_trays_are_filled_at_random_as_well() {
    bounded_in_nonsense(5_000, 7, true);
}

#[test]
fn readings_that_wait_for_a_press_are_counted_and_bounded() {
    let board = BoardHeader::new(SensorKind::HallMagnitude);
    let mut header = header();
    header.boards.values_mut().for_each(|of| *of = board.clone());
    let mut tracker = Tracker::new(&header, narrow());
    let mut bytes = Vec::new();
    for t_us in 0..20_000 {
        // A piece that stands still: no square changes.
        let kind = ReadingKind::Square { square: Square::E2, reading: None, level: Some(40) };
        tracker.handle(&Reading { t_us, board: Some(BoardId::A), kind });
        bytes.push(tracker.memory_bytes());
    }
    let (before, most) = (bytes[1], bytes.iter().copied().max().unwrap_or(0));
    assert!(most > before + 4_096 * size_of::<u64>(), "{before} to {most}");
    assert!(most < before + 4_096 * 64, "{before} to {most}");
}

const DAY_US: u64 = 86_400_000_000;

/// Three plies that begin at this time, microseconds, after these readings. Returns the times of
/// the plies and whether a wrong time was reported.
fn played_from(begin_us: u64, before: &[(u64, ReadingKind)]) -> (Vec<u64>, bool) {
    let square =
        |square, reading| ReadingKind::Square { square, reading: Some(reading), level: None };
    let plies = [
        (2_000_000, square(Square::E2, SquareReading::Empty)),
        (2_300_000, square(Square::E4, SquareReading::Occupied)),
        (2_500_000, ReadingKind::Press { by: Color::White }),
        (5_000_000, square(Square::E7, SquareReading::Empty)),
        (5_300_000, square(Square::E5, SquareReading::Occupied)),
        (5_500_000, ReadingKind::Press { by: Color::Black }),
        (9_000_000, square(Square::G1, SquareReading::Empty)),
        (9_300_000, square(Square::F3, SquareReading::Occupied)),
        (9_500_000, ReadingKind::Press { by: Color::White }),
    ];
    let plies = plies.into_iter().map(|(t_us, kind)| (begin_us + t_us, kind));
    let start = (0, ReadingKind::Press { by: Color::Black });
    let all = [start].into_iter().chain(before.iter().cloned()).chain(plies);
    let readings: Vec<Reading> =
        all.map(|(t_us, kind)| Reading { t_us, board: Some(BoardId::A), kind }).collect();
    let tracked = track(&header(), &readings, narrow());
    let times = tracked.plies(BoardId::A).iter().map(|ply| ply.t_us).collect();
    (times, tracked.anomalies().contains(&"sensor-fault".to_owned()))
}

#[test]
fn one_time_from_the_future_is_reported_and_does_not_stop_the_match() {
    for ahead_us in [DAY_US / 3, 3 * DAY_US, 46_000 * DAY_US] {
        let (times, is_reported) = played_from(0, &[(ahead_us, ReadingKind::Gap { lost: 0 })]);
        assert_eq!(times, [2_500_000, 5_500_000, 9_500_000]);
        assert!(is_reported, "the wrong time is reported");
    }
}

#[test]
fn a_rest_of_days_before_play_is_believed_and_not_reported() {
    for rest_us in [DAY_US / 2, 3 * DAY_US, 5 * DAY_US] {
        let (times, is_reported) = played_from(rest_us, &[]);
        assert_eq!(times, [2_500_000, 5_500_000, 9_500_000].map(|t_us| rest_us + t_us));
        assert!(!is_reported, "nothing is wrong");
    }
}
