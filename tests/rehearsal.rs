//! A rehearsal by the real programs: two hubs, one of which does not answer, a phone and a screen, and the event's database before and
//! after, also after a power cut in the middle.

#[path = "support/patience.rs"]
mod patience;
#[path = "support/program.rs"]
mod program;

use std::{
    fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use patience::eventually;
use program::{PATIENCE, Program, ask, free_port};
use serde_json::{Value, json};

const TOKEN: &str = "a-token-of-the-chief-director";
const SCREEN_KEY: &str = "a-key-of-a-screen-that-nobody-guesses-0123456789";
/// From its start to the end of a rehearsal that waits for 25 s.
const REHEARSAL_MAX: Duration = Duration::from_secs(90);
const HUBS: [&str; 2] = ["north", "south"];

fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).expect("room for a file");
}

/// The database's file, and its log if it has one.
fn database(folder: &Path) -> [Option<Vec<u8>>; 2] {
    ["event.sqlite", "event.sqlite-wal"].map(|name| fs::read(folder.join(name)).ok())
}

/// Writes the files of an event with a hub for each table, and returns the address of its pages.
fn event(folder: &Path) -> SocketAddr {
    let (http, mqtt) = (free_port(), free_port());
    adjudicator::pki::secrets::write(&folder.join("token"), TOKEN).expect("a token's file");
    let serve = format!(
        "[http]\naddress = \"127.0.0.1:{http}\"\ntd_token_file = \"token\"\n[broker]\naddress = \"127.0.0.1:{mqtt}\"\n\
         [store]\npath = \"event.sqlite\"\n"
    );
    write(folder, "serve.toml", &serve);
    for (index, hub) in HUBS.iter().enumerate() {
        let node = |kind: &str, board: &str| {
            format!(
                "[[table.node]]\nboard = \"{board}\"\nkind = \"{kind}\"\nnode = \"{hub}-{kind}-{board}\"\n"
            )
        };
        let nodes = ["A", "B"].map(|board| node("board", board) + &node("clock", board)).concat();
        let text = format!(
            "[hub]\nid = \"{hub}\"\njournal = {:?}\nports = []\n[broker]\nhost = \"127.0.0.1\"\nport = {mqtt}\n\
             [[table]]\nname = \"{}\"\nrulebook = \"us-chess-bughouse-2018\"\nbase_s = 300\n{nodes}",
            folder.join(format!("{hub}.sqlite")),
            index + 1,
        );
        write(folder, &format!("{hub}.toml"), &text);
    }
    ([127, 0, 0, 1], http).into()
}

fn hub(folder: &Path, name: &str) -> Program {
    let config = folder.join(format!("{name}.toml"));
    let arguments = ["hub", "--config", config.to_str().expect("Unicode")];
    Program::twinboard(&arguments, &folder.join(format!("{name}.log")))
}

async fn get(http: SocketAddr, path: &str) -> Result<Value, String> {
    let asked = reqwest::Client::new()
        .get(format!("http://{http}{path}"))
        .bearer_auth(TOKEN)
        .header("x-twinboard-screen", SCREEN_KEY);
    let answer = asked.send().await.and_then(reqwest::Response::error_for_status);
    answer.map_err(|error| error.to_string())?.json().await.map_err(|error| error.to_string())
}

/// Key that a paired phone keeps.
struct Phone {
    cookie: String,
    key: String,
}

async fn post(
    http: SocketAddr,
    path: &str,
    phone: Option<&Phone>,
    body: Value,
) -> reqwest::Response {
    let request = reqwest::Client::new()
        .post(format!("http://{http}{path}"))
        .header("origin", format!("http://{http}"))
        .json(&body);
    let request = match phone {
        None => request.bearer_auth(TOKEN),
        Some(Phone { cookie, key }) => {
            request.header("cookie", cookie).header("x-twinboard-key", key)
        }
    };
    request.send().await.expect("an answer").error_for_status().expect("accepted")
}

