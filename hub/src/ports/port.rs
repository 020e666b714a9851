//! The task of one port: what a [`Port`] wants done, done with a serial line, the tables' queues and the clock.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hub_core::port::{About, NewDriver, OpenProblem, Port, PortInput, PortOutput};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{sleep, timeout};
use tokio_serial::SerialStream;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, debug, info_span};

use super::device_store::DeviceStore;
use super::discovery::{Devices, Lease};
use super::open::{OpenError, open, transport};
use super::switchboard::{PortLine, Switchboard, TableInputs};
use super::{NodeInput, notices};
use crate::HubClock;
use crate::gpio::Direction;
use crate::liveness::Heartbeat;

/// Bytes read at a time.
const READ_BYTES: usize = 1_024;
/// Longest time without a look at the port.
const TICK: Duration = Duration::from_millis(500);
/// Start bit, eight data bits, stop bit.
const BITS_PER_BYTE: u32 = 10;
/// Longest time that a write may take.
const WRITE_MAX: Duration = Duration::from_secs(1);

/// What all ports share.
#[derive(Clone)]
pub(super) struct Shared {
    pub(super) switchboard: Switchboard,
    pub(super) tables: Arc<TableInputs>,
    pub(super) store: DeviceStore,
    pub(super) devices: Devices,
    pub(super) clock: HubClock,
}

pub(super) struct PortTask {
    path: PathBuf,
    port: Port,
    shared: Shared,
    /// Of a half-duplex line.
    direction: Option<Direction>,
    heartbeat: Heartbeat,
    line: PortLine,
    open: Option<Open>,
}

/// An open line.
struct Open {
    stream: SerialStream,
    /// No other port of this hub opens it meanwhile.
    _lease: Lease,
}

/// The port is done.
struct Ended;

impl PortTask {
    pub(super) fn new(
        about: About,
        direction: Option<Direction>,
        shared: Shared,
        new_driver: NewDriver,
        heartbeat: Heartbeat,
    ) -> PortTask {
        let path = about.path.clone();
        let line = shared.switchboard.join(&path);
        let port = Port::new(about, new_driver, shared.clock.now());
        PortTask { path, port, shared, direction, heartbeat, line, open: None }
    }

    /// Serves the port until `shutdown`; one that was found, until its device is gone. Returns its path.
    pub(super) async fn run(mut self, shutdown: CancellationToken) -> PathBuf {
        let span = info_span!("port", port = %self.path.display());
        let (path, switchboard) = (self.path.clone(), self.shared.switchboard.clone());
        let stop = shutdown.clone();
        let work = async move {
            while !shutdown.is_cancelled() && self.turn(&shutdown).await.is_ok() {}
            self.handle(PortInput::Stop);
        };
        // Only waits for a table or a line are cut short: serving ends by itself.
        tokio::select! {
            () = work.instrument(span) => {}
            () = async { stop.cancelled().await; sleep(WRITE_MAX).await } => {}
        }
        switchboard.leave(&path);
        path
    }

    /// Does what the port wants done, then waits for what comes next.
    async fn turn(&mut self, shutdown: &CancellationToken) -> Result<(), Ended> {
        self.heartbeat.beat();
        self.act(shutdown).await?;
        if let Err(reason) = self.transmit().await {
            self.handle(PortInput::Lost(reason));
            return Ok(());
        }
        let due = self.port.poll_timeout();
        let pause = due.map_or(TICK, |due| self.shared.clock.until(due).min(TICK));
        let mut buffer = [0; READ_BYTES];
        tokio::select! {
            () = shutdown.cancelled() => {}
            read = read(&mut self.open, &mut buffer) => match read {
                Ok(length) => self.handle(PortInput::Received(buffer.get(..length).unwrap_or(&buffer))),
                Err(reason) => self.handle(PortInput::Lost(reason)),
            },
            () = self.line.changed.notified() => self.handle(PortInput::Changed),
            Some(request) = self.line.requests.recv() => self.handle(PortInput::Request(request)),
            () = sleep(pause) => self.handle(PortInput::Time),
        }
        Ok(())
    }

