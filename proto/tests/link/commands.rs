//! Commands: each done once by the node, with one reported outcome, whatever the line does.

use std::collections::VecDeque;

use proptest::collection::vec;
use proptest::prelude::*;
use proto::link::*;

use crate::messages::{decode_all, encode};

const BOOT: u32 = 0xb001;
const STEP_US: u64 = 50_000;

/// A node that follows the specification of commands to the letter, and nothing else.
struct Node {
    boot_id: u32,
    last: Option<(u32, Order)>,
    last_result: CommandResult,
    done: Vec<Order>,
    /// Answers that are not acknowledged, sent again and again.
    answers: Vec<Answer>,
    acknowledged: usize,
    /// The number of the last request for HELLO.
    asked: u32,
}

impl Node {
    fn new() -> Self {
        Self {
            boot_id: BOOT,
            last: None,
            last_result: CommandResult::Done,
            done: Vec::new(),
            answers: Vec::new(),
            acknowledged: 0,
            asked: 0,
        }
    }

    fn restart(&mut self) {
        *self =
            Self { boot_id: self.boot_id + 1, done: std::mem::take(&mut self.done), ..Self::new() };
    }

    fn take(&mut self, frame: &Frame) {
        if frame.boot_id != self.boot_id && frame.boot_id != 0 {
            return;
        }
        match frame.message {
            Message::RequestHello => self.asked = frame.sequence,
            Message::Command(Command { request, order }) => {
                let last = self.last.map_or(0, |(request, _)| request);
                let result = if request > last {
                    self.last = Some((request, order));
                    self.done.push(order);
                    self.last_result = CommandResult::Done;
                    CommandResult::Done
                } else if self.last == Some((request, order)) {
                    self.last_result
                } else {
                    CommandResult::NumberTaken
                };
                self.answers.push(Answer { time: NodeTime::ZERO, request, order, result });
            }
            Message::Ack => self.acknowledged = self.acknowledged.max(frame.sequence as usize),
            _ => {}
        }
    }

    /// HELLO, every answer that is not acknowledged, a snapshot.
    fn messages(&self) -> Vec<Vec<u8>> {
        let frame = |sequence: usize, message| {
            encode(&Frame { boot_id: self.boot_id, sequence: sequence as u32, message })
        };
        let hello = Hello {
            schema_hash: SCHEMA_HASH,
            node_id: "n".parse().unwrap(),
            firmware: Default::default(),
            time: NodeTime::ZERO,
            acknowledged: self.acknowledged as u32,
            answers: self.asked,
            kind: NodeKind::Clock(ClockKind { press: PressKind::Lever, hand_sensor: false }),
        };
        let state = NodeState::Board(BoardState::default());
        let last_request = self.last.map_or(0, |(request, _)| request);
        let snapshot =
            Snapshot { time: NodeTime::ZERO, state, last_request, age_us: 0, answers: 0 };
        let mut said = vec![frame(self.answers.len(), Message::Hello(hello))];
        said.extend(
            (self.acknowledged..self.answers.len())
                .map(|index| frame(index + 1, Message::Answer(self.answers[index]))),
        );
        said.push(frame(self.answers.len(), Message::Snapshot(snapshot)));
        said
    }
}

/// A hub and a node, with the outcomes of its commands at the hub.
struct Bench {
    session: HostSession,
    node: Node,
    now: HubTime,
    ended: Vec<(u32, CommandOutcome)>,
    /// Commands that reached the node.
    sent: usize,
}

impl Bench {
    fn new() -> Self {
        let session = HostSession::new(None);
        let node = Node::new();
        Self { session, node, now: HubTime::ZERO, ended: Vec::new(), sent: 0 }
    }

    fn note(&mut self, events: Vec<HostEvent>) {
        for event in events {
            match event {
                HostEvent::CommandEnded { command, outcome } => self.ended.push((command, outcome)),
                HostEvent::Event { boot_id, sequence, .. } => {
                    self.session.committed(boot_id, sequence);
                }
                _ => {}
            }
        }
    }

    /// One exchange; `lost` chooses the frames that are lost.
    fn exchange(&mut self, mut lost: impl FnMut() -> bool) {
        self.now = self.now.plus_micros(STEP_US);
        let mut events = Vec::new();
        self.session.poll(self.now, |event| events.push(event));
        let mut bytes = [0; 512];
        let length = self.session.transmit(&mut bytes);
        for frame in decode_all(&bytes[..length]) {
            if !lost() {
                let frame = frame.unwrap();
                self.sent += usize::from(matches!(frame.message, Message::Command(_)));
                self.node.take(&frame);
            }
        }
        for said in self.node.messages() {
            if !lost() {
                self.session.receive(self.now, &said, |event| events.push(event));
            }
        }
        self.note(events);
    }

