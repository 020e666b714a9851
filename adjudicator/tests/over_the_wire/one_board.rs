//! Tables of one board: chess, and bughouse of which one board alone has sensors; and which book they are judged by.

use std::os::unix::fs::PermissionsExt as _;

use proto::mqtt::message::{Board, DelayKind, Game, MatchOpened, MatchState, Period, Row, Side};
use serde_json::{Value, json};

use crate::support::{self, Hub, Script, Server, boards, bughouse};

/// Scholar's mate on one board, with the time that the mover has left.
const MATE: [&str; 7] = ["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7"];

const TOKEN: &str = "a-token-of-the-directors";

/// View of tournament directors.
async fn directors(server: &Server) -> Value {
    let request = reqwest::Client::new().get(format!("{}/api/v1/td/alerts", server.http));
    request.bearer_auth(TOKEN).send().await.unwrap().json().await.unwrap()
}

/// Opening of a game of chess: 40 moves in 90 minutes, then 30 minutes; 5 seconds' delay.
fn chess(match_id: &str, rulebook: &str) -> MatchOpened {
    MatchOpened {
        match_id: match_id.to_owned(),
        rulebook: rulebook.to_owned(),
        base_ms: 5_400_000,
        delay_ms: 5_000,
        boards: boards(&[Board::A]),
        game: Game::Chess.into(),
        periods: vec![
            Period { base_ms: 5_400_000, moves: 40 },
            Period { base_ms: 1_800_000, moves: 0 },
        ],
        delay: DelayKind::Us.into(),
        ..MatchOpened::default()
    }
}

fn mate(opened: MatchOpened, table: &str) -> Script {
    let mut script = Script::opened(table, opened);
    script.state(MatchState::Playing, 100_000);
    script.clock(Board::A, 5_400_000, 5_400_000, Some(Side::White), 100_000);
    for (uci, side) in MATE.into_iter().zip([Side::White, Side::Black].into_iter().cycle()) {
        script.ply(Board::A, side, uci);
    }
    script
}

/// A game of chess that ends with a mate.
pub(crate) fn chess_mate(match_id: &str, table: &str) -> Script {
    mate(chess(match_id, "us-chess-blitz-2020"), table)
}

/// Rows of several scripts as one hub sends them.
fn joined(scripts: Vec<Script>) -> Vec<Row> {
    let rows = scripts.into_iter().flat_map(|script| script.rows);
    rows.zip(1..).map(|(row, sequence)| Row { sequence, ..row }).collect()
}

fn table<'a>(round: &'a Value, name: &str) -> &'a Value {
    let tables = round["tables"].as_array().unwrap();
    tables.iter().find(|table| table["table"] == name).unwrap()
}

async fn serve(event: &str, scripts: Vec<Script>) -> (Server, Hub, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let mut config = support::config(folder.path());
    config.event = toml::from_str(event).unwrap();
    let token_file = folder.path().join("td-token");
    std::fs::write(&token_file, TOKEN).unwrap();
    std::fs::set_permissions(&token_file, std::fs::Permissions::from_mode(0o600)).unwrap();
    config.http.td_token_file = Some(token_file);
    let server = Server::start(config).await;
    let names: Vec<String> = scripts.iter().map(|script| script.rows[0].table.clone()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let last = *names.last().unwrap();
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &names).await;
    hub.send_until_committed(&joined(scripts)).await;
    let all = Some(MATE.len() as u64);
    let heard = |round: &Value| {
        let tables = round["tables"].as_array().unwrap();
        tables.iter().any(|table| table["table"] == last && table["ply_count"].as_u64() >= all)
    };
    server.until("/api/v1/round", "the last table's plies", heard).await;
    (server, hub, folder)
}

#[tokio::test]
async fn a_chess_table_has_one_board_sides_and_time_and_no_reserves() {
    let (server, _hub, _folder) = serve("", vec![mate(chess("m1", "nc-scholastic"), "7")]).await;
    let round = server.json("/api/v1/round").await;
    let chess = table(&round, "7");
    assert_eq!((&chess["game"], &chess["rulebook"]), (&json!("chess"), &json!("nc-scholastic")));
    assert_eq!((&chess["teams"], &chess["boards"]["B"]), (&Value::Null, &Value::Null));
    let periods = json!([{"base_s": 5400, "moves": 40}, {"base_s": 1800}]);
    assert_eq!(chess["time"], json!({"periods": periods, "delay_s": 5, "delay": "us"}));
    let board = &chess["boards"]["A"];
    assert_eq!((&board["reserves"], &board["state"]), (&Value::Null, &json!("mate")));
    assert_eq!(board["clock"]["delay_left_ms"], 5_000);
    let one = server.json("/api/v1/matches/m1").await;
    assert_eq!((&one["base_ms"], &one["start"]["B"]), (&json!(5_400_000), &Value::Null));
    assert_eq!(one["plies"][6]["san"], "Qxf7#");
    assert_eq!(one["plies"][6]["after"]["reserves"], json!({"A": null, "B": null}));
    let pgn = server.get("/api/v1/matches/m1.pgn").await;
    let disposition = pgn.headers()["content-disposition"].to_str().unwrap().to_owned();
    assert!(disposition.ends_with("filename=\"m1.pgn\""), "{disposition}");
    let games = rules::pgn::read(&pgn.bytes().await.unwrap());
    let [(game, None)] = &games[..] else { panic!("{games:?}") };
    assert_eq!(game.plies.len(), MATE.len());
    assert_eq!(game.tag("TimeControl"), Some("40/5400:1800"));
    assert_eq!((game.tag("Delay"), game.tag("Variant")), (Some("5"), None));
    assert_eq!(game.plies[0].clock_ms, Some(299_500));
    server.stop().await;
}

