//! Crowds of viewers and requests, some in bad faith: no client takes the places of all.

use std::{net::IpAddr, time::Duration};

use proto::mqtt::message::{AnomalyReported, Board, MatchState, Side, row::Event};
use reqwest::{Client, Response, StatusCode, header};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpSocket,
};

use crate::{
    phone::{self, Phone},
    support::{self, Hub, PATIENCE, Script, Server, scholars_mate},
};

/// A client of another address.
const ELSEWHERE: &str = "127.0.0.2";
const ANOTHER: &str = "127.0.0.3";

fn client(from: &str) -> Client {
    let from: IpAddr = from.parse().unwrap();
    Client::builder().local_address(from).build().unwrap()
}

#[tokio::test]
async fn streams_of_one_address_leave_places_for_others_and_for_directors() {
    // Connections of one address; twice as many do not fit beside its limit.
    const SHARE: usize = 256;
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(phone::config(folder.path())).await;
    let ann = Phone::paired(&server, "Ann", "chief", json!({})).await;
    let url = format!("{}/api/v1/live", server.http);
    let (greedy, other) = (client(ELSEWHERE), client(ANOTHER));
    let watch = async |by: &Client| by.get(&url).send().await.unwrap();
    let mut streams: Vec<Response> = Vec::new();
    for _ in 0..SHARE {
        let stream = watch(&greedy).await;
        assert_eq!(stream.status(), StatusCode::OK);
        streams.push(stream);
    }
    assert_eq!(watch(&greedy).await.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(watch(&other).await.status(), StatusCode::OK);
    assert_eq!(ann.get("/api/v1/td/live").await.status(), StatusCode::OK);
    // A place is free again when its stream has ended.
    streams.truncate(SHARE - 20);
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while watch(&greedy).await.status() != StatusCode::OK {
        assert!(tokio::time::Instant::now() < deadline, "places are given back");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_stream_that_was_not_read_tells_what_is_news_then() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(support::config(folder.path())).await;
    let address = server.http.strip_prefix("http://").unwrap().parse().unwrap();
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    let script = scholars_mate("1", "m1");
    hub.send_until_committed(&script.rows[..5]).await;
    server.until("/api/v1/round", "a ply", |round| round["tables"][0]["ply_count"] == 1).await;
    let socket = TcpSocket::new_v4().unwrap();
    // As small as it can be: what is not read soon stays at the server.
    socket.set_recv_buffer_size(2048).unwrap();
    let mut unread = socket.connect(address).await.unwrap();
    let ask = "GET /api/v1/live?match=m1&last_event_id=0 HTTP/1.1\r\nHost: hall\r\n\r\n";
    unread.write_all(ask.as_bytes()).await.unwrap();
    hub.send_until_committed(&script.rows).await;
    server.until("/api/v1/round", "all plies", |round| round["tables"][0]["ply_count"] == 9).await;
    let mut said = String::new();
    let mut part = vec![0; 4096];
    while !said.contains("\"total\":9") {
        let read = tokio::time::timeout(PATIENCE, unread.read(&mut part)).await.expect("news");
        let read = read.unwrap();
        assert_ne!(read, 0, "{said}");
        said.push_str(&String::from_utf8_lossy(&part[..read]));
    }
    server.stop().await;
}

#[tokio::test]
async fn records_asked_for_by_a_crowd_are_written_one_after_the_other_and_keep_nobody_else_out() {
    const ADDRESSES: u8 = 16;
    // Together they want more places than there are.
    const AT_ONCE: usize = 20;
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(support::config(folder.path())).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&scholars_mate("1", "m1").rows).await;
    server.until("/api/v1/round", "all plies", |round| round["tables"][0]["ply_count"] == 9).await;
    let url = format!("{}/api/v1/event.zip", server.http);
    let greedy: Vec<Client> =
        (2..2 + ADDRESSES).map(|number| client(&format!("127.0.0.{number}"))).collect();
    let other = client("127.0.0.200");
    let crowd = (0..AT_ONCE).flat_map(|_| greedy.iter().map(|one| one.get(&url).send()));
    let (crowd, honest) = tokio::join!(futures::future::join_all(crowd), other.get(&url).send());
    assert_eq!(honest.unwrap().status(), StatusCode::OK);
    let mut served = 0;
    for answer in crowd {
        let answer = answer.unwrap();
        match answer.status() {
            StatusCode::OK => served += 1,
            StatusCode::TOO_MANY_REQUESTS => {
                assert!(answer.headers().contains_key(header::RETRY_AFTER));
            }
            other => panic!("{other}"),
        }
    }
    assert!(served > 0);
    server.stop().await;
}

#[tokio::test]
async fn a_match_has_so_many_anomalies_and_a_hub_that_reports_more_changes_nothing_by_them() {
    const REPORTED: u32 = 1_100;
    const MOST: u32 = 1_024;
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(support::config(folder.path())).await;
    let mut script = Script::new("1", "m1");
    script.state(MatchState::Playing, 0);
    script.ply(Board::A, Side::White, "e2e4");
    for anomaly_id in 1..=REPORTED {
        script.push(Event::AnomalyReported(AnomalyReported {
            match_id: "m1".to_owned(),
            anomaly_id,
            code: "touch-move".to_owned(),
            board: Board::A as i32,
            side: Some(Side::White as i32),
            t_us: 1_000_000,
            confidence: 0.9,
            ply_id: Some(1),
            evidence: "The board showed it.".to_owned(),
            ..AnomalyReported::default()
        }));
    }
    script.ply(Board::A, Side::Black, "e7e5");
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    // As many as fit into a packet of the client.
    for some in script.rows.chunks(80) {
        hub.send_until_committed(some).await;
    }
    // Rows are acknowledged before they are judged, and a build that is not optimised judges so many for a while.
    let judged = async {
        while server.metric("inputs_refused_total").await < f64::from(REPORTED - MOST) {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::time::timeout(4 * PATIENCE, judged).await.expect("they are judged");
    server.until("/api/v1/round", "both plies", |round| round["tables"][0]["ply_count"] == 2).await;
    assert_eq!(server.metric("inputs_refused_total").await, f64::from(REPORTED - MOST));
    server.stop().await;
}

#[tokio::test]
async fn no_path_leads_out_of_the_pages() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("secret"), "a secret of the folder").unwrap();
    let server = Server::start(phone::config(folder.path())).await;
    let address: std::net::SocketAddr =
        server.http.strip_prefix("http://").unwrap().parse().unwrap();
    let paths = [
        "/../td-token",
        "/..%2ftd-token",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/assets/../../td-token",
        "//etc/passwd",
        "/api/v1/matches/..%2f..%2ftd-token",
        "/assets/%00",
        "/td-token",
    ];
    for path in paths {
        let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
        let ask = format!("GET {path} HTTP/1.1\r\nHost: hall\r\nConnection: close\r\n\r\n");
        stream.write_all(ask.as_bytes()).await.unwrap();
        let mut said = Vec::new();
        stream.read_to_end(&mut said).await.unwrap();
        let said = String::from_utf8_lossy(&said);
        assert!(!said.contains(phone::TOKEN) && !said.contains("root:"), "{path}: {said}");
    }
    server.stop().await;
}
