//! Confirmed results: what they follow, and that none is replaced in passing.

use super::*;

#[test]
fn a_confirmed_result_moves_with_its_match() {
    let mut day = Day::new(Kind::Bughouse, 4);
    let [first, second] = day.pairs(1, &[(1, 2), (3, 4)])[..] else { unreachable!() };
    for (table, match_id) in [("1", "m1"), ("2", "m2")] {
        day.sets_up(table, match_id);
        day.plays(table, match_id, &QUIET);
    }
    day.won_by("m1", TeamName::One, "resignation");
    assert_eq!(day.points(), [1.0, 0.0, 0.0, 0.0]);
    day.binds("m1", Some(second));
    day.binds("m2", Some(first));
    assert_eq!(day.result(first), (String::new(), false));
    assert_eq!(day.result(second), ("1-0".to_owned(), true));
    assert_eq!(day.points(), [0.0, 0.0, 1.0, 0.0]);
}

#[test]
fn a_result_that_is_taken_back_leaves_the_event_and_its_standings() {
    for kind in [Kind::Bughouse, Kind::Chess] {
        let mut day = Day::new(kind, 2);
        let [first] = day.pairs(1, &[(1, 2)])[..] else { unreachable!() };
        day.sets_up("1", "m1");
        let forfeit = day.won_by("m1", TeamName::One, "forfeit");
        assert_eq!((day.result(first).1, day.points()), (true, vec![1.0, 0.0]));
        let deed = day.decision("m1", json!({ "what": "withdraw", "act": forfeit }));
        day.done(deed);
        assert_eq!(day.result(first), (String::new(), false), "{kind:?}");
        assert_eq!(day.points(), [0.0, 0.0]);
        day.plays("1", "m1", &MATE);
        day.ends("1", "m1");
        let won = day.won_by("m1", TeamName::One, "mate");
        assert_eq!(day.result(first), ("1-0".to_owned(), true));
        let deed = day.decision("m1", json!({ "what": "withdraw", "act": won }));
        day.done(deed);
        assert_eq!((day.result(first).1, day.points()), (false, vec![0.0, 0.0]));
        assert!(day.needs().iter().any(|need| need.what == "Result to confirm"));
    }
}

#[test]
fn a_confirmed_result_is_replaced_only_with_a_reason() {
    let mut day = Day::new(Kind::Bughouse, 2);
    let [first] = day.pairs(1, &[(1, 2)])[..] else { unreachable!() };
    day.sets_up("1", "m1");
    day.plays("1", "m1", &QUIET);
    let entered = day.won_by("m1", TeamName::One, "resignation");
    let other = json!({ "what": "enter-result", "winner": "team-2", "reason": "flag" });
    let refused = day.decides("m1", other.clone());
    let Answer::Refused { reason, .. } = refused else { panic!("{refused:?}") };
    assert_eq!(reason, "this replaces 1-0, confirmed, of round 1: give a note that says why");
    let penalty = json!({
        "what": "penalise", "offence": "talking", "whom": "white-a", "given": { "penalty": "loses-game" },
    });
    let offence = rules::rulebook::Offence::ALL[0].code();
    let mut penalty = penalty;
    penalty["offence"] = offence.into();
    assert!(matches!(day.decides("m1", penalty.clone()), Answer::Refused { .. }));
    assert_eq!(day.result(first), ("1-0".to_owned(), true));
    // The same winner for another reason replaces nothing.
    let same = json!({ "what": "enter-result", "winner": "team-1", "reason": "flag" });
    let answer = day.decides("m1", same);
    assert!(matches!(answer, Answer::Taken { .. }), "{answer:?}");
    let mut with_note = other.clone();
    with_note["note"] = "both agree that it was the other way round".into();
    let Answer::Taken { act } = day.decides("m1", with_note) else { panic!("it is accepted") };
    assert_eq!(day.result(first), ("0-1".to_owned(), true));
    let game = day.hall.game("m1").expect("the match");
    let line = crate::views::ledger(game, 1.0).into_iter().find(|line| line.act == act);
    assert!(line.expect("its line").note.expect("its note").contains("the other way round"));
    let mut named = json!({ "what": "enter-result", "winner": "team-1", "reason": "flag" });
    named["replaces"] = entered.into();
    assert!(matches!(day.decides("m1", named.clone()), Answer::Refused { .. }), "another stands");
    named["replaces"] = act.into();
    assert!(matches!(day.decides("m1", named), Answer::Taken { .. }));
}

