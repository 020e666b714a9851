//! Bindings of matches to pairings, in the usual orders of rounds.

use super::*;

const KINDS: [Kind; 2] = [Kind::Bughouse, Kind::Chess];

/// Seats of the first pairing, the second side first.
fn turned(kind: Kind) -> Vec<PlayerId> {
    match kind {
        Kind::Bughouse => [4, 2, 3, 5].map(PlayerId).to_vec(),
        Kind::Chess => [2, 1].map(PlayerId).to_vec(),
    }
}

#[test]
fn a_match_that_only_stands_set_up_takes_the_next_rounds_pairing() {
    for kind in KINDS {
        for (is_confirmed, are_seats_known) in
            [(true, true), (true, false), (false, true), (false, false)]
        {
            let mut day = Day::new(kind, 4);
            let [first, _] = day.pairs(1, &[(1, 2), (3, 4)])[..] else { unreachable!() };
            if are_seats_known {
                day.event(Deed::SeatsChosen { pairing: first, seats: turned(kind), note: None });
            }
            day.sets_up("1", "m1");
            day.plays("1", "m1", &MATE);
            day.ends("1", "m1");
            if is_confirmed {
                day.won_by("m1", TeamName::One, "mate");
            }
            // The pieces are put back at once; the next round is paired later.
            day.sets_up("1", "m2");
            assert_eq!(day.of("m2"), None, "nobody knows yet who plays next");
            let [third, _] = day.pairs(2, &[(3, 1), (4, 2)])[..] else { unreachable!() };
            assert_eq!((day.of("m1"), day.of("m2")), (Some(1), Some(3)));
            day.plays("1", "m2", &QUIET);
            day.won_by("m2", TeamName::Two, "resignation");
            assert_eq!(day.result(third), ("0-1".to_owned(), true), "{kind:?}");
            let won = if are_seats_known { "0-1" } else { "1-0" };
            match is_confirmed {
                true => assert_eq!(day.result(first), (won.to_owned(), true)),
                false => {
                    assert_eq!(day.result(first), (String::new(), false));
                    let open: Vec<Need> = day.needs();
                    let waits = |need: &&Need| need.what == "Result to confirm";
                    let need = open.iter().find(waits).expect("the first round's result");
                    assert_eq!((need.match_id.as_deref(), need.round), (Some("m1"), Some(1)));
                    day.won_by("m1", TeamName::One, "mate");
                    assert_eq!(day.result(first), (won.to_owned(), true));
                }
            }
        }
    }
}

#[test]
fn with_all_rounds_paired_in_advance_each_match_is_of_the_next_one() {
    for kind in KINDS {
        let mut day = Day::new(kind, 2);
        for round in 1..=3 {
            day.pairs(round, &[(1, 2)]);
        }
        for (match_id, pairing) in [("m1", 1), ("m2", 2), ("m3", 3)] {
            day.sets_up("1", match_id);
            assert_eq!(day.of(match_id), Some(pairing), "{kind:?}");
            day.plays("1", match_id, &QUIET);
            day.ends("1", match_id);
            assert_eq!(day.of(match_id), Some(pairing));
        }
        // A friendly match after the last round has no pairing: it does not return to the first.
        day.sets_up("1", "m4");
        day.plays("1", "m4", &QUIET);
        assert_eq!(day.of("m4"), None);
        let asked = day.needs().iter().any(|need| need.what == "Whose match is it?");
        assert!(asked, "{:?}", day.needs());
        day.binds("m4", None);
        let asked = day.needs().iter().any(|need| need.what == "Whose match is it?");
        assert!(!asked, "a director has said that it is nobody's");
    }
}

#[test]
fn a_false_start_gives_its_pairing_back() {
    for plies in [0, 1, 4] {
        let mut day = Day::new(Kind::Bughouse, 2);
        let [first] = day.pairs(1, &[(1, 2)])[..] else { unreachable!() };
        day.sets_up("1", "m1");
        day.plays("1", "m1", &QUIET[..plies]);
        day.ends("1", "m1");
        day.sets_up("1", "m2");
        day.plays("1", "m2", &QUIET);
        assert_eq!((day.of("m1"), day.of("m2")), (None, Some(1)), "{plies} plies");
        day.won_by("m2", TeamName::One, "resignation");
        assert_eq!(day.result(first), ("1-0".to_owned(), true));
    }
}

