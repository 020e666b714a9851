//! Effects and refusals of acts; and that no sequence of acts panics, that refused acts change nothing, and that
//! an event replayed is the same.

mod support;

use event::{
    Deed, Entry, Event, EventAct, Names, PairingId, PersonName, PlayerId, RefusalKind, Role,
    SectionKind, TeamId,
};
use proptest::prelude::*;
use rules::standings::{ByeKind, EntrantNumber, Outcome, Side};
use support::{act, author, done, number, opened, refused, terms};

const SECTION: &str = "Open";

fn section() -> String {
    SECTION.to_owned()
}

fn entered(event: &mut Event, players: u32) {
    for player in 1..=players {
        let name = PersonName::from(format!("Kid {player}").as_str());
        let club = Some(if player % 2 == 0 { "Even" } else { "Odd" }.to_owned());
        done(event, Deed::PlayerEntered { player: PlayerId(player), name, club });
    }
}

/// Four teams of two, numbered 1 to 4, and an open round.
fn teams() -> Event {
    let mut event = opened(4, &[(SECTION, SectionKind::Teams, 3)]);
    entered(&mut event, 9);
    for team in 1..=4 {
        let members = [PlayerId(team * 2 - 1), PlayerId(team * 2)];
        done(&mut event, Deed::TeamMade { team: TeamId(team), name: format!("T{team}"), members });
        let entry = Entry::Team(TeamId(team));
        let deed =
            Deed::EntrantAdded { section: section(), number: number(team), entry, from_round: 1 };
        done(&mut event, deed);
    }
    done(&mut event, Deed::RoundOpened { section: section(), round: 1 });
    event
}

fn alone(game: SectionKind, players: u32) -> Event {
    let mut event = opened(4, &[(SECTION, game, 3)]);
    entered(&mut event, players);
    for player in 1..=players {
        let entry = Entry::Player(PlayerId(player));
        let (number, section) = (number(player), section());
        done(&mut event, Deed::EntrantAdded { section, number, entry, from_round: 1 });
    }
    done(&mut event, Deed::RoundOpened { section: section(), round: 1 });
    event
}

fn pairing(id: u32, round: u8, table: &str, sides: [&[u32]; 2]) -> Deed {
    Deed::PairingMade {
        pairing: PairingId(id),
        section: section(),
        round,
        table: table.to_owned(),
        board: None,
        sides: sides.map(|side| side.iter().map(|&it| number(it)).collect()),
    }
}

fn players(ids: &[u32]) -> Vec<PlayerId> {
    ids.iter().map(|&id| PlayerId(id)).collect()
}

#[test]
fn a_team_member_is_replaced_only_by_the_chief_once_the_section_has_started() {
    let mut event = teams();
    let replace = |note: Option<&str>| Deed::MemberReplaced {
        team: TeamId(1),
        leaves: PlayerId(2),
        joins: PlayerId(9),
        note: note.map(ToOwned::to_owned),
    };
    let refusal = refused(&mut event, replace(Some("ill")));
    assert!(refusal.rule.is_some(), "the rule against substitutes is cited: {refusal}");
    assert!(act(&mut event, Role::Chief, replace(None)).is_err(), "a note is needed");
    act(&mut event, Role::Chief, replace(Some("ill"))).expect("the chief may, with a note");
    assert_eq!(event.teams()[&TeamId(1)].members, [PlayerId(1), PlayerId(9)]);
    let name = PersonName::from("Somebody Else");
    let renamed = Deed::PlayerRenamed { player: PlayerId(3), name, note: None };
    assert!(refused(&mut event, renamed).rule.is_some());
}

#[test]
fn a_pairing_needs_a_table_that_exists_and_is_free_and_entrants_who_are_free() {
    let mut event = teams();
    done(&mut event, pairing(1, 1, "1", [&[1], &[2]]));
    for (deed, kind, word) in [
        (pairing(2, 1, "9", [&[3], &[4]]), RefusalKind::Unknown, "no table"),
        (pairing(2, 1, "1", [&[3], &[4]]), RefusalKind::Taken, "at this table"),
        (pairing(2, 1, "2", [&[1], &[4]]), RefusalKind::Taken, "is paired at table 1"),
        (pairing(2, 2, "2", [&[3], &[4]]), RefusalKind::Unknown, "opened 1"),
        (pairing(2, 1, "2", [&[3], &[7]]), RefusalKind::Unknown, "no entrant"),
        (pairing(2, 1, "2", [&[3], &[3]]), RefusalKind::Contradicts, "twice"),
        (pairing(2, 1, "2", [&[3, 4], &[1]]), RefusalKind::Contradicts, "each side"),
        (pairing(1, 1, "2", [&[3], &[4]]), RefusalKind::Taken, "exists"),
    ] {
        let refusal = refused(&mut event, deed);
        assert_eq!(refusal.kind, kind, "{refusal}");
        assert!(refusal.to_string().contains(word), "{refusal}");
    }
}

