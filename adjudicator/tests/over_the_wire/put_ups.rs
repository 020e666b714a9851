//! Positions that a ruling puts up again: from the ruling to the hub, to the hands, to the records.

use proto::mqtt::message::{
    Board, Game, MatchOpened, MatchState, OrderTaken, PositionStands, Side, SquaresRead, order,
    row::Event,
};
use reqwest::StatusCode;
use rules::{BoardId, Match, Square};
use serde_json::{Value, json};

use crate::{
    phone::{Phone, config},
    support::{Hub, PATIENCE, Script, Server, boards, bughouse},
};

/// White's knight goes where no knight goes, and Black answers.
const PLIES: [&str; 6] = ["e2e4", "e7e5", "g1f3", "b8c6", "f3f5", "d7d6"];

fn script() -> Script {
    let opened = MatchOpened {
        match_id: "m1".to_owned(),
        rulebook: "nc-scholastic".to_owned(),
        boards: boards(&[Board::A]),
        game: Game::Chess.into(),
        ..bughouse()
    };
    let mut script = Script::opened("1", opened);
    script.state(MatchState::Playing, 100_000);
    script.clock(Board::A, 300_000, 300_000, Some(Side::White), 100_000);
    for (uci, side) in PLIES.into_iter().zip([Side::White, Side::Black].into_iter().cycle()) {
        script.ply(Board::A, side, uci);
    }
    script.clock(Board::A, 290_000, 280_000, None, 8_000_000);
    script.state(MatchState::Paused, 8_000_000);
    script
}

/// Position before the illegal ply.
fn before() -> Match {
    let mut before = Match::chess();
    for ply in &PLIES[..4] {
        before.play(BoardId::A, ply.parse().unwrap());
    }
    before
}

fn read(occupied: rules::Bitboard) -> Event {
    let (match_id, board, t_us) = ("m1".to_owned(), Board::A.into(), 9_000_000);
    Event::SquaresRead(SquaresRead { match_id, board, occupied: occupied.0, t_us })
}

