//! Lists and reports as other programs and people write them: nothing is guessed, and what is wrong is named.

mod support;

use event::{
    Event, Names, SectionKind,
    import::{FileKind, Mapping, Options, Preview, outcomes_to_text, preview},
};
use rules::rulebook::BookId;
use rules::standings::{ByeKind::HalfPoint, TieBreak};
use support::{look, number, opened, options, taken};

fn players(count: u32) -> Event {
    let mut event = opened(count, &[("Open", SectionKind::Players, 5)]);
    let rows: String = (1..=count).map(|it| format!("{it},Player {it}\n")).collect();
    taken(&mut event, FileKind::Players, &format!("No.,Name\n{rows}"));
    event
}

fn said(preview: &Preview) -> String {
    preview.problems.iter().map(|problem| format!("{problem}\n")).collect()
}

#[test]
fn somebody_whose_name_is_bye_is_paired() {
    let mut event = opened(2, &[("Open", SectionKind::Players, 2), ("K-6", SectionKind::Teams, 2)]);
    taken(&mut event, FileKind::Players, "Section,Name\nOpen,Pat Bye\nOpen,Leo Birch\n");
    taken(
        &mut event,
        FileKind::Teams,
        "Section,Team,Player 1,Player 2\nK-6,Bye Bye Birdies,A,B\nK-6,Oak,C,D\n",
    );
    let list = "Section,Round,Table,First,Second,Result\nOpen,1,1,Leo Birch,Pat Bye,1-0\nK-6,1,2,Bye Bye Birdies,Oak,0-1\n";
    taken(&mut event, FileKind::Pairings, list);
    assert!(event.sections().values().all(|section| section.byes.is_empty()));
    assert_eq!(event.round("Open", 1).count() + event.round("K-6", 1).count(), 2);
}

#[test]
fn an_empty_opponent_gives_no_points() {
    let event = players(7);
    for row in ["1,,6,", "1,2,7,"] {
        let preview =
            look(&event, FileKind::Pairings, &format!("Round,Table,White,Black\n{row}\n"));
        assert!(!preview.is_sound(), "{row}");
        assert!(preview.problems[0].what.contains("no opponent"), "{}", said(&preview));
    }
    let contradiction = "Round,Table,White,Black,Result\n1,,6,half-point bye,1-0\n";
    assert!(!look(&event, FileKind::Pairings, contradiction).is_sound());
    let other_side = "Round,Table,White,Black\n1,,BYE,6\n";
    assert!(look(&event, FileKind::Pairings, other_side).is_sound());
}

#[test]
fn names_that_look_the_same_are_one_person() {
    let mut event = opened(2, &[("Open", SectionKind::Players, 2)]);
    taken(&mut event, FileKind::Players, "Name\nZoe\u{308} Pa\u{302}quet\nFinn O'Neil\n");
    let list = "Round,Table,White,Black\n1,1,Zoë\u{a0}Pâquet\u{200b},finn O\u{2019}Neil\n";
    taken(&mut event, FileKind::Pairings, list);
    let before = event.players().len();
    taken(&mut event, FileKind::Players, "Name\nZoë Pâquet\u{200b}\n");
    assert_eq!(event.players().len(), before, "the same child is not entered twice");
}

#[test]
fn two_children_of_one_name_are_two_by_number_club_or_id() {
    let sections: &[_] = &[("Open", SectionKind::Players, 2)];
    for list in [
        "No.,Name\n1,Sam Lee\n2,Leo Birch\n3,Sam Lee\n",
        "Name,Club\nSam Lee,Oak\nLeo Birch,Oak\nSam Lee,Elm\n",
        "Name,USCF ID\nSam Lee,1\nLeo Birch,2\nSam Lee,3\n",
    ] {
        let mut event = opened(2, sections);
        let preview = look(&event, FileKind::Players, list);
        assert!(said(&preview).contains("warning: another one is called \"Sam Lee\""), "{list}");
        preview.apply(&mut event).expect("two people");
        assert_eq!(event.players().len(), 3, "{list}");
    }
    let event = opened(2, sections);
    let preview = look(&event, FileKind::Players, "Name\nSam Lee\nSam Lee\n");
    assert!(!preview.is_sound());
    assert!(said(&preview).contains("if they are two people"), "{}", said(&preview));
}

