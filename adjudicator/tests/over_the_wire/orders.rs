//! Tests of orders: each goes to the hub until it is answered, is done once, and its outcome is shown.

use adjudicator::views::records::Which;
use std::path::Path;

use proto::mqtt::message::{
    Alternative, AnomalyReported, Board, ClockAdjusted, EvidenceClip, EvidenceWanted, MatchState,
    OrderEnded, OrderOutcome, OrderTaken, Question, QuestionsAsked, Side, clock_order, order,
    row::Event,
};
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::{
    api::unpacked,
    phone::{Phone, config, with_illegal_move},
    support::{Hub, PATIENCE, Script, Server},
};

/// A match whose clocks are stopped at board A.
fn stopped(table: &str, match_id: &str) -> Script {
    let mut script = with_illegal_move(table, match_id);
    script.clock(Board::A, 290_000, 280_000, None, 3_000_000);
    script.state(MatchState::Paused, 3_000_000);
    script
}

/// Sends a match and waits until the hall has applied all its rows.
async fn play(server: &Server, hub: &mut Hub, script: &Script) {
    hub.send_until_committed(&script.rows).await;
    let heard = |it: &Value| {
        let tables = it["tables"].as_array().unwrap();
        tables.iter().any(|table| table["state"] == "paused")
    };
    server.until("/api/v1/round", "stopped clocks", heard).await;
}

/// A match whose clocks were stopped, its hub, and a director who may change them.
pub(crate) struct AtStoppedClocks {
    pub(crate) server: Server,
    pub(crate) phone: Phone,
    pub(crate) script: Script,
    pub(crate) hub: Hub,
}

pub(crate) async fn at_stopped_clocks(folder: &Path) -> AtStoppedClocks {
    let server = Server::start(config(folder)).await;
    let phone = Phone::paired(&server, "Ann", "floor", json!({})).await;
    let script = stopped("1", "m1");
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    play(&server, &mut hub, &script).await;
    AtStoppedClocks { server, phone, script, hub }
}

pub(crate) fn clock_act(match_id: &str, board: &str, change: &Value) -> Value {
    json!({ "of": "clock", "match": match_id, "board": board, "change": change })
}

fn adjust(white_ms: i32, black_ms: i32) -> Value {
    json!({ "clock": "adjust", "white_ms": white_ms, "black_ms": black_ms })
}

