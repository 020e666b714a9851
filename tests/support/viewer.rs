//! A viewer of one match, who reads the event stream for the whole time. It reconnects with the last event's id after a disconnection.
//! It notes every state in which a ply is shown twice or is missing.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use futures::StreamExt as _;
use serde_json::Value;
use tokio::task::JoinHandle;

/// Pause before coming back; browsers wait longer.
const COME_BACK_AFTER: Duration = Duration::from_millis(100);
/// A stream that has been silent for this long is dead: there is a beat every two seconds.
const SILENCE_MAX: Duration = Duration::from_secs(10);

/// State of a viewer, assembled from the events.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// The plies shown now.
    pub(crate) plies: Vec<Value>,
    /// The last event's id.
    pub(crate) cursor: Option<String>,
    /// Number of streams opened, the first one included.
    pub(crate) resumed: usize,
    /// Number of resets that the server requested.
    pub(crate) resets: usize,
    /// Violations of the stream's rules.
    pub(crate) violations: Vec<String>,
}

/// A viewer at work; goes away when dropped.
pub(crate) struct Viewer {
    seen: Arc<Mutex<Seen>>,
    task: JoinHandle<()>,
}

impl Viewer {
    /// Follows a match of the server at `http`.
    pub(crate) fn follow(http: &str, match_id: &str) -> Viewer {
        let seen = Arc::new(Mutex::new(Seen::default()));
        let (http, match_id, shared) = (http.to_owned(), match_id.to_owned(), Arc::clone(&seen));
        let task = tokio::spawn(async move {
            loop {
                // The server is killed again and again: every end of a stream is expected.
                let _ = watch(&http, &match_id, &shared).await;
                tokio::time::sleep(COME_BACK_AFTER).await;
            }
        });
        Viewer { seen, task }
    }

    /// Returns its state so far.
    pub(crate) fn seen(&self) -> Seen {
        lock(&self.seen).clone()
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn lock(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap()
}

/// Watches until the stream ends. The match is fetched at the start, and again when the server requests a reset.
async fn watch(http: &str, match_id: &str, seen: &Mutex<Seen>) -> Result<(), reqwest::Error> {
    if lock(seen).cursor.is_none() {
        let answer = reqwest::get(format!("{http}/api/v1/matches/{match_id}")).await?;
        let whole: Value = answer.error_for_status()?.json().await?;
        lock(seen).begin(&whole);
    }
    let cursor = lock(seen).cursor.clone().expect("every answer has the last event's id");
    let request = reqwest::Client::new().get(format!("{http}/api/v1/live?match={match_id}"));
    let answer = request.header("Last-Event-ID", cursor).send().await?.error_for_status()?;
    lock(seen).resumed += 1;
    let (mut body, mut unread) = (answer.bytes_stream(), Vec::new());
    while let Ok(Some(part)) = tokio::time::timeout(SILENCE_MAX, body.next()).await {
        unread.extend_from_slice(&part?);
        while let Some(end) = unread.windows(2).position(|pair| pair == b"\n\n") {
            let event: Vec<u8> = unread.drain(..end + 2).collect();
            lock(seen).take(&String::from_utf8_lossy(&event));
        }
        if lock(seen).cursor.is_none() {
            return Ok(());
        }
    }
    Ok(())
}

impl Seen {
    fn begin(&mut self, whole: &Value) {
        self.cursor = whole["last_event_id"].as_str().map(str::to_owned);
        self.plies = whole["plies"].as_array().cloned().unwrap_or_default();
        self.look("the match as fetched");
    }

    /// Takes one event of the stream.
    fn take(&mut self, event: &str) {
        let field =
            |name: &str| event.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        let is_reset = field("event") == Some("reset");
        if let Some(id) = field("id").filter(|_| !is_reset) {
            let before = self.cursor.as_deref().unwrap_or_default();
            if !is_later(id, before) {
                self.violations.push(format!("event {id} after event {before}"));
            }
            self.cursor = Some(id.to_owned());
        }
        match field("event") {
            Some("plies") => {
                let data = field("data").unwrap_or_default();
                let data: Value = serde_json::from_str(data).unwrap_or_default();
                self.replace(&data);
            }
            Some("reset") => {
                self.resets += 1;
                self.cursor = None;
            }
            _ => {}
        }
    }

    fn replace(&mut self, data: &Value) {
        let from = data["from"].as_u64().and_then(|from| usize::try_from(from).ok());
        let (Some(from), Some(plies)) = (from, data["plies"].as_array()) else {
            self.violations.push(format!("an event that cannot be read: {data}"));
            return;
        };
        if from > self.plies.len() {
            let shown = self.plies.len();
            self.violations.push(format!("plies from {from} on, but only {shown} were shown"));
        }
        self.plies.truncate(from);
        self.plies.extend(plies.iter().cloned());
        if data["total"].as_u64() != Some(self.plies.len() as u64) {
            self.violations.push(format!("{} plies shown of {}", self.plies.len(), data["total"]));
        }
        self.look("an event");
    }

    /// No id twice, and numbers without a hole.
    fn look(&mut self, what: &str) {
        let ids: BTreeSet<u64> = self.plies.iter().filter_map(|ply| ply["id"].as_u64()).collect();
        if ids.len() != self.plies.len() {
            self.violations.push(format!("a ply is shown twice after {what}"));
        }
        let in_order =
            (1..).zip(&self.plies).all(|(n, ply): (u64, _)| ply["n"].as_u64() == Some(n));
        if !in_order {
            self.violations.push(format!("the plies' numbers have a hole after {what}"));
        }
    }
}

/// Whether an event's id comes after another: of the same log, with no count lower and one higher.
fn is_later(id: &str, before: &str) -> bool {
    let counts = |id: &str| -> Option<Vec<u64>> {
        id.split('-').map(|part| u64::from_str_radix(part, 16).ok()).collect()
    };
    match (counts(id), counts(before)) {
        (Some(id), Some(before)) => {
            id.len() == before.len()
                && id.first() == before.first()
                && id != before
                && id.iter().zip(&before).all(|(now, then)| now >= then)
        }
        _ => false,
    }
}
