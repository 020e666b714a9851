//! Accusations of players who did nothing wrong, and offences that were taken back.

mod common;

use common::{Table, Tracked};
use readings::{InferredAnomaly, InferredLine, ReadingKind};
use rules::{BoardId, Color, Square};

use BoardId::{A, B};

/// The anomalies of this code that are not retracted.
fn standing<'a>(tracked: &'a Tracked, code: &str) -> Vec<&'a InferredAnomaly> {
    let anomalies = tracked.lines.iter().filter_map(|line| match line {
        InferredLine::Anomaly(anomaly) if !anomaly.retracted && anomaly.code == code => {
            Some(anomaly)
        }
        _ => None,
    });
    anomalies.collect()
}

/// The sides that are accused of an illegal move, each with the confidence.
fn illegal(tracked: &Tracked) -> Vec<(Option<Color>, f64)> {
    let found = standing(tracked, "illegal-move");
    found.iter().map(|anomaly| (anomaly.side, anomaly.confidence)).collect()
}

/// Checks that were ignored, and the capture of the king that claims each.
const CLAIMS: [&[&str]; 5] = [
    &["e2e4", "d7d6", "f1b5", "a7a6", "b5e8"],
    &["e2e4", "e7e5", "d1h5", "b8c6", "h5f7", "a7a6", "f7e8"],
    &["e2e4", "e7e5", "f1c4", "b8c6", "c4f7", "a7a6", "f7e8"],
    &["f2f3", "e7e5", "e2e4", "d8h4", "b1c3", "h4e1"],
    &["d2d4", "c7c6", "e2e4", "d8a5", "h2h3", "a5e1"],
];

fn assert_claimed(tracked: &Tracked, plies: &[&str]) {
    assert_eq!(tracked.moves(A), plies.join(" "));
    let offender = if plies.len().is_multiple_of(2) { Color::White } else { Color::Black };
    let [(side, confidence)] = illegal(tracked)[..] else {
        panic!("one offence after {plies:?}: {:?}", tracked.anomalies())
    };
    assert!(side == Some(offender) && confidence >= 0.9, "{plies:?}: {side:?} {confidence}");
    assert_eq!(standing(tracked, "setup-wrong").len(), 0, "{plies:?}");
}

#[test]
fn king_taken_after_ignored_check_is_a_claim() {
    for plies in CLAIMS {
        let mut table = Table::started();
        table.play_all(A, plies);
        table.wait_ms(1_000);
        table.show([250_000; 2], None);
        assert_claimed(&table.track(), plies);
    }
}

#[test]
fn king_taken_with_the_clock_stopped_instead_of_a_press_is_a_claim() {
    for plies in CLAIMS {
        let mut table = Table::started();
        table.show([300_000; 2], Some(Color::White));
        let (last, before) = plies.split_last().expect("plies");
        table.play_all(A, before);
        table.hands(A, last);
        table.wait_ms(500);
        table.show([250_000; 2], None);
        assert_claimed(&table.track(), plies);
    }
}

