//! Lists as spreadsheets of several countries and other programs write them.

mod support;

use event::{
    Event, Names, SectionKind,
    import::{FileKind, Options, Preview, outcomes_to_text, preview},
};
use rules::{
    rulebook::BookId,
    standings::ByeKind::{self, FullPoint, HalfPoint, ZeroPoint},
};
use support::{look, number, opened, options, taken};

const NAMES: &str = "No.,Name\n1,Ida Aster\n2,Leo Birch\n3,Mia Cedar\n4,Tom Dogwood\n5,Ann Elder\n6,Ben Fig\n7,Cas Gorse\n8,Dot Hazel\n";

fn players() -> Event {
    let mut event = opened(8, &[("Open", SectionKind::Players, 3)]);
    taken(&mut event, FileKind::Players, NAMES);
    event
}

/// The results of the first round after a list, table by table, and its warnings.
fn results_of(list: &str) -> (Vec<String>, String) {
    let mut event = players();
    let preview = look(&event, FileKind::Pairings, list);
    let words = said(&preview);
    if preview.apply(&mut event).is_err() {
        return (Vec::new(), words);
    }
    let results = event.round("Open", 1).map(|(_, it)| outcomes_to_text(&it.outcomes));
    (results.collect(), words)
}

fn said(preview: &Preview) -> String {
    preview.problems.iter().map(|problem| format!("{problem}\n")).collect()
}

fn byes_of(list: &str) -> Vec<Option<ByeKind>> {
    let mut event = players();
    taken(&mut event, FileKind::Pairings, list);
    (1..=8).map(|it| event.sections()["Open"].byes.get(&(number(it), 1)).copied()).collect()
}

#[test]
fn headers_of_other_languages_are_known() {
    for header in [
        "Nr;Vorname;Nachname;Verein;DWZ",
        "N°;Prénom;Nom;Club;Élo",
        "Nº;Nombre;Apellidos;Escuela;Elo",
        "No.;First Name;Name;School;Rtg.",
    ] {
        let mut event = opened(2, &[("Open", SectionKind::Players, 3)]);
        taken(&mut event, FileKind::Players, &format!("{header}\r\n7;Zoë;Pâquet;Oak;1.200\r\n"));
        assert_eq!(event.entrant_name("Open", number(7), Names::Shown), "Zoë Pâquet", "{header}");
        assert_eq!(event.players().values().next().and_then(|it| it.rating), Some(1200));
    }
    for header in [
        "Runde;Brett;Weiß;Schwarz;Ergebnis",
        "Ronda;Mesa;Blancas;Negras;Resultado",
        "Ronde;Échiquier;Blancs;Noirs;Résultat",
        "Rd.;Bd.;\"White\nPlayer\";\"Black\nPlayer\";\"Result\n(W-B)\"",
    ] {
        let (results, words) = results_of(&format!("{header}\n1;1;1;2;1 : 0\n1;2;3;4;0,5-0,5\n"));
        assert_eq!(results, ["1-0", "½-½"], "{header}: {words}");
    }
    for header in ["Equipo;Jugador 1;Jugador 2", "Équipe;Joueur 1;Joueur 2"] {
        let mut event = opened(2, &[("K-6", SectionKind::Teams, 3)]);
        taken(&mut event, FileKind::Teams, &format!("{header}\nOsos;Ida;Leo\n"));
    }
}

#[test]
fn what_a_spreadsheet_made_of_an_id_or_a_formula_is_no_player() {
    let mut event = opened(2, &[("Open", SectionKind::Players, 3)]);
    let list = "| No | Name | ID |\n|----|------|----|\n| 1 | Ida Aster | 10000001.0 |\n| 2 | Leo Birch | NEW |\n| 3 | Mia Cedar | new |\n";
    taken(&mut event, FileKind::Players, list);
    let ids: Vec<_> = event.players().values().map(|it| it.id.as_deref()).collect();
    assert_eq!(ids, [Some("10000001"), None, None]);
    for (row, word) in
        [("4,Tom,1.23E+07", "rounded"), ("4,#N/A,5", "formula"), ("4,#NV,5", "formula")]
    {
        let preview = look(&event, FileKind::Players, &format!("No,Name,ID\n{row}\n"));
        assert!(!preview.is_sound() && said(&preview).contains(word), "{row}: {}", said(&preview));
    }
}

