//! Interfaces for other programs: tags, frames of other sites, metrics for Prometheus.

use std::{sync::Arc, time::Duration};

use reqwest::{StatusCode, header};
use serde_json::Value;

use axum::{Router, extract::State, http::HeaderMap, routing::post};
use tokio::sync::mpsc;

use crate::{
    phone::with_illegal_move,
    support::{Hub, PATIENCE, Server, config, scholars_mate},
};

async fn played(server: &Server) -> Hub {
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&scholars_mate("1", "m1").rows).await;
    server.until("/api/v1/round", "the mate", |it| it["tables"][0]["result"].is_object()).await;
    hub
}

#[tokio::test]
async fn what_a_client_has_is_not_sent_again_until_it_has_changed() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let _hub = played(&server).await;
    let client = reqwest::Client::new();
    for path in ["/api/v1/matches/m1.bpgn", "/api/v1/event.bpgn", "/api/v1/event"] {
        let first = server.get(path).await;
        let tag = first.headers()[header::ETAG].clone();
        assert_eq!(first.headers()[header::CACHE_CONTROL], "no-cache");
        assert!(!first.text().await.unwrap().is_empty());
        let request = client.get(format!("{}{path}", server.http));
        let again = request.header(header::IF_NONE_MATCH, &tag).send().await.unwrap();
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED, "{path}");
        assert_eq!(again.headers()[header::ETAG], tag);
        assert_eq!(again.text().await.unwrap(), "");
        let request = client.get(format!("{}{path}", server.http));
        let other = request.header(header::IF_NONE_MATCH, "W/\"older\"").send().await.unwrap();
        assert_eq!(other.status(), StatusCode::OK);
        let digest = tag.to_str().unwrap().trim_start_matches("W/").trim_matches('"');
        for (version, kept) in
            [(digest, "public, max-age=31536000, immutable"), ("older", "no-cache")]
        {
            let named = server.get(&format!("{path}?v={version}")).await;
            assert_eq!(named.headers()[header::CACHE_CONTROL], kept, "{path}?v={version}");
        }
    }
    server.stop().await;
}

#[tokio::test]
async fn only_sites_of_the_configuration_may_show_a_frame_and_only_of_the_pages_meant_for_that() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = config(folder.path());
    config.http.embed_sites = vec!["https://club.example".to_owned()];
    let server = Server::start(config).await;
    let policy = async |path: &str| {
        let answer = server.get(path).await;
        answer.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap().to_owned()
    };
    let ancestors = |policy: &str| policy.rsplit("frame-ancestors ").next().unwrap().to_owned();
    assert_eq!(ancestors(&policy("/embed/table/1").await), "'self' https://club.example");
    for path in ["/", "/td", "/match/m1", "/api/v1/round", "/embedded"] {
        assert_eq!(ancestors(&policy(path).await), "'self'", "{path}");
    }
    server.stop().await;
}

#[tokio::test]
async fn numbers_are_at_an_address_of_their_own_and_name_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let _hub = played(&server).await;
    let address = server.metrics.unwrap();
    let text =
        reqwest::get(format!("http://{address}/metrics")).await.unwrap().text().await.unwrap();
    for line in ["twinboard_hubs_online 1", "twinboard_tables_live 1", "twinboard_matches 1"] {
        assert!(text.lines().any(|it| it == line), "{line} in {text}");
    }
    assert!(!text.contains("m1"), "{text}");
    assert_eq!(server.get("/metrics").await.status(), StatusCode::NOT_FOUND);
    server.stop().await;
}

/// A receiver of webhooks, which refuses the first message once.
async fn listener() -> (String, mpsc::UnboundedReceiver<(String, String)>) {
    type Heard = Arc<(mpsc::UnboundedSender<(String, String)>, std::sync::atomic::AtomicBool)>;
    async fn hear(State(heard): State<Heard>, headers: HeaderMap, body: String) -> StatusCode {
        if !heard.1.swap(true, std::sync::atomic::Ordering::Relaxed) {
            return StatusCode::SERVICE_UNAVAILABLE;
        }
        let header = |name: &str| {
            headers.get(name).map_or_else(String::new, |value| value.to_str().unwrap().to_owned())
        };
        let about = format!("{}|{}", header("authorization"), header("x-title"));
        let _ = heard.0.send((about, body));
        StatusCode::OK
    }
    let (sender, receiver) = mpsc::unbounded_channel();
    let heard: Heard = Arc::new((sender, false.into()));
    let router = Router::new().route("/hook", post(hear)).with_state(heard);
    let socket = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/hook", socket.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(socket, router).await.unwrap() });
    (address, receiver)
}

#[tokio::test]
async fn other_programs_are_told_of_results_and_phones_of_claims_but_never_of_what_is_silent() {
    let folder = tempfile::tempdir().unwrap();
    let (json, mut results) = listener().await;
    let (ntfy, mut needs) = listener().await;
    let token = folder.path().join("ntfy-token");
    adjudicator::pki::secrets::write(&token, "of-the-topic").unwrap();
    let mut config = config(folder.path());
    let hooks = format!(
        "[[webhook]]\nurl = {json:?}\ntells = [\"result\"]\n\
         [[webhook]]\nurl = {ntfy:?}\nformat = \"ntfy\"\ntells = [\"needs\"]\ntoken_file = {token:?}\n"
    );
    config.webhooks = toml::from_str::<adjudicator::Config>(&hooks).unwrap().webhooks;
    let server = Server::start(config).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    let silent = with_illegal_move("1", "m0");
    hub.send_until_committed(&silent.rows).await;
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    let mut rows = scholars_mate("1", "m1").rows;
    let before = silent.rows.len() as u64;
    rows.iter_mut().for_each(|row| row.sequence += before);
    hub.send_until_committed(&rows).await;
    let (_, body) = tokio::time::timeout(PATIENCE, results.recv()).await.unwrap().unwrap();
    let told: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((&told["event"], &told["match"]), (&"result".into(), &"m1".into()), "{told}");
    let (about, body) = tokio::time::timeout(PATIENCE, needs.recv()).await.unwrap().unwrap();
    assert_eq!(about, "Bearer of-the-topic|Table 1, board A");
    assert_eq!(body, "Result to confirm", "the illegal ply is silent: players must claim it");
    server.stop().await;
}

#[tokio::test]
async fn somebody_who_cannot_be_told_is_named_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = config(folder.path());
    let hooks = "[[webhook]]\nurl = \"club.example/hook\"\ntells = [\"result\"]";
    config.webhooks = toml::from_str::<adjudicator::Config>(hooks).unwrap().webhooks;
    let shutdown = tokio_util::sync::CancellationToken::new();
    let refused = adjudicator::start(config, shutdown).await.err().unwrap().to_string();
    assert!(refused.contains("club.example/hook") && refused.contains("http://"), "{refused}");
}