/// The only order of a match, once its state is as wanted.
pub(crate) async fn state(phone: &Phone, match_id: &str, wanted: &str) -> Value {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    loop {
        let shown = phone.json(&format!("/api/v1/td/matches/{match_id}")).await;
        let order = shown["orders"].as_array().unwrap().last().cloned().unwrap_or(Value::Null);
        if order["state"] == wanted {
            return order;
        }
        assert!(tokio::time::Instant::now() < deadline, "not {wanted}: {order}");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

pub(crate) fn ended(order_id: u64, outcome: OrderOutcome, detail: &str) -> Event {
    Event::OrderEnded(OrderEnded { order_id, outcome: outcome.into(), detail: detail.to_owned() })
}

#[tokio::test]
async fn an_order_is_sent_until_the_hub_has_it_also_by_a_server_that_was_started_anew() {
    let folder = tempfile::tempdir().unwrap();
    let AtStoppedClocks { server, mut phone, mut script, mut hub } =
        at_stopped_clocks(folder.path()).await;
    phone
        .done(clock_act(
            "m1",
            "A",
            &json!({ "clock": "set", "white_ms": 350_000, "black_ms": 280_000 }),
        ))
        .await;
    let first = hub.order().await;
    assert_eq!((&first.table[..], &first.match_id[..]), ("1", "m1"));
    let Some(order::What::Clock(clock)) = &first.what else { panic!("{first:?}") };
    let change = ClockAdjusted { white_ms: 60_000, black_ms: 0 };
    assert_eq!(clock.what, Some(clock_order::What::Adjust(change)));
    assert_eq!(hub.order().await.order_id, first.order_id, "nobody has answered");
    drop(hub);
    server.stop().await;
    let server = Server::start(config(folder.path())).await;
    phone.http.clone_from(&server.http);
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    assert_eq!(hub.order().await.order_id, first.order_id, "the order is in the log");
    script.push(Event::OrderTaken(OrderTaken { order_id: first.order_id }));
    hub.send_until_committed(&script.rows).await;
    assert_eq!(state(&phone, "m1", "taken").await["person"], "Ann");
    assert!(hub.is_left_alone().await, "the hub has it");
    script.push(ended(first.order_id, OrderOutcome::Done, ""));
    hub.send_until_committed(&script.rows).await;
    assert_eq!(state(&phone, "m1", "done").await["what"], "clock A: White +1:00");
    server.stop().await;
}

#[tokio::test]
async fn an_order_that_waited_in_a_dead_phone_for_longer_than_its_minute_is_not_carried_out() {
    let folder = tempfile::tempdir().unwrap();
    let AtStoppedClocks { server, phone, mut hub, .. } = at_stopped_clocks(folder.path()).await;
    let deed = clock_act("m1", "A", &adjust(60_000, 0));
    let late = json!({ "key": "late", "waited_ms": 20 * 60 * 1_000, "deed": deed });
    let (status, answer) = phone.post("/api/v1/td/acts", &late).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    assert!(hub.is_left_alone().await, "its minute began when it was made");
    let shown = phone.json("/api/v1/td/matches/m1").await;
    assert_ne!(shown["orders"][0]["state"], "sent", "{shown}");
    let list = phone.json("/api/v1/td/needs").await.to_string();
    assert!(list.contains("Not done"), "{list}");
    let soon = json!({ "key": "soon", "waited_ms": 5_000, "deed": clock_act("m1", "A", &adjust(30_000, 0)) });
    assert_eq!(phone.post("/api/v1/td/acts", &soon).await.0, StatusCode::OK);
    hub.order().await;
    server.stop().await;
}

#[tokio::test]
async fn what_no_clock_can_do_is_refused_with_a_clear_word_and_nothing_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    let AtStoppedClocks { server, mut phone, mut hub, .. } = at_stopped_clocks(folder.path()).await;
    let refused = [
        (clock_act("m1", "A", &adjust(-291_000, 0)), "0 to 10 hours"),
        (clock_act("m1", "A", &adjust(0, i32::MAX)), "0 to 10 hours"),
        (clock_act("m1", "A", &adjust(0, 0)), "changes nothing"),
        (clock_act("m9", "A", &json!({ "clock": "pause" })), "no match"),
        (
            clock_act("m1", "B", &json!({ "clock": "set", "white_ms": 1, "black_ms": 1 })),
            "stop this clock",
        ),
    ];
    for (deed, words) in refused {
        let (status, answer) = phone.act(deed.clone()).await;
        let reason = answer["reason"].as_str().or(answer["error"].as_str()).unwrap_or_default();
        assert!(status.is_client_error() && reason.contains(words), "{deed}: {status} {answer}");
    }
    let (status, _) = phone.act(clock_act("m1", "C", &adjust(1, 1))).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(hub.is_left_alone().await);
    server.stop().await;
}

#[tokio::test]
async fn an_order_that_no_hub_has_taken_can_be_taken_back_and_is_sent_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let AtStoppedClocks { server, mut phone, mut script, hub } =
        at_stopped_clocks(folder.path()).await;
    drop(hub);
    let take_back = |order: u64| json!({ "of": "clock-withdrawn", "match": "m1", "order": order });
    let first = phone.done(clock_act("m1", "A", &adjust(60_000, 0))).await;
    phone.done(take_back(first)).await;
    state(&phone, "m1", "withdrawn").await;
    let second = phone.done(clock_act("m1", "A", &adjust(0, 5_000))).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    let order = hub.order().await;
    let Some(order::What::Clock(clock)) = &order.what else { panic!("{order:?}") };
    let change = ClockAdjusted { white_ms: 0, black_ms: 5_000 };
    assert_eq!(clock.what, Some(clock_order::What::Adjust(change)), "the first is not sent");
    script.push(Event::OrderTaken(OrderTaken { order_id: order.order_id }));
    hub.send_until_committed(&script.rows).await;
    state(&phone, "m1", "taken").await;
    for (act, words) in
        [(first, "taken back before"), (second, "the hub has it"), (7_000, "act 7000")]
    {
        let (status, answer) = phone.act(take_back(act)).await;
        let reason = answer["reason"].as_str().unwrap_or_default();
        assert!(status == StatusCode::CONFLICT && reason.contains(words), "{status} {answer}");
    }
    server.stop().await;
}

