//! One port: open it, find out who is there, serve those devices, and start over when it is lost.

use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::broadcast;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout};
use tokio_serial::SerialStream;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, debug, error, info, info_span, warn};

use super::bound::{Bound, News, news};
use super::complaint::Complaint;
use super::discovery::Devices;
use super::open::{OpenError, carrier, open};
use super::registry::{Moved, Place, Refusal, Registry};
use super::shelf::Shelf;
use super::{NodeInput, NodeRequest, Shared};
use crate::HubClock;
use crate::drivers::{Device, Driver, Given, Memory, Output, Unit};
use crate::gpio::Direction;
use crate::panicked;
use crate::progress::Beat;
use crate::record::NodeState;

/// First pause after a port was lost or could not be opened; doubled until [`REOPEN_MAX`].
const REOPEN_MIN: Duration = Duration::from_millis(200);
const REOPEN_MAX: Duration = Duration::from_secs(1);
/// Bytes read at a time.
const READ_BYTES: usize = 1_024;
/// A device that says nothing for this long is lost: our nodes send at least a snapshot a second, others are
/// asked at least as often.
const SILENCE_MAX: Duration = Duration::from_secs(3);
/// How often the port looks after what no byte tells it.
const TICK: Duration = Duration::from_millis(500);
/// Start bit, eight data bits, stop bit.
const BITS_PER_BYTE: u32 = 10;
/// Longest time that a write may take.
const WRITE_MAX: Duration = Duration::from_secs(1);

/// Makes the driver of a line: at the start, and again when one has failed.
pub(super) type NewDriver = Box<dyn Fn() -> Box<dyn Driver> + Send + Sync>;

/// Which port.
pub(super) struct About {
    pub(super) path: PathBuf,
    /// Whose port the configuration says it is; none for a port that was found.
    pub(super) meant_for: Option<String>,
    /// Of a half-duplex line.
    pub(super) direction: Option<Direction>,
}

pub(super) struct Port {
    path: PathBuf,
    /// The port in messages.
    name: String,
    /// A port that was found is given up when its device is gone, and is not blamed for being something else.
    was_found: bool,
    registry: Arc<Registry>,
    shelf: Shelf,
    devices: Devices,
    clock: HubClock,
    new_driver: NewDriver,
    driver: Box<dyn Driver>,
    direction: Option<Direction>,
    beat: Beat,
    opening: Complaint,
    failing: Complaint,
    garbled: Complaint,
    refused: Complaint,
}

/// An open port.
struct Line {
    stream: SerialStream,
    /// The devices that have a place.
    bound: Vec<Bound>,
    /// When anything was understood.
    heard: Instant,
    /// Whether something was garbled since it was opened.
    garbled: bool,
}

/// Why an open port is given up; in words.
struct Lost(String);

impl Lost {
    /// Which of its errors the system has for that, helps nobody at the table.
    fn unplugged(error: &std::io::Error) -> Lost {
        debug!(%error, "the line ended");
        Lost("unplugged".to_owned())
    }
}

impl Port {
    pub(super) fn new(
        About { path, meant_for, direction }: About,
        shared: Shared,
        new_driver: NewDriver,
        beat: Beat,
    ) -> Port {
        let was_found = meant_for.is_none();
        let name = match meant_for {
            Some(meant_for) => format!("port {} ({meant_for})", path.display()),
            None => format!("port {}", path.display()),
        };
        Port {
            path,
            name,
            was_found,
            registry: shared.registry,
            shelf: shared.shelf,
            devices: shared.devices,
            clock: shared.clock,
            driver: new_driver(),
            new_driver,
            direction,
            beat,
            opening: Complaint::default(),
            failing: Complaint::default(),
            garbled: Complaint::default(),
            refused: Complaint::default(),
        }
    }

    /// Opens the port, and again whenever it is lost, until `shutdown`; a port that was found, until its device is gone.
    /// Returns its path.
    pub(super) async fn run(
        mut self,
        requests: broadcast::Receiver<NodeRequest>,
        shutdown: CancellationToken,
    ) -> PathBuf {
        let span = info_span!("port", port = %self.path.display());
        let (stop, path) = (shutdown.clone(), self.path.clone());
        let work = async move {
            let mut requests = requests;
            let mut pause = REOPEN_MIN;
            loop {
                self.beat.beat();
                // Another port of this hub may have the device, under another of its names.
                if let Some(lease) = self.devices.lease(&self.path) {
                    match open(&self.path, self.driver.line()) {
                        Ok(stream) => {
                            self.opening.clear();
                            if self.serve(stream, &mut requests, &shutdown).await {
                                pause = REOPEN_MIN;
                                // That it is gone was said; that nothing is plugged in now is no news.
                                self.opening.is_due(&OpenError::Absent.to_string(), Instant::now());
                            }
                        }
                        Err(OpenError::Absent) if self.was_found => return,
                        Err(OpenError::Absent) if !self.is_missed() => {}
                        Err(error) => self.complain_of_opening(&error.to_string()).await,
                    }
                    drop(lease);
                }
                if shutdown.is_cancelled() || (self.was_found && !self.path.exists()) {
                    return;
                }
                sleep(pause).await;
                pause = (pause * 2).min(REOPEN_MAX);
            }
        };
        // Only pauses are cut short: serving ends by itself.
        tokio::select! {
            () = work.instrument(span) => {}
            () = async { stop.cancelled().await; sleep(WRITE_MAX).await } => {}
        }
        path
    }

