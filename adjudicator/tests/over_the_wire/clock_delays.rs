//! Another delay for a clock: ordered, sent to the match's follower, refused where it is impossible, and done by hand.

use proto::mqtt::message::{
    Board, ClockDelayed, DelayKind, Game, MatchOpened, MatchState, Order, OrderOutcome, OrderTaken,
    Side, clock_order, order, row::Event,
};
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::{
    orders::{AtStoppedClocks, at_stopped_clocks, clock_act, ended},
    phone::Phone,
    support::{Hub, PATIENCE, Script, boards},
};

fn delay(per_move: &Value) -> Value {
    json!({ "clock": "delay", "per_move": per_move })
}

/// The clock's order and the fact of one act, in whichever order they come.
async fn both(hub: &mut Hub) -> (Order, Value) {
    let (mut clock, mut told) = (None, None);
    while clock.is_none() || told.is_none() {
        let order = hub.order().await;
        match &order.what {
            Some(order::What::Clock(_)) => clock = Some(order),
            Some(order::What::Fact(fact)) => {
                told = Some(serde_json::from_str(&fact.line).unwrap());
            }
            other => panic!("{other:?}"),
        }
    }
    (clock.unwrap(), told.unwrap())
}

/// The order about a clock, once its state is as wanted.
async fn of_clock(phone: &Phone, wanted: &str) -> Value {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    loop {
        let shown = phone.json("/api/v1/td/matches/m1").await;
        let orders = shown["orders"].as_array().unwrap().clone();
        let order = orders.into_iter().rev().find(|order| order["board"] != Value::Null);
        let order = order.expect("an order about a clock");
        if order["state"] == wanted {
            return order;
        }
        assert!(tokio::time::Instant::now() < deadline, "not {wanted}: {order}");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_delay_goes_to_the_clock_and_to_whoever_follows_the_match_and_pages_count_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let AtStoppedClocks { server, mut phone, mut script, mut hub } =
        at_stopped_clocks(folder.path()).await;
    let before = phone.json("/api/v1/td/matches/m1").await;
    assert_eq!(before["per_move"]["A"], json!({ "delay_s": 0 }));
    let five = json!({ "delay_s": 5, "delay": "us" });
    phone.done(clock_act("m1", "A", &delay(&five))).await;
    let (order, fact) = both(&mut hub).await;
    let Some(order::What::Clock(clock)) = &order.what else { unreachable!() };
    let delayed = ClockDelayed { delay_ms: 5_000, delay: DelayKind::Us.into(), increment_ms: 0 };
    assert_eq!(clock.what, Some(clock_order::What::Delay(delayed)));
    assert_eq!((&fact["board"], &fact["per_move"]), (&json!("A"), &five));
    assert_eq!(fact["t_us"], 3_000_000, "nothing was heard of the match later than that");
    script.push(Event::OrderTaken(OrderTaken { order_id: order.order_id }));
    script.push(ended(order.order_id, OrderOutcome::Done, ""));
    hub.send_until_committed(&script.rows).await;
    assert_eq!(of_clock(&phone, "done").await["what"], "clock A: 5 s delay");
    script.clock(Board::A, 290_000, 280_000, Some(Side::Black), 9_000_000);
    script.clock(Board::B, 290_000, 280_000, Some(Side::Black), 9_000_000);
    hub.send_until_committed(&script.rows).await;
    let runs = |board: &Value, left_ms: u64| {
        board["clock"]["running"] == "black" && board["clock"]["delay_left_ms"] == left_ms
    };
    let as_wanted = |it: &Value| {
        let boards = &it["tables"][0]["boards"];
        runs(&boards["A"], 5_000) && runs(&boards["B"], 0)
    };
    server.until("/api/v1/round", "a clock that waits, and one that runs", as_wanted).await;
    let after = phone.json("/api/v1/td/matches/m1").await;
    assert_eq!(after["per_move"], json!({ "A": five, "B": { "delay_s": 0 } }));
    // A clock that is set again has the time control's delay, and the match's follower gets it.
    phone.done(clock_act("m1", "A", &json!({ "clock": "set-anew" }))).await;
    let (order, fact) = loop {
        let (order, fact) = both(&mut hub).await;
        if fact["per_move"]["delay_s"] == 0 {
            break (order, fact);
        }
    };
    assert_eq!(fact["board"], "A");
    script.push(ended(order.order_id, OrderOutcome::Done, ""));
    hub.send_until_committed(&script.rows).await;
    of_clock(&phone, "done").await;
    let anew = phone.json("/api/v1/td/matches/m1").await;
    assert_eq!(anew["per_move"]["A"], json!({ "delay_s": 0 }));
    server.stop().await;
}

#[tokio::test]
async fn a_delay_that_no_clock_has_or_the_book_does_not_know_is_refused_with_a_clear_word() {
    let folder = tempfile::tempdir().unwrap();
    let AtStoppedClocks { server, mut phone, mut hub, .. } = at_stopped_clocks(folder.path()).await;
    let chess = MatchOpened {
        match_id: "m2".to_owned(),
        rulebook: "nc-scholastic".to_owned(),
        base_ms: 300_000,
        boards: boards(&[Board::A]),
        game: Game::Chess.into(),
        ..MatchOpened::default()
    };
    let mut script = Script::opened("2", chess);
    script.state(MatchState::Playing, 100_000);
    let mut other = Hub::connect(server.mqtt_port, "south", 7, &["2"]).await;
    other.send_until_committed(&script.rows).await;
    let is_played =
        |it: &Value| it["tables"].as_array().unwrap().iter().any(|it| it["table"] == "2");
    server.until("/api/v1/round", "both tables", is_played).await;
    let refused = [
        ("m1", json!({ "delay_s": 100 }), StatusCode::CONFLICT, "from 0 to 99 s"),
        ("m1", json!({ "increment_s": 100 }), StatusCode::CONFLICT, "from 0 to 99 s"),
        (
            "m1",
            json!({ "increment_s": 1, "delay_s": 1 }),
            StatusCode::UNPROCESSABLE_ENTITY,
            "exclude",
        ),
        ("m1", json!({ "delay_s": -1 }), StatusCode::UNPROCESSABLE_ENTITY, "invalid value"),
        ("m1", json!({ "delay_ms": 5 }), StatusCode::UNPROCESSABLE_ENTITY, "unknown field"),
        ("m2", json!({ "increment_s": 2 }), StatusCode::CONFLICT, "does not add up"),
    ];
    for (match_id, per_move, wanted, words) in refused {
        let (status, answer) = phone.act(clock_act(match_id, "A", &delay(&per_move))).await;
        let reason = answer["reason"].as_str().or(answer["error"].as_str()).unwrap_or_default();
        assert!(status == wanted && reason.contains(words), "{per_move}: {status} {answer}");
    }
    assert!(hub.is_left_alone().await);
    let bronstein = json!({ "delay_s": 5, "delay": "bronstein" });
    phone.done(clock_act("m2", "A", &delay(&bronstein))).await;
    both(&mut other).await;
    server.stop().await;
}

#[tokio::test]
async fn a_delay_that_is_taken_back_is_taken_back_from_whoever_follows_the_match_too() {
    let folder = tempfile::tempdir().unwrap();
    let AtStoppedClocks { server, mut phone, hub, .. } = at_stopped_clocks(folder.path()).await;
    drop(hub);
    let act = phone.done(clock_act("m1", "A", &delay(&json!({ "delay_s": 5 })))).await;
    phone.done(json!({ "of": "clock-withdrawn", "match": "m1", "order": act })).await;
    of_clock(&phone, "withdrawn").await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    let (one, other) = (hub.order().await, hub.order().await);
    // Where the first was lost with the line, it is sent again after the second.
    let is_told = matches!(one.what, Some(order::What::Fact(_)));
    let (told, taken_back) = if is_told { (one, other) } else { (other, one) };
    assert!(matches!(told.what, Some(order::What::Fact(_))), "{told:?}");
    assert_eq!(taken_back.what, Some(order::What::FactWithdrawn(told.order_id)));
    server.stop().await;
}

#[tokio::test]
async fn a_delay_that_a_person_has_to_set_is_on_the_list_until_somebody_says_that_it_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let AtStoppedClocks { server, mut phone, mut script, mut hub } =
        at_stopped_clocks(folder.path()).await;
    let act = phone.done(clock_act("m1", "A", &delay(&json!({ "delay_s": 5 })))).await;
    let done = |order: u64| json!({ "of": "clock-done", "match": "m1", "order": order });
    let refused = async |phone: &mut Phone, order: u64, words: &str| {
        let (status, answer) = phone.act(done(order)).await;
        let reason = answer["reason"].as_str().unwrap_or_default();
        assert!(status == StatusCode::CONFLICT && reason.contains(words), "{status} {answer}");
    };
    refused(&mut phone, act, "by command").await;
    let (order, _) = both(&mut hub).await;
    script.push(ended(order.order_id, OrderOutcome::Unsupported, "set it by hand"));
    hub.send_until_committed(&script.rows).await;
    let by_hand = of_clock(&phone, "by-hand").await;
    assert_eq!((&by_hand["detail"], &by_hand["unseen"]), (&json!("set it by hand"), &json!(true)));
    let is_on_list = async |phone: &Phone| {
        let list = phone.json("/api/v1/td/needs").await;
        list["needs"].as_array().unwrap().iter().any(|need| need["urgency"] == "clock")
    };
    assert!(is_on_list(&phone).await);
    // A reading shows times and no delay: it ends nothing.
    script.clock(Board::A, 290_000, 280_000, None, 9_000_000);
    hub.send_until_committed(&script.rows).await;
    assert!(is_on_list(&phone).await);
    phone.done(done(act)).await;
    assert_eq!(of_clock(&phone, "shown").await["person"], "Ann");
    assert!(!is_on_list(&phone).await);
    let shown = phone.json("/api/v1/td/matches/m1").await;
    assert_eq!(shown["per_move"]["A"], json!({ "delay_s": 5, "delay": "us" }));
    refused(&mut phone, act, "by command").await;
    // Where a reading will show it, no confirmation is needed.
    let stop = phone.done(clock_act("m1", "B", &json!({ "clock": "resume" }))).await;
    let order = loop {
        let order = hub.order().await;
        if matches!(&order.what, Some(order::What::Clock(clock)) if clock.board == Board::B as i32)
        {
            break order;
        }
    };
    script.push(ended(order.order_id, OrderOutcome::Unsupported, "do it by hand"));
    hub.send_until_committed(&script.rows).await;
    of_clock(&phone, "by-hand").await;
    refused(&mut phone, stop, "reading will show it").await;
    server.stop().await;
}
