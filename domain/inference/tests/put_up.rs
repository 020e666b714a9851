//! Positions that a director has had reinstated in the middle of a match.

mod common;

use common::{Table, Tracked, track};
use inference::{
    Tracker, TrackerConfig, TrackerOutput,
    facts::{Facts, FactsFile},
};
use readings::{Reading, ReadingKind, TraceHeader};
use rules::{BoardId, Color, Match, Square};

use BoardId::{A, B};

const TIME: &str = r#"{"periods":[{"base_s":300}]}"#;

/// The fact that a board was reinstated at a time, as `position` stands there.
fn reinstating(position: &Match, board: BoardId, t_us: u64) -> serde_json::Value {
    let text = rules::fen::format_match_board(position, board);
    serde_json::json!({ "kind": "fact", "board": board.to_string(), "t_us": t_us, "stands": { board.to_string(): text } })
}

fn facts(line: &serde_json::Value) -> Facts {
    let file = FactsFile::read(line.to_string().as_bytes());
    file.unwrap_or_else(|errors| panic!("{errors:?}")).of("by-hand")
}

fn config(facts: Facts) -> TrackerConfig {
    TrackerConfig { facts, ..TrackerConfig::default() }
}

fn over(header: &TraceHeader, table: &Table, facts: Facts) -> Tracker {
    Tracker::over(header, &table.readings, config(facts))
}

fn reinstated(tracked: &Tracked) -> Vec<(u64, Vec<Square>)> {
    let mut reinstated = Vec::new();
    for output in &tracked.outputs {
        if let TrackerOutput::PutUp { t_us, differing, .. } = output {
            reinstated.push((*t_us, differing.into_iter().collect()));
        }
    }
    reinstated
}

/// A game of chess in which White's knight has gone where no knight goes, Black has answered, and
/// the clock was stopped. Returns what stood before, and when the director ruled.
fn illegal_and_answered() -> (Table, Match, u64) {
    let mut table = Table::chess(TIME);
    table.play_all(A, &["e2e4", "e7e5", "g1f3", "b8c6"]);
    let before = table.now.clone();
    table.play_all(A, &["f3f5", "d7d6"]);
    table.wait_ms(1_500);
    table.show(table.shown(), None);
    table.wait_ms(8_000);
    let ruled_us = table.t_us();
    (table, before, ruled_us)
}

/// The clock is started for White, and play goes on from `before`.
fn go_on(table: &mut Table, before: &Match) {
    table.wait_ms(4_000);
    table.show(table.shown(), Some(Color::White));
    table.now = before.clone();
    table.play_all(A, &["f3d4", "e5d4", "c2c3", "d4c3", "b1c3", "g8f6", "f1c4"]);
    table.wait_ms(2_000);
}

const ALL: &str = "e2e4 e7e5 g1f3 b8c6 f3f5 d7d6 f3d4 e5d4 c2c3 d4c3 b1c3 g8f6 f1c4";

/// As [`illegal_and_answered`], put back square by square and played on.
fn put_back() -> (Table, serde_json::Value) {
    let (mut table, before, ruled_us) = illegal_and_answered();
    table.wait_ms(2_000);
    table.lift(A, Square::F5);
    table.put(A, Square::F3);
    table.wait_ms(3_000);
    table.lift(A, Square::D6);
    table.put(A, Square::D7);
    go_on(&mut table, &before);
    let line = reinstating(&before, A, ruled_us);
    (table, line)
}

#[test]
fn match_is_followed_from_the_position_that_was_put_up_again() {
    let (table, line) = put_back();
    let tracked = track(&common::chess(TIME), &table.readings, config(facts(&line)));
    assert_eq!(tracked.moves(A), ALL);
    assert_eq!(tracked.anomalies(), ["illegal-move wrong-geometry"]);
    assert!(tracked.plies(A).iter().all(|ply| ply.p > 0.9), "{:?}", tracked.plies(A));
    assert_eq!(tracked.plies(A).iter().filter(|ply| !ply.legal).count(), 1);
    let stood = reinstated(&tracked);
    assert!(matches!(&stood[..], [(_, differing)] if differing.is_empty()), "{stood:?}");
    assert_eq!(over(&common::chess(TIME), &table, facts(&line)).unreconciled(), []);
    // The test would see it if the fact did nothing.
    assert_ne!(
        track(&common::chess(TIME), &table.readings, TrackerConfig::default()).moves(A),
        ALL
    );
}

