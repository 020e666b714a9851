//! The files of `../shared/field/files` that are lists, reports and tournaments: what an organiser would want of each.
//!
//! The folder is read in place; without it the test prints so, and fails under CI.

#![allow(clippy::disallowed_methods, reason = "a test reads its data")]

mod support;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use event::{
    Event, Names, Role, SectionKind,
    import::{FileKind, Options, Preview, outcomes_to_text, preview},
};
use rules::{
    rulebook::BookId,
    standings::ByeKind::{FullPoint, HalfPoint, ZeroPoint},
};
use support::{number, opened};

/// The folder with the files, and those that were read.
struct Folder {
    path: PathBuf,
    read: BTreeSet<String>,
}

impl Folder {
    fn find() -> Option<Folder> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/field/files");
        if !path.is_dir() {
            assert!(std::env::var_os("CI").is_none(), "../shared/field/files is needed");
            println!("without the files of the field: ../shared/field/files is not here");
            return None;
        }
        Some(Folder { path, read: BTreeSet::new() })
    }

    /// Previews the one file whose name begins so.
    fn look(&mut self, event: &Event, kind: FileKind, start: &str, more: Options) -> Preview {
        let names = fs::read_dir(&self.path).expect("the folder").map(|it| it.expect("an entry"));
        let mut names = names.filter_map(|it| it.file_name().into_string().ok());
        let name = names.find(|name| name.starts_with(&format!("{start}-")));
        let name = name.unwrap_or_else(|| panic!("{start} is not there"));
        let bytes = fs::read(self.path.join(&name)).expect("a file");
        self.read.insert(name);
        preview(event, kind, &bytes, &more)
    }

    /// Imports a file that must be sound. Returns its problems.
    fn take(&mut self, event: &mut Event, kind: FileKind, start: &str, more: Options) -> String {
        let preview = self.look(event, kind, start, more);
        let words = said(&preview);
        preview.apply(event).unwrap_or_else(|error| panic!("{start}: {error}: {words}"));
        words
    }

    /// Previews a file that must be refused. Returns its problems.
    fn refused(&mut self, event: &Event, kind: FileKind, start: &str, more: Options) -> String {
        let preview = self.look(event, kind, start, more);
        assert!(!preview.is_sound(), "{start} is taken");
        said(&preview)
    }
}

fn said(preview: &Preview) -> String {
    let problems = preview.problems.iter().map(|problem| format!("{problem}\n"));
    problems.chain(preview.differences.iter().map(|it| format!("{it}\n"))).collect()
}

/// An organiser at the command line.
fn options() -> Options {
    Options::new(support::author(Role::Chief))
}

fn bughouse() -> Options {
    let rulebook = Some(BookId::McscBughouse);
    Options { rulebook, rounds: Some(3), section: Some("K-6".to_owned()), ..options() }
}

fn chess() -> Options {
    let rulebook = Some(BookId::NcScholastic);
    Options { rulebook, rounds: Some(3), section: Some("Open".to_owned()), ..options() }
}

fn report() -> Options {
    Options { rulebook: Some(BookId::NcScholastic), ..options() }
}

fn with_note(options: Options) -> Options {
    Options { note: Some("the slip said so".to_owned()), ..options }
}

fn results(event: &Event, section: &str) -> Vec<String> {
    event.round(section, 1).map(|(_, it)| outcomes_to_text(&it.outcomes)).collect()
}

/// The half points after the last round, by number.
fn scores(event: &Event, section: &str) -> Vec<u32> {
    let results = event.results(section, Names::Hidden).expect("a section");
    let entrants = results.entrants().iter();
    entrants.map(|it| results.score(it.number, results.rounds()).unwrap().half_points()).collect()
}

