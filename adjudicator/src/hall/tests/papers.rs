//! Rounds put right while people play: tables exchanged, pairings moved, results from paper while a clock runs or at the wrong pairing.

use proto::mqtt::message::ClockRead;
use rules::standings::{Outcome, Side as PairingSide};

use super::*;

const KINDS: [Kind; 2] = [Kind::Bughouse, Kind::Chess];

/// A director's result from paper: the first side has won. Confirmed at once.
fn from_paper(day: &mut Day, pairing: PairingId) {
    let outcomes = vec![Outcome::Win(PairingSide::First)];
    day.done(ActDeed::Event { deeds: vec![Deed::ResultEntered { pairing, outcomes }] });
    day.done(ActDeed::Event { deeds: vec![Deed::ResultConfirmed { pairing }] });
}

#[test]
fn a_result_from_paper_is_a_change_of_its_table() {
    let mut day = Day::new(Kind::Bughouse, 4);
    let [first, _] = day.pairs(1, &[(1, 2), (3, 4)])[..] else { unreachable!() };
    let changed = |day: &Day| {
        ["1", "2"].map(|table| day.hall.tables().named(table).map(|table| table.changed()))
    };
    let before = changed(&day);
    from_paper(&mut day, first);
    let after = changed(&day);
    assert!(after[0] > before[0], "its page shows the result at once");
    assert_eq!(after[1], before[1]);
}

fn reads_clock(day: &mut Day, (white_ms, running): (i64, Option<Side>), t_us: u64) {
    let (match_id, running) = ("m1".to_owned(), running.map(|side| side as i32));
    for board in [Board::A as i32, Board::B as i32] {
        let match_id = match_id.clone();
        let read = ClockRead { match_id, board, white_ms, black_ms: 200_000, running, t_us };
        day.row("1", Event::ClockRead(read));
    }
}

fn asks(day: &Day, words: &str) -> bool {
    day.needs().iter().any(|need| need.what.contains(words))
}

#[test]
fn tables_that_are_exchanged_in_play_keep_their_matches() {
    for kind in KINDS {
        for are_over in [false, true] {
            let mut day = Day::new(kind, 4);
            let [first, second] = day.pairs(1, &[(1, 2), (3, 4)])[..] else { unreachable!() };
            for (table, id) in [("1", "m1"), ("2", "m2")] {
                day.sets_up(table, id);
                day.plays(table, id, &QUIET);
                if are_over {
                    day.ends(table, id);
                }
            }
            if are_over {
                day.won_by("m2", TeamName::Two, "resignation");
                assert_eq!(day.result(second), ("0-1".to_owned(), true));
            }
            // Children sit at each other's tables, and a director leaves them there.
            let exchanged = Deed::TablesExchanged { pairings: [first, second] };
            day.done(ActDeed::Event { deeds: vec![exchanged] });
            assert_eq!((day.of("m1"), day.of("m2")), (Some(2), Some(1)), "{kind:?}");
            day.won_by("m1", TeamName::One, "resignation");
            assert_eq!(day.result(second), ("1-0".to_owned(), true));
            let theirs = if are_over { ("0-1", true) } else { ("", false) };
            assert_eq!(day.result(first), (theirs.0.to_owned(), theirs.1));
        }
    }
}

#[test]
fn a_pairing_that_is_moved_in_play_is_played_at_its_new_table() {
    let mut day = Day::new(Kind::Bughouse, 4);
    let [first] = day.pairs(1, &[(1, 2)])[..] else { unreachable!() };
    day.sets_up("1", "m1");
    day.plays("1", "m1", &QUIET);
    // The board is broken: they begin again at the free table.
    let sides = [1, 2].map(|number| vec![EntrantNumber(number)]);
    let table = "2".to_owned();
    let moved = Deed::PairingChanged { pairing: first, table, board: None, sides };
    day.done(ActDeed::Event { deeds: vec![moved] });
    assert_eq!(day.of("m1"), Some(1), "nothing else was played so far");
    day.sets_up("2", "m2");
    day.plays("2", "m2", &QUIET);
    assert_eq!((day.of("m1"), day.of("m2")), (None, Some(1)));
}

#[test]
fn a_result_from_paper_counts_while_the_clock_runs() {
    for kind in KINDS {
        let mut day = Day::new(kind, 2);
        day.step_ms = 1_000;
        let [first] = day.pairs(1, &[(1, 2)])[..] else { unreachable!() };
        day.sets_up("1", "m1");
        day.plays("1", "m1", &QUIET);
        reads_clock(&mut day, (100_000, Some(Side::White)), 11_000_000);
        from_paper(&mut day, first);
        assert_eq!(day.result(first), ("1-0".to_owned(), true));
        // The clock runs on: a flag that falls now is no evidence about the game.
        reads_clock(&mut day, (0, Some(Side::White)), 500_000_000);
        reads_clock(&mut day, (0, None), 505_000_000);
        day.enters("1", "m1", MatchState::Paused, 505_000_000);
        let open: Vec<_> = day.needs().into_iter().map(|need| need.what).collect();
        assert!(open.is_empty(), "{kind:?}: {open:?}");
        assert_eq!(day.result(first), ("1-0".to_owned(), true));
    }
}

