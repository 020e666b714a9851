//! Work on a hall that runs: its files while matches are played (backups, the journal, a restore), the update of its nodes between matches, a
//! button that calls a director, and its set-up from the box.

#[path = "operations/call_button.rs"]
mod call_button;
#[path = "support/set_up.rs"]
mod from_the_box;
#[path = "support/program.rs"]
mod program;
#[path = "support/quick_games.rs"]
mod quick_games;
#[path = "operations/set_up.rs"]
mod set_up;
#[path = "operations/update.rs"]
mod update;

use std::{
    fs,
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    process::{Command, Output},
    time::Duration,
};

use program::{Program, ask, free_port};
use prost::Message as _;
use quick_games::quick_games;
use rules::bpgn;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

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
        ["--matches", "1"],
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
    let over_journal = ["restore", "--journal", "hall/hub.sqlite", "journal.sqlite"];
    fail(at, &["restore", "--config", "event.toml", "copy.sqlite"], "is in use: stop");
    fail(at, &over_journal, "is in use: stop");
    let moved = ["store", "copy", "hall/adjudicator.sqlite", "moved.sqlite"];
    fail(at, &moved, "is in use by a running adjudicator");

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
        fail(at, &["journal", journal, "facts", "m-77"], "has no match");
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
    assert!(succeed(at, &moved).starts_with("copied "));
    fail(at, &moved, "is there already");
    succeed(at, &["restore", "--config", "event.toml", "moved.sqlite"]);
    assert_eq!(succeed(at, &export), before);
    fail(at, &["restore", "--config", "event.toml", "journal.sqlite"], "no whole copy");
    let said = succeed(at, &over_journal);
    assert!(said.contains("1 matches") && said.contains("start the hub"), "{said}");
    fail(at, &["restore", "--journal", "hall/hub.sqlite", "copy.sqlite"], "no journal of a hub");
}

#[test]
fn a_server_that_is_given_few_files_asks_for_more() {
    // Both ends of these fit into this process's limit; the server's ends do not fit into its limit.
    const CONNECTIONS: usize = 200;
    const GIVEN: usize = 100;
    let folder = tempfile::tempdir().expect("a folder");
    let (server, http, _) = serve_with_files(folder.path(), "-Sn", GIVEN);
    let open = || TcpStream::connect_timeout(&http, STOP_MAX).expect("a connection");
    let idle: Vec<TcpStream> = (0..CONNECTIONS).map(|_| open()).collect();
    let answer = ask_health(http);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}\n{}", server.log());
    drop(idle);
}

#[tokio::test]
async fn a_server_that_may_have_few_files_lets_fewer_in_and_serves_them_with_a_short_log() {
    // As many as systems give without being asked, and no more however it asks.
    const MAY_HAVE: usize = 1024;
    // More than fit of pages and of hubs, all from one machine.
    const CONNECTIONS: usize = 700;
    const LOG_BYTES_MAX: usize = 50_000;
    let folder = tempfile::tempdir().expect("a folder");
    let (server, http, mqtt) = serve_with_files(folder.path(), "-n", MAY_HAVE);
    let elsewhere = "127.0.0.2:0".parse().expect("an address");
    let mut idle = Vec::new();
    for number in 0..CONNECTIONS {
        let to = if number % 2 == 0 { http } else { mqtt };
        idle.push(connect_from(elsewhere, to).await);
    }
    let answer = ask_health(http);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}\n{}", server.log());
    // A CONNECT of MQTT 3.1.1 without a name; the broker answers what it thinks of it.
    let mut hub = TcpStream::connect_timeout(&mqtt, STOP_MAX).expect("a connection");
    hub.set_read_timeout(Some(STOP_MAX)).expect("a timeout");
    hub.write_all(b"\x10\x0f\0\x04MQTT\x04\x02\0\x0a\0\x03hub").expect("a packet");
    let mut answer = [0; 4];
    hub.read_exact(&mut answer).expect("an answer");
    assert_eq!(answer[..2], [0x20, 2], "CONNACK\n{}", server.log());
    let log = server.log();
    assert!(log.contains("may open 1024 files") && log.len() < LOG_BYTES_MAX, "{log}");
}

