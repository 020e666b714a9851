//! What whoever runs a hall does with its files while matches are played: copies, the journal, a copy put back.

mod support {
    pub(crate) mod program;
    pub(crate) mod quick_games;
}

use std::{
    fs,
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Command, Output},
    time::Duration,
};

use rules::bpgn;
use serde_json::Value;
use support::{
    program::{Program, ask, free_port},
    quick_games::quick_games,
};

const PLIES: usize = 8;
/// From the start of the demonstration to the end of its match.
const SHOW_MAX: Duration = Duration::from_secs(120);
const STOP_MAX: Duration = Duration::from_secs(20);

fn words(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn succeed(folder: &Path, arguments: &[&str]) -> String {
    let output = ask(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", words(&output));
    String::from_utf8(output.stdout).expect("text")
}

fn fail(folder: &Path, arguments: &[&str], with: &str) {
    let output = ask(folder, arguments);
    assert!(!output.status.success(), "{arguments:?} must be refused");
    assert!(words(&output).contains(with), "{arguments:?}: {}", words(&output));
}

/// Plays one short match and leaves the demonstration running.
fn demonstration(folder: &Path) -> Program {
    let games: String = quick_games(1, PLIES, 300).iter().map(bpgn::write).collect();
    fs::write(folder.join("some.bpgn"), games).expect("room for a game");
    let out = folder.join("hall");
    let event = format!("[store]\npath = {:?}\n", out.join("adjudicator.sqlite"));
    fs::write(folder.join("event.toml"), event).expect("room for a configuration");
    let (games, out) = (folder.join("some.bpgn"), out);
    let arguments = [
        ["--tables", "1"],
        ["--games", games.to_str().expect("Unicode")],
        ["--speed", "10"],
        ["--players", "ideal"],
        ["--http", "127.0.0.1:0"],
        ["--out", out.to_str().expect("Unicode")],
    ];
    let log = folder.join("demo.log");
    let demo = Program::twinboard(&[&["demo"][..], &arguments.concat()].concat(), &log);
    demo.until_it_says_within(SHOW_MAX, "the pages stay up");
    demo
}

#[test]
fn hall_is_copied_while_it_runs_its_journal_is_read_and_a_copy_is_put_back_when_it_stands() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let mut demo = demonstration(at);

    let said = succeed(at, &["backup", "--config", "event.toml", "copy.sqlite"]);
    assert!(said.starts_with("wrote copy.sqlite: "), "{said}");
    fail(at, &["backup", "--config", "event.toml", "copy.sqlite"], "is there already");
    let said = succeed(at, &["backup", "--journal", "hall/hub.sqlite", "journal.sqlite"]);
    assert!(said.contains("1 matches"), "{said}");
    fail(at, &["restore", "--config", "event.toml", "copy.sqlite"], "in use by a running");

    for journal in ["hall/hub.sqlite", "journal.sqlite"] {
        let list = succeed(at, &["journal", journal, "list"]);
        let line = list.lines().find(|line| line.starts_with("demo-hub")).expect("a match");
        let name = line.split_whitespace().next().expect("its name");
        succeed(at, &["journal", journal, "trace", name, "--out", "m.trace.jsonl"]);
        succeed(at, &["infer", "m.trace.jsonl", "--out", "inferred"]);
        let text = fs::read_dir(at.join("inferred"))
            .expect("a folder")
            .map(|entry| fs::read_to_string(entry.expect("an entry").path()).expect("a file"));
        let plies = text.collect::<String>().matches("\"kind\":\"ply\"").count();
        assert_eq!(plies, PLIES, "the trace tells the match");
        let rows = succeed(at, &["journal", journal, "rows"]);
        let rows: Vec<Value> =
            rows.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert!(rows.iter().filter(|row| row["event"] == "ply-reported").count() >= PLIES);
        assert!(rows.iter().all(|row| row["match"] == name || row["match"].is_null()));
        fail(at, &["journal", journal, "trace", "m-77"], "has no match");
    }
    fail(at, &["journal", "copy.sqlite", "list"], "is no journal");
    fail(at, &["journal", "some.bpgn", "list"], "is no journal");

    demo.interrupt();
    demo.exit(STOP_MAX);
    let export = ["export", "--config", "event.toml", "--format", "csv"];
    let before = succeed(at, &export);
    fs::remove_file(at.join("hall/adjudicator.sqlite")).expect("the database is lost");
    let said = succeed(at, &["restore", "--config", "event.toml", "copy.sqlite"]);
    assert!(said.contains("start the adjudicator"), "{said}");
    assert_eq!(succeed(at, &export), before);
    fail(at, &["restore", "--config", "event.toml", "journal.sqlite"], "no whole copy");
}

#[test]
fn a_server_that_is_given_few_files_asks_for_more() {
    // Both ends of these fit into what this process has; the server's do not fit into what it is given.
    const CONNECTIONS: usize = 200;
    const GIVEN: usize = 100;
    let folder = tempfile::tempdir().expect("a folder");
    let listeners = [0, 1].map(|_| TcpListener::bind("127.0.0.1:0").expect("a free port"));
    let [http, mqtt] = listeners.map(|one| one.local_addr().expect("its address"));
    let config = folder.path().join("event.toml");
    let text = format!(
        "[http]\naddress = \"{http}\"\n[broker]\naddress = \"{mqtt}\"\n[store]\npath = \"event.sqlite\"\n"
    );
    fs::write(&config, text).expect("room for a configuration");
    let mut command = Command::new("bash");
    command.args(["-c", "ulimit -Sn \"$1\" && exec \"$2\" serve --config \"$3\"", "bash"]);
    command.args([&GIVEN.to_string(), env!("CARGO_BIN_EXE_twinboard")]).arg(&config);
    let server = Program::start(command, &folder.path().join("serve.log"));
    server.until_it_says_within(STOP_MAX, "pages at");
    let open = || TcpStream::connect_timeout(&http, STOP_MAX).expect("a connection");
    let idle: Vec<TcpStream> = (0..CONNECTIONS).map(|_| open()).collect();
    let mut asking = open();
    asking.set_read_timeout(Some(STOP_MAX)).expect("a timeout");
    write!(asking, "GET /healthz HTTP/1.1\r\nHost: hall\r\nConnection: close\r\n\r\n")
        .expect("a request");
    let mut answer = String::new();
    asking.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}\n{}", server.log());
    drop(idle);
}

