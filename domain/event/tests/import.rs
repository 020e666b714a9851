//! Files as organisers have them: every mistake is named by its line, and nothing is taken by halves.

mod support;

use event::{
    Deed, Event, Names, Role, SectionKind,
    import::{FileKind, ImportError, Mapping, Options, Preview, preview},
};
use rules::rulebook::BookId;
use rules::standings::Outcome;
use support::{act, done, look, number, opened, options, refused, taken};

fn two_sections() -> Event {
    opened(3, &[("K-6", SectionKind::Teams, 3), ("Open", SectionKind::Teams, 3)])
}

const TEAMS: &str = "Section;No.;Team;Player 1;Player 2\n\
    K-6;1;Rooks;Ann;Bob\nK-6;2;Knights;Cy;Di\nK-6;3;Pawns;Ed;Flo\nK-6;4;Kings;Gus;Hal\n";

fn said(preview: &Preview) -> Vec<String> {
    preview.problems.iter().map(ToString::to_string).collect()
}

#[test]
fn every_mistake_of_a_list_of_teams_is_named_by_its_line_and_column() {
    let mut event = two_sections();
    let list = format!(
        "{TEAMS}\nK-7;5;Bishops;Ida;Jon\nK-6;6;ROOKS;Kay;Lou\nK-6;7;Queens;Ann;Max\nK-6;eight;X;M;N\n\
         K-6;9;;Oz;\nK-6;1;Y;P;Q\nK-6;10;Z;R;S;T\nK-6;11;{};U;V\n",
        "w".repeat(201)
    );
    let preview = look(&event, FileKind::Teams, &list);
    let lines: Vec<Option<u64>> = preview.problems.iter().map(|it| it.line).collect();
    let said = said(&preview);
    assert_eq!(lines, [7, 8, 9, 10, 11, 11, 12, 13, 14].map(Some), "{said:#?}");
    let words = [
        "K-7",
        "Rooks",
        "\"Ann\"",
        "\"eight\"",
        "empty",
        "empty",
        "another entrant has",
        "6 fields",
        "longer",
    ];
    for (problem, word) in said.iter().zip(words) {
        assert!(problem.contains(word), "{word:?} in {problem}");
    }
    let before = event.clone();
    assert!(matches!(preview.apply(&mut event), Err(ImportError::Unsound { errors: 9 })));
    assert_eq!(event, before);
}

