//! The description of the API holds: every address is described and answers as its schema says, refusals have one shape, and the program
//! reads exactly the acts that are described.

use std::{collections::BTreeSet, time::Duration};

use proto::mqtt::message::Row;
use reqwest::{Method, StatusCode, header};
use rules::rulebook::BookId;
use serde_json::{Value, json};

use crate::{
    description::{DOCUMENT, check, mismatch, resolved},
    event,
    one_board::chess_mate,
    phone::{Phone, TOKEN, config, with_token},
    support::{Hub, Script, Server, scholars_mate},
};

/// A match of bughouse and a game of chess, beside a section that is about to play.
async fn played(server: &Server) -> Hub {
    let mut chief = Phone::paired(server, "Chief", "chief", json!({})).await;
    event::prepared(server, &mut chief).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1", "2"]).await;
    let scripts: Vec<Script> = vec![scholars_mate("1", "m1"), chess_mate("m2", "2")];
    let rows = scripts.into_iter().flat_map(|script| script.rows);
    let rows: Vec<Row> = rows.zip(1..).map(|(row, sequence)| Row { sequence, ..row }).collect();
    hub.send_until_committed(&rows).await;
    let both = |it: &Value| (0..2).all(|at| it["tables"][at]["result"].is_object());
    server.until("/api/v1/round", "both mates", both).await;
    hub
}

/// An address with its parameters' examples.
fn address(path: &str, item: &Value) -> String {
    let parameters = item["parameters"].as_array().into_iter().flatten();
    parameters.map(resolved).fold(path.to_owned(), |path, it| {
        let example =
            it["example"].as_str().map(str::to_owned).unwrap_or_else(|| it["example"].to_string());
        path.replace(&format!("{{{}}}", it["name"].as_str().unwrap()), &example)
    })
}

/// Ends of addresses whose answers need a link, a hall that accepts hubs, an act before, or a program with its pages.
const ELSEWHERE: [&str; 6] =
    ["/hubs/join", "/child", "/at-table", "/screen", "/clips/1", ".replay.html"];

#[tokio::test]
async fn every_address_of_the_description_answers_as_described() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let _hub = played(&server).await;
    for (path, item) in DOCUMENT["paths"].as_object().unwrap() {
        let item = &item["get"];
        let address = address(path, item);
        if item.is_null() || ELSEWHERE.iter().any(|end| address.ends_with(end)) {
            continue;
        }
        assert!(!address.contains('{'), "{path} has a parameter without an example");
        let request = reqwest::Client::new().get(format!("{}{address}", server.http));
        let request = request.bearer_auth(TOKEN).timeout(Duration::from_secs(5));
        let answer = request.send().await.unwrap();
        let status = answer.status();
        let is_needed = |it: &Value| it["in"] == "query" && it["required"] == true;
        let needed = item["parameters"].as_array().is_some_and(|all| all.iter().any(is_needed));
        let expected = if needed { StatusCode::BAD_REQUEST } else { StatusCode::OK };
        assert_eq!(status, expected, "{address}");
        let described = resolved(&item["responses"][status.as_str()]);
        let (kind, content) = described["content"].as_object().unwrap().iter().next().expect(path);
        let sent = answer.headers()[header::CONTENT_TYPE].to_str().unwrap().to_owned();
        assert!(sent.starts_with(kind.as_str()), "{address}: {sent}");
        if kind == "application/json" {
            let value: Value = answer.json().await.unwrap();
            assert_eq!(mismatch(&value, &content["schema"], &address), None);
        }
    }
    server.stop().await;
}