#[test]
fn a_short_game_keeps_its_pairing_once_the_next_round_is_paired() {
    let mut day = Day::new(Kind::Chess, 2);
    let [first] = day.pairs(1, &[(1, 2)])[..] else { unreachable!() };
    day.sets_up("1", "m1");
    day.plays("1", "m1", &QUIET[..4]);
    day.ends("1", "m1");
    day.sets_up("1", "m2");
    day.pairs(2, &[(2, 1)]);
    day.plays("1", "m2", &QUIET);
    assert_eq!((day.of("m1"), day.of("m2")), (Some(1), Some(2)));
    day.won_by("m1", TeamName::Two, "resignation");
    assert_eq!(day.result(first), ("0-1".to_owned(), true));
}

#[test]
fn a_list_that_comes_late_is_of_the_game_in_play() {
    let mut day = Day::new(Kind::Bughouse, 2);
    day.sets_up("1", "for fun");
    day.plays("1", "for fun", &QUIET);
    day.ends("1", "for fun");
    day.sets_up("1", "m1");
    day.plays("1", "m1", &QUIET);
    day.pairs(1, &[(1, 2)]);
    assert_eq!((day.of("for fun"), day.of("m1")), (None, Some(1)));
}

#[test]
fn a_match_is_judged_by_the_book_of_the_section_that_it_comes_to_be_of() {
    let mut day = Day::new(Kind::Bughouse, 2);
    let terms = SectionTerms::usual(SectionKind::Teams, BookId::McscBughouse, 9);
    let changed = day.event(Deed::SectionChanged { section: "Open".to_owned(), terms });
    assert!(matches!(changed, Answer::Taken { .. }), "{changed:?}");
    day.sets_up("1", "m1");
    let book = |day: &Day| day.hall.game("m1").expect("the match").referee().conditions().book;
    assert_eq!(book(&day), BookId::UsChessBughouse2018, "its hub's");
    day.pairs(1, &[(1, 2)]);
    assert_eq!(book(&day), BookId::McscBughouse);
}

#[test]
fn plies_under_a_forfeited_match_wait_and_directors_are_told() {
    for kind in KINDS {
        let mut day = Day::new(kind, 2);
        let [first] = day.pairs(1, &[(1, 2)])[..] else { unreachable!() };
        day.sets_up("1", "m1");
        let forfeit = day.won_by("m1", TeamName::Two, "forfeit");
        assert_eq!(day.result(first), ("0F-1F".to_owned(), true));
        let [second] = day.pairs(2, &[(2, 1)])[..] else { unreachable!() };
        day.plays("1", "m1", &MATE);
        let plies =
            |day: &Day| day.hall.game("m1").expect("the match").referee().timeline().plies().len();
        assert_eq!((plies(&day), day.of("m1")), (0, Some(1)));
        assert_eq!(day.result(first), ("0F-1F".to_owned(), true));
        assert_eq!(day.result(second), (String::new(), false));
        let told = day.needs().into_iter().find(|need| need.what.starts_with("Play in a match"));
        assert!(told.expect("it is told").detail.contains("7 plies have come"));
        // The players came after all.
        let deed = day.decision("m1", json!({ "what": "withdraw", "act": forfeit }));
        day.done(deed);
        assert_eq!((plies(&day), day.of("m1")), (7, Some(1)));
        assert!(day.needs().iter().all(|need| !need.what.starts_with("Play in a match")));
    }
}

#[test]
fn plies_that_an_outage_held_up_are_their_own_matchs() {
    let mut day = Day::new(Kind::Chess, 2);
    let [first] = day.pairs(1, &[(1, 2)])[..] else { unreachable!() };
    day.sets_up("1", "m1");
    // The line is down: the match is played, and its result entered before its first row comes.
    day.won_by("m1", TeamName::One, "resignation");
    (day.late_ms, day.step_ms) = (STEP_MS + STEP_MS / 2, 10);
    day.plays("1", "m1", &QUIET);
    let game = day.hall.game("m1").expect("the match");
    assert_eq!((game.referee().timeline().plies().len(), game.withheld_plies()), (10, 0));
    assert_eq!(day.result(first), ("1-0".to_owned(), true));
}