/// Lets both hubs, a phone and a screen be known to the event, then stops all of it. Returns the phone.
async fn prepare(folder: &Path, http: SocketAddr) -> Phone {
    let mut server = Program::configured(folder, "serve");
    eventually("the pages", async || get(http, "/api/v1/event").await).await;
    let mut hubs = HUBS.map(|name| hub(folder, name));
    eventually("both hubs", async || {
        let log = server.log();
        let is_born =
            |hub: &str| log.lines().any(|line| line.contains(hub) && line.contains("online=true"));
        if HUBS.into_iter().all(is_born) { Ok(()) } else { Err(log) }
    })
    .await;
    let invited =
        post(http, "/api/v1/td/invitations", None, json!({ "person": "Ann", "rank": "floor" }))
            .await;
    let invited: Value = invited.json().await.expect("an invitation");
    let token = invited["path"].as_str().expect("a path").trim_start_matches("/td#").to_owned();
    let pair = json!({ "token": token, "pin": invited["pin"], "label": "phone" });
    let paired = post(http, "/api/v1/td/pair", None, pair).await;
    let cookie = paired.headers()["set-cookie"].to_str().expect("a cookie");
    let cookie = cookie.split(';').next().expect("its value").to_owned();
    let paired: Value = paired.json().await.expect("the phone's key");
    let key = paired["key"].as_str().expect("a key").to_owned();
    eventually("a number for the screen", async || get(http, "/api/v1/screen").await).await;
    for hub in &mut hubs {
        hub.interrupt();
        hub.exit(PATIENCE);
    }
    server.interrupt();
    server.exit(PATIENCE);
    Phone { cookie, key }
}

/// Rehearses until the hub plays, then kills hub and rehearsal as a power cut does.
async fn lose_the_power(folder: &Path, http: SocketAddr) {
    let mut north = hub(folder, "north");
    let config = folder.join("serve.toml");
    let arguments = ["rehearse", "--config", config.to_str().expect("Unicode")];
    let mut rehearsal = Program::twinboard(&arguments, &folder.join("killed.log"));
    eventually("a ply", async || {
        let round = get(http, "/api/v1/round").await?;
        match round["tables"][0]["ply_count"].as_u64() {
            Some(1..) => Ok(()),
            _ => Err(format!("{}\n{}", rehearsal.log(), north.log())),
        }
    })
    .await;
    rehearsal.kill();
    north.kill();
    assert!(folder.join("event.sqlite-rehearsal").is_dir(), "the copy is beside the database");
}

#[tokio::test]
async fn a_rehearsal_names_what_did_not_answer_and_leaves_the_event_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let http = event(at);
    let phone = prepare(at, http).await;
    let before = database(at);
    assert!(before[0].is_some());

    lose_the_power(at, http).await;
    assert!(database(at) == before, "a power cut changed the event's database");

    let north = hub(at, "north");
    let (config, protocol): (PathBuf, PathBuf) = (at.join("serve.toml"), at.join("protocol.json"));
    let arguments = [
        "rehearse",
        "--config",
        config.to_str().expect("Unicode"),
        "--wait-s",
        "25",
        "--json",
        protocol.to_str().expect("Unicode"),
    ];
    let mut rehearsal = Program::twinboard(&arguments, &at.join("rehearsal.log"));
    rehearsal.until_it_says("rehearsal at http://");
    // The event's own adjudicator cannot come in between.
    let served = ask(at, &["serve", "--config", "serve.toml"]);
    assert!(!served.status.success());
    let notices = get(http, "/api/v1/notices").await.expect("announcements");
    assert!(notices.to_string().contains("Rehearsal"), "{notices}");
    let ready = json!({ "sound": true });
    post(http, "/api/v1/td/ready", Some(&phone), ready).await;
    get(http, "/api/v1/screen").await.expect("the screen's number");
    let status = rehearsal.exit(REHEARSAL_MAX).expect("it ends by itself");
    assert!(status.success(), "{}", rehearsal.log());

    let text = rehearsal.log();
    let protocol: Value =
        serde_json::from_slice(&fs::read(&protocol).expect("a protocol")).expect("JSON");
    let north_line = &protocol["hubs"]["north"];
    assert!(north_line["answered_s"].is_f64(), "{text}\n{}", north.log());
    let table = json!({ "plies_expected": 13, "plies_seen": 13, "alerted": true });
    assert_eq!(north_line["tables"]["1"], table, "{text}\n{}", north.log());
    assert!(north_line["problems"].to_string().contains("north-board-A"), "{text}");
    assert!(protocol["hubs"]["south"]["answered_s"].is_null(), "{text}");
    assert!(text.contains("hub south: did not answer"), "{text}");
    assert_eq!(protocol["phones"][0]["is_open"], true, "{text}");
    assert_eq!(protocol["screens"][0]["is_open"], true, "{text}");
    assert_eq!(protocol["event_unchanged"], true, "{text}");
    assert!(database(at) == before, "the event's database is another");
    assert!(!at.join("event.sqlite-rehearsal").exists(), "no copy is left, also of the killed one");
}
