//! Exchanges of time, as the hub's end makes them.

use proto::link::*;

use crate::messages::{decode_all, encode};

const BOOT: u32 = 0xb001;

fn hello() -> Vec<u8> {
    let hello = Hello {
        schema_hash: SCHEMA_HASH,
        node_id: "n".parse().unwrap(),
        firmware: Default::default(),
        time: NodeTime::from_micros(7),
        acknowledged: 0,
        answers: 0,
        kind: NodeKind::Board(BoardKind { sensor: SensorKind::Reed, trays: false }),
    };
    encode(&Frame { boot_id: BOOT, sequence: 0, message: Message::Hello(hello) })
}

fn snapshot(time_us: u64, answers: u32) -> Vec<u8> {
    let state = NodeState::Board(BoardState { occupied: 0, white_tray: 0, black_tray: 0 });
    let time = NodeTime::from_micros(time_us);
    let snapshot = Snapshot { time, state, last_request: 0, age_us: 5_000, answers };
    encode(&Frame { boot_id: BOOT, sequence: 0, message: Message::Snapshot(snapshot) })
}

fn at(us: u64) -> HubTime {
    HubTime::from_micros(1_000_000_000 + us)
}

struct Bench {
    session: HostSession,
}

impl Bench {
    fn introduced() -> Self {
        let mut bench = Self { session: HostSession::new(None) };
        bench.take(at(0), &hello());
        bench
    }

    fn take(&mut self, now: HubTime, bytes: &[u8]) -> Vec<FrameTiming> {
        let mut timings = Vec::new();
        self.session.receive(now, bytes, |event| {
            if let HostEvent::Timing(timing) = event {
                timings.push(timing);
            }
        });
        timings
    }

    fn poll(&mut self, now: HubTime) {
        self.session.poll(now, |event| panic!("{event:?}"));
    }

    /// The number of the question that the session asks now.
    fn asks(&mut self) -> Option<u32> {
        let mut bytes = [0; 512];
        let length = self.session.transmit(&mut bytes);
        let frames = decode_all(&bytes[..length]).into_iter().map(Result::unwrap);
        let mut asked = frames.filter(|frame| frame.message == Message::RequestSnapshot);
        let number = asked.next().map(|frame| frame.sequence);
        assert_eq!(asked.next(), None);
        number
    }
}

#[test]
fn a_node_that_was_met_is_asked_often_and_then_less_and_less() {
    let mut bench = Bench::introduced();
    let (mut now, mut asked_us) = (at(0), Vec::new());
    while now < at(60_000_000) {
        let asked = now;
        asked_us.push(now.micros_since(at(0)));
        let number = bench.asks().unwrap();
        now = now.plus_micros(3_000);
        let timings = bench.take(now, &snapshot(20_000, number));
        assert_eq!(timings.len(), 1);
        assert_eq!(timings[0].asked, Some(asked));
        now = bench.session.next_due().unwrap();
        bench.poll(now);
    }
    let within = |us: u64| asked_us.iter().filter(|asked| **asked < us).count();
    assert!((3..=12).contains(&within(100_000)), "{asked_us:?}");
    assert!((15..=45).contains(&within(2_000_000)), "{asked_us:?}");
    let waits: Vec<u64> = asked_us.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let late = &waits[waits.len() - 20..];
    let longest = EXCHANGE_INTERVAL_US + 3_000 + 33_000;
    assert!(late.iter().all(|wait| (EXCHANGE_INTERVAL_US..longest).contains(wait)), "{late:?}");
    assert!(late.windows(2).filter(|pair| pair[0] != pair[1]).count() > 15, "{late:?}");
}

