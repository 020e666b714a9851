//! The main loop of every image, as one piece: it scans on the beat, serves the line, writes the display, and feeds the watchdog. It
//! feeds the watchdog only while scans succeed.

use embedded_hal::digital::OutputPin;
use proto::link::NodeTime;

use crate::board::BoardNode;
use crate::clock::ClockNode;
use crate::face::ShowClock;
use crate::inputs::{InputError, ReadBoard};
use crate::link::LinkSession;
use crate::pins::ReadClock;
use crate::squares::Squares;
use crate::update::{ImageSlot, Update};

/// Time between two scans, in µs. A change waits for the next scan at most, counts at the first scan after its debounce time and is
/// sent at once. That is less than two beats and two scans, which stay below the two milliseconds that are allowed.
pub const SCAN_INTERVAL_US: u64 = 500;
/// Time between two looks at what the display should show, in µs.
pub const SHOW_INTERVAL_US: u64 = 20_000;
/// Time for which the light is on and then off while a person looks for this node, in µs.
pub const IDENTIFY_BLINK_US: u64 = 200_000;
/// Bytes moved at once.
const CHUNK_BYTES: usize = 64;
/// Bytes taken from the line in one turn: a line that never falls silent must not keep the scan waiting.
const RECEIVED_MAX: usize = 4 * CHUNK_BYTES;

/// A node with its wiring, as the main loop drives it.
pub trait Node {
    /// Reads the contacts and lets time pass to `now`.
    ///
    /// # Errors
    /// If they cannot be read; time passes all the same.
    fn poll(&mut self, now: NodeTime) -> Result<(), InputError>;

    /// Writes a piece of the display's contents; half a millisecond at most.
    fn show(&mut self, now: NodeTime);

    /// Takes bytes from the line.
    fn receive(&mut self, bytes: &[u8]);

    /// Moves bytes for the line into `out`; returns how many.
    fn transmit(&mut self, out: &mut [u8]) -> usize;

    /// Whether a person is looking for this node right now.
    fn is_identifying(&self) -> bool;

    /// Whether people play at this node, or did a moment ago: its firmware is not updated then.
    fn is_in_use(&self) -> bool;

    /// The node's end of the link.
    fn link_mut(&mut self) -> &mut LinkSession;
}

/// A node that lies elsewhere: an image keeps it in a place of its own, because it is too large to be handed about on a
/// microcontroller's stack.
impl<N: Node> Node for &mut N {
    fn poll(&mut self, now: NodeTime) -> Result<(), InputError> {
        (**self).poll(now)
    }

    fn show(&mut self, now: NodeTime) {
        (**self).show(now);
    }

    fn receive(&mut self, bytes: &[u8]) {
        (**self).receive(bytes);
    }

    fn transmit(&mut self, out: &mut [u8]) -> usize {
        (**self).transmit(out)
    }

    fn is_identifying(&self) -> bool {
        (**self).is_identifying()
    }

    fn is_in_use(&self) -> bool {
        (**self).is_in_use()
    }

    fn link_mut(&mut self) -> &mut LinkSession {
        (**self).link_mut()
    }
}

/// A serial line that never waits.
pub trait Line {
    /// Moves what has arrived into `bytes`; returns how many.
    fn receive(&mut self, now: NodeTime, bytes: &mut [u8]) -> usize;

    /// Sends as much of `bytes` as the line takes now; returns how many.
    fn send(&mut self, now: NodeTime, bytes: &[u8]) -> usize;
}

/// Watchdog, which restarts the node when it is not fed.
pub trait Watchdog {
    /// All is well.
    fn feed(&mut self);
}

/// A node and those of its bytes that the line has not accepted yet.
#[derive(Debug)]
pub struct MainLoop<N> {
    node: N,
    next_scan: NodeTime,
    bytes: [u8; CHUNK_BYTES],
    sent: usize,
    filled: usize,
}

impl<N: Node> MainLoop<N> {
    /// A loop before its first turn.
    pub const fn new(node: N) -> Self {
        Self { node, next_scan: NodeTime::ZERO, bytes: [0; CHUNK_BYTES], sent: 0, filled: 0 }
    }

    /// Does the work that is due at `now`; returns the latest time of the next call. Call earlier when the line has received bytes or
    /// accepts bytes again. The watchdog is fed after each scan that succeeded: it detects both a blocked loop and unreadable contacts.
    pub fn turn(
        &mut self,
        now: NodeTime,
        line: &mut impl Line,
        light: &mut impl OutputPin,
        watchdog: &mut impl Watchdog,
    ) -> NodeTime {
        let beat = now >= self.next_scan;
        if beat {
            self.next_scan = now.plus_micros(SCAN_INTERVAL_US);
            if self.node.poll(now).is_ok() {
                watchdog.feed();
            }
            let on = self.node.is_identifying()
                && (now.as_micros() / IDENTIFY_BLINK_US).is_multiple_of(2);
            // A light that cannot be lit is no reason to stop.
            let _ = if on { light.set_high() } else { light.set_low() };
        }
        self.receive(now, line);
        self.send(now, line);
        if beat {
            // After the line: what was read is on its way first.
            self.node.show(now);
        }
        self.next_scan
    }