#[test]
fn lists_are_read_in_every_encoding_and_with_every_delimiter() {
    let list = "Section\tTeam\tPlayer 1\tPlayer 2\nK-6\tÉtoiles\tZoë\tJosé\n";
    let utf16: Vec<u8> =
        format!("\u{feff}{list}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let latin: Vec<u8> =
        list.chars().map(|it| u8::try_from(u32::from(it)).unwrap_or(b'?')).collect();
    for (bytes, encoding) in [(list.into(), "UTF-8"), (utf16, "UTF-16LE"), (latin, "windows-1252")]
    {
        let mut event = two_sections();
        let preview = preview(&event, FileKind::Teams, &bytes, &options());
        assert_eq!((preview.encoding, preview.delimiter), (Some(encoding), Some('\t')));
        preview.apply(&mut event).expect("nothing is wrong with it");
        let team = event.teams().values().next().expect("a team");
        assert_eq!(team.name, "Étoiles", "{encoding}");
    }
}

#[test]
fn a_missing_column_is_named_and_a_mapping_finds_one_with_another_name() {
    let event = two_sections();
    let list = "Section,Team,Kid one,Kid two\nK-6,Rooks,Ann,Bob\n";
    let wrong = said(&look(&event, FileKind::Teams, list));
    assert!(wrong[0].contains("\"player 1\"") && wrong[0].contains("Kid one"), "{wrong:?}");
    let mapping: Mapping = serde_json::from_str(
        r#"{"columns":{"section":"Section","team":"Team","player":"Kid one","partner":"Kid two"}}"#,
    )
    .expect("a mapping");
    let options = Options { mapping: Some(mapping.clone()), ..options() };
    let mapped = preview(&event, FileKind::Teams, list.as_bytes(), &options);
    assert!(mapped.is_sound(), "{:?}", mapped.problems);
    assert_eq!(mapped.mapping, Some(mapping), "to be remembered");
}

#[test]
fn mistakes_of_a_list_of_pairings_are_named_and_a_corrected_one_is_taken() {
    let mut event = two_sections();
    taken(&mut event, FileKind::Teams, TEAMS);
    let list = "Section,Round,Table,Team A,Team B,Result\n\
        K-6,1,1,1,2,\nK-6,1,9,3,4,\nK-6,1,1,3,4,\nK-6,4,2,3,4,\nK-6,1,2,Rooks,4,\nK-6,1,2,3,Nobody,\n\
        K-6,1,2,3,4,won\nK-6,x,2,3,4,\n";
    let preview = look(&event, FileKind::Pairings, list);
    let problems = said(&preview);
    let expected = [
        (3, "no table \"9\""),
        (4, "at this table already"),
        (5, "no round \"4\""),
        (6, "is paired at table"),
        (7, "\"Nobody\""),
        (8, "\"won\" is no result"),
        (9, "no round \"x\""),
    ];
    assert_eq!(problems.len(), expected.len(), "{problems:#?}");
    for (problem, (line, word)) in problems.iter().zip(expected) {
        assert!(
            problem.starts_with(&format!("line {line},")) && problem.contains(word),
            "{problem}"
        );
    }
    taken(
        &mut event,
        FileKind::Pairings,
        "Section,Rd,Bd,Team A,Team B\nK-6,1,1,1,2\nK-6,1,2,Pawns,Kings\n",
    );
    let results = "Section,Rd,Bd,Team A,Team B,Score\nK-6,1,1,1,2,0-1\nK-6,1,3,Pawns,Kings,½-½\n";
    taken(&mut event, FileKind::Pairings, results);
    let round: Vec<_> =
        event.round("K-6", 1).map(|(_, it)| (it.table.clone(), it.confirmed)).collect();
    assert_eq!(round, [("1".to_owned(), true), ("3".to_owned(), true)], "the table was changed");
    let acts = event.acts().len();
    taken(&mut event, FileKind::Pairings, results);
    assert_eq!(event.acts().len(), acts, "what is known is not told again");
    let back = event.results_csv(None, None).expect("results");
    taken(&mut event, FileKind::Results, &back);
    assert_eq!(event.acts().len(), acts, "what went out comes back");
}

#[test]
fn a_result_of_a_match_that_runs_is_a_problem() {
    let mut event = two_sections();
    taken(&mut event, FileKind::Teams, TEAMS);
    taken(
        &mut event,
        FileKind::Pairings,
        "Section,Round,Table,Team A,Team B\nK-6,1,1,1,2\nK-6,1,2,3,bye\n",
    );
    assert_eq!(event.sections()["K-6"].byes.len(), 1);
    let (pairing, _) = event.round("K-6", 1).next().expect("a pairing");
    done(&mut event, Deed::MatchStarted { pairing });
    let preview =
        look(&event, FileKind::Results, "Section,Round,Table,Result\nK-6,1,1,1-0\nK-6,1,2,1-0\n");
    let problems = said(&preview);
    assert!(problems[0].starts_with("line 2,") && problems[0].contains("runs"), "{problems:?}");
    assert!(
        problems[1].starts_with("line 3,") && problems[1].contains("no pairing"),
        "{problems:?}"
    );
}

#[test]
fn a_pair_of_names_is_a_side_where_partners_rotate() {
    let mut event = opened(2, &[("Ladder", SectionKind::RotatingPartners, 2)]);
    taken(&mut event, FileKind::Players, "Name,Club\nAnn,A\nBob,A\nCy,B\nDi,B\n");
    let list = "Round,Table,Team A,Team B,White A,Black A,White B,Black B,Result\n\
        1,1,Ann & Di,2/3,Di,Bob,Cy,Ann,1-0\n";
    taken(&mut event, FileKind::Pairings, list);
    let standings = event.standings("Ladder", None, Names::Shown).expect("standings");
    let best: Vec<&str> = standings.rows[..2].iter().map(|it| it.name.as_str()).collect();
    assert_eq!(best, ["Ann", "Di"]);
    let clubs = event.club_standings("Ladder", None).expect("a section").expect("clubs");
    assert_eq!(clubs.rows[0].rank, clubs.rows[1].rank, "each club has one who won");
}

const WINTD: &str = r#"{"tournament":{"players":[
    {"base":{"name":"Rooks","type":"P"},"tnmt":{"sectionID":0,"pairno":1,"members":[4,5]}},
    {"base":{"name":"Doe, Cy/Roe, Di","type":"P"},"tnmt":{"sectionID":0,"pairno":2}},
    {"name":"Pawns","type":"P","sectionID":0,"pairno":3,"members":[{"base":{"name":"Ed"}},{"base":{"name":"Flo"}}]},
    {"base":{"name":"Gone","type":"P"},"tnmt":{"sectionID":-1}},
    {"base":{"name":"Ann","type":"F"},"tnmt":{"sectionID":-2}},
    {"base":{"name":"Bob","type":"M"},"tnmt":{"sectionID":-2}}],
  "sections":[{"title":"K-6","id":0,"maxRounds":3,"roundsPaired":2}],
  "games":[{"p1":0,"p2":1,"r1":1,"r2":1,"board":1,"result":-1,"type":0},
    {"p1":2,"p2":-1,"r1":1,"r2":0,"result":3,"type":0},
    {"p1":2,"p2":0,"r1":2,"r2":2,"board":2,"result":99,"type":0}]}}"#;

