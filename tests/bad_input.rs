//! Wrong input to the program: it reports what is wrong, where, and what to do, and the rest goes on.

#[path = "support/program.rs"]
mod program;
#[path = "support/quick_games.rs"]
mod quick_games;

use std::collections::BTreeSet;
use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Output;
use std::time::Duration;

use program::{Program, ask, free_port};
use quick_games::quick_games;
use sim::real_time::{Hall, HallConfig, HallNode, HallNodeKind};

/// A hub configuration with one table, whose broker is never asked.
const HUB: &str = "[hub]\nid = \"hub-1\"\njournal = \"hub.sqlite\"\n[broker]\nhost = \"127.0.0.1\"\n\
    [[table]]\nname = \"1\"\nrulebook = \"us-chess-bughouse-2018\"\nbase_s = 300\n\
    [[table.node]]\nboard = \"A\"\nkind = \"board\"\nnode = \"a\"\nport = \"/dev/null\"\n";

/// Asserts that the program failed with exit code 1 and named every one of `said` on stderr.
fn assert_refused(output: &Output, said: &[&str]) {
    assert_ends_with(1, output, said);
}

/// The same of a configuration that is wrong: systemd does not start the program with it again.
fn assert_misconfigured(output: &Output, said: &[&str]) {
    assert_ends_with(78, output, said);
}

fn assert_ends_with(code: i32, output: &Output, said: &[&str]) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{stderr}");
    assert_says(&stderr, said);
    assert!(!stderr.contains("panicked"), "{stderr}");
}

fn assert_says(text: &str, said: &[&str]) {
    for said in said {
        assert!(text.contains(said), "{said:?} is missing in:\n{text}");
    }
}

/// Runs a command with a configuration.
fn with_configuration(command: &str, text: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("the.toml"), text).unwrap();
    ask(folder.path(), &[command, "--config", "the.toml"])
}

#[test]
fn a_wrong_value_of_a_hub_is_named_with_file_key_value_and_remedy() {
    let output = with_configuration("hub", &HUB.replace("base_s = 300", "base_s = -5"));
    assert_misconfigured(
        &output,
        &["the.toml", "table[1].base_s = -5", "out of range", "from 1 to"],
    );
}

#[test]
fn all_wrong_values_of_a_hub_are_named_at_once() {
    let second =
        "[[table.node]]\nboard = \"A\"\nkind = \"board\"\nnode = \"b\"\nport = \"/dev/zero\"\n";
    let text = HUB.replace("hub-1", "hub 1") + second;
    let said =
        ["2 values", "hub.id = \"hub 1\"", "table[1].node[2]", "claims the place", "remove one"];
    assert_misconfigured(&with_configuration("hub", &text), &said);
}

/// `HUB` with other lines in place of its book and time.
fn playing(lines: &str) -> String {
    HUB.replace("rulebook = \"us-chess-bughouse-2018\"\nbase_s = 300", lines)
}

#[test]
fn a_hub_is_told_what_its_only_table_cannot_play_and_what_to_write() {
    for (lines, said) in [
        (
            "rulebook = \"house-rules\"\nbase_s = 300",
            ["table[1].rulebook = \"house-rules\"", "no rulebook of this release", "nc-scholastic"],
        ),
        (
            "rulebook = \"nc-blitz\"\nbase_s = 300",
            ["table[1].rulebook = \"nc-blitz\"", "a book for chess", "write game = \"chess\""],
        ),
        (
            "rulebook = \"us-chess-bughouse-2018\"\ngame = \"chess\"\nbase_s = 300",
            ["a book for bughouse", "the table plays chess", "us-chess-blitz-2020"],
        ),
        (
            "rulebook = \"nc-blitz\"\ngame = \"chess\"\nperiods = [{ base_s = 60 }, { base_s = 60 }]",
            ["table[1].periods[1].moves", "only the last period", "moves = 40"],
        ),
        (
            "rulebook = \"nc-blitz\"\ngame = \"chess\"\nbase_s = 60\nincrement_s = 2\ndelay_s = 2",
            ["table[1].delay_s = 2", "increment_s = 2", "remove the other"],
        ),
        (
            "rulebook = \"nc-blitz\"\ngame = \"chess\"\nperiods = \"40/5400\"",
            ["line 10", "periods", "hub.example.toml"],
        ),
    ] {
        assert_misconfigured(&with_configuration("hub", &playing(lines)), &["the.toml"]);
        assert_misconfigured(&with_configuration("hub", &playing(lines)), &said);
    }
}

