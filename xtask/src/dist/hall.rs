//! The smallest hall: an adjudicator and a hub of the program that was packed find each other, the hub's table is on the
//! adjudicator's pages, and both stop when they are asked to.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::Path,
    thread,
    time::Instant,
};

use super::{
    built::{Built, command},
    running::{LOOK_EVERY, PATIENCE, Running},
};

/// Longest answer that is read; the largest is the pages' program.
const LONGEST_ANSWER: u64 = 4 << 20;

/// A hub with lights and a lever, which it cannot have here, and nothing to plug in.
fn hub(broker_port: u16) -> String {
    format!(
        r#"
[hub]
id = "smoke"
journal = "smoke.sqlite"
ports = []
[broker]
host = "127.0.0.1"
port = {broker_port}
[gpio]
ok_led = 17
[[table]]
name = "by-the-door"
rulebook = "us-chess-bughouse-2018"
base_s = 300
[[table.node]]
board = "A"
kind = "board"
node = "board-1"
[[table.lever]]
board = "A"
pin = 5
"#
    )
}

fn adjudicator(broker_port: u16) -> String {
    format!(
        "[event]\nname = \"Smoke\"\n[http]\naddress = \"127.0.0.1:0\"\n\
         [broker]\naddress = \"127.0.0.1:{broker_port}\"\n"
    )
}

/// Opens the hall in `folder` and closes it again.
///
/// # Errors
///
/// What did not happen, and what the program said meanwhile.
pub(super) fn open_and_close(built: &Built, program: &Path, folder: &Path) -> Result<(), String> {
    let broker_port = free_port()?;
    write(&folder.join("adjudicator.toml"), &adjudicator(broker_port))?;
    write(&folder.join("hub.toml"), &hub(broker_port))?;
    let start = |name, subcommand: &str, configuration: &str| {
        let mut command = command(built, program, folder);
        Running::start(name, command.args([subcommand, "--config", configuration]))
    };
    let mut adjudicator = start("the adjudicator", "serve", "adjudicator.toml")?;
    let [line] = adjudicator.hear(["pages at http://"])?;
    let address = line.rsplit("http://").next().unwrap_or_default().trim().to_owned();
    let mut hub = start("the hub", "hub", "hub.toml")?;
    hub.hear(["the hub runs", "no Raspberry Pi", "the adjudicator is there"])?;
    let shown = wait_for_table(&address).and_then(|()| see_pages(&address));
    shown.map_err(|wrong| adjudicator.complaint(&wrong))?;
    hub.stop()?;
    adjudicator.stop()
}

/// Waits until the hub's table is shown, with a hub that is there.
fn wait_for_table(address: &str) -> Result<(), String> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let round = ask(address, "/api/v1/round")?;
        if round.contains(r#""table":"by-the-door""#) && round.contains(r#""sensors":"live""#) {
            return Ok(());
        }
        if Instant::now() > deadline {
            return Err(format!("does not show the hub's table but\n{round}"));
        }
        thread::sleep(LOOK_EVERY);
    }
}

/// The pages are inside the program, with what they load.
fn see_pages(address: &str) -> Result<(), String> {
    let page = ask(address, "/")?;
    let script = page.split('"').find(|word| word.starts_with("/assets/") && word.ends_with(".js"));
    let script = script.ok_or_else(|| format!("has no pages but\n{page}"))?;
    ask(address, script).map(drop)
}

/// An answer's body.
fn ask(address: &str, path: &str) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("did not answer GET {path}: {error}");
    let mut stream = TcpStream::connect(address).map_err(failed)?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(failed)?;
    // This version, so that the other side closes the connection after its answer.
    write!(stream, "GET {path} HTTP/1.0\r\nHost: {address}\r\n\r\n").map_err(failed)?;
    let mut answer = Vec::new();
    stream.take(LONGEST_ANSWER).read_to_end(&mut answer).map_err(failed)?;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    match answer.split_once("\r\n\r\n") {
        Some((head, body)) if head.starts_with("HTTP/1.0 200 ") && !body.is_empty() => {
            Ok(body.to_owned())
        }
        _ => Err(format!("answered GET {path} with\n{answer}")),
    }
}

/// A port of this machine that nobody uses.
fn free_port() -> Result<u16, String> {
    TcpListener::bind(("127.0.0.1", 0))
        .and_then(|listener| listener.local_addr())
        .map(|address| address.port())
        .map_err(|error| format!("no port is free: {error}"))
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    fs::write(file, text).map_err(|error| format!("{} cannot be written: {error}", file.display()))
}
