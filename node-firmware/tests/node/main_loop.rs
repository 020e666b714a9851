//! The main loop in virtual time: the delay of a change until it is on the line, and the feeding of the watchdog.

use std::convert::Infallible;

use embedded_hal::digital::{ErrorType, OutputPin};
use node_firmware::{
    BoardConfig, BoardNode, BoardReading, ClockConfig, ClockInputs, ClockNode, DEFAULT_DEBOUNCE_US,
    EventMemory, InputError, Line, MainLoop, NoDisplay, Node, ReadBoard, ReadClock, Watchdog,
    WiredBoard, WiredClock,
};
use proptest::prelude::*;
use proto::link::{HostEvent, HostSession, HubTime, Message, NodeTime, Side};

use crate::host::{at, identity};

/// Maximum time of a scan of a real board and of a piece of a display, in µs.
const SCAN_US: u64 = 250;
const SHOW_US: u64 = 500;
/// Maximum time from an edge to the first byte on the line beyond the debounce time.
const ALLOWED_US: u64 = 2_000;

/// A board whose switches change at a time.
struct Switches {
    now_us: u64,
    at_us: u64,
    before: u64,
    after: u64,
    broken: bool,
}

impl ReadBoard for Switches {
    type Squares = u64;

    fn read(&mut self) -> Result<BoardReading, InputError> {
        if self.broken {
            return Err(InputError::Read);
        }
        let squares = if self.now_us >= self.at_us { self.after } else { self.before };
        Ok(BoardReading { squares, ..BoardReading::default() })
    }
}

struct Lever {
    now_us: u64,
    at_us: u64,
}

impl ReadClock for Lever {
    fn read(&mut self) -> Result<ClockInputs, InputError> {
        let down = if self.now_us >= self.at_us { Side::Black } else { Side::White };
        Ok(ClockInputs::lever(down))
    }
}

/// A line that takes everything, with the hub at its other end.
struct Wire {
    hub: HostSession,
    /// Bytes of the hub for the node.
    down: Vec<u8>,
    /// Time of the first byte of the first event.
    first_event_us: Option<u64>,
    /// Time of the first byte since the last frame.
    frame_us: Option<u64>,
    events: Vec<Message>,
}

impl Line for Wire {
    fn receive(&mut self, _: NodeTime, bytes: &mut [u8]) -> usize {
        let moved = self.down.len().min(bytes.len());
        bytes[..moved].copy_from_slice(&self.down[..moved]);
        self.down.drain(..moved);
        moved
    }

    fn send(&mut self, now: NodeTime, bytes: &[u8]) -> usize {
        let (first_event_us, events, frame_us) =
            (&mut self.first_event_us, &mut self.events, &mut self.frame_us);
        for &byte in bytes {
            frame_us.get_or_insert(now.as_micros());
            self.hub.receive(HubTime::ZERO, &[byte], |event| {
                if let HostEvent::Event { message, .. } = event {
                    if !matches!(message, Message::ClockReading(_)) {
                        first_event_us.get_or_insert(frame_us.unwrap_or(0));
                    }
                    events.push(message);
                }
            });
            if byte == 0 {
                *frame_us = None;
            }
        }
        let mut answer = [0; 64];
        let length = self.hub.transmit(&mut answer);
        self.down.extend(&answer[..length]);
        bytes.len()
    }
}

fn wire() -> Wire {
    Wire {
        hub: HostSession::new(None),
        down: Vec::new(),
        first_event_us: None,
        frame_us: None,
        events: Vec::new(),
    }
}

#[derive(Default)]
struct Light {
    changes: u32,
    on: bool,
}

impl ErrorType for Light {
    type Error = Infallible;
}

impl OutputPin for Light {
    fn set_low(&mut self) -> Result<(), Infallible> {
        self.changes += u32::from(self.on);
        self.on = false;
        Ok(())
    }
    fn set_high(&mut self) -> Result<(), Infallible> {
        self.changes += u32::from(!self.on);
        self.on = true;
        Ok(())
    }
}

#[derive(Default)]
struct Dog(u32);

impl Watchdog for Dog {
    fn feed(&mut self) {
        self.0 += 1;
    }
}

