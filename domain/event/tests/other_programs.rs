//! Lists as Swiss-Manager, Vega, SwissSys, Swiss-Chess, Papi, forms and spreadsheets write them, in their words and with their additions.

mod support;

use event::{
    Event, Names, SectionKind,
    import::{FileKind, Options, Preview, outcomes_to_text, preview},
};
use rules::{rulebook::BookId, standings::ByeKind};
use support::{number, opened, options};

/// Seven players with their numbers.
fn seven() -> Event {
    let mut event = opened(6, &[("Open", SectionKind::Players, 5)]);
    let list = "No.,Name\n1,Ida Aster\n2,Leo Birch\n3,Mia Cedar\n4,Tom Dogwood\n5,Zoë Elder\n6,Sam Fig\n7,Ann Gale\n";
    support::taken(&mut event, FileKind::Players, list);
    event
}

fn said(preview: &Preview) -> String {
    preview.problems.iter().map(|problem| format!("{problem}\n")).collect()
}

/// Content of a list that must be accepted: results by table, byes by number, and its warnings.
fn paired(list: &[u8]) -> (Vec<String>, Vec<(u32, ByeKind)>, String) {
    let mut event = seven();
    let preview = preview(&event, FileKind::Pairings, list, &options());
    let words = said(&preview);
    preview.apply(&mut event).unwrap_or_else(|error| panic!("{error}: {words}"));
    let results = event.round("Open", 1).map(|(_, pairing)| {
        let sides: Vec<String> = pairing.sides.iter().flatten().map(ToString::to_string).collect();
        format!("{}: {} {}", pairing.table, sides.join("-"), outcomes_to_text(&pairing.outcomes))
    });
    let byes = event.sections()["Open"].byes.iter().map(|((who, _), bye)| (who.0, *bye));
    (results.collect(), byes.collect(), words)
}

/// Names, ids and ratings of a list of players that must be accepted, and its warnings.
fn listed(list: &[u8]) -> (Vec<String>, String) {
    let mut event = opened(2, &[("Open", SectionKind::Players, 5)]);
    let preview = preview(&event, FileKind::Players, list, &options());
    let words = said(&preview);
    preview.apply(&mut event).unwrap_or_else(|error| panic!("{error}: {words}"));
    let line = |(at, player): (u32, &event::Player)| {
        let name = event.entrant_name("Open", number(at), Names::Shown);
        let id = player.id.as_deref().unwrap_or("-");
        format!("{name} {id} {}", player.rating.unwrap_or(0))
    };
    ((1..).zip(event.players().values()).map(line).collect(), words)
}

#[test]
fn pairings_of_swiss_manager_and_its_server_are_read_to_their_last_line() {
    let list = "From the Tournament-Results-Server,,,,,,,,,,\nAutumn Open,,,,,,,,,,\n,,,,,,,,,,\n\
        Round 1 on 2026/11/21 at 10:00,,,,,,,,,,\n\
        Bo.,No.,,White,Rtg,Pts.,Result,Pts.,,Black,No.\n\
        1,1,,\"Aster, Ida\",1500,0,1 - 0,0,,\"Dogwood, Tom\",4\n\
        2,5,,\"Elder, Zoë\",1100,0,½ - ½,0,,\"Birch, Leo\",2\n\
        3,3,,\"Cedar, Mia\",1300,0,+ - -,0,,\"Fig, Sam\",6\n\
        4,7,,\"Gale, Ann\",0,0,½,,,not paired,\n,,,,,,,,,,\nProgram used: Swiss-Manager,,,,,,,,,,\n";
    let (results, byes, words) = paired(list.as_bytes());
    assert_eq!(results, ["1: 1-4 1-0", "2: 5-2 ½-½", "3: 3-6 1F-0F"]);
    assert_eq!(byes, [(7, ByeKind::HalfPoint)]);
    assert!(words.contains("Program used"), "{words}");
    let spanish = "Ronda 1 el 21/11/2026;;;\nM.;Blancas;Resultado;Negras\n1;Ida Aster;1 - 0;Tom Dogwood\n7;Ann Gale;1;descansa\n";
    assert_eq!(paired(spanish.as_bytes()).0, ["1: 1-4 1-0"]);
}

#[test]
fn results_and_byes_of_french_and_american_programs_are_read() {
    let papi = "Appariements ronde 1\nEch;Blancs;Rés;Noirs\n1;Ida Aster;X - X;Tom Dogwood\n2;Zoë Elder;1 - F;Leo Birch\n3;Mia Cedar;F - 1;Sam Fig\n4;Ann Gale;;EXE\n";
    let (results, byes, _) = paired(papi.as_bytes());
    assert_eq!(results, ["1: 1-4 ½-½", "2: 5-2 1F-0F", "3: 3-6 0F-1F"]);
    assert_eq!(byes, [(7, ByeKind::FullPoint)]);
    let swiss_sys = "Round 1\nBd\tRes\tWhite\tRes\tBlack\n1\t1\t1 Aster, Ida (1500 0.0)\t0\t4 Dogwood, Tom (unr. 0.0)\n2\t_____\t5 Elder, Zoë [0.5]\t_____\t2 Birch, Leo (½)\n\t\tSam Fig\t\t*** HALF POINT BYE ***\n\t\tAnn Gale\t\tBye (1pt)\n";
    let (results, byes, _) = paired(swiss_sys.as_bytes());
    assert_eq!(results, ["1: 1-4 1-0", "2: 5-2 "]);
    assert_eq!(byes, [(6, ByeKind::HalfPoint), (7, ByeKind::FullPoint)]);
}

