//! The files of organisers at the command line: every command line of docs/files.md on a sound file of each kind, its
//! examples, and what the commands write.

#[path = "support/program.rs"]
mod program;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Output,
};

use program::ask;

/// Each kind of file, its example, and what opens its section.
const KINDS: [(&str, &str, &[&str]); 7] = [
    ("teams", "teams.csv", &[]),
    ("players", "players.csv", &["--rulebook", "nc-scholastic", "--rounds", "5"]),
    ("pairings", "pairings.csv", &[]),
    ("results", "results.csv", &[]),
    ("trf", "report.trf", &["--rulebook", "nc-scholastic"]),
    ("wintd", "wintd.json", &["--rulebook", "us-chess-bughouse-2018"]),
    ("deeds", "deeds.jsonl", &[]),
];

/// Title of the example's report, which is its section.
const REPORTED: &str = "Spring Open";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A folder with the examples.
fn examples() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(root().join("docs/examples")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
    }
    folder
}

fn words(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it).into_owned()).concat()
}

fn run(at: &Path, arguments: &[&str]) -> String {
    let output = ask(at, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", words(&output));
    words(&output)
}

/// An event with the example's sections and tables.
fn open(at: &Path) {
    let terms = ["--section", "K-6", "--rulebook", "us-chess-bughouse-2018", "--rounds", "3"];
    run(at, &[&["event", "open", "spring.json"][..], &terms[..], &["--tables", "12"][..]].concat());
}

/// The command lines of the page that begin so, without their brackets.
fn of_the_page(beginning: &str) -> Vec<String> {
    let page = fs::read_to_string(root().join("docs/files.md")).unwrap();
    let lines: Vec<String> = page
        .split('`')
        .filter_map(|text| text.strip_prefix("twinboard "))
        .filter(|text| text.starts_with(&format!("{beginning} ")))
        .map(|text| text.replace(['[', ']'], ""))
        .collect();
    assert!(!lines.is_empty(), "docs/files.md has {beginning}");
    lines
}

#[test]
fn every_command_line_of_the_page_runs_on_a_sound_file() {
    let folder = examples();
    let at = folder.path();
    for line in of_the_page("event open") {
        let line = line
            .replace("EVENT.json", "spring.json")
            .replace("NAME", "K-6")
            .replace("--rulebook ID", "--rulebook us-chess-bughouse-2018")
            .replace("--rounds N", "--rounds 3")
            .replace("--tables N", "--tables 12");
        run(at, &line.split(' ').collect::<Vec<_>>());
    }
    for (kind, file, terms) in KINDS {
        for beginning in ["event check", "event import"] {
            for line in of_the_page(beginning) {
                let line = line.replace("EVENT.json", "spring.json").replace("FILE", file);
                let mut arguments: Vec<&str> = line.split(' ').collect();
                let at_kind = arguments.iter().position(|it| *it == "--as").unwrap() + 1;
                arguments[at_kind] = kind;
                arguments.extend(terms);
                run(at, &arguments);
            }
        }
    }
    for beginning in ["event standings", "event results", "event copy", "event export"] {
        for line in of_the_page(beginning) {
            let line = line
                .replace("EVENT.json", "spring.json")
                .replace("NEW.json", "copy.json")
                .replace("FILE", "report-26.trf")
                .replace("NAME", "REPORTED");
            let words =
                line.split(' ').map(|word| if word == "REPORTED" { REPORTED } else { word });
            run(at, &words.collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_list_or_a_report_is_checked_without_an_event() {
    let folder = examples();
    for (kind, file, _) in KINDS
        .into_iter()
        .filter(|(kind, ..)| matches!(*kind, "teams" | "players" | "trf" | "wintd"))
    {
        let report = run(folder.path(), &["event", "check", file, "--as", kind]);
        assert!(report.contains("0 errors"), "{kind}: {report}");
    }
}

#[test]
fn the_outlook_changes_and_a_reason_are_at_the_command_line() {
    let folder = examples();
    let at = folder.path();
    open(at);
    let shown =
        run(at, &["event", "check", "teams.csv", "--as", "teams", "--event", "spring.json"]);
    assert!(
        shown.contains("1 Oak Owls: Ida Aster (Oak School), Leo Birch (Oak School)"),
        "{shown}"
    );
    for (kind, file) in
        [("teams", "teams.csv"), ("pairings", "pairings.csv"), ("results", "results.csv")]
    {
        run(at, &["event", "import", file, "--as", kind, "--event", "spring.json"]);
    }
    let results = fs::read_to_string(at.join("results.csv")).unwrap();
    fs::write(at.join("results.csv"), results.replace("1,1-0", "1,0-1")).unwrap();
    let import = ["event", "import", "results.csv", "--as", "results", "--event", "spring.json"];
    let kept = run(at, &import);
    assert!(kept.contains("not taken") && kept.contains("1-0 becomes 0-1"), "{kept}");
    let back = |at: &Path| run(at, &["event", "results", "spring.json"]);
    assert!(back(at).contains("1,2,1-0,yes"), "{}", back(at));
    run(at, &[&import[..], &["--note", "the slip says so"]].concat());
    assert!(back(at).contains("1,2,0-1,yes"), "{}", back(at));
    fs::write(at.join("back.csv"), back(at)).unwrap();
    let again =
        run(at, &["event", "import", "back.csv", "--as", "results", "--event", "spring.json"]);
    assert!(again.contains("0 acts"), "{again}");
}

#[test]
fn a_mapping_is_written_by_check_and_when_the_guess_is_not_enough() {
    let folder = examples();
    let at = folder.path();
    let odd = "Mannschaftsname,Vorname A,Name A,Klasse,Spielerin B,Schule\nOak,Ida,Aster,4,Leo Birch,Oak School\n";
    fs::write(at.join("odd.csv"), odd).unwrap();
    let check = ["event", "check", "odd.csv", "--as", "teams", "--mapping"];
    let refused = ask(at, &[&check[..], &["guess.json"]].concat());
    assert!(!refused.status.success());
    assert!(words(&refused).contains("--mapping"), "{}", words(&refused));
    let guess = fs::read_to_string(at.join("guess.json")).unwrap();
    assert!(guess.contains("\"player\": \"\""), "{guess}");
    let mapped = run(at, &[&check[..], &["columns.json"]].concat());
    assert!(mapped.contains("Oak: Ida Aster (Oak School), Leo Birch"), "{mapped}");
}

/// The served event and the one of a file are entered by the same commands, whether the adjudicator runs or not.
#[test]
fn one_event_is_entered_in_its_file_in_its_database_and_while_it_is_served() {
    let folder = examples();
    let at = folder.path();
    run(at, &["token", "token"]);
    let [http, mqtt] = [program::free_port(), program::free_port()];
    let config = format!(
        "[event]\nname = \"Spring\"\n[http]\naddress = \"127.0.0.1:{http}\"\ntd_token_file = \"token\"\n\
         [broker]\naddress = \"127.0.0.1:{mqtt}\"\n[store]\npath = \"event.sqlite\"\n"
    );
    fs::write(at.join("serve.toml"), config).unwrap();
    // The event is prepared in a file, and copied into a database without a running server.
    open(at);
    run(at, &["event", "import", "teams.csv", "--as", "teams", "--event", "spring.json"]);
    let said = run(at, &["event", "copy", "spring.json", "serve.toml"]);
    assert!(said.contains("acts copied to serve.toml"), "{said}");
    let again = ask(at, &["event", "copy", "spring.json", "serve.toml"]);
    assert!(!again.status.success() && words(&again).contains("has an event already"));
    let report = |event: &str| run(at, &["event", "standings", event, "--names"]);
    assert_eq!(report("serve.toml"), report("spring.json"));
    // The same list is nothing new, there as here.
    let same = run(at, &["event", "import", "teams.csv", "--as", "teams", "--event", "serve.toml"]);
    assert!(same.contains(" 0 acts"), "{same}");
    let server = program::Program::configured(at, "serve");
    server.until_it_says("the adjudicator is ready");
    // The running one takes the list after the same preview.
    let pairings = "Section,Round,Table,First,Second\nK-6,1,1,1,2\n";
    fs::write(at.join("first.csv"), pairings).unwrap();
    let opened = "{\"kind\":\"round-opened\",\"section\":\"K-6\",\"round\":1}\n";
    fs::write(at.join("opened.jsonl"), opened).unwrap();
    for event in ["spring.json", "serve.toml"] {
        run(at, &["event", "import", "opened.jsonl", "--as", "deeds", "--event", event]);
    }
    let import = |event: &str| {
        run(at, &["event", "import", "first.csv", "--as", "pairings", "--event", event])
    };
    assert_eq!(import("serve.toml"), import("spring.json"));
    run(at, &["event", "copy", "serve.toml", "back.json"]);
    assert_eq!(report("back.json"), report("spring.json"));
    fs::remove_file(at.join("token")).unwrap();
    let opened = "{\"kind\":\"round-opened\",\"section\":\"K-6\",\"round\":2}\n";
    fs::write(at.join("opened.jsonl"), opened).unwrap();
    let alone =
        ask(at, &["event", "import", "opened.jsonl", "--as", "deeds", "--event", "serve.toml"]);
    let said = words(&alone);
    assert!(!alone.status.success() && said.contains("token"), "{said}");
}