#[test]
fn children_who_sit_at_each_others_tables_are_asked_for() {
    let mut day = Day::new(Kind::Bughouse, 4);
    let [first, second] = day.pairs(1, &[(1, 2), (3, 4)])[..] else { unreachable!() };
    for (table, match_id, winner) in [("1", "m1", TeamName::One), ("2", "m2", TeamName::Two)] {
        day.sets_up(table, match_id);
        day.plays(table, match_id, &QUIET);
        day.decides(
            match_id,
            json!({ "what": "enter-result", "winner": winner, "reason": "flag" }),
        );
    }
    for (pairing, outcome) in [(first, "0-1"), (second, "1-0")] {
        let outcomes = event::import::outcomes_from_text(outcome).expect("a result");
        let note = "by the slip".to_owned();
        day.event(Deed::ResultSuperseded { pairing, outcomes, note });
    }
    let asked = day.needs().into_iter().filter(|need| need.what.contains("each other's tables"));
    assert_eq!(asked.count(), 2);
    day.binds("m1", Some(second));
    day.binds("m2", Some(first));
    let asked = day.needs().into_iter().filter(|need| need.what.contains("each other's tables"));
    assert_eq!(asked.count(), 0);
}

#[test]
fn a_pairing_with_two_matches_is_asked_about() {
    let mut day = Day::new(Kind::Bughouse, 2);
    let [first] = day.pairs(1, &[(1, 2)])[..] else { unreachable!() };
    for match_id in ["m1", "m2"] {
        day.sets_up("1", match_id);
        day.plays("1", match_id, &QUIET);
        day.ends("1", match_id);
    }
    day.binds("m2", Some(first));
    let asked = |day: &Day| day.needs().iter().any(|need| need.what.starts_with("Two matches"));
    assert!(asked(&day));
    day.binds("m1", None);
    assert!(!asked(&day));
}

#[test]
fn a_match_that_is_decided_without_a_ply_is_ended_at_its_hub() {
    let mut day = Day::new(Kind::Chess, 4);
    day.pairs(1, &[(1, 2), (3, 4)]);
    for (table, match_id) in [("1", "m1"), ("2", "m2")] {
        day.sets_up(table, match_id);
    }
    day.plays("2", "m2", &QUIET);
    for match_id in ["m1", "m2"] {
        day.won_by(match_id, TeamName::Two, "forfeit");
    }
    let ordered: Vec<_> = day.hall.unanswered().into_iter().map(|(game, _)| &game.id).collect();
    assert_eq!(ordered, ["m1"], "what was played ends by what is seen");
}

#[test]
fn a_game_for_fun_that_moves_the_rounds_on_is_asked_about() {
    let mut day = Day::new(Kind::Bughouse, 2);
    let [first] = day.pairs(1, &[(1, 2)])[..] else { unreachable!() };
    let [second] = day.pairs(2, &[(2, 1)])[..] else { unreachable!() };
    for match_id in ["fun", "m1"] {
        day.sets_up("1", match_id);
        day.plays("1", match_id, &QUIET);
        day.ends("1", match_id);
    }
    assert_eq!(day.of("m1"), Some(second.0), "nothing tells that the first was for fun");
    let asked = |day: &Day| {
        day.needs()
            .into_iter()
            .find(|need| need.what.starts_with("Is it of round"))
            .map(|it| it.match_id)
    };
    assert_eq!(asked(&day), Some(Some("m1".to_owned())));
    day.binds("fun", None);
    day.binds("m1", Some(first));
    assert_eq!(asked(&day), None);
    day.won_by("m1", TeamName::One, "resignation");
    day.sets_up("1", "m2");
    day.plays("1", "m2", &QUIET);
    assert_eq!((day.of("m2"), asked(&day)), (Some(second.0), None));
}

#[test]
fn tables_name_players_and_teams_before_anybody_chooses_seats() {
    for kind in KINDS {
        let mut day = Day::new(kind, 2);
        let [pairing] = day.pairs(1, &[(1, 2)])[..] else { unreachable!() };
        day.sets_up("1", "m1");
        day.plays("1", "m1", &QUIET);
        assert_eq!(day.hall.event().pairings()[&pairing].seats, []);
        let people = day.hall.people("1", day.hall.game("m1"), event::Names::Shown);
        match kind {
            Kind::Chess => {
                let names = people.players[..2].iter().map(Option::as_deref);
                assert_eq!(names.collect::<Vec<_>>(), [Some("Child 1"), Some("Child 2")]);
            }
            // The boards of overlays have these, too.
            Kind::Bughouse => {
                assert_eq!(people.team_labels(), ["Team 1 of the day", "Team 2 of the day"]);
            }
        }
    }
}
