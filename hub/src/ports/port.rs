//! One port: open it, find out who is there, serve that node, and start over when it is lost.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use proto::link::{HostEvent, HostSession, ResumePoint};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::{broadcast, watch};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout};
use tokio_serial::SerialStream;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, debug, error, info, info_span, warn};

use super::complaint::Complaint;
use super::open::open;
use super::registry::{NodeLink, Place, Registry};
use super::{NodeInput, NodeProgress};
use crate::HubClock;
use crate::record::NodeState;
use crate::uplink::IdentifyNode;

/// First pause after a port was lost or could not be opened; doubled until [`REOPEN_MAX`].
const REOPEN_MIN: Duration = Duration::from_millis(200);
const REOPEN_MAX: Duration = Duration::from_secs(3);
/// Bytes read at a time.
const READ_BYTES: usize = 1_024;
/// A node that says nothing for this long is lost: it sends at least a snapshot a second.
const SILENCE_MAX: Duration = Duration::from_secs(3);
/// How often the port looks after what no byte tells it.
const TICK: Duration = Duration::from_millis(500);
/// How often a node that has no place is asked again who it is.
const ASK_EVERY: Duration = Duration::from_secs(2);
/// Longest time that a write may take.
const WRITE_MAX: Duration = Duration::from_secs(1);

pub(super) struct Port {
    path: PathBuf,
    /// Whose port the configuration says it is, for messages.
    meant_for: String,
    registry: Arc<Registry>,
    clock: HubClock,
    opening: Complaint,
    garbled: Complaint,
    refused: Complaint,
}

/// A port with a node that has a place.
struct Bound {
    place: Place,
    link: Box<NodeLink>,
    committed: watch::Receiver<Option<ResumePoint>>,
    state: Option<NodeState>,
}

/// An open port.
struct Line {
    stream: SerialStream,
    /// Asks who is there, while nobody is known to be.
    stranger: HostSession,
    bound: Option<Bound>,
    heard: Instant,
    asked: Instant,
}

/// Why an open port is given up; in words.
struct Lost(String);

impl Port {
    pub(super) fn new(
        path: PathBuf,
        meant_for: String,
        registry: Arc<Registry>,
        clock: HubClock,
    ) -> Port {
        Port {
            path,
            meant_for,
            registry,
            clock,
            opening: Complaint::default(),
            garbled: Complaint::default(),
            refused: Complaint::default(),
        }
    }

