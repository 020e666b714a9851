//! Calibration of a board's hall sensors: a director orders it, the hub answers, and it is refused in play.

use proto::mqtt::message::{
    BaselineWanted, Board, BoardContent, MatchState, OrderOutcome, Side, order,
};
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::{
    orders::{ended, state},
    phone::{Phone, config},
    support::{Hub, Script, Server},
};

#[tokio::test]
async fn a_director_has_a_board_calibrated_and_sees_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut ann = Phone::paired(&server, "Ann", "floor", json!({})).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    let mut script = Script::new("1", "m1");
    script.state(MatchState::Ready, 0);
    hub.send_until_committed(&script.rows).await;
    ann.match_there("m1").await;
    let deed =
        |content| json!({ "of": "baseline", "match": "m1", "board": "B", "content": content });
    let cases = [
        ("set-up", BoardContent::SetUp, OrderOutcome::Refused, "refused", "d5 reads a piece"),
        ("empty", BoardContent::Empty, OrderOutcome::Done, "done", ""),
    ];
    for (content, wire, outcome, shown, words) in cases {
        ann.done(deed(content)).await;
        let asked = hub.order().await;
        let (board, content) = (Board::B.into(), wire.into());
        let wanted = BaselineWanted { board, content };
        assert_eq!(asked.what, Some(order::What::Baseline(wanted)));
        script.push(ended(asked.order_id, outcome, words));
        hub.send_until_committed(&script.rows).await;
        let order = state(&ann, "m1", shown).await;
        assert_eq!(
            (&order["what"], &order["detail"]),
            (&json!("calibration of board B"), &json!(words))
        );
    }
    script.state(MatchState::Playing, 100_000);
    script.ply(Board::A, Side::White, "e2e4");
    hub.send_until_committed(&script.rows).await;
    server.until("/api/v1/round", "a ply", |it: &Value| it["tables"][0]["ply_count"] == 1).await;
    let (status, refused) = ann.act(deed("empty")).await;
    assert_eq!(status, StatusCode::CONFLICT, "{refused}");
    assert!(refused.to_string().contains("being played"), "{refused}");
    assert!(hub.is_left_alone().await, "nothing is ordered in play");
    server.stop().await;
}
