//! The description of the API holds: every address is described and answers as its schema says, and refusals have one shape.

use std::time::Duration;

use proto::mqtt::message::Row;
use reqwest::{Method, StatusCode, header};
use serde_json::Value;

use crate::{
    one_board::chess_mate,
    support::{Hub, Script, Server, config, scholars_mate},
};

/// A match of bughouse and a game of chess.
async fn played(server: &Server) -> Hub {
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1", "2"]).await;
    let scripts: Vec<Script> = vec![scholars_mate("1", "m1"), chess_mate("m2", "2")];
    let rows = scripts.into_iter().flat_map(|script| script.rows);
    let rows: Vec<Row> = rows.zip(1..).map(|(row, sequence)| Row { sequence, ..row }).collect();
    hub.send_until_committed(&rows).await;
    let both = |it: &Value| (0..2).all(|at| it["tables"][at]["result"].is_object());
    server.until("/api/v1/round", "both mates", both).await;
    hub
}

/// Follows a reference.
fn resolved<'a>(schema: &'a Value, document: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(path) => document.pointer(path.trim_start_matches('#')).expect(path),
        None => schema,
    }
}

/// Says where a value is not what a schema says. Every keyword is understood, or the test fails.
fn mismatch(value: &Value, schema: &Value, document: &Value, at: &str) -> Option<String> {
    let schema = resolved(schema, document);
    for (keyword, says) in schema.as_object().expect("a schema") {
        let wrong = match keyword.as_str() {
            "description" | "default" => None,
            "format" => {
                let known = ["placement", "square", "boards"].contains(&says.as_str().unwrap());
                (!known).then(|| says.to_string())
            }
            "minItems" | "maxItems" => {
                let (count, limit) = (value.as_array().map(Vec::len), says.as_u64().unwrap());
                let fits = |it: usize| match keyword.as_str() {
                    "minItems" => it as u64 >= limit,
                    _ => it as u64 <= limit,
                };
                count.filter(|&it| !fits(it)).map(|_| says.to_string())
            }
            "type" => {
                let kinds = says.as_array().cloned().unwrap_or_else(|| vec![says.clone()]);
                (!kinds.iter().any(|kind| is_a(value, kind.as_str().unwrap())))
                    .then(|| says.to_string())
            }
            "enum" => (!says.as_array().unwrap().contains(value)).then(|| says.to_string()),
            "minimum" => {
                value.as_f64().filter(|it| *it < says.as_f64().unwrap()).map(|_| says.to_string())
            }
            "maximum" => {
                value.as_f64().filter(|it| *it > says.as_f64().unwrap()).map(|_| says.to_string())
            }
            "required" => says.as_array().unwrap().iter().find_map(|field| {
                value.is_object().then_some(())?;
                value.get(field.as_str().unwrap()).is_none().then(|| format!("{field} is missing"))
            }),
            "properties" => {
                let fields = says.as_object().unwrap();
                let sent = value.as_object().into_iter().flatten();
                let undescribed = sent.map(|(field, _)| field).find(|it| !fields.contains_key(*it));
                undescribed.map(|field| format!("{field} is not described")).or_else(|| {
                    fields.iter().find_map(|(field, of)| {
                        mismatch(value.get(field)?, of, document, &format!("{at}.{field}"))
                    })
                })
            }
            "items" => {
                value.as_array().into_iter().flatten().zip(0..).find_map(|(one, index)| {
                    mismatch(one, says, document, &format!("{at}[{index}]"))
                })
            }
            "oneOf" => {
                let all = says.as_array().unwrap();
                let found: Vec<_> =
                    all.iter().filter_map(|one| mismatch(value, one, document, at)).collect();
                (found.len() + 1 != all.len()).then(|| found.join(" and "))
            }
            other => panic!("{at}: the keyword {other} is not known to this test"),
        };
        if let Some(wrong) = wrong {
            return Some(format!("{at}: {keyword}: {wrong}: {value}"));
        }
    }
    None
}

fn is_a(value: &Value, kind: &str) -> bool {
    match kind {
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        other => panic!("there is no type {other}"),
    }
}

/// An address with its parameters' examples.
fn address(path: &str, item: &Value, document: &Value) -> String {
    let parameters = item["parameters"].as_array().into_iter().flatten();
    parameters.map(|it| resolved(it, document)).fold(path.to_owned(), |path, it| {
        let example =
            it["example"].as_str().map(str::to_owned).unwrap_or_else(|| it["example"].to_string());
        path.replace(&format!("{{{}}}", it["name"].as_str().unwrap()), &example)
    })
}