    /// Opens the port, and again whenever it is lost, until `shutdown`.
    pub(super) async fn run(
        mut self,
        identify: broadcast::Receiver<IdentifyNode>,
        shutdown: CancellationToken,
    ) {
        let span = info_span!("port", port = %self.path.display(), meant_for = %self.meant_for);
        let stop = shutdown.clone();
        let work = async move {
            let mut identify = identify;
            let mut pause = REOPEN_MIN;
            loop {
                match open(&self.path) {
                    Ok(stream) => {
                        self.opening.clear();
                        if self.serve(stream, &mut identify, &shutdown).await {
                            pause = REOPEN_MIN;
                        }
                    }
                    Err(error) => self.complain_of_opening(&error.to_string()).await,
                }
                if shutdown.is_cancelled() {
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
    }

    async fn complain_of_opening(&mut self, problem: &str) {
        if self.opening.is_due(problem, Instant::now()).is_some() {
            error!("port {} ({}): {problem}", self.path.display(), self.meant_for);
            self.report_missing(problem).await;
        }
    }

    /// Tells the table that the node expected here is not.
    async fn report_missing(&self, problem: &str) {
        let Some(place) = self.registry.missing_at(&self.path) else { return };
        let input = NodeInput::State {
            node_id: place.node.id,
            board: place.node.board,
            at: self.clock.now(),
            state: NodeState::Lost,
            detail: format!("port {}: {problem}", self.path.display()),
        };
        // The table's task ends only when the hub stops.
        drop(place.inputs.send(input).await);
    }

    /// Serves an open port until it is lost. True if a node of ours was there.
    async fn serve(
        &mut self,
        stream: SerialStream,
        identify: &mut broadcast::Receiver<IdentifyNode>,
        shutdown: &CancellationToken,
    ) -> bool {
        let now = Instant::now();
        let stranger = HostSession::new(None);
        let mut line = Line { stream, stranger, bound: None, heard: now, asked: now };
        let Lost(reason) = match self.converse(&mut line, identify, shutdown).await {
            Ok(()) => Lost("the hub stops".to_owned()),
            Err(lost) => lost,
        };
        let Some(mut bound) = line.bound else {
            debug!("port {}: {reason}", self.path.display());
            return false;
        };
        if !shutdown.is_cancelled() {
            let node = &bound.place.node.id;
            warn!(node = %node, table = %bound.place.table, "node {node} is lost: {reason}; plug it in again");
            bound.tell(NodeState::Lost, &reason, self.clock).await;
        }
        self.registry.release(&bound.place.node.id.clone(), bound.link);
        true
    }

    async fn converse(
        &mut self,
        line: &mut Line,
        identify: &mut broadcast::Receiver<IdentifyNode>,
        shutdown: &CancellationToken,
    ) -> Result<(), Lost> {
        let mut buffer = [0; READ_BYTES];
        let mut tick = interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            line.transmit().await?;
            tokio::select! {
                () = shutdown.cancelled() => return Ok(()),
                read = line.stream.read(&mut buffer) => {
                    let bytes = received(read, &buffer)?;
                    let taken = self.take(line, bytes);
                    tokio::select! {
                        taken = taken => taken?,
                        () = shutdown.cancelled() => return Ok(()),
                    }
                }
                () = committed(&mut line.bound) => line.acknowledge(),
                request = identify.recv() => line.identify(request.ok()),
                _ = tick.tick() => self.look_after(line).await,
            }
        }
    }

    /// Takes bytes from the line.
    async fn take(&mut self, line: &mut Line, bytes: &[u8]) -> Result<(), Lost> {
        let arrival = self.clock.now();
        let mut events = Vec::new();
        let session = match &mut line.bound {
            Some(bound) => &mut bound.link.session,
            None => &mut line.stranger,
        };
        let heard_before = session.last_heard();
        session.receive(arrival, bytes, |event| events.push(event));
        let heard = session.last_heard() != heard_before;
        if heard {
            line.heard = Instant::now();
        }
        for event in events {
            match (&event, &mut line.bound) {
                (HostEvent::Rejected(reason), _) => self.complain_of_garbage(reason),
                (HostEvent::Incompatible(mismatch), _) => {
                    self.refuse(&mismatch.to_string()).await;
                }
                (HostEvent::Hello { hello, .. }, None) => {
                    let node_id = hello.node_id.as_str();
                    match self.registry.claim(node_id, hello.kind, &self.path) {
                        Ok((place, link)) => line.bind(place, link),
                        Err(refusal) => self.refuse(&refusal.to_string()).await,
                    }
                    // What came after it is sent again when the node is asked by its own session.
                    break;
                }
                (HostEvent::Hello { hello, .. }, Some(bound))
                    if hello.node_id.as_str() != bound.place.node.id =>
                {
                    return Err(Lost(format!("node {} answered in its place", hello.node_id)));
                }
                (event, Some(bound)) => {
                    self.garbled_is_over(event);
                    bound.take(arrival, event, self.clock).await;
                }
                (_, None) => {}
            }
        }
        if line.bound.is_some() && heard {
            // Also when the table kept us waiting.
            line.heard = Instant::now();
        }
        Ok(())
    }

    fn garbled_is_over(&mut self, event: &HostEvent) {
        if let HostEvent::Hello { boot_id, hello, .. } = event {
            self.refused.clear();
            info!(
                node = %hello.node_id, firmware = %hello.firmware, boot = format!("{boot_id:08x}"),
                "node {} is there", hello.node_id
            );
        }
    }

    fn complain_of_garbage(&mut self, reason: &proto::link::RejectedFrame) {
        if let Some(more) = self.garbled.is_due("garbled", Instant::now()) {
            warn!(
                "port {} ({}): a garbled line was skipped ({reason}; {more} more since the last report): check the \
                 cable, its ground and its speed",
                self.path.display(),
                self.meant_for
            );
        }
    }

    async fn refuse(&mut self, problem: &str) {
        if self.refused.is_due(problem, Instant::now()).is_some() {
            error!("port {} ({}): {problem}", self.path.display(), self.meant_for);
            self.report_missing(problem).await;
        }
    }

    /// Silence, and strangers.
    async fn look_after(&mut self, line: &mut Line) {
        let silent = line.heard.elapsed() >= SILENCE_MAX;
        if let Some(bound) = &mut line.bound {
            if silent {
                bound
                    .tell(NodeState::Lost, "the node is silent: check its power", self.clock)
                    .await;
            }
            return;
        }
        if line.asked.elapsed() >= ASK_EVERY {
            line.asked = Instant::now();
            line.stranger.reconnected();
            if silent {
                self.refuse("nothing on this port speaks as a node does: check that a node is plugged in and has power").await;
            }
        }
    }
}

impl Line {
    fn bind(&mut self, place: Place, mut link: Box<NodeLink>) {
        link.session.reconnected();
        let committed = link.committed.subscribe();
        self.bound = Some(Bound { place, link, committed, state: None });
    }

    fn acknowledge(&mut self) {
        if let Some(bound) = &mut self.bound {
            let reached = *bound.committed.borrow_and_update();
            if let Some(ResumePoint { boot_id, sequence }) = reached {
                bound.link.session.committed(boot_id, sequence);
            }
        }
    }

    fn identify(&mut self, request: Option<IdentifyNode>) {
        if let (Some(bound), Some(request)) = (&mut self.bound, request)
            && bound.place.node.id == request.node_id
        {
            bound.link.session.identify(request.seconds);
        }
    }

    /// Sends what the session has to say.
    async fn transmit(&mut self) -> Result<(), Lost> {
        let session = match &mut self.bound {
            Some(bound) => &mut bound.link.session,
            None => &mut self.stranger,
        };
        let mut buffer = [0; READ_BYTES];
        loop {
            let length = session.transmit(&mut buffer);
            if length == 0 {
                return Ok(());
            }
            match timeout(WRITE_MAX, self.stream.write_all(&buffer[..length])).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => return Err(Lost(format!("unplugged ({error})"))),
                Err(_) => return Err(Lost("it takes no bytes".to_owned())),
            }
        }
    }
}

impl Bound {
    async fn take(&mut self, arrival: proto::link::HubTime, event: &HostEvent, clock: HubClock) {
        self.tell(NodeState::Connected, "", clock).await;
        if let HostEvent::Health { health, .. } = event
            && health.flickering != self.link.flickering
        {
            self.link.flickering = health.flickering;
            if health.flickering != 0 {
                let detail = format!(
                    "sensors flicker (bits {:016x}, bit 0 = a1): check their switches",
                    health.flickering
                );
                warn!(node = %self.place.node.id, table = %self.place.table, "{detail}");
                self.tell(NodeState::Faulty, &detail, clock).await;
            }
        }
        let readings = self.link.readings.take(arrival, event);
        let reached = match *event {
            HostEvent::Event { boot_id, sequence, .. }
            | HostEvent::Gap { boot_id, last: sequence, .. } => {
                Some(ResumePoint { boot_id, sequence })
            }
            _ => None,
        };
        if readings.is_empty() && reached.is_none() {
            return;
        }
        let progress = reached.map(|reached| NodeProgress {
            node_id: self.place.node.id.clone(),
            reached,
            committed: self.link.committed.clone(),
        });
        self.send(NodeInput::Readings { board: self.place.node.board, readings, progress }).await;
    }

