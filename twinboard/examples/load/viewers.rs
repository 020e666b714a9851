//! Viewers of a hall: pages that follow its stream, from many addresses of this machine.
//!
//! Most count bytes only, as raw as they come. Some read what they are sent and say how old it is. All say that they read gzip, as browsers do.

use std::{
    collections::HashMap,
    io::{ErrorKind, Write as _},
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use flate2::write::GzDecoder;
use futures::StreamExt as _;
use serde_json::Value;
use tokio::{
    io::AsyncWriteExt as _,
    net::{TcpSocket, TcpStream},
    runtime::{Builder, Runtime},
    task::JoinSet,
    time::Instant,
};

use crate::{Outcome, feed::Written, program::TOKEN, times::Times};

/// Viewers of one address.
const OF_ONE_ADDRESS: usize = 100;
/// Viewers of which one reads what it is sent.
const READS_ONE_IN: usize = 40;
/// Pause between two viewers that come.
const COMES_EVERY: Duration = Duration::from_millis(1);
/// Waits of a page before it asks again: the first, the longest, and the random share of each.
const RETRY_FIRST: Duration = Duration::from_millis(500);
const RETRY_MAX: Duration = Duration::from_secs(8);
const SPREAD: f64 = 0.5;
/// Shortest and longest wait of a page before it asks a restarting server again.
const RESTART_RETRY: [Duration; 2] = [Duration::from_millis(100), Duration::from_millis(500)];
/// Event of a stream before a restart of the server.
const RESTART: &[u8] = b"event: restart";

/// Observations of all viewers together.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) watching: AtomicUsize,
    pub(crate) refused: AtomicU64,
    pub(crate) bytes: AtomicU64,
    /// From a ply's way into a hub's journal to a viewer's page.
    pub(crate) ages: Mutex<Times>,
    /// Times at which viewers had news again after their lines had broken.
    pub(crate) news_again: Mutex<Vec<Instant>>,
    /// Id of the last event of any viewer.
    last_id: Mutex<String>,
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Viewers at their pages; they leave when this is dropped. They have threads of their own, because whoever measures hubs must not wait for them.
pub(crate) struct Crowd {
    running: JoinSet<()>,
    threads: Option<Runtime>,
}

impl Drop for Crowd {
    fn drop(&mut self) {
        self.running.abort_all();
        // A runtime may not be waited for on a thread of another one.
        if let Some(threads) = self.threads.take() {
            threads.shutdown_background();
        }
    }
}

/// Opens so many streams, half of them at one of these matches. `sent`: what they are sent of tables.
pub(crate) async fn come(
    port: u16,
    (streams, sent): (usize, &'static str),
    matches: &[String],
    written: &Written,
) -> Outcome<(Arc<Seen>, Crowd)> {
    let (seen, mut running) = (Arc::new(Seen::default()), JoinSet::new());
    let threads = Builder::new_multi_thread().enable_all().build()?;
    for number in 0..streams {
        let id = matches.get(number / 2 % matches.len().max(1)).filter(|_| number % 2 == 1);
        let query = id.map_or_else(String::new, |id| format!("match={id}"));
        let viewer = Viewer { from: address(number), port, sent, query, seen: seen.clone() };
        if number.is_multiple_of(READS_ONE_IN) {
            running.spawn_on(viewer.read(written.clone()), threads.handle());
        } else {
            running.spawn_on(viewer.count(), threads.handle());
        }
        tokio::time::sleep(COMES_EVERY).await;
    }
    Ok((seen, Crowd { running, threads: Some(threads) }))
}

fn address(number: usize) -> IpAddr {
    let number = number / OF_ONE_ADDRESS;
    let [high, low] = [number / 250, number % 250 + 1].map(|it| u8::try_from(it).unwrap_or(1));
    IpAddr::V4(Ipv4Addr::new(127, 1, high, low))
}

/// A page of the hall.
struct Viewer {
    from: IpAddr,
    port: u16,
    sent: &'static str,
    query: String,
    seen: Arc<Seen>,
}

impl Viewer {
    /// Follows the stream and counts its bytes.
    async fn count(self) {
        let mut attempt = 0;
        let mut is_planned = false;
        let mut is_new = true;
        loop {
            if let Ok(stream) = self.open(is_new).await {
                self.seen.watching.fetch_add(1, Ordering::Relaxed);
                let ended = self.follow(&stream, is_new).await;
                self.seen.watching.fetch_sub(1, Ordering::Relaxed);
                if let Some(planned) = ended {
                    (is_planned, attempt, is_new) = (planned, 0, false);
                }
            }
            tokio::time::sleep(retry_after(attempt, is_planned)).await;
            attempt += 1;
        }
    }

    async fn open(&self, is_new: bool) -> Outcome<TcpStream> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::new(self.from, 0))?;
        let mut stream = socket.connect(SocketAddr::from((Ipv4Addr::LOCALHOST, self.port))).await?;
        let path = self.path(is_new);
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: hall\r\nAccept: text/event-stream\r\nAccept-Encoding: gzip\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await?;
        Ok(stream)
    }

    fn path(&self, is_new: bool) -> String {
        let last = locked(&self.seen.last_id);
        let seen = if is_new { String::new() } else { format!("&last_event_id={last}") };
        format!("/api/v1/live?tables={}&{}{seen}", self.sent, self.query)
    }

    /// Returns whether the server announced a restart; `None` if it refused the stream.
    async fn follow(&self, stream: &TcpStream, is_new: bool) -> Option<bool> {
        let (mut is_planned, mut parts) = (false, 0);
        while stream.readable().await.is_ok() {
            let mut buffer = [0; 8192];
            let read = match stream.try_read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => &buffer[..read],
                Err(error) if error.kind() == ErrorKind::WouldBlock => continue,
                Err(_) => break,
            };
            self.seen.bytes.fetch_add(read.len() as u64, Ordering::Relaxed);
            is_planned |= read.windows(RESTART.len()).any(|part| part == RESTART);
            if parts == 0 && !read.starts_with(b"HTTP/1.1 200") {
                self.seen.refused.fetch_add(1, Ordering::Relaxed);
                return None;
            }
            parts += 1;
            // Behind the head and the greeting.
            if parts == 2 && !is_new {
                locked(&self.seen.news_again).push(Instant::now());
            }
        }
        Some(is_planned)
    }

    /// Follows the stream and reads it.
    async fn read(self, written: Written) {
        let client = reqwest::Client::builder().local_address(self.from).build();
        let Ok(client) = client else { return };
        let http = format!("http://127.0.0.1:{}", self.port);
        let mut matches = round(&client, &http).await.unwrap_or_default();
        let mut is_new = true;
        loop {
            let asked = client
                .get(format!("{http}{}", self.path(is_new)))
                .header("accept-encoding", "gzip")
                .send()
                .await;
            if let Ok(answer) = asked {
                if answer.status().is_success() {
                    self.seen.watching.fetch_add(1, Ordering::Relaxed);
                    // A line that breaks is opened again.
                    let _ = self.read_events(answer, &mut matches, &written).await;
                    self.seen.watching.fetch_sub(1, Ordering::Relaxed);
                    is_new = false;
                } else {
                    self.seen.refused.fetch_add(1, Ordering::Relaxed);
                }
            }
            tokio::time::sleep(retry_after(0, true)).await;
        }
    }

    /// `matches`: the match of each table.
    async fn read_events(
        &self,
        answer: reqwest::Response,
        matches: &mut HashMap<String, String>,
        written: &Written,
    ) -> Outcome<()> {
        let is_packed = answer.headers().contains_key("content-encoding");
        let (mut body, mut unread) = (answer.bytes_stream(), Unread::new(is_packed));
        let mut newest: HashMap<String, u64> = HashMap::new();
        while let Some(part) = body.next().await {
            let part = part?;
            self.seen.bytes.fetch_add(part.len() as u64, Ordering::Relaxed);
            for event in unread.events(&part)? {
                let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name));
                if let Some(id) = field("id: ") {
                    id.clone_into(&mut locked(&self.seen.last_id));
                }
                let name = field("event: ").unwrap_or_default();
                let plies = match name {
                    "table" | "patch" => "ply_count",
                    "plies" => "total",
                    _ => continue,
                };
                let data: Value = serde_json::from_str(field("data: ").unwrap_or_default())?;
                let (id, plies) = (data["match"].as_str(), data[plies].as_u64());
                // A patch has what has changed.
                let of_table = data["table"].as_str().map(str::to_owned);
                if let (Some(table), Some(id)) = (of_table.clone(), id) {
                    matches.insert(table, id.to_owned());
                }
                let known = of_table.and_then(|table| matches.get(&table));
                let id = id.or(known.map(String::as_str));
                let (Some(id), Some(plies)) = (id, plies) else { continue };
                // A table is sent for other reasons, too.
                let what = if name == "plies" { name } else { "table" };
                if newest.insert(format!("{what} {id}"), plies).is_some_and(|it| it < plies)
                    && let Some(age) = written.age(id, plies)
                {
                    locked(&self.seen.ages).add(age);
                }
            }
        }
        Ok(())
    }
}