/// The match as directors see it, once it is as wanted.
async fn until(phone: &Phone, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    loop {
        let shown = phone.json("/api/v1/td/matches/m1").await;
        if is_so(&shown) {
            return shown;
        }
        assert!(tokio::time::Instant::now() < deadline, "no {what}: {}", shown["put_ups"]);
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

fn steps(shown: &Value) -> Vec<(&str, &str)> {
    let steps = shown["put_ups"][0]["steps"].as_array().unwrap().iter();
    steps.map(|step| (step["text"].as_str().unwrap(), step["state"].as_str().unwrap())).collect()
}

/// The next order that tells the hub a fact.
async fn fact(hub: &mut Hub) -> (u64, Value) {
    loop {
        let order = hub.order().await;
        if let Some(order::What::Fact(fact)) = order.what {
            return (order.order_id, serde_json::from_str(&fact.line).unwrap());
        }
    }
}

async fn ruled(server: &Server) -> (Phone, Hub, Script, Value) {
    let mut phone = Phone::paired(server, "Ann", "floor", json!({})).await;
    let script = script();
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows).await;
    server.until("/api/v1/round", "the match", |it| it["tables"][0]["state"] == "paused").await;
    let claim = json!({ "what": "claim", "claim": "illegal-ply", "by": "black-a", "against": 5 });
    let (status, opened) = phone.decide("m1", claim).await;
    assert_eq!(status, StatusCode::OK, "{opened}");
    let rule = json!({ "what": "rule", "on": opened["act"], "decision": "upheld" });
    let (status, ruled) = phone.decide("m1", rule).await;
    assert_eq!(status, StatusCode::OK, "{ruled}");
    (phone, hub, script, ruled)
}

#[tokio::test]
async fn ruling_puts_the_position_up_again_square_by_square_also_over_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let (mut phone, mut hub, mut script, _) = ruled(&server).await;
    let (order_id, line) = fact(&mut hub).await;
    let wanted = before();
    let text = rules::fen::format_match_board(&wanted, BoardId::A);
    assert_eq!((&line["board"], &line["stands"]), (&json!("A"), &json!({ "A": text })));
    let needs = phone.json("/api/v1/td/needs").await;
    let urgencies: Vec<&Value> =
        needs["needs"].as_array().unwrap().iter().map(|need| &need["urgency"]).collect();
    assert!(urgencies.contains(&&json!("put-up")), "{needs}");
    let shown = phone.json("/api/v1/td/matches/m1").await;
    let (knight, pawn) = ("White knight: f5 to f3", "Black pawn: d6 to d7");
    assert_eq!(steps(&shown), [(pawn, "open"), (knight, "open")]);
    let put_up = &shown["put_ups"][0];
    assert_eq!((&put_up["touched"], &put_up["state"]), (&json!("f3"), &json!("waiting")));
    assert_eq!(put_up["gives"], json!({ "seat": "black-a", "seconds": 120 }));
    assert_eq!(put_up["clocks_ms"], json!([290_000, 280_000]));
    script.push(Event::OrderTaken(OrderTaken { order_id }));
    let half = wanted.position(BoardId::A).occupied().without(Square::D7).with(Square::D6);
    script.push(read(half));
    hub.send_until_committed(&script.rows).await;
    let is_half = |shown: &Value| steps(shown) == [(pawn, "open"), (knight, "done")];
    until(&phone, "knight", is_half).await;
    drop(hub);
    server.stop().await;
    let server = Server::start(config(folder.path())).await;
    phone.http.clone_from(&server.http);
    assert!(is_half(&phone.json("/api/v1/td/matches/m1").await), "the log has it");
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    script.push(read(wanted.position(BoardId::A).occupied()));
    let (match_id, board, t_us) = ("m1".to_owned(), Board::A.into(), 12_000_000);
    let fact_us = line["t_us"].as_u64().unwrap();
    let stands = PositionStands { match_id, board, fact_us, t_us: t_us.max(fact_us), differing: 0 };
    script.push(Event::PositionStands(stands));
    hub.send_until_committed(&script.rows).await;
    let shown = until(&phone, "position", |shown| shown["put_ups"][0]["state"] == "stands").await;
    assert_eq!(steps(&shown), [(pawn, "done"), (knight, "done")]);
    let needs = phone.json("/api/v1/td/needs").await;
    assert!(!needs.to_string().contains("put-up"), "{needs}");
    // The public sees the position, with the plies that were taken back marked as such.
    let public = server.json("/api/v1/matches/m1").await;
    let fen = rules::fen::format_placement(wanted.position(BoardId::A));
    assert_eq!(public["table"]["boards"]["A"]["fen"], fen);
    let plies = public["plies"].as_array().unwrap().iter();
    let undone: Vec<&Value> = plies.map(|ply| &ply["undone"]).collect();
    assert_eq!(
        undone,
        [&json!(false), &json!(false), &json!(false), &json!(false), &json!(true), &json!(true)]
    );
    let pgn = server.get("/api/v1/matches/m1.pgn").await.bytes().await.unwrap();
    let games = rules::pgn::read(&pgn);
    let [(game, None)] = &games[..] else { panic!("{}", String::from_utf8_lossy(&pgn)) };
    assert_eq!(game.plies.len(), 4);
    assert_eq!(game.plies[3].comment.as_deref(), Some("taken back: 3. Nf3f5, 3... d6"));
    server.stop().await;
}

#[tokio::test]
async fn position_that_is_taken_back_is_no_fact_any_more() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let (mut phone, mut hub, _, ruled) = ruled(&server).await;
    let (order_id, _) = fact(&mut hub).await;
    let back = json!({ "what": "withdraw", "act": ruled["act"] });
    assert_eq!(phone.decide("m1", back).await.0, StatusCode::OK);
    let withdrawn = loop {
        let order = hub.order().await;
        if let Some(order::What::FactWithdrawn(of)) = order.what {
            break of;
        }
    };
    assert_eq!(withdrawn, order_id);
    let shown = phone.json("/api/v1/td/matches/m1").await;
    assert_eq!(shown["put_ups"], json!([]));
    let orders = shown["orders"].as_array().unwrap().iter();
    let withdrawals = orders.filter(|it| it["what"].as_str().unwrap().contains("taken back"));
    assert_eq!(withdrawals.count(), 1, "once, though two ways lead there");
    server.stop().await;
}

#[tokio::test]
async fn another_hub_says_nothing_of_a_position() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let (phone, _hub, _, _) = ruled(&server).await;
    let mut script = Script::new("2", "m2");
    script.push(read(before().position(BoardId::A).occupied()));
    let mut stranger = Hub::connect(server.mqtt_port, "south", 9, &["2"]).await;
    stranger.send_until_committed(&script.rows).await;
    server
        .until("/api/v1/round", "the other", |it| it["tables"].as_array().unwrap().len() == 2)
        .await;
    let shown = phone.json("/api/v1/td/matches/m1").await;
    assert!(steps(&shown).iter().all(|(_, state)| *state == "open"), "{}", shown["put_ups"]);
    server.stop().await;
}
