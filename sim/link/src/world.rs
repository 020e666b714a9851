//! One run in virtual time: the real node and the real hub session on a line to which everything happens that the plan says.

use std::collections::{BTreeMap, VecDeque};

use proto::link::{FrameTiming, HostEvent, HostSession, HubTime, NodeTime};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::books::{Books, Counts, Entry, Violation};
use crate::commands::Commands;
use crate::line::Line;
use crate::node::{Node, Numbered, OtherNode, Timer, node_id};
use crate::observer::{Heard, Observer, Who};
use crate::outcome::{Failure, Outcome};
use crate::plan::{BufferBytes, Direction, Incident, Plan, Release};
use crate::readings::reading;
use crate::sabotage::Sabotage;
use crate::writes::pump;

/// Longest time from the end of all faults, and of the readings, until the journal is complete and the node knows it, in µs. The
/// slowest way: the last acknowledgement was lost, and the node, whose resend timer has doubled in a long silence, waits
/// for it to run out (`node_firmware::MAX_RESEND_TIMEOUT_US`); then its events travel once more, and are committed.
pub const SETTLE_MAX_US: u64 = 5_000_000;
/// How long a settled run is watched: nothing may come twice.
const WATCH_US: u64 = 4_000_000;
/// Longest pause between two looks of the node's main loop, in µs.
const NODE_LOOP_MAX_US: u64 = 50_000;
/// Steps after which a run is taken to hang in one moment.
const STEPS_MAX: u64 = 5_000_000;

/// Runs a plan to its end.
///
/// # Errors
///
/// When something was lost in silence, came twice or out of order, was not true, or did not come in time.
pub fn run(plan: &Plan, observer: &mut impl Observer) -> Result<Outcome, Failure> {
    run_sabotaged(plan, Sabotage::None, observer)
}

/// Runs a plan with something broken on purpose.
///
/// # Errors
///
/// As [`run`].
pub fn run_sabotaged(
    plan: &Plan,
    sabotage: Sabotage,
    observer: &mut impl Observer,
) -> Result<Outcome, Failure> {
    match plan.buffer {
        BufferBytes::B256 => World::<256, _>::new(plan, sabotage, observer).run(),
        BufferBytes::B512 => World::<512, _>::new(plan, sabotage, observer).run(),
        BufferBytes::B1024 => World::<1024, _>::new(plan, sabotage, observer).run(),
        BufferBytes::B4096 => World::<4096, _>::new(plan, sabotage, observer).run(),
    }
}

enum Power<const BUFFER: usize> {
    Off,
    Ours(Box<Node<BUFFER, Numbered>>),
    Other(Box<OtherNode>),
}

struct World<'a, const BUFFER: usize, O> {
    plan: &'a Plan,
    sabotage: Sabotage,
    observer: &'a mut O,
    rng: ChaCha8Rng,
    now_us: u64,
    books: Books,
    commands: Commands,
    node: Power<BUFFER>,
    /// When the present node was started.
    node_started_us: u64,
    /// The clocks of all boots.
    timers: BTreeMap<u32, Timer>,
    node_looks_us: u64,
    hub: Option<HostSession>,
    /// The hub's port is gone, and it knows.
    port_lost: bool,
    /// On their way into the journal: when they are committed.
    uncommitted: VecDeque<(u64, Entry)>,
    up: Line,
    down: Line,
    /// Next of the plan's readings and incidents.
    reading: usize,
    incident: usize,
    is_calm: bool,
}

impl<'a, const BUFFER: usize, O: Observer> World<'a, BUFFER, O> {
    fn new(plan: &'a Plan, sabotage: Sabotage, observer: &'a mut O) -> Self {
        let line = |seed: u64, speed| Line::new(seed, speed, plan.when_unplugged, &plan.noise);
        let mut world = World {
            plan,
            sabotage,
            observer,
            rng: ChaCha8Rng::seed_from_u64(!plan.seed),
            now_us: 0,
            books: Books::new(plan.kind),
            commands: Commands::default(),
            node: Power::Off,
            node_started_us: 0,
            timers: BTreeMap::new(),
            node_looks_us: u64::MAX,
            hub: None,
            port_lost: false,
            uncommitted: VecDeque::new(),
            up: line(plan.seed.wrapping_mul(4).wrapping_add(1), plan.up),
            down: line(plan.seed.wrapping_mul(4).wrapping_add(3), plan.down),
            reading: 0,
            incident: 0,
            is_calm: false,
        };
        world.start_node(Release::Ours);
        world.start_hub();
        world
    }

