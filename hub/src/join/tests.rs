//! A hub that asks, at adjudicators that speak the protocol and at others that do not.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream, UdpSocket};
use std::sync::{Arc, Mutex};

use super::*;

const AUTHORITY: &str = "an authority";

/// An adjudicator at a port of this machine that answers as `answers` says, given the body of a request.
fn adjudicator(
    answers: impl Fn(Option<JoinRequest>) -> serde_json::Value + Send + 'static,
) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            // A client that leaves in the middle is none of ours.
            let _ = stream.and_then(|stream| serve(stream, &answers));
        }
    });
    address
}

fn serve(
    stream: TcpStream,
    answers: &impl Fn(Option<JoinRequest>) -> serde_json::Value,
) -> io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut length, mut line) = (0, String::new());
    while reader.read_line(&mut line)? > 2 {
        let header = line.to_ascii_lowercase();
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let answer = answers(serde_json::from_slice(&body).ok()).to_string();
    let head =
        format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", answer.len());
    (&stream).write_all((head + &answer).as_bytes())
}

fn hall() -> serde_json::Value {
    serde_json::to_value(Hall { authority: AUTHORITY.to_owned() }).unwrap()
}

fn accepted() -> Accepted {
    let (certificate, host) = ("a certificate".to_owned(), "adjudicator.local".to_owned());
    Accepted { certificate, host, port: 8883, shard: "hall".to_owned() }
}

fn answer_of(secret: &JoinSecret) -> serde_json::Value {
    let proof = secret.adjudicator_proof(&accepted());
    serde_json::to_value(JoinAnswer::Accepted { accepted: accepted(), proof }).unwrap()
}

/// Asks once or twice at an adjudicator.
async fn ask_at(
    address: SocketAddr,
    code: &JoinCode,
    home: Option<&Home>,
) -> Result<Reply, String> {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    ask_one(&client, address, ("a key", code), home, &mut BTreeMap::new()).await
}

fn code() -> JoinCode {
    "7K3Q9-MWT4X".parse().unwrap()
}

#[tokio::test]
async fn an_adjudicator_that_knows_the_code_is_believed() {
    let sent = Arc::new(Mutex::new(None));
    let seen = Arc::clone(&sent);
    let address = adjudicator(move |request| match request {
        None => hall(),
        Some(request) => {
            let secret = JoinSecret::of(&code(), &request.key, AUTHORITY);
            assert!(secret.is_hub_proof(&request.proof));
            *seen.lock().unwrap() = Some(serde_json::to_string(&request).unwrap());
            answer_of(&secret)
        }
    });
    let reply = ask_at(address, &code(), None).await.unwrap();
    assert!(matches!(reply, Reply::Accepted(it) if *it == accepted()));
    let sent = sent.lock().unwrap().clone().unwrap();
    assert!(!sent.contains("MWT4X"), "the code does not travel: {sent}");
}

#[tokio::test]
async fn a_false_adjudicator_is_not_believed_whatever_it_answers() {
    let guess: JoinCode = "00000-00000".parse().unwrap();
    let address = adjudicator(move |request| match request {
        None => hall(),
        Some(request) => answer_of(&JoinSecret::of(&guess, &request.key, AUTHORITY)),
    });
    let Err(refused) = ask_at(address, &code(), None).await else { panic!("it is believed") };
    assert!(refused.contains("does not know its code"), "{refused}");
    // One that hands on what it gets from the true one, with an authority of its own in its place.
    let address = adjudicator(|request| match request {
        None => serde_json::json!({ "authority": "a false authority" }),
        Some(request) => answer_of(&JoinSecret::of(&code(), &request.key, AUTHORITY)),
    });
    assert!(ask_at(address, &code(), None).await.is_err());
    for nonsense in ["[]", "{\"state\":\"accepted\"}", "\"\""] {
        let address = adjudicator(move |_| serde_json::from_str(nonsense).unwrap());
        assert!(ask_at(address, &code(), None).await.is_err(), "{nonsense}");
    }
    let address =
        adjudicator(|_| serde_json::json!({ "authority": "a".repeat(2 * ANSWER_BYTES_MAX) }));
    let Err(refused) = ask_at(address, &code(), None).await else { panic!("it is taken") };
    assert!(refused.contains("too large"), "{refused}");
}

#[tokio::test]
async fn the_adjudicator_of_before_needs_no_code_at_another_address() {
    let address = adjudicator(|request| match request {
        None => hall(),
        Some(_) => serde_json::to_value(JoinAnswer::Waiting).unwrap(),
    });
    let home = |authority: &str, address: [u8; 4]| Home {
        authority: authority.to_owned(),
        address: address.into(),
    };
    let reply = ask_at(address, &code(), Some(&home(AUTHORITY, [10, 0, 0, 1]))).await;
    assert!(matches!(reply, Ok(Reply::Moved)));
    for other in [home("another", [10, 0, 0, 1]), home(AUTHORITY, [127, 0, 0, 1])] {
        assert!(matches!(ask_at(address, &code(), Some(&other)).await, Ok(Reply::Waiting)));
    }
}

#[tokio::test]
async fn an_accepted_hub_keeps_its_key_and_who_accepted_it() {
    let folder = tempfile::tempdir().unwrap();
    let address = adjudicator(|request| match request {
        None => hall(),
        Some(_) => serde_json::to_value(JoinAnswer::Waiting).unwrap(),
    });
    let joining = Joining { state: folder.path().to_owned(), address: Some(address.to_string()) };
    let asking = tokio::time::timeout(Duration::from_millis(300), ask(&joining, None)).await;
    assert!(asking.is_err(), "nobody has typed its code");
    assert_eq!(Joined::read(folder.path()), None);
    let key_file = joined::tls(folder.path()).join(encryption::HUB_KEY);
    let (key, again) = (own_key(&key_file).unwrap(), own_key(&key_file).unwrap());
    assert_eq!(key, again);
    let joined = keep(folder.path(), &hub_id(&key), address.ip(), AUTHORITY, accepted()).unwrap();
    assert_eq!(Joined::read(folder.path()), Some(joined));
    std::fs::write(&key_file, "no key").unwrap();
    assert!(own_key(&key_file).unwrap_err().to_string().contains("delete it"));
}

/// Whether messages to a group come back to this machine.
fn has_multicast() -> bool {
    let group = Ipv4Addr::new(239, 255, 77, 77);
    let tried = || -> io::Result<bool> {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        socket.join_multicast_v4(&group, &Ipv4Addr::UNSPECIFIED)?;
        socket.set_read_timeout(Some(Duration::from_millis(500)))?;
        socket.send_to(b"here", (group, socket.local_addr()?.port()))?;
        Ok(socket.recv(&mut [0; 8])? == 4)
    };
    tried().unwrap_or(false)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_adjudicator_that_announces_itself_is_found() {
    if !has_multicast() {
        println!("not run: this machine has no network with multicast");
        return;
    }
    let announcing = mdns_sd::ServiceDaemon::new().unwrap();
    let (name, host) = (format!("test-{}", std::process::id()), "twinboard-test.local.");
    let service = mdns_sd::ServiceInfo::new(proto::join::SERVICE, &name, host, "", 41_234, None);
    announcing.register(service.unwrap().enable_addr_auto()).unwrap();
    let finder = Finder::start(None);
    let begun = Instant::now();
    while !finder.found().await.iter().any(|found| found.port() == 41_234) {
        assert!(begun.elapsed() < Duration::from_secs(20), "it is not found");
        sleep(Duration::from_millis(50)).await;
    }
    announcing.shutdown().unwrap();
}
