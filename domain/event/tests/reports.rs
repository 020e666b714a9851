//! Reports of the sides are provisional, are compared with everything else, and replace no confirmed result.

mod support;

use event::{
    Deed, Event, PairingId, Played, RefusalKind, ResultSource, SectionKind, import::FileKind,
};
use proptest::prelude::*;
use rules::standings::{Outcome, Side};
use support::{done, opened, refused, taken};

const ID: PairingId = PairingId(1);
const SIDES: [Side; 2] = [Side::First, Side::Second];

fn paired() -> Event {
    let mut event = opened(2, &[("Blitz", SectionKind::Players, 3)]);
    taken(
        &mut event,
        FileKind::Players,
        "Section,Number,Player\nBlitz,1,Ana Avalos\nBlitz,2,Bo Berg\n",
    );
    done(&mut event, Deed::RoundOpened { section: "Blitz".to_owned(), round: 1 });
    taken(&mut event, FileKind::Pairings, "Section,Round,Table,White,Black\nBlitz,1,1,1,2\n");
    event
}

fn reports(event: &mut Event, side: Side, outcome: Outcome) {
    done(event, Deed::SideReported { pairing: ID, side, outcomes: vec![outcome] });
}

fn result(event: &Event) -> (Vec<Outcome>, bool, Option<ResultSource>) {
    let pairing = &event.pairings()[&ID];
    (pairing.outcomes.clone(), pairing.confirmed, pairing.result_source())
}

#[test]
fn sides_that_agree_have_a_provisional_result_which_a_director_confirms() {
    let mut event = paired();
    let won = Outcome::Win(Side::First);
    reports(&mut event, Side::First, won);
    assert_eq!(result(&event), (vec![won], false, Some(ResultSource::Sides)));
    reports(&mut event, Side::Second, won);
    assert!(event.pairings()[&ID].reports().agree());
    assert!(!event.pairings()[&ID].is_disputed(&[]));
    done(&mut event, Deed::ResultConfirmed { pairing: ID });
    assert!(result(&event).1);
    // A later report changes nothing, and a director hears of it.
    reports(&mut event, Side::Second, Outcome::Draw);
    assert_eq!((result(&event).0, result(&event).1), (vec![won], true));
    assert!(event.pairings()[&ID].is_disputed(&[]));
}

#[test]
fn sides_that_disagree_have_no_result_and_are_disputed_until_a_director_decides() {
    let mut event = paired();
    for side in SIDES {
        reports(&mut event, side, Outcome::Win(side));
    }
    assert_eq!(result(&event).0, []);
    assert!(event.pairings()[&ID].is_disputed(&[]));
    done(&mut event, Deed::ResultEntered { pairing: ID, outcomes: vec![Outcome::Draw] });
    done(&mut event, Deed::ResultConfirmed { pairing: ID });
    assert!(!event.pairings()[&ID].is_disputed(&[Outcome::Draw]));
}

#[test]
fn a_link_of_a_table_is_no_childs_and_ends_when_it_is_revoked_or_replaced() {
    let mut event = paired();
    let digest = |character: char| character.to_string().repeat(64);
    let given = |table: &str, character| Deed::TableLinkGiven {
        table: table.to_owned(),
        digest: digest(character),
    };
    done(&mut event, given("1", 'a'));
    assert_eq!(event.linked_table(&digest('a')).map(|(table, _)| table), Some("1"));
    assert_eq!(event.linked(&digest('a')), None);
    assert_eq!(refused(&mut event, given("2", 'a')).kind, RefusalKind::Taken);
    assert_eq!(refused(&mut event, given("9", 'b')).kind, RefusalKind::Unknown);
    done(&mut event, given("1", 'b'));
    assert_eq!(event.linked_table(&digest('a')), None);
    done(&mut event, Deed::TableLinkRevoked { table: "1".to_owned() });
    assert_eq!(event.linked_table(&digest('b')), None);
}

fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        Just(Outcome::Win(Side::First)),
        Just(Outcome::Win(Side::Second)),
        Just(Outcome::Draw)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn no_report_changes_what_is_confirmed_or_what_a_match_came_to(
        before in prop::collection::vec((0..2_usize, outcome()), 0..3),
        decided in outcome(),
        is_match: bool,
        after in prop::collection::vec((0..2_usize, outcome()), 0..4),
    ) {
        let mut event = paired();
        for (side, outcome) in before {
            reports(&mut event, SIDES[side], outcome);
        }
        if is_match {
            let since = event.next_number();
            event.note_played(ID, Played { running: false, outcomes: vec![decided], is_final: true, since });
        } else {
            done(&mut event, Deed::ResultEntered { pairing: ID, outcomes: vec![decided] });
            done(&mut event, Deed::ResultConfirmed { pairing: ID });
        }
        let differs = after.iter().fold([None; 2], |mut last, (side, outcome)| {
            last[*side] = Some(*outcome);
            last
        });
        for (side, outcome) in after {
            reports(&mut event, SIDES[side], outcome);
        }
        prop_assert_eq!((result(&event).0, result(&event).1), (vec![decided], true));
        let is_disputed = differs.into_iter().flatten().any(|outcome| outcome != decided);
        prop_assert_eq!(event.pairings()[&ID].is_disputed(&[decided]), is_disputed);
    }
}