    /// Whether a node is expected here that is nowhere: one that goes on at another port is not missed at this one.
    fn is_missed(&self) -> bool {
        !self.registry.missing_at(&self.path).is_empty()
    }

    async fn complain_of_opening(&mut self, problem: &str) {
        if self.opening.is_due(problem, Instant::now()).is_some() {
            error!("{}: {problem}", self.name);
            self.report_missing(problem).await;
        }
    }

    /// Tells the tables that the nodes expected here are not.
    async fn report_missing(&self, problem: &str) {
        for place in self.registry.missing_at(&self.path) {
            let input = NodeInput::State {
                node_id: place.node.id,
                board: place.node.board,
                at: self.clock.now(),
                state: NodeState::Lost,
                detail: format!("port {}: {problem}", self.path.display()),
            };
            // The table's task ends only when the hub stops.
            drop(patiently(&self.beat, place.end.inputs.send(input)).await);
        }
    }

    /// Serves an open port until it is lost. True if a device with a place was there.
    async fn serve(
        &mut self,
        stream: SerialStream,
        requests: &mut broadcast::Receiver<NodeRequest>,
        shutdown: &CancellationToken,
    ) -> bool {
        let (bound, heard, garbled) = (Vec::new(), Instant::now(), false);
        let mut line = Line { stream, bound, heard, garbled };
        let conversed =
            AssertUnwindSafe(self.converse(&mut line, requests, shutdown)).catch_unwind().await;
        let Lost(reason) = match conversed {
            Ok(Ok(())) => Lost("the hub stops".to_owned()),
            Ok(Err(lost)) => lost,
            Err(panic) => {
                let words = panicked::words(&*panic);
                return self.fail(line, &words).await;
            }
        };
        if line.bound.is_empty() {
            debug!("port {}: {reason}", self.path.display());
            return false;
        }
        for bound in line.bound {
            self.lose(bound, &reason, shutdown.is_cancelled()).await;
        }
        true
    }

    /// The driver has failed at something that its device said: this port begins again with another one, and the other
    /// ports go on. False: it waits longer each time, so that a device that makes it fail again and again costs little.
    async fn fail(&mut self, line: Line, words: &str) -> bool {
        if let Some(more) = self.failing.is_due(words, Instant::now()) {
            error!(
                "{}: its driver failed ({words}; {more} more times since the last report) and starts anew; report this \
                 with the hub's log",
                self.name
            );
        }
        self.driver = (self.new_driver)();
        for mut bound in line.bound {
            let node = bound.place.node.id.clone();
            self.registry.note_boot(&node, bound.boot_id);
            patiently(&self.beat, bound.tell(NodeState::Lost, "its driver failed", self.clock))
                .await;
            let (resume, kept) = (bound.committed(), self.shelf.kept(&node));
            self.registry.release(&node, Memory::New { resume, kept });
        }
        false
    }

    /// A device is not here any more.
    async fn lose(&mut self, mut bound: Bound, reason: &str, expected: bool) {
        let node = bound.place.node.id.clone();
        self.registry.note_boot(&node, bound.boot_id);
        if !expected {
            warn!(node = %node, table = %bound.place.table, "node {} is lost: {reason}; plug it in again", bound.place.node.name());
            patiently(&self.beat, bound.tell(NodeState::Lost, reason, self.clock)).await;
        }
        self.registry.release(&node, self.driver.release(bound.unit));
    }