#[test]
fn every_list_report_and_tournament_of_the_field_does_what_its_organiser_wants() {
    let Some(mut folder) = Folder::find() else { return };
    teams(&mut folder);
    lists_of_players(&mut folder);
    results_of_teams(&mut folder);
    byes_and_names(&mut folder);
    reports(&mut folder);
    wintd(&mut folder);
    let all = fs::read_dir(&folder.path).expect("the folder").filter_map(|it| it.ok());
    let ours = all.filter_map(|it| it.file_name().into_string().ok());
    let missed: Vec<String> = ours
        .filter(|name| name.starts_with(['c', 't', 'w']) && !folder.read.contains(name))
        .collect();
    assert_eq!(missed, [] as [String; 0], "files that no test wants anything of");
}

fn teams(folder: &mut Folder) {
    let taken = |folder: &mut Folder, start| {
        let mut event = opened(9, &[]);
        let words = folder.take(&mut event, FileKind::Teams, start, bughouse());
        let teams: Vec<String> = event.teams().values().map(|team| team.name.clone()).collect();
        (teams, words)
    };
    assert_eq!(taken(folder, "c01"), (vec!["Oak".to_owned(), "Elm".to_owned()], String::new()));
    assert_eq!(taken(folder, "c14").0, ["=1+1", "Étoiles", "+Plus", "@home"]);
    assert_eq!(taken(folder, "c20").0, ["Oak", "Elm"]);
    assert_eq!(taken(folder, "c25").0, ["Oak"]);
    assert_eq!(taken(folder, "c26").0, ["Oak"]);
    assert_eq!(taken(folder, "c17").0, ["Oak"], "the answers of a form");
    assert_eq!(taken(folder, "c35").0.len(), 7);
    assert!(taken(folder, "c19b").1.contains("warning"), "half of a name in the next column");
    let empty = opened(9, &[]);
    for (start, word) in [
        ("c04b", "another encoding"),
        ("c12", "quotation mark is not closed"),
        ("c18", "workbook"),
        ("c21", "there already"),
        ("c22", "name two players"),
        ("c27", "Player 2: error: the field is empty"),
        ("c19", "between quotation marks"),
        ("c23", "line 2, Team: error: the field is empty"),
    ] {
        let words = folder.refused(&empty, FileKind::Teams, start, bughouse());
        assert!(words.contains(word), "{start}: {words}");
    }
}

fn lists_of_players(folder: &mut Folder) {
    let mut event = opened(9, &[]);
    folder.take(&mut event, FileKind::Players, "c02", chess());
    assert_eq!(event.entrant_name("Open", number(1), Names::Shown), "Ida Aster");
    let mut event = opened(9, &[]);
    let words = folder.take(&mut event, FileKind::Players, "c10", chess());
    assert!(words.contains("another one is called \"Sam Lee\""), "{words}");
    assert_eq!(event.players().len(), 3);
    let ids: Vec<_> = event.players().values().map(|it| it.id.clone()).collect();
    assert_eq!(ids, ["12345601", "12345602", "12345603"].map(|id| Some(id.to_owned())));
    let mut event = opened(9, &[]);
    folder.take(&mut event, FileKind::Players, "c16", chess());
    folder.take(&mut event, FileKind::Pairings, "c16b", chess());
    assert_eq!((event.players().len(), results(&event, "Open")), (2, vec!["1-0".to_owned()]));
    let mut event = opened(9, &[]);
    folder.take(&mut event, FileKind::Players, "c30a", chess());
    folder.take(&mut event, FileKind::Pairings, "c30b", chess());
    assert_eq!(results(&event, "Open"), ["1-0"]);
}

