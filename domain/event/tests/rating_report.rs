//! US Chess's rating report and WinTD's tournament: the tables of an event, and their re-import.

mod support;

use event::{
    Deed, Event, Names, SectionKind, SectionTerms,
    export::{RatingReport, ReportHeader},
    import::{FileKind, Options, preview},
};
use rules::{TimeControl, rulebook::BookId};
use support::{done, opened, options, taken, terms};

fn event() -> Event {
    let mut event = opened(4, &[("K-6", SectionKind::Teams, 3)]);
    done(&mut event, Deed::Named { name: "Spring Scholastic".to_owned() });
    for (name, base_s, delay_s) in [("Open", 1_800, 5), ("Reserve", 300, 2)] {
        let time = Some(TimeControl::sudden_death(base_s, delay_s).expect("a time control"));
        let terms = SectionTerms { time, ..terms(SectionKind::Players, 3) };
        done(&mut event, Deed::SectionOpened { section: name.to_owned(), terms });
    }
    taken(
        &mut event,
        FileKind::Players,
        "Section,No.,Name,USCF ID,Rating\nOpen,1,Ida Aster,12345678,1510\nOpen,2,\"Birch, Zoé\",12345679,\nOpen,3,Mia Cedar,77,800\nReserve,1,Tom Dogwood,12345671,\nReserve,2,Ann Elder,12345672,\n",
    );
    taken(
        &mut event,
        FileKind::Pairings,
        "Section,Round,Table,White,Black,Result\nOpen,1,1,2,1,1-0\nOpen,1,,3,bye,\nOpen,2,1,1,3,1F-0F\nOpen,2,,2,half-point bye,\nReserve,1,2,1,2,1/2-1/2\n",
    );
    event
}

fn header() -> ReportHeader {
    ReportHeader {
        days: ["20261121", "20261122"].map(str::to_owned),
        affiliate: "A1234567".to_owned(),
        chief_director: "12340000".to_owned(),
        assistant_director: None,
        city: "Raleigh".to_owned(),
        state: "NC".to_owned(),
        zip_code: "27601".to_owned(),
        scholastic: true,
        made: (2026, 11, 27),
    }
}

/// The lines of a table, each as its columns' names and values: a reader of dBase III of the test's own.
fn lines(table: &[u8]) -> Vec<Vec<(String, String)>> {
    let short = |at: usize| usize::from(u16::from_le_bytes([table[at], table[at + 1]]));
    let (header, width) = (short(8), short(10));
    let columns: Vec<(String, usize)> = table[32..header - 1]
        .chunks(32)
        .map(|column| {
            let name = column[..11].iter().take_while(|byte| **byte != 0).copied().collect();
            (String::from_utf8(name).expect("ASCII"), usize::from(column[16]))
        })
        .collect();
    let count = u32::from_le_bytes(table[4..8].try_into().expect("four bytes")) as usize;
    assert_eq!((table.len(), table[table.len() - 1]), (header + count * width + 1, 0x1a));
    table[header..table.len() - 1]
        .chunks(width)
        .map(|line| {
            let mut at = 1;
            let value = |(name, width): &(String, usize)| {
                let text = String::from_utf8(line[at..at + width].to_vec()).expect("ASCII");
                at += width;
                (name.clone(), text)
            };
            columns.iter().map(value).collect()
        })
        .collect()
}

fn value<'line>(line: &'line [(String, String)], column: &str) -> &'line str {
    &line.iter().find(|(name, _)| name == column).unwrap_or_else(|| panic!("{column}")).1
}

