//! The chief's update of all nodes through the real programs: page, adjudicator, hub and a node that is written, started again and kept.
//!
//! The node at the line runs the shipped firmware and loader on a simulated flash chip. The other nodes have no second place for an image: the
//! chief gets each of them with what to do. While a match is played nothing is updated.

#[path = "../../hub/core/tests/update/flash.rs"]
#[allow(dead_code, reason = "this test cuts no power")]
mod flash;
#[path = "../../hub/core/tests/update/node.rs"]
#[allow(dead_code, reason = "this test cuts no power")]
mod node;

use std::{
    fs::{self, File},
    io::{Read as _, Write as _},
    os::fd::OwnedFd,
    path::Path,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use hub_core::HubTime;
use nix::{
    fcntl::{FcntlArg, OFlag, fcntl},
    pty::openpty,
    sys::termios::{SetArg, cfmakeraw, tcgetattr, tcsetattr},
};
use node::{End, NAME, SimNode, as_node_image, image};
use proto::link::{IMAGE_ADDRESS, Side};
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use sim::real_time::{Touch, Workbench, WorkbenchNode};

use crate::program::{PATIENCE, Program, free_port};

const TOKEN: &str = "a token of the organiser's, long enough";
/// Sectors of the images: some seconds of a line at 115,200 baud.
const SECTORS: usize = 8;
/// Number of the node at the line, from which it has its name.
const NODE: u64 = 77;
const OLD: &str = "0.0.9";
const NEW: &str = "0.2.0";
/// Time until the hub has given up the nodes that do not answer, each request 15 times.
const UPDATE_MAX: Duration = Duration::from_secs(60);

/// The node's end of a pseudo-terminal.
struct Line {
    terminal: File,
    /// The other end: as long as it is open, so is this one.
    _other: OwnedFd,
}

impl Line {
    /// A new pseudo-terminal, at this path for the hub.
    fn open(path: &Path) -> Line {
        let pair = openpty(None, None).expect("a pseudo-terminal");
        let mut settings = tcgetattr(&pair.slave).expect("settings");
        cfmakeraw(&mut settings);
        tcsetattr(&pair.slave, SetArg::TCSANOW, &settings).expect("raw");
        fcntl(&pair.master, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).expect("set");
        let name = nix::unistd::ttyname(&pair.slave).expect("a name");
        std::os::unix::fs::symlink(name, path).expect("linked");
        Line { terminal: File::from(pair.master), _other: pair.slave }
    }
}

impl End for Line {
    fn poll(&mut self, _: HubTime) {}

    fn transmit(&mut self, _: HubTime, out: &mut [u8]) -> usize {
        self.terminal.read(out).unwrap_or(0)
    }

    fn receive(&mut self, _: HubTime, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            match self.terminal.write(bytes) {
                Ok(written) => bytes = &bytes[written..],
                // A hub that does not read: the rest is lost, as on a real line.
                Err(_) => return,
            }
        }
    }

    fn is_done(&self) -> bool {
        false
    }
}

/// The node, which runs until this is dropped.
struct AtLine {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Vec<u8>>>,
}

impl AtLine {
    fn start(path: &Path) -> AtLine {
        let mut line = Line::open(path);
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            let mut node = SimNode::new(&image(NAME, OLD, SECTORS), NODE);
            node.start();
            let begun = Instant::now();
            while !stopped.load(Ordering::Relaxed) {
                node.now_us = node.now_us.max(begun.elapsed().as_micros() as u64);
                if !node.exchange(&mut line) {
                    thread::sleep(Duration::from_millis(1));
                }
            }
            node.slot()
        });
        AtLine { stop, thread: Some(thread) }
    }

    /// The image that it runs in the end.
    fn slot(mut self) -> Vec<u8> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().expect("it runs").join().expect("no panic")
    }
}

