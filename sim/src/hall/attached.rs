//! A device of another maker in the hall: its task, its line, and its cable.

use std::path::{Path, PathBuf};

use tokio::{
    sync::{mpsc, oneshot},
    time::{Duration, Instant, sleep_until},
};

use super::{line::Line, node::HallTime};
use crate::{SimError, devices::SerialDevice};

/// Longest the device sleeps, in real time.
const LONGEST_SLEEP: Duration = Duration::from_millis(250);

/// What can be done to its cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cable {
    Pull,
    PlugIn,
}

pub(super) type Order = (Cable, oneshot::Sender<Result<(), SimError>>);

/// A device that was attached to the hall.
#[derive(Clone, Debug)]
pub struct Attached {
    pub(super) port: PathBuf,
    pub(super) orders: mpsc::Sender<Order>,
}

impl Attached {
    /// The serial device.
    #[must_use]
    pub fn port(&self) -> &Path {
        &self.port
    }

    /// Pulls the cable: the serial device disappears, and the device loses its power.
    ///
    /// # Errors
    ///
    /// When the hall is closed.
    pub async fn pull(&self) -> Result<(), SimError> {
        self.order(Cable::Pull).await
    }

    /// Plugs the cable in again, under the same name.
    ///
    /// # Errors
    ///
    /// When no serial device can be made, or the hall is closed.
    pub async fn plug_in(&self) -> Result<(), SimError> {
        self.order(Cable::PlugIn).await
    }

    async fn order(&self, cable: Cable) -> Result<(), SimError> {
        let (done, result) = oneshot::channel();
        let closed = || SimError::Closed;
        self.orders.send((cable, done)).await.map_err(|_| closed())?;
        result.await.map_err(|_| closed())?
    }
}

pub(super) struct AttachedTask {
    pub(super) device: Box<dyn SerialDevice>,
    pub(super) line: Line,
    pub(super) time: HallTime,
    pub(super) orders: mpsc::Receiver<Order>,
}

impl AttachedTask {
    /// Runs until nobody can give orders any more.
    pub(super) async fn run(mut self) {
        loop {
            if let Err(error) = self.exchange() {
                let path = self.line.path().display();
                tracing::warn!(%path, %error, "line failed; the device is unplugged");
                self.line.unplug();
            }
            let due = self.time.instant(self.device.next_due_us());
            let wake = due.min(Instant::now() + LONGEST_SLEEP);
            tokio::select! {
                order = self.orders.recv() => match order {
                    Some((Cable::Pull, done)) => {
                        self.line.unplug();
                        self.device.power_off();
                        // Whoever asked may have gone.
                        let _ = done.send(Ok(()));
                    }
                    Some((Cable::PlugIn, done)) => {
                        let _ = done.send(self.line.plug_in());
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
}
