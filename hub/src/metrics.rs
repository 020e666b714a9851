//! Metrics of the hub for Prometheus, at an address of their own (`hub.metrics_address`), with nothing of a person.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::CONTENT_TYPE;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tracing::debug;

use crate::http_server::{HEADER_MAX, Service};
use crate::journal::Reader;
use crate::liveness::{Health, Liveness};

/// Text format of Prometheus, version 0.0.4.
const MEDIA_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";
/// Connections at a time; more wait.
const CONNECTIONS_MAX: usize = 8;
/// Longest time that a connection may last.
const CONNECTION_MAX: Duration = Duration::from_secs(20);

/// Bounds that stand for "nobody knows".
const NO_BYTES: u64 = u64::MAX;
const NO_TEMPERATURE: i32 = i32::MIN;

/// Last values of the machine's watchers. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Machine(Arc<Seen>);

#[derive(Debug)]
struct Seen {
    free_bytes: AtomicU64,
    temperature_c: AtomicI32,
    low_voltage: AtomicBool,
}

impl Default for Machine {
    fn default() -> Machine {
        Machine(Arc::new(Seen {
            free_bytes: AtomicU64::new(NO_BYTES),
            temperature_c: AtomicI32::new(NO_TEMPERATURE),
            low_voltage: AtomicBool::new(false),
        }))
    }
}

impl Machine {
    /// Room on the journal's disk.
    pub(crate) fn set_free_bytes(&self, free: Option<u64>) {
        self.0.free_bytes.store(free.unwrap_or(NO_BYTES), Ordering::Relaxed);
    }

    /// The hottest zone.
    pub(crate) fn set_temperature_c(&self, temperature_c: i32) {
        self.0.temperature_c.store(temperature_c, Ordering::Relaxed);
    }

    /// Whether the supply's voltage is too low now.
    pub(crate) fn set_low_voltage(&self, low: bool) {
        self.0.low_voltage.store(low, Ordering::Relaxed);
    }
}

/// Sources of the metrics.
#[derive(Clone)]
pub(crate) struct Metrics {
    pub(crate) hub: String,
    pub(crate) liveness: Liveness,
    pub(crate) machine: Machine,
    pub(crate) reader: Reader,
}

/// Serves the metrics until shutdown.
pub(crate) async fn serve(address: SocketAddr, metrics: Metrics, shutdown: CancellationToken) {
    service(address).serve(shutdown, move |stream| connection(stream, metrics.clone())).await;
}

fn service(address: SocketAddr) -> Service {
    let (name, key) = ("numbers for Prometheus at /metrics", "hub.metrics_address");
    Service { address, name, key, connections_max: CONNECTIONS_MAX }
}

async fn connection(stream: TcpStream, metrics: Metrics) {
    let answer = service_fn(|request| answer(request, &metrics));
    let served = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_MAX)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), answer);
    if !matches!(timeout(CONNECTION_MAX, served).await, Ok(Ok(()))) {
        debug!("a connection to the numbers was cut short");
    }
}

async fn answer(
    request: Request<Incoming>,
    metrics: &Metrics,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let is_ours = request.uri().path() == "/metrics";
    let (status, text) = match *request.method() {
        Method::GET | Method::HEAD if is_ours => (StatusCode::OK, metrics.text().await),
        _ if is_ours => (StatusCode::METHOD_NOT_ALLOWED, "ask with GET\n".to_owned()),
        _ => (StatusCode::NOT_FOUND, "the numbers are at /metrics\n".to_owned()),
    };
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static(MEDIA_TYPE));
    Ok(response)
}

