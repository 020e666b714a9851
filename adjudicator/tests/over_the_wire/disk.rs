//! Room on the disk of the log.

use std::{io::Write as _, path::Path, process::Command, time::Duration};

use serde_json::{Value, json};

use crate::{
    phone::{Phone, config},
    support::{self, Server},
};

/// A disk of two megabytes in memory; unmounted when dropped.
struct SmallDisk<'a>(&'a Path);

impl SmallDisk<'_> {
    /// None (and a printed line) where this process may not mount; under CI that is a failure.
    fn mount(at: &Path) -> Option<SmallDisk<'_>> {
        let mount =
            Command::new("mount").args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"]).arg(at).output();
        if mount.is_ok_and(|output| output.status.success()) {
            return Some(SmallDisk(at));
        }
        assert!(std::env::var_os("CI").is_none(), "cannot mount a small disk");
        println!("not run: mounting a small disk needs root");
        None
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("-l").arg(self.0).output());
    }
}

#[tokio::test]
#[ignore = "needs a small disk: cargo xtask test programs"]
async fn an_adjudicator_that_starts_on_a_full_disk_waits_for_room_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::mount(folder.path()) else { return };
    Server::start(support::config(disk.0)).await.stop().await;
    let filler = disk.0.join("filler");
    let mut file = std::fs::File::create(&filler).unwrap();
    while file.write_all(&[0; 4096]).is_ok() {}
    drop(file);
    let starting = Server::start(support::config(disk.0));
    tokio::pin!(starting);
    let waited = tokio::time::timeout(Duration::from_secs(1), &mut starting).await;
    assert!(waited.is_err(), "nothing can be recorded, and it gives no reason to start anew");
    std::fs::remove_file(filler).unwrap();
    let server = tokio::time::timeout(support::PATIENCE, starting).await.expect("it has room");
    let is_well = |health: &Value| health["status"] == "ok";
    server.until("/healthz", "a database that can be read", is_well).await;
    server.stop().await;
}

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