fn results_of_teams(folder: &mut Folder) {
    let mut base = opened(9, &[]);
    folder.take(&mut base, FileKind::Teams, "c05", bughouse());
    for (start, wanted) in [
        ("c05a", ["1-0", "½-½"]),
        ("c05e", ["1F-0F", "1F-0F"]),
        ("c05f", ["1F-0F", "0F-1F"]),
        ("c11", ["1-0", "0-1"]),
        ("c15", ["1-0", "0-1"]),
    ] {
        let mut event = base.clone();
        folder.take(&mut event, FileKind::Pairings, start, bughouse());
        assert_eq!(results(&event, "K-6"), wanted, "{start}");
    }
    for (start, word) in [("c05c", "write 1-0"), ("c05g", "one game"), ("c05h", "spreadsheet")] {
        let words = folder.refused(&base, FileKind::Pairings, start, bughouse());
        assert!(words.contains(word), "{start}: {words}");
    }
    folder.take(&mut base, FileKind::Pairings, "c24a", bughouse());
    assert_eq!(results(&base, "K-6"), ["1-0", "0-1"]);
    let words = folder.take(&mut base, FileKind::Pairings, "c24d", bughouse());
    assert!(!words.is_empty(), "a result that is missing now is named");
    assert_eq!(results(&base, "K-6"), ["1-0", "0-1"]);
    let words = folder.take(&mut base, FileKind::Pairings, "c24c", with_note(bughouse()));
    assert!(words.contains("1-0"), "{words}");
    assert_eq!(
        (base.round("K-6", 1).count(), results(&base, "K-6")),
        (2, vec!["0-1".to_owned(); 2])
    );
}

fn byes_and_names(folder: &mut Folder) {
    let mut nine = opened(9, &[]);
    folder.take(&mut nine, FileKind::Players, "c09a", chess());
    let mut event = nine.clone();
    folder.take(&mut event, FileKind::Pairings, "c09b", chess());
    let byes: Vec<_> = event.sections()["Open"].byes.values().copied().collect();
    assert_eq!(byes, [FullPoint, HalfPoint, FullPoint, HalfPoint, ZeroPoint, HalfPoint]);
    let mut event = nine.clone();
    let one = Options { round: Some(1), ..chess() };
    folder.take(&mut event, FileKind::Pairings, "c28", one);
    assert_eq!(results(&event, "Open"), ["1-0", "0-1"]);
    let mut event = nine.clone();
    folder.take(&mut event, FileKind::Pairings, "c31", chess());
    folder.take(&mut event, FileKind::Pairings, "c31b", chess());
    assert_eq!((event.round("Open", 1).count(), event.sections()["Open"].byes.len()), (2, 0));
    for start in ["c33", "c34"] {
        let words = folder.refused(&nine, FileKind::Pairings, start, chess());
        assert!(words.contains("no opponent"), "{start}: {words}");
    }
    let mut event = opened(9, &[]);
    folder.take(&mut event, FileKind::Players, "c08", chess());
    let mut surname = event.clone();
    folder.take(&mut event, FileKind::Pairings, "c08b", chess());
    assert_eq!((event.round("Open", 1).count(), event.sections()["Open"].byes.len()), (2, 0));
    support::taken(&mut surname, FileKind::Players, "Section,Name\nOpen,Pat Bye-Smith\n");
    folder.take(&mut surname, FileKind::Pairings, "c09", chess());
    assert_eq!(surname.sections()["Open"].byes.get(&(number(5), 1)), Some(&FullPoint));
}

const FIELD: &str = "Field Open";

