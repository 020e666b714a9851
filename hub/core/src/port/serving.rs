//! An open port: its devices, their messages, and the requests to them.

use proto::link::HubTime;

use super::attached::Attached;
use super::registry::{Claim, Moved, Place, Refusal};
use super::{LinePhase, Port, PortOutput, Registry, SILENCE_MAX};
use crate::drivers::{Device, Given, Output, Unit};
use crate::input::NodeInput;
use crate::journal::NodeOffset;
use crate::notice::{Level, Notice, REPEAT_EVERY};
use crate::request::{Naming, NodeRequest};
use crate::update::{UpdateFailure, UpdateOutcome};

impl Port {
    /// Hands on what the driver has to say.
    pub(super) fn take_outputs(&mut self, now: HubTime, registry: &mut Registry) {
        loop {
            let mut output = None;
            self.guard(|driver| output = driver.poll_output());
            let Some(output) = output else { return };
            self.take_output(now, registry, output);
        }
    }

    fn take_output(&mut self, now: HubTime, registry: &mut Registry, output: Output) {
        match output {
            Output::Present(device) => self.meet(now, registry, &device),
            Output::Heard(unit) => {
                self.note_heard(now);
                if let Some(attached) = find(&mut self.attached, unit) {
                    let news = attached.note_heard(now);
                    registry.note_heard(attached.id());
                    self.outputs.extend(news);
                }
            }
            Output::Gone { unit, reason } => {
                self.awaited.retain(|device| device.unit != unit);
                registry.lose_strangers(&self.path);
                if let Some(index) = self.attached.iter().position(|it| it.unit == unit) {
                    let attached = self.attached.swap_remove(index);
                    self.lose(now, registry, attached, &reason);
                }
            }
            Output::Readings { unit, readings, reached } => {
                if let Some(attached) = find(&mut self.attached, unit) {
                    attached.heard = now;
                    self.outputs.push_back(attached.readings(readings, reached));
                    self.note_heard(now);
                }
            }
            Output::Watermark { unit, until } => self.tell_table(unit, |node_id| {
                NodeInput::Watermark { node_id: node_id.to_owned(), until }
            }),
            Output::Timed { unit, error_us } => {
                if let Some(attached) = find(&mut self.attached, unit) {
                    let (node_id, board) = (attached.id().to_owned(), attached.place.node.board);
                    let input = NodeInput::Timed { node_id, board, error_us };
                    self.outputs.push_back(attached.to_table(input));
                }
            }
            Output::Doubtful { unit, detail } => self.doubt(now, unit, detail.as_deref()),
            Output::Health { unit, health } => {
                self.say(Level::Debug, format!("{}: {unit:?}: {health:?}", self.name));
            }
            Output::Sensors { unit, sensors } => {
                self.say(Level::Debug, format!("{}: {unit:?}: {sensors:?}", self.name));
            }
            Output::Image { unit, name } => {
                self.say(Level::Debug, format!("{}: {unit:?} runs {name}", self.name));
                if let Some(attached) = find(&mut self.attached, unit) {
                    registry.note_image(attached.id(), name);
                }
            }
            Output::Commanded { unit, order_id, outcome } => {
                self.tell_table(unit, |_| NodeInput::Commanded { order_id, outcome });
            }
            Output::Updated { unit, outcome } => {
                if let Some(attached) = find(&mut self.attached, unit) {
                    let node_id = attached.id().to_owned();
                    self.outputs.push_back(PortOutput::Updated { node_id, outcome });
                }
            }
            Output::Persist { unit, text } => {
                if let Some(attached) = find(&mut self.attached, unit) {
                    let node_id = attached.id().to_owned();
                    registry.keep(&node_id, &text);
                    self.outputs.push_back(PortOutput::Persist { node_id, text });
                }
            }
            Output::Garbled(reason) => self.note_garbage(now, &reason),
            Output::Unknown(words) => self.say(Level::Warning, format!("{}: {words}", self.name)),
            Output::Unusable(reason) => {
                self.note_heard(now);
                self.refuse(now, registry, &reason);
            }
        }
    }

    fn tell_table(&mut self, unit: Unit, input: impl FnOnce(&str) -> NodeInput) {
        if let Some(attached) = find(&mut self.attached, unit) {
            let input = input(attached.id());
            self.outputs.push_back(attached.to_table(input));
        }
    }

    fn note_heard(&mut self, now: HubTime) {
        if let LinePhase::Open { heard, .. } = &mut self.phase {
            *heard = now;
        }
    }

