//! Two owners of two halls on one PostgreSQL: one of them is gone, one has lost its lease, the database is down. Pages and acts come through a
//! front, and hubs through Mosquitto. Owners are processes of their own, with lines of their own to the servers.

use std::{
    io::Read as _,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use adjudicator::{
    Config, halls,
    log::{
        Store,
        input::{Input, InputKind},
    },
};
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use prost::Message as _;
use proto::mqtt::message::Row;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{
    broker::Mosquitto,
    cluster::{Front, follow, nats::Nats, until_followed},
    description::check,
    lines::{Carries, TestLine},
    phone::{Phone, TOKEN},
    postgresql::test_server::{SOCKET, TestServer},
    support::{self, Hub, scholars_mate},
};

/// Names of the owners, and of the front beside them.
pub(crate) const OWNERS: [&str; 2] = ["a", "b"];
const FRONT: &str = "front";
/// Environment variable with the configuration of the owner that a process is.
const OWNED: &str = "TWINBOARD_TEST_OWNER";

/// The test that is the process of an owner, where one is asked for. It ends with its standard input.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "is the process of an owner in other tests"]
async fn the_process_of_an_owner() {
    let Some(file) = std::env::var_os(OWNED) else { return };
    let shutdown = CancellationToken::new();
    let stop = shutdown.clone();
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        stop.cancel();
    });
    halls::serve(Config::load(Path::new(&file)).unwrap(), shutdown).await.unwrap();
}

/// The process of an owner.
pub(crate) struct Owner(Child);

impl Owner {
    /// The owner of the halls that a file names.
    fn start(file: &Path) -> Owner {
        let mut program = Command::new(std::env::current_exe().unwrap());
        program.args(["--exact", "owners::the_process_of_an_owner", "--ignored"]);
        program.env(OWNED, file).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Owner(program.spawn().unwrap())
    }

    /// Ends it at once, frozen or not.
    pub(crate) fn kill(&mut self) {
        // It may have ended before.
        let _ = self.0.kill();
        self.0.wait().unwrap();
    }

    /// Stops it as its service does.
    pub(crate) fn stop(&mut self) {
        drop(self.0.stdin.take());
        self.0.wait().unwrap();
    }

    pub(crate) fn freeze(&self) {
        self.signal(Signal::SIGSTOP);
    }

    pub(crate) fn thaw(&self) {
        self.signal(Signal::SIGCONT);
    }

    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.0.id().cast_signed()), signal).unwrap();
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The lines of an owner or a front.
pub(crate) struct TestLines {
    nats: Vec<TestLine>,
    database: Vec<TestLine>,
}

