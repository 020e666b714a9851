//! Files of organisers: any bytes as CSV or TSV of teams, players, pairings or results, as a tournament of WinTD, or as a report of
//! FIDE. Nothing panics, problems are bounded, and a sound file is imported as a whole without contradicting itself.

#![no_main]

use event::{
    Author, Deed, Event, EventAct, Names, Role,
    import::{FileKind, Options, PROBLEMS_MAX, preview},
};
use libfuzzer_sys::fuzz_target;
use rules::rulebook::BookId;

/// Tables of the event that files are read into.
const TABLES: u32 = 4;
/// Rounds of sections whose rounds a file does not say.
const ROUNDS: u8 = 5;

fuzz_target!(|bytes: &[u8]| {
    let Some((&first, bytes)) = bytes.split_first() else { return };
    let kinds = [
        FileKind::Teams,
        FileKind::Players,
        FileKind::Pairings,
        FileKind::Results,
        FileKind::WinTd,
        FileKind::Trf,
    ];
    let kind = kinds[usize::from(first) % kinds.len()];
    let book = match kind {
        FileKind::Trf => BookId::NcScholastic,
        _ => BookId::UsChessBughouse2018,
    };
    let author = Author { name: "fuzz".to_owned(), role: Role::Director };
    let mut event = Event::default();
    let tables = (1..=TABLES).map(|table| table.to_string()).collect();
    let listed = EventAct { number: 1, by: author.clone(), deed: Deed::TablesListed { tables } };
    event.handle(listed).expect("four tables");
    let options = Options {
        mapping: None,
        rulebook: Some(book),
        rounds: Some(ROUNDS),
        section: None,
        ..Options::new(author)
    };
    let preview = preview(&event, kind, bytes, &options);
    assert!(preview.problems.len() <= PROBLEMS_MAX);
    let sound = preview.is_sound();
    assert_eq!(preview.apply(&mut event).is_ok(), sound);
    for section in event.sections().keys() {
        assert!(event.standings(section, None, Names::Shown).is_ok());
    }
});
