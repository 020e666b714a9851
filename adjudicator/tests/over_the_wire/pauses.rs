//! Pauses of the runtime: the longest one is measured while every expensive request runs at once.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use proto::mqtt::message::{NodeState, NodeStateChanged, row::Event};
use serde_json::json;

use crate::{
    phone::{self, Phone},
    support::{self, Hub, PATIENCE, Script, Server, scholars_mate},
};

/// Matches that were played, nine plies each.
const MATCHES: usize = 60;
/// Interval of the clocks.
const LOOK_EVERY: Duration = Duration::from_millis(2);
/// A pause is longer than this or none: a build that is not optimised, on a machine that does other work.
const PAUSE: Duration = Duration::from_millis(250);

/// Requests of strangers, one after the other.
const PATHS: [&str; 16] = [
    "/",
    "/table/1",
    "/match/m1",
    "/nothing",
    "/healthz",
    "/api/v1/round",
    "/api/v1/matches",
    "/api/v1/matches/m1",
    "/api/v1/matches/m1.bpgn",
    "/api/v1/matches/m1.replay.html",
    "/api/v1/event",
    "/api/v1/event.bpgn",
    "/api/v1/standings?section=x",
    "/api/v1/openapi.json",
    "/api/v1/td/needs",
    "/api/v1/td/live",
];

/// The longest delay.
#[derive(Clone, Default)]
pub(crate) struct Longest(Arc<AtomicU64>);

impl Longest {
    fn note(&self, since: Instant) {
        let late = since.elapsed().saturating_sub(LOOK_EVERY);
        self.0.fetch_max(late.as_micros() as u64, Ordering::Relaxed);
    }

    /// The longest until now; it begins again.
    pub(crate) fn take(&self) -> Duration {
        Duration::from_micros(self.0.swap(0, Ordering::Relaxed))
    }
}

/// Measures the runtime, and the machine by a thread that does nothing else.
pub(crate) fn clocks() -> (Longest, Longest) {
    let (of_runtime, of_machine) = (Longest::default(), Longest::default());
    let (runtime, machine) = (of_runtime.clone(), of_machine.clone());
    tokio::spawn(async move {
        loop {
            let since = Instant::now();
            tokio::time::sleep(LOOK_EVERY).await;
            runtime.note(since);
        }
    });
    thread::spawn(move || {
        loop {
            let since = Instant::now();
            thread::sleep(LOOK_EVERY);
            machine.note(since);
        }
    });
    (of_runtime, of_machine)
}

/// Measures the threads that serve pages: by answers about nothing, one after the other until the server stops.
pub(crate) fn clock_of_pages(server: &Server) -> Longest {
    let (longest, url) = (Longest::default(), format!("{}/nothing", server.http));
    let noted = longest.clone();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let client = reqwest::Client::new();
            loop {
                let since = Instant::now();
                tokio::time::sleep(LOOK_EVERY).await;
                let Ok(answer) = client.get(&url).send().await else { return };
                let _ = answer.bytes().await;
                noted.note(since);
            }
        });
    });
    longest
}

/// Asks for something on a thread of its own; how long it takes.
async fn ask(url: String) -> Duration {
    tokio::task::spawn_blocking(move || {
        let since = Instant::now();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let answer = runtime.block_on(async { reqwest::get(url).await.unwrap().bytes().await });
        assert!(!answer.unwrap().is_empty());
        since.elapsed()
    })
    .await
    .unwrap()
}

/// Requests all paths again and again as an unknown device, until it is stopped.
fn ask_for_everything(server: &Server, stop: Arc<AtomicBool>) -> thread::JoinHandle<u32> {
    let http = server.http.clone();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            let (client, mut asked) = (reqwest::Client::new(), 0);
            for path in PATHS.iter().cycle() {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let request = client.get(format!("{http}{path}"));
                let answer = request.header("cookie", "twinboard-td=1.x").send().await.unwrap();
                let _ = answer.bytes().await.unwrap();
                asked += 1;
            }
            asked
        })
    })
}