#[tokio::test]
async fn clocks_are_for_directors_of_that_table() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut keeper = Phone::paired(&server, "Sam", "scorekeeper", json!({})).await;
    let elsewhere = json!({ "tables": ["2"], "sections": [] });
    let mut other = Phone::paired(&server, "Bob", "floor", elsewhere).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    play(&server, &mut hub, &stopped("1", "m1")).await;
    for phone in [&mut keeper, &mut other] {
        let (status, answer) = phone.act(clock_act("m1", "A", &adjust(1_000, 0))).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{answer}");
    }
    assert!(hub.is_left_alone().await);
    server.stop().await;
}

#[tokio::test]
async fn a_clock_that_takes_no_commands_is_on_the_list_until_it_shows_what_was_ordered() {
    let folder = tempfile::tempdir().unwrap();
    let AtStoppedClocks { server, mut phone, mut script, mut hub } =
        at_stopped_clocks(folder.path()).await;
    phone.done(clock_act("m1", "A", &adjust(0, 120_000))).await;
    let order = hub.order().await;
    script.push(ended(order.order_id, OrderOutcome::Unsupported, "set it by hand"));
    hub.send_until_committed(&script.rows).await;
    let by_hand = "set it by hand; it is to show White 4:50, Black 6:40";
    assert_eq!(state(&phone, "m1", "by-hand").await["detail"], by_hand);
    let is_on_list = async |phone: &Phone| {
        let list = phone.json("/api/v1/td/needs").await;
        list["needs"].as_array().unwrap().iter().any(|need| need["urgency"] == "clock")
    };
    assert!(is_on_list(&phone).await);
    // Hands turn it to 6:40 in two steps.
    script.clock(Board::A, 290_000, 340_000, None, 9_000_000);
    script.clock(Board::A, 290_000, 400_000, None, 9_500_000);
    hub.send_until_committed(&script.rows).await;
    state(&phone, "m1", "shown").await;
    assert!(!is_on_list(&phone).await);
    server.stop().await;
}

#[tokio::test]
async fn what_the_sensors_said_is_asked_of_the_hub_and_shown_to_directors_alone() {
    let folder = tempfile::tempdir().unwrap();
    let AtStoppedClocks { server, mut phone, mut script, mut hub } =
        at_stopped_clocks(folder.path()).await;
    let wish = |to_us: u64| json!({ "of": "evidence", "match": "m1", "from_us": 1_000_000, "to_us": to_us });
    let (status, refused) = phone.act(wish(99_000_000)).await;
    assert_eq!(status, StatusCode::CONFLICT, "{refused}");
    let act = phone.done(wish(4_000_000)).await;
    let order = hub.order().await;
    let wanted = EvidenceWanted { from_us: 1_000_000, to_us: 4_000_000 };
    assert_eq!(order.what, Some(order::What::Evidence(wanted)));
    let line = r#"{"t_us":1500000,"board":"A","kind":"press","by":"white"}"#;
    let clip = |order_id| EvidenceClip {
        match_id: "m1".to_owned(),
        order_id,
        from_us: 1_000_000,
        to_us: 4_000_000,
        lines: format!("{line}\n"),
    };
    script.push(Event::EvidenceClip(clip(order.order_id + 1)));
    script.push(Event::EvidenceClip(clip(order.order_id)));
    script.push(ended(order.order_id, OrderOutcome::Done, ""));
    hub.send_until_committed(&script.rows).await;
    state(&phone, "m1", "done").await;
    let shown = phone.json("/api/v1/td/matches/m1").await;
    assert_eq!(shown["clips"].as_array().unwrap().len(), 1, "nobody has asked for the other");
    let path = format!("/api/v1/td/matches/m1/clips/{act}");
    assert_eq!(phone.json(&path).await["lines"][0]["by"], "white");
    assert_eq!(server.get(&path).await.status(), StatusCode::UNAUTHORIZED);
    server.stop().await;
    // The organiser's archive has it beside the decisions, and the public one has neither.
    let zip = adjudicator::export_archive(&config(folder.path()), &Which::default()).await.unwrap();
    let files = unpacked(zip);
    let of =
        |name: &str| files.iter().find(|(found, _)| found == name).map(|(_, text)| text.as_str());
    assert_eq!(of(&format!("evidence/m1-{act}.jsonl")), Some(format!("{line}\n").as_str()));
    let incidents: Value = serde_json::from_str(of("incidents/m1.json").unwrap()).unwrap();
    assert_eq!(incidents["found"][0]["code"], "illegal-move");
    assert_eq!(incidents["orders"][0]["act"], act);
}