    fn exchanges(&mut self, count: u32) {
        (0..count).for_each(|_| self.exchange(|| false));
    }
}

const DONE: CommandOutcome = CommandOutcome::Answered(CommandResult::Done);

#[test]
fn a_command_is_done_and_its_end_is_told() {
    let mut bench = Bench::new();
    bench.exchanges(2);
    let command = bench.session.command(bench.now, Order::PauseClock).unwrap();
    bench.exchanges(3);
    assert_eq!(bench.node.done, [Order::PauseClock]);
    assert_eq!(bench.ended, [(command, DONE)]);
    bench.exchanges(2 * COMMAND_INTERVAL_US as u32 / STEP_US as u32);
    assert_eq!(bench.sent, 1, "an answered command is not sent again");
}

#[test]
fn a_command_waits_for_the_node_to_show_its_state() {
    let mut bench = Bench::new();
    let command = bench.session.command(bench.now, Order::PauseClock).unwrap();
    assert_eq!(bench.session.next_due(), Some(bench.now.plus_micros(COMMAND_PATIENCE_US)));
    bench.exchanges(3);
    assert_eq!(bench.ended, [(command, DONE)]);
}

#[test]
fn a_command_to_nobody_is_given_up_after_a_while() {
    let mut bench = Bench::new();
    let command = bench.session.command(bench.now, Order::PauseClock).unwrap();
    let steps = COMMAND_PATIENCE_US / STEP_US;
    (0..steps - 1).for_each(|_| bench.exchange(|| true));
    assert_eq!(bench.ended, []);
    bench.exchange(|| true);
    assert_eq!(bench.ended, [(command, CommandOutcome::Unanswered)]);
}

#[test]
fn a_command_is_sent_so_many_times_and_no_more() {
    let mut bench = Bench::new();
    bench.exchanges(2);
    let command = bench.session.command(bench.now, Order::PauseClock).unwrap();
    let mut sent = 0;
    let mut decoder = Decoder::new();
    for _ in 0..400 {
        bench.now = bench.now.plus_micros(STEP_US);
        let mut events = Vec::new();
        bench.session.poll(bench.now, |event| events.push(event));
        bench.note(events);
        let mut bytes = [0; 256];
        let length = bench.session.transmit(&mut bytes);
        decoder.push_all(&bytes[..length], |frame| {
            sent += u8::from(matches!(frame.unwrap().message, Message::Command(_)));
        });
    }
    assert_eq!(sent, COMMAND_ATTEMPTS);
    assert_eq!(bench.ended, [(command, CommandOutcome::Unanswered)]);
    // The node comes back: the next command has a number of its own.
    let next = bench.session.command(bench.now, Order::ResumeClock).unwrap();
    bench.exchanges(3);
    assert_eq!(bench.ended.last(), Some(&(next, DONE)));
}

#[test]
fn a_restart_interrupts_the_command_under_way_and_the_next_goes_to_the_new_boot() {
    let mut bench = Bench::new();
    bench.exchanges(2);
    let first = bench.session.command(bench.now, Order::PauseClock).unwrap();
    let second = bench.session.command(bench.now, Order::ResumeClock).unwrap();
    bench.node.restart();
    bench.exchanges(4);
    assert_eq!(bench.ended, [(first, CommandOutcome::Interrupted), (second, DONE)]);
    assert_eq!(bench.node.done, [Order::ResumeClock]);
}

#[test]
fn a_hub_that_knows_too_little_of_the_numbers_finds_a_free_one() {
    let mut bench = Bench::new();
    bench.exchanges(2);
    // A hub that stopped since had given this one; its number is not in any snapshot yet.
    let frame = Frame {
        boot_id: BOOT,
        sequence: 0,
        message: Message::Command(Command { request: 1, order: Order::ResumeClock }),
    };
    bench.node.take(&frame);
    let command = bench.session.command(bench.now, Order::PauseClock).unwrap();
    bench.exchanges(4);
    assert_eq!(bench.node.done, [Order::ResumeClock, Order::PauseClock]);
    assert_eq!(bench.ended, [(command, DONE)]);
}