#[test]
fn king_taken_in_chess_is_a_claim() {
    for plies in CLAIMS {
        let mut table = Table::chess(r#"{"periods":[{"base_s":180}]}"#);
        table.play_all(A, plies);
        table.wait_ms(1_000);
        table.show([100_000; 2], None);
        assert_claimed(&table.track(), plies);
    }
}

#[test]
fn claim_by_king_capture_gives_the_partner_nothing() {
    let mut table = Table::started();
    table.play_all(A, CLAIMS[0]);
    table.play_all(B, &["e2e4", "e7e5", "g1f3", "b8c6"]);
    let tracked = table.track();
    assert_claimed(&tracked, CLAIMS[0]);
    assert_eq!(tracked.moves(B), "e2e4 e7e5 g1f3 b8c6");
}

#[test]
fn missing_pieces_at_the_start_are_reported_until_the_end() {
    let mut table = Table::empty();
    let missing = rules::Bitboard::from_square(Square::G8).with(Square::H8);
    let occupied = readings::Occupancy(readings::Occupancy::INITIAL.0 & !missing);
    for (board, occupied) in [(A, occupied), (B, readings::Occupancy::INITIAL)] {
        table.read(board, ReadingKind::Snapshot { occupied: Some(occupied), squares: None });
    }
    table.wait_ms(1_000);
    table.press(A, Color::Black);
    table.press(B, Color::Black);
    table.play_all(
        A,
        &["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5", "d2d3", "d7d6", "c1e3", "c8e6"],
    );
    let tracked = table.track();
    assert_eq!(standing(&tracked, "setup-wrong").len(), 1, "{:?}", tracked.anomalies());
}

#[test]
fn drop_that_nobody_captured_is_illegal_to_the_end() {
    for later in [&["a7a6", "h2h3", "b7b6"][..], &["h7h5", "a2a4", "g8f6"]] {
        let mut table = Table::started();
        table.play_all(A, &["e2e4", "e7e5", "g1f3", "b8c6"]);
        table.play_all(B, &["d2d4", "d7d5", "g1f3", "g8f6"]);
        table.play(A, "N@d5");
        table.play_all(B, &["a2a3", "a7a6"]);
        table.play_all(A, later);
        table.play_all(B, &["b2b3", "b7b6"]);
        let tracked = table.track();
        let found = illegal(&tracked);
        assert!(matches!(found[..], [(Some(Color::White), _)]), "{:?}", tracked.anomalies());
        assert!(!tracked.plies(A)[4].legal);
    }
}

#[test]
fn quiet_ply_without_press_supplies_no_drop() {
    let mut table = Table::started();
    table.play_all(A, &["e2e4", "e7e5"]);
    table.play_all(B, &["d2d4", "d7d5"]);
    // White at B forgets the press of a quiet move, and White at A drops what nobody captured.
    table.hands(B, "b1c3");
    table.wait_ms(1_000);
    table.play(A, "N@d5");
    table.wait_ms(1_000);
    table.hands(B, "g8f6");
    table.press(B, Color::Black);
    table.play_all(A, &["a7a6", "g1f3", "b8c6"]);
    table.play_all(B, &["g1f3", "b8c6", "e2e3", "e7e6"]);
    let tracked = table.track();
    assert!(
        matches!(illegal(&tracked)[..], [(Some(Color::White), _)]),
        "{:?}",
        tracked.anomalies()
    );
    assert!(!tracked.plies(A)[2].legal);
}

/// White's move is put back after its press, and another piece moves instead.
fn second_thought(moved: &str, back: [Square; 2], instead: &str) -> Tracked {
    let mut table = Table::started();
    table.play_all(A, &["e2e4", "e7e5"]);
    let before = table.now.clone();
    table.play(A, moved);
    table.wait_ms(700);
    table.lift(A, back[0]);
    table.put(A, back[1]);
    table.now = before;
    table.play(A, instead);
    table.play_all(A, &["b8c6", "f1c4", "g8f6"]);
    table.track()
}

#[test]
fn move_put_back_for_another_accuses_the_player_who_did_it() {
    for (moved, back, instead) in [
        ("g1f3", [Square::F3, Square::G1], "b1c3"),
        ("d2d4", [Square::D4, Square::D2], "c2c3"),
        ("d1h5", [Square::H5, Square::D1], "g1h3"),
    ] {
        let tracked = second_thought(moved, back, instead);
        let sides: Vec<_> = tracked
            .lines
            .iter()
            .filter_map(|line| match line {
                InferredLine::Anomaly(anomaly) if !anomaly.retracted => {
                    Some((anomaly.code.as_str(), anomaly.side))
                }
                _ => None,
            })
            .collect();
        assert_eq!(sides, [("out-of-turn", Some(Color::White))], "{moved}, then {instead}");
        assert!(
            tracked.moves(A).ends_with(&format!("{instead} b8c6 f1c4 g8f6")),
            "{}",
            tracked.moves(A)
        );
    }
}

#[test]
fn evidence_names_the_ply_of_the_record() {
    for (moved, back, instead) in
        [("g1f3", [Square::F3, Square::G1], "b1c3"), ("g2g3", [Square::G3, Square::G2], "h2h4")]
    {
        let tracked = second_thought(moved, back, instead);
        for anomaly in standing(&tracked, "illegal-move") {
            let ply = tracked.plies(A).into_iter().find(|ply| Some(ply.n) == anomaly.ply);
            let to = ply.expect("its ply").uci.to().to_string();
            assert!(anomaly.evidence.contains(&to), "{}", anomaly.evidence);
        }
    }
}

/// Two matches in one trace: the second begins when everything has been put back.
fn two_matches(second_ms: i64) -> Tracked {
    let mut table = Table::empty();
    let full = |table: &mut Table, ms: i64, running| {
        for board in [A, B] {
            table.read(board, ReadingKind::Clock { white_ms: ms, black_ms: 300_000, running });
        }
    };
    for board in [A, B] {
        let occupied = Some(readings::Occupancy::INITIAL);
        table.read(board, ReadingKind::Snapshot { occupied, squares: None });
    }
    full(&mut table, 300_000, None);
    table.press(A, Color::Black);
    table.press(B, Color::Black);
    full(&mut table, 300_000, Some(Color::White));
    table.hands(A, "e2e4");
    table.press(A, Color::White);
    table.wait_ms(2_000);
    full(&mut table, 297_000, None);
    table.lift(A, Square::E4);
    table.put(A, Square::E2);
    table.now = rules::Match::initial();
    full(&mut table, second_ms, None);
    table.wait_ms(2_000);
    table.press(A, Color::Black);
    table.press(B, Color::Black);
    full(&mut table, second_ms, Some(Color::White));
    table.play_all(A, &["d2d4", "d7d5"]);
    table.track()
}

#[test]
fn clock_of_a_match_begun_again_is_judged_like_a_first_one() {
    let tracked = two_matches(360_000);
    assert_eq!(tracked.moves(A), "d2d4 d7d5");
    let boards: Vec<_> =
        standing(&tracked, "clock-set-wrong").iter().map(|anomaly| anomaly.board).collect();
    assert_eq!(boards, [A, B]);
    assert_eq!(standing(&two_matches(300_000), "clock-set-wrong").len(), 0);
}

#[test]
fn plies_shown_after_the_game_are_not_stated_as_certain() {
    for shown in
        [&["f3g5", "d7d5", "e4d5"][..], &["f3e5", "c6e5"], &["c4f7", "e8f7", "f3e5", "c6e5"]]
    {
        let mut table = Table::started();
        table.show([300_000; 2], Some(Color::White));
        table.play_all(A, &["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "g8f6"]);
        table.wait_ms(3_000);
        for ply in shown {
            table.hands(A, ply);
            table.wait_ms(1_000);
        }
        table.show([280_000; 2], None);
        let tracked = table.track();
        let plies = tracked.plies(A);
        assert!(plies.len() >= 6 && plies[..6].iter().all(|ply| ply.p > 0.99));
        let after: Vec<f64> = plies[6..].iter().map(|ply| ply.p).collect();
        assert!(after.iter().all(|&p| p < 0.9), "{shown:?}: {after:?}");
        assert_eq!(illegal(&tracked), []);
    }
}

#[test]
fn plies_before_a_pause_are_certain_once_play_goes_on() {
    let mut table = Table::started();
    table.show([300_000; 2], Some(Color::White));
    table.play_all(A, &["e2e4", "e7e5", "g1f3", "b8c6"]);
    table.hands(A, "f1c4");
    table.wait_ms(1_000);
    table.hands(A, "g8f6");
    table.wait_ms(1_000);
    table.show([280_000; 2], None);
    table.wait_ms(5_000);
    table.show([280_000; 2], Some(Color::White));
    table.play_all(A, &["d2d3", "f8c5", "c2c3", "d7d6"]);
    let tracked = table.track();
    assert_eq!(tracked.moves(A), "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 d2d3 f8c5 c2c3 d7d6");
    assert!(tracked.plies(A).iter().all(|ply| ply.p > 0.9), "{:?}", tracked.plies(A));
}

#[test]
fn flag_of_a_single_clock_reading_is_taken_back() {
    let mut table = Table::started();
    table.show([300_000; 2], Some(Color::White));
    table.play_all(A, &["e2e4", "e7e5"]);
    table.wait_ms(1_000);
    table.show([297_000, 299_000], Some(Color::White));
    table.wait_ms(250);
    table.show([0, 299_000], Some(Color::White));
    table.wait_ms(250);
    table.show([296_500, 299_000], Some(Color::White));
    table.wait_ms(1_000);
    table.show([295_500, 299_000], Some(Color::White));
    let tracked = table.track();
    assert_eq!(standing(&tracked, "flag-fallen").len(), 0, "{:?}", tracked.anomalies());
}

/// A game of chess on a board on which pieces were set up exchanged: moves as squares see them.
fn exchanged(moves: &[(&str, &str)]) -> Tracked {
    let mut table = Table::chess(r#"{"periods":[{"base_s":300}]}"#);
    for (nth, (from, to)) in moves.iter().enumerate() {
        table.lift(A, from.parse().expect("a square"));
        table.put(A, to.parse().expect("a square"));
        table.press(A, if nth % 2 == 0 { Color::White } else { Color::Black });
    }
    table.track()
}

#[test]
fn exchanged_pieces_are_a_wrong_set_up_and_no_illegal_moves() {
    let pawns = [("e2", "e4"), ("e7", "e5"), ("d2", "d3"), ("d7", "d6")];
    for (name, moves) in [
        (
            "knight f1, bishop g1",
            &[("f1", "g3"), ("b8", "c6"), ("f2", "f3"), ("g8", "f6"), ("g1", "e3"), ("a7", "a6")][..],
        ),
        (
            "both wings",
            &[
                ("f1", "g3"),
                ("b8", "c6"),
                ("c1", "b3"),
                ("g8", "f6"),
                ("f2", "f3"),
                ("a7", "a6"),
                ("g1", "e3"),
                ("b7", "b6"),
            ],
        ),
        (
            "Black's",
            &[("g1", "f3"), ("c8", "b6"), ("b1", "c3"), ("c7", "c6"), ("a2", "a3"), ("b8", "c7")],
        ),
    ] {
        let moves: Vec<_> = pawns.iter().chain(moves).copied().collect();
        let tracked = exchanged(&moves);
        let read: Vec<String> = moves.iter().map(|(from, to)| format!("{from}{to}")).collect();
        assert_eq!(tracked.moves(A), read.join(" "), "{name}");
        assert_eq!(illegal(&tracked), [], "{name}");
        assert_eq!(standing(&tracked, "setup-wrong").len(), 1, "{name}: {:?}", tracked.anomalies());
    }
}