#[tokio::test]
async fn a_clock_that_jumps_because_it_was_told_to_is_no_evidence_against_anybody() {
    let folder = tempfile::tempdir().unwrap();
    let AtStoppedClocks { server, mut phone, mut script, mut hub } =
        at_stopped_clocks(folder.path()).await;
    let jump = |anomaly_id, board: Board| AnomalyReported {
        match_id: "m1".to_owned(),
        anomaly_id,
        code: "clock-jump".to_owned(),
        board: board.into(),
        t_us: 4_000_000,
        confidence: 0.99,
        ..AnomalyReported::default()
    };
    phone.done(clock_act("m1", "A", &adjust(0, 120_000))).await;
    script.push(Event::AnomalyReported(jump(1, Board::A)));
    script.push(Event::AnomalyReported(jump(2, Board::B)));
    hub.send_until_committed(&script.rows).await;
    let boards = loop {
        let shown = phone.json("/api/v1/td/matches/m1").await;
        let alerts = shown["alerts"].as_array().unwrap().clone();
        let jumps = alerts.iter().filter(|alert| alert["code"] == "clock-jump");
        let boards: Vec<Value> = jumps.map(|alert| alert["board"].clone()).collect();
        if !boards.is_empty() {
            break boards;
        }
    };
    assert_eq!(boards, ["B"]);
    server.stop().await;
}

#[tokio::test]
async fn time_that_a_decision_gives_is_proposed_as_an_order_and_is_not_given_twice() {
    let folder = tempfile::tempdir().unwrap();
    let AtStoppedClocks { server, mut phone, mut hub, .. } = at_stopped_clocks(folder.path()).await;
    let shown = phone.json("/api/v1/td/matches/m1").await;
    let offence = &shown["offences"][0]["offence"];
    let given = json!({ "penalty": "time-to-opponent", "seconds": 60 });
    let penalty =
        json!({ "what": "penalise", "offence": offence, "whom": "white-a", "given": given });
    let (status, ruled) = phone.decide("m1", penalty).await;
    assert_eq!(status, StatusCode::OK, "{ruled}");
    let shown = phone.json("/api/v1/td/matches/m1").await;
    let proposed = &shown["proposed_orders"][0];
    assert_eq!(
        (&proposed["what"], &proposed["because"]),
        (&json!("clock A: Black +1:00"), &ruled["act"])
    );
    let mut deed = clock_act("m1", "A", &proposed["form"]);
    deed["because"] = proposed["because"].clone();
    phone.done(deed).await;
    hub.order().await;
    let shown = phone.json("/api/v1/td/matches/m1").await;
    assert_eq!(shown["proposed_orders"], json!([]));
    server.stop().await;
}

#[tokio::test]
async fn an_answer_to_a_question_is_in_the_record_at_once_and_goes_down_as_a_fact() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut phone = Phone::paired(&server, "Ann", "floor", json!({})).await;
    let mut script = Script::new("1", "m1");
    script.state(MatchState::Playing, 100_000);
    let ply = script.ply(Board::A, Side::White, "e2e4");
    script.state(MatchState::Ended, 60_000_000);
    let candidates = vec![
        Alternative { uci: "e2e4".to_owned(), p: 0.6 },
        Alternative { uci: "e2e3".to_owned(), p: 0.4 },
    ];
    let questions = vec![Question { ply_id: ply, candidates }];
    script.push(Event::QuestionsAsked(QuestionsAsked { match_id: "m1".to_owned(), questions }));
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows).await;
    server.until("/api/v1/round", "the end", |it| it["tables"][0]["state"] == "ended").await;
    let shown = loop {
        let shown = phone.json("/api/v1/td/matches/m1").await;
        if shown["questions"] != json!([]) {
            break shown;
        }
    };
    assert_eq!(shown["questions"][0]["ply"], ply);
    let (status, said) =
        phone.decide("m1", json!({ "what": "correct", "ply": ply, "said": "e2e3" })).await;
    assert_eq!(status, StatusCode::OK, "{said}");
    let shown = phone.json("/api/v1/td/matches/m1").await;
    assert_eq!(shown["shown"]["plies"][0]["uci"], "e2e3");
    assert_eq!(shown["questions"], json!([]), "it has been answered");
    let fact = hub.order().await;
    let Some(order::What::Fact(line)) = &fact.what else { panic!("{fact:?}") };
    let line: Value = serde_json::from_str(&line.line).unwrap();
    assert_eq!((&line["board"], &line["uci"]), (&json!("A"), &json!("e2e3")));
    // The hub follows the match again and says that the readings speak against it; then it is taken back.
    script.push(ended(fact.order_id, OrderOutcome::Contradicted, "e3 stayed empty"));
    hub.send_until_committed(&script.rows).await;
    assert_eq!(state(&phone, "m1", "contradicted").await["detail"], "e3 stayed empty");
    let (status, back) =
        phone.decide("m1", json!({ "what": "withdraw", "act": said["act"] })).await;
    assert_eq!(status, StatusCode::OK, "{back}");
    let withdrawn = hub.order().await;
    assert_eq!(withdrawn.what, Some(order::What::FactWithdrawn(fact.order_id)));
    let shown = phone.json("/api/v1/td/matches/m1").await;
    assert_eq!(shown["shown"]["plies"][0]["uci"], "e2e4");
    server.stop().await;
}

