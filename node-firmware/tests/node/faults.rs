//! Node and hub over bad lines, with restarts of both. The hub's journal contains each of a node's readings once and in order, or a gap
//! for it.

use std::collections::VecDeque;

use node_firmware::{BoardConfig, BoardNode, BoardReading, EventMemory, Identity};
use proto::link::{
    HostEvent, HostSession, HubTime, Message, NodeState, NodeTime, ResumePoint, SensorReading,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::host::at;
use crate::line::{Faults, Line};

const STEP_US: u64 = 10_000;
/// Bytes that a line of 115,200 baud carries in one step.
const BYTES_PER_STEP: usize = 115;
const LONGEST_COMMIT_US: u64 = 150_000;

/// Time, square, occupied: the content of one event of this node.
type Toggle = (NodeTime, u8, bool);

/// A line of the hub's journal about one boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    Event(u32, Toggle),
    Gap(u32, u32),
}

impl Entry {
    const fn last_sequence(self) -> u32 {
        match self {
            Self::Event(sequence, _) | Self::Gap(_, sequence) => sequence,
        }
    }
}

/// Changes in one boot of the node, and the hub's journal of that boot.
#[derive(Default)]
struct Boot {
    toggles: Vec<Toggle>,
    journal: Vec<Entry>,
}

struct World<const BUFFER: usize> {
    seed: u64,
    rng: ChaCha8Rng,
    now_us: u64,
    started_us: u64,
    node: BoardNode,
    squares: u64,
    boot_id: u32,
    /// By boot id − 1.
    boots: Vec<Boot>,
    host: HostSession,
    /// Entries on their way into the journal: when they are committed, of which boot.
    uncommitted: VecDeque<(u64, u32, Entry)>,
    up: Line,
    down: Line,
    snapshots: usize,
    restarts_told: usize,
}

impl<const BUFFER: usize> World<BUFFER> {
    fn new(seed: u64, faults: Faults) -> Self {
        let mut world = Self {
            seed,
            rng: ChaCha8Rng::seed_from_u64(seed),
            now_us: 0,
            started_us: 0,
            node: boot(1, BUFFER),
            squares: 0,
            boot_id: 1,
            boots: vec![Boot::default()],
            host: HostSession::new(None),
            uncommitted: VecDeque::new(),
            up: Line::new(seed + 1_000_000, faults),
            down: Line::new(seed + 2_000_000, faults),
            snapshots: 0,
            restarts_told: 0,
        };
        world.node.observe(at(0), BoardReading::default());
        world
    }

    fn node_now(&self) -> NodeTime {
        at(self.now_us - self.started_us)
    }

    /// One step of play: with this chance a square changes.
    fn step(&mut self, change_chance: f64) {
        self.now_us += STEP_US;
        let now = self.node_now();
        if self.rng.random_bool(change_chance) {
            let square = self.rng.random_range(0..64_u8);
            self.squares ^= 1 << square;
            let toggle = (now, square, self.squares >> square & 1 == 1);
            self.boots.last_mut().unwrap().toggles.push(toggle);
        }
        self.node.observe(now, BoardReading { squares: self.squares, ..BoardReading::default() });
        let mut bytes = [0; BYTES_PER_STEP];
        let length = self.node.transmit(&mut bytes);
        let arrived = self.up.carry(&bytes[..length]);
        let mut heard = Vec::new();
        let hub_now = HubTime::from_micros(self.now_us);
        self.host.receive(hub_now, &arrived, |event| heard.push(event));
        heard.into_iter().for_each(|event| self.take(event));
        self.commit();
        let length = self.host.transmit(&mut bytes);
        let arrived = self.down.carry(&bytes[..length]);
        self.node.receive(&arrived);
    }