#[test]
fn the_lower_row_of_a_merged_header_is_no_player() {
    let mut event = opened(2, &[("Open", SectionKind::Players, 3)]);
    let list = "Spring Open,,,\n,Player,,School\nNo.,First Name,Last Name,Name\n1,Ida,Aster,Oak\n";
    taken(&mut event, FileKind::Players, list);
    assert_eq!(event.players().len(), 1);
    assert_eq!(event.entrant_name("Open", number(1), Names::Shown), "Ida Aster");
}

#[test]
fn a_line_break_between_quotation_marks_is_part_of_a_club() {
    let mut event = opened(2, &[("Open", SectionKind::Players, 3)]);
    let list = "No,Name,School\n1,Ida Aster,\"Oak Street\nSchool\"\n2,Leo Birch,Elm\n";
    taken(&mut event, FileKind::Players, list);
    let clubs: Vec<_> = event.players().values().filter_map(|it| it.club.as_deref()).collect();
    assert_eq!(clubs, ["Oak Street School", "Elm"]);
    for open in ["1,Ida Aster,\"Oak\n2,Leo Birch,Elm\n", "1,\"Ida\nAster\",Oak\n", "1,Ida,\"Oak\n"]
    {
        let event = opened(2, &[("Open", SectionKind::Players, 3)]);
        let preview = look(&event, FileKind::Players, &format!("No,Name,School\n{open}"));
        assert!(said(&preview).contains("quotation mark"), "{open}: {}", said(&preview));
    }
}

#[test]
fn a_pairing_list_has_its_round_in_the_title_and_its_names_last_name_first() {
    let list = "\"Round 1 on 2026/11/21 at 10:00\"\n\n\"Bo.\",\"No.\",\"White\",\"Rtg\",\"Pts.\",\"Result\",\"Pts.\",\"Black\",\"Rtg\",\"No.\"\n\
                1,1,\"Aster, Ida\",1500,0,\"1 - 0\",0,\"BIRCH, LEO\",1400,2\n2,3,\"Cedar, Mia\",1300,0,\"+ - -\",0,\"Dogwood, Tom\",1200,4\n\
                3,5,\"Elder, Ann\",1100,0,1,,\"bye\",,\n";
    assert_eq!(results_of(list), (vec!["1-0".to_owned(), "1F-0F".to_owned()], left_out()));
    let twice = "Runde 1\nBo.;No.;;Name;Rtg;Result;;Name;Rtg;No.\n1;1;FM;Aster, Ida;1500;0 - 1;;Birch, Leo;1400;2\n";
    assert_eq!(results_of(twice).0, ["0-1"]);
    let (results, words) = results_of("Rounds 1 and 2\nBo,White,Black,Result\n1,1,2,1-0\n");
    assert!(results.is_empty() && words.contains("line 2, round"), "{words}");
}

fn left_out() -> String {
    said(&look(
        &players(),
        FileKind::Pairings,
        "Round,Table,White,Black\n1,1,1,2\n1,2,3,4\n1,,5,bye\n",
    ))
}

#[test]
fn numbers_and_points_beside_a_name_are_understood() {
    let list = "Round,Table,White,Black,Result\nRound 1,Table 1,Ida Aster (0.0),Leo Birch (1½),1-0\n1st round,T-2,3 Mia Cedar,4. Tom Dogwood (1),0-1\n";
    assert_eq!(results_of(list).0, ["1-0", "0-1"]);
    let (_, words) = results_of("Round,Table,White,Black\n1,1,3 Ida Aster,2\n");
    assert!(words.contains("is no entrant"), "number and name are two people: {words}");
    let (_, words) = results_of("Round,Table,White,Black\n1.1,1,1,2\n");
    assert!(words.contains("blank between"), "{words}");
}