/// Runs the loop as an image does, each turn as long as it takes at most, until `until_us`.
fn run<N: Node>(
    main_loop: &mut MainLoop<N>,
    line: &mut Wire,
    until_us: u64,
    turn_us: u64,
    mut see: impl FnMut(&mut N, u64),
) -> (Light, Dog) {
    let (mut light, mut dog) = (Light::default(), Dog::default());
    let mut now_us = 0;
    while now_us < until_us {
        see(main_loop.node_mut(), now_us);
        let next = main_loop.turn(at(now_us), line, &mut light, &mut dog);
        now_us = next.as_micros().max(now_us + turn_us);
    }
    (light, dog)
}

proptest! {
    #[test]
    fn a_square_is_on_the_line_two_milliseconds_after_its_debounce_time(at_us in 100_000_u64..120_000, square in 0..64_u64) {
        let node: BoardNode = BoardNode::new(identity(), BoardConfig::default(), EventMemory::default());
        let wiring = Switches { now_us: 0, at_us, before: 0xffff, after: 0xffff ^ (1 << square), broken: false };
        let mut main_loop = MainLoop::new(WiredBoard { node, wiring });
        let mut line = wire();
        run(&mut main_loop, &mut line, 200_000, SCAN_US, |node, now_us| node.wiring.now_us = now_us);
        let sent_us = line.first_event_us.expect("a change");
        prop_assert!(sent_us - at_us <= u64::from(DEFAULT_DEBOUNCE_US) + ALLOWED_US, "{}", sent_us - at_us);
        prop_assert!(matches!(line.events[..], [Message::SquaresChanged(_)]));
    }

    #[test]
    fn a_press_is_on_the_line_two_milliseconds_after_its_debounce_time(at_us in 100_000_u64..120_000) {
        let node: ClockNode = ClockNode::new(identity(), ClockConfig::default(), EventMemory::default());
        let contacts = Lever { now_us: 0, at_us };
        let mut main_loop = MainLoop::new(WiredClock::new(node, contacts, NoDisplay, Light::default()));
        let mut line = wire();
        run(&mut main_loop, &mut line, 200_000, SHOW_US, |node, now_us| node.contacts.now_us = now_us);
        let sent_us = line.first_event_us.expect("a press");
        prop_assert!(sent_us - at_us <= u64::from(DEFAULT_DEBOUNCE_US) + ALLOWED_US, "{}", sent_us - at_us);
    }
}

#[test]
fn the_watchdog_is_fed_by_scans_that_succeed_and_by_nothing_else() {
    for broken in [false, true] {
        let node: BoardNode =
            BoardNode::new(identity(), BoardConfig::default(), EventMemory::default());
        let wiring = Switches { now_us: 0, at_us: 0, before: 0, after: 0, broken };
        let mut main_loop = MainLoop::new(WiredBoard { node, wiring });
        let (_, dog) = run(&mut main_loop, &mut wire(), 100_000, 1, |_, _| {});
        assert_eq!(dog.0, if broken { 0 } else { 200 });
    }
}

#[test]
fn the_light_blinks_while_a_person_looks_for_the_node_and_then_no_more() {
    let node: BoardNode =
        BoardNode::new(identity(), BoardConfig::default(), EventMemory::default());
    let wiring = Switches { now_us: 0, at_us: 0, before: 0, after: 0, broken: false };
    let mut main_loop = MainLoop::new(WiredBoard { node, wiring });
    let mut line = wire();
    line.hub.identify(2);
    let (light, _) = run(&mut main_loop, &mut line, 10_000_000, 1, |_, _| {});
    assert!((9..=12).contains(&light.changes), "{}", light.changes);
    assert!(!light.on);
}

#[test]
fn a_line_that_never_falls_silent_does_not_keep_the_scan_waiting() {
    struct Flood(u64);
    impl Line for Flood {
        fn receive(&mut self, _: NodeTime, bytes: &mut [u8]) -> usize {
            self.0 += bytes.len() as u64;
            bytes.len()
        }
        fn send(&mut self, _: NodeTime, _: &[u8]) -> usize {
            0
        }
    }
    let node: BoardNode =
        BoardNode::new(identity(), BoardConfig::default(), EventMemory::default());
    let wiring = Switches { now_us: 0, at_us: 0, before: 0, after: 0, broken: false };
    let mut main_loop = MainLoop::new(WiredBoard { node, wiring });
    let mut flood = Flood(0);
    main_loop.turn(at(0), &mut flood, &mut Light::default(), &mut Dog::default());
    assert!(flood.0 <= 256, "{}", flood.0);
}