    fn handle(&mut self, input: PortInput<'_>) {
        let now = self.shared.clock.now();
        let port = &mut self.port;
        self.shared.switchboard.with(|registry| port.handle(now, registry, input));
    }

    async fn act(&mut self, shutdown: &CancellationToken) -> Result<(), Ended> {
        while let Some(output) = self.port.poll_output() {
            match output {
                PortOutput::Open => {
                    let input = self.open();
                    self.handle(input);
                }
                PortOutput::Close => self.open = None,
                PortOutput::End => return Err(Ended),
                PortOutput::ToTable { table, input } => {
                    // A table that keeps us waiting must not keep the hub from stopping.
                    tokio::select! {
                        has_waited = self.tell(&table, input) => if has_waited {
                            self.handle(PortInput::Waited);
                        },
                        () = shutdown.cancelled() => return Err(Ended),
                    }
                }
                PortOutput::Left(left) => {
                    self.shared.switchboard.with(|registry| registry.take_back(*left));
                }
                PortOutput::Persist { node_id, text } => self.shared.store.keep(&node_id, &text),
                PortOutput::Notice(notice) => notices::log(&notice),
            }
        }
        Ok(())
    }

    fn open(&mut self) -> PortInput<'static> {
        let Some(lease) = self.shared.devices.lease(&self.path) else {
            return PortInput::NotOpened(OpenProblem::Elsewhere);
        };
        match open(&self.path, self.port.line()) {
            Ok(stream) => {
                self.open = Some(Open { stream, _lease: lease });
                PortInput::Opened(transport(&self.path))
            }
            Err(OpenError::Absent) => PortInput::NotOpened(OpenProblem::Absent),
            Err(error) => PortInput::NotOpened(OpenProblem::Other(error.to_string())),
        }
    }

    /// Tells a table something. Whether it kept us waiting, as while the disk is full; whether the table hangs, its own heartbeat tells.
    async fn tell(&self, table: &str, input: NodeInput) -> bool {
        let Some(inputs) = self.shared.tables.get(table) else { return false };
        let wait = inputs.send(input);
        tokio::pin!(wait);
        let mut has_waited = false;
        loop {
            tokio::select! {
                biased;
                // The table's task ends only when the hub stops.
                _ = &mut wait => return has_waited,
                () = sleep(TICK) => {
                    has_waited = true;
                    self.heartbeat.beat();
                }
            }
        }
    }

    /// Sends what the port has to say to its devices. In words why the line is lost.
    async fn transmit(&mut self) -> Result<(), String> {
        let mut buffer = [0; READ_BYTES];
        loop {
            let (now, port) = (self.shared.clock.now(), &mut self.port);
            let length =
                self.shared.switchboard.with(|registry| port.transmit(now, registry, &mut buffer));
            let Some(open) = self.open.as_mut().filter(|_| length > 0) else { return Ok(()) };
            if let Some(direction) = &mut self.direction {
                direction.send();
            }
            let written = timeout(WRITE_MAX, open.stream.write_all(&buffer[..length])).await;
            if let Some(direction) = &mut self.direction {
                // The driver has the bytes; the line has them when their time has passed.
                let bits = u32::try_from(length).unwrap_or(u32::MAX).saturating_mul(BITS_PER_BYTE);
                sleep(Duration::from_secs(1) * bits / self.port.line().baud.max(1)).await;
                direction.listen();
            }
            match written {
                Ok(Ok(())) => {}
                Ok(Err(error)) => return Err(unplugged(&error)),
                Err(_) => return Err("it takes no bytes".to_owned()),
            }
        }
    }
}

/// The length of what was read; a read of nothing, or an error, means that the port was unplugged. Waits for ever without a line.
async fn read(open: &mut Option<Open>, buffer: &mut [u8]) -> Result<usize, String> {
    let Some(open) = open else { return std::future::pending().await };
    match open.stream.read(buffer).await {
        Ok(0) => Err("unplugged".to_owned()),
        Ok(length) => Ok(length),
        Err(error) => Err(unplugged(&error)),
    }
}

/// Which of its errors the system has for that, helps nobody at the table.
fn unplugged(error: &std::io::Error) -> String {
    debug!(%error, "the line ended");
    "unplugged".to_owned()
}