    /// A device introduces itself: it gets the place it has, or is refused.
    fn meet(&mut self, now: HubTime, registry: &mut Registry, device: &Device) {
        let unit = device.unit;
        let known = find(&mut self.attached, unit).map(|attached| attached.boot_id);
        let mut started_anew = matches!(known, Some(Some(before)) if device.boot_id.is_some_and(|boot| boot != before));
        if known.is_none() {
            match registry.claim(device, &self.path) {
                Ok(Claim { place, state, moved, started_anew: anew, committed, wanted }) => {
                    self.guard(|driver| driver.admit(unit, state));
                    self.announce_move(&place, moved);
                    started_anew = anew;
                    self.attached.push(Attached::new(unit, device.boot_id, place, now));
                    self.guard(|driver| {
                        committed.into_iter().for_each(|reached| driver.committed(unit, reached));
                        wanted.into_iter().for_each(|at| driver.request_watermark(unit, now, at));
                    });
                }
                Err(Refusal::Unknown { again: true, .. }) => return,
                Err(Refusal::Leaving) => {
                    self.awaited.retain(|device| device.unit != unit);
                    self.awaited.push(device.clone());
                    return;
                }
                Err(refusal) => {
                    self.refuse(now, registry, &refusal.to_string());
                    return;
                }
            }
        }
        self.refused.clear();
        let Some(attached) = find(&mut self.attached, unit) else { return };
        let (id, name) = (attached.id().to_owned(), attached.place.node.name());
        let is_news = known != Some(device.boot_id);
        attached.boot_id = device.boot_id;
        if started_anew {
            let words = format!(
                "node {name} restarted: readings that it had not delivered are missing. If its plug was not pulled, check its power"
            );
            self.say_of(Level::Warning, &id, words);
        }
        if is_news {
            let boot = device.boot_id.map_or_else(String::new, |boot| format!(", boot {boot:08x}"));
            let words = format!("node {name} is there (firmware {:?}{boot})", device.firmware);
            self.say_of(Level::Info, &id, words);
            if registry.note_version(&id, &device.firmware) {
                self.guard(|driver| driver.request_image(unit));
            }
        }
    }

    /// Says that a device has come to another port than it was at.
    fn announce_move(&mut self, place: &Place, moved: Option<Moved>) {
        let (table, port) = (&place.table, self.path.display());
        let node = place.node.name();
        let at = format!("table {table}, {} {}", place.node.kind, place.node.board);
        let (level, words) = match moved {
            None => return,
            Some(Moved::Elsewhere(from)) => (
                Level::Info,
                format!(
                    "node {node} goes on at port {port}; it was at {}: it keeps its place ({at})",
                    from.display()
                ),
            ),
            Some(Moved::Exchanged(other)) => (
                Level::Warning,
                format!(
                    "nodes {node} and {other} have exchanged their ports: each is known by its id and keeps its place ({node}: {at}). If the \
                     boards themselves were exchanged on the tables, put them back"
                ),
            ),
        };
        self.say_of(level, &place.node.id, words);
    }

    fn doubt(&mut self, now: HubTime, unit: Unit, detail: Option<&str>) {
        let Some(attached) = find(&mut self.attached, unit) else { return };
        let (id, name) = (attached.id().to_owned(), attached.place.node.name());
        let news = attached.note_doubt(now, detail);
        self.outputs.extend(news);
        if let Some(detail) = detail {
            self.say_of(Level::Warning, &id, format!("node {name}: {detail}"));
        }
    }

    /// A device is not here any more.
    pub(super) fn lose(
        &mut self,
        now: HubTime,
        registry: &mut Registry,
        mut attached: Attached,
        reason: &str,
    ) {
        let name = attached.place.node.name();
        let words = format!("node {name} is lost: {reason}; plug it in again");
        self.say_of(Level::Warning, attached.id(), words);
        self.outputs.extend(attached.note_lost(now, reason));
        self.release(registry, &attached);
    }

    /// Releases a device's place, with the state of its connection, once all its readings are handed on.
    pub(super) fn release(&mut self, registry: &mut Registry, attached: &Attached) {
        registry.note_leaving(attached.id());
        let (unit, mut state) = (attached.unit, None);
        self.guard(|driver| state = Some(driver.release(unit)));
        self.outputs.push_back(attached.leave(state));
    }

    /// Devices that had to wait for the port where they were before.
    pub(super) fn meet_awaited(&mut self, now: HubTime, registry: &mut Registry) {
        for device in std::mem::take(&mut self.awaited) {
            self.meet(now, registry, &device);
        }
    }