    /// Tells the table how the node is, if that is news. A node that flickers stays doubtful until its
    /// sensors are quiet.
    async fn tell(&mut self, state: NodeState, detail: &str, clock: HubClock) {
        let doubtful = self.link.flickering != 0 && self.state == Some(NodeState::Faulty);
        if self.state == Some(state) || (state == NodeState::Connected && doubtful) {
            return;
        }
        self.state = Some(state);
        let input = NodeInput::State {
            node_id: self.place.node.id.clone(),
            board: self.place.node.board,
            at: clock.now(),
            state,
            detail: detail.to_owned(),
        };
        self.send(input).await;
    }

    async fn send(&self, input: NodeInput) {
        // The table's task ends only when the hub stops.
        drop(self.place.inputs.send(input).await);
    }
}

/// Waits for news of the node's commits; for ever without a node.
async fn committed(bound: &mut Option<Bound>) {
    if let Some(bound) = bound
        && bound.committed.changed().await.is_ok()
    {
        return;
    }
    std::future::pending().await
}

/// The bytes of a read; a read of nothing, or an error, means that the port was unplugged.
fn received(read: std::io::Result<usize>, buffer: &[u8]) -> Result<&[u8], Lost> {
    match read {
        Ok(0) => Err(Lost("unplugged".to_owned())),
        Ok(length) => Ok(buffer.get(..length).unwrap_or(buffer)),
        Err(error) => Err(Lost(format!("unplugged ({error})"))),
    }
}
