//! Our own nodes: the serial link of [`proto::link`], whose specification is there.
//!
//! A node keeps its readings until the journal has them, so the state that must outlive a connection is its
//! [`Link`]: the session of the link and the mapping of its time. It comes back with
//! [`ConnectionState::Twinboard`], at whichever port the node turns up. Until then a session that asks nothing
//! but who is there listens to the line.

mod doubts;
mod link;
mod node_readings;

use std::collections::VecDeque;
use std::sync::Arc;

use proto::link::{
    BoardHealth, BoardKind, BoardState, CommandOutcome, CommandResult, FrameTiming, Health, Hello,
    HostEvent, HubTime, MessageType, NodeId, NodeKind, ResumePoint, SCHEMA_HASH,
    SensorKind as WireSensor, StartReason, Started, knows, knows_order,
};
use readings::SensorKind;
use tracing::warn;

use super::{
    BoardSenses, ConnectionState, Device, DeviceHealth, Driver, Given, LineSettings, Output,
    SensorHealth, SensorSet, Transport, Unit,
};
use crate::request::Naming;
use crate::update::{NodeImages, NodeUpdater};
use doubts::Doubts;
pub use link::Link;
use link::LinkOutput;

/// Speed of the line. USB nodes ignore it; those on a UART are built for it.
const BAUD: u32 = 115_200;
/// Interval of the questions for the id of a node without a place, in µs.
const ASK_EVERY_US: u64 = 2_000_000;

/// The driver of our own nodes.
#[derive(Debug)]
pub(super) struct Twinboard {
    /// Receiver: the admitted node, or an unknown one.
    link: Box<Link>,
    transport: Transport,
    /// Seconds of hub time in a second of wall time.
    rate: f64,
    admitted: bool,
    /// Last bytes of a node that has no place yet, with their arrival.
    introduced: Option<(HubTime, FrameTiming)>,
    /// The name under which the admitted node speaks.
    node_id: Option<NodeId>,
    /// Schema of its firmware. Some earlier ones work, and lack orders or the update over the line.
    schema_hash: u32,
    firmware: String,
    /// Kind of its health's channels: squares, or parts of a clock.
    is_board: bool,
    /// Clocks do, and boards with hall sensors, which learn.
    takes_commands: bool,
    /// Whether [`Output::Image`] is to be sent.
    wants_image: bool,
    ask_at: HubTime,
    /// Time of the last call.
    now: HubTime,
    outputs: VecDeque<Output>,
}

impl Default for Twinboard {
    fn default() -> Twinboard {
        Twinboard {
            link: Box::new(Link::new(None)),
            transport: Transport::Packets,
            rate: 1.0,
            admitted: false,
            introduced: None,
            node_id: None,
            schema_hash: SCHEMA_HASH,
            firmware: String::new(),
            is_board: false,
            takes_commands: false,
            wants_image: false,
            ask_at: HubTime::ZERO,
            now: HubTime::ZERO,
            outputs: VecDeque::new(),
        }
    }
}

impl Twinboard {
    /// Speed of a line on which bytes follow each other.
    fn baud(&self) -> Option<u32> {
        (self.transport == Transport::Uart).then_some(BAUD)
    }

    /// Handles one batch of bytes. A node whose place another has taken leaves after its own events: its session counts them as
    /// received, so they are not sent again.
    fn take_all(&mut self, now: HubTime, events: &[HostEvent]) {
        let mut other = None;
        for event in events {
            if let HostEvent::OtherNode { node_id } = event
                && self.admitted
            {
                other.get_or_insert(node_id);
            }
            self.take(now, event);
        }
        if let Some(node_id) = other {
            self.admitted = false;
            let reason = format!("node {node_id} answered in its place");
            self.outputs.push_back(Output::Gone { unit: Unit::ONLY, reason });
        }
    }

    fn take(&mut self, now: HubTime, event: &HostEvent) {
        match event {
            HostEvent::Rejected(reason) => {
                self.outputs.push_back(Output::Garbled(reason.to_string()));
            }
            HostEvent::Incompatible(mismatch) => {
                self.outputs.push_back(Output::Unusable(mismatch.to_string()));
            }
            HostEvent::Hello { boot_id, hello, .. } => self.meet(*boot_id, hello),
            HostEvent::Started { boot_id, started } => self.explain(*boot_id, started),
            HostEvent::UpdateReport { report, .. } if self.wants_image => {
                self.wants_image = false;
                let name = report.image.to_string();
                self.outputs.push_back(Output::Image { unit: Unit::ONLY, name });
            }
            HostEvent::Timing(timing) if !self.admitted => self.introduced = Some((now, *timing)),
            _ => {}
        }
        if self.admitted {
            self.read(now, event);
        }
    }

