//! Room on the disk of the log.

use serde_json::{Value, json};

use crate::{
    phone::{Phone, config},
    support::Server,
};

#[tokio::test]
async fn directors_hear_that_the_disk_is_nearly_full_before_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = config(folder.path());
    config.store.warn_below_mb = u64::MAX;
    let server = Server::start(config).await;
    let chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    let is_low = |health: &Value| health["disk"] == "nearly full";
    let health = server.until("/healthz", "a disk that is nearly full", is_low).await;
    assert_eq!(health["status"], "ok", "what is there can be read and written");
    let list = chief.json("/api/v1/td/needs").await;
    let need = list["needs"]
        .as_array()
        .unwrap()
        .iter()
        .find(|need| need["id"].as_str().unwrap().starts_with("disk:low"));
    let need = need.unwrap_or_else(|| panic!("{list}"));
    assert_eq!((&need["label"], &need["urgency"]), (&json!("Hall"), &json!("notice")));
    let detail = need["detail"].as_str().unwrap();
    assert!(server.metric("disk_free_bytes").await > 0.0);
    assert!(detail.contains("MB are left on the adjudicator's disk: free space"), "{detail}");
    server.stop().await;
}