/// A packet of MQTT; `names` are the strings of its body, each with its length before it.
fn packet(kind: u8, head: &[u8], names: &[&[u8]]) -> Vec<u8> {
    let mut body = head.to_vec();
    for name in names {
        body.extend(u16::try_from(name.len()).expect("a string of MQTT").to_be_bytes());
        body.extend_from_slice(name);
    }
    let (mut packet, mut left) = (vec![kind], body.len());
    loop {
        let more = if left >= 128 { 0x80 } else { 0 };
        packet.push(u8::try_from(left % 128).expect("seven bits") | more);
        left /= 128;
        if left == 0 {
            break;
        }
    }
    [packet, body].concat()
}

/// Sends packets and a DISCONNECT to the broker, and waits until the broker closes the connection.
fn tell(mqtt: SocketAddr, packets: &[Vec<u8>]) {
    let mut line = TcpStream::connect_timeout(&mqtt, STOP_MAX).expect("a connection");
    line.set_read_timeout(Some(STOP_MAX)).expect("a timeout");
    for packet in packets {
        // If the broker has closed the connection, it has already received the earlier packets.
        let _ = line.write_all(packet);
    }
    let _ = line.write_all(&packet(0xe0, &[], &[]));
    let _ = line.read_to_end(&mut Vec::new());
}