#[test]
fn acts_of_an_older_log_are_taken_as_they_were() {
    let mut day = Day::new(Kind::Bughouse, 2);
    let [first] = day.pairs(1, &[(1, 2)])[..] else { unreachable!() };
    day.sets_up("1", "m1");
    day.plays("1", "m1", &QUIET);
    day.won_by("m1", TeamName::One, "resignation");
    let other = json!({ "what": "enter-result", "winner": "team-2", "reason": "flag" });
    let ActDeed::Match { match_id, t_us, seen, team, decided, .. } = day.decision("m1", other)
    else {
        unreachable!()
    };
    day.done(ActDeed::Match { match_id, t_us, seen, team, decided, guarded: false });
    assert_eq!(day.result(first), ("0-1".to_owned(), true));
}

#[test]
fn a_result_from_paper_is_on_the_list_until_it_is_confirmed_and_on_the_tile() {
    let mut day = Day::new(Kind::Bughouse, 2);
    let [pairing] = day.pairs(1, &[(1, 2)])[..] else { unreachable!() };
    let outcomes = event::import::outcomes_from_text("0-1").expect("a result");
    day.event(Deed::ResultEntered { pairing, outcomes });
    let waits = |day: &Day| {
        day.needs()
            .into_iter()
            .find(|need| need.what == "Result to confirm" && need.pairing == Some(1))
    };
    let need = waits(&day).expect("it waits");
    assert!(need.detail.contains("0-1"), "{}", need.detail);
    day.event(Deed::ResultConfirmed { pairing });
    assert_eq!(waits(&day), None);
    let table = day.hall.tables().iter().find(|table| table.name == "1").expect("the table");
    let result = crate::views::TableView::of(&day.hall, table).result.expect("a result");
    assert_eq!((result.winner, result.confirmed), (2, true), "{}", result.text);
    let lines = day.hall.done_lines();
    let kinds: Vec<&str> = lines.iter().map(|line| line.kind).collect();
    assert!(kinds.ends_with(&["round", "pairing", "result", "confirmed"]), "{kinds:?}");
}

#[test]
fn a_result_from_paper_says_why_nobody_won() {
    for (text, reason, side) in [
        ("0F-0F", "forfeit", None),
        ("0-0", "both-lose", None),
        ("1/2-1/2", "paper", None),
        ("1/2-0", "half-and-none", Some(0)),
        ("0-1/2", "half-and-none", Some(1)),
    ] {
        let mut day = Day::new(Kind::Bughouse, 2);
        let [pairing] = day.pairs(1, &[(1, 2)])[..] else { unreachable!() };
        let outcomes = event::import::outcomes_from_text(text).expect("a result");
        day.event(Deed::ResultEntered { pairing, outcomes });
        let table = day.hall.tables().named("1").expect("the table");
        let result = crate::views::TableView::of(&day.hall, table).result.expect("a result");
        let said = (result.winner, result.reason, result.side);
        assert_eq!(said, (0, reason, side), "{text}: {}", result.text);
    }
}

#[test]
fn standings_count_up_to_the_last_round_with_a_result() {
    let mut day = Day::new(Kind::Bughouse, 2);
    day.pairs(1, &[(1, 2)]);
    day.sets_up("1", "m1");
    day.plays("1", "m1", &QUIET);
    let after = |day: &Day| {
        let standings = day.hall.event().standings("Open", None, event::Names::Hidden);
        let standings = standings.expect("standings");
        (standings.after_round, standings.rows.iter().any(|row| row.provisional))
    };
    assert_eq!(after(&day), (0, false));
    day.won_by("m1", TeamName::One, "resignation");
    assert_eq!(after(&day), (1, false));
    day.pairs(2, &[(2, 1)]);
    assert_eq!(after(&day), (1, false), "a round that is only paired does not count");
}

#[test]
fn what_a_scorekeeper_enters_waits_for_a_director() {
    let mut day = Day::new(Kind::Chess, 2);
    let [first] = day.pairs(1, &[(1, 2)])[..] else { unreachable!() };
    day.sets_up("1", "m1");
    day.plays("1", "m1", &QUIET);
    let won = json!({ "what": "enter-result", "winner": "team-1", "reason": "resignation" });
    let deed = day.decision("m1", won);
    assert!(matches!(day.act_as(Rank::Scorekeeper, deed), Answer::Taken { .. }));
    assert_eq!(day.result(first), ("1-0".to_owned(), false));
    assert!(day.needs().iter().any(|need| need.what == "Result to confirm"));
    let deed = day.decision("m1", json!({ "what": "confirm" }));
    assert!(matches!(day.act_as(Rank::Scorekeeper, deed.clone()), Answer::Refused { .. }));
    day.done(deed);
    assert_eq!(day.result(first), ("1-0".to_owned(), true));
}
