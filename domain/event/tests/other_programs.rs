//! Lists as Swiss-Manager, Vega, SwissSys, Swiss-Chess, Papi, forms and spreadsheets write them, in their words and with their additions.

mod support;

use event::{
    Event, Names, SectionKind,
    import::{FileKind, Preview, outcomes_to_text, preview},
};
use rules::standings::ByeKind;
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
