//! The uplink against a real broker that is killed, and an adjudicator that stutters.

mod support;

use std::time::{Duration, Instant};

use hub::config::Broker;
use hub::journal::{Entry, Journal, JournalError, JournalOptions, Opened, OutgoingEvent, Reader};
use hub::liveness::Liveness;
use hub::uplink::{self, UplinkOptions};
use hub::{HubClock, HubTime};
use proto::mqtt::message::PlyRetracted;
use proto::mqtt::message::row::Event;
use support::{AckManner, Adjudicator, Mosquitto, eventually};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

const HUB: &str = "hub-1";
/// Longest time until a journal is closed.
const CLOSED_MAX: Duration = Duration::from_secs(10);

/// A journal with an uplink.
struct Rig {
    folder: tempfile::TempDir,
    port: u16,
    journal: Option<Journal>,
    reader: Option<Reader>,
    stop: CancellationToken,
    uplink: Option<JoinHandle<()>>,
    writer: Option<JoinHandle<()>>,
    requests: Option<mpsc::Receiver<hub::ports::NodeRequest>>,
    written: u32,
}

impl Rig {
    async fn new(port: u16) -> Rig {
        let mut rig = Rig {
            folder: tempfile::tempdir().unwrap(),
            port,
            journal: None,
            reader: None,
            stop: CancellationToken::new(),
            uplink: None,
            writer: None,
            requests: None,
            written: 0,
        };
        rig.start().await;
        rig
    }

