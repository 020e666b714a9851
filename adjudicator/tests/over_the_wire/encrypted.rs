//! Hubs with certificates, and pages over HTTPS: accepted clients with their accounts, and refused ones.

use std::{path::Path, sync::Arc, time::Duration};

use adjudicator::{
    Config,
    pki::{authority::Authority, tls},
};
use prost::Message as _;
use proto::mqtt::message::Rows;
use rumqttc::{
    AsyncClient, ConnectionError, Event, Incoming, MqttOptions, PublishOptions, TlsConfiguration,
    Transport,
};
use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject as _},
};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use tokio_rustls::TlsConnector;

use crate::{
    phone::{TOKEN, invite},
    support::{Hub, PATIENCE, Script, Server, config},
};
use proto::mqtt::message::{Board, MatchState, Side};

/// A hall with an authority and the hubs `north` and `south`, whose bundles are folders of these names.
fn hall(folder: &Path) -> (Config, Authority) {
    let tls = folder.join("tls");
    let authority = Authority::make(&tls).unwrap();
    authority.certify_adjudicator(&["127.0.0.1".to_owned(), "localhost".to_owned()]).unwrap();
    for hub in ["north", "south"] {
        authority.enroll_hub(hub, &folder.join(hub)).unwrap();
    }
    let token = folder.join("token");
    adjudicator::pki::secrets::write(&token, TOKEN).unwrap();
    let mut config = config(folder);
    config.tls.folder = Some(tls);
    config.http.td_token_file = Some(token);
    config.http.tls_address = Some("127.0.0.1:0".parse().unwrap());
    config.broker.tls_address = Some("127.0.0.1:0".parse().unwrap());
    (config, authority)
}

/// TLS configuration of a hub with this bundle; without one it has no certificate.
fn encryption(authority: &Path, bundle: Option<&Path>) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(authority.join("authority.pem")).unwrap()).unwrap();
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots);
    Arc::new(match bundle {
        None => builder.with_no_client_auth(),
        Some(bundle) => {
            let chain = vec![CertificateDer::from_pem_file(bundle.join("hub.pem")).unwrap()];
            let key = PrivateKeyDer::from_pem_file(bundle.join("hub.key")).unwrap();
            builder.with_client_auth_cert(chain, key).unwrap()
        }
    })
}

fn options(client_id: &str, server: &Server, encryption: Arc<ClientConfig>) -> MqttOptions {
    let mut options = MqttOptions::new(client_id, ("127.0.0.1", server.gate_port.unwrap()));
    options.set_transport(Transport::tls_with_config(TlsConfiguration::Rustls(encryption)));
    options
}

/// Result of one connection.
async fn outcome(options: MqttOptions) -> Result<(), String> {
    let (_client, mut event_loop) = AsyncClient::builder(options).capacity(10).build();
    let tried = async {
        loop {
            match event_loop.poll().await {
                Ok(Event::Incoming(Incoming::ConnAck(_))) => return Ok(()),
                Ok(_) => {}
                Err(ConnectionError::ConnectionRefused(code)) => return Err(format!("{code:?}")),
                Err(error) => return Err(error.to_string()),
            }
        }
    };
    tokio::time::timeout(PATIENCE, tried).await.expect("an answer")
}

fn script(table: &str) -> Script {
    let mut script = Script::new(table, &format!("m{table}"));
    script.state(MatchState::Playing, 0);
    script.ply(Board::A, Side::White, "e2e4");
    script
}