#[test]
fn hands_that_were_quicker_than_the_director_are_taken_at_their_word() {
    let (mut table, before, ruled_us) = illegal_and_answered();
    table.lift(A, Square::F5);
    table.put(A, Square::F3);
    table.lift(A, Square::D6);
    table.put(A, Square::D7);
    table.wait_ms(9_000);
    let told_us = table.t_us();
    go_on(&mut table, &before);
    for t_us in [told_us, ruled_us] {
        let fact = facts(&reinstating(&before, A, t_us));
        let tracked = track(&common::chess(TIME), &table.readings, config(fact));
        assert_eq!(tracked.moves(A), ALL);
        assert_eq!(reinstated(&tracked).len(), 1);
    }
}

#[test]
fn position_stands_when_play_goes_on_though_a_dead_square_never_shows_it() {
    let (mut table, before, ruled_us) = illegal_and_answered();
    table.lift(A, Square::F5);
    table.put(A, Square::F3);
    table.lift(A, Square::D6);
    // Nothing is read of the pawn on d7 any more.
    go_on(&mut table, &before);
    let fact = facts(&reinstating(&before, A, ruled_us));
    let tracked = track(&common::chess(TIME), &table.readings, config(fact.clone()));
    assert_eq!(tracked.moves(A), ALL);
    let stood = reinstated(&tracked);
    assert!(matches!(&stood[..], [(_, differing)] if *differing == [Square::D7]), "{stood:?}");
    let unreconciled = over(&common::chess(TIME), &table, fact).unreconciled();
    assert_eq!(unreconciled.len(), 1);
    assert_eq!(unreconciled[0].reason, "d7 read otherwise");
}

#[test]
fn what_was_never_put_up_is_said_and_changes_nothing() {
    let (table, _) = put_back();
    let (_, another, ruled_us) = illegal_and_answered();
    let mut another = another;
    another.play(A, "d2d4".parse().expect("a ply"));
    let mut at_end = table.readings.clone();
    at_end.truncate(table.readings.iter().filter(|reading| reading.t_us <= ruled_us).count());
    let fact = facts(&reinstating(&another, A, ruled_us));
    let tracker = Tracker::over(&common::chess(TIME), &at_end, config(fact));
    assert_eq!(tracker.unreconciled()[0].reason, "play did not go on from it");
}

#[test]
fn position_stands_at_the_same_time_whether_a_reading_or_a_clock_brings_it() {
    let (table, line) = put_back();
    let header = common::chess(TIME);
    let by_readings = track(&header, &table.readings, config(facts(&line)));
    let in_time = common::track_in_time(&header, &table.readings, config(facts(&line)));
    assert_eq!(in_time.outputs, by_readings.outputs);
}

#[test]
fn what_was_taken_goes_back_from_the_partner_with_the_position() {
    let mut table = Table::started();
    table.play_all(A, &["e2e4", "d7d5"]);
    let before = table.now.clone();
    table.play_all(A, &["e4d5"]);
    table.wait_ms(2_000);
    let stopped = ReadingKind::Clock { white_ms: 290_000, black_ms: 290_000, running: None };
    table.read(A, stopped);
    table.wait_ms(2_000);
    let ruled_us = table.t_us();
    table.lift(A, Square::D5);
    table.put(A, Square::E4);
    table.put(A, Square::D5);
    table.wait_ms(3_000);
    let runs =
        ReadingKind::Clock { white_ms: 290_000, black_ms: 290_000, running: Some(Color::White) };
    table.read(A, runs);
    table.now = before.clone();
    table.play_all(A, &["b1c3", "g8f6"]);
    // Black at B holds nothing any more, and drops a pawn all the same.
    table.play_all(B, &["h2h3", "P@e6", "a2a3"]);
    let mut line = reinstating(&before, A, ruled_us);
    line["stands"]["B"] = "[]".into();
    let tracked = track(&common::header(), &table.readings, config(facts(&line)));
    assert_eq!(tracked.moves(A), "e2e4 d7d5 e4d5 b1c3 g8f6");
    let drop = tracked.plies(B)[1];
    assert!(drop.uci.is_drop() && !drop.legal, "{drop:?}");
}

#[test]
fn readings_of_any_kind_and_any_position_are_borne() {
    // Whatever is asserted of whichever board, nothing panics, and the match ends.
    let (table, _) = put_back();
    let mut reading_times: Vec<u64> = table.readings.iter().map(|reading| reading.t_us).collect();
    reading_times.extend([0, u64::MAX]);
    let empty = "8/8/8/8/8/8/8/8[] b - - 0 1";
    for t_us in reading_times {
        for board in BoardId::ALL {
            let line = serde_json::json!({ "kind": "fact", "board": board.to_string(), "t_us": t_us,
                "stands": { board.to_string(): empty } });
            let readings: &[Reading] = &table.readings;
            let tracker = Tracker::over(&common::chess(TIME), readings, config(facts(&line)));
            assert!(!tracker.record().is_empty());
        }
    }
}