/// Halls on a database, with the brokers between.
pub(crate) struct Site {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) database: TestServer,
    /// The database's standby, where it has one.
    standby: Option<TestServer>,
    pub(crate) nats: Vec<Nats>,
    pub(crate) mosquitto: Mosquitto,
    lines: [(&'static str, TestLines); 3],
    nats_of_front: Vec<String>,
}

impl Site {
    /// A site with one server of each kind. None where Mosquitto is not installed.
    pub(crate) async fn open() -> Option<Site> {
        Site::of(vec![Nats::start()], false).await
    }

    /// A site with three NATS servers, and a database with a standby.
    pub(crate) async fn redundant() -> Option<Site> {
        Site::of(Nats::three(), true).await
    }

    async fn of(nats: Vec<Nats>, has_standby: bool) -> Option<Site> {
        let mosquitto = Mosquitto::start()?;
        let folder = tempfile::tempdir().unwrap();
        let database = TestServer::start().await;
        let direct = database.address("event").await;
        let mut standby = None;
        if has_standby {
            standby = Some(TestServer::standby_of(&database).await);
        }
        adjudicator::pki::secrets::write(&folder.path().join("td-token"), TOKEN).unwrap();
        let hall = |name: &str, shard: &str, url: &str| {
            let port = mosquitto.port;
            let text = format!(
                "[http]\naddress = \"127.0.0.1:0\"\ntd_token_file = \"td-token\"\n[store]\nurl = {url:?}\n\
                 [broker]\nmode = \"external\"\naddress = \"127.0.0.1:{port}\"\nshard = {shard:?}\n"
            );
            std::fs::write(folder.path().join(format!("{name}.toml")), text).unwrap();
        };
        hall("hall", "hall", &direct);
        let servers: Vec<&TestServer> = [&database].into_iter().chain(&standby).collect();
        let mut lines = Vec::new();
        let mut nats_of_front = Vec::new();
        for name in [OWNERS[0], OWNERS[1], FRONT] {
            let mut own = TestLines { nats: Vec::new(), database: Vec::new() };
            let (mut addresses, mut folders) = (Vec::new(), Vec::new());
            for server in &nats {
                let (line, port) = TestLine::to_port(server.port()).await;
                own.nats.push(line);
                addresses.push(format!("nats://127.0.0.1:{port}"));
            }
            if name == FRONT {
                nats_of_front = addresses;
                lines.push((name, own));
                continue;
            }
            for (index, server) in servers.iter().enumerate() {
                let at = folder.path().join(format!("{name}{index}"));
                std::fs::create_dir(&at).unwrap();
                own.database.push(TestLine::to_socket(&at.join(SOCKET), server.socket()));
                folders.push(at.display().to_string());
            }
            let url = TestServer::address_at(&folders.join(","), "event");
            // The database knows by this who writes.
            let url = format!("{url}&options[twinboard.owner]={name}");
            let [first, second] =
                if name == OWNERS[0] { ["hall", "south"] } else { ["south", "hall"] };
            for shard in [first, second] {
                hall(&format!("{shard}-{name}"), shard, &url);
            }
            let text = format!(
                "[cluster]\nevent = \"open.2026\"\nnats = {addresses:?}\n[[cluster.hall]]\nconfig = \"{first}-{name}.toml\"\n\
                 [[cluster.hall]]\nconfig = \"{second}-{name}.toml\"\nstandby = true\n"
            );
            std::fs::write(folder.path().join(format!("{name}.toml")), text).unwrap();
            lines.push((name, own));
        }
        let lines = lines.try_into().ok().expect("three");
        Some(Site { folder, database, standby, nats, mosquitto, lines, nats_of_front })
    }

    pub(crate) fn owner(&self, name: &str) -> Owner {
        Owner::start(&self.folder.path().join(format!("{name}.toml")))
    }

    pub(crate) async fn front(&self) -> Front {
        Front::at(self.folder.path(), &self.nats_of_front).await
    }

    /// The line of an owner to the database carries so much from now on.
    pub(crate) fn to_database(&self, owner: usize, carries: Carries) {
        self.lines[owner].1.database.iter().for_each(|line| line.set(carries));
    }

    /// The same of a line to NATS; the third is the front's.
    pub(crate) fn to_nats(&self, from: usize, carries: Carries) {
        self.lines[from].1.nats.iter().for_each(|line| line.set(carries));
    }

    /// The database is killed, and its standby takes its place. False: it has none, or that one has it already.
    pub(crate) async fn fail_over(&mut self) -> bool {
        let Some(standby) = self.standby.take() else { return false };
        self.database.kill();
        standby.query("SELECT pg_promote()").await;
        self.database = standby;
        let url = self.database.address("event").await;
        let hall = self.folder.path().join("hall.toml");
        let text = std::fs::read_to_string(&hall).unwrap();
        let of = |line: &str| match line.starts_with("url = ") {
            true => format!("url = {url:?}\n"),
            false => format!("{line}\n"),
        };
        std::fs::write(&hall, text.lines().map(of).collect::<String>()).unwrap();
        true
    }

    /// From now on the database notes who moves a log on, and in which epoch.
    pub(crate) async fn note_writers(&self) {
        let noted = "CREATE TABLE event.written (epoch BIGINT, owner TEXT); \
            CREATE FUNCTION event.note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
            INSERT INTO event.written VALUES (NEW.epoch, current_setting('twinboard.owner')); RETURN NEW; END $$; \
            CREATE TRIGGER note AFTER UPDATE ON event.shard FOR EACH ROW \
            WHEN (NEW.name = 'hall' AND NEW.last_id <> OLD.last_id) EXECUTE FUNCTION event.note()";
        self.database.query(noted).await;
    }

    /// Fails where two owners have written in one epoch.
    pub(crate) async fn each_epoch_has_one_writer(&self) {
        let one = "DO $$ BEGIN ASSERT EXISTS (SELECT FROM event.written) AND NOT EXISTS (SELECT FROM event.written \
            GROUP BY epoch HAVING COUNT(DISTINCT owner) > 1), 'two owners wrote in one epoch'; END $$";
        self.database.query(one).await;
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

/// Longest wait for an answer or an acknowledgement while programs and lines are down.
pub(crate) const LONG_PATIENCE: Duration = Duration::from_secs(90);

/// Sends an act with the same key until it is answered.
pub(crate) async fn act(phone: &Phone, key: &str, deed: Value) -> Vec<StatusCode> {
    let deadline = Instant::now() + LONG_PATIENCE;
    let mut answers = Vec::new();
    loop {
        let sent = json!({ "key": key, "deed": deed });
        let request = phone.client.post(format!("{}/api/v1/td/acts", phone.http)).json(&sent);
        let answer = phone.signed(request).send().await;
        // A connection that was kept may be closed at its other end just now, as a browser knows.
        let Ok(answer) = answer else {
            assert!(Instant::now() < deadline, "{answer:?}");
            continue;
        };
        let (status, answer) = (answer.status(), answer.json().await.unwrap_or(Value::Null));
        check(&Method::POST, "/api/v1/td/acts", Some(&sent), (status, &answer));
        answers.push(status);
        if status.is_success() {
            return answers;
        }
        assert!(status.is_server_error() && Instant::now() < deadline, "{status}: {answer}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL, Mosquitto and nats-server: cargo xtask test programs"]
async fn halls_of_an_owner_that_is_gone_go_on_with_the_other_one() {
    let Some(site) = Site::open().await else { return };
    let mut first = site.owner("a");
    let mut second = site.owner("b");
    let front = site.front().await;
    let mut hub = Hub::connect(site.mosquitto.port, "north", 7, &["1"]).await;
    let script = scholars_mate("1", "m1");
    hub.send_until_committed(&script.rows[..6]).await;
    front.until("/api/v1/matches/m1", "match", |it| it["plies"][1].is_object()).await;
    let chief = Phone::paired(&front.http, "Ann", "chief", json!({})).await;
    act(&chief, "one", json!({ "of": "show", "table": "1" })).await;
    let mut seen = follow(&front.http, "m1");
    until_followed(&mut seen, "first plies", |seen| seen.plies.len() == 2).await;
    let halls = front.until("/api/v1/halls", "both halls", |it| it["halls"][1].is_object()).await;
    check(&Method::GET, "/api/v1/halls", None, (StatusCode::OK, &halls));
    let of_hall = |halls: &Value| {
        let [hall, south] = [&halls["halls"][0], &halls["halls"][1]];
        assert_eq!((&hall["hall"], &south["hall"]), (&json!("hall"), &json!("south")));
        (hall["owner"] == "connected", hall["tables"]["playing"].clone(), south["tables"].clone())
    };
    assert_eq!(of_hall(&halls), (true, json!(1), json!({})));
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
    let other = site.front().await;
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
    let front = site.front().await;
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