    fn meet(&mut self, boot_id: u32, hello: &Hello) {
        let unit = Unit::ONLY;
        self.node_id = Some(hello.node_id.clone());
        let (board, clock) = match hello.kind {
            NodeKind::Board(BoardKind { sensor, trays }) => {
                (Some(BoardSenses { sensor: sensor_kind(sensor), trays }), false)
            }
            NodeKind::Clock(_) => (None, true),
        };
        self.schema_hash = hello.schema_hash;
        self.firmware = hello.firmware.to_string();
        self.is_board = board.is_some();
        self.takes_commands = board.is_none_or(|senses| senses.sensor != SensorKind::Reed);
        self.outputs.push_back(Output::Present(Device {
            unit,
            id: Some(hello.node_id.to_string()),
            firmware: self.firmware.clone(),
            boot_id: Some(boot_id),
            board,
            clock,
        }));
    }

    /// Whether its firmware knows the update over the line.
    fn is_updatable(&self) -> bool {
        knows(self.schema_hash, MessageType::RequestUpdate)
    }

    /// Says which of its sensors are doubtful, if others are than before.
    fn doubt(&mut self, doubts: Doubts) {
        if doubts != self.link.doubts {
            self.link.doubts = doubts;
            let detail = doubts.words(self.is_board);
            self.outputs.push_back(Output::Doubtful { unit: Unit::ONLY, detail });
        }
    }

    /// Says once why a boot began, when that is no good sign.
    fn explain(&mut self, boot_id: u32, started: &Started) {
        if self.link.explained.replace(boot_id) == Some(boot_id) {
            return;
        }
        self.doubt(Doubts::default());
        let node = self.node_id.as_ref().map(NodeId::as_str).unwrap_or_default();
        if !self.is_updatable() {
            let firmware = &self.firmware;
            warn!(
                node,
                "node {node} has firmware {firmware} of an earlier release: it works, but cannot be updated over its line; flash it with its button"
            );
        }
        let why = match started.reason {
            StartReason::PowerOn | StartReason::Unknown => return,
            StartReason::Watchdog => "it hung, and its watchdog restarted it: update its firmware",
            StartReason::Panic => "its firmware failed and restarted: report this and update it",
            StartReason::Brownout => "its power had dipped: check cable and supply",
        };
        warn!(node, detail = %started.detail, "node {node} restarted: {why}");
    }

    /// Handles an event of the admitted node.
    fn read(&mut self, now: HubTime, event: &HostEvent) {
        let unit = Unit::ONLY;
        if let HostEvent::Health { health, .. } = event {
            self.outputs.push_back(Output::Health { unit, health: health_of(health) });
            self.doubt(Doubts { flickering: health.flickering, ..self.link.doubts });
        }
        if let HostEvent::BoardHealth { health, .. } = event {
            let sensors = Box::new(sensor_health(health));
            let doubts = self.link.doubts.with(&sensors);
            self.outputs.push_back(Output::Sensors { unit, sensors });
            self.doubt(doubts);
        }
        if let HostEvent::CommandEnded { command, outcome } = *event
            && let Some(order_id) = self.link.end_command(command)
        {
            self.outputs.push_back(Output::Commanded { unit, order_id, outcome });
        }
        let told = self.link.take(now, event);
        self.tell(told);
    }

    /// Reports an update that has ended.
    fn note_update(&mut self) {
        if let Some(updater) = &self.link.updater
            && let Some(outcome) = updater.outcome().cloned()
        {
            self.link.updater = None;
            self.outputs.push_back(Output::Updated { unit: Unit::ONLY, outcome });
        }
    }

    fn tell(&mut self, told: Vec<LinkOutput>) {
        let unit = Unit::ONLY;
        self.outputs.extend(told.into_iter().map(|told| match told {
            LinkOutput::Readings(readings, reached) => Output::Readings { unit, readings, reached },
            LinkOutput::Watermark(until) => Output::Watermark { unit, until },
            LinkOutput::Timed(error_us) => Output::Timed { unit, error_us },
        }));
    }

    fn set_line(&mut self) {
        let baud = self.baud();
        self.link.set_line(baud, self.rate);
    }
}

impl Driver for Twinboard {
    fn line(&self) -> LineSettings {
        LineSettings { baud: BAUD, dtr: None, rts: None }
    }

    fn set_transport(&mut self, transport: Transport) {
        self.transport = transport;
        self.set_line();
    }

    fn set_rate(&mut self, rate: f64) {
        self.rate = rate;
        self.set_line();
    }

    fn opened(&mut self, now: HubTime) {
        self.now = now;
        self.link.session.reconnected();
        self.ask_at = now.plus_micros(ASK_EVERY_US);
    }

    fn receive(&mut self, now: HubTime, bytes: &[u8]) {
        self.now = now;
        let heard_before = self.link.session.last_frame();
        let mut events = Vec::new();
        self.link.session.receive(now, bytes, |event| events.push(event));
        let incompatible = |event: &HostEvent| matches!(event, HostEvent::Incompatible(_));
        if self.link.session.last_frame() != heard_before && !events.iter().any(incompatible) {
            self.outputs.push_back(Output::Heard(Unit::ONLY));
        }
        self.take_all(now, &events);
        if self.admitted
            && let Some(updater) = &mut self.link.updater
        {
            updater.receive(now, bytes);
            self.note_update();
        }
    }

