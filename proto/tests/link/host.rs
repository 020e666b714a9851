//! The hub's end of the link against a node played by hand.

use proto::link::*;

use crate::messages::encode;

const BOOT: u32 = 0xb001;

fn hello(boot_id: u32, sequence: u32, acknowledged: u32) -> Vec<u8> {
    hello_that_answers(0, boot_id, sequence, acknowledged)
}

/// The answer to the request numbered `answers`; 0 to none.
fn hello_that_answers(answers: u32, boot_id: u32, sequence: u32, acknowledged: u32) -> Vec<u8> {
    let hello = Hello {
        schema_hash: SCHEMA_HASH,
        node_id: "n".parse().unwrap(),
        firmware: Default::default(),
        time: NodeTime::ZERO,
        acknowledged,
        answers,
        kind: NodeKind::Clock(ClockKind { press: PressKind::Lever, hand_sensor: false }),
    };
    encode(&Frame { boot_id, sequence, message: Message::Hello(hello) })
}

fn tilt() -> Message {
    Message::Tilt(Tilt { time: NodeTime::ZERO, on: true })
}

fn event(sequence: u32) -> Vec<u8> {
    encode(&Frame { boot_id: BOOT, sequence, message: tilt() })
}

fn lost(first: u32, last: u32, sequence: u32) -> Vec<u8> {
    encode(&Frame { boot_id: BOOT, sequence, message: Message::Lost(Lost { first, last }) })
}

fn snapshot(sequence: u32) -> Vec<u8> {
    let state = NodeState::Board(BoardState { occupied: 0, white_tray: 0, black_tray: 0 });
    let snapshot = Snapshot { time: NodeTime::ZERO, state, last_request: 0, age_us: 0, answers: 0 };
    encode(&Frame { boot_id: BOOT, sequence, message: Message::Snapshot(snapshot) })
}

/// A session and the time it is given: each call a second after the last, so that no request is held back.
struct Bench {
    session: HostSession,
    now: HubTime,
}

impl Bench {
    fn new(resume: Option<ResumePoint>) -> Self {
        Self { session: HostSession::new(resume), now: HubTime::ZERO }
    }

    fn introduced() -> Self {
        let mut bench = Self::new(None);
        bench.take(&hello(BOOT, 0, 0));
        bench.messages();
        bench
    }

    fn take(&mut self, bytes: &[u8]) -> Vec<HostEvent> {
        self.now = self.now.plus_micros(1_000_000);
        let mut events = Vec::new();
        self.session.receive(self.now, bytes, |event| events.push(event));
        // The tests of time exchanges check these events.
        events.retain(|event| !matches!(event, HostEvent::Timing(_)));
        events
    }

    fn messages(&mut self) -> Vec<(u32, u32, Message)> {
        let mut decoder = Decoder::new();
        let mut said = Vec::new();
        let mut piece = [0; 7];
        loop {
            let length = self.session.transmit(&mut piece);
            if length == 0 {
                assert!(!self.session.wants_transmit());
                return said;
            }
            decoder.push_all(&piece[..length], |result| {
                let frame = result.unwrap();
                let asks_for_time =
                    frame.message == Message::RequestSnapshot && frame.sequence != 0;
                if !asks_for_time {
                    said.push((frame.boot_id, frame.sequence, frame.message));
                }
            });
        }
    }
}

/// The numbers of the requests for HELLO among these frames.
fn questions(said: &[(u32, u32, Message)]) -> Vec<u32> {
    let asks = |said: &&(u32, u32, Message)| said.2 == Message::RequestHello;
    said.iter().filter(asks).map(|(_, number, _)| *number).collect()
}

fn delivered(sequence: u32) -> HostEvent {
    HostEvent::Event { boot_id: BOOT, sequence, message: tilt() }
}

#[test]
fn a_session_begins_by_asking_for_hello() {
    assert_eq!(Bench::new(None).messages(), vec![(0, 0, Message::RequestHello)]);
}

#[test]
fn events_of_an_unknown_boot_are_not_taken_but_hello_is_asked_for() {
    let mut bench = Bench::new(None);
    bench.messages();
    assert_eq!(bench.take(&event(1)), vec![]);
    assert_eq!(questions(&bench.messages()).len(), 1);
}

#[test]
fn events_come_once_and_in_order() {
    let mut bench = Bench::introduced();
    assert_eq!(bench.take(&event(1)), vec![delivered(1)]);
    assert_eq!(bench.take(&event(1)), vec![]);
    assert_eq!(bench.take(&event(3)), vec![]);
    assert_eq!(bench.messages(), vec![(BOOT, 1, Message::RequestResend)]);
    assert_eq!(bench.take(&[event(2), event(3)].concat()), vec![delivered(2), delivered(3)]);
    assert_eq!(bench.session.duplicates(), 1);
}

