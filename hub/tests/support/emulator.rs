//! A node's image in QEMU: the firmware on the processor it is meant for, with its serial line on a pseudo-terminal and its
//! switches in memory, which QEMU's own test socket sets while the firmware runs.
//!
//! Where each word lies is said in `node-firmware/images/emulated/src/panel.rs`.

#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Environment variable with the folder of the images, as `cargo xtask images` leaves them.
const IMAGES: &str = "TWINBOARD_IMAGES";
const QEMU: &str = "qemu-system-arm";
/// How long QEMU may take to start.
const START_MAX: Duration = Duration::from_secs(20);
/// Longer than a switch must hold to count, in the node's time, µs.
const DEBOUNCED_US: u32 = 6_000;
/// How long a node may take to read its switches, on a machine that hardly gives it the processor.
const READ_MAX: Duration = Duration::from_secs(20);

const PANEL: u32 = 0x2000_3f00;
const SEED: u32 = PANEL;
const NUMBER: u32 = PANEL + 0x04;
const STRAPS: u32 = PANEL + 0x08;
const ORDER: u32 = PANEL + 0x0c;
const ROW: u32 = PANEL + 0x10;
const CONTACTS: u32 = PANEL + 0x44;
const OUTPUTS: u32 = PANEL + 0x48;
const TURN: u32 = PANEL + 0x4c;
const NO_TRAYS: u32 = 1;

/// Bits of a clock's contacts.
pub const LEVER: u32 = 1;
pub const PAUSE: u32 = 1 << 7;

/// What is emulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// QEMU's name for it.
    pub name: &'static str,
    /// How its images' names begin.
    pub images: &'static str,
}

/// The lm3s6965evb.
pub const CORTEX_M3: Machine = Machine { name: "lm3s6965evb", images: "lm3s6965" };
/// The microbit.
pub const CORTEX_M0: Machine = Machine { name: "microbit", images: "microbit" };

/// What a node watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Board,
    Clock,
}

impl Kind {
    pub const fn word(self) -> &'static str {
        match self {
            Kind::Board => "board",
            Kind::Clock => "clock",
        }
    }
}

/// The switches of a node, as they are set from outside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    /// Closed switches under the squares, a1 first.
    pub squares: u64,
    /// A clock's closed contacts.
    pub contacts: u32,
}

impl Switches {
    /// Words and what they hold.
    fn words(self) -> impl Iterator<Item = (u32, u32)> {
        let rank = move |rank: u32| (ROW + 4 * rank, (self.squares >> (8 * rank)) as u32 & 0xff);
        (0..8).map(rank).chain([(CONTACTS, self.contacts)])
    }
}

/// A node that runs in QEMU until it is dropped.
pub struct Emulator {
    machine: Machine,
    kind: Kind,
    number: u32,
    folder: PathBuf,
    starts: u32,
    switches: Switches,
    /// Switches were set, and nobody has waited until they counted.
    unread: bool,
    running: Option<Running>,
}

struct Running {
    child: Child,
    orders: BufReader<UnixStream>,
}

fn images() -> PathBuf {
    let folder = std::env::var_os(IMAGES);
    folder
        .map(PathBuf::from)
        .unwrap_or_else(|| panic!("{IMAGES} does not name the folder of the images"))
}

impl Emulator {
    /// Starts a node whose port is a link in `folder`.
    pub fn start(
        machine: Machine,
        kind: Kind,
        number: u32,
        folder: &Path,
        switches: Switches,
    ) -> Emulator {
        let folder = folder.to_owned();
        let (starts, unread, running) = (0, false, None);
        let mut emulator =
            Emulator { machine, kind, number, folder, starts, switches, unread, running };
        emulator.power_up();
        emulator
    }

    /// The name its HELLO tells.
    pub fn node_id(&self) -> String {
        format!("{}-{:08x}", self.kind.word(), self.number)
    }

    /// Where the hub finds it.
    pub fn port(&self) -> PathBuf {
        self.folder.join(self.node_id())
    }

    /// Sets its switches.
    pub fn set(&mut self, switches: Switches) {
        let before: Vec<_> = self.switches.words().collect();
        let changed: Vec<_> =
            switches.words().zip(before).filter(|(now, before)| now != before).collect();
        self.switches = switches;
        self.unread = true;
        for ((address, word), _) in changed {
            self.write(address, word);
        }
    }

    /// Waits until the node has read the switches as they are set, and they have held for long enough to count. QEMU may have to wait
    /// for the processor when nobody else does; a change that is taken back meanwhile is never seen.
    pub fn await_read(&mut self) {
        if !std::mem::take(&mut self.unread) {
            return;
        }
        let deadline = Instant::now() + READ_MAX;
        // The first turn to end may have begun before the switches were set, the second has read them.
        for _ in 0..2 {
            let Some(before) = self.turn_us() else { return };
            self.await_turn(deadline, |turn| turn != before);
        }
        let Some(read) = self.turn_us() else { return };
        self.await_turn(deadline, |turn| turn.wrapping_sub(read) >= DEBOUNCED_US);
    }

