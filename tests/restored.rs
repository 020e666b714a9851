//! A hub's rows and an adjudicator whose database is set back, or replaced: what the hub still has comes again, in order and once; what
//! it no longer has is noted as lost.

use std::path::{Path, PathBuf};
use std::time::Duration;

use adjudicator::log::{input::InputKind, sqlite::Store};
use hub::config::Broker;
use hub::journal::{Entry, Journal, JournalOptions, Opened, OutgoingEvent};
use hub::liveness::Liveness;
use hub::uplink::{self, UplinkOptions};
use hub::{HubClock, HubTime};
use prost::Message as _;
use proto::mqtt::message::{PlyRetracted, Row, row::Event};
use sqlx::ConnectOptions as _;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Longest wait for anything; a failure says what was waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// An adjudicator that can be stopped and started, at one port.
struct Server {
    config: adjudicator::Config,
    running: Option<(CancellationToken, JoinHandle<Result<(), adjudicator::TaskEnded>>)>,
}

impl Server {
    async fn new(folder: &Path) -> Server {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let mut config = adjudicator::Config::default();
        config.http.address = "127.0.0.1:0".parse().unwrap();
        config.broker.address = free.local_addr().unwrap().to_string();
        config.store.path = folder.join("event.sqlite");
        drop(free);
        let mut server = Server { config, running: None };
        server.start().await;
        server
    }

    fn port(&self) -> u16 {
        self.config.broker.address.rsplit_once(':').unwrap().1.parse().unwrap()
    }

    async fn start(&mut self) {
        let stop = CancellationToken::new();
        let running = adjudicator::start(self.config.clone(), stop.clone()).await.unwrap();
        self.running = Some((stop, tokio::spawn(running.wait())));
    }

    /// Stopped in order, so that the database is one file.
    async fn stop(&mut self) {
        let (stop, task) = self.running.take().unwrap();
        stop.cancel();
        task.await.unwrap().unwrap();
    }

    /// Puts another database, or none, in the place of the present one.
    async fn replace_store(&mut self, with: Option<&Path>) {
        self.stop().await;
        let path = &self.config.store.path;
        for suffix in ["", "-wal", "-shm"] {
            let mut file = path.as_os_str().to_owned();
            file.push(suffix);
            drop(std::fs::remove_file(PathBuf::from(file)));
        }
        if let Some(copy) = with {
            std::fs::copy(copy, path).unwrap();
        }
        self.start().await;
    }

    /// The numbers of the rows in the log, in its order; and what is noted as lost.
    async fn rows(&self) -> (Vec<u32>, Vec<String>) {
        let store = Store::open_existing(&self.config.store.path).await.unwrap();
        let inputs = store.read(0).await.unwrap();
        store.close().await;
        let number = |payload: &[u8]| match Row::decode(payload).unwrap().event {
            Some(Event::PlyRetracted(event)) => event.ply_id,
            other => panic!("{other:?}"),
        };
        let rows = inputs.iter().filter(|input| input.kind == InputKind::Row);
        let lost = inputs.iter().filter(|input| input.kind == InputKind::RowsLost);
        (
            rows.map(|input| number(&input.payload)).collect(),
            lost.map(|input| String::from_utf8(input.payload.clone()).unwrap()).collect(),
        )
    }

