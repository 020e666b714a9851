//! Rounds of chess in the files and at the addresses where programs that broadcast them look for them.

use proto::mqtt::message::{Board, Game, MatchOpened, MatchState, Side};
use reqwest::StatusCode;
use serde_json::json;

use crate::{
    event::send,
    phone::{Phone, config},
    support::{Hub, Script, Server, boards, bughouse},
};

/// A game with an illegal ply, which was left on the board: White's king passes over its own pawn, Black's rook over its own.
pub(crate) const PLIES: [&str; 9] =
    ["e2e4", "e7e5", "e1e3", "b8c6", "g1f3", "h8h4", "f1c4", "g8f6", "d2d3"];

pub(crate) fn chess(table: &str, match_id: &str, plies: &[&str]) -> Script {
    let opened = MatchOpened {
        match_id: match_id.to_owned(),
        rulebook: "us-chess-blitz-2020".to_owned(),
        boards: boards(&[Board::A]),
        game: Game::Chess.into(),
        ..bughouse()
    };
    let mut script = Script::opened(table, opened);
    script.state(MatchState::Playing, 100_000);
    script.clock(Board::A, 300_000, 300_000, Some(Side::White), 100_000);
    for (uci, side) in plies.iter().zip([Side::White, Side::Black].into_iter().cycle()) {
        script.ply(Board::A, side, uci);
    }
    script
}

/// The two tables of a section. The second one is written with more digits.
pub(crate) fn tables_of(section: usize) -> [String; 2] {
    [20 * section + 2, 20 * section + 10].map(|table| table.to_string())
}

pub(crate) async fn prepared(server: &Server, chief: &mut Phone, sections: &[String], rounds: u8) {
    let tables: Vec<String> = (0..sections.len()).flat_map(tables_of).collect();
    chief
        .done(json!({ "of": "event", "deeds": [{ "kind": "tables-listed", "tables": tables }] }))
        .await;
    for section in sections {
        let players: String = ["Ada Example", "Bo Example", "Cy Example", "Di Example"]
            .iter()
            .zip(1..)
            .map(|(name, number)| format!("{section},{number},{name} {section}\n"))
            .collect();
        let list = format!("Section,Number,Player\n{players}");
        let path = format!("import?kind=players&rulebook=us-chess-blitz-2020&rounds={rounds}");
        let (status, answer) = send(server, &path, &list).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
    }
}

/// Opens a round in which 1 meets 2 and 3 meets 4, and seats them: the first of each pairing has White.
pub(crate) async fn open_round(
    server: &Server,
    chief: &mut Phone,
    section: &str,
    round: u8,
    tables: [&str; 2],
) {
    let opened = json!({ "kind": "round-opened", "section": section, "round": round });
    chief.done(json!({ "of": "event", "deeds": [opened] })).await;
    let [first, second] = tables;
    let list = format!(
        "Section,Round,Table,First,Second\n{section},{round},{first},1,2\n{section},{round},{second},3,4\n"
    );
    let (status, answer) = send(server, "import?kind=pairings", &list).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let event = chief.json("/api/v1/td/event").await;
    let sheet =
        event["sections"].as_array().unwrap().iter().find(|it| it["section"] == section).unwrap();
    let player = |number: usize| sheet["entrants"][number - 1]["players"][0]["player"].clone();
    let pairings = sheet["pairings"].as_array().unwrap();
    for pairing in pairings.iter().filter(|it| it["round"] == round) {
        let number = |side: usize| pairing["sides"][side][0].as_u64().unwrap() as usize;
        let seats = json!([player(number(0)), player(number(1))]);
        let chosen =
            json!({ "kind": "seats-chosen", "pairing": pairing["pairing"], "seats": seats });
        chief.done(json!({ "of": "event", "deeds": [chosen] })).await;
    }
}

#[tokio::test]
async fn folder_and_addresses_of_a_round_have_the_files_that_broadcasters_look_for() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = config(folder.path());
    config.records.feed_folder = Some(folder.path().join("away/feed"));
    let shutdown = tokio_util::sync::CancellationToken::new();
    let refused = adjudicator::start(config.clone(), shutdown).await.err().unwrap().to_string();
    assert!(refused.contains("feed_folder") && refused.contains("away/feed"), "{refused}");
    config.records.feed_folder = Some(folder.path().join("feed"));
    let server = Server::start(config).await;
    let mut chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    prepared(&server, &mut chief, &["Open".to_owned()], 2).await;
    // Table 10 comes after table 2, in whichever order they are paired.
    open_round(&server, &mut chief, "Open", 1, ["10", "2"]).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["2", "10"]).await;
    hub.send_until_committed(&chess("10", "m1", &PLIES[..2]).rows).await;
    let base = "/api/v1/feed/open/round-1";
    server
        .until(&format!("{base}/index.json"), "the game", |it| it["pairings"][1]["live"] == true)
        .await;
    let index = server.json(&format!("{base}/index.json")).await;
    assert_eq!(index["pairings"][0]["white"]["lname"], "No. 3");
    assert_eq!(index["pairings"][1]["black"]["lname"], "No. 2");
    let whole = server.get(&format!("{base}/games.pgn")).await;
    let media_type = whole.headers()["content-type"].to_str().unwrap().to_owned();
    assert!(media_type.starts_with("application/x-chess-pgn"), "{media_type}");
    let whole = whole.text().await.unwrap();
    assert_eq!(server.get(base).await.text().await.unwrap(), whole);
    for (number, moves) in [(1, 0), (2, 2)] {
        let text = server.get(&format!("{base}/game-{number}.pgn")).await.text().await.unwrap();
        assert!(whole.contains(&text), "{text}");
        let (game, error) = rules::pgn::read(text.as_bytes()).remove(0);
        assert_eq!((error, game.plies.len()), (None, moves), "{text}");
        assert_eq!((game.tag("Round"), game.tag("Result")), (Some("1"), Some("*")));
        assert_eq!(game.tag("Board"), Some(if number == 1 { "2" } else { "10" }));
        let file = folder.path().join(format!("feed/open/round-1/game-{number}.pgn"));
        let deadline = tokio::time::Instant::now() + crate::support::PATIENCE;
        while std::fs::read_to_string(&file).unwrap_or_default() != text {
            assert!(tokio::time::Instant::now() < deadline, "{text}");
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    }
    for missing in ["game-3.pgn", "games.txt", "..%2F..%2Fadjudicator.toml"] {
        assert_eq!(server.get(&format!("{base}/{missing}")).await.status(), StatusCode::NOT_FOUND);
    }
    // The next round is another folder, and the first one stays.
    open_round(&server, &mut chief, "Open", 2, ["2", "10"]).await;
    let rounds =
        server.until("/api/v1/feed", "the round", |it| it["rounds"][1]["round"] == 2).await;
    assert_eq!(rounds["rounds"][1]["games"], "/api/v1/feed/open/round-2/games.pgn");
    assert_eq!(server.get(&format!("{base}/games.pgn")).await.text().await.unwrap(), whole);
    server.stop().await;
}
