//! What hubs say about themselves, and who hears it.

use std::os::unix::fs::PermissionsExt as _;

use prost::Message as _;
use proto::mqtt::message::HubState;
use rumqttc::QoS;
use serde_json::Value;

use crate::support::{self, Hub, Server};

const TOKEN: &str = "a-token-of-the-directors";
const TROUBLE: &str = "123 MB are left on its disk";

async fn notices(server: &Server) -> String {
    let request = reqwest::Client::new().get(format!("{}/api/v1/td/alerts", server.http));
    let answer: Value = request.bearer_auth(TOKEN).send().await.unwrap().json().await.unwrap();
    answer["notices"].to_string()
}

async fn until(server: &Server, holds: impl Fn(&str) -> bool) {
    let look = async {
        while !holds(&notices(server).await) {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(support::PATIENCE, look).await.expect("the directors hear it");
}

#[tokio::test]
async fn directors_hear_what_is_wrong_with_a_hub_for_as_long_as_it_is_and_nobody_else_does() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = support::config(folder.path());
    let token_file = folder.path().join("td-token");
    std::fs::write(&token_file, TOKEN).unwrap();
    std::fs::set_permissions(&token_file, std::fs::Permissions::from_mode(0o600)).unwrap();
    config.http.td_token_file = Some(token_file);
    let server = Server::start(config).await;
    let hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    let says = async |troubles: Vec<String>| {
        let state = HubState {
            hub_id: "north".to_owned(),
            boot_id: 7,
            online: true,
            version: "test".to_owned(),
            tables: vec!["1".to_owned()],
            troubles,
        };
        let topic = "twinboard/1/hall/hub/north/state";
        hub.client.publish(topic, QoS::AtLeastOnce, true, state.encode_to_vec()).await.unwrap();
    };
    // More than a hub may say, and longer.
    let mut troubles = vec![TROUBLE.to_owned(), "x".repeat(5_000)];
    troubles.extend((0..50).map(|number| format!("trouble {number}")));
    says(troubles).await;
    until(&server, |notices| notices.contains("hub north: 123 MB are left")).await;
    assert!(notices(&server).await.len() < 4_000, "a hub cannot flood the directors' page");
    let public = reqwest::get(format!("{}/api/v1/round", server.http)).await.unwrap();
    assert!(!public.text().await.unwrap().contains("123 MB"));
    says(Vec::new()).await;
    until(&server, |notices| !notices.contains("hub north")).await;
}
