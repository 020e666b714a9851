//! `twinboard demo` from its first line to Ctrl-C: live tables, whole matches, and records that say
//! what happened.

mod support {
    pub(crate) mod patience;
    pub(crate) mod program;
    pub(crate) mod quick_games;
    pub(crate) mod simulated_hall;
}

#[path = "rounds/mod.rs"]
mod rounds;

use std::{path::Path, time::Duration};

use readings::{TruthLine, TruthPly};
use rules::{
    BoardId,
    bpgn::{self, BpgnGame, BpgnPly},
};
use serde_json::Value;
use sim::Profile;
use support::{patience::eventually, program::Program, quick_games::quick_games};

const TABLES: usize = 3;
const SEED: u64 = 1;
/// From the start of the program to its address.
const START_MAX: Duration = Duration::from_secs(20);
/// From the first line to the comparison. The matches themselves take half a minute.
const SHOW_MAX: Duration = Duration::from_secs(150);
/// From Ctrl-C to the end.
const STOP_MAX: Duration = Duration::from_secs(20);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_tables_are_live_at_once_and_their_records_are_what_was_played() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("demo");
    let log = folder.path().join("demo.log");
    let arguments = [
        "demo",
        "--tables",
        "3",
        "--matches",
        "1",
        "--speed",
        "25",
        "--players",
        "ideal",
        "--seed",
        "1",
        "--http",
        "127.0.0.1:0",
        "--out",
        out.to_str().expect("a path in Unicode"),
    ];
    let mut demo = Program::twinboard(&arguments, &log);
    demo.until_it_says_within(START_MAX, "Ctrl-C ends");
    let first = demo.lines(|line| line.contains("http://"));
    let address = address_in(first.first().map_or("", String::as_str));

    eventually("all three tables are playing at once", async || {
        let states = states(&address).await?;
        let live = vec![("playing".to_owned(), "live".to_owned()); TABLES];
        if states == live { Ok(()) } else { Err(format!("{states:?}")) }
    })
    .await;

    demo.until_it_says_within(SHOW_MAX, "the pages stay up");
    let claims =
        demo.lines(|line| line.contains("claims (illegal-ply); it waits on the director's page"));
    assert!(!claims.is_empty(), "somebody claims, rightly or not\n{}", demo.log());
    assert!(!demo.log().contains("are not over"), "{}", demo.log());
    let lines = demo.lines(|line| line.starts_with("table"));
    let ended = states(&address).await.expect("the pages stay up");
    assert!(ended.iter().all(|(state, _)| state == "ended"), "{ended:?}");

    for (index, game) in sim::games::shipped().iter().take(TABLES).enumerate() {
        let name = format!("table{}-match1", index + 1);
        let truth = truth(game, &name);
        let record = record(&out.join("records").join(format!("{name}.bpgn")));
        for board in BoardId::ALL {
            assert_eq!(
                recorded_squares(&record, board),
                true_squares(&truth, board),
                "{name}\n{}",
                demo.log()
            );
        }
        let is_complete = |line: &&String| {
            line.starts_with(&name) && line.contains(&format!("{0} of {0}", truth.len()))
        };
        assert!(lines.iter().any(|line| is_complete(&line)), "{name} is not right in {lines:#?}");
    }

    demo.interrupt();
    let status = demo.exit(STOP_MAX);
    assert!(status.is_some_and(|status| status.success()), "{status:?}\n{}", demo.log());
}