#[test]
fn nothing_is_acknowledged_before_it_is_committed() {
    let mut bench = Bench::introduced();
    bench.take(&[event(1), event(2)].concat());
    assert_eq!(bench.messages(), vec![]);
    bench.session.committed(BOOT, 1);
    assert_eq!(bench.messages(), vec![(BOOT, 1, Message::Ack)]);
    bench.session.committed(BOOT, 3);
    bench.session.committed(BOOT + 1, 2);
    assert_eq!(bench.messages(), vec![], "not received, or of another boot");
}

#[test]
fn an_event_that_comes_again_after_its_commit_is_acknowledged_again() {
    let mut bench = Bench::introduced();
    bench.take(&event(1));
    bench.session.committed(BOOT, 1);
    bench.messages();
    bench.take(&event(1));
    assert_eq!(bench.messages(), vec![(BOOT, 1, Message::Ack)]);
}

#[test]
fn lost_events_are_told_once() {
    let mut bench = Bench::introduced();
    bench.take(&event(1));
    let gap = HostEvent::Gap { boot_id: BOOT, first: 2, last: 5 };
    assert_eq!(bench.take(&lost(1, 5, 6)), vec![gap]);
    assert_eq!(bench.take(&lost(1, 5, 6)), vec![]);
    assert_eq!(bench.take(&event(6)), vec![delivered(6)]);
    bench.session.committed(BOOT, 6);
    assert_eq!(bench.messages(), vec![(BOOT, 6, Message::Ack)]);
}

#[test]
fn a_loss_that_cannot_be_is_refused() {
    let mut bench = Bench::introduced();
    for (first, last, sequence) in [(0, 1, 1), (3, 2, 9), (1, 9, 8)] {
        let events = bench.take(&lost(first, last, sequence));
        let rejected = RejectedFrame::ImpossibleLoss { first, last };
        assert_eq!(events, vec![HostEvent::Rejected(rejected)]);
    }
    assert_eq!(bench.take(&event(1)), vec![delivered(1)]);
}

#[test]
fn a_snapshot_is_only_delivered_where_it_belongs() {
    let mut bench = Bench::introduced();
    bench.take(&event(1));
    assert!(matches!(bench.take(&snapshot(1))[..], [HostEvent::Snapshot { sequence: 1, .. }]));
    assert_eq!(bench.take(&snapshot(0)), vec![]);
    assert_eq!(bench.take(&snapshot(2)), vec![], "event 2 is missing");
    assert_eq!(bench.messages(), vec![(BOOT, 1, Message::RequestResend)]);
}

#[test]
fn a_restarted_hub_goes_on_after_its_last_committed_event() {
    let mut bench = Bench::new(Some(ResumePoint { boot_id: BOOT, sequence: 4 }));
    bench.messages();
    let events = bench.take(&hello(BOOT, 6, 3));
    assert!(matches!(events[..], [HostEvent::Hello { next_sequence: 5, .. }]), "{events:?}");
    assert_eq!(
        bench.messages(),
        vec![(BOOT, 4, Message::Ack)],
        "the node had not heard of event 4"
    );
    assert_eq!(bench.take(&event(4)), vec![]);
    assert_eq!(bench.take(&event(5)), vec![delivered(5)]);
}

#[test]
fn a_hub_without_a_journal_goes_on_after_what_was_acknowledged() {
    let mut bench = Bench::new(None);
    let events = bench.take(&hello(BOOT, 6, 3));
    assert!(matches!(events[..], [HostEvent::Hello { next_sequence: 4, .. }]), "{events:?}");
}

#[test]
fn events_acknowledged_but_not_in_the_journal_are_a_gap() {
    let mut bench = Bench::new(Some(ResumePoint { boot_id: BOOT, sequence: 2 }));
    let events = bench.take(&hello(BOOT, 6, 4));
    let gap = HostEvent::Gap { boot_id: BOOT, first: 3, last: 4 };
    assert_eq!(events[0], gap);
    assert!(matches!(events[1], HostEvent::Hello { next_sequence: 5, .. }), "{events:?}");
}

#[test]
fn events_that_were_acknowledged_behind_the_hubs_back_become_a_gap() {
    // The journal was set back to 2; an acknowledgement of 5 from before that reached the node only after its HELLO.
    let mut bench = Bench::new(Some(ResumePoint { boot_id: BOOT, sequence: 2 }));
    bench.take(&hello(BOOT, 6, 2));
    bench.messages();
    let mut asked = Vec::new();
    while questions(&asked).is_empty() {
        assert!(asked.len() < 9, "{asked:?}");
        assert_eq!(bench.take(&event(6)), vec![]);
        asked.extend(bench.messages());
    }
    let gap = HostEvent::Gap { boot_id: BOOT, first: 3, last: 5 };
    assert_eq!(bench.take(&hello(BOOT, 6, 5))[0], gap);
    assert_eq!(bench.take(&event(6)), vec![delivered(6)]);
}

