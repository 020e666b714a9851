//! A family chooses its child's name in public, a link follows one child until it is revoked, and what is announced stays up
//! until it is taken down.

mod support;

use event::{
    Announcement, Consent, Deed, Event, MessageLanguage, Names, PlayerId, RefusalKind, SectionKind,
    import::FileKind,
};
use support::{done, number, opened, refused, taken};

const PUBLIC: [Names; 2] =
    [Names::Consented { otherwise: false }, Names::Consented { otherwise: true }];

fn blitz() -> Event {
    let mut event = opened(2, &[("Blitz", SectionKind::Players, 3)]);
    let list = "Section,Number,Player\nBlitz,1,Ana Avalos\nBlitz,2,\"Berg, Bo\"\n";
    taken(&mut event, FileKind::Players, list);
    event
}

fn player(event: &Event, first: &str) -> PlayerId {
    let mut ids = event.players().keys().copied();
    ids.find(|id| event.first_name(*id).as_deref() == Some(first)).expect(first)
}

#[test]
fn a_child_is_named_in_public_as_its_family_says() {
    let mut event = blitz();
    let bo = player(&event, "Bo");
    let names =
        |event: &Event, names| [1, 2].map(|at| event.entrant_name("Blitz", number(at), names));
    let [closed, open] = PUBLIC;
    assert_eq!(names(&event, closed), ["No. 1", "No. 2"]);
    assert_eq!(names(&event, open), ["Ana Avalos", "Berg, Bo"]);
    for (consent, shown) in
        [(Consent::Name, "Berg, Bo"), (Consent::FirstName, "Bo"), (Consent::Number, "No. 2")]
    {
        done(&mut event, Deed::ConsentGiven { player: bo, consent: Some(consent) });
        assert_eq!(names(&event, closed), ["No. 1", shown]);
        assert_eq!(names(&event, open), ["Ana Avalos", shown]);
        // Directors see who plays; the organiser's own lists without names have none.
        assert_eq!(names(&event, Names::Shown)[1], "Berg, Bo");
        assert_eq!(names(&event, Names::Hidden)[1], "No. 2");
    }
    done(&mut event, Deed::ConsentGiven { player: bo, consent: None });
    assert_eq!(names(&event, open)[1], "Berg, Bo");
}

#[test]
fn a_link_is_of_one_child_and_ends_when_it_is_revoked_or_replaced() {
    let mut event = blitz();
    let (ana, bo) = (player(&event, "Ana"), player(&event, "Bo"));
    let digest = |character: char| character.to_string().repeat(64);
    let given = |player, character| Deed::LinkGiven { player, digest: digest(character) };
    done(&mut event, given(ana, 'a'));
    assert_eq!(event.linked(&digest('a')), Some(ana));
    assert_eq!(refused(&mut event, given(bo, 'a')).kind, RefusalKind::Taken);
    assert_eq!(refused(&mut event, given(bo, 'A')).kind, RefusalKind::OutOfBounds);
    done(&mut event, given(ana, 'b'));
    assert_eq!((event.linked(&digest('a')), event.linked(&digest('b'))), (None, Some(ana)));
    done(&mut event, Deed::LinkRevoked { player: ana });
    assert_eq!(event.linked(&digest('b')), None);
    assert_eq!(refused(&mut event, Deed::LinkRevoked { player: ana }).kind, RefusalKind::Unknown);
    // A removed player has no followers.
    done(&mut event, given(bo, 'c'));
    done(&mut event, Deed::EntrantRemoved { section: "Blitz".to_owned(), number: number(2) });
    assert_eq!(event.linked(&digest('c')), None);
}

#[test]
fn a_family_is_told_of_pairings_by_a_link_that_it_has_and_by_no_later_one() {
    let mut event = blitz();
    let ana = player(&event, "Ana");
    let asked = |language| Deed::PairingsFollowed { player: ana, language };
    let english = Some(MessageLanguage::En);
    assert_eq!(refused(&mut event, asked(english)).kind, RefusalKind::Unknown);
    let given =
        |character: char| Deed::LinkGiven { player: ana, digest: character.to_string().repeat(64) };
    done(&mut event, given('a'));
    done(&mut event, asked(english));
    let followers = |event: &Event| event.followers().map(|it| it.player).collect::<Vec<_>>();
    assert_eq!((followers(&event), event.is_followed(ana)), (vec![ana], true));
    done(&mut event, asked(None));
    assert_eq!(followers(&event), []);
    done(&mut event, asked(english));
    done(&mut event, Deed::LinkRevoked { player: ana });
    assert_eq!((followers(&event), event.is_followed(ana)), (vec![], false));
    // The holder of a new link has not asked.
    done(&mut event, given('b'));
    assert_eq!(followers(&event), []);
}

#[test]
fn announcements_and_beginnings_of_rounds_are_up_until_they_are_taken_down() {
    let mut event = blitz();
    let announced = |text: &str, section: Option<&str>| Deed::Announced {
        text: text.to_owned(),
        section: section.map(str::to_owned),
    };
    done(&mut event, announced("Pizza at noon", None));
    done(&mut event, announced("Round 2 is late", Some("Blitz")));
    assert_eq!(refused(&mut event, announced("Pizza at noon", None)).kind, RefusalKind::Taken);
    assert_eq!(refused(&mut event, announced("x", Some("K-6"))).kind, RefusalKind::Unknown);
    done(&mut event, Deed::AnnouncementEnded { text: "Pizza at noon".to_owned() });
    let late =
        Announcement { text: "Round 2 is late".to_owned(), section: Some("Blitz".to_owned()) };
    assert_eq!(event.announcements(), [late]);
    (2..=8).for_each(|at| done(&mut event, announced(&format!("Word {at}"), None)));
    let refusal = refused(&mut event, announced("One too many", None));
    assert_eq!(refusal.kind, RefusalKind::OutOfBounds);
    let timed =
        |round, starts_ms| Deed::RoundTimed { section: "Blitz".to_owned(), round, starts_ms };
    done(&mut event, timed(2, Some(1_000)));
    assert_eq!(event.section("Blitz").unwrap().starts.get(&2), Some(&1_000));
    done(&mut event, timed(2, None));
    assert!(event.section("Blitz").unwrap().starts.is_empty());
    assert_eq!(refused(&mut event, timed(4, Some(1))).kind, RefusalKind::OutOfBounds);
}