#[test]
fn a_late_entry_is_paired_from_its_round_on_and_one_who_left_no_more() {
    let mut event = teams();
    let members = [PlayerId(9), PlayerId(10)];
    done(
        &mut event,
        Deed::PlayerEntered { player: PlayerId(10), name: PersonName::from("Kid 10"), club: None },
    );
    done(&mut event, Deed::TeamMade { team: TeamId(5), name: "Late".to_owned(), members });
    let entry = Entry::Team(TeamId(5));
    done(
        &mut event,
        Deed::EntrantAdded { section: section(), number: number(5), entry, from_round: 2 },
    );
    assert!(refused(&mut event, pairing(1, 1, "1", [&[5], &[1]])).to_string().contains("round 2"));
    let bye = ByeKind::HalfPoint;
    done(&mut event, Deed::ByeGiven { section: section(), number: number(5), round: 1, bye });
    done(
        &mut event,
        Deed::EntrantWithdrawn { section: section(), number: number(1), from_round: 2 },
    );
    done(&mut event, Deed::RoundOpened { section: section(), round: 2 });
    assert!(refused(&mut event, pairing(1, 2, "1", [&[5], &[1]])).to_string().contains("left"));
    done(&mut event, pairing(1, 2, "1", [&[5], &[2]]));
    let standings = event.standings(SECTION, Some(1), Names::Hidden).expect("standings");
    assert_eq!((standings.rows[0].number, standings.rows[0].score.half_points()), (number(5), 1));
}

#[test]
fn partners_who_rotate_each_score_what_their_side_scored() {
    let mut event = alone(SectionKind::RotatingPartners, 8);
    done(&mut event, pairing(1, 1, "1", [&[1, 2], &[3, 4]]));
    done(&mut event, pairing(2, 1, "2", [&[5, 6], &[7, 8]]));
    let result = |outcome| Deed::ResultEntered { pairing: PairingId(1), outcomes: vec![outcome] };
    let early = refused(&mut event, result(Outcome::Win(Side::First)));
    assert!(early.to_string().contains("seats"), "{early}");
    // The second side sits as team 1: 4 has White at A, 3 has Black at B.
    let seats = players(&[4, 1, 2, 3]);
    done(&mut event, Deed::SeatsChosen { pairing: PairingId(1), seats, note: None });
    done(&mut event, result(Outcome::Win(Side::First)));
    done(&mut event, Deed::ResultConfirmed { pairing: PairingId(1) });
    let results = event.results(SECTION, Names::Hidden).expect("results");
    let score = |player| results.score(number(player), 1).map(|it| it.half_points());
    assert_eq!([1, 2, 3, 4, 5].map(score), [2, 2, 0, 0, 0].map(Some));
    let opponent = |player| results.of(number(player)).and_then(|it| it[0].opponent);
    assert_eq!([1, 2].map(opponent), [4, 3].map(|it| Some(number(it))), "who sat opposite");
    assert!(event.standings(SECTION, Some(1), Names::Hidden).expect("standings").provisional);
}

#[test]
fn a_club_scores_with_its_best_four_players() {
    let mut event = alone(SectionKind::Players, 10);
    for pair in 0..4 {
        let (odd, even) = (pair * 2 + 1, pair * 2 + 2);
        let id = PairingId(pair + 1);
        done(&mut event, pairing(id.0, 1, &(pair + 1).to_string(), [&[odd], &[even]]));
        done(
            &mut event,
            Deed::SeatsChosen { pairing: id, seats: players(&[even, odd]), note: None },
        );
        let outcomes = vec![Outcome::Win(Side::First)];
        done(&mut event, Deed::ResultEntered { pairing: id, outcomes });
    }
    let bye = ByeKind::FullPoint;
    done(&mut event, Deed::ByeGiven { section: section(), number: number(9), round: 1, bye });
    let clubs = event.club_standings(SECTION, None).expect("a section").expect("clubs");
    let rows: Vec<(&str, u32)> =
        clubs.rows.iter().map(|it| (it.name.as_str(), it.score.half_points())).collect();
    assert_eq!(rows, [("Odd", 8), ("Even", 0)], "five won, four count");
    let chart = event.results(SECTION, Names::Hidden).expect("results").wall_chart(1);
    assert_eq!(chart.rows[0].cells[0].had_white, Some(false), "colours as they sat");
    assert_eq!(chart.rows[0].name, "No. 1", "no person is named unasked");
}

