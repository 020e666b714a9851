//! Events for tests: acts without ceremony.

#![allow(dead_code, reason = "each test uses its part")]

use event::{
    Author, Change, Deed, Event, EventAct, Refusal, Role, SectionKind, SectionTerms,
    import::{FileKind, Options, Preview, preview},
};
use rules::{
    rulebook::BookId,
    standings::{EntrantNumber, Scoring, TieBreak},
};

pub(crate) const ORDER: &[TieBreak] =
    &[TieBreak::ModifiedMedian, TieBreak::Solkoff, TieBreak::Cumulative];

pub(crate) fn author(role: Role) -> Author {
    Author { name: "floor".to_owned(), role }
}

/// One act in the event's name.
pub(crate) fn act(event: &mut Event, role: Role, deed: Deed) -> Result<Vec<Change>, Refusal> {
    event.handle(EventAct { number: event.next_number(), by: author(role), deed })
}

/// An act of a director that must be accepted.
pub(crate) fn done(event: &mut Event, deed: Deed) {
    let told = format!("{deed:?}");
    act(event, Role::Director, deed).unwrap_or_else(|refusal| panic!("{told}: {refusal}"));
}

/// An act of a director that must be refused, and leave the event as it was.
pub(crate) fn refused(event: &mut Event, deed: Deed) -> Refusal {
    let before = event.clone();
    let told = format!("{deed:?}");
    let refusal = act(event, Role::Director, deed).expect_err(&told);
    assert_eq!(*event, before, "{told} changed something");
    refusal
}

pub(crate) fn terms(game: SectionKind, rounds: u8) -> SectionTerms {
    let rulebook = match game {
        SectionKind::Players => BookId::NcScholastic,
        _ => BookId::McscBughouse,
    };
    SectionTerms {
        game,
        rulebook,
        time: None,
        td_calls: false,
        rounds,
        games_per_round: 1,
        scoring: Scoring::GamePoints,
        tie_breaks: ORDER.to_vec(),
    }
}

/// An event with this number of tables and these sections.
pub(crate) fn opened(tables: u32, sections: &[(&str, SectionKind, u8)]) -> Event {
    let mut event = Event::default();
    let tables = (1..=tables).map(|table| table.to_string()).collect();
    done(&mut event, Deed::TablesListed { tables });
    for &(name, game, rounds) in sections {
        let terms = terms(game, rounds);
        done(&mut event, Deed::SectionOpened { section: name.to_owned(), terms });
    }
    event
}

pub(crate) fn options() -> Options {
    Options::new(author(Role::Director))
}

pub(crate) fn look(event: &Event, kind: FileKind, text: &str) -> Preview {
    preview(event, kind, text.as_bytes(), &options())
}

/// A file that must be accepted.
pub(crate) fn taken(event: &mut Event, kind: FileKind, text: &str) {
    let preview = look(event, kind, text);
    let problems: Vec<String> = preview.problems.iter().map(ToString::to_string).collect();
    preview.apply(event).unwrap_or_else(|error| panic!("{error}: {problems:#?}"));
}

pub(crate) fn number(number: u32) -> EntrantNumber {
    EntrantNumber(number)
}