    fn await_turn(&mut self, deadline: Instant, reached: impl Fn(u32) -> bool) {
        while self.turn_us().is_some_and(|turn| !reached(turn)) {
            assert!(Instant::now() < deadline, "{} does not read its switches", self.node_id());
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// When the latest turn of its main loop began, in its own time; none while there is no power.
    fn turn_us(&mut self) -> Option<u32> {
        let answer = self.ask(&format!("readl {TURN:#x}"))?;
        let word = answer.strip_prefix("OK 0x").and_then(|word| u64::from_str_radix(word, 16).ok());
        Some(word.unwrap_or_else(|| panic!("QEMU reads {answer:?}")) as u32)
    }

    /// Its switches as they are set.
    pub fn switches(&self) -> Switches {
        self.switches
    }

    /// Makes the firmware panic.
    pub fn provoke_panic(&mut self) {
        self.write(ORDER, 1);
    }

    /// Whether its light is on.
    pub fn light(&mut self) -> bool {
        self.ask(&format!("readl {OUTPUTS:#x}")).is_some_and(|answer| answer.ends_with('1'))
    }

    /// The plug is pulled, as a power cut would.
    pub fn kill(&mut self) {
        self.unread = false;
        if let Some(mut running) = self.running.take() {
            // Its terminal's number goes to whichever emulator starts next, maybe another test's: no hub may be led there.
            std::fs::remove_file(self.port()).unwrap();
            running.child.kill().unwrap();
            running.child.wait().unwrap();
        }
    }

    /// Power is back: the firmware starts anew, with the switches as they are set now.
    pub fn power_up(&mut self) {
        self.kill();
        self.starts += 1;
        let socket = self.folder.join(format!("{}-{}.qtest", self.node_id(), self.starts));
        let listener = UnixListener::bind(&socket).unwrap();
        let image = format!("{}-{}.elf", self.machine.images, self.kind.word());
        let mut command = Command::new(QEMU);
        command
            .args(["-M", self.machine.name, "-accel", "tcg", "-display", "none"])
            .args(["-monitor", "none", "-serial", "pty", "-qtest-log", "none"])
            .arg("-qtest")
            .arg(format!("unix:{}", socket.display()))
            .arg("-kernel")
            .arg(images().join(image));
        let seed = (SEED, self.number.wrapping_mul(1_000).wrapping_add(100 * self.starts));
        let set = [seed, (NUMBER, self.number), (STRAPS, NO_TRAYS)];
        for (address, word) in set.into_iter().chain(self.switches.words()) {
            let loader = format!("loader,addr={address:#x},data={word:#x},data-len=4");
            command.args(["-device", &loader]);
        }
        let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut child = child.unwrap_or_else(|error| panic!("{QEMU} cannot be started: {error}"));
        let terminal = terminal(&mut child);
        let stream = accept(&listener);
        relink(Path::new(&terminal), &self.port());
        self.running = Some(Running { child, orders: BufReader::new(stream) });
    }

    fn write(&mut self, address: u32, word: u32) {
        self.ask(&format!("writel {address:#x} {word:#x}"));
    }

    /// QEMU's answer to an order; none while there is no power.
    fn ask(&mut self, order: &str) -> Option<String> {
        let running = self.running.as_mut()?;
        running.orders.get_mut().write_all(format!("{order}\n").as_bytes()).unwrap();
        let mut answer = String::new();
        running.orders.read_line(&mut answer).unwrap();
        assert!(answer.starts_with("OK"), "QEMU answered {order:?} with {answer:?}");
        Some(answer.trim_end().to_owned())
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The pseudo-terminal that QEMU says the serial line is on.
fn terminal(child: &mut Child) -> String {
    let mut output = BufReader::new(child.stdout.take().unwrap());
    loop {
        let mut line = String::new();
        assert!(
            output.read_line(&mut line).unwrap() > 0,
            "QEMU ended before it named its terminal"
        );
        let words = line.split_whitespace();
        if let Some(terminal) = words.into_iter().find(|word| word.starts_with("/dev/")) {
            return terminal.to_owned();
        }
    }
}

fn accept(listener: &UnixListener) -> UnixStream {
    listener.set_nonblocking(true).unwrap();
    let deadline = Instant::now() + START_MAX;
    loop {
        if let Ok((stream, _)) = listener.accept() {
            stream.set_nonblocking(false).unwrap();
            stream.set_read_timeout(Some(START_MAX)).unwrap();
            return stream;
        }
        assert!(Instant::now() < deadline, "QEMU does not open its test socket");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Points a link at another place without a moment in which it is not there.
fn relink(target: &Path, link: &Path) {
    let fresh = link.with_extension("new");
    std::os::unix::fs::symlink(target, &fresh).unwrap();
    std::fs::rename(&fresh, link).unwrap();
}