#[test]
fn a_frame_tells_when_it_was_made_and_how_long_it_is() {
    let mut bench = Bench { session: HostSession::new(None) };
    let made = |us| NodeTime::from_micros(us);
    let bytes = |frame: &[u8]| u16::try_from(frame.len()).unwrap();
    let (hello, snapshot) = (hello(), snapshot(20_000, 0));
    let timing = |made, bytes| FrameTiming { boot_id: BOOT, made, bytes, asked: None };
    assert_eq!(bench.take(at(0), &hello), [timing(made(7), bytes(&hello))]);
    // The state holds since the debounce time ago.
    assert_eq!(bench.take(at(9), &snapshot), [timing(made(25_000), bytes(&snapshot))]);
}

#[test]
fn an_answer_tells_when_its_question_was_asked_however_late_it_comes() {
    let mut bench = Bench::introduced();
    let first = bench.asks().unwrap();
    let asked = |timings: Vec<FrameTiming>| timings[0].asked;
    assert_eq!(asked(bench.take(at(1_000), &snapshot(1_000, 0))), None, "the beat's");
    assert_eq!(bench.asks(), None, "one question at a time");
    bench.poll(at(500_000));
    let second = bench.asks().unwrap();
    assert_ne!(first, second);
    assert_eq!(asked(bench.take(at(501_000), &snapshot(400_000, first))), Some(at(0)), "late");
    assert_eq!(asked(bench.take(at(502_000), &snapshot(490_000, second))), Some(at(500_000)));
    assert_eq!(asked(bench.take(at(503_000), &snapshot(490_000, second))), None, "come twice");
}

#[test]
fn of_questions_that_nobody_answers_only_the_last_ones_are_remembered() {
    let mut bench = Bench::introduced();
    let mut asked = Vec::new();
    for step in 0..6 {
        let now = at(step * 500_000);
        bench.poll(now);
        asked.extend(bench.asks().map(|number| (number, now)));
    }
    let [(forgotten, _), .., (before, before_at), (last, last_at)] = asked[..] else { panic!() };
    let told = |timings: Vec<FrameTiming>| timings[0].asked;
    assert_eq!(told(bench.take(at(2_510_000), &snapshot(1_000, forgotten))), None);
    assert_eq!(told(bench.take(at(2_520_000), &snapshot(2_000_000, before))), Some(before_at));
    assert_eq!(told(bench.take(at(2_530_000), &snapshot(2_500_000, last))), Some(last_at));
}

#[test]
fn a_request_for_another_reason_takes_no_answer_away_from_a_question() {
    let mut bench = Bench::introduced();
    let question = bench.asks().unwrap();
    bench.session.request_snapshot();
    assert_eq!(bench.asks(), Some(question));
    bench.take(at(3_000), &snapshot(3_000, question));
    bench.session.request_snapshot();
    assert_eq!(bench.asks(), Some(0));
}

#[test]
fn a_node_that_is_silent_is_not_asked() {
    let mut bench = Bench::introduced();
    bench.asks();
    let mut asked = 0;
    for step in 1..100 {
        bench.poll(at(step * 500_000));
        asked += usize::from(bench.asks().is_some());
    }
    assert!((1..=7).contains(&asked), "{asked}");
    assert!(bench.session.next_due().is_some());
    bench.take(at(51_000_000), &snapshot(51_000_000, 0));
    bench.poll(at(53_000_000));
    assert!(bench.asks().is_some());
}

#[test]
fn a_port_that_is_opened_anew_begins_again() {
    let mut bench = Bench::introduced();
    let number = bench.asks().unwrap();
    bench.take(at(1_000), &snapshot(1_000, number));
    bench.take(at(2_000), &hello());
    assert_eq!(bench.asks(), None, "the node said once more who it is");
    bench.session.reconnected();
    bench.take(at(3_000), &hello());
    assert!(bench.asks().is_some());
}

#[test]
fn a_question_has_the_length_that_is_reckoned_with() {
    for boot_id in [1, 0x0100_0001, u32::MAX] {
        for sequence in [0, 1, u32::MAX] {
            let frame = Frame { boot_id, sequence, message: Message::RequestSnapshot };
            assert_eq!(encode(&frame).len(), usize::from(REQUEST_SNAPSHOT_BYTES));
        }
    }
}