#[test]
fn enrolled_hub_connects_encrypted_and_a_revoked_one_is_told_that_it_may_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    fn enroll<'a>(what: &[&'a str]) -> Vec<&'a str> {
        [&["enroll"], what, &["--folder", "tls"]].concat()
    }
    fail(at, &enroll(&["hub", "hub-1"]), "twinboard enroll adjudicator");
    succeed(at, &enroll(&["adjudicator", "localhost", "127.0.0.1"]));
    fail(at, &enroll(&["hub", "hub 1"]), "is no hub id");
    succeed(at, &enroll(&["hub", "hub-1", "--bundles", "bundles"]));
    let status = succeed(at, &enroll(&["status"]));
    assert!(status.contains("hub hub-1") && status.contains(" days  localhost"), "{status}");

    let gate = free_port();
    let event = format!(
        "[http]\naddress = \"127.0.0.1:0\"\n[broker]\naddress = \"127.0.0.1:0\"\n\
         tls_address = \"127.0.0.1:{gate}\"\n[tls]\nfolder = \"tls\"\n"
    );
    fs::write(at.join("event.toml"), event).expect("room for a configuration");
    let bundle = at.join("bundles/hub-1");
    let table = "[[table]]\nname = \"1\"\nrulebook = \"us-chess-bughouse-2018\"\nbase_s = 300\n\
         [[table.node]]\nboard = \"A\"\nkind = \"board\"\nnode = \"b0a7d001\"\nport = \"/dev/none-a\"\n\
         [[table.node]]\nboard = \"B\"\nkind = \"board\"\nnode = \"b0a7d002\"\nport = \"/dev/none-b\"\n";
    // As the bundle's own lines, with other places.
    let stub = fs::read_to_string(bundle.join("hub.toml")).expect("the bundle's lines");
    let stub = stub
        .replace("/var/lib/twinboard-hub/hub-1.sqlite", &at.join("hub.sqlite").to_string_lossy())
        .replace("/etc/twinboard/tls", &bundle.to_string_lossy())
        .replace("8883", &gate.to_string());
    fs::write(at.join("hub.toml"), format!("{stub}\n{table}")).expect("room");

    let path = |name: &str| at.join(name).to_string_lossy().into_owned();
    let mut serve =
        Program::twinboard(&["serve", "--config", &path("event.toml")], &at.join("serve.log"));
    serve.until_it_says_within(STOP_MAX, "the adjudicator is ready");
    let hub = ["hub", "--config", &path("hub.toml")];
    let mut first = Program::twinboard(&hub, &at.join("hub.log"));
    first.until_it_says_within(STOP_MAX, "the adjudicator is there");
    first.interrupt();
    assert!(first.exit(STOP_MAX).is_some(), "it stops");
    succeed(at, &enroll(&["revoke", "hub-1"]));
    let mut second = Program::twinboard(&hub, &at.join("hub-again.log"));
    second.until_it_says_within(STOP_MAX, "NotAuthorized");
    second.interrupt();
    assert!(second.exit(STOP_MAX).is_some(), "it stops");
    serve.until_it_says_within(STOP_MAX, "it was revoked");
    serve.interrupt();
    assert!(serve.exit(STOP_MAX).is_some(), "it stops");
}