#[test]
fn names_and_topics_of_64_kb_fill_no_log() {
    const TIMES: usize = 100;
    // Lines for three kinds of refusal; the broker logs some of them in three places.
    const LINES_MAX: usize = 3 * 3 * TIMES;
    const LINE_BYTES_MAX: usize = 2_500;
    // The log escapes each letter as eight.
    let long = "\u{200b}".repeat(21_000);
    let long = long.as_bytes();
    let folder = tempfile::tempdir().expect("a folder");
    let accounts = folder.path().join("hubs.passwd");
    adjudicator::pki::secrets::write_account(&accounts, "north", "a password").expect("an account");
    let more = format!("credentials_file = {accounts:?}\n");
    let (server, http, mqtt) = serve_with(folder.path(), "-Sn", 1024, &more);
    const CONNECT: &[u8] = b"\0\x04MQTT\x04\xc2\0\0";
    let north: [&[u8]; 3] = [b"twinboard-hub-north", b"north", b"a password"];
    for _ in 0..TIMES {
        tell(mqtt, &[packet(0x10, CONNECT, &[b"twinboard-hub-x", long, b"a password"])]);
        tell(mqtt, &[packet(0x10, CONNECT, &[long, b"north", b"a password"])]);
        tell(mqtt, &[packet(0x10, CONNECT, &north), packet(0x30, &[], &[long])]);
    }
    let log = server.log();
    assert!(log.contains("refused a connection"), "{log}");
    let (bytes, lines) = (log.len(), log.lines().count());
    assert!(bytes < LINES_MAX * LINE_BYTES_MAX, "{bytes} bytes in {lines} lines");
    let longest = log.lines().map(str::len).max().expect("a line");
    assert!(longest < LINE_BYTES_MAX, "a line of {longest} bytes");
    assert!(ask_health(http).starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn streams_that_nobody_reads_cost_little_memory() {
    // Streams from each of two machines; both receive this number of tables.
    const STREAMS: usize = 250;
    const TABLES: usize = 300;
    const COST_BYTES_MAX: usize = 100_000;
    let folder = tempfile::tempdir().expect("a folder");
    fill_with_tables(&folder.path().join("event.sqlite"), TABLES).await;
    let (server, http, _) = serve_with_files(folder.path(), "-Sn", 1024);
    let before = server.memory_bytes();
    let mut unread = Vec::new();
    for machine in ["127.0.0.2:0", "127.0.0.3:0"] {
        for _ in 0..STREAMS {
            let from = machine.parse().expect("an address");
            let mut stream = connect_from(from, http).await.expect("a connection");
            let ask = b"GET /api/v1/live?last_event_id=0 HTTP/1.1\r\nHost: hall\r\n\r\n";
            stream.write_all(ask).await.expect("a request");
            let mut begun = [0; 12];
            stream.read_exact(&mut begun).await.expect("an answer");
            assert_eq!(&begun, b"HTTP/1.1 200");
            unread.push(stream);
        }
    }
    let cost = server.memory_bytes().saturating_sub(before) / unread.len();
    assert!(cost < COST_BYTES_MAX, "{cost} bytes for each stream that nobody reads");
    assert!(ask_health(http).starts_with("HTTP/1.1 200"));
}

/// Writes a database of an event with this number of tables, each with a match.
async fn fill_with_tables(path: &Path, tables: usize) {
    use proto::mqtt::message::{Board, BoardSetup, MatchOpened, Row, row::Event};
    const TABLES_OF_A_HUB: usize = 30;
    let store = adjudicator::log::Store::open(path).await.expect("a database");
    let board = |board: Board| BoardSetup { board: board as i32, sensor: "reed".to_owned() };
    for first in (0..tables).step_by(TABLES_OF_A_HUB) {
        let row = |number: usize| {
            let opened = MatchOpened {
                match_id: format!("m{number}"),
                rulebook: "us-chess-bughouse-2018".to_owned(),
                base_ms: 300_000,
                boards: vec![board(Board::A), board(Board::B)],
                ..MatchOpened::default()
            };
            let row = Row {
                sequence: (number - first + 1) as u64,
                hub_time_us: 1,
                table: number.to_string(),
                event: Some(Event::MatchOpened(opened)),
            };
            adjudicator::log::input::NewRow {
                sequence: row.sequence,
                table: row.table.clone(),
                match_id: None,
                payload: row.encode_to_vec(),
            }
        };
        let rows: Vec<_> = (first..tables.min(first + TABLES_OF_A_HUB)).map(row).collect();
        let hub = format!("hub-{first}");
        let batch =
            adjudicator::log::Batch { hub: &hub, boot_id: 7, first_available: 1, rows: &rows };
        store.append_group(1, &[batch]).await.expect("room");
    }
    store.close().await;
}

/// A server that is given so many files, softly (`-Sn`) or for good (`-n`); its pages and its broker.
fn serve_with_files(folder: &Path, how: &str, files: usize) -> (Program, SocketAddr, SocketAddr) {
    serve_with(folder, how, files, "")
}

/// The same with more lines about the broker.
fn serve_with(
    folder: &Path,
    how: &str,
    files: usize,
    broker: &str,
) -> (Program, SocketAddr, SocketAddr) {
    let listeners = [0, 1].map(|_| TcpListener::bind("127.0.0.1:0").expect("a free port"));
    let [http, mqtt] = listeners.map(|one| one.local_addr().expect("its address"));
    let config = folder.join("event.toml");
    let text = format!(
        "[http]\naddress = \"{http}\"\n[broker]\naddress = \"{mqtt}\"\n{broker}[store]\npath = \"event.sqlite\"\n"
    );
    fs::write(&config, text).expect("room for a configuration");
    let mut command = Command::new("bash");
    command.args(["-c", "ulimit \"$1\" \"$2\" && exec \"$3\" serve --config \"$4\"", "bash", how]);
    command.args([&files.to_string(), env!("CARGO_BIN_EXE_twinboard")]).arg(&config);
    let server = Program::start(command, &folder.join("serve.log"));
    server.until_it_says_within(STOP_MAX, "pages at");
    (server, http, mqtt)
}

/// Connects as another machine would; one that is turned away at once is as good.
async fn connect_from(from: SocketAddr, to: SocketAddr) -> Option<tokio::net::TcpStream> {
    let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
    socket.bind(from).expect("an address of this machine");
    socket.connect(to).await.ok()
}

fn ask_health(http: SocketAddr) -> String {
    let mut asking = TcpStream::connect_timeout(&http, STOP_MAX).expect("a connection");
    asking.set_read_timeout(Some(STOP_MAX)).expect("a timeout");
    write!(asking, "GET /healthz HTTP/1.1\r\nHost: hall\r\nConnection: close\r\n\r\n")
        .expect("a request");
    let mut answer = String::new();
    asking.read_to_string(&mut answer).expect("an answer");
    answer
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