    fn log(&mut self, who: Who, what: impl FnOnce() -> String) {
        if self.observer.is_reading_log() {
            self.observer.log(self.now_us, who, what());
        }
    }

    fn run(mut self) -> Result<Outcome, Failure> {
        match self.play() {
            Ok(outcome) => Ok(outcome),
            Err(what) => Err(Failure { seed: self.plan.seed, at_us: self.now_us, what }),
        }
    }

    fn play(&mut self) -> Result<Outcome, Violation> {
        let calm_us = self.plan.calm_us().max(self.plan.readings_us.last().copied().unwrap_or(0));
        let mut settled_us = None;
        for _ in 0..STEPS_MAX {
            self.step()?;
            if settled_us.is_none() && self.is_settled() {
                settled_us = Some(self.now_us);
                self.log(Who::Hub, || "the journal is complete, and the node knows it".to_owned());
            }
            let end_us = settled_us.map_or(calm_us + SETTLE_MAX_US, |settled| settled + WATCH_US);
            match self.next_us() {
                Some(next_us) if next_us <= end_us => self.now_us = next_us.max(self.now_us),
                _ => break,
            }
        }
        let Some(settled_us) = settled_us else { return Err(self.unsettled()) };
        let (commands, commands_done) = self.commands.counts();
        Ok(Outcome {
            counts: Counts { commands, commands_done, ..self.books.check_journal()? },
            line_faults: self.up.faults_so_far() + self.down.faults_so_far(),
            settled_after_us: settled_us.saturating_sub(calm_us),
        })
    }

    /// Why the run has not come to rest in time.
    fn unsettled(&self) -> Violation {
        let latest = self.books.latest();
        let buffered = match &self.node {
            Power::Ours(node) => node.buffered(),
            _ => 0,
        };
        format!(
            "{} s after the last fault not everything is told and acknowledged: the node read {} things, {buffered} are \
             not acknowledged, {} are on their way into the journal, all are delivered: {}",
            SETTLE_MAX_US / 1_000_000,
            latest.sequence,
            self.uncommitted.len(),
            self.books.is_all_delivered(),
        )
    }

    fn is_settled(&self) -> bool {
        let Power::Ours(node) = &self.node else { return false };
        self.is_calm
            && self.reading == self.plan.readings_us.len()
            && self.uncommitted.is_empty()
            && node.buffered() == 0
            && self.commands.all_ended()
            && self.books.is_all_delivered()
    }

