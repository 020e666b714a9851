//! Notifications to systemd from an adjudicator that starts with a long log.
//!
//! It runs in a process of its own, because systemd speaks to it through its environment.

use std::{
    os::unix::net::UnixDatagram,
    process::{Command, Stdio},
};

use tokio_util::sync::CancellationToken;

use crate::support::{self, Hub, PATIENCE, Server, scholars_mate};

/// Environment variable of the process's folder.
const FOLDER: &str = "STARTING_TEST_FOLDER";

#[tokio::test]
async fn systemd_hears_that_a_start_goes_on_while_the_log_is_followed_anew() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(support::config(folder.path())).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&scholars_mate("1", "m1").rows).await;
    server.stop().await;
    let path = folder.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut program = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "starting::an_adjudicator_that_starts_and_stops", "--ignored"])
        .env(FOLDER, folder.path())
        .env("NOTIFY_SOCKET", &path)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut heard = Vec::new();
    while !heard.iter().any(|line: &String| line == "READY=1") {
        let mut buffer = [0; 1_024];
        let length = socket.recv(&mut buffer).expect("waited in vain for the adjudicator");
        heard.extend(String::from_utf8_lossy(&buffer[..length]).lines().map(str::to_owned));
    }
    assert!(heard[0].starts_with("EXTEND_TIMEOUT_USEC="), "{heard:?}");
    assert!(program.wait().unwrap().success());
}

#[tokio::test]
#[ignore = "a process of its own, which the test above starts"]
async fn an_adjudicator_that_starts_and_stops() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let shutdown = CancellationToken::new();
    let config = support::config(folder.as_ref());
    let running = adjudicator::start(config, shutdown.clone()).await.expect("it starts");
    shutdown.cancel();
    running.wait().await.unwrap();
}