    fn take(&mut self, event: HostEvent) {
        let seed = self.seed;
        match event {
            HostEvent::Event { boot_id, sequence, message } => {
                let Message::SquaresChanged(event) = message else { panic!("seed {seed}") };
                let [change] = event.changes[..] else { panic!("seed {seed}: {event:?}") };
                let on = change.reading == SensorReading::Occupied;
                let entry = Entry::Event(sequence, (event.time, change.square.get(), on));
                self.write(boot_id, entry);
            }
            HostEvent::Gap { boot_id, first, last } => self.write(boot_id, Entry::Gap(first, last)),
            // The last frame of a boot may be completed by the first zero of the next.
            HostEvent::Snapshot { boot_id, .. } if boot_id != self.boot_id => {}
            HostEvent::Snapshot { sequence, snapshot, .. } => {
                let NodeState::Board(state) = snapshot.state else { panic!("seed {seed}") };
                let before = &self.boots.last().unwrap().toggles[..sequence as usize];
                let expected =
                    before.iter().fold(self.base(), |squares, toggle| squares ^ 1 << toggle.1);
                assert_eq!(state.occupied, expected, "seed {seed}: snapshot after {sequence}");
                self.snapshots += 1;
            }
            HostEvent::Restarted { .. } => self.restarts_told += 1,
            HostEvent::Hello { .. }
            | HostEvent::Timing(_)
            | HostEvent::Started { .. }
            | HostEvent::Health { .. }
            | HostEvent::BoardHealth { .. }
            | HostEvent::Rejected(_) => {}
            HostEvent::CommandEnded { .. } => panic!("seed {seed}: no command was given"),
            HostEvent::OtherNode { .. } => panic!("seed {seed}: no node is expected by name"),
            HostEvent::Incompatible(mismatch) => panic!("seed {seed}: {mismatch}"),
        }
    }

    /// Occupied squares when this boot began.
    fn base(&self) -> u64 {
        let toggles = &self.boots.last().unwrap().toggles;
        toggles.iter().fold(self.squares, |squares, toggle| squares ^ 1 << toggle.1)
    }

    fn write(&mut self, boot_id: u32, entry: Entry) {
        let wait_us = self.rng.random_range(0..LONGEST_COMMIT_US);
        let earliest = self.uncommitted.back().map_or(0, |last| last.0);
        self.uncommitted.push_back((earliest.max(self.now_us + wait_us), boot_id, entry));
    }

    fn commit(&mut self) {
        while let Some(&(due_us, boot_id, entry)) = self.uncommitted.front()
            && due_us <= self.now_us
        {
            self.uncommitted.pop_front();
            self.boots[boot_id as usize - 1].journal.push(entry);
            self.host.committed(boot_id, entry.last_sequence());
        }
    }

    fn restart_hub(&mut self) {
        self.uncommitted.clear();
        let newest = self.boots.iter().enumerate().rev().find_map(|(index, boot)| {
            let sequence = boot.journal.last()?.last_sequence();
            Some(ResumePoint { boot_id: index as u32 + 1, sequence })
        });
        self.host = HostSession::new(newest);
    }

    fn restart_node(&mut self) {
        self.boot_id += 1;
        self.boots.push(Boot::default());
        self.node = boot(self.boot_id, BUFFER);
        self.started_us = self.now_us;
        let reading = BoardReading { squares: self.squares, ..BoardReading::default() };
        self.node.observe(at(0), reading);
    }

    fn plug(&mut self, plugged: bool) {
        self.up.plugged = plugged;
        self.down.plugged = plugged;
        if plugged {
            self.host.reconnected();
        }
    }

    /// Runs without faults until everything has arrived.
    fn settle(&mut self) {
        self.up.faults = Faults::NONE;
        self.down.faults = Faults::NONE;
        for _ in 0..1_000 {
            self.step(0.0);
        }
        assert_eq!(self.node.link().buffered_events(), 0, "seed {}", self.seed);
    }

    /// Checks the journal of `boot` and returns how many of its events are in gaps. The journal is true, in order, without repetition
    /// and without an unreported gap; that of the last boot is complete.
    fn check(&self, boot_index: usize) -> usize {
        let (seed, boot) = (self.seed, &self.boots[boot_index]);
        let mut next = 1;
        let mut missing = 0;
        for &entry in &boot.journal {
            match entry {
                Entry::Event(sequence, told) => {
                    assert_eq!(sequence, next, "seed {seed}, boot {boot_index}");
                    assert_eq!(told, boot.toggles[sequence as usize - 1], "seed {seed}");
                }
                Entry::Gap(first, last) => {
                    assert_eq!(first, next, "seed {seed}, boot {boot_index}");
                    assert!(last >= first, "seed {seed}");
                    missing += (last - first + 1) as usize;
                }
            }
            next = entry.last_sequence() + 1;
        }
        if boot_index + 1 == self.boots.len() {
            assert_eq!(next as usize, boot.toggles.len() + 1, "seed {seed}: the end is missing");
        }
        missing
    }
}