#[test]
fn a_rating_report_has_event_sections_and_rounds() {
    let export = event().rating_report(&header()).expect("two sections of chess");
    let RatingReport { event, sections, players } = export.file;
    let [event] = &lines(&event)[..] else { panic!("one event") };
    assert_eq!(value(event, "H_NAME").trim_end(), "Spring Scholastic");
    assert_eq!((value(event, "H_TOT_SECT"), value(event, "H_FORMAT").trim_end()), (" 2", "2C"));
    let sections = lines(&sections);
    let of_sections =
        |column| -> Vec<&str> { sections.iter().map(|it| value(it, column)).collect() };
    assert_eq!(of_sections("S_SEC_NUM"), [" 1", " 2"]);
    assert_eq!(of_sections("S_R_SYSTEM"), ["D", "B"], "dual and blitz");
    assert_eq!(value(&sections[0], "S_TIMECTL").trim_end(), "G/30;d5");
    assert_eq!(of_sections("S_TOT_RNDS"), [" 2", " 1"]);
    let players = lines(&players);
    let rounds: Vec<[&str; 2]> =
        players.iter().map(|it| [value(it, "D_RND01"), value(it, "D_RND02")]).collect();
    assert_eq!(
        rounds,
        [
            ["L   2B ", "X   3W "],
            ["W   1W ", "H   0  "],
            ["B   0  ", "F   1B "],
            ["D   2W ", "U   0  "],
            ["D   1B ", "U   0  "],
        ]
    );
    assert_eq!(value(&players[0], "D_NAME").trim_end(), "Aster, Ida");
    assert_eq!(value(&players[1], "D_NAME").trim_end(), "Birch, Zoe");
    assert_eq!(
        (value(&players[0], "D_MEM_ID"), value(&players[0], "D_RATING")),
        ("12345678", "1510")
    );
    assert_eq!(export.remarks.len(), 1, "{:?}", export.remarks);
    assert!(export.remarks[0].contains("number 3: 77 is no member id"), "{:?}", export.remarks);
}

#[test]
fn what_us_chess_needs_is_asked_for_and_not_guessed() {
    let bare = event().rating_report(&ReportHeader::default()).expect("two sections");
    assert!(bare.remarks.iter().any(|it| it.contains("affiliate")), "{:?}", bare.remarks);
    let mut unknown = event();
    let terms = terms(SectionKind::Players, 3);
    done(&mut unknown, Deed::SectionOpened { section: "Casual".to_owned(), terms });
    taken(&mut unknown, FileKind::Players, "Section,Name\nCasual,Fay Fig\n");
    let refusal = unknown.rating_report(&header()).unwrap_err();
    assert!(refusal.to_string().contains("time control"), "{refusal}");
    let bughouse = opened(2, &[("K-6", SectionKind::Teams, 3)]);
    assert!(bughouse.rating_report(&header()).unwrap_err().to_string().contains("no section"));
}

#[test]
fn a_tournament_for_wintd_comes_back_with_the_same_standings_and_ids() {
    let mut before = event();
    taken(
        &mut before,
        FileKind::Teams,
        "Section,Team,Player 1,Player 2\nK-6,Forks,Ben,Cam\nK-6,Pins,Dot,Eve\nK-6,Skewers,Fox,Gil\n",
    );
    taken(
        &mut before,
        FileKind::Pairings,
        "Section,Round,Table,First,Second,Result\nK-6,1,3,Forks,Pins,0-1\nK-6,1,,Skewers,bye,\n",
    );
    let export = before.wintd().expect("one game a round");
    assert_eq!(export.remarks, [] as [String; 0]);
    let mut after = opened(4, &[("K-6", SectionKind::Teams, 3)]);
    let chess = Options { rulebook: Some(BookId::NcScholastic), ..options() };
    let preview = preview(&after, FileKind::WinTd, export.file.as_bytes(), &chess);
    assert!(preview.is_sound(), "{:#?}", preview.problems);
    preview.apply(&mut after).expect("sound");
    for section in ["K-6", "Open", "Reserve"] {
        let standings = |event: &Event| {
            let results = event.results(section, Names::Shown).expect("a section");
            results.standings(2, support::ORDER).expect("a round")
        };
        assert_eq!(standings(&after), standings(&before), "{section}");
    }
    let mut listed = [&before, &after].map(|event| {
        event
            .players()
            .values()
            .map(|it| (it.name.reveal().to_owned(), it.id.clone(), it.rating))
            .collect::<Vec<_>>()
    });
    listed.iter_mut().for_each(|players| players.sort());
    assert_eq!(listed[0], listed[1]);
}
