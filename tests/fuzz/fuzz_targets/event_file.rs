//! Files of organisers: any bytes as a list, FIDE's report or WinTD's tournament; the first byte chooses the kind. Nothing panics, and
//! problems are bounded. A sound file is accepted as a whole, without contradicting itself, and is written again.

#![no_main]

use event::{
    Author, Deed, Event, EventAct, Names, Role,
    export::{ReportHeader, TrfHeader, TrfVersion},
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
        FileKind::Trf,
        FileKind::WinTd,
    ];
    let kind = kinds[usize::from(first) % kinds.len()];
    let rulebook = match kind {
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
        rulebook: Some(rulebook),
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
        let _ = event.trf(section, TrfVersion::Trf26, &TrfHeader::default());
    }
    let _ = (event.wintd(), event.rating_report(&ReportHeader::default()));
});
