//! A hub's table over two matches and the beginning of a third. Its nodes send a recorded match, and the table's entries go to the
//! journal. It is the table of the hub; only time, nodes and directors are simulated, the same in every run.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use hub::{Config, HubTime};
use hub_core::input::NodeInput;
use hub_core::journal::{Entry, NodeOffset, Recovered};
use hub_core::journal_line::{Line, NodeState};
use hub_core::orders::{ClockChange, Order, OrderKind, OrderRecord, What};
use hub_core::request::{Naming, NodeRequest};
use hub_core::session::tracker;
use hub_core::table::{Job, Recovery, Reviewed, Table, TableInput, TableOutput, TableSettings};
use proto::link::{CommandName, CommandOutcome, CommandResult, ResumePoint};
use proto::mqtt::message::OrderOutcome;
use proto::mqtt::message::row::Event;
use readings::ReadingKind;
use rules::BoardId;

/// Hub time at which the boards are set up for the first match.
pub(crate) const BEGIN: HubTime = HubTime::from_micros(1_800_000_000_000_000);
/// The hub of the table.
pub(crate) const HUB: &str = "hub-1";
/// Its name.
pub(crate) const TABLE: &str = "1";
/// Time of a slice, microseconds: the table receives its readings at once.
const SLICE_US: u64 = 500_000;
/// The first match is the beginning of the recorded one, the second all of it, microseconds.
const FIRST_US: u64 = 60_000_000;
/// From setting up to playing, and from the end of a match to setting up, microseconds.
const PAUSE_US: u64 = 5_000_000;
/// The run of every node.
const NODE_BOOT: u32 = 4;

/// Reading of a sensor, and its time.
type Said = (HubTime, BoardId, ReadingKind);

/// Messages that a hub would send once everything before is committed.
#[derive(Debug, Default)]
pub(crate) struct Promised {
    /// Nodes may forget their events up to here.
    pub(crate) nodes: Vec<NodeOffset>,
    /// Clocks get these orders, under these names.
    pub(crate) orders: Vec<(u64, CommandName)>,
}

/// Order of a director.
#[derive(Clone, Copy, Debug)]
enum Wish {
    Clock(BoardId, ClockChange),
    /// Confirms the ply that was published last.
    Confirm,
    /// States another ply instead of it.
    Deny,
    /// Withdraws the fact of that order.
    Withdraw(u64),
    /// Orders something for a match that does not exist.
    Elsewhere,
}

/// Orders of directors during the second match, microseconds after its set-up. An order is named by its place, from 1.
const WISHES: [(u64, Wish); 7] = [
    (40_000_000, Wish::Clock(BoardId::A, ClockChange::Pause)),
    (40_500_000, Wish::Clock(BoardId::A, ClockChange::Resume)),
    (70_000_000, Wish::Confirm),
    (100_000_000, Wish::Deny),
    (140_000_000, Wish::Withdraw(4)),
    (150_000_000, Wish::Elsewhere),
    (200_000_000, Wish::Clock(BoardId::B, ClockChange::SetAnew)),
];

/// A node of the table for each kind of reading.
const NODES: [(&str, BoardId, bool); 4] = [
    ("board-a", BoardId::A, false),
    ("board-b", BoardId::B, false),
    ("clock-a", BoardId::A, true),
    ("clock-b", BoardId::B, true),
];

/// The table, and everything that it will still receive.
pub(crate) struct Played {
    settings: TableSettings,
    table: Table,
    now: HubTime,
    ends: HubTime,
    coming: VecDeque<Said>,
    wishes: VecDeque<(HubTime, Wish)>,
    ordered: u64,
    /// Number of events that each node has sent.
    told: BTreeMap<&'static str, u32>,
    answers: Vec<TableInput>,
    /// Facts whose orders have not ended.
    facts: Vec<OrderRecord>,
    last_ply: Option<(u32, String)>,
    entries: Vec<Entry>,
    promised: Promised,
}

impl Played {
    /// Creates the table before the first reading.
    pub(crate) fn new() -> Played {
        let (coming, second) = script();
        let ends = coming.back().map_or(BEGIN, |(at, ..)| *at).plus_micros(PAUSE_US);
        let settings = settings();
        let recovery = Recovery::new(settings.clone(), &Recovered::default());
        let wishes = WISHES.map(|(after_us, wish)| (second.plus_micros(after_us), wish)).into();
        let mut played = Played {
            table: recovery.finish(BEGIN, Vec::new(), Vec::new()),
            settings,
            now: BEGIN,
            ends,
            coming,
            wishes,
            ordered: 0,
            told: BTreeMap::new(),
            answers: Vec::new(),
            facts: Vec::new(),
            last_ply: None,
            entries: Vec::new(),
            promised: Promised::default(),
        };
        played.connect();
        played
    }

    /// The time.
    pub(crate) fn now(&self) -> HubTime {
        self.now
    }