#[test]
fn a_new_boot_is_told_with_the_boot_that_ended() {
    let mut bench = Bench::introduced();
    bench.take(&event(1));
    let restarted = HostEvent::Restarted { previous_boot_id: BOOT, boot_id: 0xb002 };
    assert_eq!(bench.take(&hello(0xb002, 0, 0)), vec![], "it may be an old one");
    assert_eq!(bench.take(&hello(0xb002, 0, 0)), vec![], "the same again");
    let asked = questions(&bench.messages())[0];
    assert_eq!(bench.take(&hello_that_answers(asked, 0xb002, 0, 0))[0], restarted);
    assert_eq!(bench.take(&event(2)), vec![], "of the boot that ended");

    let mut after_restart_of_both = Bench::new(Some(ResumePoint { boot_id: BOOT, sequence: 9 }));
    assert_eq!(after_restart_of_both.take(&hello(0xb002, 0, 0)), vec![]);
    let asked = questions(&after_restart_of_both.messages())[0];
    let answer = hello_that_answers(asked, 0xb002, 0, 0);
    assert_eq!(after_restart_of_both.take(&answer)[0], restarted);
}

#[test]
fn a_boot_that_the_hub_never_met_does_not_come_back_however_often_its_hello_comes_late() {
    let mut bench = Bench::introduced();
    // It ran for a moment, requesting and answering, and all its frames are still on the line.
    bench.take(&hello(0xb00f, 0, 0));
    let asked_before = questions(&bench.messages())[0];
    bench.take(&hello(0xb002, 0, 0));
    let asked = questions(&bench.messages())[0];
    bench.take(&hello_that_answers(asked, 0xb002, 0, 0));
    assert_eq!(bench.session.boot_id(), Some(0xb002));
    for answers in [0, 0, asked_before, asked, 1, u32::MAX] {
        assert_eq!(bench.take(&hello_that_answers(answers, 0xb00f, 0, 0)), vec![], "{answers}");
        bench.messages();
    }
    assert_eq!(bench.session.boot_id(), Some(0xb002));
}

#[test]
fn a_hello_that_comes_late_does_not_bring_a_boot_back_that_is_over() {
    let rejected = HostEvent::Rejected(RejectedFrame::EndedBoot { boot_id: BOOT });
    let mut bench = Bench::introduced();
    bench.take(&[event(1), event(2)].concat());
    assert_eq!(bench.take(&hello(0xb00f, 0, 0)), vec![], "a boot that nobody has heard of");
    let asked = questions(&bench.messages())[0];
    bench.take(&hello_that_answers(asked, 0xb002, 0, 0));
    assert_eq!(bench.session.boot_id(), Some(0xb002));
    assert_eq!(bench.take(&hello(0xb00f, 0, 0)), vec![], "a boot that nobody has heard of");
    assert_eq!(bench.take(&hello(BOOT, 2, 0)), vec![rejected]);
    assert_eq!(bench.take(&event(1)), vec![]);
    assert_eq!(bench.session.boot_id(), Some(0xb002));

    let mut restarted = Bench::new(Some(ResumePoint { boot_id: 0xb002, sequence: 7 }));
    assert_eq!(restarted.take(&hello(BOOT, 2, 0)), vec![], "asks again who is there");
    let events = restarted.take(&hello(0xb002, 9, 5));
    assert!(matches!(events[..], [HostEvent::Hello { next_sequence: 8, .. }]), "{events:?}");
}

#[test]
fn a_boot_id_used_twice_is_told() {
    let mut bench = Bench::introduced();
    bench.take(&[event(1), event(2)].concat());
    let expected = HostEvent::Rejected(RejectedFrame::BootIdReused { boot_id: BOOT });
    assert_eq!(bench.take(&hello(BOOT, 0, 0)), vec![expected]);
}

#[test]
fn requests_are_not_repeated_at_once() {
    let mut bench = Bench::introduced();
    bench.take(&[event(5), event(6), event(7)].concat());
    assert_eq!(bench.messages().len(), 1);
    bench.session.receive(bench.now.plus_micros(REQUEST_INTERVAL_US - 1), &event(8), |_| {});
    assert_eq!(bench.messages(), vec![]);
    bench.session.receive(bench.now.plus_micros(REQUEST_INTERVAL_US), &event(8), |_| {});
    assert_eq!(bench.messages(), vec![(BOOT, 0, Message::RequestResend)]);
}

#[test]
fn an_echoing_line_is_told() {
    let mut bench = Bench::introduced();
    let echo = encode(&Frame { boot_id: BOOT, sequence: 0, message: Message::RequestHello });
    assert_eq!(bench.take(&echo), vec![HostEvent::Rejected(RejectedFrame::WrongDirection)]);
}

#[test]
fn requests_of_people_reach_the_node() {
    let mut bench = Bench::introduced();
    bench.session.identify(5);
    assert_eq!(bench.messages(), vec![(BOOT, 0, Message::Identify(Identify { seconds: 5 }))]);
}

#[test]
fn a_reconnected_port_forgets_half_a_frame_and_asks_anew() {
    let mut bench = Bench::introduced();
    let frame = event(1);
    bench.take(&frame[..frame.len() - 2]);
    bench.session.reconnected();
    assert_eq!(bench.messages(), vec![(0, 0, Message::RequestHello)]);
    assert_eq!(bench.take(&event(1)), vec![delivered(1)]);
    assert_eq!(bench.session.last_frame(), Some(bench.now));
}