/// The match of each table.
async fn round(client: &reqwest::Client, http: &str) -> Outcome<HashMap<String, String>> {
    let round: Value = client.get(format!("{http}/api/v1/round")).send().await?.json().await?;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let tables = round["tables"].as_array().into_iter().flatten();
    Ok(tables.filter_map(|it| Some((text(&it["table"])?, text(&it["match"])?))).collect())
}

/// Received bytes of a stream that are not read yet.
enum Unread {
    Plain(Vec<u8>),
    Packed(Box<GzDecoder<Vec<u8>>>),
}

impl Unread {
    fn new(is_packed: bool) -> Unread {
        match is_packed {
            true => Unread::Packed(Box::new(GzDecoder::new(Vec::new()))),
            false => Unread::Plain(Vec::new()),
        }
    }

    /// The events that are complete with these bytes.
    fn events(&mut self, part: &[u8]) -> Outcome<Vec<String>> {
        let text = match self {
            Unread::Plain(text) => {
                text.extend_from_slice(part);
                text
            }
            Unread::Packed(decoder) => {
                decoder.write_all(part)?;
                decoder.flush()?;
                decoder.get_mut()
            }
        };
        let mut events = Vec::new();
        while let Some(end) = text.windows(2).position(|pair| pair == b"\n\n") {
            let event: Vec<u8> = text.drain(..end + 2).collect();
            events.push(String::from_utf8(event)?);
        }
        Ok(events)
    }
}