    /// The next entries for the journal, in order; none when the last match has been opened.
    pub(crate) fn next_entries(&mut self) -> Option<Vec<Entry>> {
        while self.entries.is_empty() {
            if self.now >= self.ends {
                return None;
            }
            self.step();
        }
        Some(std::mem::take(&mut self.entries))
    }

    /// Commits this number of entries; returns the hub's messages that follow.
    pub(crate) fn committed(&mut self, entries: usize) -> Promised {
        for _ in 0..entries {
            self.table.handle(self.now, TableInput::Committed);
        }
        self.take_outputs();
        std::mem::take(&mut self.promised)
    }

    /// Restarts the hub from the contents of its journal.
    pub(crate) fn restart(
        &mut self,
        recovered: &Recovered,
        lines: &[Line],
        orders: Vec<OrderRecord>,
    ) {
        assert_eq!(self.table.waiting(), 0, "what waits would be sent again by its node");
        let mut recovery = Recovery::new(self.settings.clone(), recovered);
        lines.iter().for_each(|line| recovery.replay(line));
        self.table = recovery.finish(self.now, orders, Vec::new());
        self.answers.clear();
        self.connect();
    }

    fn connect(&mut self) {
        for (node, board, _) in NODES {
            let (node_id, state) = (node.to_owned(), NodeState::Connected);
            let (at, detail) = (self.now, String::new());
            self.give(NodeInput::State { node_id, board, at, state, detail });
        }
    }

    fn give(&mut self, input: NodeInput) {
        self.table.handle(self.now, TableInput::Node(input));
    }

    /// Advances the time by a slice.
    fn step(&mut self) {
        for answer in std::mem::take(&mut self.answers) {
            self.table.handle(self.now, answer);
        }
        self.now = self.now.plus_micros(SLICE_US);
        self.hear_nodes();
        while self.wishes.front().is_some_and(|(at, _)| *at <= self.now) {
            let Some((_, wish)) = self.wishes.pop_front() else { break };
            self.order(wish);
        }
        self.table.process(self.now);
        self.take_outputs();
    }

    /// Passes the nodes' readings up to now to the table.
    fn hear_nodes(&mut self) {
        let now = self.now;
        let count = self.coming.iter().take_while(|(at, ..)| *at < now).count();
        let said: Vec<Said> = self.coming.drain(..count).collect();
        for (node, board, is_clock) in NODES {
            let of_node = said.iter().filter(|(_, of, kind)| {
                *of == board
                    && is_clock
                        == matches!(kind, ReadingKind::Press { .. } | ReadingKind::Clock { .. })
            });
            let readings: Vec<_> = of_node.map(|(at, _, kind)| (*at, kind.clone())).collect();
            if !readings.is_empty() {
                let sequence = self.told.entry(node).or_default();
                *sequence += u32::try_from(readings.len()).expect("few");
                let reached = ResumePoint { boot_id: NODE_BOOT, sequence: *sequence };
                let offset = Some(NodeOffset { node_id: node.to_owned(), reached });
                self.give(NodeInput::Readings { board, readings, offset });
            }
            self.give(NodeInput::Watermark { node_id: node.to_owned(), until: now });
        }
    }