#[test]
fn results_of_other_programs_are_read_and_others_are_an_error_with_the_list() {
    let mut event = players(12);
    let list = "Round;Table;White;Black;Result\n1;1;1;2;1 - 0\n1;2;3;4;½ - ½\n1;3;5;6;0,5-0,5\n1;4;7;8;+ : -\n1;5;9;10;0-0\n1;6;11;12;½-0\n";
    taken(&mut event, FileKind::Pairings, list);
    let results: Vec<String> =
        event.round("Open", 1).map(|(_, it)| outcomes_to_text(&it.outcomes)).collect();
    assert_eq!(results, ["1-0", "½-½", "½-½", "1F-0F", "0-0", "½-0"]);
    let scores: Vec<u32> = (1..=12)
        .map(|it| {
            event
                .results("Open", Names::Hidden)
                .unwrap()
                .score(number(it), 1)
                .unwrap()
                .half_points()
        })
        .collect();
    assert_eq!(scores, [2, 0, 1, 1, 1, 1, 2, 0, 0, 0, 1, 0]);
    for (result, word) in [("White", "write 1-0"), ("2-0", "one game"), ("01.Jan", "spreadsheet")] {
        let list = format!("Round,Table,White,Black,Result\n2,1,1,3,{result}\n");
        let preview = look(&event, FileKind::Pairings, &list);
        assert!(!preview.is_sound() && said(&preview).contains(word), "{}", said(&preview));
    }
}

#[test]
fn what_goes_out_comes_back_after_a_spreadsheet_saved_it() {
    let mut event = players(4);
    taken(
        &mut event,
        FileKind::Pairings,
        "Round,Table,White,Black,Result\n1,1,1,2,1-0\n1,2,3,4,½-½\n",
    );
    let csv = event.results_csv(None, None).expect("results");
    assert!(
        csv.is_ascii(),
        "a spreadsheet takes UTF-8 without a mark for its own code page: {csv}"
    );
    let saved = csv.replace(',', ";").replace("1-0", "Jan-00").replace('\n', "\r\n");
    let preview = look(&event, FileKind::Results, &saved);
    assert!(preview.is_sound() && preview.acts.is_empty(), "{}", said(&preview));
    assert!(preview.differences.is_empty(), "{:?}", preview.differences);
}