impl Metrics {
    async fn text(&self) -> String {
        let seen = &self.machine.0;
        let free = Some(seen.free_bytes.load(Ordering::Relaxed)).filter(|it| *it != NO_BYTES);
        let degrees = Some(seen.temperature_c.load(Ordering::Relaxed));
        let degrees = degrees.filter(|it| *it != NO_TEMPERATURE);
        let waiting = self.reader.rows_waiting().await.ok();
        let tasks = self.liveness.each();
        let recording = tasks.iter().filter(|(_, _, recording)| *recording).count();
        let uplink = tasks.iter().find(|(name, ..)| name == "uplink").map(|(_, health, _)| *health);
        let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
        let low = seen.low_voltage.load(Ordering::Relaxed);
        let mut text = String::new();
        for (name, help, value) in [
            (
                "rows_waiting",
                "Rows that no adjudicator has acknowledged.",
                number(waiting.map(|it| it as f64)),
            ),
            (
                "broker_connected",
                "Whether the broker is connected.",
                f64::from(u8::from(uplink == Some(Health::Well))),
            ),
            ("tables_recording", "Tables at which a match is recorded.", recording as f64),
            ("disk_free_bytes", "Room on the journal's disk.", number(free.map(|it| it as f64))),
            (
                "temperature_celsius",
                "Temperature of the machine's hottest zone.",
                number(degrees.map(f64::from)),
            ),
            (
                "low_voltage",
                "Whether the supply's voltage is too low now.",
                f64::from(u8::from(low)),
            ),
        ] {
            // Writing into a string does not fail.
            let _ = write!(
                text,
                "# HELP twinboard_hub_{name} {help}\n# TYPE twinboard_hub_{name} gauge\ntwinboard_hub_{name} {value}\n"
            );
        }
        let _ = write!(
            text,
            "# HELP twinboard_hub_info The hub and its release.\n# TYPE twinboard_hub_info gauge\n\
             twinboard_hub_info{{hub=\"{}\",version=\"{}\"}} 1\n\
             # HELP twinboard_hub_task_health How each part is: 0 well, 1 waiting, 2 offline, 3 impaired, 4 halted.\n\
             # TYPE twinboard_hub_task_health gauge\n",
            label(&self.hub),
            env!("CARGO_PKG_VERSION")
        );
        for (task, health, _) in tasks {
            let _ = writeln!(
                text,
                "twinboard_hub_task_health{{task=\"{}\"}} {}",
                label(&task),
                health as u8
            );
        }
        text
    }
}

/// A label's value as the format wants it.
fn label(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;
    use crate::journal::{Journal, JournalOptions};
    use crate::time::HubTime;

    async fn ask(address: SocketAddr, request: &str) -> String {
        let mut stream = TcpStream::connect(address).await.expect("a connection");
        stream.write_all(request.as_bytes()).await.expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("an answer");
        answer
    }

    #[tokio::test]
    async fn the_numbers_of_a_hub_are_at_their_address() {
        let folder = tempfile::tempdir().expect("a folder");
        let opened = Journal::open(JournalOptions {
            file: folder.path().join("hub.sqlite"),
            hub_id: "hub-1".to_owned(),
            keep_matches: 1,
            now: HubTime::from_micros(1_000_000),
            heartbeat: Default::default(),
        });
        let opened = opened.await.expect("a journal");
        let (liveness, machine) = (Liveness::default(), Machine::default());
        liveness.task("uplink").set_health(Health::Well);
        let port = liveness.task("port /dev/tty\"1\"");
        port.set_health(Health::Impaired);
        machine.set_free_bytes(Some(5));
        machine.set_low_voltage(true);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let reader = opened.reader.clone();
        let metrics = Metrics { hub: "hub-1".to_owned(), liveness, machine, reader };
        let serving =
            service(address).accept(listener, move |stream| connection(stream, metrics.clone()));
        let task = tokio::spawn(serving);
        // An idle connection keeps no other out.
        let _idle = TcpStream::connect(address).await.expect("a connection");
        let text = ask(address, "GET /metrics HTTP/1.1\r\nHost: hub\r\n\r\n").await;
        assert!(text.starts_with("HTTP/1.1 200 OK"), "{text}");
        for line in [
            "twinboard_hub_rows_waiting 0",
            "twinboard_hub_broker_connected 1",
            "twinboard_hub_disk_free_bytes 5",
            "twinboard_hub_temperature_celsius NaN",
            "twinboard_hub_low_voltage 1",
            "twinboard_hub_task_health{task=\"port /dev/tty\\\"1\\\"\"} 3",
        ] {
            assert!(text.lines().any(|it| it == line), "{line}: {text}");
        }
        let text = ask(address, "GET / HTTP/1.1\r\nHost: hub\r\n\r\n").await;
        assert!(text.starts_with("HTTP/1.1 404"), "{text}");
        let text =
            ask(address, "POST /metrics HTTP/1.1\r\nHost: hub\r\nContent-Length: 0\r\n\r\n").await;
        assert!(text.starts_with("HTTP/1.1 405"), "{text}");
        task.abort();
    }
}
