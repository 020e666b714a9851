//! The task of one port: what the core wants done there, done with a serial line and the clock.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hub_core::hub::{HubInput, HubOutput, Id, PortId};
use hub_core::port::{About, NewDriver, OpenProblem, PortInput};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, debug, info_span};

use super::device_store::DeviceStore;
use super::discovery::{Devices, Lease};
use super::open::{OpenError, Stream, open, transport};
use super::{kernel_rs485, notices};
use crate::SharedHub;
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

/// State that all ports share.
#[derive(Clone)]
pub(super) struct Shared {
    pub(super) hub: SharedHub,
    pub(super) store: DeviceStore,
    pub(super) devices: Devices,
}

/// Switch of the direction of a line whose ends share one pair of wires.
#[derive(Debug)]
pub(super) enum HalfDuplex {
    /// None: the line needs no switch, or its adapter does it.
    No,
    /// The hub, by a pin.
    ByPin(Direction),
    /// The kernel, by the line's RTS.
    ByKernel,
}

pub(super) struct PortTask {
    path: PathBuf,
    id: PortId,
    shared: Shared,
    half_duplex: HalfDuplex,
    heartbeat: Heartbeat,
    wake: Arc<Notify>,
    open: Option<Open>,
}

/// An open line.
struct Open {
    stream: Stream,
    /// No other port of this hub opens it meanwhile.
    _lease: Lease,
}

/// The port is done.
struct Ended;

impl PortTask {
    pub(super) fn new(
        about: About,
        half_duplex: HalfDuplex,
        shared: Shared,
        new_driver: NewDriver,
        heartbeat: Heartbeat,
    ) -> PortTask {
        let path = about.path.clone();
        let hub = &shared.hub;
        let id = hub.with(|core| core.add_port(about, new_driver, hub.clock().now()));
        let wake = hub.join(Id::Port(id));
        PortTask { path, id, shared, half_duplex, heartbeat, wake, open: None }
    }

    /// Serves the port until `shutdown`; one that was found, until its device is unplugged. Returns its path.
    pub(super) async fn run(mut self, shutdown: CancellationToken) -> PathBuf {
        let span = info_span!("port", port = %self.path.display());
        let (path, id, hub) = (self.path.clone(), self.id, self.shared.hub.clone());
        let stop = shutdown.clone();
        let work = async move {
            while !shutdown.is_cancelled() && self.turn(&shutdown).await.is_ok() {}
            self.handle(PortInput::Stop);
        };
        // Only a write is cut short: serving ends by itself.
        tokio::select! {
            () = work.instrument(span) => {}
            () = async { stop.cancelled().await; sleep(WRITE_MAX).await } => {}
        }
        hub.with(|core| core.remove_port(id));
        hub.leave(Id::Port(id));
        path
    }

    /// Carries out the port's requests, then waits for the next event.
    async fn turn(&mut self, shutdown: &CancellationToken) -> Result<(), Ended> {
        self.heartbeat.beat();
        self.act()?;
        if let Err(reason) = self.transmit().await {
            self.handle(PortInput::Lost(reason));
            return Ok(());
        }
        let hub = &self.shared.hub;
        let (due, may_read) =
            hub.with(|core| (core.poll_timeout(Id::Port(self.id)), core.may_read(self.id)));
        let pause = due.map_or(TICK, |due| hub.clock().until(due).min(TICK));
        let mut buffer = [0; READ_BYTES];
        tokio::select! {
            () = shutdown.cancelled() => {}
            read = read(&mut self.open, &mut buffer), if may_read => match read {
                Ok(length) => self.handle(PortInput::Received(buffer.get(..length).unwrap_or(&buffer))),
                Err(reason) => self.handle(PortInput::Lost(reason)),
            },
            () = self.wake.notified() => {}
            () = sleep(pause) => self.handle(PortInput::Time),
        }
        Ok(())
    }

    fn handle(&self, input: PortInput<'_>) {
        self.shared.hub.handle(HubInput::Port(self.id, input));
    }

    fn act(&mut self) -> Result<(), Ended> {
        while let Some(output) = self.shared.hub.with(|core| core.poll_output(Id::Port(self.id))) {
            match output {
                HubOutput::Open => {
                    let input = self.open();
                    self.handle(input);
                }
                HubOutput::Close => self.open = None,
                HubOutput::End => return Err(Ended),
                HubOutput::Persist { node_id, text } => self.shared.store.keep(&node_id, &text),
                HubOutput::Notice(notice) => notices::log(&notice),
                HubOutput::Commit(_) | HubOutput::LookUp(_) => {}
            }
        }
        Ok(())
    }

    fn open(&mut self) -> PortInput<'static> {
        let Some(lease) = self.shared.devices.lease(&self.path) else {
            return PortInput::NotOpened(OpenProblem::Elsewhere);
        };
        let Some(line) = self.shared.hub.with(|core| core.line(self.id)) else {
            return PortInput::NotOpened(OpenProblem::Absent);
        };
        if let HalfDuplex::ByKernel = self.half_duplex
            && self.path.exists()
            && let Err(error) = kernel_rs485::enable(&self.path)
        {
            let words = format!(
                "the kernel cannot switch the line's direction ({error}): set direction of its [[gpio.rs485]] to the number of a pin"
            );
            return PortInput::NotOpened(OpenProblem::Other(words));
        }
        match open(&self.path, line) {
            Ok(stream) => {
                self.open = Some(Open { stream, _lease: lease });
                PortInput::Opened(transport(&self.path))
            }
            Err(OpenError::Absent) => PortInput::NotOpened(OpenProblem::Absent),
            Err(error) => PortInput::NotOpened(OpenProblem::Other(error.to_string())),
        }
    }

    /// Sends what the port has to say to its devices. In words why the line is lost.
    async fn transmit(&mut self) -> Result<(), String> {
        let mut buffer = [0; READ_BYTES];
        loop {
            let now = self.shared.hub.clock().now();
            let (length, line) = self
                .shared
                .hub
                .with(|core| (core.transmit(now, self.id, &mut buffer), core.line(self.id)));
            let Some(open) = self.open.as_mut().filter(|_| length > 0) else { return Ok(()) };
            if let HalfDuplex::ByPin(direction) = &mut self.half_duplex {
                direction.send();
            }
            let written = timeout(WRITE_MAX, open.stream.write_all(&buffer[..length])).await;
            if let HalfDuplex::ByPin(direction) = &mut self.half_duplex {
                // The driver has the bytes; the line has them when their time has passed.
                let bits = u32::try_from(length).unwrap_or(u32::MAX).saturating_mul(BITS_PER_BYTE);
                let baud = line.map_or(1, |line| line.baud).max(1);
                sleep(Duration::from_secs(1) * bits / baud).await;
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

/// The number of bytes that were read; none, or an error, means that the port was unplugged. Waits for ever without a line.
async fn read(open: &mut Option<Open>, buffer: &mut [u8]) -> Result<usize, String> {
    let Some(open) = open else { return std::future::pending().await };
    match open.stream.read(buffer).await {
        Ok(0) => Err("unplugged".to_owned()),
        Ok(length) => Ok(length),
        Err(error) => Err(unplugged(&error)),
    }
}

/// The system's own error for it helps nobody at the table.
fn unplugged(error: &std::io::Error) -> String {
    debug!(%error, "the line ended");
    "unplugged".to_owned()
}
