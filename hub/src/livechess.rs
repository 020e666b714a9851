//! LiveChess's local interface at an address of the hub (`hub.livechess_address`): the list of boards over HTTP, and their changes over WebSocket.
//! The core decides the answers ([`hub_core::livechess`]).
//!
//! Pages of any site may ask, as the programs that use the interface are such pages: every client that reaches the address sees the boards.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::{SinkExt as _, StreamExt as _};
use http_body_util::Full;
use hub_core::journal::Entry;
use hub_core::livechess::{Boards, Client};
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CONNECTION, CONTENT_TYPE, HeaderValue, SEC_WEBSOCKET_ACCEPT,
    SEC_WEBSOCKET_KEY, UPGRADE,
};
use hyper::service::service_fn;
use hyper::upgrade::Upgraded;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tracing::debug;

use crate::http_server::HEADER_MAX;

/// Path of the interface.
const PATH: &str = "/api/v1.0";
/// Longest message of a program, bytes.
const MESSAGE_BYTES_MAX: usize = 16_384;
/// Longest time that a program may take to accept a message.
const SEND_MAX: Duration = Duration::from_secs(10);
/// Time without a message after which a program gets a ping.
const PING_EVERY: Duration = Duration::from_secs(30);

/// The boards, as tables change them and programs read them. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct LiveBoards {
    boards: Arc<Mutex<Boards>>,
    changed: Arc<watch::Sender<()>>,
}

