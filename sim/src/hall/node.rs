//! One simulated node in real time: its device, its line, and what tests do to it.

use std::time::{SystemTime, UNIX_EPOCH};

use node_firmware::Identity;
use proto::link::NodeId;
use tokio::{
    sync::{mpsc, oneshot},
    time::{Duration, Instant, sleep_until},
};

use super::line::Line;
use crate::{SimError, device::Device};

/// Longest the node sleeps, in real time, whatever its firmware has to do.
const LONGEST_SLEEP: Duration = Duration::from_millis(250);

/// The hall's time: a timeline that runs `speed` times as fast as real time.
#[derive(Clone, Copy, Debug)]
pub(super) struct HallTime {
    pub(super) start: Instant,
    pub(super) speed: f64,
}

impl HallTime {
    /// Microseconds of hall time since the hall was opened.
    pub(super) fn now_us(self) -> u64 {
        (self.start.elapsed().as_secs_f64() * self.speed * 1e6) as u64
    }

    /// The real time of a moment of hall time; far ones are cut off.
    pub(super) fn instant(self, us: u64) -> Instant {
        const FAR_S: f64 = 1e6;
        let seconds = (us as f64 / 1e6 / self.speed).min(FAR_S);
        self.start + Duration::from_secs_f64(seconds)
    }
}

/// What can be done to a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// The cable is pulled: the device disappears. The node has power of its own and goes on.
    Unplug,
    /// The cable is plugged in again: a new device appears under the same link.
    Replug,
    /// The node starts anew: what it had not delivered is lost.
    Reboot,
    /// From now on faults of every kind befall this share of the line's bytes, 0 to 1.
    Noise(f64),
}

pub(super) type Order = (Fault, oneshot::Sender<Result<(), SimError>>);

pub(super) struct NodeTask {
    pub(super) node_id: NodeId,
    pub(super) device: Device,
    pub(super) line: Line,
    pub(super) time: HallTime,
    pub(super) orders: mpsc::Receiver<Order>,
}

impl NodeTask {
    /// Runs until nobody can give orders any more.
    pub(super) async fn run(mut self) {
        loop {
            if let Err(error) = self.exchange() {
                let path = self.line.path().display();
                tracing::warn!(%path, %error, "line failed; the node is unplugged");
                self.line.unplug();
            }
            let due = self.time.instant(self.device.next_due_us());
            let wake = due.min(Instant::now() + LONGEST_SLEEP);
            tokio::select! {
                order = self.orders.recv() => match order {
                    Some((fault, done)) => {
                        let result = self.suffer(fault);
                        // Whoever asked may have gone.
                        let _ = done.send(result);
                    }
                    None => return,
                },
                () = self.line.ready() => {}
                () = sleep_until(wake) => {}
            }
        }
    }

    fn exchange(&mut self) -> std::io::Result<()> {
        self.device.run_until(self.time.now_us());
        let device = &mut self.device;
        self.line.receive(|bytes| device.receive(bytes))?;
        self.line.send(|out| device.transmit(out))
    }

    fn suffer(&mut self, fault: Fault) -> Result<(), SimError> {
        match fault {
            Fault::Unplug => self.line.unplug(),
            Fault::Replug => self.line.plug_in()?,
            Fault::Reboot => self.device.reboot(Identity::new(self.node_id.clone(), boot_id())),
            Fault::Noise(rate) => self.line.set_noise(rate),
        }
        Ok(())
    }
}

/// Names a run of a node: different at every start, also of the hall, hence not from its seed.
pub(super) fn boot_id() -> u32 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mixed = (since.as_nanos() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed >> 32) as u32).max(1)
}
