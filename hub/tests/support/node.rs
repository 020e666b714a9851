//! Nodes with the real firmware behind pseudo-terminals.

#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::pty::openpty;
use nix::unistd::ttyname;
use node_firmware::{BoardConfig, BoardNode, BoardReading, EventMemory, Identity};
use proto::link::NodeTime;

/// Both players' pieces on their first two ranks.
pub const INITIAL: u64 = 0xffff_0000_0000_ffff;

/// A pseudo-terminal: our end, and the path of the hub's end, which is a link that stays the same
/// when the "cable" is plugged in again.
pub struct Cable {
    path: PathBuf,
    device: PathBuf,
    pub end: File,
    // Kept open, so that our end can be written to before the hub opens its own.
    _hub_end: OwnedFd,
}

impl Cable {
    pub fn plug_in(path: &Path) -> Cable {
        let pair = openpty(None, None).unwrap();
        let name = ttyname(&pair.slave).unwrap();
        drop(std::fs::remove_file(path));
        std::os::unix::fs::symlink(&name, path).unwrap();
        fcntl(&pair.master, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).unwrap();
        raw(&pair.slave);
        let path = path.to_owned();
        Cable { path, device: name, end: File::from(pair.master), _hub_end: pair.slave }
    }
}

impl Drop for Cable {
    /// The name goes with the device, or it would lead to the next one.
    fn drop(&mut self) {
        if std::fs::read_link(&self.path).is_ok_and(|device| device == self.device) {
            drop(std::fs::remove_file(&self.path));
        }
    }
}

/// No echo, no translation, as a serial port has none.
fn raw(fd: &OwnedFd) {
    use nix::sys::termios::{SetArg, cfmakeraw, tcgetattr, tcsetattr};
    let mut settings = tcgetattr(fd).unwrap();
    cfmakeraw(&mut settings);
    tcsetattr(fd, SetArg::TCSANOW, &settings).unwrap();
}

enum Order {
    Squares(u64),
    Garbage(Vec<u8>),
    Unplug,
    PlugIn(PathBuf),
}

/// A board node that runs its firmware in a thread.
pub struct TestBoard {
    orders: Sender<Order>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl TestBoard {
    /// A board in the initial position, plugged in at `path`.
    pub fn start(path: &Path, node_id: &str, boot_id: u32) -> TestBoard {
        let identity = Identity::new(node_id.parse().unwrap(), boot_id);
        let node = BoardNode::new(identity, BoardConfig::default(), EventMemory::default());
        let (orders, receiver) = channel();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let cable = Cable::plug_in(path);
        let thread = std::thread::spawn(move || run(node, cable, &receiver, &stopped));
        TestBoard { orders, stop, thread: Some(thread) }
    }

    /// The board's squares from now on.
    pub fn squares(&self, squares: u64) {
        self.orders.send(Order::Squares(squares)).unwrap();
        // Longer than the debounce time, so that each order is a change of its own.
        std::thread::sleep(Duration::from_millis(15));
    }

    /// Bytes on the line that no node sent.
    pub fn garbage(&self, bytes: &[u8]) {
        self.orders.send(Order::Garbage(bytes.to_owned())).unwrap();
    }

    pub fn unplug(&self) {
        self.orders.send(Order::Unplug).unwrap();
    }

    pub fn plug_in(&self, path: &Path) {
        self.orders.send(Order::PlugIn(path.to_owned())).unwrap();
    }
}

impl Drop for TestBoard {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn run(mut node: BoardNode, cable: Cable, orders: &Receiver<Order>, stop: &AtomicBool) {
    let started = Instant::now();
    let mut cable = Some(cable);
    let mut squares = INITIAL;
    while !stop.load(Ordering::Relaxed) {
        while let Ok(order) = orders.try_recv() {
            match order {
                Order::Squares(now) => squares = now,
                Order::Garbage(bytes) => {
                    drop(cable.as_mut().map(|cable| cable.end.write_all(&bytes)))
                }
                Order::Unplug => cable = None,
                Order::PlugIn(path) => cable = Some(Cable::plug_in(&path)),
            }
        }
        let now = NodeTime::from_micros(u64::try_from(started.elapsed().as_micros()).unwrap());
        node.observe(now, BoardReading { squares, ..BoardReading::default() });
        let mut buffer = [0; 256];
        match &mut cable {
            Some(cable) => {
                while let Ok(length @ 1..) = cable.end.read(&mut buffer) {
                    node.receive(&buffer[..length]);
                }
                loop {
                    let length = node.transmit(&mut buffer);
                    if length == 0 || cable.end.write_all(&buffer[..length]).is_err() {
                        break;
                    }
                }
            }
            // A node without a cable talks to nobody.
            None => while node.transmit(&mut buffer) > 0 {},
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}