    async fn until_rows(&self, expected: &[u32]) -> Vec<String> {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            let (rows, lost) = self.rows().await;
            if rows == expected {
                return lost;
            }
            let has = rows.len();
            assert!(tokio::time::Instant::now() < deadline, "{has} of {} rows", expected.len());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

/// A hub's journal and uplink.
struct Hub {
    folder: PathBuf,
    port: u16,
    written: u32,
    running: Option<(Opened, CancellationToken, JoinHandle<()>)>,
    _requests: Option<mpsc::Receiver<hub::ports::NodeRequest>>,
}

impl Hub {
    async fn new(folder: &Path, port: u16) -> Hub {
        let folder = folder.to_owned();
        let mut hub = Hub { folder, port, written: 0, running: None, _requests: None };
        hub.start().await;
        hub
    }

    async fn start(&mut self) {
        let liveness = Liveness::default();
        let opened = Journal::open(JournalOptions {
            file: self.folder.join("hub.sqlite"),
            hub_id: "north".to_owned(),
            keep_matches: 10,
            now: HubClock::real().now(),
            heartbeat: liveness.task("journal"),
        })
        .await
        .unwrap();
        let (requests, receiver) = mpsc::channel(4);
        let options = UplinkOptions {
            hub_id: "north".to_owned(),
            broker: Broker {
                host: "127.0.0.1".to_owned(),
                port: self.port,
                shard: "hall".to_owned(),
                login: None,
                encryption: None,
            },
            tables: vec!["1".to_owned()],
            acknowledgement_timeout: uplink::ACKNOWLEDGEMENT_TIMEOUT,
            journal: opened.journal.clone(),
            reader: opened.reader.clone(),
            requests,
            orders: std::collections::BTreeMap::new(),
            troubles: tokio::sync::watch::channel(Vec::new()).1,
            heartbeat: liveness.task("uplink"),
        };
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let task = tokio::spawn(async move { uplink::run(options, stopped).await.unwrap() });
        self.running = Some((opened, stop, task));
        self._requests = Some(receiver);
    }

    async fn restart(&mut self) {
        self.stop().await;
        self.start().await;
    }

    async fn stop(&mut self) {
        let (opened, stop, task) = self.running.take().unwrap();
        stop.cancel();
        task.await.unwrap();
        let Opened { journal, reader, writer, .. } = opened;
        drop((journal, reader));
        writer.await.unwrap();
    }

    async fn write(&mut self, count: u32) {
        let (opened, ..) = self.running.as_ref().unwrap();
        for number in self.written..self.written + count {
            let event = PlyRetracted { match_id: "m".to_owned(), ply_id: number, t_us: 0 };
            let at = HubTime::from_micros(1_700_000_000_000_000 + u64::from(number));
            let rows = vec![OutgoingEvent { at, event: Event::PlyRetracted(event) }];
            let entry = Entry { table: "1".to_owned(), rows, ..Entry::default() };
            opened.journal.write(entry).await.unwrap();
        }
        self.written += count;
    }
}

fn up_to(end: u32) -> Vec<u32> {
    (0..end).collect()
}

#[tokio::test]
async fn a_database_that_was_restored_or_lost_gets_everything_again_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::new(folder.path()).await;
    let mut hub = Hub::new(folder.path(), server.port()).await;
    hub.write(40).await;
    server.until_rows(&up_to(40)).await;
    let backup = folder.path().join("backup.sqlite");
    server.stop().await;
    std::fs::copy(&server.config.store.path, &backup).unwrap();
    server.start().await;
    hub.write(700).await;
    server.until_rows(&up_to(740)).await;
    hub.restart().await;
    hub.write(30).await;
    server.until_rows(&up_to(770)).await;
    // Last night's backup, under a hub that runs on; then a hub that starts beside it.
    server.replace_store(Some(&backup)).await;
    hub.write(10).await;
    assert!(server.until_rows(&up_to(780)).await.is_empty());
    server.replace_store(Some(&backup)).await;
    hub.restart().await;
    assert!(server.until_rows(&up_to(780)).await.is_empty());
    // The file is gone.
    server.replace_store(None).await;
    hub.write(10).await;
    assert!(server.until_rows(&up_to(790)).await.is_empty());
    hub.stop().await;
    server.stop().await;
}

#[tokio::test]
async fn rows_that_neither_has_are_noted_and_the_hub_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::new(folder.path()).await;
    let mut hub = Hub::new(folder.path(), server.port()).await;
    hub.write(100).await;
    server.until_rows(&up_to(100)).await;
    hub.stop().await;
    let options =
        sqlx::sqlite::SqliteConnectOptions::new().filename(folder.path().join("hub.sqlite"));
    let mut journal = options.connect().await.unwrap();
    sqlx::query("DELETE FROM outgoing WHERE sequence <= 60").execute(&mut journal).await.unwrap();
    drop(journal);
    server.replace_store(None).await;
    hub.start().await;
    hub.write(20).await;
    let kept: Vec<u32> = (60..120).collect();
    let lost = server.until_rows(&kept).await;
    assert_eq!(lost.len(), 1);
    assert!(lost[0].ends_with(" 1 60"), "{lost:?}");
    hub.stop().await;
    server.stop().await;
}
