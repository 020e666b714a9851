//! Wrong entries are corrected before they are played, and played games stay.

mod support;

use event::{
    Deed, Entry, Event, PairingId, PersonName, Played, PlayerId, RefusalKind, Role, RoundFinding,
    SectionKind, SectionTerms, TeamId, import::FileKind,
};
use rules::standings::{ByeKind, EntrantNumber, Outcome, Side};
use support::{act, done, number, opened, refused, taken, terms};

const TEAMS: &str = "Section,Number,Team,Player,Partner\n\
    K-5,1,Knights,Ada,Bo\nK-5,2,Rooks,Cy,Di\nK-5,3,Pawns,Ed,Flo\nK-5,4,Queens,Gus,Hal\n\
    K5,1,Bishops,Ida,Jo\n";

/// Two sections, of which one is mistyped, and a round of the other.
fn mistyped() -> Event {
    let mut event = opened(4, &[("K-5", SectionKind::Teams, 3), ("K5", SectionKind::Teams, 5)]);
    taken(&mut event, FileKind::Teams, TEAMS);
    event
}

fn paired(event: &mut Event) {
    done(event, Deed::RoundOpened { section: "K-5".to_owned(), round: 1 });
    let list = "Section,Round,Table,First,Second\nK-5,1,1,1,2\nK-5,1,2,3,4\n";
    taken(event, FileKind::Pairings, list);
}

fn ids(event: &Event) -> [PairingId; 2] {
    let ids: Vec<PairingId> = event.round("K-5", 1).map(|(id, _)| id).collect();
    ids.try_into().expect("two pairings")
}

fn win(pairing: PairingId) -> Deed {
    Deed::ResultEntered { pairing, outcomes: vec![Outcome::Win(Side::First)] }
}

#[test]
fn a_mistyped_section_is_merged_into_the_right_one() {
    let mut event = mistyped();
    let bye = Deed::ByeGiven {
        section: "K5".to_owned(),
        number: number(1),
        round: 2,
        bye: ByeKind::HalfPoint,
    };
    done(&mut event, bye);
    done(&mut event, Deed::SectionsMerged { section: "K5".to_owned(), into: "K-5".to_owned() });
    assert_eq!(event.sections().keys().collect::<Vec<_>>(), ["K-5"]);
    let section = event.section("K-5").unwrap();
    assert_eq!(section.entrants.len(), 5);
    assert_eq!(event.entrant_name("K-5", number(5), event::Names::Hidden), "Bishops");
    assert_eq!(section.byes.get(&(number(5), 2)), Some(&ByeKind::HalfPoint));
    // The name is free again.
    let terms = terms(SectionKind::Teams, 3);
    done(&mut event, Deed::SectionOpened { section: "k5".to_owned(), terms });
}

#[test]
fn a_section_that_was_a_mistake_is_gone_with_its_people() {
    let mut event = mistyped();
    done(&mut event, Deed::SectionRemoved { section: "K5".to_owned() });
    assert_eq!((event.teams().len(), event.players().len()), (4, 8));
    // The same team can be entered again, in the right section.
    taken(&mut event, FileKind::Teams, "Section,Team,Player,Partner\nK-5,Bishops,Ida,Jo\n");
    assert_eq!(event.section("K-5").unwrap().entrants.len(), 5);
}

#[test]
fn what_is_paired_or_played_is_not_removed_moved_or_merged() {
    let mut event = mistyped();
    paired(&mut event);
    let k5 = || "K-5".to_owned();
    let refusals = [
        Deed::SectionRemoved { section: k5() },
        Deed::SectionsMerged { section: k5(), into: "K5".to_owned() },
        Deed::EntrantRemoved { section: k5(), number: number(1) },
        Deed::EntrantMoved {
            section: k5(),
            number: number(1),
            to: "K5".to_owned(),
            as_number: number(9),
            from_round: 1,
        },
    ];
    for deed in refusals {
        let refusal = refused(&mut event, deed);
        assert_eq!(refusal.kind, RefusalKind::Contradicts, "{refusal}");
        assert!(refusal.to_string().contains("withdraw"), "{refusal}");
    }
    let [one, other] = ids(&event);
    done(&mut event, win(one));
    let exchange =
        Deed::EntrantsExchanged { pairings: [one, other], numbers: [number(1), number(3)] };
    assert_eq!(refused(&mut event, exchange).kind, RefusalKind::TooLate);
    let refusal = refused(&mut event, Deed::TablesExchanged { pairings: [other, one] });
    assert_eq!(refusal.kind, RefusalKind::TooLate);
}