#[test]
fn a_table_whose_book_does_not_fit_is_left_out_and_the_hub_follows_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let (_, second) = HUB.split_once("[[table]]").unwrap();
    let second =
        second.replace("name = \"1\"", "name = \"2\"").replace("node = \"a\"", "node = \"b\"");
    let second =
        second.replace("us-chess-bughouse-2018", "nc-blitz").replace("/dev/null", "/dev/zero");
    let journal = folder.path().join("hub.sqlite");
    let text = format!("{HUB}[[table]]{second}").replace("hub.sqlite", &journal.to_string_lossy());
    fs::write(folder.path().join("hub.toml"), text).unwrap();
    let config = folder.path().join("hub.toml");
    let log = folder.path().join("hub.log");
    let mut hub = Program::twinboard(&["hub", "--config", &config.to_string_lossy()], &log);
    hub.until_it_says("the hub runs");
    let said = [
        "table \"2\" is left out",
        "table[2].rulebook",
        "nc-blitz",
        "a book for chess",
        "the other tables go on",
        "tables=1",
    ];
    assert_says(&hub.log(), &said);
    assert!(hub.is_running());
}

#[test]
fn a_book_that_an_event_cannot_be_judged_by_is_named_with_its_place() {
    for (text, said) in [
        ("[event]\nrulebook = \"nc-blits\"\n", ["event.rulebook", "nc-blits", "nc-blitz"]),
        (
            "[event]\nrulebook = \"us-chess-bughouse-2018\"\ntd_calls = true\n",
            ["event.td_calls", "us-chess-bughouse-2018", "leave it out"],
        ),
        (
            "[[section]]\nname = \"Blitz\"\nrulebook = \"nc-blitz\"\n",
            ["section[1].name", "no [[table]]", "\"Blitz\""],
        ),
    ] {
        assert_misconfigured(&with_configuration("serve", text), &said);
    }
}

#[test]
fn an_unknown_key_is_named_with_its_line_and_where_the_keys_are() {
    let text = HUB.replace("base_s = 300", "base_seconds = 300");
    let said = ["the.toml", "line 9", "base_seconds", "hub.example.toml"];
    assert_misconfigured(&with_configuration("hub", &text), &said);
    let said = ["the.toml", "line 2", "adress", "adjudicator.example.toml"];
    assert_misconfigured(&with_configuration("serve", "[http]\nadress = \"127.0.0.1:1\"\n"), &said);
}

#[test]
fn a_wrong_value_of_the_adjudicator_is_named_with_file_key_value_and_remedy() {
    let output = with_configuration("serve", "[http]\nclock_rate = 5000.0\n");
    assert_misconfigured(&output, &["the.toml", "http.clock_rate", "5000", "from 0.1 to 1000"]);
    let output = with_configuration("export", "[event]\nrulebook = \"house-rules\"\n");
    assert_misconfigured(
        &output,
        &["the.toml", "event.rulebook", "house-rules", "us-chess-bughouse-2018"],
    );
}

#[test]
fn a_configuration_that_is_not_there_is_named_with_the_option_to_correct() {
    let folder = tempfile::tempdir().unwrap();
    for command in ["hub", "serve", "export"] {
        let output = ask(folder.path(), &[command, "--config", "missing.toml"]);
        assert_misconfigured(&output, &["missing.toml", "No such file", "--config"]);
    }
}

#[test]
fn a_taken_port_for_the_pages_is_named_with_the_key_to_change() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let text = format!(
        "[http]\naddress = \"{address}\"\n[broker]\naddress = \"127.0.0.1:{}\"\n",
        free_port()
    );
    let said = [&address.to_string(), "http.address", "stop the program"];
    assert_refused(&with_configuration("serve", &text), &said);
}

#[test]
fn a_taken_port_for_the_broker_is_named_with_the_key_to_change() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let text = format!("[http]\naddress = \"127.0.0.1:0\"\n[broker]\naddress = \"{address}\"\n");
    let said = [&address.to_string(), "broker.address", "stop the program"];
    assert_refused(&with_configuration("serve", &text), &said);
}

/// The names of the files in a folder that end in `suffix`, without it.
fn stems(folder: &Path, suffix: &str) -> BTreeSet<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let stem = |name: std::ffi::OsString| name.to_str()?.strip_suffix(suffix).map(str::to_owned);
    names.filter_map(stem).collect()
}

fn text_of(game: &rules::bpgn::BpgnGame) -> String {
    rules::bpgn::write(game)
}

