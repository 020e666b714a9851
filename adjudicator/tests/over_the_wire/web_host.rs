//! A web host that takes files by HTTP, for tests of what is mirrored.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use adjudicator::Config;
use axum::{
    Router,
    extract::{Path, RawQuery, State},
    http::{Method, StatusCode},
    routing::any,
};

use crate::support::PATIENCE;

/// A file that was put, and its request.
#[derive(Clone, Debug)]
pub(crate) struct Put {
    pub(crate) path: String,
    /// As a reader has it.
    pub(crate) text: String,
    pub(crate) query: String,
    pub(crate) at: Instant,
}

/// What the host has, and what it was sent.
#[derive(Debug, Default)]
pub(crate) struct WebHost {
    files: Mutex<BTreeMap<String, String>>,
    puts: Mutex<Vec<Put>>,
    /// The end of a path that is refused.
    pub(crate) refuses: Mutex<Option<&'static str>>,
    /// Whether nothing can be deleted.
    pub(crate) keeps: AtomicBool,
}

impl WebHost {
    /// Starts one. Files are put below the address that is returned.
    pub(crate) async fn start() -> (String, Arc<WebHost>) {
        let host = Arc::new(WebHost::default());
        let router = Router::new().route("/live/{*path}", any(take)).with_state(host.clone());
        let socket = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/live", socket.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(socket, router).await.unwrap() });
        (address, host)
    }

    /// The content of a file; empty without one.
    pub(crate) fn file(&self, path: &str) -> String {
        self.files.lock().unwrap().get(path).cloned().unwrap_or_default()
    }

    /// Every file.
    pub(crate) fn files(&self) -> BTreeMap<String, String> {
        self.files.lock().unwrap().clone()
    }

    /// Every file that was ever put.
    pub(crate) fn puts(&self) -> Vec<Put> {
        self.puts.lock().unwrap().clone()
    }
}

/// The same configuration with all public pages at a host.
pub(crate) fn mirrored(config: Config, address: &str, further: &str) -> Config {
    let text = format!("[[mirror]]\nurl = \"{address}\"\npages = true\n{further}");
    let read: Config = toml::from_str(&text).unwrap();
    Config { mirrors: read.mirrors, ..config }
}

async fn take(
    State(host): State<Arc<WebHost>>,
    method: Method,
    Path(path): Path<String>,
    RawQuery(query): RawQuery,
    body: bytes::Bytes,
) -> StatusCode {
    if host.refuses.lock().unwrap().is_some_and(|end| path.ends_with(end)) {
        return StatusCode::FORBIDDEN;
    }
    let mut files = host.files.lock().unwrap();
    match method {
        Method::PUT => {
            let text = text_of(&path, &body);
            files.insert(path.clone(), text.clone());
            let put = Put { path, text, query: query.unwrap_or_default(), at: Instant::now() };
            host.puts.lock().unwrap().push(put);
            StatusCode::CREATED
        }
        Method::DELETE if host.keeps.load(Ordering::Relaxed) => StatusCode::METHOD_NOT_ALLOWED,
        Method::DELETE if files.remove(&path).is_some() => StatusCode::NO_CONTENT,
        _ => StatusCode::NOT_FOUND,
    }
}

fn text_of(path: &str, bytes: &[u8]) -> String {
    let mut text = Vec::new();
    let mut packed = flate2::read::GzDecoder::new(bytes);
    match path.ends_with(".gz") && !bytes.is_empty() {
        true => drop(std::io::Read::read_to_end(&mut packed, &mut text).unwrap()),
        false => text.extend(bytes),
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// Waits until something is so.
pub(crate) async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while !is_so() {
        assert!(tokio::time::Instant::now() < deadline, "{what}");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}
