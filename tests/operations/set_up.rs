//! A hall is set up from the box, through the real programs: a hub without a configuration, simulated nodes, the chief's desk. No file is edited, and
//! nothing is started twice.

use std::{fs, time::Duration};

use proto::link::Side;
use reqwest::{Client, Method, StatusCode};
use rules::Square;
use serde_json::{Value, json};
use sim::real_time::{Touch, Workbench, WorkbenchNode};

use crate::{
    from_the_box::{TOKEN, code, hub, serve},
    program::{PATIENCE, free_port},
};

/// Time between two moves of a hand.
const HAND: Duration = Duration::from_millis(400);

/// The adjudicator's address, and the chief with the token.
struct Desk {
    http: String,
    client: Client,
}

impl Desk {
    async fn ask(&self, method: Method, path: &str, body: Value) -> (StatusCode, Value) {
        let request =
            self.client.request(method, format!("{}{path}", self.http)).bearer_auth(TOKEN);
        let answer = request.json(&body).send().await.expect("an answer");
        (answer.status(), answer.json().await.unwrap_or_default())
    }

    /// Waits until what the desk gets at this path is as wanted.
    async fn until(&self, path: &str, is_wanted: impl Fn(&Value) -> bool) -> Value {
        let begun = std::time::Instant::now();
        loop {
            let request = self.client.get(format!("{}{path}", self.http)).bearer_auth(TOKEN);
            let answer = match request.send().await {
                Ok(answer) => answer.json().await.unwrap_or_default(),
                Err(_) => Value::Null,
            };
            if is_wanted(&answer) {
                return answer;
            }
            assert!(begun.elapsed() < PATIENCE, "not as wanted: {answer:#}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hub_from_the_box_is_accepted_its_nodes_are_placed_and_it_follows_play() {
    let folder = tempfile::tempdir().expect("a folder");
    let (at, devices) = (folder.path(), folder.path().join("dev"));
    fs::create_dir(&devices).expect("a folder");
    let nodes = vec![
        WorkbenchNode::Board { name: "board-1".to_owned(), trays: false, faults: Vec::new() },
        WorkbenchNode::Clock { name: "clock-1".to_owned() },
    ];
    let bench = Workbench::start(&devices, nodes, 1).expect("a bench");
    let http = free_port();
    let adjudicator = serve(at, http, "us-chess-blitz-2020");
    let mut hub = hub(at, http, &devices);
    let desk = Desk { http: format!("http://127.0.0.1:{http}"), client: Client::new() };

    let asking = desk.until("/api/v1/td/hubs", |it| it["asking"][0]["hub"].is_string()).await;
    let id = asking["asking"][0]["hub"].as_str().expect("an id").to_owned();
    let refused =
        desk.ask(Method::POST, "/api/v1/td/hubs/accept", json!({ "code": "00000-00000" })).await;
    assert_eq!(refused.0, StatusCode::NOT_FOUND, "{refused:?}");
    let accepted =
        desk.ask(Method::POST, "/api/v1/td/hubs/accept", json!({ "code": code(&hub) })).await;
    assert_eq!(accepted, (StatusCode::OK, json!({ "hub": id })), "{}", hub.log());

    let sees_both =
        |it: &Value| it["hubs"][0]["nodes"].as_array().is_some_and(|nodes| nodes.len() == 2);
    let listed = desk.until("/api/v1/td/hubs", sees_both).await;
    let about = &listed["hubs"][0];
    assert_eq!((about["hub"].as_str(), about["guessed_table"].as_str()), (Some(&*id), Some("1")));
    let nodes: Vec<Value> = about["nodes"]
        .as_array()
        .expect("nodes")
        .iter()
        .map(|node| json!([node["node"], node["board"]]))
        .collect();
    assert_eq!(nodes, [json!(["board-1", "A"]), json!(["clock-1", "A"])]);
    let tables = format!("/api/v1/td/hubs/{id}/tables");
    let placed = desk.ask(Method::POST, &tables, json!({ "table": "1", "nodes": nodes })).await;
    assert_eq!(placed.0, StatusCode::OK, "{placed:?}");
    let is_placed = |it: &Value| {
        let hub = &it["hubs"][0];
        hub["nodes"][1]["table"] == "1" && hub["is_waited_for"] == false && hub["refused"] == ""
    };
    desk.until("/api/v1/td/hubs", is_placed).await;
    // The readiness before a round: each node's firmware, beside that of its hub.
    let version = json!(env!("CARGO_PKG_VERSION"));
    let is_current = |node: &Value| node["firmware"] == version && node["is_outdated"] == false;
    let nodes_of = |it: &Value| it["hubs"][0]["nodes"].as_array().cloned().unwrap_or_default();
    desk.until("/api/v1/td/hubs", |it| nodes_of(it).iter().all(is_current)).await;

    // The pieces stand; White plays e4 and presses.
    let is_ready = |it: &Value| it["tables"][0]["match"].is_string();
    desk.until("/api/v1/round", is_ready).await;
    play(&bench).await;
    let plies = |it: &Value| it["plies"].as_array().map_or(0, Vec::len);
    let round = desk.until("/api/v1/round", is_ready).await;
    let path =
        format!("/api/v1/matches/{}", round["tables"][0]["match"].as_str().expect("a match"));
    let followed = desk.until(&path, |it| plies(it) >= 1).await;
    assert_eq!(followed["plies"][0]["san"], "e4", "{followed:#}");

    // In play nothing is placed, and the hub comes back by itself with all that it was given.
    let refused = desk.ask(Method::POST, &tables, json!({ "table": "2", "nodes": nodes })).await;
    assert_eq!(refused.0, StatusCode::CONFLICT, "{refused:?}");
    assert!(
        refused.1["error"].as_str().is_some_and(|it| it.contains("matches are played")),
        "{refused:?}"
    );
    hub.kill();
    let again = crate::from_the_box::hub(at, http, &devices);
    desk.until("/api/v1/td/hubs", is_placed).await;
    assert_eq!(desk.until(&path, |it| plies(it) >= 1).await["plies"][0]["san"], "e4");
    assert!(again.log().matches("type its code").count() <= 1, "it asked again: {}", again.log());
    drop(adjudicator);
}

/// Black starts White's clock, and White plays e4.
async fn play(bench: &Workbench) {
    let square =
        |name: &str, occupied| Touch::Square(name.parse::<Square>().expect("a square"), occupied);
    for (node, touch) in [
        ("clock-1", Touch::Lever(Side::Black)),
        ("board-1", square("e2", false)),
        ("board-1", square("e4", true)),
        ("clock-1", Touch::Lever(Side::White)),
    ] {
        bench.touch(node, touch).await.expect("a hand");
        tokio::time::sleep(HAND).await;
    }
}