#[tokio::test]
async fn a_ply_that_was_never_played_is_a_fact_for_the_hub_unless_it_was_corrected_before() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut phone = Phone::paired(&server, "Ann", "floor", json!({})).await;
    let mut script = Script::new("1", "m1");
    script.state(MatchState::Playing, 100_000);
    let ply = script.ply(Board::A, Side::White, "e2e4");
    script.state(MatchState::Ended, 60_000_000);
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows).await;
    server.until("/api/v1/round", "the end", |it| it["tables"][0]["state"] == "ended").await;
    let not_played = json!({ "what": "not-played", "ply": ply });
    let (status, said) = phone.decide("m1", not_played.clone()).await;
    assert_eq!(status, StatusCode::OK, "{said}");
    let fact = hub.order().await;
    let Some(order::What::Fact(line)) = &fact.what else { panic!("{fact:?}") };
    let line: Value = serde_json::from_str(&line.line).unwrap();
    assert_eq!(
        (&line["board"], &line["made"], &line["uci"]),
        (&json!("A"), &json!(false), &Value::Null)
    );
    let shown = phone.json("/api/v1/td/matches/m1").await;
    assert_eq!(shown["ledger"][0]["text"], "ply 1 (e4) was not played");
    assert_eq!(shown["shown"]["plies"][0]["uci"], "e2e4", "until the hub has followed it again");
    let (_, back) = phone.decide("m1", json!({ "what": "withdraw", "act": said["act"] })).await;
    let withdrawn = hub.order().await;
    assert_eq!(withdrawn.what, Some(order::What::FactWithdrawn(fact.order_id)), "{back}");
    let shown = phone.json("/api/v1/td/matches/m1").await;
    let line = &shown["ledger"][1];
    assert_eq!(line["text"], "1 is taken back: ply 1 (e4) was not played");
    assert_eq!(line["supersedes"], said["act"]);
    let corrected = json!({ "what": "correct", "ply": ply, "said": "e2e3" });
    assert_eq!(phone.decide("m1", corrected).await.0, StatusCode::OK);
    let (status, refused) = phone.decide("m1", not_played).await;
    assert_eq!(status, StatusCode::CONFLICT);
    assert_eq!(refused["reason"], "this ply was corrected: withdraw the correction first");
    server.stop().await;
}

#[tokio::test]
async fn an_open_claim_brings_what_the_sensors_said_without_anybody_asking() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut phone = Phone::paired(&server, "Ann", "floor", json!({})).await;
    let mut script = with_illegal_move("1", "m1");
    script.state(MatchState::Paused, 30_000_000);
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows).await;
    server.until("/api/v1/round", "the match", |it| it["tables"][0]["ply_count"] == 2).await;
    let claim = json!({ "what": "claim", "claim": "illegal-ply", "by": "white-a", "against": 2 });
    let (status, opened) = phone.decide("m1", claim).await;
    assert_eq!(status, StatusCode::OK, "{opened}");
    let shown = phone.json("/api/v1/td/matches/m1").await;
    let t_us = shown["shown"]["plies"][1]["t_ms"].as_u64().unwrap() * 1000;
    let asked = hub.order().await;
    let Some(order::What::Evidence(asked)) = asked.what else { panic!("{asked:?}") };
    assert!(asked.from_us <= t_us && t_us < asked.to_us, "{asked:?} around {t_us}");
    server.stop().await;
}