fn reports(folder: &mut Folder) {
    for (start, wanted) in [
        ("t01", vec![2, 2, 1, 1]),
        ("t01b", vec![1, 0]),
        ("t05b", vec![2, 0]),
        ("t07", vec![4, 2, 1, 1]),
        ("t07b", vec![4, 2, 1, 1]),
        ("t17", vec![2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0]),
    ] {
        let mut event = opened(0, &[]);
        folder.take(&mut event, FileKind::Trf, start, report());
        assert_eq!(scores(&event, FIELD), wanted, "{start}");
        let rounds = event.sections()[FIELD].terms.rounds;
        assert_eq!(rounds, if ["t01", "t07", "t07b"].contains(&start) { 2 } else { 1 }, "{start}");
    }
    for (start, wanted, rounds, word) in [
        ("t18", vec![4, 6, 1], 3, ""),
        ("t19", vec![2, 2, 1, 0], 1, "tie-breaks that are not calculated here"),
        ("t20", vec![2, 2, 2, 0], 2, "without a bye: 3 Cedar, Mia, 4 Dogwood, Tom"),
        ("t23", vec![5, 3, 2, 2], 3, ""),
        ("t25", vec![0, 0, 0], 0, ""),
        ("t26", vec![4, 0, 2], 1, ""),
        ("t10", vec![2, 0], 1, "has 3.5 points in the file"),
    ] {
        let mut event = opened(0, &[]);
        let words = folder.take(&mut event, FileKind::Trf, start, report());
        let opened = event.sections()[FIELD].opened;
        assert_eq!((scores(&event, FIELD), opened), (wanted, rounds), "{start}");
        assert!(words.contains(word) && words.is_empty() == word.is_empty(), "{start}: {words}");
    }
    let mut event = opened(4, &[]);
    folder.take(&mut event, FileKind::Trf, "t16a", report());
    let mut paired_anew = event.clone();
    folder.take(&mut paired_anew, FileKind::Trf, "t16d", report());
    assert_eq!(paired_anew.round(FIELD, 1).count(), 2);
    let met = |event: &Event| {
        event.round(FIELD, 1).any(|(_, it)| it.sides == [vec![number(1)], vec![number(4)]])
    };
    assert!(met(&paired_anew) && !met(&event));
    folder.take(&mut event, FileKind::Trf, "t16b", report());
    assert_eq!(scores(&event, FIELD), [2, 2, 0, 0]);
    let mut corrected = event.clone();
    let words = folder.take(&mut corrected, FileKind::Trf, "t16c", with_note(report()));
    assert!(words.contains("becomes"), "{words}");
    assert_eq!(scores(&corrected, FIELD), [0, 2, 2, 0]);
    folder.take(&mut event, FileKind::Trf, "t16e", report());
    assert_eq!((event.round(FIELD, 2).count(), scores(&event, FIELD)), (2, vec![2, 2, 0, 0]));
    folder.take(&mut event, FileKind::Trf, "t22", report());
    assert_eq!(event.entrant_name(FIELD, number(1), Names::Shown), "Aster, Ida Maria");
    let words = folder.refused(&opened(0, &[]), FileKind::Trf, "t21", report());
    assert!(words.contains("count the columns again"), "{words}");
    let other = Options { section: Some("Group B".to_owned()), ..report() };
    folder.take(&mut event, FileKind::Trf, "t24", other);
    let tables =
        |section| event.round(section, 1).map(|(_, it)| it.table.clone()).collect::<BTreeSet<_>>();
    assert!(tables(FIELD).is_disjoint(&tables("Group B")), "tables of their own");
}

fn wintd(folder: &mut Folder) {
    let more = || Options { rulebook: Some(BookId::McscBughouse), ..options() };
    let mut event = opened(4, &[("K-6", SectionKind::Teams, 3)]);
    folder.take(&mut event, FileKind::WinTd, "w01", more());
    assert_eq!(results(&event, "K-6"), ["1-0", "½-½"]);
    let mut mended = event.clone();
    let words = folder.take(&mut mended, FileKind::WinTd, "w06", with_note(more()));
    let is_mended = mended.players().values().any(|it| it.name.reveal() == "Ida Astor");
    assert!(is_mended, "{words}");
    let words = folder.take(&mut event.clone(), FileKind::WinTd, "w02", more());
    assert!(words.contains("0-1"), "{words}");
    let mut next = event.clone();
    folder.take(&mut next, FileKind::WinTd, "w05", more());
    assert_eq!(
        (next.round("K-6", 2).count(), results(&next, "K-6")),
        (2, vec!["1-0".to_owned(), "½-½".to_owned()])
    );
    folder.take(&mut event, FileKind::WinTd, "w05", with_note(more()));
    assert_eq!(
        (event.round("K-6", 2).count(), results(&event, "K-6")),
        (2, vec!["0-1".to_owned(), "½-½".to_owned()])
    );
}