#[tokio::test]
async fn an_archive_and_a_loop_of_requests_keep_neither_rows_nor_pages_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(support::config(folder.path())).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    let mut rows = Vec::new();
    for number in 1..=MATCHES {
        for mut row in scholars_mate("1", &format!("m{number}")).rows {
            row.sequence = rows.len() as u64 + 1;
            rows.push(row);
        }
    }
    for part in rows.chunks(50) {
        hub.send_until_committed(part).await;
    }
    let last = format!("/api/v1/matches/m{MATCHES}");
    server
        .until(&last, "all plies", |it| it["plies"].as_array().is_some_and(|it| it.len() == 9))
        .await;
    let archive = format!("{}/api/v1/event.zip", server.http);
    let alone = ask(archive.clone()).await;

    let (of_runtime, of_machine) = clocks();
    let stop = Arc::new(AtomicBool::new(false));
    let crowd = ask_for_everything(&server, stop.clone());
    let archives = [ask(archive.clone()), ask(archive)].map(tokio::spawn);
    tokio::time::sleep(alone / 4).await;
    let page = ask(format!("{}/api/v1/matches/m1", server.http)).await;
    // Rows come meanwhile: their application must wait for no reader.
    let since = Instant::now();
    let mut script = scholars_mate("2", "n1").rows;
    for (at, row) in script.iter_mut().enumerate() {
        row.sequence = (rows.len() + at) as u64 + 1;
    }
    for row in &script {
        hub.send_until_committed(std::slice::from_ref(row)).await;
    }
    let acknowledged = since.elapsed() / u32::try_from(script.len()).unwrap();
    server.until("/api/v1/matches/n1", "a match", |it| it["plies"].is_array()).await;
    let shown = since.elapsed();
    for archive in archives {
        archive.await.unwrap();
    }
    stop.store(true, Ordering::Relaxed);
    let asked = tokio::task::spawn_blocking(|| crowd.join().unwrap()).await.unwrap();
    let (runtime, machine) = (of_runtime.take(), of_machine.take());
    eprintln!(
        "archive alone {alone:?}; beside it and {asked} requests: longest pause {runtime:?} (machine {machine:?}), a row \
         {acknowledged:?}, {} rows shown after {shown:?}, a match {page:?}",
        script.len()
    );
    assert!(asked > 0);
    assert!(runtime < PAUSE + 4 * machine, "{runtime:?} beside {machine:?}");
    assert!(page < alone + PAUSE, "a page waits behind no archive: {page:?} of {alone:?}");
    server.stop().await;
}

#[tokio::test]
async fn what_waits_for_a_director_is_sent_at_once_after_a_quiet_while() {
    /// The pause between two looks of a busy hall.
    const LOOK: Duration = Duration::from_millis(200);
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(phone::config(folder.path())).await;
    let ann = Phone::paired(&server, "Ann", "chief", json!({})).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    let mut script = Script::new("1", "m1");
    hub.send_until_committed(&script.rows).await;
    let mut stream = ann.get("/api/v1/td/live").await;
    let mut best = Duration::MAX;
    // The best of some: on a busy machine one of them may take any time.
    for number in 0..5 {
        let quiet = tokio::time::Instant::now() + 3 * LOOK;
        while tokio::time::timeout_at(quiet, stream.chunk()).await.is_ok() {}
        let detail = format!("switch {number} flickers");
        script.push(Event::NodeStateChanged(NodeStateChanged {
            node_id: format!("node-{number}"),
            board: None,
            state: NodeState::Faulty as i32,
            detail: detail.clone(),
        }));
        let since = Instant::now();
        hub.send(&script.rows[script.rows.len() - 1..]).await;
        let mut sent = String::new();
        while !sent.contains(&detail) {
            let part = tokio::time::timeout(PATIENCE, stream.chunk()).await.expect("news");
            sent.push_str(&String::from_utf8_lossy(&part.unwrap().expect("a stream")));
        }
        best = best.min(since.elapsed());
    }
    assert!(best < LOOK, "{best:?}");
    server.stop().await;
}