/// The wait of a page before it asks again. `is_planned`: the server announced a restart.
fn retry_after(attempt: u32, is_planned: bool) -> Duration {
    let spread: f64 = rand::random();
    if is_planned {
        let [shortest, longest] = RESTART_RETRY;
        return shortest + (longest - shortest).mul_f64(spread);
    }
    let wait = (RETRY_FIRST * 2_u32.pow(attempt.min(10))).min(RETRY_MAX);
    wait.mul_f64(1.0 + SPREAD * (2.0 * spread - 1.0))
}

/// Directors' phones, each at one of these matches, until the set is dropped. The longest waits for the list are among the times.
pub(crate) fn directors(
    http: &str,
    directors: usize,
    matches: &[String],
) -> (Arc<Mutex<Times>>, JoinSet<Outcome<()>>) {
    let (times, mut running) = (Arc::new(Mutex::new(Times::default())), JoinSet::new());
    for number in 0..directors {
        let id = matches.get(number % matches.len().max(1)).cloned().unwrap_or_default();
        let (http, times) = (http.to_owned(), times.clone());
        running.spawn(async move {
            let from = IpAddr::V4(Ipv4Addr::new(127, 2, 0, 1));
            let client = reqwest::Client::builder().local_address(from).build()?;
            let get = |path: &str| client.get(format!("{http}{path}")).bearer_auth(TOKEN);
            let stream = get(&format!("/api/v1/td/live?match={id}")).send().await?;
            let mut stream = stream.error_for_status()?.bytes_stream();
            let mut looks = tokio::time::interval(Duration::from_secs(1));
            loop {
                tokio::select! {
                    part = stream.next() => drop(part.ok_or("a director's stream ended")??),
                    _ = looks.tick() => {
                        let asked = Instant::now();
                        get("/api/v1/td/needs").send().await?.error_for_status()?.bytes().await?;
                        locked(&times).add(asked.elapsed());
                    }
                }
            }
        });
    }
    (times, running)
}