/// Ends with a mate, after a castling and an exchange.
const CHESS: &str = "[Event \"short\"]\n[TimeControl \"180+2\"]\n\n1. e4 {[%clk 0:03:01.0]} e5 \
    {[%clk 0:03:01.0]} 2. Nf3 {[%clk 0:03:02.0]} Nc6 {[%clk 0:03:02.0]} 3. Bc4 {[%clk 0:03:03.0]} \
    d6 {[%clk 0:03:03.0]} 4. O-O {[%clk 0:03:04.0]} Bg4 {[%clk 0:03:04.0]} 5. Nc3 \
    {[%clk 0:03:05.0]} Nd4 {[%clk 0:03:05.0]} 6. Nxe5 {[%clk 0:03:06.0]} Bxd1 {[%clk 0:03:06.0]} \
    7. Bxf7+ {[%clk 0:03:07.0]} Ke7 {[%clk 0:03:07.0]} 8. Nd5# {[%clk 0:03:08.0]} 1-0\n";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_tables_of_bughouse_and_one_of_chess_are_played_in_one_hall() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("Unicode").to_owned();
    let (bughouse, chess, out) = (path("some.bpgn"), path("some.pgn"), path("demo"));
    let matches: String = quick_games(2, 24, 700).iter().map(bpgn::write).collect();
    std::fs::write(&bughouse, matches).expect("room for the games");
    std::fs::write(&chess, CHESS).expect("room for the game");
    let arguments = [
        ["--chess-tables", "1"],
        ["--matches", "1"],
        ["--games", &bughouse],
        ["--games", &chess],
        ["--speed", "20"],
        ["--players", "ideal"],
        ["--http", "127.0.0.1:0"],
        ["--out", &out],
    ];
    let log = folder.path().join("demo.log");
    let mut demo = Program::twinboard(&[&["demo"][..], &arguments.concat()].concat(), &log);
    demo.until_it_says_within(SHOW_MAX, "the pages stay up");
    let complete = |line: &str| line.starts_with("table") && line.contains("24 of 24");
    assert_eq!(demo.lines(complete).len(), 2, "{}", demo.log());
    let complete = |line: &str| line.starts_with("table3-match1") && line.contains("15 of 15");
    assert_eq!(demo.lines(complete).len(), 1, "{}", demo.log());

    let record =
        std::fs::read(Path::new(&out).join("records/table3-match1.pgn")).expect("a record");
    let (record, error) = rules::pgn::read(&record).remove(0);
    assert_eq!(error, None);
    assert_eq!(record.result, rules::pgn::GameResult::White);
    assert_eq!(record.tag("TimeControl"), Some("180+2"));
    let clocks: Vec<i64> = record.plies.iter().filter_map(|ply| ply.clock_ms).collect();
    assert!(clocks.len() == 15 && clocks.iter().all(|&ms| ms > 180_000), "{clocks:?}");

    demo.interrupt();
    let status = demo.exit(STOP_MAX);
    assert!(status.is_some_and(|status| status.success()), "{status:?}\n{}", demo.log());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_is_paired_and_confirmed_round_after_round_until_somebody_ends_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let games = folder.path().join("some.bpgn");
    let matches: String = quick_games(4, 16, 700).iter().map(bpgn::write).collect();
    std::fs::write(&games, matches).expect("room for the games");
    let arguments = [
        ["--tables", "2"],
        ["--games", games.to_str().expect("Unicode")],
        ["--speed", "20"],
        ["--players", "ideal"],
        ["--http", "127.0.0.1:0"],
    ];
    let log = folder.path().join("demo.log");
    let mut demo = Program::twinboard(&[&["demo"][..], &arguments.concat()].concat(), &log);
    demo.until_it_says_within(START_MAX, "Ctrl-C ends");
    let first = demo.lines(|line| line.contains("http://"));
    let address = address_in(first.first().map_or("", String::as_str));
    demo.until_it_says_within(SHOW_MAX, "round 1 is confirmed, and round 2 is paired");

    eventually("the second round is played between others", async || {
        let event = json(&format!("{address}/api/v1/event")).await?;
        let pairings = event["sections"][0]["pairings"].as_array().ok_or("no pairings")?.clone();
        let met = |round: u64| -> Vec<Value> {
            let of_round = pairings.iter().filter(|one| one["round"] == round);
            of_round.map(|one| one["names"].clone()).collect()
        };
        let runs = pairings.iter().any(|one| one["round"] == 2 && one["running"] == true);
        assert!(met(2).iter().all(|names| !met(1).contains(names)), "{pairings:#?}");
        if runs { Ok(()) } else { Err(format!("{pairings:#?}")) }
    })
    .await;
    let standings = json(&format!("{address}/api/v1/standings?section=Bughouse")).await;
    let standings = standings.expect("the pages stay up");
    let rows = standings["standings"]["rows"].as_array().expect("rows").clone();
    let points: f64 = rows.iter().filter_map(|row| row["score"].as_f64()).sum();
    assert_eq!((rows.len(), points), (4, 2.0), "a point at each table: {rows:#?}");

    demo.interrupt();
    let status = demo.exit(STOP_MAX);
    assert!(status.is_some_and(|status| status.success()), "{status:?}\n{}", demo.log());
    let compared = demo.lines(|line| line.starts_with("table") && line.contains("16 of 16"));
    assert!(compared.len() >= 2, "{}", demo.log());
}

/// Finds `http://host:port` in the line that contains it.
fn address_in(line: &str) -> String {
    let address = line.split_whitespace().find(|word| word.starts_with("http://"));
    address.unwrap_or_else(|| panic!("no address in {line:?}")).to_owned()
}

async fn json(address: &str) -> Result<Value, String> {
    match reqwest::get(address).await {
        Ok(answer) => answer.json().await.map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

/// The state of every table, and of its sensors.
async fn states(address: &str) -> Result<Vec<(String, String)>, String> {
    let round = json(&format!("{address}/api/v1/round")).await?;
    let text = |table: &Value, key: &str| table[key].as_str().unwrap_or_default().to_owned();
    let tables = round["tables"].as_array().ok_or("a round without tables")?;
    Ok(tables.iter().map(|table| (text(table, "state"), text(table, "sensors"))).collect())
}

/// Plies that the demonstration's hands make of a game, computed without the demonstration.
fn truth(game: &BpgnGame, name: &str) -> Vec<TruthPly> {
    let performance = sim::perform(game, Profile::Ideal, SEED, name).expect("a shipped game");
    let ply = |line| match line {
        TruthLine::Ply(ply) => Some(ply),
        TruthLine::Anomaly(_) => None,
    };
    performance.truth.into_iter().filter_map(ply).collect()
}

fn record(file: &Path) -> BpgnGame {
    let bytes = std::fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut games = bpgn::read(&bytes);
    assert_eq!(games.len(), 1, "{}", file.display());
    games.remove(0).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn true_squares(truth: &[TruthPly], board: BoardId) -> Vec<String> {
    let plies = truth.iter().filter(|ply| ply.board == board);
    plies.map(|ply| format!("{} {}", ply.side, squares(ply.uci))).collect()
}

fn recorded_squares(record: &BpgnGame, board: BoardId) -> Vec<String> {
    let plies = record.plies.iter().filter(|ply: &&BpgnPly| ply.board == board);
    plies.map(|ply| format!("{} {}", ply.color, squares(ply.ply))).collect()
}

/// The part of a ply that reed switches measure: origin square, or the hand, and target square.
fn squares(ply: rules::Ply) -> String {
    ply.from().map_or_else(|| format!("@{}", ply.to()), |from| format!("{from}{}", ply.to()))
}