#[tokio::test]
async fn every_refusal_has_one_shape_and_is_described() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let problem = json!({ "$ref": "#/components/schemas/Problem" });
    let (get, post) = (Method::GET, Method::POST);
    for (method, path, body, status) in [
        (&get, "/api/v1/standings", "", 400),
        (&get, "/api/v1/standings?section=x&after=-1", "", 400),
        (&get, "/api/v1/standings?section=x", "", 404),
        (&get, "/api/v1/event.pgn?colour=red", "", 400),
        (&get, "/api/v1/event.zip?round=-1", "", 400),
        (&get, "/api/v1/matches/none", "", 404),
        (&get, "/api/v1/matches/%ff", "", 400),
        (&get, "/api/v1/feed/x/y", "", 404),
        (&get, "/api/v1/live?last_event_id=x%20y", "", 400),
        (&get, "/api/v1/nothing", "", 404),
        (&post, "/api/v1/round", "", 405),
        (&get, "/api/v1/child", "", 401),
        (&get, "/api/v1/at-table", "", 401),
        (&get, "/api/v1/screen", "", 401),
        (&get, "/api/v1/td/matches/none", "", 404),
        (&get, "/api/v1/td/matches/%ff", "", 400),
        (&get, "/api/v1/td/matches/none/clips/x", "", 400),
        (&get, "/api/v1/td/matches/none/consider", "", 400),
        (&get, "/api/v1/td/alerts?match=none", "", 404),
        (&get, "/api/v1/td/rulebooks/none", "", 404),
        (&post, "/api/v1/td/acts", "{", 400),
        (&post, "/api/v1/td/acts", "{}", 422),
        (&post, "/api/v1/td/event/preview", "", 400),
        (&post, "/api/v1/td/event/import?kind=teams", "", 409),
        (&post, "/api/v1/td/screens/70000/reload", "", 400),
        (&post, "/api/v1/td/screens/7/reload", "", 404),
        (&post, "/api/v1/td/devices/7/revoke", "", 409),
        (&post, "/api/v1/td/pair", r#"{"token":"x","pin":"1"}"#, 404),
        (&post, "/api/v1/td/tables/links", r#"{"tables":[]}"#, 422),
    ] {
        let request =
            reqwest::Client::new().request(method.clone(), format!("{}{path}", server.http));
        let request = request.bearer_auth(TOKEN).header(header::CONTENT_TYPE, "application/json");
        let answer = request.body(body).send().await.unwrap();
        let sent = answer.status();
        let value: Value = answer.json().await.unwrap_or_else(|error| panic!("{path}: {error}"));
        assert_eq!(sent, StatusCode::from_u16(status).unwrap(), "{path}: {value}");
        assert_eq!(mismatch(&json!({ "error": value["error"] }), &problem, path), None);
        check(method, path, None, (sent, &value));
    }
    for path in ["/api/v1/td/me", "/api/v1/td/ledger.csv"] {
        let answer = server.get(path).await;
        let (status, value) = (answer.status(), answer.json().await.unwrap());
        assert_eq!(status, StatusCode::UNAUTHORIZED);
        check(&get, path, None, (status, &value));
    }
    server.stop().await;
}

/// The addresses in the router's source; each format's own address, too.
fn routes() -> Vec<String> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/http");
    let mut routes = vec!["/healthz".to_owned()];
    let files = [
        "mod.rs",
        "event.rs",
        "feed.rs",
        "hubs.rs",
        "notices.rs",
        "at_table.rs",
        "screens.rs",
        "td/mod.rs",
    ];
    for file in files {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        let literals =
            text.split("route(").skip(1).filter_map(|rest| rest.trim_start().strip_prefix('"'));
        let paths = literals.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned()));
        routes.extend(paths.filter(|path| path.starts_with("/api/v1/")));
    }
    let formats = adjudicator::views::records::Format::ALL;
    routes.extend(formats.into_iter().map(|format| format!("/api/v1/event.{format}")));
    routes
}

#[test]
fn description_and_router_have_the_same_addresses() {
    let described: Vec<&String> = DOCUMENT["paths"].as_object().unwrap().keys().collect();
    let routes = routes();
    assert!(routes.len() > 40, "{routes:?}");
    // A parameter of the router stands for a whole part of an address.
    let is_of = |route: &str, path: &str| {
        let (route, path): (Vec<&str>, Vec<&str>) =
            (route.split('/').collect(), path.split('/').collect());
        route.len() == path.len()
            && route.iter().zip(&path).all(|(route, path)| route == path || route.starts_with('{'))
    };
    for route in &routes {
        assert!(described.iter().any(|path| is_of(route, path)), "{route} is not described");
    }
    for path in described {
        let is_routed = routes.iter().any(|route| is_of(route, path));
        assert!(is_routed, "{path} is described and not routed");
    }
}