#[test]
fn games_that_cannot_be_played_are_named_and_the_others_are_played() {
    let folder = tempfile::tempdir().unwrap();
    let games = quick_games(4, 12, 700);
    let illegal = "[Event \"A king that flies\"]\n[TimeControl \"60+0\"]\n\n\
        1A. e4{59.0} 1a. e5{59.0}\n2A. Ke3{58.0} 2a. Nf6{58.0}\n*";
    let cut = text_of(&games[1]);
    let cut = cut.split_at(cut.len() * 3 / 4).0;
    let mut elsewhere = games[2].clone();
    let start = rules::Match::initial();
    elsewhere.set_tag("FEN", &rules::fen::format_match(&start));
    let parts = [
        text_of(&games[0]),
        illegal.to_owned(),
        cut.to_owned(),
        text_of(&elsewhere),
        text_of(&games[3]),
    ];
    fs::write(folder.path().join("mixed.bpgn"), parts.join("\n\n")).unwrap();
    let output = ask(
        folder.path(),
        &["sim", "mixed.bpgn", "--players", "ideal", "--seed", "1", "--out", "played"],
    );
    let said = [
        "mixed.bpgn: game 2, line",
        ", after 2 plies: 2A. ",
        "Ke3",
        "correct",
        "game 3, line",
        "cut off",
        "game 4",
        "FEN tag",
        "leave the game out",
        "3 of 5 games of mixed.bpgn were left out",
    ];
    assert_refused(&output, &said);
    assert_says(&String::from_utf8_lossy(&output.stdout), &["2 matches, 24 plies"]);
    let played = BTreeSet::from(["mixed-001", "mixed-005"].map(str::to_owned));
    let out = folder.path().join("played");
    assert_eq!(stems(&out, ".trace.jsonl"), played);
    assert_eq!(stems(&out, ".truth.jsonl"), played);
}

#[test]
fn a_file_without_games_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("letter.txt"), "Dear players,\n\nwelcome.\n").unwrap();
    let output =
        ask(folder.path(), &["sim", "letter.txt", "--players", "ideal", "--out", "played"]);
    assert_refused(&output, &["letter.txt", "is it a BPGN or a PGN file?"]);
    let output = ask(folder.path(), &["sim", "none.bpgn", "--players", "ideal", "--out", "played"]);
    assert_refused(&output, &["none.bpgn", "No such file"]);
}

#[test]
fn a_garbled_line_of_a_trace_is_named_and_all_others_are_used() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("one.bpgn"), text_of(&quick_games(1, 12, 700)[0])).unwrap();
    let sim = ["sim", "one.bpgn", "--players", "ideal", "--seed", "1", "--out", "traces"];
    assert!(ask(folder.path(), &sim).status.success());
    let infer = |out: &str| ask(folder.path(), &["infer", "traces", "--out", out]);
    assert!(infer("before").status.success());
    let name = stems(&at("traces"), ".trace.jsonl").pop_first().unwrap();
    let file = at("traces").join(format!("{name}.trace.jsonl"));
    let text = fs::read_to_string(&file).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.insert(9, "{\"t_us\":12,\"boa\u{fffd}");
    lines.insert(20, "{\"t_us\":13,\"board\":\"A\",\"kind\":\"square\",\"square\":\"z9\"}");
    fs::write(&file, lines.join("\n")).unwrap();
    let output = infer("after");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    assert_says(&stderr, &[&format!("{name}.trace.jsonl"), "line 10 ", "line 21 ", "are used"]);
    let inferred = format!("{name}.inferred.jsonl");
    let read = |out: &str| fs::read_to_string(at(out).join(&inferred)).unwrap();
    assert_eq!(read("after"), read("before"));
    assert_eq!(read("after").lines().filter(|line| line.contains("\"ply\"")).count(), 12);
}

#[test]
fn a_file_that_is_no_trace_is_named_and_the_others_are_inferred() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("one.bpgn"), text_of(&quick_games(1, 12, 700)[0])).unwrap();
    let sim = ["sim", "one.bpgn", "--players", "ideal", "--seed", "1", "--out", "traces"];
    assert!(ask(folder.path(), &sim).status.success());
    fs::copy(at("one.bpgn"), at("traces").join("wrong.trace.jsonl")).unwrap();
    fs::write(at("traces").join("empty.trace.jsonl"), "").unwrap();
    let output = ask(folder.path(), &["infer", "traces", "--out", "inferred"]);
    let said = [
        "2 traces were not inferred",
        "wrong.trace.jsonl",
        "line 1",
        "empty.trace.jsonl",
        "give files",
    ];
    assert_refused(&output, &said);
    assert_eq!(stems(&at("inferred"), ".inferred.jsonl"), stems(&at("traces"), ".truth.jsonl"));
    let output = ask(folder.path(), &["infer", "nowhere", "--out", "inferred"]);
    assert_refused(&output, &["nowhere", "no file or folder"]);
}

