//! A disk that returns wrong bytes: directors get a notice, and acknowledged rows and acts come back.

use std::path::{Path, PathBuf};

use reqwest::StatusCode;
use serde_json::json;

use crate::{
    phone::{Phone, config, with_illegal_move},
    support::{Hub, Server},
};

fn beside(database: &Path, ending: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// All files of a database, as a killed process leaves them.
fn files(database: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let names = ["", "-wal", ".acts"].map(|ending| beside(database, ending));
    names.into_iter().filter_map(|name| Some((name.clone(), std::fs::read(&name).ok()?))).collect()
}

#[tokio::test]
async fn acts_that_were_answered_are_there_after_a_break_in_the_log_and_directors_hear_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let database = config(folder.path()).store.path;
    let server = Server::start(config(folder.path())).await;
    let mut phone = Phone::paired(&server, "Ann", "floor", json!({})).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&with_illegal_move("1", "m1").rows).await;
    let sign = json!({ "what": "claim", "claim": "illegal-ply", "by": "white-a", "against": 2 });
    let (status, answer) = phone.decide("m1", sign).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let left = files(&database);
    drop(hub);
    server.stop().await;
    for (name, mut bytes) in left {
        // Place of the claim in the log: it and all later rows are lost.
        if name == beside(&database, "-wal") {
            let claim = b"illegal-ply";
            let at = bytes.windows(claim.len()).position(|part| part == claim);
            bytes[at.expect("it is there")] ^= 1;
        }
        std::fs::write(name, bytes).unwrap();
    }
    let server = Server::start(config(folder.path())).await;
    phone.http.clone_from(&server.http);
    let claims = phone.json("/api/v1/td/matches/m1").await["claims"].clone();
    assert_eq!(claims.as_array().map(Vec::len), Some(1), "{claims}");
    let list = phone.json("/api/v1/td/needs").await.to_string();
    assert!(list.contains("This machine's disk is damaged"), "{list}");
    server.stop().await;
}