#[test]
fn lists_of_players_have_their_names_ids_and_ratings() {
    let wanted = ["Ida Aster 4100018 1830", "Leo Birch - 0"];
    for list in [
        "Surname,Name,IDFIDE,ELOFIDE\nAster,Ida,4100018,1830\nBirch,Leo,0,0\n",
        "Firstname;Last-Name;Id_Nat;Reg Rating\nIda;Aster;4100018;1830\nLeo;Birch;;\n",
        "Child's first name,Child's last name,Student ID,Player Rating\nIda,Aster,4100018,1830\nLeo,Birch,,\n",
        "TNr;Teilnehmer;NWZ;FideKenn\n1.;Ida Aster;1830;4100018\n2.;Leo Birch;;\n",
    ] {
        assert_eq!(listed(list.as_bytes()).0, wanted, "{list}");
    }
    let empty = ",".repeat(120);
    let wide =
        format!("Name,USCF#,Rating{empty}\nIda Aster,4100018,1830{empty}\nLeo Birch,,{empty}\n");
    assert_eq!(listed(wide.as_bytes()).0, wanted);
    let doubled = listed(b"Name,Rating,Rating\nIda Aster,1830,1700\n").1;
    assert!(doubled.contains("columns 2 and 3 have one name, and 2 is read"), "{doubled}");
}

#[test]
fn a_code_page_of_another_alphabet_is_doubted() {
    for list in [
        &b"Name;School\n\xc8\xe2\xe0\xed \xc4\xf3\xe1;\xd8\xea\xee\xeb\xe0\n"[..],
        b"Name;School\nWac\xb3aw Zi\xeaba;Oak\n",
        b"Name;School\nZo\xeb \xbcuvrard;Oak\n",
    ] {
        let words = listed(list).1;
        assert!(words.contains("another encoding"), "{words}");
    }
}

#[test]
fn each_sides_result_follows_its_name() {
    for list in [
        "Rd;Bd;Black;Result;White;Result\n1;1;Ida Aster;1;Leo Birch;0\n",
        "Rd;Bd;Res;Black;Res;White\n1;1;1;Ida Aster;0;Leo Birch\n",
        "Rd;Bd;Black;Black Result;White;White Result\n1;1;Ida Aster;1;Leo Birch;0\n",
        "Rd;Bd;White;Result 1;Black;Result 2\n1;1;Leo Birch;0;Ida Aster;1\n",
    ] {
        assert_eq!(paired(list.as_bytes()).0, ["1: 2-1 0-1"], "{list}");
    }
    let alone = "Rd;Bd;White;Black;Black Score\n1;1;Ida Aster;Leo Birch;1\n";
    let preview = support::look(&seven(), FileKind::Pairings, alone);
    assert!(said(&preview).contains("error: only the second side has a result"), "{preview:?}");
}

#[test]
fn points_before_a_round_are_doubted_as_results() {
    let doubt = "number of points that the two have before the round";
    let list = "Round,Bd,White,Score,Black,Score\n1,1,1,0,2,0\n1,2,3,0.0,4,0.0\n";
    let words = paired(list.as_bytes()).2;
    assert!(words.contains(doubt), "{words}");
    let mut event = seven();
    let first = "Round,Bd,White,Score,Black,Score\n1,1,1,1,2,0\n1,2,3,½,4,½\n";
    let preview = support::look(&event, FileKind::Pairings, first);
    assert!(!said(&preview).contains(doubt), "results are no points: {}", said(&preview));
    preview.apply(&mut event).expect("results");
    let second = "Round,Bd,White,Score,Black,Score\n2,1,1,1,5,0\n2,2,3,½,4,½\n";
    let words = said(&support::look(&event, FileKind::Pairings, second));
    assert!(words.contains(doubt), "{words}");
}

#[test]
fn a_bye_on_the_first_side_has_its_entrants_result() {
    let list = "Round;Bd;White;Res;Black;Res\n1;1;BYE;0;Ida Aster;1\n1;2;bye;0;Leo Birch;½\n";
    let (full, half) = ((1, ByeKind::FullPoint), (2, ByeKind::HalfPoint));
    assert_eq!(paired(list.as_bytes()).1, [full, half]);
    let list = "Round;Bd;White;Black;Result\n1;1;bye;Ida Aster;0:1\n1;2;Leo Birch;bye;½ - ½\n";
    assert_eq!(paired(list.as_bytes()).1, [full, half]);
    let other = "Round;Bd;White;Black;Result\n1;1;half-point bye;Ida Aster;1-0\n";
    assert!(!support::look(&seven(), FileKind::Pairings, other).is_sound());
}