#[test]
fn a_tournament_of_wintd_brings_its_pairs_boards_and_results() {
    let mut event = opened(2, &[]);
    assert!(
        said(&look(&event, FileKind::WinTd, WINTD))[0].contains("K-6"),
        "no rulebook, no section"
    );
    let options = Options { rulebook: Some(BookId::UsChessBughouse2018), ..options() };
    let read =
        |event: &Event, text: &str| preview(event, FileKind::WinTd, text.as_bytes(), &options);
    let first = read(&event, WINTD);
    assert!(first.is_sound(), "{:#?}", first.problems);
    first.apply(&mut event).expect("sound");
    let names: Vec<&str> = event.teams().values().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["Rooks", "Pair 2", "Pawns"], "no person is in a public name");
    assert_eq!(event.players().len(), 6);
    let standings = event.standings("K-6", Some(1), Names::Hidden).expect("standings");
    let scores: Vec<_> =
        standings.rows.iter().map(|it| (it.number, it.score.half_points())).collect();
    assert_eq!(scores, [(number(2), 2), (number(3), 2), (number(1), 0)]);
    assert!(read(&event, WINTD).acts.is_empty(), "what is known is not told again");
    let later = WINTD.replace("\"board\":2,\"result\":99", "\"board\":2,\"result\":0");
    let later = read(&event, &later);
    assert!(
        matches!(&later.acts[0].deed, Deed::ResultEntered { outcomes, .. } if *outcomes == [Outcome::Draw])
    );
    let wrong =
        WINTD.replace("\"board\":2", "\"board\":7").replace("\"members\":[4,5]", "\"members\":[4]");
    let problems = said(&read(&opened(2, &[]), &wrong));
    assert!(
        problems[0].contains("players[0]") && problems[0].contains("1 members"),
        "{problems:?}"
    );
    assert!(!read(&event, "{\"players\":[").is_sound() && !read(&event, "[1]").is_sound());
}

fn trf_line(rank: u32, name: &str, rounds: &str) -> String {
    let head =
        format!("001 {rank:>4} m    {name:<33} 1500 USA    12345678 2010/01/01  1.0 {rank:>4}  ");
    assert_eq!(head.chars().count(), 91, "the columns of the format");
    format!("{head}{rounds}\n")
}