/// A hub's configuration for some of a hall's tables.
fn hub_for(id: &str, nodes: &[(&HallNode, &str)], folder: &Path, broker_port: u16) -> String {
    let mut text = format!(
        "[hub]\nid = {id:?}\njournal = {:?}\n[broker]\nhost = \"127.0.0.1\"\nport = {broker_port}\n",
        folder.join(format!("{id}.sqlite")),
    );
    let tables: BTreeSet<usize> = nodes.iter().map(|(node, _)| node.table).collect();
    for table in tables {
        text += &format!(
            "[[table]]\nname = \"{table}\"\nrulebook = \"us-chess-bughouse-2018\"\nbase_s = 60\n"
        );
        for (node, node_id) in nodes.iter().filter(|(node, _)| node.table == table) {
            let kind = if node.kind == HallNodeKind::Board { "board" } else { "clock" };
            text += &format!(
                "[[table.node]]\nboard = \"{}\"\nkind = {kind:?}\nnode = {node_id:?}\nport = {:?}\n",
                node.board, node.port,
            );
        }
    }
    text
}

/// Both hubs are configured to open the ports of table 1, and table 3 of the second one has a wrong node. Both errors are reported, and
/// the second hub follows table 2 all the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_taken_serial_port_and_an_unknown_node_are_named_and_the_other_table_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let hall = Hall::start(HallConfig {
        games: quick_games(3, 12, 700),
        profile: sim::Profile::Ideal,
        trays: false,
        seed: 1,
        speed: 1.0,
        tables: 3,
        device_folder: folder.path().to_owned(),
        lead_in: Duration::from_secs(60),
    })
    .unwrap();
    let broker_port = free_port();
    let all: Vec<(&HallNode, &str)> =
        hall.nodes().iter().map(|node| (node, node.node_id.as_str())).collect();
    let first: Vec<_> = all.iter().copied().filter(|(node, _)| node.table == 1).collect();
    let second: Vec<_> = all
        .iter()
        .map(|&(node, id)| (node, if id == "table3-board-a" { "borrowed" } else { id }))
        .collect();
    let start = |id: &str, nodes: &[(&HallNode, &str)]| {
        let config = folder.path().join(format!("{id}.toml"));
        fs::write(&config, hub_for(id, nodes, folder.path(), broker_port)).unwrap();
        let log = folder.path().join(format!("{id}.log"));
        Program::twinboard(&["hub", "--config", &config.to_string_lossy()], &log)
    };
    let mut first = start("first", &first);
    let mut second = tokio::task::block_in_place(|| {
        for node in ["table1-board-a", "table1-board-b", "table1-clock-a", "table1-clock-b"] {
            first.until_it_says(&format!("node {node} is there"));
        }
        start("second", &second)
    });
    tokio::task::block_in_place(|| {
        second.until_it_says("is taken by another program: close that program");
        second.until_it_says(
            "is in no table of the configuration: place it on the directors' page Hubs",
        );
        for node in ["table2-board-a", "table2-board-b", "table2-clock-a", "table2-clock-b"] {
            second.until_it_says(&format!("node {node} is there"));
        }
    });
    assert!(first.is_running() && second.is_running(), "{}", second.log());
    let log = second.log();
    let taken =
        |port: &str| log.lines().any(|line| line.contains(port) && line.contains("is taken"));
    assert!(taken("table1-board-a") && !taken("table2-board-a"), "{log}");
}

/// The event names another book than the hub: the directors are notified which one counts, and play goes on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_and_a_hub_that_name_different_books_are_named_and_the_match_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let hall = Hall::start(HallConfig {
        games: quick_games(1, 12, 700),
        profile: sim::Profile::Ideal,
        trays: false,
        seed: 1,
        speed: 1.0,
        tables: 1,
        device_folder: folder.path().to_owned(),
        lead_in: Duration::from_secs(60),
    })
    .unwrap();
    let (broker_port, http_port) = (free_port(), free_port());
    let nodes: Vec<(&HallNode, &str)> =
        hall.nodes().iter().map(|node| (node, node.node_id.as_str())).collect();
    let start = |command: &str, text: String| {
        let file = folder.path().join(format!("{command}.toml"));
        fs::write(&file, text).unwrap();
        let log = folder.path().join(format!("{command}.log"));
        Program::twinboard(&[command, "--config", &file.to_string_lossy()], &log)
    };
    let event = format!(
        "[event]\nrulebook = \"mcsc-bughouse\"\n[http]\naddress = \"127.0.0.1:{http_port}\"\n\
         [broker]\naddress = \"127.0.0.1:{broker_port}\"\n"
    );
    let mut server = start("serve", event);
    let mut hub = start("hub", hub_for("hub-1", &nodes, folder.path(), broker_port));
    tokio::task::block_in_place(|| {
        server.until_it_says("judged by \"mcsc-bughouse\"");
    });
    assert_says(&server.log(), &["us-chess-bughouse-2018", "event.rulebook", "in both files"]);
    assert!(server.is_running() && hub.is_running(), "{}", server.log());
}