#[test]
fn who_comes_after_a_forfeit_by_a_fallen_flag_plays_for_the_pairing() {
    let mut day = Day::new(Kind::Chess, 2);
    day.step_ms = 1_000;
    let [first] = day.pairs(1, &[(1, 2)])[..] else { unreachable!() };
    day.pairs(2, &[(2, 1)]);
    day.sets_up("1", "m1");
    day.enters("1", "m1", MatchState::Playing, 0);
    reads_clock(&mut day, (300_000, Some(Side::White)), 1_000_000);
    reads_clock(&mut day, (0, Some(Side::White)), 301_000_000);
    reads_clock(&mut day, (0, None), 305_000_000);
    day.enters("1", "m1", MatchState::Ended, 306_000_000);
    let forfeit = day.won_by("m1", TeamName::Two, "forfeit");
    day.sets_up("1", "m2");
    let back = day.decision("m1", json!({ "what": "withdraw", "act": forfeit }));
    day.done(back);
    day.plays("1", "m2", &QUIET);
    assert_eq!(day.of("m2"), Some(1));
    day.won_by("m2", TeamName::One, "resignation");
    assert_eq!(day.result(first), ("1-0".to_owned(), true));
}

#[test]
fn play_that_goes_on_after_a_result_from_paper_is_asked_about() {
    let mut day = Day::new(Kind::Chess, 2);
    day.step_ms = 1_000;
    let [first] = day.pairs(1, &[(1, 2)])[..] else { unreachable!() };
    day.sets_up("1", "m1");
    day.plays("1", "m1", &QUIET[..2]);
    from_paper(&mut day, first);
    assert!(!asks(&day, "Play goes on"));
    day.plays("1", "m1", &QUIET[2..]);
    assert!(asks(&day, "Play goes on"), "{:?}", day.needs());
    let note = "it was the other table's".to_owned();
    let back = Deed::ResultWithdrawn { pairing: first, note };
    day.done(ActDeed::Event { deeds: vec![back] });
    assert!(!asks(&day, "Play goes on"));
    assert_eq!((day.of("m1"), day.result(first)), (Some(1), (String::new(), false)));
    day.won_by("m1", TeamName::Two, "resignation");
    assert_eq!(day.result(first), ("0-1".to_owned(), true));
}

#[test]
fn a_short_game_after_one_for_fun_is_asked_about_once_its_slip_is_entered() {
    let mut day = Day::new(Kind::Bughouse, 2);
    let [first] = day.pairs(1, &[(1, 2)])[..] else { unreachable!() };
    day.sets_up("1", "m1");
    day.plays("1", "m1", &QUIET);
    day.ends("1", "m1");
    day.sets_up("1", "m2");
    day.plays("1", "m2", &QUIET[..6]);
    assert_eq!((day.of("m1"), day.of("m2")), (Some(1), None));
    assert!(!asks(&day, "Whose match"), "it may be tried out");
    from_paper(&mut day, first);
    assert!(asks(&day, "Whose match"));
    day.binds("m2", Some(first));
    day.binds("m1", None);
    assert!(!asks(&day, "Whose match") && !asks(&day, "Two matches"), "{:?}", day.needs());
    // Play that is tried out after the slip belongs to no pairing.
    day.sets_up("1", "m3");
    day.plays("1", "m3", &QUIET[..6]);
    assert!(!asks(&day, "Whose match"));
}

#[test]
fn a_short_game_begun_under_another_tables_slip_is_asked_about() {
    for takes_back in [false, true] {
        let mut day = Day::new(Kind::Bughouse, 2);
        day.step_ms = 1_000;
        let [first] = day.pairs(1, &[(1, 2)])[..] else { unreachable!() };
        day.sets_up("1", "m1");
        from_paper(&mut day, first);
        day.plays("1", "m1", &QUIET[..5]);
        day.ends("1", "m1");
        day.sets_up("1", "m2");
        if takes_back {
            let note = "it was another table's".to_owned();
            let back = Deed::ResultWithdrawn { pairing: first, note };
            day.done(ActDeed::Event { deeds: vec![back] });
            from_paper(&mut day, first);
        }
        assert_eq!(day.of("m1"), None);
        assert!(asks(&day, "Whose match"), "taken back: {takes_back}");
        day.binds("m1", Some(first));
        assert!(!asks(&day, "Whose match"));
    }
}

#[test]
fn a_match_begun_under_another_tables_slip_is_asked_about() {
    for kind in KINDS {
        let mut day = Day::new(kind, 2);
        let [first] = day.pairs(1, &[(1, 2)])[..] else { unreachable!() };
        let [second] = day.pairs(2, &[(2, 1)])[..] else { unreachable!() };
        from_paper(&mut day, first);
        day.sets_up("1", "m1");
        day.plays("1", "m1", &QUIET);
        day.ends("1", "m1");
        day.sets_up("1", "m2");
        assert_eq!(day.of("m1"), Some(second.0), "{kind:?}");
        assert!(!asks(&day, "Is it of round 2 already?"));
        let note = "it was another table's".to_owned();
        let back = Deed::ResultWithdrawn { pairing: first, note };
        day.done(ActDeed::Event { deeds: vec![back] });
        assert!(asks(&day, "Is it of round 2 already?"));
        day.binds("m1", Some(first));
        assert!(!asks(&day, "Is it of round 2 already?"));
    }
}