#[tokio::test]
async fn a_hub_with_its_certificate_is_let_in_without_a_password_and_as_nobody_else() {
    let folder = tempfile::tempdir().unwrap();
    let (config, _) = hall(folder.path());
    let server = Server::start(config).await;
    let north = encryption(&folder.path().join("tls"), Some(&folder.path().join("north")));
    let refused = outcome(options("twinboard-hub-south", &server, north.clone())).await;
    assert_eq!(refused, Err("NotAuthorized".to_owned()));
    let refused = outcome(options("twinboard-adjudicator-main", &server, north.clone())).await;
    assert_eq!(refused, Err("NotAuthorized".to_owned()));
    let other = outcome(options("twinboard-hub-south-rehearsal", &server, north.clone())).await;
    assert_eq!(other, Err("NotAuthorized".to_owned()));
    let rehearsed = outcome(options("twinboard-hub-north-rehearsal", &server, north.clone())).await;
    assert_eq!(rehearsed, Ok(()), "its part in a rehearsal");
    let mut options = options("twinboard-hub-north", &server, north);
    // The client's own name and password are ignored.
    options.set_credentials("adjudicator", "guessed");
    let mut hub = Hub::connect_with(options, "north", 7, &["1"]).await;
    hub.send_until_committed(&script("1").rows).await;
    // Its messages as another hub are dropped.
    let foreign = Script::new("2", "m2");
    let rows =
        Rows { hub_id: "south".to_owned(), boot_id: 9, rows: foreign.rows, ..Rows::default() };
    let topic = "twinboard/1/hall/hub/south/rows";
    hub.client.publish(topic, rows.encode_to_vec(), PublishOptions::at_least_once()).await.unwrap();
    let mut more = script("1");
    more.ply(Board::A, Side::Black, "e7e5");
    hub.send_until_committed(&more.rows).await;
    let round = server.json("/api/v1/round").await;
    assert_eq!(round["tables"].as_array().unwrap().len(), 1, "{round}");
    server.stop().await;
}

#[tokio::test]
async fn who_is_not_enrolled_is_not_let_in() {
    let folder = tempfile::tempdir().unwrap();
    let (config, authority) = hall(folder.path());
    let server = Server::start(config).await;
    let tls = folder.path().join("tls");
    let try_with = async |bundle: Option<&Path>| {
        outcome(options("twinboard-hub-north", &server, encryption(&tls, bundle))).await
    };
    let north = folder.path().join("north");
    assert_eq!(try_with(Some(&north)).await, Ok(()));
    assert!(try_with(None).await.is_err(), "without a certificate");
    // Enrolled again: the bundle that was lost opens nothing.
    let old = folder.path().join("old");
    std::fs::rename(&north, &old).unwrap();
    authority.enroll_hub("north", &north).unwrap();
    assert!(try_with(Some(&old)).await.is_err(), "an older certificate");
    assert_eq!(try_with(Some(&north)).await, Ok(()));
    adjudicator::pki::authority::revoke_hub(&tls, "north").unwrap();
    assert!(try_with(Some(&north)).await.is_err(), "revoked");
    // Another hall's authority names a hub as it likes.
    let elsewhere = Authority::make(&folder.path().join("elsewhere")).unwrap();
    elsewhere.enroll_hub("north", &folder.path().join("forged")).unwrap();
    assert!(try_with(Some(&folder.path().join("forged"))).await.is_err(), "another authority's");
    server.stop().await;
}

#[tokio::test]
async fn a_list_of_certificates_that_cannot_be_read_shuts_no_hub_out() {
    let folder = tempfile::tempdir().unwrap();
    let (config, _) = hall(folder.path());
    let tls = folder.path().join("tls");
    let server = Server::start(config).await;
    let try_as = async |hub: &str| {
        let bundle = folder.path().join(hub);
        let name = format!("twinboard-hub-{hub}");
        outcome(options(&name, &server, encryption(&tls, Some(&bundle)))).await
    };
    assert_eq!(try_as("north").await, Ok(()));
    // Reading a folder as a file fails, as reading any file does when too many are open.
    for hub in ["north", "south"] {
        let file = tls.join("hubs").join(format!("{hub}.pem"));
        std::fs::remove_file(&file).unwrap();
        std::fs::create_dir(&file).unwrap();
    }
    assert_eq!(try_as("north").await, Ok(()));
    assert_eq!(try_as("south").await, Ok(()), "it was read when the hall began");
    std::fs::remove_dir(tls.join("hubs/north.pem")).unwrap();
    assert!(try_as("north").await.is_err(), "what is not there was revoked");
    server.stop().await;
}