#[tokio::test]
async fn at_a_half_sensed_table_nothing_is_in_reserve_and_a_drop_is_legal() {
    let half = MatchOpened {
        match_id: "m1".to_owned(),
        boards: boards(&[Board::B]),
        game: Game::Bughouse.into(),
        ..bughouse()
    };
    let mut script = Script::opened("3", half);
    script.state(MatchState::Playing, 100_000);
    let plies = ["e2e4", "N@e6", "d2d4", "Q@d5", "g1f3", "P@h3", "g2h3"];
    for (uci, side) in plies.into_iter().zip([Side::White, Side::Black].into_iter().cycle()) {
        script.ply(Board::B, side, uci);
    }
    let (server, _hub, _folder) = serve("", vec![script]).await;
    let round = server.json("/api/v1/round").await;
    let half = table(&round, "3");
    assert_eq!((&half["game"], &half["boards"]["A"]), (&json!("bughouse"), &Value::Null));
    assert_eq!(half["boards"]["B"]["reserves"], Value::Null);
    assert_eq!(half["teams"], json!(["Team 1", "Team 2"]));
    let one = server.json("/api/v1/matches/m1").await;
    assert!(one["plies"].as_array().unwrap().iter().all(|ply| ply["illegal"].is_null()), "{one}");
    let alerts = directors(&server).await;
    assert_eq!(alerts["alerts"], json!([]));
    server.stop().await;
}

#[tokio::test]
async fn an_event_and_a_hub_that_name_different_books_are_told_to_the_directors() {
    let bughouse = MatchOpened { match_id: "m1".to_owned(), ..bughouse() };
    let scripts = vec![mate(bughouse, "1"), mate(chess("m2", "nc-blitz"), "2")];
    let (server, _hub, _folder) = serve("rulebook = \"uscf-bughouse\"", scripts).await;
    let round = server.json("/api/v1/round").await;
    assert_eq!(table(&round, "1")["rulebook"], "uscf-bughouse");
    assert_eq!(table(&round, "2")["rulebook"], "nc-blitz");
    let alerts = directors(&server).await;
    // The scripted hub's clock is wrong, too.
    let notices = alerts["notices"].as_array().unwrap().iter().filter_map(Value::as_str);
    let notices: Vec<&str> = notices.filter(|words| words.starts_with("Table")).collect();
    assert_eq!(notices.len(), 1, "an event of bughouse says nothing about chess: {notices:?}");
    let text = notices[0];
    for said in
        ["Table 1", "m1", "us-chess-bughouse-2018", "event.rulebook", "uscf-bughouse", "in both"]
    {
        assert!(text.contains(said), "{text}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_match_that_nobody_has_a_book_for_is_left_out_and_the_other_tables_go_on() {
    let bughouse = MatchOpened { match_id: "m2".to_owned(), ..bughouse() };
    let scripts = vec![mate(chess("m1", "house-rules"), "1"), mate(bughouse, "2")];
    let (server, _hub, _folder) = serve("", scripts).await;
    let goes_on = |round: &Value| {
        let tables = round["tables"].as_array().unwrap();
        tables.iter().any(|table| table["match"] == "m2")
    };
    let round = server.until("/api/v1/round", "the other table", goes_on).await;
    assert_eq!(table(&round, "1")["match"], Value::Null);
    server.stop().await;
}

#[tokio::test]
async fn a_folder_of_pgn_files_is_kept_current_while_games_are_played() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = support::config(folder.path());
    config.records.pgn_folder = Some(folder.path().join("away/pgn"));
    let shutdown = tokio_util::sync::CancellationToken::new();
    let refused = adjudicator::start(config.clone(), shutdown).await.err().unwrap().to_string();
    assert!(refused.contains("pgn_folder") && refused.contains("away/pgn"), "{refused}");
    config.records.pgn_folder = Some(folder.path().join("pgn"));
    let server = Server::start(config).await;
    let mut script = mate(chess("c1", "us-chess-blitz-2020"), "1");
    let mut later = script.rows.split_off(5);
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1", "2"]).await;
    hub.send_until_committed(&script.rows).await;
    let file = folder.path().join("pgn/c1.pgn");
    let until_it_holds = async |text: &str| {
        let deadline = tokio::time::Instant::now() + support::PATIENCE;
        loop {
            let found = std::fs::read_to_string(&file).unwrap_or_default();
            if found.contains(text) {
                return found;
            }
            assert!(tokio::time::Instant::now() < deadline, "no {text} in {found}");
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    };
    let begun = until_it_holds("1. e4").await;
    assert!(!begun.contains("Qxf7#"), "{begun}");
    let mut other = support::scholars_mate("2", "m2").rows;
    later.append(&mut other);
    let rows: Vec<Row> = later
        .into_iter()
        .zip(script.rows.len() as u64 + 1..)
        .map(|(row, sequence)| Row { sequence, ..row })
        .collect();
    hub.send_until_committed(&rows).await;
    until_it_holds("Qxf7#").await;
    server
        .until("/api/v1/round", "the match of bughouse", |it| it["tables"][1]["ply_count"] != 0)
        .await;
    let files: Vec<_> = std::fs::read_dir(folder.path().join("pgn")).unwrap().collect();
    assert_eq!(files.len(), 1, "bughouse has no game here: {files:?}");
    server.stop().await;
}
