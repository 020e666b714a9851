//! A file that is read again is the newest word: results, corrected results, the next round, a mended name.

mod support;

use event::{
    Deed, Event, Names, SectionKind,
    import::{FileKind, Options, Preview, outcomes_to_text, preview},
};
use rules::rulebook::BookId;
use support::{done, look, number, opened, options, taken};

const PLAYERS: [&str; 4] = ["Aster, Ida", "Birch, Leo", "Cedar, Mia", "Dogwood, Tom"];

/// A round of four, as each format writes it: who meets whom, and the result for the first.
type Round = [(usize, usize, Option<&'static str>); 2];

/// A format that can say all of it.
#[derive(Clone, Copy, Debug)]
enum Format {
    Trf,
    WinTd,
    /// Also what is typed in, which is read as CSV.
    Csv,
}

const FORMATS: [Format; 3] = [Format::Trf, Format::WinTd, Format::Csv];

fn trf(names: [&str; 4], rounds: &[Round]) -> String {
    let mut text = "012 Open\nXXR 3\n".to_owned();
    for (at, name) in names.into_iter().enumerate() {
        let mut points = 0;
        let mut cells = String::new();
        for round in rounds {
            for &(one, other, result) in round {
                if at != one && at != other {
                    continue;
                }
                let (opponent, color) = if at == one { (other, 'w') } else { (one, 'b') };
                let halves = match (result, at == one) {
                    (Some("½-½"), _) => Some(1),
                    (Some("1-0"), true) | (Some("0-1"), false) => Some(2),
                    (Some(_), _) => Some(0),
                    (None, _) => None,
                };
                points += halves.unwrap_or(0);
                let mark = halves.map_or(' ', |it| ['0', '=', '1'][it]);
                cells += &format!("{:>4} {color} {mark}  ", opponent + 1);
            }
        }
        let score = format!("{}.{}", points / 2, points % 2 * 5);
        text += &format!("001 {:>4}      {name:<66}{score:>4} {:>4}  {cells}\n", at + 1, at + 1);
    }
    text
}

fn wintd(names: [&str; 4], rounds: &[Round]) -> String {
    let players = (1..).zip(names).map(|(number, name)| {
        format!(r#"{{"base":{{"name":"{name}","type":"M"}},"tnmt":{{"sectionID":0,"pairno":{number}}}}}"#)
    });
    let players: Vec<String> = players.collect();
    let mut games = Vec::new();
    for (round, pairings) in (1..).zip(rounds) {
        for (board, (one, other, result)) in (1..).zip(pairings) {
            let result = match *result {
                Some("1-0") => 1,
                Some("0-1") => -1,
                Some(_) => 0,
                None => 99,
            };
            games.push(format!(
                r#"{{"p1":{one},"p2":{other},"r1":{round},"r2":{round},"color1":1,"board":{board},"result":{result},"type":0}}"#
            ));
        }
    }
    let section = r#"{"title":"Open","id":0,"maxRounds":3,"roundsPaired":1}"#;
    format!(
        r#"{{"players":[{}],"sections":[{section}],"games":[{}]}}"#,
        players.join(","),
        games.join(",")
    )
}

fn csv(rounds: &[Round]) -> String {
    let mut text = "Round,Table,White,Black,Result\n".to_owned();
    for (round, pairings) in (1..).zip(rounds) {
        for (table, (one, other, result)) in (1..).zip(pairings) {
            text += &format!(
                "{round},{table},{},{},{}\n",
                one + 1,
                other + 1,
                result.unwrap_or_default()
            );
        }
    }
    text
}

impl Format {
    fn preview(
        self,
        event: &Event,
        names: [&str; 4],
        rounds: &[Round],
        options: &Options,
    ) -> Preview {
        let (kind, text) = match self {
            Format::Trf => (FileKind::Trf, trf(names, rounds)),
            Format::WinTd => (FileKind::WinTd, wintd(names, rounds)),
            Format::Csv => (FileKind::Pairings, csv(rounds)),
        };
        preview(event, kind, text.as_bytes(), options)
    }

    fn take(self, event: &mut Event, names: [&str; 4], rounds: &[Round], options: &Options) {
        if matches!(self, Format::Csv) {
            let people = (1..).zip(names).map(|(number, name)| format!("{number},\"{name}\"\n"));
            let list = format!("No.,Name\n{}", people.collect::<String>());
            let preview = preview(event, FileKind::Players, list.as_bytes(), options);
            assert!(preview.is_sound(), "{self:?}: {:#?}", preview.problems);
            preview.apply(event).expect("sound");
        }
        let preview = self.preview(event, names, rounds, options);
        assert!(preview.is_sound(), "{self:?}: {:#?}", preview.problems);
        preview.apply(event).expect("sound");
    }
}

fn scores(event: &Event) -> Vec<u32> {
    let results = event.results("Open", Names::Hidden).expect("results");
    (1..=4).map(|it| results.score(number(it), 3).map_or(9, |it| it.half_points())).collect()
}

fn said(preview: &Preview) -> String {
    preview.differences.iter().map(|it| format!("{it}\n")).collect()
}

#[test]
fn a_file_read_again_brings_results_corrections_the_next_round_and_a_mended_name() {
    const PAIRED: Round = [(0, 2, None), (3, 1, None)];
    const PLAYED: Round = [(0, 2, Some("1-0")), (3, 1, Some("0-1"))];
    const CORRECTED: Round = [(0, 2, Some("½-½")), (3, 1, Some("0-1"))];
    const NEXT: Round = [(1, 0, None), (2, 3, None)];
    for format in FORMATS {
        let mut event = opened(2, &[("Open", SectionKind::Players, 3)]);
        let plain = options();
        let because = Options { note: Some("the slip said so".to_owned()), ..options() };
        format.take(&mut event, PLAYERS, &[PAIRED], &plain);
        assert_eq!(scores(&event), [0, 0, 0, 0], "{format:?}");
        format.take(&mut event, PLAYERS, &[PLAYED], &plain);
        assert_eq!(scores(&event), [2, 2, 0, 0], "{format:?}");
        assert!(format.preview(&event, PLAYERS, &[PLAYED], &plain).acts.is_empty(), "{format:?}");

        // Without a reason the corrected result is named and kept, and the next round comes all the same.
        let preview = format.preview(&event, PLAYERS, &[CORRECTED, NEXT], &plain);
        let words = said(&preview);
        assert!(
            words.contains("not taken") && words.contains("1-0 becomes ½-½"),
            "{format:?}: {words}"
        );
        assert!(words.contains("give a reason"), "{format:?}: {words}");
        format.take(&mut event, PLAYERS, &[CORRECTED, NEXT], &plain);
        assert_eq!(scores(&event), [2, 2, 0, 0], "{format:?}");
        assert_eq!(event.round("Open", 2).count(), 2, "{format:?}");
        format.take(&mut event, PLAYERS, &[CORRECTED, NEXT], &because);
        assert_eq!(scores(&event), [1, 2, 1, 0], "{format:?}");

        let mut mended = PLAYERS;
        mended[0] = "Aster, Ida Maria";
        format.take(&mut event, mended, &[CORRECTED, NEXT], &plain);
        assert_eq!(
            event.entrant_name("Open", number(1), Names::Shown),
            "Aster, Ida Maria",
            "{format:?}"
        );
        assert_eq!(event.players().len(), 4, "{format:?}: nobody is entered twice");
        assert_eq!(scores(&event), [1, 2, 1, 0], "{format:?}");
    }
}

#[test]
fn pairings_that_change_before_play_are_replaced() {
    const PAIRED: Round = [(0, 2, None), (3, 1, None)];
    const CHANGED: Round = [(0, 3, None), (2, 1, None)];
    for format in FORMATS {
        let mut event = opened(2, &[("Open", SectionKind::Players, 3)]);
        format.take(&mut event, PLAYERS, &[PAIRED], &options());
        let preview = format.preview(&event, PLAYERS, &[CHANGED], &options());
        assert!(said(&preview).contains("is replaced"), "{format:?}: {}", said(&preview));
        format.take(&mut event, PLAYERS, &[CHANGED], &options());
        let mut sides: Vec<_> =
            event.round("Open", 1).map(|(_, it)| [it.sides[0][0].0, it.sides[1][0].0]).collect();
        sides.sort_unstable();
        assert_eq!(
            sides.iter().map(|it| it.iter().sum::<u32>()).collect::<Vec<_>>(),
            [5, 5],
            "{format:?}"
        );
    }
}

#[test]
fn a_played_pairing_stays_and_the_rest_of_the_file_is_taken() {
    let mut event = opened(3, &[("Open", SectionKind::Players, 3)]);
    taken(&mut event, FileKind::Players, "No.,Name\n1,A\n2,B\n3,C\n4,D\n5,E\n6,F\n");
    taken(
        &mut event,
        FileKind::Pairings,
        "Round,Table,White,Black,Result\n1,1,1,2,1-0\n1,2,3,4,\n",
    );
    let list = "Round,Table,White,Black,Result\n1,1,1,3,\n1,3,5,6,\n";
    let preview = look(&event, FileKind::Pairings, list);
    assert!(said(&preview).contains("it was played"), "{}", said(&preview));
    taken(&mut event, FileKind::Pairings, list);
    let tables: Vec<String> = event.round("Open", 1).map(|(_, it)| it.table.clone()).collect();
    assert_eq!(tables, ["1", "2", "3"]);
}

#[test]
fn sides_named_the_other_way_are_the_same_pairing_and_the_result_turns() {
    let mut event = opened(2, &[("Open", SectionKind::Players, 3)]);
    taken(&mut event, FileKind::Players, "No.,Name\n1,A\n2,B\n");
    taken(&mut event, FileKind::Pairings, "Round,Table,White,Black\n1,1,1,2\n");
    taken(&mut event, FileKind::Pairings, "Round,Table,White,Black,Result\n1,1,2,1,1-0\n");
    let (_, pairing) = event.round("Open", 1).next().expect("a pairing");
    assert_eq!(outcomes_to_text(&pairing.outcomes), "0-1");
    let results = "Round,Table,First,Second,Result\n1,1,2,1,1-0\n";
    assert!(look(&event, FileKind::Results, results).acts.is_empty(), "it says the same");
    let wrong = look(&event, FileKind::Results, "Round,Table,White,Black,Result\n1,1,A,A,1-0\n");
    assert!(!wrong.is_sound(), "another meeting");
}

#[test]
fn tables_change_hands_and_a_bye_becomes_a_pairing() {
    let mut event = opened(3, &[("Open", SectionKind::Players, 3)]);
    taken(&mut event, FileKind::Players, "No.,Name\n1,A\n2,B\n3,C\n4,D\n5,E\n6,F\n");
    let first = "Round,Table,White,Black\n1,1,1,2\n1,2,3,4\n1,,5,bye\n";
    taken(&mut event, FileKind::Pairings, first);
    let second = "Round,Table,White,Black\n1,2,1,2\n1,1,3,4\n1,3,5,6\n";
    taken(&mut event, FileKind::Pairings, second);
    let mut tables: Vec<_> =
        event.round("Open", 1).map(|(_, it)| (it.table.clone(), it.sides[0][0].0)).collect();
    tables.sort();
    assert_eq!(tables, [("1".to_owned(), 3), ("2".to_owned(), 1), ("3".to_owned(), 5)]);
    assert!(event.sections()["Open"].byes.is_empty());
}

#[test]
fn a_result_that_is_missing_in_the_newer_file_is_named() {
    let mut event = opened(2, &[("Open", SectionKind::Players, 3)]);
    taken(&mut event, FileKind::Players, "No.,Name\n1,A\n2,B\n");
    taken(&mut event, FileKind::Pairings, "Round,Table,White,Black,Result\n1,1,1,2,1-0\n");
    let preview = look(&event, FileKind::Pairings, "Round,Table,White,Black,Result\n1,1,1,2,\n");
    assert!(said(&preview).contains("the result 1-0 stays"), "{}", said(&preview));
    let silent = look(&event, FileKind::Pairings, "Round,Table,White,Black\n1,1,1,2\n");
    assert!(silent.differences.is_empty(), "a list without results says nothing of them");
}

#[test]
fn numbers_that_were_given_anew_are_no_renames() {
    let mut event = opened(2, &[("Open", SectionKind::Players, 3)]);
    taken(&mut event, FileKind::Players, "No.,Name\n1,Ida Aster\n2,Leo Birch\n");
    let preview = look(&event, FileKind::Players, "No.,Name\n1,Leo Birch\n2,Ida Aster\n");
    assert!(!preview.is_sound());
    assert!(preview.problems[0].what.contains("number 2 here"), "{}", preview.problems[0]);
}

#[test]
fn a_team_read_again_gets_a_mended_name_and_another_member() {
    let mut event = opened(2, &[("K-6", SectionKind::Teams, 3)]);
    taken(&mut event, FileKind::Teams, "No.,Team,Player 1,Player 2\n1,Oak,Ida Aster,Leo Birch\n");
    taken(&mut event, FileKind::Teams, "No.,Team,Player 1,Player 2\n1,Oaks,Leo Birch,Ida Astor\n");
    let names = |event: &Event| -> Vec<String> {
        event.players().values().map(|it| it.name.reveal().to_owned()).collect()
    };
    assert_eq!(names(&event), ["Ida Astor", "Leo Birch"]);
    assert_eq!(event.teams().values().next().expect("a team").name, "Oaks");
    taken(&mut event, FileKind::Teams, "Team,Player 1,Player 2\nOaks,Ida Astor,Mia Cedar\n");
    let team = event.teams().values().next().expect("a team");
    let members: Vec<&str> =
        team.members.iter().map(|id| event.players()[id].name.reveal()).collect();
    assert_eq!(members, ["Ida Astor", "Mia Cedar"]);
    let same_name =
        look(&event, FileKind::Teams, "Team,Player 1,Player 2\nOaks,Ann Elder,Ben Fig\n");
    assert!(!same_name.is_sound(), "two other players are another team");
}

#[test]
fn a_pair_of_wintd_gets_a_mended_name() {
    let file = r#"{"players":[
        {"base":{"name":"Oak","type":"P"},"tnmt":{"sectionID":0,"pairno":1,"members":[1,2]}},
        {"base":{"name":"Sam Lee","type":"F"},"tnmt":{"sectionID":-2}},
        {"base":{"name":"Leo Birch","type":"M"},"tnmt":{"sectionID":-2}},
        {"base":{"name":"Elm","type":"P"},"tnmt":{"sectionID":0,"pairno":2,"members":[4,5]}},
        {"base":{"name":"Sam Lee","type":"F"},"tnmt":{"sectionID":-2}},
        {"base":{"name":"Tom Dogwood","type":"M"},"tnmt":{"sectionID":-2}}],
      "sections":[{"title":"K-6","id":0,"maxRounds":3,"roundsPaired":0}],"games":[]}"#;
    let mut event = opened(2, &[]);
    let options = Options { rulebook: Some(BookId::UsChessBughouse2018), ..options() };
    let take = |event: &mut Event, file: &str| {
        let preview = preview(event, FileKind::WinTd, file.as_bytes(), &options);
        assert!(preview.is_sound(), "{:#?}", preview.problems);
        preview.apply(event).expect("sound");
    };
    take(&mut event, file);
    assert_eq!(event.players().len(), 4, "two records are two people, though they have one name");
    take(&mut event, &file.replace("Leo Birch", "Leo Birk"));
    assert_eq!(event.players().len(), 4);
    assert!(event.players().values().any(|it| it.name.reveal() == "Leo Birk"));
    done(&mut event, Deed::RoundOpened { section: "K-6".to_owned(), round: 1 });
    take(&mut event, &file.replace("Leo Birch", "Ann Elder"));
    assert!(
        event.players().values().any(|it| it.name.reveal() == "Leo Birk"),
        "a note is needed now"
    );
}

#[test]
fn a_match_that_runs_is_not_moved_and_nothing_of_the_file_is_taken() {
    let mut event = opened(3, &[("Open", SectionKind::Players, 3)]);
    taken(&mut event, FileKind::Players, "No.,Name\n1,A\n2,B\n3,C\n4,D\n");
    taken(&mut event, FileKind::Pairings, "Round,Table,White,Black\n1,1,1,2\n1,2,3,4\n");
    let (pairing, _) = event.round("Open", 1).next().expect("a pairing");
    done(&mut event, Deed::MatchStarted { pairing });
    let moved = look(&event, FileKind::Pairings, "Round,Table,White,Black\n1,3,1,2\n");
    assert!(!moved.is_sound() && moved.problems[0].what.contains("runs"), "{:?}", moved.problems);
}