#[test]
fn commands_beyond_the_bound_are_refused() {
    let mut bench = Bench::new();
    for _ in 0..MAX_COMMANDS {
        bench.session.command(bench.now, Order::PauseClock).unwrap();
    }
    assert_eq!(bench.session.command(bench.now, Order::PauseClock), Err(TooManyCommands));
}

proptest! {
    #[test]
    fn on_a_line_that_loses_frames_each_command_is_done_once_and_in_order(
        amounts in vec(-5_000_i32..5_000, 1..MAX_COMMANDS), losses in vec(0_u8..4, 1..400),
    ) {
        let mut bench = Bench::new();
        let orders: Vec<Order> = amounts
            .iter()
            .map(|&white_ms| Order::AdjustClock(ClockAdjustment { white_ms, black_ms: 0 }))
            .collect();
        for &order in &orders {
            bench.session.command(bench.now, order).unwrap();
        }
        let mut fate: VecDeque<u8> = losses.into();
        let mut quiet = false;
        for _ in 0..2_000 {
            bench.exchange(|| {
                let lost = fate.pop_front();
                quiet |= lost.is_none();
                lost.is_some_and(|die| die == 0)
            });
        }
        prop_assert!(quiet);
        prop_assert_eq!(&bench.node.done, &orders);
        prop_assert_eq!(bench.ended.len(), orders.len());
        for (index, (command, outcome)) in bench.ended.iter().enumerate() {
            prop_assert_eq!((*command as usize, *outcome), (index + 1, DONE));
        }
    }
}

#[test]
fn a_command_with_a_kept_name_is_done_once_although_the_hub_starts_anew_in_between() {
    let mut bench = Bench::new();
    bench.exchanges(2);
    let order = Order::AdjustClock(ClockAdjustment { white_ms: 60_000, black_ms: 0 });
    let name = bench.session.next_command().unwrap();
    bench.session.give(bench.now, name, order).unwrap();
    // It reaches the node, and the hub is killed before the answer comes.
    bench.now = bench.now.plus_micros(STEP_US);
    let mut bytes = [0; 512];
    let length = bench.session.transmit(&mut bytes);
    for frame in decode_all(&bytes[..length]) {
        bench.node.take(&frame.unwrap());
    }
    assert_eq!(bench.node.done, [order]);
    bench.session = HostSession::new(None);
    assert_eq!(bench.session.give(bench.now, name, order), Ok(Given::NotYet));
    bench.exchanges(2);
    let Ok(Given::UnderWay(number)) = bench.session.give(bench.now, name, order) else {
        panic!("the node runs on")
    };
    bench.exchanges(4);
    assert_eq!(bench.ended, [(number, DONE)]);
    assert_eq!(bench.node.done, [order], "once");
}

#[test]
fn a_command_with_the_name_of_an_earlier_run_of_the_node_is_not_sent() {
    let mut bench = Bench::new();
    bench.exchanges(2);
    let name = bench.session.next_command().unwrap();
    bench.node.restart();
    bench.exchanges(6);
    assert_eq!(bench.session.give(bench.now, name, Order::PauseClock), Ok(Given::OtherRun));
    bench.exchanges(3);
    assert_eq!((bench.sent, bench.ended.len()), (0, 0));
}

#[test]
fn a_command_with_a_name_that_something_else_has_had_is_refused_and_not_renumbered() {
    let mut bench = Bench::new();
    bench.exchanges(2);
    let name = bench.session.next_command().unwrap();
    bench.node.last = Some((name.request + 3, Order::ResumeClock));
    let Ok(Given::UnderWay(number)) = bench.session.give(bench.now, name, Order::PauseClock) else {
        panic!("the node runs on")
    };
    bench.exchanges(4);
    let taken = CommandOutcome::Answered(CommandResult::NumberTaken);
    assert_eq!(bench.ended, [(number, taken)]);
    assert_eq!(bench.node.done, []);
}

#[test]
fn a_command_that_has_waited_for_a_cable_too_long_is_not_sent_when_it_is_back() {
    let mut bench = Bench::new();
    bench.exchanges(2);
    let name = bench.session.next_command().unwrap();
    let Ok(Given::UnderWay(number)) = bench.session.give(bench.now, name, Order::PauseClock) else {
        panic!("the node runs on")
    };
    bench.now = bench.now.plus_micros(COMMAND_AGE_MAX_US);
    bench.session.reconnected();
    bench.exchanges(4);
    assert_eq!((bench.sent, &bench.ended[..]), (0, &[(number, CommandOutcome::Unanswered)][..]));
    assert_eq!(bench.node.done, []);
}
