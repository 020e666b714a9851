//! What the integration tests share: a real broker, and an adjudicator reduced to its bookkeeping.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use prost::Message as _;
use proto::mqtt::decode_rows;
use proto::mqtt::message::{Ack, AdjudicatorState, HubState, Row};
use rumqttc::{AsyncClient, Event, MqttOptions, Packet, PublishOptions, QoS};
use tokio::task::JoinHandle;

/// How long tests wait for what must happen.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Waits until `condition` holds; panics with `what` when it does not in time.
pub async fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while !condition() {
        assert!(tokio::time::Instant::now() < deadline, "waited in vain: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A Mosquitto of our own on a free port; killed when dropped.
pub struct Mosquitto {
    folder: tempfile::TempDir,
    pub port: u16,
    child: Option<Child>,
}

impl Mosquitto {
    /// None (and a printed line) where it is not installed; under CI that is a failure.
    pub fn start() -> Option<Mosquitto> {
        let installed =
            ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/opt/homebrew/sbin/mosquitto"]
                .into_iter()
                .any(|path| PathBuf::from(path).exists());
        if !installed {
            assert!(std::env::var_os("CI").is_none(), "mosquitto is not installed");
            println!("not run: mosquitto is not installed");
            return None;
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let folder = tempfile::tempdir().unwrap();
        let mut broker = Mosquitto { folder, port, child: None };
        broker.restart();
        Some(broker)
    }

    /// Starts it again, with nothing remembered.
    pub fn restart(&mut self) {
        self.kill();
        let file = self.folder.path().join("mosquitto.conf");
        let port = self.port;
        std::fs::write(
            &file,
            format!("listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\n"),
        )
        .unwrap();
        let path = format!(
            "/usr/sbin:/usr/local/sbin:/opt/homebrew/sbin:{}",
            std::env::var("PATH").unwrap()
        );
        let child = Command::new("mosquitto")
            .env("PATH", path)
            .arg("-c")
            .arg(&file)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        self.child = Some(child);
        for _ in 0..500 {
            if std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("mosquitto does not listen on port {port}");
    }

    /// Kills it as a power cut would.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}

impl Drop for Mosquitto {
    fn drop(&mut self) {
        self.kill();
    }
}

/// What an adjudicator has received.
#[derive(Default)]
pub struct Ledger {
    /// Committed rows, by boot in order of first appearance of their boot.
    pub rows: Vec<(u64, Row)>,
    /// Rows that came again.
    pub duplicates: usize,
    /// Births and wills of hubs.
    pub states: Vec<HubState>,
    /// How each committed row is acknowledged.
    pub manner: AckManner,
    expected: BTreeMap<u64, u64>,
}

/// What the adjudicator does when it has committed rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AckManner {
    /// Acknowledges.
    #[default]
    Once,
    /// Acknowledges twice, and once more late.
    Repeated,
    /// Says nothing.
    Silent,
}

/// An adjudicator that only keeps the books: takes the next expected row of each boot.
pub struct Adjudicator {
    pub ledger: Arc<Mutex<Ledger>>,
    client: AsyncClient,
    task: JoinHandle<()>,
    shard: String,
}

impl Adjudicator {
    pub fn start(port: u16, shard: &str, id: &str) -> Adjudicator {
        let mut options = MqttOptions::new(format!("adjudicator-{id}"), ("127.0.0.1", port));
        options.set_max_packet_size(1 << 20, 1 << 20);
        let (client, mut event_loop) = AsyncClient::builder(options).capacity(100).build();
        let ledger = Arc::new(Mutex::new(Ledger::default()));
        let (books, publisher) = (Arc::clone(&ledger), client.clone());
        let (hubs, id) = (format!("twinboard/1/{shard}/hub"), id.to_owned());
        let task = tokio::spawn(async move {
            loop {
                match event_loop.poll().await {
                    Ok(Event::Incoming(Packet::ConnAck(_))) => {
                        for leaf in ["rows", "state"] {
                            publisher
                                .try_subscribe(format!("{hubs}/+/{leaf}"), QoS::AtLeastOnce)
                                .unwrap();
                        }
                        let state = AdjudicatorState { online: true, since_us: 1, rehearsal: None }
                            .encode_to_vec();
                        let topic = format!("twinboard/1/adjudicator/{id}/state");
                        publisher
                            .try_publish(topic, state, PublishOptions::at_least_once().retained())
                            .unwrap();
                    }
                    Ok(Event::Incoming(Packet::Publish(message))) => {
                        for ack in books
                            .lock()
                            .unwrap()
                            .take(str::from_utf8(&message.topic).unwrap(), &message.payload)
                        {
                            let topic = format!("{hubs}/{}/ack", ack.hub_id);
                            let ack = ack.encode_to_vec();
                            // A full channel loses an acknowledgement: the hub must live with that.
                            drop(publisher.try_publish(
                                topic,
                                ack,
                                PublishOptions::at_least_once().retained(),
                            ));
                        }
                    }
                    Ok(_) => {}
                    Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
                }
            }
        });
        Adjudicator { ledger, client, task, shard: shard.to_owned() }
    }

    pub fn manner(&self, manner: AckManner) {
        self.ledger.lock().unwrap().manner = manner;
    }

    /// Acknowledges everything that is committed.
    pub async fn acknowledge(&self, hub_id: &str) {
        let acks: Vec<Ack> = self.ledger.lock().unwrap().acks(hub_id);
        for ack in acks {
            let topic = format!("twinboard/1/{}/hub/{hub_id}/ack", self.shard);
            self.client
                .publish(topic, ack.encode_to_vec(), PublishOptions::at_least_once().retained())
                .await
                .unwrap();
        }
    }

    pub fn row_count(&self) -> usize {
        self.ledger.lock().unwrap().rows.len()
    }
}

impl Drop for Adjudicator {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Ledger {
    fn acks(&self, hub_id: &str) -> Vec<Ack> {
        let ack = |(&boot_id, &next): (&u64, &u64)| Ack {
            hub_id: hub_id.to_owned(),
            boot_id,
            sequence: next - 1,
            store_id: "store".to_owned(),
        };
        self.expected.iter().map(ack).collect()
    }

    fn take(&mut self, topic: &str, payload: &[u8]) -> Vec<Ack> {
        if topic.ends_with("/state") {
            self.states.push(HubState::decode(payload).unwrap());
            return Vec::new();
        }
        let rows = decode_rows(payload).unwrap().rows;
        let next = self.expected.entry(rows.boot_id).or_insert(1);
        for row in rows.rows {
            if row.sequence == *next {
                *next += 1;
                self.rows.push((rows.boot_id, row));
            } else if row.sequence < *next {
                self.duplicates += 1;
            }
        }
        let ack = Ack {
            hub_id: rows.hub_id,
            boot_id: rows.boot_id,
            sequence: *next - 1,
            store_id: "store".to_owned(),
        };
        let late = Ack { sequence: ack.sequence / 2, ..ack.clone() };
        match self.manner {
            AckManner::Once => vec![ack],
            AckManner::Repeated => vec![ack.clone(), ack, late],
            AckManner::Silent => Vec::new(),
        }
    }
}