    /// Lets `update` handle the hub's last request about the firmware. Whether the node must restart now.
    pub fn serve_update<S: ImageSlot>(&mut self, now: NodeTime, update: &mut Update<S>) -> bool {
        if let Some(request) = self.node.link_mut().take_update_request() {
            let report = update.handle(now, &request, self.node.is_in_use());
            self.node.link_mut().report_update(report);
        }
        update.must_restart(now)
    }

    fn receive(&mut self, now: NodeTime, line: &mut impl Line) {
        let mut bytes = [0; CHUNK_BYTES];
        for _ in 0..RECEIVED_MAX / CHUNK_BYTES {
            let received = line.receive(now, &mut bytes);
            self.node.receive(bytes.get(..received).unwrap_or(&bytes));
            if received < bytes.len() {
                return;
            }
        }
    }

    fn send(&mut self, now: NodeTime, line: &mut impl Line) {
        loop {
            if self.sent == self.filled {
                self.sent = 0;
                self.filled = self.node.transmit(&mut self.bytes);
            }
            let rest = self.bytes.get(self.sent..self.filled).unwrap_or(&[]);
            let sent = if rest.is_empty() { 0 } else { line.send(now, rest) };
            if sent == 0 {
                return;
            }
            self.sent = (self.sent + sent).min(self.filled);
        }
    }

    /// The node.
    pub const fn node(&self) -> &N {
        &self.node
    }

    /// The node.
    pub const fn node_mut(&mut self) -> &mut N {
        &mut self.node
    }
}

/// A board node with its wiring.
#[derive(Debug)]
pub struct WiredBoard<W, S> {
    /// The node.
    pub node: BoardNode<S>,
    /// Its sensors' wiring.
    pub wiring: W,
}

impl<W, S> Node for WiredBoard<W, S>
where
    S: Squares,
    W: ReadBoard<Squares = S::Raw>,
{
    fn poll(&mut self, now: NodeTime) -> Result<(), InputError> {
        self.node.poll(now, &mut self.wiring)
    }

    fn show(&mut self, _: NodeTime) {}

    fn receive(&mut self, bytes: &[u8]) {
        self.node.receive(bytes);
    }

    fn transmit(&mut self, out: &mut [u8]) -> usize {
        self.node.transmit(out)
    }

    fn is_identifying(&self) -> bool {
        self.node.link().is_identifying()
    }

    fn is_in_use(&self) -> bool {
        self.node.is_in_use()
    }

    fn link_mut(&mut self) -> &mut LinkSession {
        self.node.link_mut()
    }
}

/// A clock node with its contacts, displays and buzzer.
#[derive(Debug)]
pub struct WiredClock<C, D, B> {
    /// The node.
    pub node: ClockNode,
    /// Its contacts.
    pub contacts: C,
    /// Its display.
    pub display: D,
    /// Its buzzer: sounds while high.
    pub buzzer: B,
    show_at: NodeTime,
}

impl<C, D, B> WiredClock<C, D, B> {
    /// A clock before its first reading.
    pub const fn new(node: ClockNode, contacts: C, display: D, buzzer: B) -> Self {
        Self { node, contacts, display, buzzer, show_at: NodeTime::ZERO }
    }
}

impl<C, D, B> Node for WiredClock<C, D, B>
where
    C: ReadClock,
    D: ShowClock,
    B: OutputPin,
{
    fn poll(&mut self, now: NodeTime) -> Result<(), InputError> {
        self.node.poll(now, &mut self.contacts)
    }

    fn show(&mut self, now: NodeTime) {
        if now >= self.show_at {
            self.show_at = now.plus_micros(SHOW_INTERVAL_US);
            self.display.show(&self.node.face());
            // A clock goes without its displays and without its buzzer.
            let _ = if self.node.sounds() { self.buzzer.set_high() } else { self.buzzer.set_low() };
        }
        let _ = self.display.step(now.as_micros());
    }

    fn receive(&mut self, bytes: &[u8]) {
        self.node.receive(bytes);
    }

    fn transmit(&mut self, out: &mut [u8]) -> usize {
        self.node.transmit(out)
    }

    fn is_identifying(&self) -> bool {
        self.node.link().is_identifying()
    }

    fn is_in_use(&self) -> bool {
        self.node.is_in_use()
    }

    fn link_mut(&mut self) -> &mut LinkSession {
        self.node.link_mut()
    }
}