/// The smallest value of a schema with every field that has no default.
fn example(schema: &Value) -> Value {
    let schema = resolved(schema);
    if let Some(examples) = schema["examples"].as_array() {
        return examples[0].clone();
    }
    if let Some(words) = schema["enum"].as_array() {
        return words.last().unwrap().clone();
    }
    if let Some(of) = schema["oneOf"].as_array() {
        return example(&of[0]);
    }
    let kind = schema["type"].as_array().map_or(&schema["type"], |kinds| &kinds[0]);
    match kind.as_str().unwrap() {
        "string" => "x".into(),
        "boolean" => true.into(),
        "integer" | "number" => 1.into(),
        "array" => {
            let least = schema["minItems"].as_u64().unwrap_or(1);
            (0..least).map(|_| example(&schema["items"])).collect()
        }
        _ => {
            let fields = schema["properties"].as_object().unwrap().iter();
            let given = fields.filter(|(_, of)| of.get("default").is_none());
            given.map(|(name, of)| (name.clone(), example(of))).collect()
        }
    }
}

/// The words in backticks after "expected", of a refusal by serde.
fn expected(refusal: &str) -> BTreeSet<String> {
    let words = refusal.split_once("expected").map_or("", |(_, words)| words);
    words.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Unions of the description: the tag, the deed that holds a value of it, and variants and fields that are not for people.
type Union = (&'static str, &'static str, fn(Value) -> Value, &'static [&'static str]);

const UNIONS: [Union; 6] = [
    (
        "ActDeed",
        "of",
        |deed| deed,
        &[
            "staff",
            "accept-hub",
            "place-nodes",
            "call",
            "call-ended",
            "t_us",
            "guarded",
            "made_ms",
            "screen_key",
        ],
    ),
    ("Deed", "kind", |deed| json!({ "of": "event", "deeds": [deed] }), &[]),
    ("Decision", "what", of_match, &[]),
    (
        "Remedy",
        "remedy",
        |remedy| {
            of_match(json!({ "what": "rule", "on": 1, "decision": "denied", "remedy": remedy }))
        },
        &[],
    ),
    (
        "Penalty",
        "penalty",
        |given| {
            of_match(
                json!({ "what": "penalise", "offence": "x", "whom": "white-a", "given": given }),
            )
        },
        &[],
    ),
    (
        "ClockForm",
        "clock",
        |change| json!({ "of": "clock", "match": "m9", "board": "A", "change": change }),
        &[],
    ),
];

fn of_match(decided: Value) -> Value {
    json!({ "of": "match", "match": "m9", "seen": 1, "decided": decided })
}

#[tokio::test]
async fn the_program_reads_the_acts_that_are_described_and_no_other_fields() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let refusal = async |deed: Value| {
        let (_, answer) = with_token(&server, "/api/v1/td/acts", &json!({ "deed": deed })).await;
        answer["error"].as_str().unwrap_or_default().to_owned()
    };
    for (name, tag, holding, not_for_people) in UNIONS {
        let read = |refusal: String| {
            let mut words = expected(&refusal);
            words.retain(|word| !not_for_people.contains(&word.as_str()));
            words
        };
        let variants = DOCUMENT["components"]["schemas"][name]["oneOf"].as_array().unwrap();
        let tags =
            variants.iter().map(|it| it["properties"][tag]["enum"][0].as_str().unwrap().to_owned());
        assert_eq!(read(refusal(holding(json!({ tag: "?" }))).await), tags.collect(), "{name}");
        for variant in variants {
            let mut value = example(variant);
            let answer = refusal(holding(value.clone())).await;
            assert!(!answer.contains("deserialize"), "{value}: {answer}");
            value["?"] = json!(0);
            let answer = refusal(holding(value.clone())).await;
            let fields = variant["properties"].as_object().unwrap().keys();
            let fields: BTreeSet<String> = fields.filter(|it| *it != tag).cloned().collect();
            assert_eq!(read(answer), fields, "{name}: {value}");
        }
    }
    server.stop().await;
}

#[test]
fn every_rulebook_can_be_named_beside_a_file() {
    let described = DOCUMENT["components"]["schemas"]["BookOrNone"]["enum"].as_array().unwrap();
    let known = BookId::ALL.map(BookId::name);
    assert!(described.iter().skip(1).eq(known.iter()), "{described:?}");
}
