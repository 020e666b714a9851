//! Two owners of two halls on one PostgreSQL: one of them is gone, one has lost its lease, the database is down. Pages and acts come through a
//! front, and hubs through Mosquitto.

use std::{path::Path, thread::JoinHandle, time::Instant};

use adjudicator::{
    Config, halls,
    log::{
        Store,
        input::{Input, InputKind},
    },
};
use prost::Message as _;
use proto::mqtt::message::Row;
use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::{
    broker::Mosquitto,
    cluster::{Front, follow, nats::Nats, until_followed},
    phone::{Phone, TOKEN},
    postgresql::test_server::TestServer,
    support::{self, Hub, PATIENCE, scholars_mate},
};

/// An owner on threads of its own, as a process is.
pub(crate) struct Owner {
    killed: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    shutdown: CancellationToken,
}

impl Owner {
    /// The owner of the halls that a file names.
    fn start(file: &Path) -> Owner {
        let config = Config::load(file).unwrap();
        let (killed, is_killed) = oneshot::channel::<()>();
        let shutdown = CancellationToken::new();
        let stop = shutdown.clone();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            runtime.block_on(async {
                tokio::select! {
                    served = halls::serve(config, stop) => served.unwrap(),
                    _ = is_killed => {}
                }
            });
            // Everything that it does ends where it is: nothing is closed, and no lease is given back.
            runtime.shutdown_background();
        });
        Owner { killed: Some(killed), thread: Some(thread), shutdown }
    }

    pub(crate) fn kill(&mut self) {
        let _ = self.killed.take().map(|killed| killed.send(()));
        self.join();
    }

    pub(crate) fn stop(&mut self) {
        self.shutdown.cancel();
        self.join();
    }

    fn join(&mut self) {
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Halls on a database, with the brokers between.
pub(crate) struct Site {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) database: TestServer,
    pub(crate) nats: Nats,
    pub(crate) mosquitto: Mosquitto,
}

impl Site {
    /// None where Mosquitto is not installed.
    pub(crate) async fn open() -> Option<Site> {
        let mosquitto = Mosquitto::start()?;
        let (folder, nats) = (tempfile::tempdir().unwrap(), Nats::start());
        let database = TestServer::start().await;
        let url = database.address("event").await;
        adjudicator::pki::secrets::write(&folder.path().join("td-token"), TOKEN).unwrap();
        for shard in ["hall", "south"] {
            let port = mosquitto.port;
            let text = format!(
                "[http]\naddress = \"127.0.0.1:0\"\ntd_token_file = \"td-token\"\n[store]\nurl = {url:?}\n\
                 [broker]\nmode = \"external\"\naddress = \"127.0.0.1:{port}\"\nshard = {shard:?}\n"
            );
            std::fs::write(folder.path().join(format!("{shard}.toml")), text).unwrap();
        }
        for (owner, first, second) in [("a", "hall", "south"), ("b", "south", "hall")] {
            let text = format!(
                "[cluster]\nevent = \"open.2026\"\nnats = [{:?}]\n[[cluster.hall]]\nconfig = \"{first}.toml\"\n\
                 [[cluster.hall]]\nconfig = \"{second}.toml\"\nstandby = true\n",
                nats.address()
            );
            std::fs::write(folder.path().join(format!("{owner}.toml")), text).unwrap();
        }
        Some(Site { folder, database, nats, mosquitto })
    }

    pub(crate) fn owner(&self, name: &str) -> Owner {
        Owner::start(&self.folder.path().join(format!("{name}.toml")))
    }

    /// Sequences of the hub's rows in the log of the hall, in its order.
    pub(crate) async fn logged(&self) -> Vec<u64> {
        let rows = self.log().await.into_iter().filter(|input| input.kind == InputKind::Row);
        rows.map(|row| Row::decode(&row.payload[..]).unwrap().sequence).collect()
    }

    /// Keys of the acts in the log that an [`act`] has sent.
    pub(crate) async fn acts(&self) -> Vec<String> {
        let acts = self.log().await.into_iter().filter(|input| input.kind == InputKind::Act);
        let keys = acts.map(|act| {
            let act: Value = serde_json::from_slice(&act.payload).unwrap();
            act["source"]["key"].as_str().unwrap_or_default().to_owned()
        });
        keys.filter(|key| key.starts_with("act ")).collect()
    }

    /// Another owner takes the hall, and is gone again three seconds later.
    pub(crate) async fn lose_lease(&self) {
        let taken = "UPDATE event.shard SET epoch = epoch + 1, owner = 'other', \
                     lease_until = clock_timestamp() + interval '3 seconds' WHERE name = 'hall'";
        self.database.query(taken).await;
    }

