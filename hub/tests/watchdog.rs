//! systemd's watchdog at a real socket: a hub feeds it only while every task of it moves.
//!
//! The hub runs in a process of its own, because systemd speaks to it through its environment. What hangs is the pin that switches
//! a half-duplex line to send: a device of the machine, on which the port's task waits as on any.

#[path = "support/node.rs"]
mod node;

use std::convert::Infallible;
use std::io::{BufRead as _, BufReader};
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use embedded_hal::digital::{ErrorType, OutputPin};
use hub::gpio::{Bank, GpioError, Input, OnChange, Output};
use hub::{Config, HubClock};
use node::{INITIAL, TestBoard};
use tokio_util::sync::CancellationToken;

/// How long anything may take that must come.
const PATIENCE: Duration = Duration::from_secs(120);
/// The hub's process is told its folder by this name.
const FOLDER: &str = "WATCHDOG_TEST_FOLDER";
/// While this file is in the folder the pin hangs.
const HANG: &str = "hang";
/// When this file is in the folder the hub stops.
const STOP: &str = "stop";
/// The shortest limit for which the hub's tasks show themselves often enough.
const LIMIT: Duration = Duration::from_secs(6);

/// systemd, as far as a hub hears and tells it.
struct Systemd {
    folder: tempfile::TempDir,
    socket: UnixDatagram,
    hub: Child,
    /// What the hub logs.
    log: Receiver<String>,
}

impl Systemd {
    fn start_hub() -> Systemd {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let socket = UnixDatagram::bind(&path).unwrap();
        let mut hub = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "a_hub_with_a_pin_that_can_hang", "--ignored", "--nocapture"])
            .env(FOLDER, folder.path())
            .env("NOTIFY_SOCKET", &path)
            .env("WATCHDOG_USEC", LIMIT.as_micros().to_string())
            .env_remove("WATCHDOG_PID")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, log) = channel();
        let lines = BufReader::new(hub.stdout.take().unwrap()).lines();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                // Whoever has heard enough has gone.
                drop(sender.send(line));
            }
        });
        Systemd { folder, socket, hub, log }
    }

    /// Waits until the hub says something.
    fn hear(&self, word: &str) {
        self.socket.set_read_timeout(Some(PATIENCE)).unwrap();
        self.socket.set_nonblocking(false).unwrap();
        while !self.datagram().expect("waited in vain for the hub").contains(&word.to_owned()) {}
    }

    /// What the hub has said and was not heard yet.
    fn heard_meanwhile(&self) -> Vec<String> {
        self.socket.set_nonblocking(true).unwrap();
        std::iter::from_fn(|| self.datagram()).flatten().collect()
    }

    /// The assignments of the next message.
    fn datagram(&self) -> Option<Vec<String>> {
        let mut buffer = [0; 1_024];
        let length = self.socket.recv(&mut buffer).ok()?;
        let text = String::from_utf8_lossy(&buffer[..length]);
        Some(text.lines().map(str::to_owned).collect())
    }

    /// Waits for a line of the hub's log.
    fn read_log(&self, words: &str) -> String {
        loop {
            let line = self.log.recv_timeout(PATIENCE).expect("waited in vain for the hub's log");
            if line.contains(words) {
                return line;
            }
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

impl Drop for Systemd {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.hub.kill());
        drop(self.hub.wait());
    }
}

#[test]
fn the_watchdog_is_fed_while_every_task_moves_and_again_when_one_that_hung_goes_on() {
    let mut systemd = Systemd::start_hub();
    systemd.hear("READY=1");
    systemd.hear("WATCHDOG=1");
    std::fs::write(systemd.file(HANG), "").unwrap();
    systemd.log.try_iter().for_each(drop);
    // The first time that something is missed may be about a while that began before the hang, and about another task that was late on a
    // busy machine; the second is about the hang.
    let missed = [(); 2].map(|()| systemd.read_log("no progress in"));
    let named = missed.iter().any(|line| line.contains("/line"));
    assert!(named, "it is the port's task that hangs: {missed:?}");
    systemd.heard_meanwhile();
    for _ in 0..2 {
        systemd.read_log("no progress in");
    }
    assert_eq!(systemd.heard_meanwhile(), Vec::<String>::new(), "not while it hangs");
    std::fs::remove_file(systemd.file(HANG)).unwrap();
    systemd.hear("WATCHDOG=1");
    std::fs::write(systemd.file(STOP), "").unwrap();
    systemd.hear("STOPPING=1");
    assert!(systemd.hub.wait().unwrap().success());
}

/// A machine whose pins wait while they are told to.
struct HangingPins(PathBuf);

struct HangingPin(PathBuf);

impl HangingPin {
    fn wait(&self) {
        while self.0.exists() {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl ErrorType for HangingPin {
    type Error = Infallible;
}

impl OutputPin for HangingPin {
    fn set_low(&mut self) -> Result<(), Infallible> {
        Ok(())
    }

    fn set_high(&mut self) -> Result<(), Infallible> {
        self.wait();
        Ok(())
    }
}

impl Bank for HangingPins {
    fn output(&mut self, _pin: u8) -> Result<Output, GpioError> {
        Ok(Box::new(HangingPin(self.0.clone())))
    }

    fn input(&mut self, pin: u8, _on_change: OnChange) -> Result<Box<dyn Input>, GpioError> {
        Err(GpioError::Pin { pin, why: "it has no inputs".to_owned() })
    }
}

#[test]
#[ignore = "the hub's own process in the test above"]
fn a_hub_with_a_pin_that_can_hang() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    tracing_subscriber::fmt().with_ansi(false).init();
    let config = config(&folder);
    let pins: Box<dyn Bank> = Box::new(HangingPins(folder.join(HANG)));
    let board = TestBoard::start(&folder.join("line"), "board-1", 7);
    let shutdown = CancellationToken::new();
    let stop = shutdown.clone();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap();
    let hub =
        runtime.spawn(hub::run_with_pins(config, HubClock::real(), Ok(pins), shutdown.clone()));
    // A piece is lifted and put back, so that the hub has something to acknowledge.
    let mut squares = INITIAL;
    while !folder.join(STOP).exists() {
        squares ^= 1;
        board.squares(squares);
        std::thread::sleep(Duration::from_millis(100));
    }
    stop.cancel();
    runtime.block_on(hub).unwrap().unwrap();
}

fn config(folder: &Path) -> Config {
    let (journal, line) = (folder.join("hub.sqlite"), folder.join("line"));
    let text = format!(
        "[hub]\nid = \"hub-1\"\njournal = {journal:?}\nports = []\n[broker]\nhost = \"127.0.0.1\"\nport = 9\n\
         [[gpio.rs485]]\nport = {line:?}\ndirection = 18\n\
         [[table]]\nname = \"1\"\nrulebook = \"us-chess-bughouse-2018\"\nbase_s = 300\n\
         [[table.node]]\nboard = \"A\"\nkind = \"board\"\nnode = \"board-1\"\nport = {line:?}\n"
    );
    Config::parse(Path::new("hub.toml"), &text).unwrap()
}