#[test]
fn a_section_keeps_to_its_rulebook() {
    let mut event = Event::default();
    let open = |terms| Deed::SectionOpened { section: section(), terms };
    let mut chess = terms(SectionKind::Players, 3);
    chess.rulebook = rules::rulebook::BookId::McscBughouse;
    assert_eq!(refused(&mut event, open(chess)).kind, RefusalKind::Contradicts);
    let mut rapid = terms(SectionKind::Players, 3);
    rapid.rulebook = rules::rulebook::BookId::FideRapid2023;
    rapid.time = rules::TimeControl::fischer(300, 3).ok();
    let refusal = refused(&mut event, open(rapid));
    assert!(refusal.to_string().contains("fide-rapid-2023"), "{refusal}");
    let mut none = terms(SectionKind::Teams, 0);
    assert_eq!(refused(&mut event, open(none.clone())).kind, RefusalKind::OutOfBounds);
    none.rounds = 3;
    done(&mut event, open(none.clone()));
    assert_eq!(refused(&mut event, open(none)).kind, RefusalKind::Taken);
}

#[test]
fn players_may_sit_down_and_report_and_nothing_else() {
    let mut event = teams();
    let refusal = act(&mut event, Role::Player, pairing(1, 1, "1", [&[1], &[2]]));
    assert_eq!(refusal.expect_err("no").kind, RefusalKind::NotAllowed);
}

#[test]
fn an_act_is_taken_once_and_a_gap_is_refused() {
    let mut event = teams();
    let last = event.acts().last().cloned().expect("acts");
    assert_eq!(event.handle(last.clone()), Ok(Vec::new()));
    let other = EventAct { deed: Deed::Named { name: "Other".to_owned() }, ..last.clone() };
    assert_eq!(event.handle(other).expect_err("taken").kind, RefusalKind::Taken);
    let gap = EventAct { number: last.number + 2, ..last };
    assert_eq!(event.handle(gap).expect_err("a gap").kind, RefusalKind::Taken);
}

#[test]
fn acts_read_back_from_their_json() {
    let event = teams();
    for act in event.acts() {
        let json = serde_json::to_string(act).expect("JSON");
        assert_eq!(serde_json::from_str::<EventAct>(&json).expect("its own text"), *act, "{json}");
    }
    assert!(!format!("{event:?}").contains("Kid"), "names are not printed for debugging");
}

#[test]
fn results_go_back_by_board_without_names() {
    let mut event = teams();
    done(&mut event, pairing(1, 1, "2", [&[1], &[2]]));
    done(&mut event, pairing(2, 1, "1", [&[4], &[3]]));
    let outcomes = vec![Outcome::ForfeitWin(Side::Second)];
    done(&mut event, Deed::ResultEntered { pairing: PairingId(1), outcomes });
    let csv = event.results_csv(Some(SECTION), None).expect("a section");
    let expected = "Section,Round,Board,Table,First,Second,Result,Confirmed\n\
                    Open,1,1,1,4,3,,\nOpen,1,2,2,1,2,0F-1F,no\n";
    assert_eq!(csv, expected);
}

fn any_number() -> impl Strategy<Value = EntrantNumber> {
    (1..7_u32).prop_map(EntrantNumber)
}

fn any_player() -> impl Strategy<Value = PlayerId> {
    (1..9_u32).prop_map(PlayerId)
}

fn any_pairing() -> impl Strategy<Value = PairingId> {
    (1..6_u32).prop_map(PairingId)
}

fn any_round() -> impl Strategy<Value = u8> {
    0..4_u8
}

fn any_game() -> impl Strategy<Value = SectionKind> {
    prop::sample::select(vec![
        SectionKind::Teams,
        SectionKind::RotatingPartners,
        SectionKind::Players,
    ])
}

/// Any deed about people and a section of a small world, sensible or not.
fn any_deed_before_play() -> impl Strategy<Value = Deed> {
    let bye =
        prop::sample::select(vec![ByeKind::FullPoint, ByeKind::HalfPoint, ByeKind::ZeroPoint]);
    let team = || (1..4_u32).prop_map(TeamId);
    let entry = prop_oneof![any_player().prop_map(Entry::Player), team().prop_map(Entry::Team)];
    let order = || prop::collection::vec(any_number(), 0..4);
    prop_oneof![
        (0..5_u32).prop_map(|it| Deed::TablesListed {
            tables: (0..it).map(|table| table.to_string()).collect()
        }),
        (any_player(), "[a-c]{0,2}").prop_map(|(player, name)| Deed::PlayerEntered {
            player,
            name: PersonName::from(name.as_str()),
            club: None
        }),
        (team(), "[a-c]{0,2}", any_player(), any_player()).prop_map(|(team, name, one, other)| {
            Deed::TeamMade { team, name, members: [one, other] }
        }),
        (team(), any_player(), any_player()).prop_map(|(team, leaves, joins)| {
            Deed::MemberReplaced { team, leaves, joins, note: Some("ill".to_owned()) }
        }),
        (any_game(), any_round()).prop_map(|(game, rounds)| Deed::SectionChanged {
            section: section(),
            terms: terms(game, rounds)
        }),
        (any_number(), entry, any_round()).prop_map(|(number, entry, from_round)| {
            Deed::EntrantAdded { section: section(), number, entry, from_round }
        }),
        (any_number(), any_round()).prop_map(|(number, from_round)| Deed::EntrantWithdrawn {
            section: section(),
            number,
            from_round
        }),
        any_number().prop_map(|number| Deed::EntrantReturned { section: section(), number }),
        any_number().prop_map(|number| Deed::EntrantRemoved { section: section(), number }),
        (any_number(), any_round(), bye).prop_map(|(number, round, bye)| Deed::ByeGiven {
            section: section(),
            number,
            round,
            bye
        }),
        (any_number(), any_round()).prop_map(|(number, round)| Deed::ByeTakenBack {
            section: section(),
            number,
            round
        }),
        any_round().prop_map(|round| Deed::RoundOpened { section: section(), round }),
        order().prop_map(|order| Deed::CoinTossHeld { section: section(), order }),
        order().prop_map(|order| Deed::CoinTossTakenBack { section: section(), order }),
    ]
}