    async fn converse(
        &mut self,
        line: &mut Line,
        requests: &mut broadcast::Receiver<NodeRequest>,
        shutdown: &CancellationToken,
    ) -> Result<(), Lost> {
        self.driver.carried(carrier(&self.path));
        self.driver.paced(self.clock.rate());
        self.driver.opened(self.clock.now());
        let beat = self.beat.clone();
        let mut buffer = [0; READ_BYTES];
        let mut tick = interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            self.beat.beat();
            self.transmit(line).await?;
            let due = self.clock.until(self.driver.next_due()).min(TICK);
            tokio::select! {
                () = shutdown.cancelled() => return Ok(()),
                read = line.stream.read(&mut buffer) => {
                    self.driver.receive(self.clock.now(), received(read, &buffer)?);
                }
                (unit, news) = news(&mut line.bound) => match news {
                    News::Committed(reached) => self.driver.committed(unit, reached),
                    News::Wanted(at) => self.driver.hear_until(unit, self.clock.now(), at),
                },
                request = requests.recv() => patiently(&beat, self.ask(line, request.ok())).await,
                () = sleep(due) => self.driver.poll(self.clock.now()),
                _ = tick.tick() => patiently(&beat, self.look_after(line)).await,
            }
            // A table that keeps us waiting must not keep the hub from stopping.
            tokio::select! {
                () = patiently(&beat, self.take_outputs(line)) => {}
                () = shutdown.cancelled() => return Ok(()),
            }
        }
    }

    /// Hands on what the driver has to say.
    async fn take_outputs(&mut self, line: &mut Line) {
        while let Some(output) = self.driver.poll_output() {
            match output {
                Output::Present(device) => self.meet(line, device).await,
                Output::Heard(unit) => {
                    line.heard = Instant::now();
                    if let Some(bound) = line.bound(unit) {
                        bound.heard = Instant::now();
                        bound.tell(NodeState::Connected, "", self.clock).await;
                    }
                }
                Output::Gone { unit, reason } => {
                    if let Some(index) = line.bound.iter().position(|bound| bound.unit == unit) {
                        let bound = line.bound.swap_remove(index);
                        self.lose(bound, &reason, false).await;
                    }
                }
                Output::Readings { unit, readings, reached } => {
                    if let Some(bound) = line.bound(unit) {
                        bound.hand_on(readings, reached).await;
                        // Also when the table kept us waiting.
                        bound.heard = Instant::now();
                        line.heard = Instant::now();
                    }
                }
                Output::HeardUntil { unit, until } => {
                    if let Some(bound) = line.bound(unit) {
                        bound.tell_heard(until).await;
                    }
                }
                Output::Doubtful { unit, detail } => {
                    if let Some(bound) = line.bound(unit) {
                        bound.doubt(detail.as_deref(), self.clock).await;
                    }
                }
                Output::Health { unit, health } => {
                    debug!(?unit, ?health, "port {}: health", self.path.display());
                }
                Output::Sensors { unit, sensors } => {
                    debug!(?unit, ?sensors, "port {}: sensors", self.path.display());
                }
                Output::Commanded { unit, order_id, outcome } => {
                    if let Some(bound) = line.bound(unit) {
                        bound.send(NodeInput::Commanded { order_id, outcome }).await;
                    }
                }
                Output::Keep { unit, text } => {
                    if let Some(bound) = line.bound(unit) {
                        self.shelf.keep(&bound.place.node.id, &text);
                    }
                }
                // Whoever opens a line comes in the middle of something, once.
                Output::Garbled(_) if !std::mem::replace(&mut line.garbled, true) => {}
                Output::Garbled(reason) => self.complain_of_garbage(&reason),
                Output::Unusable(reason) => {
                    line.heard = Instant::now();
                    self.refuse(&reason).await;
                }
            }
        }
    }

    /// A device introduces itself: it gets the place it has, or is refused.
    async fn meet(&mut self, line: &mut Line, device: Device) {
        let unit = device.unit;
        let known = line.bound(unit).map(|bound| bound.boot_id);
        let mut started_anew = matches!(known, Some(Some(before)) if device.boot_id.is_some_and(|boot| boot != before));
        if known.is_none() {
            match self.registry.claim(&device, &self.path) {
                Ok(claim) => {
                    self.driver.admit(unit, claim.memory);
                    self.announce_move(&claim.place, claim.moved);
                    started_anew = claim.started_anew;
                    let committed = claim.committed;
                    line.bound.push(Bound::new(unit, device.boot_id, claim.place, committed));
                }
                Err(Refusal::Unknown { again: true, .. }) => return,
                Err(refusal) => {
                    self.refuse(&refusal.to_string()).await;
                    return;
                }
            }
        }
        self.refused.clear();
        let Some(bound) = line.bound(unit) else { return };
        if started_anew {
            warn!(
                node = %bound.place.node.id, table = %bound.place.table,
                "node {} started anew: what it had read and not delivered before is missing; if nobody pulled its \
                 plug, check its power",
                bound.place.node.name()
            );
        }
        if known != Some(device.boot_id) {
            bound.boot_id = device.boot_id;
            let boot = device.boot_id.map(|boot| format!("{boot:08x}"));
            info!(
                node = %bound.place.node.id, firmware = %device.firmware, boot,
                "node {} is there", bound.place.node.name()
            );
        }
    }

    fn complain_of_garbage(&mut self, reason: &str) {
        if let Some(more) = self.garbled.is_due("garbled", Instant::now()) {
            warn!(
                "{}: a garbled line was skipped ({reason}; {more} more since the last report): check the cable, its \
                 ground and its speed",
                self.name
            );
        }
    }

    async fn refuse(&mut self, problem: &str) {
        if self.refused.is_due(problem, Instant::now()).is_some() {
            error!("{}: {problem}", self.name);
            self.report_missing(problem).await;
        }
    }

    /// Says that a device has come to another port than it was at.
    fn announce_move(&self, place: &Place, moved: Option<Moved>) {
        let (id, table, port) = (&place.node.id, &place.table, self.path.display());
        let node = place.node.name();
        let at = format!("table {table}, {} {}", place.node.kind, place.node.board);
        match moved {
            None => {}
            Some(Moved::Elsewhere(from)) => {
                info!(node = %id, "node {node} goes on at port {port}; it was at {}: it keeps its place ({at})", from.display());
            }
            Some(Moved::Exchanged(other)) => warn!(
                node = %id,
                "nodes {node} and {other} have exchanged their ports: each is known by its id and keeps its place ({node}: \
                 {at}); if the boards themselves were exchanged on the tables, put them back"
            ),
        }
    }

    /// Silence, and strangers.
    async fn look_after(&mut self, line: &mut Line) {
        for bound in &mut line.bound {
            if bound.heard.elapsed() >= SILENCE_MAX {
                bound
                    .tell(NodeState::Lost, "the node is silent: check its power", self.clock)
                    .await;
            }
        }
        if line.bound.is_empty() && line.heard.elapsed() >= SILENCE_MAX {
            match self.was_found {
                // Whatever it is: nobody has said that it is a node.
                true => debug!("{}: {}", self.name, self.driver.silence()),
                false => self.refuse(self.driver.silence()).await,
            }
        }
    }

    /// Asks a node that is at this port.
    async fn ask(&mut self, line: &mut Line, request: Option<NodeRequest>) {
        let Some(request) = request else { return };
        let named = |bound: &&mut Bound| bound.place.node.id == request.node_id();
        let Some(bound) = line.bound.iter_mut().find(named) else { return };
        match request {
            NodeRequest::Identify { seconds, .. } => self.driver.identify(bound.unit, seconds),
            NodeRequest::Name { order_id, .. } => {
                let naming = self.driver.name_command(bound.unit);
                bound.send(NodeInput::Named { order_id, naming }).await;
            }
            NodeRequest::Give { order_id, name, command, .. } => {
                let given = Given { order_id, name, command };
                self.driver.give(bound.unit, self.clock.now(), given);
            }
        }
    }

    /// Sends what the driver has to say.
    async fn transmit(&mut self, line: &mut Line) -> Result<(), Lost> {
        let mut buffer = [0; READ_BYTES];
        loop {
            let length = self.driver.transmit(&mut buffer);
            if length == 0 {
                return Ok(());
            }
            if let Some(direction) = &mut self.direction {
                direction.send();
            }
            let written = timeout(WRITE_MAX, line.stream.write_all(&buffer[..length])).await;
            if let Some(direction) = &mut self.direction {
                // The driver has the bytes; the line has them when their time has passed.
                let bits = u32::try_from(length).unwrap_or(u32::MAX).saturating_mul(BITS_PER_BYTE);
                sleep(Duration::from_secs(1) * bits / self.driver.line().baud.max(1)).await;
                direction.listen();
            }
            match written {
                Ok(Ok(())) => {}
                Ok(Err(error)) => return Err(Lost::unplugged(&error)),
                Err(_) => return Err(Lost("it takes no bytes".to_owned())),
            }
        }
    }
}

impl Line {
    fn bound(&mut self, unit: Unit) -> Option<&mut Bound> {
        self.bound.iter_mut().find(|bound| bound.unit == unit)
    }
}

/// Waits for a table that takes its time, as while the disk is full; whether the table hangs, its own beat tells.
async fn patiently<T>(beat: &Beat, wait: impl Future<Output = T>) -> T {
    tokio::pin!(wait);
    loop {
        tokio::select! {
            done = &mut wait => return done,
            () = sleep(TICK) => beat.beat(),
        }
    }
}

/// The bytes of a read; a read of nothing, or an error, means that the port was unplugged.
fn received(read: std::io::Result<usize>, buffer: &[u8]) -> Result<&[u8], Lost> {
    match read {
        Ok(0) => Err(Lost("unplugged".to_owned())),
        Ok(length) => Ok(buffer.get(..length).unwrap_or(buffer)),
        Err(error) => Err(Lost::unplugged(&error)),
    }
}

#[cfg(test)]
mod tests;