#[tokio::test]
async fn noise_and_silence_at_the_gate_keep_no_hub_out() {
    let folder = tempfile::tempdir().unwrap();
    let (config, _) = hall(folder.path());
    let server = Server::start(config).await;
    let gate = ("127.0.0.1", server.gate_port.unwrap());
    let mut idle = Vec::new();
    for number in 0..100u8 {
        let mut stream = TcpStream::connect(gate).await.unwrap();
        if number % 2 == 0 {
            stream.write_all(&[number; 300]).await.unwrap();
        }
        idle.push(stream);
    }
    // Plain MQTT, and MQTT that ends in the middle of a handshake's first packet.
    let plain = MqttOptions::new("twinboard-hub-north", ("127.0.0.1", gate.1));
    assert!(outcome(plain).await.is_err());
    let north = encryption(&folder.path().join("tls"), Some(&folder.path().join("north")));
    let tls = TlsConnector::from(north.clone());
    let stream = TcpStream::connect(gate).await.unwrap();
    let name = ServerName::try_from("127.0.0.1").unwrap();
    let mut stream = tls.connect(name, stream).await.unwrap();
    stream.write_all(&[0x10, 0xff, 0xff, 0x7f]).await.unwrap();
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest).await;
    let mut hub =
        Hub::connect_with(options("twinboard-hub-north", &server, north), "north", 7, &["1"]).await;
    hub.send_until_committed(&script("1").rows).await;
    drop(idle);
    server.stop().await;
}

/// Answer to a request over HTTPS.
async fn ask(server: &Server, trusts: &Path, request: &str) -> String {
    let connector = TlsConnector::from(tls::trusting(&trusts.join("authority.pem")).unwrap());
    let stream = TcpStream::connect(server.https.unwrap()).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let mut stream = connector.connect(name, stream).await.expect("the hall's authority vouches");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    // The server may close without a farewell once it has said everything.
    let _ = tokio::time::timeout(Duration::from_secs(5), stream.read_to_string(&mut answer)).await;
    answer
}

#[tokio::test]
async fn pages_are_served_encrypted_and_a_directors_cookie_stays_so() {
    let folder = tempfile::tempdir().unwrap();
    let (config, _) = hall(folder.path());
    let server = Server::start(config).await;
    let tls = folder.path().join("tls");
    let get = "GET /api/v1/round HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let round = ask(&server, &tls, get).await;
    assert!(round.starts_with("HTTP/1.1 200") && round.contains("Test event"), "{round}");
    let invitation = invite(&server, "Ann", "chief", json!({})).await;
    let token = invitation["path"].as_str().unwrap().split_once('#').unwrap().1;
    let body = json!({ "token": token, "pin": invitation["pin"] }).to_string();
    let post = format!(
        "POST /api/v1/td/pair HTTP/1.1\r\nHost: localhost\r\nOrigin: https://localhost\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    let paired = ask(&server, &tls, &post).await;
    assert!(paired.starts_with("HTTP/1.1 200"), "{paired}");
    assert!(paired.to_lowercase().contains("; secure"), "{paired}");
    // Without encryption this address gives no answer.
    let mut plain = TcpStream::connect(server.https.unwrap()).await.unwrap();
    plain.write_all(get.as_bytes()).await.unwrap();
    let mut said = Vec::new();
    let _ = plain.read_to_end(&mut said).await;
    assert!(!String::from_utf8_lossy(&said).contains("Test event"));
    server.stop().await;
}

#[tokio::test]
async fn a_configuration_without_certificates_says_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let (mut config, _) = hall(folder.path());
    let tls = config.tls.folder.take();
    let refused = config.check().unwrap_err().to_string();
    assert!(refused.contains("broker.tls_address") && refused.contains("enroll"), "{refused}");
    config.tls.folder = tls.map(|folder| folder.join("nowhere"));
    let started = adjudicator::start(config, Default::default()).await;
    let refused = started.err().expect("it does not start").to_string();
    assert!(refused.contains("nowhere/server.pem"), "{refused}");
}
