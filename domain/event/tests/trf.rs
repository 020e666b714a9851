//! Tournament reports that are written: they come back with the same standings, and hold what the format can.

mod support;

use event::{
    Deed, Event, Names, SectionKind,
    export::{TrfHeader, TrfVersion},
    import::{FileKind, Options, preview},
};
use rules::{
    rulebook::BookId,
    standings::{ByeKind, FIDE_TIE_BREAKS, TieBreak},
};
use support::{done, number, opened, options, taken, terms};

fn event() -> Event {
    let mut event = opened(4, &[]);
    let tie_breaks = FIDE_TIE_BREAKS.to_vec();
    let terms = event::SectionTerms { tie_breaks, ..terms(SectionKind::Players, 4) };
    done(&mut event, Deed::SectionOpened { section: "Open".to_owned(), terms });
    let list = "No.,Name,USCF ID,Rating\n1,\"Aster, Ida\",12345678,1510\n2,\"Birch, Leo\",,900/12\n3,\"Ångström, Zoé\",30000003,1204\n4,\"Dogwood, Tom\",30000004,unrated\n5,\"Elder, Ann\",30000005,1333\n";
    taken(&mut event, FileKind::Players, list);
    let rounds = "Round,Table,White,Black,Result\n1,1,1,3,1-0\n1,2,4,2,1/2-1/2\n1,,5,BYE,\n2,1,2,1,0-1\n2,2,5,4,1F-0F\n2,,3,half-point bye,\n3,1,1,5,0-0\n3,2,2,3,\n3,,4,zero-point bye,\n";
    taken(&mut event, FileKind::Pairings, rounds);
    let bye = Deed::ByeGiven {
        section: "Open".to_owned(),
        number: number(2),
        round: 4,
        bye: ByeKind::HalfPoint,
    };
    done(&mut event, bye);
    event
}

fn written(event: &Event, version: TrfVersion) -> (String, Vec<String>) {
    let header = TrfHeader {
        city: Some("Springfield".to_owned()),
        federation: Some("USA".to_owned()),
        days: Some(["2026/11/21", "2026/11/22"].map(str::to_owned)),
        chief_arbiter: None,
    };
    let export = event.trf("Open", version, &header).expect("chess");
    (export.file, export.remarks)
}

#[test]
fn a_report_that_is_written_comes_back_with_the_same_standings() {
    let before = event();
    for version in [TrfVersion::Trf16, TrfVersion::Trf26] {
        let (text, _) = written(&before, version);
        let mut after = opened(0, &[]);
        let options = Options { rulebook: Some(BookId::NcScholastic), ..options() };
        let preview = preview(&after, FileKind::Trf, text.as_bytes(), &options);
        assert_eq!(preview.problems, [], "{text}");
        preview.apply(&mut after).expect("sound");
        let standings = |event: &Event| {
            let results = event.results("Open", Names::Shown).expect("a section");
            results.standings(3, FIDE_TIE_BREAKS).expect("a round")
        };
        assert_eq!(standings(&after), standings(&before), "{text}");
        let listed = |event: &Event| -> Vec<_> {
            event.players().values().map(|it| (it.id.clone(), it.rating)).collect()
        };
        assert_eq!(listed(&after), listed(&before));
        assert_eq!(after.sections()["Open"].byes.len(), before.sections()["Open"].byes.len());
        let taken_order = &after.sections()["Open"].terms.tie_breaks;
        match version {
            TrfVersion::Trf16 => assert!(taken_order.contains(&TieBreak::Solkoff)),
            TrfVersion::Trf26 => assert_eq!(taken_order, FIDE_TIE_BREAKS),
        }
    }
}

#[test]
fn lines_have_the_columns_of_the_format() {
    let (text, remarks) = written(&event(), TrfVersion::Trf26);
    let line = text.lines().find(|line| line.starts_with("001    3")).expect("number 3");
    let columns: Vec<char> = line.chars().collect();
    let field = |from: usize, to: usize| -> String { columns[from - 1..to].iter().collect() };
    assert_eq!(field(15, 47).trim_end(), "Ångström, Zoé");
    assert_eq!(
        (field(49, 52), field(58, 68).trim().to_owned()),
        ("1204".to_owned(), "30000003".to_owned())
    );
    assert_eq!((field(81, 84), field(86, 89)), (" 0.5".to_owned(), "   4".to_owned()));
    assert_eq!(field(92, 99), "0001 b 0");
    assert_eq!(field(102, 109), "0000 - H");
    assert!(text.contains("\r\n142 4\r\n") && text.contains("240 H   4    2\r\n"), "{text}");
    assert!(text.contains("202 BH,BH/C1,") && text.contains("212 PTS,BH,"), "{text}");
    assert!(text.contains("  0000 - U  0004 w +"), "the odd player's bye: {text}");
    assert_eq!(remarks.len(), 1, "{remarks:?}");
    let (old, _) = written(&event(), TrfVersion::Trf16);
    assert!(
        old.contains("XXR 4\r\n") && !old.contains("\n240") && old.contains("0000 - H\r\n"),
        "{old}"
    );
}

#[test]
fn points_of_every_letter_that_other_programs_state_are_the_usual_ones() {
    let points = "162  W 1.0    D 0.5    L 0.0    A 0.0    P 1.0    X 0.5\r\n";
    let (text, _) = written(&event(), TrfVersion::Trf26);
    let options = Options { rulebook: Some(BookId::NcScholastic), ..options() };
    let look = |text: &str| preview(&opened(0, &[]), FileKind::Trf, text.as_bytes(), &options);
    assert!(look(&format!("{points}{text}")).is_sound());
    let other = points.replace("X 0.5", "X 0.0");
    assert!(!look(&format!("{other}{text}")).is_sound());
}

#[test]
fn bughouse_and_empty_sections_are_refused() {
    let event = opened(2, &[("K-6", SectionKind::Teams, 3), ("Empty", SectionKind::Players, 3)]);
    for (section, word) in
        [("K-6", "bughouse"), ("Empty", "is empty"), ("Other", "no such section")]
    {
        let refusal = event.trf(section, TrfVersion::Trf26, &TrfHeader::default()).unwrap_err();
        assert!(refusal.to_string().contains(word), "{refusal}");
    }
}