fn boot(boot_id: u32, bytes: usize) -> BoardNode {
    let identity = Identity::new("node".parse().unwrap(), boot_id);
    BoardNode::new(identity, BoardConfig::default(), EventMemory::of_heap(bytes))
}

#[test]
fn nothing_is_lost_on_a_bad_line_while_the_buffer_holds() {
    for seed in 0..40 {
        let mut world = World::<4096>::new(seed, Faults::BAD);
        for _ in 0..3_000 {
            world.step(0.05);
        }
        world.settle();
        assert_eq!(world.check(0), 0, "seed {seed}");
        assert_eq!(world.node.link().lost_events(), 0, "seed {seed}");
        assert!(world.up.faults_so_far > 20 && world.down.faults_so_far > 0, "seed {seed}");
        assert!(world.boots[0].toggles.len() > 100 && world.snapshots > 10, "seed {seed}");
    }
}

#[test]
fn what_a_full_buffer_discards_is_told_exactly() {
    for seed in 0..40 {
        let mut world = World::<512>::new(seed, Faults::BAD);
        for round in 0..4 {
            world.plug(round % 2 == 0);
            for _ in 0..600 {
                world.step(0.1);
            }
        }
        world.plug(true);
        world.settle();
        let missing = world.check(0);
        assert!(missing > 0, "seed {seed}: the buffer was meant to overflow");
        // The hub may have received some of the discarded events, unacknowledged.
        assert!(missing <= world.node.link().lost_events() as usize, "seed {seed}");
    }
}

#[test]
fn a_hub_that_is_killed_again_and_again_loses_nothing_and_repeats_nothing() {
    for seed in 0..40 {
        let mut world = World::<4096>::new(seed, Faults::BAD);
        for step in 0..3_000 {
            world.step(0.03);
            if step % 170 == 169 {
                world.restart_hub();
            }
        }
        world.settle();
        assert_eq!(world.check(0), 0, "seed {seed}");
    }
}

#[test]
fn a_node_that_is_unplugged_and_plugged_in_again_delivers_what_it_read_meanwhile() {
    for seed in 0..40 {
        let mut world = World::<4096>::new(seed, Faults::BAD);
        for round in 0..8 {
            world.plug(round % 2 == 0);
            for _ in 0..300 {
                world.step(0.05);
            }
        }
        world.plug(true);
        world.settle();
        assert_eq!(world.check(0), 0, "seed {seed}");
    }
}

#[test]
fn restarts_of_both_ends_are_told_and_leave_no_silent_hole() {
    for seed in 0..40 {
        let mut world = World::<1024>::new(seed, Faults::BAD);
        for step in 0..4_000 {
            world.step(0.05);
            if step % 530 == 529 {
                world.restart_node();
            }
            if step % 311 == 310 {
                world.restart_hub();
            }
        }
        world.settle();
        for boot in 0..world.boots.len() {
            world.check(boot);
        }
        assert!(world.boots.len() == 8 && world.restarts_told >= 7, "seed {seed}");
    }
}

#[test]
fn the_same_seed_gives_the_same_journal() {
    let run = || {
        let mut world = World::<512>::new(7, Faults::BAD);
        for _ in 0..1_000 {
            world.step(0.1);
        }
        world.settle();
        world.boots.remove(0).journal
    };
    assert_eq!(run(), run());
}

#[test]
fn a_silent_hub_is_not_shouted_at() {
    let mut world = World::<4096>::new(1, Faults::NONE);
    world.step(1.0);
    world.plug(false);
    let mut sent = 0;
    for _ in 0..3_000 {
        world.now_us += STEP_US;
        world.node.advance(world.node_now());
        let mut bytes = [0; BYTES_PER_STEP];
        let length = world.node.transmit(&mut bytes);
        sent += length;
    }
    // Thirty seconds: a snapshot of some 30 bytes each second, the one event a dozen times.
    assert!(sent < 2_500, "{sent} bytes");
}