#[tokio::test]
async fn every_address_of_the_description_answers_as_described() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let _hub = played(&server).await;
    let document = server.json("/api/v1/openapi.json").await;
    for (path, item) in document["paths"].as_object().unwrap() {
        let item = &item["get"];
        let address = address(path, item, &document);
        assert!(!address.contains('{'), "{path} has a parameter without an example");
        let request = reqwest::Client::new().get(format!("{}{address}", server.http));
        let answer = request.timeout(Duration::from_secs(5)).send().await.unwrap();
        let status = answer.status();
        // A program that was built without its pages has no replay.
        if path.ends_with(".replay.html") && status == StatusCode::NOT_FOUND {
            continue;
        }
        let is_needed = |it: &Value| it["in"] == "query" && it["required"] == true;
        let needed = item["parameters"].as_array().is_some_and(|all| all.iter().any(is_needed));
        assert_eq!(
            status,
            if needed { StatusCode::BAD_REQUEST } else { StatusCode::OK },
            "{address}"
        );
        let described = resolved(&item["responses"][status.as_str()], &document);
        let (kind, content) = described["content"].as_object().unwrap().iter().next().expect(path);
        let sent = answer.headers()[header::CONTENT_TYPE].to_str().unwrap().to_owned();
        assert!(sent.starts_with(kind.as_str()), "{address}: {sent}");
        let schema = &content["schema"];
        if kind == "application/json" {
            assert!(schema.is_object(), "{address} has no schema");
            let value: Value = answer.json().await.unwrap();
            assert_eq!(mismatch(&value, schema, &document, &address), None);
        }
    }
    server.stop().await;
}

#[tokio::test]
async fn every_refusal_has_one_shape_and_is_described() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let document = server.json("/api/v1/openapi.json").await;
    let problem = serde_json::json!({ "$ref": "#/components/schemas/Problem" });
    for (method, path, of, status) in [
        (Method::GET, "/api/v1/standings", "/api/v1/standings", StatusCode::BAD_REQUEST),
        (
            Method::GET,
            "/api/v1/standings?section=x&after=-1",
            "/api/v1/standings",
            StatusCode::BAD_REQUEST,
        ),
        (Method::GET, "/api/v1/standings?section=x", "/api/v1/standings", StatusCode::NOT_FOUND),
        (Method::GET, "/api/v1/event.pgn?colour=red", "/api/v1/event.pgn", StatusCode::BAD_REQUEST),
        (Method::GET, "/api/v1/event.zip?round=-1", "/api/v1/event.zip", StatusCode::BAD_REQUEST),
        (Method::GET, "/api/v1/matches/none", "/api/v1/matches/{name}", StatusCode::NOT_FOUND),
        (Method::GET, "/api/v1/matches/%ff", "/api/v1/matches/{name}", StatusCode::BAD_REQUEST),
        (
            Method::GET,
            "/api/v1/feed/x/y/z",
            "/api/v1/feed/{section}/{round}",
            StatusCode::NOT_FOUND,
        ),
        (Method::GET, "/api/v1/live?last_event_id=x%20y", "/api/v1/live", StatusCode::BAD_REQUEST),
        (Method::GET, "/api/v1/nothing", "", StatusCode::NOT_FOUND),
        (Method::POST, "/api/v1/round", "", StatusCode::METHOD_NOT_ALLOWED),
    ] {
        let request = reqwest::Client::new().request(method, format!("{}{path}", server.http));
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), status, "{path}");
        let value: Value = answer.json().await.unwrap_or_else(|error| panic!("{path}: {error}"));
        assert_eq!(mismatch(&value, &problem, &document, path), None);
        if !of.is_empty() {
            let described = &document["paths"][of]["get"]["responses"][status.as_str()];
            assert!(described.is_object(), "{of} says nothing of {status}");
        }
    }
    server.stop().await;
}

/// The address of families, who come with a secret: it is not described.
const OF_FAMILIES: &str = "/api/v1/child";

/// The public addresses in the router's source. Directors' addresses are not described; each format's own address is.
fn routes() -> Vec<String> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/http");
    let mut routes = vec!["/healthz".to_owned()];
    for file in ["mod.rs", "event.rs", "feed.rs", "notices.rs"] {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        let literals =
            text.split("route(").skip(1).filter_map(|rest| rest.trim_start().strip_prefix('"'));
        let paths = literals.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned()));
        let is_described = |path: &String| path.starts_with("/api/v1/") && path != OF_FAMILIES;
        routes.extend(paths.filter(is_described));
    }
    let formats = adjudicator::views::records::Format::ALL;
    routes.extend(formats.into_iter().map(|format| format!("/api/v1/event.{format}")));
    routes
}

#[tokio::test]
async fn description_and_router_have_the_same_addresses() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let document = server.json("/api/v1/openapi.json").await;
    let described: Vec<&String> = document["paths"].as_object().unwrap().keys().collect();
    let routes = routes();
    assert!(routes.len() > 15, "{routes:?}");
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
        assert!(
            routes.iter().any(|route| is_of(route, path)),
            "{path} is described and not routed"
        );
    }
    server.stop().await;
}