#[test]
fn a_report_of_fide_brings_players_games_and_byes() {
    let report = [
        "012 Spring Open\n142 3\n".to_owned(),
        trf_line(1, "Ann", "   3 w 1  0000 - H"),
        trf_line(2, "Bob", "0000 - U     3 b ="),
        trf_line(3, "Cy", "   1 b 0     2 w ="),
    ]
    .concat();
    let mut event = opened(2, &[]);
    let options = Options { rulebook: Some(BookId::NcScholastic), ..options() };
    let read = |event: &Event, text: &str| preview(event, FileKind::Trf, text.as_bytes(), &options);
    let first = read(&event, &report);
    assert!(first.is_sound(), "{:#?}", first.problems);
    first.apply(&mut event).expect("sound");
    let results = event.results("Spring Open", Names::Hidden).expect("results");
    let chart = results.wall_chart(2);
    let row = |at: usize| chart.rows[at].cells.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!([row(0), row(1), row(2)], [["W3", "H---"], ["B---", "D3"], ["L1", "D2"]]);
    assert_eq!(chart.rows[0].cells[0].had_white, Some(true));
    assert_eq!(event.sections()["Spring Open"].terms.rounds, 3);
    assert!(read(&event, &report).acts.is_empty(), "what is known is not told again");
    let wrong = report.replace("   1 b 0", "   1 b =").replace("001    2 m", "001    3 m");
    let problems = said(&read(&opened(2, &[]), &wrong));
    assert!(problems[0].contains("line 3, round 1") && problems[0].contains("'='"), "{problems:?}");
    assert!(problems[1].contains("line 5, 5-8") && problems[1].contains("line 4"), "{problems:?}");
}

#[test]
fn typed_deeds_are_taken_by_line() {
    let mut event = two_sections();
    let typed = "{\"kind\":\"round-opened\",\"section\":\"K-6\",\"round\":1}\n\n{\"kind\":\"dance\"}\n\
        {\"kind\":\"round-opened\",\"section\":\"K-6\",\"round\":3}\n";
    let preview = look(&event, FileKind::Deeds, typed);
    let lines: Vec<_> = preview.problems.iter().map(|it| it.line).collect();
    assert_eq!(lines, [Some(3), Some(4)], "{:?}", preview.problems);
    taken(&mut event, FileKind::Deeds, "{\"kind\":\"named\",\"name\":\"Spring\"}\n");
    assert_eq!(event.name(), "Spring");
}

#[test]
fn a_preview_of_an_event_that_has_gone_on_is_refused_as_a_whole() {
    let mut event = two_sections();
    let preview = look(&event, FileKind::Teams, TEAMS);
    act(&mut event, Role::Director, Deed::Named { name: "Spring".to_owned() }).expect("a name");
    let before = event.clone();
    assert!(matches!(preview.apply(&mut event), Err(ImportError::Refused(_))));
    assert_eq!(event, before);
    let twice = Deed::Named { name: String::new() };
    assert!(refused(&mut event, twice).to_string().contains("empty"));
}

#[test]
fn a_file_that_is_no_list_is_refused_with_few_words() {
    let event = two_sections();
    for bytes in
        [&b""[..], b"\n\n", b"\xff\xfe", b"\0\0\0\0", b"PK\x03\x04\x14\0\x06\0", b"\"a\nb\nc"]
    {
        let preview = preview(&event, FileKind::Teams, bytes, &options());
        assert!(!preview.is_sound(), "{bytes:?}");
        assert!(preview.problems.len() <= 4, "{:?}", preview.problems);
    }
}

#[test]
fn a_list_with_too_many_rows_or_problems_is_cut_short() {
    let event = two_sections();
    let rows = "K-6,Rooks,Ann\n".repeat(event::import::ROWS_MAX + 1);
    let preview = look(&event, FileKind::Teams, &format!("Section,Team,Player 1,Player 2\n{rows}"));
    assert_eq!(preview.problems.len(), 1);
    let rows = "Moon,Rooks,Ann,Bob\n".repeat(1000);
    let preview = look(&event, FileKind::Teams, &format!("Section,Team,Player 1,Player 2\n{rows}"));
    assert_eq!(preview.problems.len(), event::import::PROBLEMS_MAX);
}