/// Any deed of a round, sensible or not.
fn any_deed_of_a_round() -> impl Strategy<Value = Deed> {
    let side = || prop::collection::vec(any_number(), 1..3);
    let outcome = prop::sample::select(vec![
        Outcome::Win(Side::First),
        Outcome::Win(Side::Second),
        Outcome::Draw,
        Outcome::ForfeitWin(Side::First),
        Outcome::DoubleForfeit,
    ]);
    let result = || (any_pairing(), prop::collection::vec(outcome.clone(), 0..3));
    let place = || (any_pairing(), (0..4_u32).prop_map(|it| it.to_string()), side(), side());
    prop_oneof![
        (place(), any_round()).prop_map(|((pairing, table, one, other), round)| {
            let sides = [one, other];
            Deed::PairingMade { pairing, section: section(), round, table, board: None, sides }
        }),
        place().prop_map(|(pairing, table, one, other)| {
            Deed::PairingChanged { pairing, table, board: Some(7), sides: [one, other] }
        }),
        any_pairing()
            .prop_map(|pairing| Deed::PairingWithdrawn { pairing, note: "no show".to_owned() }),
        (any_pairing(), prop::collection::vec(any_player(), 2..5))
            .prop_map(|(pairing, seats)| Deed::SeatsChosen { pairing, seats, note: None }),
        (any_pairing(), any_pairing(), any_number(), any_number()).prop_map(
            |(one, other, leaves, comes)| Deed::EntrantsExchanged {
                pairings: [one, other],
                numbers: [leaves, comes]
            }
        ),
        (any_pairing(), any_pairing())
            .prop_map(|(one, other)| Deed::TablesExchanged { pairings: [one, other] }),
        any_pairing().prop_map(|pairing| Deed::MatchStarted { pairing }),
        any_pairing().prop_map(|pairing| Deed::MatchEnded { pairing }),
        result().prop_map(|(pairing, outcomes)| Deed::ResultEntered { pairing, outcomes }),
        any_pairing().prop_map(|pairing| Deed::ResultConfirmed { pairing }),
        result().prop_map(|(pairing, outcomes)| {
            Deed::ResultSuperseded { pairing, outcomes, note: "appeal".to_owned() }
        }),
        any_pairing().prop_map(|pairing| Deed::ResultWithdrawn {
            pairing,
            note: "the other table's".to_owned()
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn refused_acts_change_nothing_and_what_is_taken_never_contradicts_itself(
        game in any_game(),
        deeds in prop::collection::vec(
            prop_oneof![any_deed_before_play(), any_deed_of_a_round()], 1..80),
    ) {
        let mut event = if game == SectionKind::Teams { teams() } else { alone(game, 5) };
        for deed in deeds {
            let before = event.clone();
            let number = event.next_number();
            match event.handle(EventAct { number, by: author(Role::Chief), deed }) {
                Ok(_) => prop_assert_eq!(event.acts().len(), before.acts().len() + 1),
                Err(refusal) => {
                    prop_assert_eq!(&event, &before);
                    prop_assert!(!refusal.what.is_empty() && !refusal.todo.is_empty());
                }
            }
            let rounds = event.section(SECTION).map_or(0, |section| section.terms.rounds);
            for after in 0..=rounds.min(3) {
                let standings = event.standings(SECTION, Some(after), Names::Hidden);
                prop_assert!(standings.is_ok(), "{:?}", standings);
            }
        }
        let mut again = Event::default();
        prop_assert!(again.apply_all(event.acts().to_vec()).is_ok());
        prop_assert_eq!(again, event);
    }
}