#[test]
fn an_entrant_is_moved_to_another_section_or_stays_where_they_are() {
    let mut event = mistyped();
    let moved = |as_number: u32| Deed::EntrantMoved {
        section: "K5".to_owned(),
        number: number(1),
        to: "K-5".to_owned(),
        as_number: number(as_number),
        from_round: 1,
    };
    assert_eq!(refused(&mut event, moved(2)).kind, RefusalKind::Taken);
    done(&mut event, moved(7));
    assert!(event.section("K5").unwrap().entrants.is_empty());
    assert_eq!(event.entrant_name("K-5", number(7), event::Names::Hidden), "Bishops");
    done(&mut event, Deed::EntrantRemoved { section: "K-5".to_owned(), number: number(7) });
    assert_eq!((event.teams().len(), event.players().len()), (4, 8));
}

#[test]
fn a_section_is_renamed_with_its_rounds_and_nobody_is_lost() {
    let mut event = mistyped();
    paired(&mut event);
    let before = event.standings("K-5", Some(1), event::Names::Shown).unwrap();
    let renamed =
        |name: &str| Deed::SectionRenamed { section: "K-5".to_owned(), name: name.to_owned() };
    assert_eq!(refused(&mut event, renamed("K5")).kind, RefusalKind::Taken);
    done(&mut event, renamed("Kindergarten to 5"));
    assert_eq!(event.round("Kindergarten to 5", 1).count(), 2);
    let after = event.standings("Kindergarten to 5", Some(1), event::Names::Shown).unwrap();
    assert_eq!(before, after);
    // The same list again finds everybody where they are.
    let list = TEAMS.replace("K-5", "Kindergarten to 5");
    let preview = support::look(&event, FileKind::Teams, &list);
    assert!(preview.is_sound() && preview.acts.is_empty(), "{:?}", preview.problems);
}

#[test]
fn two_entrants_and_two_tables_are_exchanged_and_seats_are_chosen_again() {
    let mut event = mistyped();
    paired(&mut event);
    let [one, other] = ids(&event);
    let seats = event.seats(one);
    done(&mut event, Deed::SeatsChosen { pairing: one, seats, note: None });
    let numbers = [number(2), number(3)];
    done(&mut event, Deed::EntrantsExchanged { pairings: [one, other], numbers });
    let sides = |event: &Event, id| {
        let pairing = &event.pairings()[&id];
        (pairing.table.clone(), pairing.numbers().map(|number| number.0).collect::<Vec<_>>())
    };
    assert_eq!(sides(&event, one), ("1".to_owned(), vec![1, 3]));
    assert_eq!(sides(&event, other), ("2".to_owned(), vec![2, 4]));
    assert!(event.pairings()[&one].seats.is_empty());
    done(&mut event, Deed::TablesExchanged { pairings: [one, other] });
    assert_eq!(sides(&event, one).0, "2");
    let stranger =
        Deed::EntrantsExchanged { pairings: [one, other], numbers: [number(2), number(4)] };
    assert_eq!(refused(&mut event, stranger).kind, RefusalKind::Contradicts);
    let same = Deed::EntrantsExchanged { pairings: [one, one], numbers: [number(1), number(3)] };
    assert_eq!(refused(&mut event, same).kind, RefusalKind::Contradicts);
}