    fn order(&mut self, wish: Wish) {
        self.ordered += 1;
        let here = self.table.match_id().map(str::to_owned).expect("a match is open");
        let (ply, uci) = self.last_ply.clone().expect("plies were told");
        let fact =
            |what: &str| What::Fact(format!(r#"{{"kind":"fact","ply":{ply},"{what}":"{uci}"}}"#));
        let pause = What::Clock(BoardId::A, ClockChange::Pause);
        let (match_id, what) = match wish {
            Wish::Clock(board, change) => (here, What::Clock(board, change)),
            Wish::Confirm => (here, fact("uci")),
            Wish::Deny => (here, fact("not")),
            Wish::Withdraw(of) => (here, What::FactWithdrawn(of)),
            Wish::Elsewhere => ("elsewhere".to_owned(), pause),
        };
        let (id, table) = (self.ordered, TABLE.to_owned());
        self.give(NodeInput::Order(Order { id, table, match_id, expires_us: 0, what }));
    }

    fn take_outputs(&mut self) {
        while let Some(output) = self.table.poll_output() {
            match output {
                TableOutput::Commit(entry) => {
                    self.note(&entry);
                    self.entries.push(*entry);
                }
                TableOutput::Acknowledge(offset) => self.promised.nodes.push(offset),
                TableOutput::Ask(request) => self.answer(request),
                TableOutput::LookUp(job) => {
                    let reviewed = self.review(job);
                    self.answers.push(TableInput::Reviewed(reviewed));
                }
                TableOutput::RequestWatermark(_) | TableOutput::Notice(_) => {}
            }
        }
    }

    /// A clock names every command, and does it.
    fn answer(&mut self, request: NodeRequest) {
        let input = match request {
            NodeRequest::Name { order_id, .. } => {
                let request = u32::try_from(order_id).expect("few");
                let naming = Naming::Name(CommandName { boot_id: NODE_BOOT, request });
                NodeInput::Named { order_id, naming }
            }
            NodeRequest::Give { order_id, name, .. } => {
                self.promised.orders.push((order_id, name));
                let outcome = CommandOutcome::Answered(CommandResult::Done);
                NodeInput::Commanded { order_id, outcome }
            }
            NodeRequest::Identify { .. } | NodeRequest::Update { .. } => return,
        };
        self.answers.push(TableInput::Node(input));
    }

    /// Remembers what is asked about later.
    fn note(&mut self, entry: &Entry) {
        let is_fact =
            |kind: &OrderKind| matches!(kind, OrderKind::Fact(_) | OrderKind::FactWithdrawn(_));
        let open = entry.orders.iter().filter(|it| it.ended.is_none() && is_fact(&it.kind));
        self.facts.extend(open.cloned());
        let mut plies = entry.rows.iter().filter_map(|row| match &row.event {
            Event::PlyReported(ply) => Some((ply.ply_id, ply.uci.clone())),
            _ => None,
        });
        self.last_ply = plies.next_back().or(self.last_ply.take());
    }

    /// A match that is over was followed once more, and all that people know of it fits.
    fn review(&mut self, job: Job) -> Reviewed {
        let Job::Review(match_id) = job else { return Reviewed::default() };
        let (of_match, others) =
            std::mem::take(&mut self.facts).into_iter().partition(|it| it.match_id == match_id);
        self.facts = others;
        let ended: Vec<OrderRecord> = of_match;
        let done = |record| (record, OrderOutcome::Done, String::new());
        Reviewed { ended: ended.into_iter().map(done).collect(), ..Reviewed::default() }
    }
}

fn settings() -> TableSettings {
    let node = |board: &str, kind: &str, port: u32| {
        let id = format!("{kind}-{}", board.to_lowercase());
        format!(
            "[[table.node]]\nboard = \"{board}\"\nkind = \"{kind}\"\nnode = \"{id}\"\nport = \"/dev/{port}\"\n"
        )
    };
    let nodes = [("A", "board"), ("B", "board"), ("A", "clock"), ("B", "clock")];
    let nodes: String =
        nodes.iter().zip(0..).map(|((board, kind), port)| node(board, kind, port)).collect();
    let text = format!(
        "[hub]\nid = \"{HUB}\"\njournal = \"/hub.sqlite\"\n[broker]\nhost = \"localhost\"\n\
         [[table]]\nname = \"{TABLE}\"\nrulebook = \"us-chess-bughouse-2018\"\nbase_s = 300\n{nodes}"
    );
    let config = Config::parse(Path::new("hub.toml"), &text).expect("a configuration");
    let (hub_id, table) = (config.hub_id, config.tables[0].clone());
    TableSettings { hub_id, table, release: "1".to_owned(), rate: 1.0, follower: tracker }
}

/// Returns all readings of the sensors, in order of time, and the time at which the boards are set up for the second match.
fn script() -> (VecDeque<Said>, HubTime) {
    let bytes = include_bytes!("../../../../tests/traces/reed-scholastic.trace.jsonl");
    let (trace, errors) = readings::read_trace(bytes).expect("a trace");
    assert!(errors.is_empty(), "{errors:?}");
    let of_board = trace.readings.into_iter();
    let all: Vec<_> = of_board.filter_map(|it| Some((it.t_us, it.board?, it.kind))).collect();
    let (set_up, played) = all.split_at(all.partition_point(|(t_us, ..)| *t_us == 0));
    let mut said: VecDeque<Said> = VecDeque::new();
    let mut now_us = 0;
    let mut second = BEGIN;
    for until_us in [FIRST_US, u64::MAX] {
        second = BEGIN.plus_micros(now_us);
        said.extend(set_up.iter().map(|(_, board, kind)| (second, *board, kind.clone())));
        let begun = second.plus_micros(PAUSE_US);
        let part = &played[..played.partition_point(|(t_us, ..)| *t_us < until_us)];
        said.extend(
            part.iter().map(|(t_us, board, kind)| (begun.plus_micros(*t_us), *board, kind.clone())),
        );
        now_us += PAUSE_US + part.last().map_or(0, |(t_us, ..)| *t_us) + PAUSE_US;
        // Hands stop both clocks; the first match is cut off before the sensors have shown this.
        let stopped = ReadingKind::Clock { white_ms: 200_000, black_ms: 200_000, running: None };
        let stopped = BoardId::ALL.map(|board| (BEGIN.plus_micros(now_us), board, stopped.clone()));
        said.extend(stopped);
        now_us += PAUSE_US;
    }
    let third = BEGIN.plus_micros(now_us);
    said.extend(set_up.iter().map(|(_, board, kind)| (third, *board, kind.clone())));
    (said, second)
}