#[test]
fn sections_whose_names_have_the_same_letters_are_doubted() {
    let options = Options { rulebook: Some(BookId::NcScholastic), rounds: Some(3), ..options() };
    let words = |list: &str| {
        said(&preview(&Event::default(), FileKind::Players, list.as_bytes(), &options))
    };
    let doubted = words("Section,No.,Name\nK-6,1,Ida\nk6,1,Leo\n");
    assert!(doubted.contains("\"k6\" is another section than \"K-6\""), "{doubted}");
    assert_eq!(words("Section,No.,Name\nK-6,1,Ida\nk‑6 ,2,Leo\nK-7,1,Ann\n"), "");
}

#[test]
fn a_report_of_two_tournaments_or_with_a_blank_round_is_named() {
    let line = |rank: u32, points: &str, rounds: &str| {
        format!(
            "001 {rank:>4}      {:<66}{points:>4} {rank:>4}  {rounds}\n",
            format!("Child {rank}")
        )
    };
    let options = Options { rulebook: Some(BookId::NcScholastic), ..options() };
    let words =
        |report: &str| said(&preview(&opened(0, &[]), FileKind::Trf, report.as_bytes(), &options));
    let [one, other] = [line(1, "1.0", "   2 w 1"), line(2, "0.0", "   1 b 0")];
    assert_eq!(words(&format!("012 Open\n{one}{other}")), "");
    let [three, four] = [line(3, "1.0", "   4 w 1"), line(4, "0.0", "   3 b 0")];
    let both = words(&format!("012 Open\n{one}{other}012 K-6\n{three}{four}"));
    assert!(both.contains("error: \"K-6\" begins here"), "{both}");
    let [one, other] = [line(1, "1.0", "             2 w 1"), line(2, "0.0", "             1 b 0")];
    let blank = words(&format!("012 Open\n{one}{other}"));
    assert!(blank.contains("warning: no line has anything in round 1"), "{blank}");
}

/// Sections of the players after a list, and its warnings.
fn sections_of(event: &mut Event, list: &str) -> (Vec<String>, String) {
    let preview = support::look(event, FileKind::Players, list);
    let words = said(&preview);
    preview.apply(event).unwrap_or_else(|error| panic!("{error}: {words}"));
    let lines = event.sections().iter().flat_map(|(section, it)| {
        let names = it.entrants.keys().map(|&at| event.entrant_name(section, at, Names::Shown));
        names.map(move |name| format!("{section}: {name}")).collect::<Vec<_>>()
    });
    (lines.collect(), words)
}

#[test]
fn a_title_between_rows_gives_their_section() {
    let sections = [("Open", SectionKind::Players, 5), ("U1000", SectionKind::Players, 5)];
    let lists = [
        "Name,School\nOPEN SECTION,\nAnn Lee,Hill\nBob Ray,\nTotal players: 2,\nU1000,\nCy Poe,Hill\n",
        "Spring Classic\nSection: Open\nName,School\nAnn Lee,Hill\nBob Ray,\n\nU1000 Section\nName,School\nCy Poe,Hill\n",
    ];
    for list in lists {
        let (entered, words) = sections_of(&mut opened(2, &sections), list);
        assert_eq!(entered, ["Open: Ann Lee", "Open: Bob Ray", "U1000: Cy Poe"], "{list}");
        assert!(words.contains("rows below it that name no section are in \"Open\""), "{words}");
    }
    // An option, and a title that names no section of the event, change nothing.
    let list = "Section: Elementary\nName,School\nAnn Lee,Hill\n";
    let (entered, words) = sections_of(&mut opened(2, &sections[..1]), list);
    assert_eq!((entered.concat().as_str(), words.as_str()), ("Open: Ann Lee", ""));
}

#[test]
fn titles_between_pairings_give_section_and_round() {
    let sections = [("Open", SectionKind::Players, 5), ("Novice", SectionKind::Players, 5)];
    let mut event = opened(4, &sections);
    support::taken(
        &mut event,
        FileKind::Players,
        "Section,No.,Name\nOpen,1,Ann\nOpen,2,Bob\nNovice,1,Cy\nNovice,2,Di\n",
    );
    let list = "Open Section\nRound 1\nTable,White,Result,Black\n1,1,1-0,2\nNovice,,,\nTable,White,Result,Black\n2,2,0-1,1\n";
    support::taken(&mut event, FileKind::Pairings, list);
    for (section, table) in [("Open", "1"), ("Novice", "2")] {
        let tables = event.round(section, 1).map(|(_, pairing)| pairing.table.to_string());
        assert_eq!(tables.collect::<Vec<_>>(), [table]);
    }
}