/// The clock of a pairing's match runs in the hall.
fn clock_runs(event: &mut Event, pairing: PairingId) {
    event.note_played(pairing, Played { running: true, ..Played::default() });
}

#[test]
fn two_tables_are_exchanged_while_their_clocks_run() {
    let mut event = mistyped();
    paired(&mut event);
    let [one, other] = ids(&event);
    clock_runs(&mut event, one);
    clock_runs(&mut event, other);
    done(&mut event, Deed::TablesExchanged { pairings: [one, other] });
    let table = |event: &Event, id| event.pairings()[&id].table.clone();
    assert_eq!([one, other].map(|id| table(&event, id)), ["2", "1"]);
    // A person has reported its start at that table.
    event.note_played(one, Played::default());
    done(&mut event, Deed::MatchStarted { pairing: one });
    let refusal = refused(&mut event, Deed::TablesExchanged { pairings: [one, other] });
    assert_eq!(refusal.kind, RefusalKind::Running);
}

#[test]
fn a_result_from_paper_is_entered_while_a_clock_runs() {
    let mut event = mistyped();
    paired(&mut event);
    let [one, _] = ids(&event);
    clock_runs(&mut event, one);
    let early = act(&mut event, Role::Player, win(one)).expect_err("players wait for the end");
    assert_eq!(early.kind, RefusalKind::Running);
    done(&mut event, win(one));
    assert!(!event.pairings()[&one].running, "the slip says that it is over");
    // The clock is stopped, and started once more for a look at the game.
    event.note_played(one, Played::default());
    clock_runs(&mut event, one);
    done(&mut event, Deed::ResultConfirmed { pairing: one });
    let known = &event.pairings()[&one];
    assert!(known.confirmed && !known.running);
}

#[test]
fn a_result_from_paper_at_the_wrong_pairing_is_taken_back() {
    let mut event = mistyped();
    paired(&mut event);
    let [one, _] = ids(&event);
    let back = || Deed::ResultWithdrawn { pairing: one, note: "the other table's".to_owned() };
    assert_eq!(refused(&mut event, back()).kind, RefusalKind::Contradicts);
    clock_runs(&mut event, one);
    done(&mut event, win(one));
    done(&mut event, Deed::ResultConfirmed { pairing: one });
    done(&mut event, back());
    let known = &event.pairings()[&one];
    assert!(known.running && known.outcomes.is_empty() && !known.confirmed, "it goes on");
    // The score of its match is not withdrawn with it.
    let win_of_second = vec![Outcome::Win(Side::Second)];
    let played = Played { outcomes: win_of_second.clone(), is_final: true, ..Played::default() };
    event.note_played(one, played);
    assert_eq!(event.pairings()[&one].outcomes, win_of_second);
    assert_eq!(refused(&mut event, back()).kind, RefusalKind::Contradicts);
}

#[test]
fn rounds_are_added_or_left_out_while_the_event_runs_and_nothing_else_is() {
    let mut event = mistyped();
    paired(&mut event);
    let changed = |change: &dyn Fn(&mut SectionTerms)| {
        let mut terms = terms(SectionKind::Teams, 3);
        change(&mut terms);
        Deed::SectionChanged { section: "K-5".to_owned(), terms }
    };
    done(&mut event, changed(&|terms| terms.rounds = 2));
    assert_eq!(event.section("K-5").unwrap().terms.rounds, 2);
    let refusal = refused(&mut event, changed(&|terms| terms.games_per_round = 2));
    assert_eq!(refusal.kind, RefusalKind::TooLate);
    done(&mut event, Deed::RoundOpened { section: "K-5".to_owned(), round: 2 });
    let refusal = refused(&mut event, changed(&|terms| terms.rounds = 1));
    assert_eq!(refusal.kind, RefusalKind::OutOfBounds);
}

