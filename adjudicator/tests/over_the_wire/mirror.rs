//! Tests of the mirror: nothing stays at the host that is not public any more, and one refused file stops no other.

use std::sync::atomic::Ordering;

use serde_json::json;

use crate::{
    phone::{Phone, config},
    round_push::{chief_until, is_about},
    support::{Hub, Server, scholars_mate},
    web_host::{WebHost, mirrored, until},
};

const MATCH: &str = "api/v1/matches/m1.json.gz";

#[tokio::test]
async fn what_an_earlier_run_mirrored_is_removed_once_it_is_not_public() {
    let folder = tempfile::tempdir().unwrap();
    let (address, host) = WebHost::start().await;
    let config = mirrored(config(folder.path()), &address, "");
    for keeps in [false, true] {
        host.keeps.store(keeps, Ordering::Relaxed);
        let server = Server::start(config.clone()).await;
        let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
        hub.send_until_committed(&scholars_mate("1", "m1").rows).await;
        until("the match at the host", || host.file(MATCH).contains("h5f7")).await;
        server.stop().await;
        drop(hub);
        // The next event begins with an empty log.
        for ending in ["", "-wal", "-shm", ".checksums"] {
            let _ = std::fs::remove_file(folder.path().join(format!("event.sqlite{ending}")));
        }
        let server = Server::start(config.clone()).await;
        until("the round of the next event", || {
            let round = host.file("api/v1/round.json.gz");
            !round.is_empty() && !round.contains("m1")
        })
        .await;
        until("the match is gone", || host.file(MATCH).is_empty()).await;
        assert_eq!(host.files().contains_key(MATCH), keeps, "emptied where it cannot be deleted");
        server.stop().await;
    }
}

#[tokio::test]
async fn a_refused_file_is_named_at_the_desk_and_stops_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let (address, host) = WebHost::start().await;
    *host.refuses.lock().unwrap() = Some("round.json.gz");
    let server = Server::start(mirrored(config(folder.path()), &address, "")).await;
    let mut chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&scholars_mate("1", "m1").rows).await;
    until("the match at the host", || host.file(MATCH).contains("h5f7")).await;
    until("the notices at the host", || !host.file("api/v1/notices.json.gz").is_empty()).await;
    chief_until(&mut chief, |needs| is_about(needs, &["api/v1/round.json.gz", "refuses"])).await;
    server.stop().await;
}

#[tokio::test]
async fn each_request_to_a_store_is_signed_with_its_secret_key() {
    let folder = tempfile::tempdir().unwrap();
    let (address, host) = WebHost::start().await;
    let secret = folder.path().join("secret");
    adjudicator::pki::secrets::write(&secret, "a-secret-of-the-store").unwrap();
    let s3 = format!(
        "[mirror.s3]\nregion = \"eu-test-1\"\nkey_id = \"KEY\"\nsecret_file = {secret:?}\n"
    );
    let config = mirrored(config(folder.path()), &format!("{address}/hall"), &s3);
    let server = Server::start(config).await;
    until("a file at the store", || !host.file("hall/api/v1/round.json.gz").is_empty()).await;
    for put in host.puts() {
        let of = |text| put.query.contains(text);
        assert!(put.path.starts_with("hall/"), "{put:?}");
        assert!(of("X-Amz-Signature=") && of("KEY%2F") && of("eu-test-1"), "{put:?}");
        assert!(!of("a-secret"), "{put:?}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_setting_of_another_kind_of_host_stops_the_start() {
    let folder = tempfile::tempdir().unwrap();
    for (url, further, words) in [
        ("https://club.example", "key_file = \"key\"\n", "key_file"),
        ("sftp://live@club.example", "token_file = \"token\"\n", "token_file"),
        ("sftp://club.example", "", "user@host"),
        (
            "https://s3.example",
            "[mirror.s3]\nregion = \"x\"\nkey_id = \"y\"\nsecret_file = \"z\"\n",
            "bucket",
        ),
    ] {
        let config = mirrored(config(folder.path()), url, further);
        let shutdown = tokio_util::sync::CancellationToken::new();
        let refused = adjudicator::start(config, shutdown).await.err().unwrap().to_string();
        assert!(refused.contains(words), "{refused}");
    }
}