/// A UF2 file of an image, as a release brings it.
fn uf2(image: &[u8]) -> Vec<u8> {
    let pages: Vec<&[u8]> = image.chunks(256).collect();
    let block = |(number, page): (usize, &&[u8])| {
        let (number, count) = (number as u32, pages.len() as u32);
        let head = [0x0a32_4655, 0x9e5d_5157, 0x2000, IMAGE_ADDRESS + 256 * number];
        let rest = [page.len() as u32, number, count, 0xe48b_ff56];
        let words = head.into_iter().chain(rest);
        let mut block: Vec<u8> = words.flat_map(|word: u32| word.to_le_bytes()).collect();
        block.extend_from_slice(page);
        block.resize(508, 0);
        block.extend(0x0ab1_6f30_u32.to_le_bytes());
        block
    };
    pages.iter().enumerate().flat_map(block).collect()
}

/// The program with a folder of images beside it, as in an unpacked tarball.
fn installed(folder: &Path, image: &[u8]) -> Command {
    let (built, program) = (env!("CARGO_BIN_EXE_twinboard"), folder.join("twinboard"));
    if fs::hard_link(built, &program).is_err() {
        fs::copy(built, &program).expect("room for the program");
    }
    fs::create_dir(folder.join("firmware")).expect("a folder");
    fs::write(folder.join(format!("firmware/{NAME}.uf2")), uf2(image)).expect("an image");
    Command::new(program)
}

/// The chief's device.
struct Chief {
    http: String,
    client: Client,
    cookie: String,
    key: String,
}