    /// When something happens next.
    fn next_us(&self) -> Option<u64> {
        let node_us = match &self.node {
            Power::Off => None,
            Power::Ours(node) => {
                let room_us = match node.wants_transmit() {
                    true => self.room_us(&self.up),
                    false => None,
                };
                let due_us = node.next_due_us().min(self.node_looks_us);
                Some(room_us.map_or(due_us, |room_us| room_us.min(due_us)))
            }
            Power::Other(node) => Some(node.next_due_us()),
        };
        let hub_us = match &self.hub {
            Some(session) if session.wants_transmit() && !self.port_lost => {
                self.room_us(&self.down)
            }
            _ => None,
        };
        let commands_us = self.hub.as_ref().and_then(HostSession::next_due);
        [
            node_us,
            hub_us,
            commands_us.map(HubTime::as_micros),
            self.up.next_arrival_us(),
            self.down.next_arrival_us(),
            self.plan.readings_us.get(self.reading).copied(),
            self.plan.incidents.get(self.incident).map(|&(at_us, _)| at_us),
            self.uncommitted.front().map(|&(at_us, _)| at_us),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    fn room_us(&self, line: &Line) -> Option<u64> {
        match line.room(self.now_us) {
            0 => line.room_again_us(self.now_us),
            _ => Some(self.now_us + 1),
        }
    }

    /// Everything that happens at this moment.
    fn step(&mut self) -> Result<(), Violation> {
        while let Some(&(at_us, incident)) = self.plan.incidents.get(self.incident)
            && at_us <= self.now_us
        {
            self.incident += 1;
            self.suffer(incident);
        }
        self.commit();
        self.turn_node()?;
        self.turn_hub()?;
        Ok(())
    }

    fn suffer(&mut self, incident: Incident) {
        self.log(Who::Fate, || format!("{incident:?}"));
        let now_us = self.now_us;
        match incident {
            Incident::Noise(direction, rate) => self.line(direction).set_noise(rate),
            Incident::Writes(direction, faults) => self.line(direction).set_faults(faults),
            Incident::Stall(direction, lasts_us) => self.line(direction).stall(now_us + lasts_us),
            Incident::Unplug { seen } => {
                self.up.unplug(now_us);
                self.down.unplug(now_us);
                self.port_lost |= seen;
            }
            Incident::PlugIn => {
                self.up.plug_in();
                self.down.plug_in();
                self.reopen();
            }
            Incident::NodeOff => self.node = Power::Off,
            Incident::NodeOn(release) => self.start_node(release),
            Incident::HubOff => {
                self.hub = None;
                self.commands.forget();
                self.uncommitted.clear();
            }
            Incident::HubOn => self.start_hub(),
            Incident::JournalSetBack(entries) if self.hub.is_none() => self.books.set_back(entries),
            Incident::JournalSetBack(_) => {}
            Incident::Command => {
                if let Some(session) = &mut self.hub {
                    self.commands.give(session, HubTime::from_micros(now_us));
                }
            }
            Incident::Calm => self.calm(),
        }
    }

    fn line(&mut self, direction: Direction) -> &mut Line {
        match direction {
            Direction::Up => &mut self.up,
            Direction::Down => &mut self.down,
        }
    }

    fn calm(&mut self) {
        self.is_calm = true;
        self.up.calm(self.now_us);
        self.down.calm(self.now_us);
        self.reopen();
        if !matches!(self.node, Power::Ours(_)) {
            self.node = Power::Off;
            self.start_node(Release::Ours);
        }
        if self.hub.is_none() {
            self.start_hub();
        }
    }

    /// The hub's port is there again.
    fn reopen(&mut self) {
        if std::mem::take(&mut self.port_lost)
            && let Some(session) = &mut self.hub
        {
            session.reconnected();
        }
    }

    fn start_node(&mut self, release: Release) {
        if !matches!(self.node, Power::Off) {
            return;
        }
        let boot_id = self.rng.random_range(1..=u32::MAX);
        let boot_id = self.sabotage.boot_id(boot_id);
        self.books.start_node(boot_id, release == Release::Ours);
        self.node_started_us = self.now_us;
        self.node_looks_us = self.now_us;
        self.log(Who::Node, || format!("starts as boot {boot_id:08x}, firmware: {release:?}"));
        let first = self.now_us == 0;
        let start = if first { self.plan.timer_start } else { self.rng.random() };
        let timer = Timer { started_us: self.now_us, start, rate: self.plan.node_rate };
        self.timers.insert(boot_id, timer);
        self.node = match release {
            Release::Ours => {
                let kind = self.plan.kind;
                let sensors = Numbered { kind, boot_id };
                Power::Ours(Box::new(Node::start(node_id(), kind, boot_id, timer, sensors)))
            }
            Release::Other => Power::Other(Box::new(OtherNode::start(
                node_id(),
                self.plan.kind,
                boot_id,
                self.now_us,
            ))),
        };
    }

    fn start_hub(&mut self) {
        if self.hub.is_some() {
            return;
        }
        let resume = self.sabotage.resume(self.books.start_hub());
        self.log(Who::Hub, || format!("starts from its journal: {resume:?}"));
        self.hub = Some(HostSession::new(resume));
        self.port_lost = false;
    }

    /// What is due in the journal is written, and acknowledged.
    fn commit(&mut self) {
        while let Some(&(at_us, entry)) = self.uncommitted.front()
            && at_us <= self.now_us
        {
            self.uncommitted.pop_front();
            if self.sabotage.loses(entry) {
                continue;
            }
            self.books.commit(entry);
            if let (Some(session), Some(reached)) = (&mut self.hub, entry.reached()) {
                session.committed(reached.boot_id, reached.sequence);
            }
        }
    }

    /// The node's main loop, once.
    fn turn_node(&mut self) -> Result<(), Violation> {
        let received = self.down.receive(self.now_us);
        let mut reading_due = false;
        while self.plan.readings_us.get(self.reading).is_some_and(|&at_us| at_us <= self.now_us) {
            self.reading += 1;
            reading_due = true;
        }
        let now_us = self.now_us;
        match &mut self.node {
            Power::Off => {}
            Power::Other(node) => {
                node.receive(&received);
                let said = node.say(now_us);
                self.up.send(now_us, &said);
            }
            Power::Ours(node) => {
                self.node_looks_us = now_us + self.rng.random_range(1_000..=NODE_LOOP_MAX_US);
                node.poll(now_us)?;
                let done = node.receive(&received);
                self.books.answered(node.latest());
                self.books.buffer_holds(node.buffered(), node.lost());
                let node_now = node.now();
                for order in done {
                    self.log(Who::Node, || format!("does {order:?}"));
                    self.commands.is_done(order)?;
                }
                if reading_due {
                    self.read(node_now);
                }
                self.send_up();
            }
        }
        Ok(())
    }

    fn read(&mut self, node_now: NodeTime) {
        let reading = reading(&mut self.rng, self.plan.kind, node_now);
        let sequence = self.books.read(reading.clone());
        self.log(Who::Node, || format!("reads {sequence}: {reading:?}"));
        let is_kept = !self.sabotage.forgets(sequence);
        let Power::Ours(node) = &mut self.node else { return };
        if is_kept {
            node.push(&reading);
        }
        self.books.buffer_holds(node.buffered(), node.lost());
    }

    /// Moves what the node has to say to the line, as far as it takes it.
    fn send_up(&mut self) {
        let Power::Ours(node) = &mut self.node else { return };
        let (writes, now_us) = (self.plan.writes, self.now_us);
        pump(&mut self.up, now_us, writes, |out| node.transmit(out));
    }

    /// The hub's port, once.
    fn turn_hub(&mut self) -> Result<(), Violation> {
        let received = self.up.receive(self.now_us);
        let Some(session) = &mut self.hub else { return Ok(()) };
        let mut heard = Vec::new();
        let now = HubTime::from_micros(self.now_us);
        session.poll(now, |event| heard.push(event));
        if !self.port_lost {
            session.receive(now, &received, |event| heard.push(event));
        }
        for event in heard {
            self.take(&event)?;
        }
        let (writes, now_us) = (self.plan.writes, self.now_us);
        if !self.port_lost
            && let Some(session) = &mut self.hub
        {
            pump(&mut self.down, now_us, writes, |out| session.transmit(out));
        }
        Ok(())
    }

    fn take(&mut self, event: &HostEvent) -> Result<(), Violation> {
        self.log(Who::Hub, || format!("{event:?}"));
        self.observer.heard(Heard {
            at_us: self.now_us,
            event,
            node_started_us: self.node_started_us,
            node_rate: self.plan.node_rate,
        });
        match event {
            HostEvent::CommandEnded { command, outcome } => {
                self.commands.ends(*command, *outcome)?
            }
            HostEvent::Timing(timing) => self.check_timing(timing)?,
            _ => {}
        }
        let Some(entry) = self.books.deliver(event)? else { return Ok(()) };
        if self.sabotage == Sabotage::AcknowledgeOnArrival
            && let (Some(session), Some(reached)) = (&mut self.hub, entry.reached())
        {
            session.committed(reached.boot_id, reached.sequence);
        }
        let earliest_us = self.uncommitted.back().map_or(0, |&(at_us, _)| at_us);
        let commit_us = self.now_us + self.rng.random_range(0..=self.plan.commit_max_us);
        self.uncommitted.push_back((commit_us.max(earliest_us), entry));
        Ok(())
    }

    /// A frame was made before it arrived, and after the question that it answers: else the hub would learn a wrong time from it.
    fn check_timing(&self, timing: &FrameTiming) -> Result<(), Violation> {
        let Some(timer) = self.timers.get(&timing.boot_id) else {
            return Err(format!("a frame of boot {:08x}, which never was", timing.boot_id));
        };
        let made = self.sabotage.made(timing.made);
        // The last µs that the node's clock showed this.
        let made_us = timer.at(made.plus_micros(1));
        let asked_us = timing.asked.map_or(0, HubTime::as_micros);
        if timer.at(made) <= self.now_us + 1 && asked_us <= made_us {
            return Ok(());
        }
        Err(format!("a frame made at {made_us} µs is told as made between {asked_us} µs and now"))
    }
}