    fn note_garbage(&mut self, now: HubTime, reason: &str) {
        // A line is opened in the middle of a message, once.
        if let LinePhase::Open { garbled, .. } = &mut self.phase
            && !std::mem::replace(garbled, true)
        {
            return;
        }
        if let Some(more) = self.garbled.is_due("garbled", now, self.span(REPEAT_EVERY)) {
            let words = format!(
                "{}: a garbled line was skipped ({reason}; {more} more since the last report): check the cable, its ground and its speed",
                self.name
            );
            self.say(Level::Warning, words);
        }
    }

    pub(super) fn refuse(&mut self, now: HubTime, registry: &Registry, problem: &str) {
        if self.refused.is_due(problem, now, self.span(REPEAT_EVERY)).is_some() {
            self.say(Level::Error, format!("{}: {problem}", self.name));
            self.report_missing(now, registry, problem);
        }
    }

    /// Silence, and strangers.
    pub(super) fn look_after(&mut self, now: HubTime, registry: &mut Registry) {
        let silence = self.span(SILENCE_MAX).as_micros();
        let is_silent = |heard: HubTime| u128::from(now.micros_since(heard)) >= silence;
        for attached in self.attached.iter_mut().filter(|it| is_silent(it.heard)) {
            let words = "the node is silent: check its power";
            self.outputs.extend(attached.note_lost(now, words));
            registry.note_silent(attached.id());
        }
        self.let_go(registry);
        let LinePhase::Open { heard, .. } = self.phase else { return };
        if self.attached.is_empty() && is_silent(heard) {
            let silence = self.driver.silence();
            registry.lose_strangers(&self.path);
            // The device is unknown: it has sent no HELLO, or its node goes on at another port.
            match self.was_found || registry.missing_at(&self.path).is_empty() {
                true => self.say(Level::Debug, format!("{}: {silence}", self.name)),
                false => self.refuse(now, registry, silence),
            }
        }
    }

    /// Gives back the places of silent devices that have come to another port: a line of an adapter stays when its node is unplugged.
    fn let_go(&mut self, registry: &mut Registry) {
        while let Some(index) = self.attached.iter().position(|it| registry.is_awaited(it.id())) {
            let attached = self.attached.swap_remove(index);
            self.release(registry, &attached);
        }
    }

    /// Restarts the silence timers after a table has blocked the port.
    pub(super) fn forgive_silence(&mut self, now: HubTime) {
        self.note_heard(now);
        self.attached.iter_mut().for_each(|attached| attached.heard = now);
    }

    /// The journal has a node's readings up to an offset.
    pub(super) fn note_committed(&mut self, offset: &NodeOffset) {
        let Some(unit) = self.unit_of(&offset.node_id) else { return };
        self.guard(|driver| driver.committed(unit, offset.reached));
    }

    /// A table wants everything that its nodes read before `at`.
    pub(super) fn want_watermark(&mut self, now: HubTime, table: &str, at: HubTime) {
        let of_table = self.attached.iter().filter(|it| it.place.table == table);
        let units: Vec<Unit> = of_table.map(|attached| attached.unit).collect();
        for unit in units {
            self.guard(|driver| driver.request_watermark(unit, now, at));
        }
    }

    fn unit_of(&self, node_id: &str) -> Option<Unit> {
        self.attached.iter().find(|it| it.id() == node_id).map(|attached| attached.unit)
    }

    /// Asks a node that is at this port.
    pub(super) fn ask(&mut self, now: HubTime, request: NodeRequest) {
        let Some(unit) = self.unit_of(request.node_id()) else { return };
        match request {
            NodeRequest::Identify { seconds, .. } => {
                self.guard(|driver| driver.identify(unit, seconds));
            }
            NodeRequest::Update { node_id, images } => {
                let mut accepted = false;
                self.guard(|driver| accepted = driver.update(unit, now, &images));
                if !accepted {
                    let outcome = UpdateOutcome::Failed(UpdateFailure::Unsupported);
                    self.outputs.push_back(PortOutput::Updated { node_id, outcome });
                }
            }
            NodeRequest::Name { order_id, .. } => {
                let mut naming = Naming::NotNow;
                self.guard(|driver| naming = driver.name_command(unit));
                self.tell_table(unit, |_| NodeInput::Named { order_id, naming });
            }
            NodeRequest::Give { order_id, name, command, .. } => {
                let given = Given { order_id, name, command };
                self.guard(|driver| driver.give(unit, now, given));
            }
        }
    }

    fn say_of(&mut self, level: Level, node: &str, words: impl Into<String>) {
        self.outputs.push_back(PortOutput::Notice(Notice::of_node(level, node, words)));
    }
}

fn find(attached: &mut [Attached], unit: Unit) -> Option<&mut Attached> {
    attached.iter_mut().find(|attached| attached.unit == unit)
}