impl Chief {
    async fn paired(http: String) -> Chief {
        let client = Client::new();
        let wish = json!({ "person": "Ann", "rank": "chief", "scope": {} });
        let invite =
            || client.post(format!("{http}/api/v1/td/invitations")).bearer_auth(TOKEN).json(&wish);
        let begun = Instant::now();
        let invitation: Value = loop {
            match invite().send().await {
                Ok(answer) => break answer.json().await.expect("JSON"),
                Err(error) => assert!(begun.elapsed() < PATIENCE, "{error}"),
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        };
        let (_, token) =
            invitation["path"].as_str().expect("a path").split_once('#').expect("a token");
        let body = json!({ "token": token, "pin": invitation["pin"], "label": "a test" });
        let answer = client.post(format!("{http}/api/v1/td/pair")).json(&body).send().await;
        let answer = answer.expect("an answer");
        let cookie = answer.headers()["set-cookie"].to_str().expect("text");
        let cookie = cookie.split(';').next().expect("a cookie").to_owned();
        let answer: Value = answer.json().await.expect("JSON");
        let key = answer["key"].as_str().expect("a key").to_owned();
        Chief { http, client, cookie, key }
    }

    async fn update_nodes(&self, key: &str) -> (StatusCode, String) {
        let act = json!({ "key": key, "deed": { "of": "update-nodes" } });
        let request = self.client.post(format!("{}/api/v1/td/acts", self.http)).json(&act);
        let request = request.header("cookie", &self.cookie).header("x-twinboard-key", &self.key);
        let answer = request.send().await.expect("an answer");
        (answer.status(), answer.text().await.expect("text"))
    }

    /// Waits until what the directors' page gets at this path is as wanted.
    async fn until(&self, path: &str, is_wanted: impl Fn(&str) -> bool) -> String {
        let begun = Instant::now();
        loop {
            let request = self.client.get(format!("{}{path}", self.http)).bearer_auth(TOKEN);
            let answer = request.send().await.expect("an answer").text().await.expect("text");
            if is_wanted(&answer) {
                return answer;
            }
            assert!(begun.elapsed() < UPDATE_MAX, "not as wanted: {answer}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

fn configurations(folder: &Path, http_port: u16, broker_port: u16) {
    let token = folder.join("td-token");
    adjudicator::pki::secrets::write(&token, TOKEN).expect("a token's file");
    let serve = format!(
        "[event]\nname = \"Update\"\n[http]\naddress = \"127.0.0.1:{http_port}\"\ntd_token_file = {token:?}\n\
         [broker]\naddress = \"127.0.0.1:{broker_port}\"\n"
    );
    fs::write(folder.join("serve.toml"), serve).expect("a configuration");
    let mut hub = format!(
        "[hub]\nid = \"hub-1\"\njournal = {:?}\n[broker]\nhost = \"127.0.0.1\"\nport = {broker_port}\n",
        folder.join("hub.sqlite"),
    );
    let tables = [("1", "board-1", "clock-1"), ("2", "board-2", &*format!("clock-{NODE}"))];
    for (table, board, clock) in tables {
        hub += &format!(
            "[[table]]\nname = {table:?}\ngame = \"chess\"\nrulebook = \"us-chess-blitz-2020\"\nbase_s = 300\n"
        );
        for (kind, node) in [("board", board), ("clock", clock)] {
            hub += &format!(
                "[[table.node]]\nboard = \"A\"\nkind = {kind:?}\nnode = {node:?}\nport = {:?}\n",
                folder.join(node),
            );
        }
    }
    fs::write(folder.join("hub.toml"), hub).expect("a configuration");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chief_updates_the_nodes_between_matches_and_gets_each_that_failed() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let (http_port, broker_port) = (free_port(), free_port());
    configurations(at, http_port, broker_port);
    let board = |name: &str| WorkbenchNode::Board {
        name: name.to_owned(),
        trays: false,
        faults: Vec::new(),
    };
    let nodes = vec![
        board("board-1"),
        board("board-2"),
        WorkbenchNode::Clock { name: "clock-1".to_owned() },
    ];
    let bench = Workbench::start(at, nodes, 1).expect("a bench");
    let node = AtLine::start(&at.join(format!("clock-{NODE}")));
    let wanted = image(NAME, NEW, SECTORS);
    assert_eq!(as_node_image(&wanted).header.firmware, NEW);
    let adjudicator = Program::configured(at, "serve");
    let mut hub = installed(at, &wanted);
    hub.args(["hub", "--config"]).arg(at.join("hub.toml")).env_remove("RUST_LOG");
    let hub = Program::start(hub, &at.join("hub.log"));
    let chief = Chief::paired(format!("http://127.0.0.1:{http_port}")).await;
    let alerts = "/api/v1/td/alerts";
    // Both tables are there before the chief touches the button: matches are set up, none is played.
    let both = |round: &str| round.contains("\"table\":\"1\"") && round.contains("\"table\":\"2\"");
    chief.until("/api/v1/round", both).await;

    let (status, answer) = chief.update_nodes("first").await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let listed = chief
        .until(alerts, |it| {
            it.contains("node board-1 was not updated") && !it.contains("being updated")
        })
        .await;
    for part in ["node board-2 was not updated", "node clock-1 was not updated", "flash it"] {
        assert!(listed.contains(part), "{part}: {listed}\n{}", hub.log());
    }
    assert!(!listed.contains(&format!("clock-{NODE}")), "{listed}");
    assert!(!listed.contains("has not reported the end"), "{listed}");
    hub.until_it_says(NEW);

    bench.touch("clock-1", Touch::Lever(Side::Black)).await.expect("pressed");
    let begun = Instant::now();
    let refused = loop {
        // The press is on its way to the adjudicator; until then the hubs get a request that changes nothing.
        let (status, answer) = chief.update_nodes(&format!("{:?}", begun.elapsed())).await;
        if status != StatusCode::OK {
            break answer;
        }
        assert!(begun.elapsed() < PATIENCE, "it is not refused: {answer}");
        tokio::time::sleep(Duration::from_millis(500)).await;
    };
    assert!(refused.contains("matches are played at a table (1)"), "{refused}");
    drop((hub, adjudicator));
    assert!(node::holds(&node.slot(), &wanted), "the new image runs");
}