#[test]
fn the_header_is_found_and_columns_may_be_joined_placed_or_constant() {
    let mut event = opened(4, &[("Open", SectionKind::Players, 3), ("K-6", SectionKind::Teams, 3)]);
    let open = Options { section: Some("Open".to_owned()), ..options() };
    let take = |event: &mut Event, kind, text: &str, options: &Options| {
        let preview = preview(event, kind, text.as_bytes(), options);
        assert!(preview.is_sound(), "{}", said(&preview));
        preview.apply(event).expect("sound");
    };
    let list = "sep=;\r\nSpring Open, Hall\r\nFirst Name;Last Name;School\r\nIda;Aster;Oak\r\nLeo;Birch;Oak\r\n";
    take(&mut event, FileKind::Players, list, &open);
    assert_eq!(event.entrant_name("Open", number(1), Names::Shown), "Ida Aster");
    let k6 = Options { section: Some("K-6".to_owned()), ..options() };
    let list = "Team,Name,Grade,Name,Grade\nOak,Ann,4,Ben,5\n";
    take(&mut event, FileKind::Teams, list, &k6);
    assert_eq!(event.teams().len(), 1);
    let third = Options { round: Some(1), ..open.clone() };
    take(&mut event, FileKind::Pairings, "Bd,White,Res,Black,Res\n1,1,0,2,1\n", &third);
    let (_, pairing) = event.round("Open", 1).next().expect("a pairing");
    assert_eq!(outcomes_to_text(&pairing.outcomes), "0-1", "each side's own column");
    let mapping: Mapping =
        serde_json::from_str(r#"{"columns":{"player":["Given","Surname"],"club":3}}"#)
            .expect("a mapping");
    let mapped = Options { mapping: Some(mapping), ..open };
    take(&mut event, FileKind::Players, "Given,Surname,\nMia,Cedar,Elm\n", &mapped);
    assert_eq!(event.entrant_name("Open", number(3), Names::Shown), "Mia Cedar");
}

#[test]
fn a_mapping_is_there_also_when_the_guess_is_not_enough() {
    let event = opened(2, &[("K-6", SectionKind::Teams, 3)]);
    let preview = look(&event, FileKind::Teams, "Lag,Enfant 1,Enfant 2\nOak,A,B\n");
    assert!(!preview.is_sound() && said(&preview).contains("--mapping"), "{}", said(&preview));
    let text = serde_json::to_string(&preview.mapping).expect("JSON");
    assert!(text.contains(r#""team":"""#) && text.contains(r#""partner":"""#), "{text}");
}

#[test]
fn files_of_another_kind_or_encoding_are_named() {
    let event = opened(2, &[("K-6", SectionKind::Teams, 3)]);
    let look = |bytes: &[u8]| preview(&event, FileKind::Teams, bytes, &options());
    let workbook = look(b"PK\x03\x04\x14\0\x06\0[Content_Types].xml");
    assert_eq!(workbook.problems.len(), 1);
    assert!(
        said(&workbook).contains("workbook") && said(&workbook).contains("save the sheet as CSV")
    );
    let mac = look(b"Team,Player 1,Player 2\n\x83toiles,Zo\x91 P\x89quet,Jos\x8e Mu\x96oz\n");
    assert!(said(&mac).contains("another encoding"), "{}", said(&mac));
    let dos = look(b"Team,Player 1,Player 2\n\x90toiles,Zo\x89,B\n");
    assert!(!dos.is_sound() && said(&dos).contains("another encoding"), "{}", said(&dos));
    let halves = look(b"Team,Player 1,Player 2,Club\nOak,A,B,C\nElm,Cedar, Mia,Dogwood\n");
    assert!(said(&halves).contains("line 3, Player 2: warning"), "{}", said(&halves));
    let open = look(b"Team,Player 1,Player 2\nOak,A,B\nElm,C,\"D\nFir,E,F\n");
    assert!(said(&open).contains("quotation mark is not closed"), "{}", said(&open));
}

fn line(rank: u32, name: &str, points: &str, rounds: &str) -> String {
    format!("001 {rank:>4}      {name:<66}{points:>4} {rank:>4}  {rounds}\n")
}

fn report(text: &str, event: &Event, more: Options) -> Preview {
    preview(
        event,
        FileKind::Trf,
        text.as_bytes(),
        &Options { rulebook: Some(BookId::NcScholastic), ..more },
    )
}

fn read(text: &str) -> (Event, String) {
    let mut event = opened(0, &[]);
    let preview = report(text, &event, options());
    let words = said(&preview);
    preview.apply(&mut event).unwrap_or_else(|error| panic!("{error}: {words}"));
    (event, words)
}

fn scores(event: &Event, count: u32) -> Vec<u32> {
    let results = event.results("Open", Names::Hidden).expect("results");
    (1..=count)
        .map(|it| results.score(number(it), results.rounds()).unwrap().half_points())
        .collect()
}

const TITLE: &str = "012 Open\n";

#[test]
fn a_report_counted_in_bytes_has_its_results() {
    let by_bytes = |rank: u32, name: &str, points: &str, rounds: &str| {
        let padding = " ".repeat(66 - name.len());
        format!("001 {rank:>4}      {name}{padding}{points:>4} {rank:>4}  {rounds}\n")
    };
    let text = [
        TITLE,
        &by_bytes(1, "Ångström, Zoé", "1.0", "   2 w 1"),
        &by_bytes(2, "Jäger, René", "0.0", "   1 b 0"),
    ];
    let (event, words) = read(&text.concat());
    assert_eq!(scores(&event, 2), [2, 0]);
    assert!(words.contains("counted in bytes"), "{words}");
    assert_eq!(event.entrant_name("Open", number(1), Names::Shown), "Ångström, Zoé");
}

#[test]
fn a_report_that_does_not_add_up_is_warned_of() {
    let text = [TITLE, &line(1, "A", "3.5", "   2 w 1"), &line(2, "B", "0.0", "   1 b 0")].concat();
    let (_, words) = read(&text);
    assert_eq!(words.matches("warning").count(), 1, "{words}");
    assert!(words.contains("3.5") && words.contains("1.0"), "{words}");
}

#[test]
fn records_that_are_not_read_are_named_and_those_that_change_points_are_refused() {
    let players = [
        line(1, "A", "1.0", "   2 w 1"),
        line(2, "B", "0.0", "   1 b 0"),
        line(3, "C", "0.0", "0000 - Z"),
    ]
    .concat();
    let head = "012 Open\n142 3\n162  W 1.0    D 0.5    L 0.0\n013 Oak   1 2\n202 BH\n240 H   2    3\n### a remark\n";
    let (event, words) = read(&format!("{head}{players}"));
    assert!(words.contains("013 (line 4)"), "{words}");
    assert_eq!(event.sections()["Open"].terms.tie_breaks, [TieBreak::Buchholz]);
    assert_eq!(event.sections()["Open"].byes.get(&(number(3), 2)), Some(&HalfPoint));
    let three = format!("012 Open\nXXS W=3 D=1 L=0\n{players}");
    let preview = report(&three, &opened(0, &[]), options());
    assert!(!preview.is_sound() && said(&preview).contains("gives 3 for W"), "{}", said(&preview));
}

#[test]
fn a_round_that_nobody_played_is_none_and_one_of_byes_alone_is_open() {
    let text = [
        TITLE,
        &line(1, "A", "1.0", "   2 w 1  0000 -  "),
        &line(2, "B", "0.0", "   1 b 0  0000 -  "),
    ]
    .concat();
    let (event, _) = read(&text);
    assert_eq!(event.sections()["Open"].terms.rounds, 1);
    assert!(event.sections()["Open"].byes.is_empty());
    let called_off = [
        TITLE,
        &line(1, "A", "2.5", "   2 w 1  0000 - H     2 b 1"),
        &line(2, "B", "0.5", "   1 b 0  0000 - H     1 w 0"),
    ]
    .concat();
    let (event, words) = read(&called_off);
    assert_eq!((event.sections()["Open"].opened, scores(&event, 2)), (3, vec![5, 1]), "{words}");
}

#[test]
fn rulings_that_give_less_than_a_point_are_read() {
    let text = [
        TITLE,
        &line(1, "A", "0.0", "   2 w 0"),
        &line(2, "B", "0.0", "   1 b 0"),
        &line(3, "C", "0.5", "   4 w ="),
        &line(4, "D", "0.0", "   3 b 0"),
    ]
    .concat();
    let (event, words) = read(&text);
    assert_eq!((scores(&event, 4), words.as_str()), (vec![0, 0, 1, 0], ""));
}

#[test]
fn two_groups_by_report_get_tables_of_their_own() {
    let group = |names: [&str; 2]| {
        [TITLE, &line(1, names[0], "1.0", "   2 w 1"), &line(2, names[1], "0.0", "   1 b 0")]
            .concat()
    };
    let mut event = opened(2, &[]);
    report(&group(["A", "B"]), &event, options()).apply(&mut event).expect("sound");
    let other = group(["Elder, Ann", "Fig, Ben"]);
    let same_title = report(&other, &event, options());
    assert!(said(&same_title).contains("--section"), "{}", said(&same_title));
    let section = Options { section: Some("Group B".to_owned()), ..options() };
    let preview = report(&other, &event, section);
    assert_eq!(said(&preview), "");
    preview.apply(&mut event).expect("sound");
    let table = |section: &str| event.round(section, 1).next().map(|(_, it)| it.table.clone());
    assert_eq!((table("Open"), table("Group B")), (Some("1".to_owned()), Some("2".to_owned())));
    let third = Options { section: Some("Group C".to_owned()), ..options() };
    let preview = report(&group(["Gorse, Cas", "Hazel, Dot"]), &event, third);
    assert!(
        preview.is_sound() && said(&preview).contains("both have in round 1: table 1"),
        "{}",
        said(&preview)
    );
}

#[test]
fn a_preview_shows_sections_pairings_and_what_to_look_at() {
    let mut event = opened(4, &[("K-5", SectionKind::Teams, 3)]);
    let more = Options { rulebook: Some(BookId::NcBughouse), rounds: Some(3), ..options() };
    let list =
        "Section,Team,Player 1,Player 2\nK-5,Oak,A,B\nK-5,Elm,C,D\nK-5,Fir,E,F\nK5,Ash,G,H\n";
    let shown = preview(&event, FileKind::Teams, list.as_bytes(), &more);
    let lines: Vec<String> = shown.outlook.lines().collect();
    assert!(
        lines.iter().any(|line| line.starts_with("Section K5") && line.ends_with("(new):")),
        "{lines:#?}"
    );
    assert!(lines.iter().any(|line| line == "  1 Oak: A, B"), "{lines:#?}");
    shown.apply(&mut event).expect("sound");
    let first = "Section,Round,Table,First,Second\nK-5,1,1,Oak,Elm\n";
    let preview = look(&event, FileKind::Pairings, first);
    assert!(said(&preview).contains("without a bye: 3 Fir"), "{}", said(&preview));
    assert!(preview.outlook.lines().any(|line| line == "  Table 1: 1 Oak – 2 Elm"));
    preview.apply(&mut event).expect("sound");
    let again = look(
        &event,
        FileKind::Pairings,
        &first.replace("K-5,1", "K-5,2").replace("Oak,Elm", "Elm,Oak"),
    );
    assert!(said(&again).contains("met before: 2 Elm – 1 Oak (round 1)"), "{}", said(&again));
}

#[test]
fn a_list_beyond_the_limit_is_refused_before_it_is_compared() {
    let event = opened(2, &[("K-6", SectionKind::Teams, 3)]);
    let rows: String = (0..2_501).map(|it| format!("T{it},A{it},B{it}\n")).collect();
    let preview = look(&event, FileKind::Teams, &format!("Team,Player 1,Player 2\n{rows}"));
    assert_eq!((preview.acts.len(), preview.problems.len()), (0, 1));
    assert!(said(&preview).contains("at most 2500 teams"), "{}", said(&preview));
}