    fn transmit(&mut self, out: &mut [u8]) -> usize {
        // Each sends whole frames: one that is under way is finished first.
        let updater = self.link.updater.as_mut();
        if let Some(updater) = updater
            && self.admitted
            && updater.is_sending()
            && self.link.session.is_between_frames()
        {
            return updater.transmit(out);
        }
        self.link.session.transmit(out)
    }

    fn next_due(&self) -> HubTime {
        let own = if self.admitted { HubTime::MAX } else { self.ask_at };
        let updater = self.link.updater.as_ref().filter(|_| self.admitted);
        let update = updater.map_or(HubTime::MAX, NodeUpdater::next_due);
        self.link.next_due().map_or(own, |due| due.min(own)).min(update)
    }

    fn poll(&mut self, now: HubTime) {
        if !self.admitted && now >= self.ask_at {
            self.opened(now);
        }
        let mut events = Vec::new();
        self.link.session.poll(now, |event| events.push(event));
        self.take_all(now, &events);
        if self.admitted {
            let told = self.link.poll(now);
            self.tell(told);
            if let Some(updater) = &mut self.link.updater {
                updater.poll(now);
                self.note_update();
            }
        }
    }

    fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    fn admit(&mut self, _unit: Unit, memory: ConnectionState) {
        self.link = match memory {
            ConnectionState::Twinboard(link) => link,
            ConnectionState::New { resume, .. } => Box::new(Link::new(resume)),
            ConnectionState::Met { .. } => Box::new(Link::new(None)),
        };
        if let Some(node_id) = &self.node_id {
            self.link.session.expect(node_id.clone());
        }
        self.link.introduce(self.introduced.take());
        // Events after its HELLO are sent again when its own session asks.
        self.link.session.reconnected();
        if let Some(updater) = &mut self.link.updater {
            updater.reopened(self.now);
        }
        self.set_line();
        self.admitted = true;
        // A node that kept its power has the doubts that it had.
        if let Some(detail) = self.link.doubts.words(self.is_board) {
            let detail = Some(detail);
            self.outputs.push_back(Output::Doubtful { unit: Unit::ONLY, detail });
        }
    }

    fn release(&mut self, _unit: Unit) -> ConnectionState {
        self.admitted = false;
        self.node_id = None;
        ConnectionState::Twinboard(std::mem::replace(&mut self.link, Box::new(Link::new(None))))
    }

    fn committed(&mut self, _unit: Unit, reached: ResumePoint) {
        self.link.session.committed(reached.boot_id, reached.sequence);
    }

    fn request_watermark(&mut self, _unit: Unit, now: HubTime, at: HubTime) {
        self.link.request_watermark(now, at);
    }

    fn identify(&mut self, _unit: Unit, seconds: u8) {
        self.link.session.identify(seconds);
    }

    fn request_image(&mut self, _unit: Unit) {
        self.wants_image = self.is_updatable();
        if self.wants_image {
            self.link.session.request_update_report();
        }
    }

    fn update(&mut self, _unit: Unit, now: HubTime, images: &Arc<NodeImages>) -> bool {
        let updater = || NodeUpdater::new(Arc::clone(images), now);
        self.link.updater.get_or_insert_with(updater);
        true
    }

    fn name_command(&mut self, _unit: Unit) -> Naming {
        match self.takes_commands {
            false => Naming::Unsupported,
            true => self.link.session.next_command().map_or(Naming::NotNow, Naming::Name),
        }
    }

    fn give(&mut self, unit: Unit, now: HubTime, given: Given) {
        let order_id = given.order_id;
        let outcome = match knows_order(self.schema_hash, &given.command) {
            true => self.link.give(now, given),
            false => Some(CommandOutcome::Answered(CommandResult::Unsupported)),
        };
        if let Some(outcome) = outcome {
            self.outputs.push_back(Output::Commanded { unit, order_id, outcome });
        }
    }

    fn silence(&self) -> &'static str {
        "nothing on this port speaks as a node does: check that a node is plugged in and has power"
    }
}

fn sensor_health(health: &BoardHealth) -> SensorHealth {
    let set = |state: &BoardState| SensorSet {
        squares: state.occupied,
        trays: [state.white_tray, state.black_tray],
    };
    SensorHealth {
        chattering: set(&health.chattering),
        stuck: set(&health.stuck),
        weak: set(&health.weak),
        noise: health.noise.0,
    }
}

fn health_of(health: &Health) -> DeviceHealth {
    DeviceHealth {
        buffered_events: health.buffered_events.into(),
        lost_events: health.lost_events,
        resent_events: health.resent_events,
        rejected_messages: health.rejected_frames.into(),
        longest_scan_gap_us: health.longest_scan_gap_us,
        flickering: health.flickering,
    }
}

const fn sensor_kind(sensor: WireSensor) -> SensorKind {
    match sensor {
        WireSensor::Reed => SensorKind::Reed,
        WireSensor::HallPolarity => SensorKind::HallPolarity,
        WireSensor::HallMagnitude => SensorKind::HallMagnitude,
    }
}

#[cfg(test)]
mod recorded_tests;
#[cfg(test)]
mod tests;