    async fn log(&self) -> Vec<Input> {
        let config = Config::load(&self.folder.path().join("hall.toml")).unwrap();
        let store = Store::open_existing(config.log_place().unwrap()).await.unwrap();
        let inputs = store.read(0).await.unwrap();
        store.close().await;
        inputs
    }
}

/// Sends an act with the same key until it is answered.
pub(crate) async fn act(phone: &Phone, key: &str, deed: Value) -> Vec<StatusCode> {
    let deadline = Instant::now() + 3 * PATIENCE;
    let mut answers = Vec::new();
    loop {
        let (status, answer) =
            phone.post("/api/v1/td/acts", &json!({ "key": key, "deed": deed })).await;
        answers.push(status);
        if status.is_success() {
            return answers;
        }
        assert!(status.is_server_error() && Instant::now() < deadline, "{status}: {answer}");
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL, Mosquitto and nats-server: cargo xtask test programs"]
async fn halls_of_an_owner_that_is_gone_go_on_with_the_other_one() {
    let Some(site) = Site::open().await else { return };
    let mut first = site.owner("a");
    let mut second = site.owner("b");
    let front = Front::start(site.folder.path(), &site.nats).await;
    let mut hub = Hub::connect(site.mosquitto.port, "north", 7, &["1"]).await;
    let script = scholars_mate("1", "m1");
    hub.send_until_committed(&script.rows[..6]).await;
    front.until("/api/v1/matches/m1", "match", |it| it["plies"][1].is_object()).await;
    let chief = Phone::paired(&front.http, "Ann", "chief", json!({})).await;
    act(&chief, "one", json!({ "of": "show", "table": "1" })).await;
    let mut seen = follow(&front.http, "m1");
    until_followed(&mut seen, "first plies", |seen| seen.plies.len() == 2).await;
    first.kill();
    let began = Instant::now();
    let shown = front.until("/api/v1/round", "the table", |it| it["tables"][0].is_object()).await;
    assert_eq!(shown["tables"][0]["on_stream"], true, "the pages are there meanwhile");
    act(&chief, "two", json!({ "of": "show", "table": null })).await;
    println!("an act is answered {:?} after its owner was killed", began.elapsed());
    hub.send_until_committed(&script.rows).await;
    let all = support::SCHOLARS_MATE.len();
    let followed = until_followed(&mut seen, "all plies", |seen| seen.plies.len() == all).await;
    assert_eq!((followed.resets, followed.streams), (0, 1), "the page's stream never ended");
    let expected: Vec<u64> = script.rows.iter().map(|row| row.sequence).collect();
    assert_eq!(site.logged().await, expected, "every row once, and in order");
    // A page that comes to another front goes on there.
    let other = Front::start(site.folder.path(), &site.nats).await;
    let round = front.until("/api/v1/round", "no table on the stream", |it| {
        it["tables"][0]["on_stream"].is_null()
    });
    let round = round.await;
    front.stop().await;
    let of_other = other.until("/api/v1/round", "round", |it| it["tables"][0].is_object()).await;
    assert_eq!(of_other["last_event_id"], round["last_event_id"]);
    other.stop().await;
    second.stop();
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL, Mosquitto and nats-server: cargo xtask test programs"]
async fn an_owner_with_a_stale_epoch_and_a_database_that_is_down_lose_nothing() {
    let Some(mut site) = Site::open().await else { return };
    let mut owner = site.owner("a");
    let front = Front::start(site.folder.path(), &site.nats).await;
    let mut hub = Hub::connect(site.mosquitto.port, "north", 7, &["1"]).await;
    let script = scholars_mate("1", "m1");
    hub.send_until_committed(&script.rows[..6]).await;
    let chief = Phone::paired(&front.http, "Ann", "chief", json!({})).await;
    site.lose_lease().await;
    let refused = act(&chief, "one", json!({ "of": "show", "table": "1" })).await;
    assert!(refused.len() > 1, "the owner without a lease answers no act: {refused:?}");
    hub.send_until_committed(&script.rows[..8]).await;
    site.database.kill();
    let (status, answer) = chief
        .post("/api/v1/td/acts", &json!({ "key": "two", "deed": { "of": "show", "table": null } }))
        .await;
    assert!(status.is_server_error() && answer["error"].is_string(), "{status}: {answer}");
    hub.send(&script.rows[8..]).await;
    site.database.go_on().await;
    act(&chief, "two", json!({ "of": "show", "table": null })).await;
    hub.send_until_committed(&script.rows).await;
    let expected: Vec<u64> = script.rows.iter().map(|row| row.sequence).collect();
    assert_eq!(site.logged().await, expected, "every row once, and in order");
    front.stop().await;
    owner.stop();
}