impl LiveBoards {
    pub(crate) fn new(boards: Boards) -> LiveBoards {
        LiveBoards { boards: Arc::new(Mutex::new(boards)), changed: Arc::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Boards> {
        self.boards.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what a table has committed.
    pub(crate) fn take(&self, entry: &Entry) {
        if self.lock().take(entry) {
            self.changed.send_replace(());
        }
    }

    /// Serves one connection.
    pub(crate) async fn connection(self, stream: TcpStream) {
        let answer = service_fn(|request| self.answer(request));
        let served = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEADER_MAX)
            .serve_connection(TokioIo::new(stream), answer)
            .with_upgrades();
        if let Err(error) = served.await {
            debug!(%error, "a connection to the boards was cut short");
        }
    }

    async fn answer(
        &self,
        mut request: Request<Incoming>,
    ) -> Result<Response<Full<Bytes>>, Infallible> {
        let path = request.uri().path().trim_end_matches('/');
        let is_upgrade = request
            .headers()
            .get(UPGRADE)
            .is_some_and(|it| it.as_bytes().eq_ignore_ascii_case(b"websocket"));
        let key = request.headers().get(SEC_WEBSOCKET_KEY).cloned();
        let mut response = match (path, key.filter(|_| is_upgrade)) {
            (PATH, Some(key)) => {
                let upgrade = hyper::upgrade::on(&mut request);
                let boards = self.clone();
                tokio::spawn(async move {
                    match upgrade.await {
                        Ok(upgraded) => boards.talk(upgraded).await,
                        Err(error) => debug!(%error, "a program went before it was connected"),
                    }
                });
                switch(key.as_bytes())
            }
            ("/api/v1.0/eboards", _) => {
                let boards = serde_json::to_string(&self.lock().list()).unwrap_or_default();
                text(StatusCode::OK, "application/json", boards)
            }
            (PATH, None) => {
                let words = "connect with WebSocket, or ask for /api/v1.0/eboards\n".to_owned();
                text(StatusCode::UPGRADE_REQUIRED, "text/plain", words)
            }
            _ => text(StatusCode::NOT_FOUND, "text/plain", format!("the boards are at {PATH}\n")),
        };
        let any = HeaderValue::from_static("*");
        response.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, any);
        Ok(response)
    }

    /// Talks with a program until it goes.
    async fn talk(self, upgraded: Upgraded) {
        let mut changed = self.changed.subscribe();
        let config = WebSocketConfig::default()
            .max_message_size(Some(MESSAGE_BYTES_MAX))
            .max_frame_size(Some(MESSAGE_BYTES_MAX));
        let io = TokioIo::new(upgraded);
        let mut socket = WebSocketStream::from_raw_socket(io, Role::Server, Some(config)).await;
        let mut client = Client::default();
        loop {
            let messages = tokio::select! {
                received = timeout(PING_EVERY, socket.next()) => match received {
                    Ok(Some(Ok(Message::Text(text)))) => client.handle(&text, &self.lock(), now_ms()),
                    Ok(Some(Ok(Message::Close(_)) | Err(_)) | None) => return,
                    Ok(Some(Ok(_))) => Vec::new(),
                    Err(_) => {
                        let ping = socket.send(Message::Ping(Vec::new().into()));
                        match timeout(SEND_MAX, ping).await {
                            Ok(Ok(())) => Vec::new(),
                            _ => return,
                        }
                    }
                },
                Ok(()) = changed.changed() => client.update(&self.lock(), now_ms()),
            };
            for message in messages {
                let sent = socket.send(Message::Text(message.into()));
                if !matches!(timeout(SEND_MAX, sent).await, Ok(Ok(()))) {
                    return;
                }
            }
        }
    }
}

fn switch(key: &[u8]) -> Response<Full<Bytes>> {
    let mut response = text(StatusCode::SWITCHING_PROTOCOLS, "text/plain", String::new());
    let headers = response.headers_mut();
    headers.remove(CONTENT_TYPE);
    headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    if let Ok(accept) = derive_accept_key(key).parse() {
        headers.insert(SEC_WEBSOCKET_ACCEPT, accept);
    }
    response
}

fn text(status: StatusCode, media_type: &'static str, text: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;
    use tokio_tungstenite::client_async;

    use super::*;
    use crate::Config;
    use crate::http_server::Service;

    const CONFIG: &str = "[hub]\nid = \"hub-1\"\njournal = \"hub.sqlite\"\n[broker]\nhost = \"127.0.0.1\"\n[[table]]\nname = \"7\"\n\
        game = \"chess\"\nrulebook = \"nc-scholastic\"\nbase_s = 300\n[[table.node]]\nboard = \"A\"\nkind = \"board\"\nnode = \"dgt-24958\"\n\
        driver = \"dgt\"\nport = \"/dev/ttyUSB0\"\n";

    #[tokio::test]
    async fn programs_list_boards_over_http_and_follow_one_over_websocket() {
        let config = Config::parse(Path::new("hub.toml"), CONFIG).expect("a configuration");
        let boards = LiveBoards::new(Boards::of_tables(&config.tables));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let (of_connections, connections_max) = (boards.clone(), 4);
        let service =
            Service { address, name: "boards", key: "hub.livechess_address", connections_max };
        let task = tokio::spawn(
            service.accept(listener, move |stream| of_connections.clone().connection(stream)),
        );

        let mut http = TcpStream::connect(address).await.expect("a connection");
        let request =
            b"GET /api/v1.0/eboards HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        http.write_all(request).await.expect("a request");
        let mut answer = String::new();
        http.read_to_string(&mut answer).await.expect("an answer");
        assert!(answer.contains("access-control-allow-origin: *"), "{answer}");
        assert!(answer.contains(r#""serialnr":"24958""#), "{answer}");

        let stream = TcpStream::connect(address).await.expect("a connection");
        let url = format!("ws://{address}{PATH}");
        let (mut program, _) = client_async(url, stream).await.expect("a handshake");
        let call = r#"{"id":2,"call":"subscribe","param":{"feed":"eboardevent","id":1,"param":{"serialnr":"24958"}}}"#;
        program.send(Message::text(call)).await.expect("a call");
        let mut next = async || {
            let message = program.next().await.expect("a message").expect("a whole one");
            serde_json::from_str::<serde_json::Value>(message.to_text().expect("text"))
                .expect("JSON")
        };
        assert_eq!(next().await["response"], "call");
        assert_eq!(next().await["response"], "feed");
        let line = r#"{"t_us":1588000000000000,"board":"A","kind":"clock","white_ms":61000,"black_ms":59000,"running":null}"#;
        let at = crate::HubTime::from_micros(1);
        let input =
            hub_core::journal::InputLine { at, made: at, match_id: None, line: line.to_owned() };
        boards.take(&Entry { table: "7".to_owned(), inputs: vec![input], ..Entry::default() });
        let feed = next().await;
        assert_eq!(feed["param"]["clock"]["white"], 61, "{feed}");
        task.abort();
    }
}