#[test]
fn byes_have_the_amount_beside_them_and_words_of_other_languages() {
    let list = "Round,Table,White,Black,Result\n1,,1,BYE,1\n1,,2,-BYE-,½\n1,,3,bye,0\n1,,4,not paired,0.5\n1,,5,Freilos,\n1,,6,descansa,\n1,,7,exempt,\n1,,8,not paired,\n";
    let byes =
        [FullPoint, HalfPoint, ZeroPoint, HalfPoint, FullPoint, FullPoint, FullPoint, ZeroPoint];
    assert_eq!(byes_of(list), byes.map(Some));
    let (_, words) = results_of("Round,Table,White,Black,Result\n1,,1,half-point bye,1\n");
    assert!(words.contains("the row has the bye"), "{words}");
}

#[test]
fn results_in_a_column_that_is_not_read_are_named() {
    let (_, words) = results_of("Round,Table,White,Black,Punkte\n1,1,1,2,1-0\n1,2,3,4,½\n");
    assert!(words.contains("look like it: Punkte"), "{words}");
    let list = "Round,Table,White,WScore,Black,BScore\n1,1,1,1,2,0\n1,2,3,0.5,4,0.5\n";
    assert_eq!(results_of(list).0, ["1-0", "½-½"]);
    let (_, words) = results_of("Round,Table,White,Black,Winner\n1,1,1,2,Ida Aster\n");
    assert!(words.contains("look like it: Winner"), "{words}");
    let (_, words) = results_of("Round,Table,White,WScore,Black,BScore\n1,1,1,,2,1\n");
    assert!(words.contains("only the second side"), "{words}");
}

fn report(records: &str) -> Preview {
    let line = |rank: u32, name: &str, points: &str, round: &str| {
        format!("001 {rank:>4}      {name:<66}{points:>4} {rank:>4}  {round}\n")
    };
    let text = format!(
        "012 Open\nXXR 3\n{records}{}{}",
        line(1, "Aster, Ida", "1.0", "   2 w 1"),
        line(2, "Birch, Leo", "0.0", "   1 b 0")
    );
    let options = Options { rulebook: Some(BookId::NcScholastic), ..options() };
    preview(&opened(0, &[]), FileKind::Trf, text.as_bytes(), &options)
}

#[test]
fn records_of_pairing_programs_are_refused_only_where_they_change_points() {
    let refused = report("BBW  3.0\nBBD  1.0\n");
    assert!(!refused.is_sound() && said(&refused).contains("3.0 for W"), "{}", said(&refused));
    let usual = report("BBW  1.0\nBBD  0.5\nBBL  0.0\n");
    assert_eq!(said(&usual), "");
    let forbidden = report("XXP    1    3\n");
    assert!(forbidden.is_sound() && said(&forbidden).contains("XXP"), "{}", said(&forbidden));
}

#[test]
fn names_are_known_as_pairing_programs_write_them() {
    for white in [
        "Aster Ida",
        "1 Aster Ida",
        "1. Aster Ida",
        "1 Aster, Ida (1200 0.0)",
        "Aster, Ida [unr]",
        "Ida Aster (1200P15, 1.5)",
        "Aster,Ida",
    ] {
        let mut event = opened(2, &[("Open", SectionKind::Players, 3)]);
        let list = "No,Name\n1,\"Aster, Ida\"\n2,\"Birch, Leo\"\n3,Elm Zoë\n";
        taken(&mut event, FileKind::Players, list);
        let pairings =
            format!("Rd;Bd;White;Black;Res\n1;1;{white};Birch Leo;1-0\n1;;Elm, Zoë;bye;\n");
        taken(&mut event, FileKind::Pairings, &pairings);
    }
    let (_, words) = results_of("Rd;Bd;White;Black\n1;1;Aster Ida;2\n");
    assert!(words.contains("is no entrant"), "no comma says which is the surname: {words}");
}