    async fn start(&mut self) {
        let liveness = Liveness::default();
        let options = || JournalOptions {
            file: self.folder.path().join("hub.sqlite"),
            hub_id: HUB.to_owned(),
            keep_matches: 10,
            now: HubClock::real().now(),
            heartbeat: liveness.task("journal"),
        };
        // The readers of the hub before close their connections on a thread of their own.
        let begun = Instant::now();
        let Opened { journal, reader, writer, .. } = loop {
            match Journal::open(options()).await {
                Err(JournalError::InUse { .. }) if begun.elapsed() < CLOSED_MAX => {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
                opened => break opened.unwrap(),
            }
        };
        let (requests, receiver) = mpsc::channel(4);
        let options = UplinkOptions {
            hub_id: HUB.to_owned(),
            broker: Broker {
                host: "127.0.0.1".to_owned(),
                port: self.port,
                shard: "main".to_owned(),
                login: None,
                encryption: None,
            },
            tables: vec!["1".to_owned()],
            acknowledgement_timeout: Duration::from_secs(1),
            journal: journal.clone(),
            reader: reader.clone(),
            requests,
            orders: std::collections::BTreeMap::new(),
            placings: mpsc::channel(1).0,
            updates: tokio::sync::mpsc::channel(1).0,
            report: tokio::sync::watch::channel(delivery::HubReport::default()).1,
            heartbeat: liveness.task("uplink"),
            rehearsals: Some(tokio::sync::watch::channel(None).0),
        };
        self.stop = CancellationToken::new();
        let stop = self.stop.clone();
        self.uplink = Some(tokio::spawn(async move { uplink::run(options, stop).await.unwrap() }));
        (self.journal, self.reader, self.writer) = (Some(journal), Some(reader), Some(writer));
        self.requests = Some(receiver);
    }

    async fn write(&mut self, count: u32) {
        for n in self.written..self.written + count {
            let event = PlyRetracted { match_id: "m".to_owned(), ply_id: n, t_us: 0 };
            let row = OutgoingEvent {
                at: HubTime::from_micros(n.into()),
                event: Event::PlyRetracted(event),
            };
            let entry = Entry { table: "1".to_owned(), rows: vec![row], ..Entry::default() };
            self.journal.as_ref().unwrap().write(entry).await.unwrap();
        }
        self.written += count;
    }

    async fn waiting_in_journal(&self) -> usize {
        self.journal.as_ref().unwrap().flush().await.unwrap();
        self.reader.as_ref().unwrap().rows_after(0, 100_000).await.unwrap().len()
    }

    async fn stop(&mut self) {
        self.stop.cancel();
        self.uplink.take().unwrap().await.unwrap();
        (self.journal, self.reader) = (None, None);
        self.writer.take().unwrap().await.unwrap();
    }
}

fn assert_all_in_order(adjudicator: &Adjudicator, count: u32) {
    let ledger = adjudicator.ledger.lock().unwrap();
    let id = |row: &proto::mqtt::message::Row| match &row.event {
        Some(Event::PlyRetracted(event)) => event.ply_id,
        other => panic!("{other:?}"),
    };
    let ids: Vec<u32> = ledger.rows.iter().map(|(_, row)| id(row)).collect();
    assert_eq!(ids, (0..count).collect::<Vec<_>>());
}

#[tokio::test]
#[ignore = "needs Mosquitto: cargo xtask test programs"]
async fn rows_survive_a_broker_that_is_killed_in_the_middle() {
    let Some(mut broker) = Mosquitto::start() else { return };
    let adjudicator = Adjudicator::start(broker.port, "main", "a");
    let mut rig = Rig::new(broker.port).await;
    for round in 1..=3 {
        rig.write(200).await;
        eventually("some rows arrive", || adjudicator.row_count() > (round - 1) * 400).await;
        broker.kill();
        rig.write(200).await;
        broker.restart();
    }
    eventually("all rows arrive", || adjudicator.row_count() == 1_200).await;
    assert_all_in_order(&adjudicator, 1_200);
    while rig.waiting_in_journal().await > 0 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    rig.stop().await;
}

#[tokio::test]
#[ignore = "needs Mosquitto: cargo xtask test programs"]
async fn rows_are_freed_only_when_the_adjudicator_has_them() {
    let Some(broker) = Mosquitto::start() else { return };
    let adjudicator = Adjudicator::start(broker.port, "main", "a");
    adjudicator.manner(AckManner::Silent);
    let mut rig = Rig::new(broker.port).await;
    rig.write(50).await;
    eventually("the rows arrive", || adjudicator.row_count() == 50).await;
    let births = || adjudicator.ledger.lock().unwrap().states.iter().filter(|s| s.online).count();
    eventually("the client is built anew when acknowledgements stop", || births() >= 2).await;
    let again = || adjudicator.ledger.lock().unwrap().duplicates > 0;
    eventually("the rows are sent again", again).await;
    assert_eq!(rig.waiting_in_journal().await, 50, "nobody has acknowledged anything");
    adjudicator.manner(AckManner::Repeated);
    adjudicator.acknowledge(HUB).await;
    rig.write(50).await;
    eventually("the rest arrives", || adjudicator.row_count() == 100).await;
    while rig.waiting_in_journal().await > 0 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_all_in_order(&adjudicator, 100);
    rig.stop().await;
}

#[tokio::test]
#[ignore = "needs Mosquitto: cargo xtask test programs"]
async fn a_restarted_hub_sends_what_the_last_one_left_and_says_hello_and_goodbye() {
    let Some(broker) = Mosquitto::start() else { return };
    let mut rig = Rig::new(broker.port).await;
    rig.write(700).await;
    rig.stop().await;
    rig.start().await;
    rig.write(300).await;
    let adjudicator = Adjudicator::start(broker.port, "main", "a");
    eventually("all rows arrive", || adjudicator.row_count() == 1_000).await;
    assert_all_in_order(&adjudicator, 1_000);
    rig.stop().await;
    let said_goodbye =
        || adjudicator.ledger.lock().unwrap().states.last().is_some_and(|s| !s.online);
    eventually("the hub says goodbye", said_goodbye).await;
    let ledger = adjudicator.ledger.lock().unwrap();
    assert!(ledger.states.iter().any(|state| state.online && state.tables == ["1"]));
    let boots: std::collections::BTreeSet<u64> =
        ledger.rows.iter().map(|(boot, _)| *boot).collect();
    assert_eq!(boots.len(), 2);
}