#[test]
fn a_round_says_who_is_left_out_who_met_before_and_which_tables_are_shared() {
    let mut event = mistyped();
    assert!(event.round_findings("K-5", 1).is_empty());
    paired(&mut event);
    assert!(event.round_findings("K-5", 1).is_empty());
    for pairing in ids(&event) {
        done(&mut event, win(pairing));
        done(&mut event, Deed::ResultConfirmed { pairing });
    }
    done(&mut event, Deed::RoundOpened { section: "K-5".to_owned(), round: 2 });
    taken(&mut event, FileKind::Pairings, "Section,Round,Table,First,Second\nK-5,2,1,2,1\n");
    let pairing = event.round("K-5", 2).next().unwrap().0;
    let expected = [
        RoundFinding::Unpaired { number: number(3) },
        RoundFinding::Unpaired { number: number(4) },
        RoundFinding::Rematch { pairing, met: 1 },
    ];
    assert_eq!(event.round_findings("K-5", 2), expected);
    let bye = |number| Deed::ByeGiven {
        section: "K-5".to_owned(),
        number,
        round: 2,
        bye: ByeKind::FullPoint,
    };
    done(&mut event, bye(number(3)));
    assert_eq!(event.round_findings("K-5", 2).len(), 2);
    taken(&mut event, FileKind::Teams, "Section,Team,Player,Partner\nK5,Kings,Kay,Lou\n");
    done(&mut event, Deed::RoundOpened { section: "K5".to_owned(), round: 1 });
    done(&mut event, Deed::RoundOpened { section: "K5".to_owned(), round: 2 });
    taken(&mut event, FileKind::Pairings, "Section,Round,Table,First,Second\nK5,2,1,1,2\n");
    let shared = RoundFinding::SharedTable { pairing, section: "K5".to_owned() };
    assert!(event.round_findings("K-5", 2).contains(&shared));
}

#[test]
fn a_third_game_with_the_same_colour_is_noticed_and_a_forfeit_is_no_game() {
    for forfeit in [false, true] {
        let mut event = opened(2, &[("Blitz", SectionKind::Players, 3)]);
        for player in 1..=2 {
            let name = PersonName::from(format!("Kid {player}").as_str());
            done(&mut event, Deed::PlayerEntered { player: PlayerId(player), name, club: None });
            let entry = Entry::Player(PlayerId(player));
            let (section, number) = ("Blitz".to_owned(), EntrantNumber(player));
            done(&mut event, Deed::EntrantAdded { section, number, entry, from_round: 1 });
        }
        for round in 1..=3 {
            done(&mut event, Deed::RoundOpened { section: "Blitz".to_owned(), round });
            let pairing = PairingId(round.into());
            done(
                &mut event,
                Deed::PairingMade {
                    pairing,
                    section: "Blitz".to_owned(),
                    round,
                    table: "1".to_owned(),
                    board: None,
                    sides: [vec![number(1)], vec![number(2)]],
                },
            );
            let outcome = match forfeit && round == 1 {
                true => Outcome::ForfeitWin(Side::First),
                false => Outcome::Draw,
            };
            if round < 3 {
                done(&mut event, Deed::ResultEntered { pairing, outcomes: vec![outcome] });
            }
        }
        let findings = event.round_findings("Blitz", 3);
        let colours =
            findings.iter().filter(|it| matches!(it, RoundFinding::Colour { .. })).count();
        assert_eq!(colours, if forfeit { 0 } else { 2 }, "{findings:?}");
    }
}

#[test]
fn a_team_that_was_removed_leaves_its_name_to_another() {
    let mut event = mistyped();
    done(&mut event, Deed::EntrantRemoved { section: "K-5".to_owned(), number: number(4) });
    let name = |player| Deed::PlayerEntered {
        player: PlayerId(player),
        name: PersonName::from("Somebody"),
        club: None,
    };
    done(&mut event, name(90));
    done(&mut event, name(91));
    let members = [PlayerId(90), PlayerId(91)];
    done(&mut event, Deed::TeamMade { team: TeamId(90), name: "Queens".to_owned(), members });
}