#[test]
fn all_rounds_may_be_in_one_list_with_a_title_and_header_each() {
    let list = "Round 1\nBo.,White,Result,Black\n1,1,1-0,2\n2,3,0-1,4\nRound 2\nBo.,White,Result,Black\n1,1,1-0,4\n2,2,½-½,3\n";
    let mut event = players();
    taken(&mut event, FileKind::Pairings, list);
    let second = event.round("Open", 2).map(|(_, it)| outcomes_to_text(&it.outcomes));
    assert_eq!(second.collect::<Vec<_>>(), ["1-0", "½-½"]);
    let again =
        "Round,Bd,White,Black,Result\n1,1,1,2,1-0\nRound,Bd,White,Black,Result\n1,2,3,4,0-1\n";
    assert_eq!(results_of(again).0, ["1-0", "0-1"]);
}

#[test]
fn hours_that_a_spreadsheet_made_of_a_result_are_named_by_it() {
    let (results, words) = results_of("Rd;Bd;White;Black;Res\n1;1;1;2;01:00\n1;2;3;4;00:01\n");
    assert_eq!(results, ["1-0", "0-1"]);
    assert!(words.contains("\"00:01\" is what a spreadsheet makes of 0-1"), "{words}");
}

#[test]
fn a_footer_of_a_program_is_no_row() {
    let list = "No.;Name;Club\n1;Ida Aster;Oak\n\nProgram Swiss-Manager, see the web page\nYou find all details under https://chess-results.example/tnr1\n";
    let event = opened(2, &[("Open", SectionKind::Players, 3)]);
    let preview = look(&event, FileKind::Players, list);
    assert!(preview.is_sound() && said(&preview).contains("line 4"), "{}", said(&preview));
    let total = look(&event, FileKind::Players, "Name,Club\nIda Aster,Oak\nTotal: 1,\n");
    assert!(total.is_sound() && said(&total).contains("Total"), "{}", said(&total));
    let fan = "Name,Club\nIda Aster,Oak\nTotal Recall,Elm\nBob Total,\n";
    assert_eq!(said(&look(&event, FileKind::Players, fan)), "");
}

#[test]
fn a_word_that_keeps_a_place_is_no_player() {
    for word in ["TBD", "?", "n/a", "-", "vacant", "12", "N.N."] {
        let event = opened(2, &[("K-6", SectionKind::Teams, 3)]);
        let list = format!("Team,Player 1,Player 2\nOak,Ida Aster,{word}\n");
        let preview = look(&event, FileKind::Teams, &list);
        assert!(!preview.is_sound() && said(&preview).contains("no name"), "{word}");
    }
}

#[test]
fn names_that_a_program_has_damaged_are_warned_of() {
    for name in ["Zo&euml; Elm", "Finn O&#39;Neil", "Zo=C3=AB Elm", "Fran?ois Fig"] {
        let event = opened(2, &[("Open", SectionKind::Players, 3)]);
        let words = said(&look(&event, FileKind::Players, &format!("Name,Paid?\n{name},yes\n")));
        assert!(words.contains("line 2: warning"), "{name}: {words}");
    }
}

#[test]
fn names_in_two_columns_are_joined_under_the_words_of_forms() {
    let mut event = opened(2, &[("Open", SectionKind::Players, 3)]);
    let form = "Timestamp,Parent First Name,Parent Last Name,Child's First Name,Child's Last Name,MemID\n1,Ann,Aster,Ida,Aster,12345678\n";
    taken(&mut event, FileKind::Players, form);
    assert_eq!(event.players().values().next().map(|it| it.name.reveal()), Some("Ida Aster"));
    let mut event = opened(2, &[("K-6", SectionKind::Teams, 3)]);
    let form = "Team Name,Player 1 First Name,Player 1 Last Name,Player #2 First,Player #2 Last\nOak,Ida,Aster,Leo,Birch\n";
    taken(&mut event, FileKind::Teams, form);
    let names: Vec<_> = event.players().values().map(|it| it.name.reveal()).collect();
    assert_eq!(names, ["Ida Aster", "Leo Birch"]);
}
