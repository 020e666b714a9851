//! A port and its devices, by a driver that says what the test wants.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proto::link::ResumePoint;
use readings::SensorKind;
use rules::BoardId;

use super::*;
use crate::drivers::{
    BoardSenses, ConnectionState, Device, DriverSettings, Output, Transport, Unit,
};
use crate::journal::NodeOffset;
use crate::settings::{Node, NodeKind};

const PATH: &str = "/dev/board";
const START: HubTime = HubTime::from_micros(1_000_000_000);

/// A board that answers at once; the first driver of a port fails at the first byte if it is to.
#[derive(Debug)]
struct Scripted {
    id: &'static str,
    boot_id: u32,
    firmware: &'static str,
    fails: bool,
    says: VecDeque<Output>,
}

impl Default for Scripted {
    fn default() -> Scripted {
        Scripted { id: "board-1", boot_id: 7, firmware: "", fails: false, says: VecDeque::new() }
    }
}

impl Driver for Scripted {
    fn line(&self) -> LineSettings {
        LineSettings { baud: 9_600, dtr: None, rts: None }
    }
    fn opened(&mut self, _now: HubTime) {
        let senses = BoardSenses { sensor: SensorKind::Reed, trays: false };
        let device = Device {
            unit: Unit::ONLY,
            id: Some(self.id.to_owned()),
            firmware: self.firmware.to_owned(),
            boot_id: Some(self.boot_id),
            board: Some(senses),
            clock: false,
        };
        self.says.extend([Output::Present(device), Output::Heard(Unit::ONLY)]);
    }
    fn receive(&mut self, _now: HubTime, bytes: &[u8]) {
        if self.fails {
            // Not by panic!, which prints.
            std::panic::resume_unwind(Box::new(format!("a byte that it cannot take: {bytes:?}")));
        }
        self.says.push_back(Output::Heard(Unit::ONLY));
        // A doubt in words, or none any more.
        if let Some(detail) = bytes.strip_prefix(b"doubt ") {
            let detail = Some(String::from_utf8_lossy(detail).into_owned());
            let detail = detail.filter(|detail| detail != "none");
            self.says.push_back(Output::Doubtful { unit: Unit::ONLY, detail });
        }
    }
    fn transmit(&mut self, _out: &mut [u8]) -> usize {
        0
    }
    fn poll(&mut self, _now: HubTime) {}
    fn poll_output(&mut self) -> Option<Output> {
        self.says.pop_front()
    }
    fn admit(&mut self, _unit: Unit, _state: ConnectionState) {}
    fn release(&mut self, _unit: Unit) -> ConnectionState {
        assert!(!self.fails, "a driver that has failed is asked nothing any more");
        ConnectionState::Met { kept: None }
    }
    fn committed(&mut self, unit: Unit, reached: ResumePoint) {
        let text = format!("committed {}", reached.sequence);
        self.says.push_back(Output::Persist { unit, text });
    }
    fn request_image(&mut self, unit: Unit) {
        if !self.firmware.is_empty() {
            self.says.push_back(Output::Image { unit, name: "pico-reed-matrix".to_owned() });
        }
    }
    fn silence(&self) -> &'static str {
        "nothing is there"
    }
}

/// The place of a board whose port is this one.
fn place(id: &str, board: BoardId, port: &str) -> Place {
    let node = Node {
        board,
        kind: NodeKind::Board,
        sensor: SensorKind::Reed,
        trays: false,
        id: id.to_owned(),
        label: None,
        port: Some(port.into()),
        driver: DriverSettings::Twinboard,
    };
    Place { table: "1".to_owned(), node }
}

struct Bench {
    port: Port,
    registry: Registry,
    now: HubTime,
}

impl Bench {
    fn new(fails_once: bool, was_found: bool) -> Bench {
        let made = Arc::new(AtomicUsize::new(0));
        let new_driver: NewDriver = Box::new(move || {
            let is_first = made.fetch_add(1, Ordering::Relaxed) == 0;
            Box::new(Scripted { fails: fails_once && is_first, ..Scripted::default() })
        });
        let meant_for = (!was_found).then(|| "table 1, board A".to_owned());
        let about = About { path: PATH.into(), meant_for, rate: 1.0 };
        let mut registry = Registry::default();
        registry.add(place("board-1", BoardId::A, PATH), None, None);
        Bench { port: Port::new(about, new_driver, START), registry, now: START }
    }

    fn pass(&mut self, time: Duration) -> Vec<String> {
        self.now = after(self.now, time);
        self.handle(PortInput::Time)
    }

    /// Gives the port an input; what it wants done, in short.
    fn handle(&mut self, input: PortInput<'_>) -> Vec<String> {
        self.port.handle(self.now, &mut self.registry, input);
        let mut said = Vec::new();
        while let Some(output) = self.port.poll_output() {
            said.push(match output {
                PortOutput::Open => "open".to_owned(),
                PortOutput::Close => "close".to_owned(),
                PortOutput::End => "end".to_owned(),
                PortOutput::ToTable { input: NodeInput::State { state, detail, .. }, .. } => {
                    format!("{state:?} {detail}").trim_end().to_owned()
                }
                PortOutput::ToTable { input, .. } => format!("{input:?}"),
                PortOutput::Left(left) => {
                    self.registry.take_back(*left);
                    continue;
                }
                PortOutput::Persist { text, .. } => text,
                PortOutput::Notice(Notice { level: Level::Debug | Level::Info, .. }) => continue,
                PortOutput::Updated { outcome, .. } => format!("{outcome:?}"),
                PortOutput::Notice(notice) => notice.words,
            });
        }
        said
    }

    fn open(&mut self) -> Vec<String> {
        self.handle(PortInput::Opened(Transport::Packets))
    }
}

#[test]
fn a_driver_that_fails_gives_its_place_back_and_the_next_one_takes_it() {
    let mut bench = Bench::new(true, false);
    assert_eq!(bench.handle(PortInput::Time), ["open"]);
    assert_eq!(bench.open(), ["Connected"]);
    let said = bench.handle(PortInput::Received(b"x"));
    assert!(said[0].contains("its driver failed (a byte that it cannot take"), "{said:?}");
    assert_eq!(said[1..], ["Lost its driver failed", "close"]);
    assert_eq!(bench.pass(REOPEN_MIN), ["open"]);
    assert_eq!(bench.open(), ["Connected"], "the next driver has the place");
    assert_eq!(bench.handle(PortInput::Received(b"x")), Vec::<String>::new());
}

#[test]
fn a_node_is_listed_with_the_image_that_it_runs() {
    let new_driver: NewDriver =
        Box::new(|| Box::new(Scripted { firmware: "0.0.9", ..Scripted::default() }));
    let about = About { path: PATH.into(), meant_for: None, rate: 1.0 };
    let mut bench = Bench::new(false, false);
    bench.port = Port::new(about, new_driver, START);
    assert_eq!(bench.registry.nodes().next().unwrap().firmware, Firmware::default());
    bench.handle(PortInput::Time);
    bench.open();
    let runs = Firmware { version: "0.0.9".to_owned(), image: "pico-reed-matrix".to_owned() };
    assert_eq!(bench.registry.nodes().next().unwrap().firmware, runs);
}

#[test]
fn a_lost_line_is_told_once_and_opened_again_soon() {
    let mut bench = Bench::new(false, false);
    bench.handle(PortInput::Time);
    bench.open();
    let said = bench.handle(PortInput::Lost("unplugged".to_owned()));
    assert!(said[0].contains("node board-1 is lost: unplugged; plug it in again"), "{said:?}");
    assert_eq!(said[1..], ["Lost unplugged", "close"]);
    assert_eq!(bench.pass(REOPEN_MIN), ["open"]);
    // That nothing is plugged in now is no news.
    assert_eq!(bench.handle(PortInput::NotOpened(OpenProblem::Absent)), Vec::<String>::new());
    assert_eq!(bench.pass(2 * REOPEN_MIN), ["open"]);
    assert_eq!(bench.open(), ["Connected"]);
}

#[test]
fn a_node_that_is_expected_and_nowhere_is_named_once() {
    let mut bench = Bench::new(false, false);
    bench.handle(PortInput::Time);
    let said = bench.handle(PortInput::NotOpened(OpenProblem::Absent));
    assert!(said[0].starts_with("port /dev/board (table 1, board A): nothing is plugged in"));
    assert!(said[1].starts_with("Lost port /dev/board"), "{said:?}");
    for _ in 0..5 {
        assert_eq!(bench.pass(REOPEN_MAX), ["open"]);
        assert_eq!(bench.handle(PortInput::NotOpened(OpenProblem::Absent)), Vec::<String>::new());
    }
}

#[test]
fn a_port_that_was_found_ends_when_its_device_is_gone() {
    let mut bench = Bench::new(false, true);
    bench.handle(PortInput::Time);
    bench.open();
    bench.handle(PortInput::Lost("unplugged".to_owned()));
    bench.pass(REOPEN_MIN);
    assert_eq!(bench.handle(PortInput::NotOpened(OpenProblem::Absent)), ["end"]);
    assert_eq!(bench.port.poll_timeout(), None);
}

#[test]
fn a_silent_node_is_lost_but_not_while_a_table_kept_its_port_waiting() {
    let mut bench = Bench::new(false, false);
    bench.handle(PortInput::Time);
    bench.open();
    bench.now = after(bench.now, 2 * SILENCE_MAX);
    assert_eq!(bench.handle(PortInput::Waited), Vec::<String>::new());
    let said: Vec<String> = (0..6).flat_map(|_| bench.pass(LOOK_EVERY)).collect();
    assert_eq!(said, ["Lost the node is silent: check its power"]);
    assert_eq!(bench.handle(PortInput::Received(b"x")), ["Connected"]);
}

/// The outputs of a port to its table, without its notices.
fn states(said: Vec<String>) -> Vec<String> {
    said.into_iter().filter(|said| !said.starts_with("node ")).collect()
}

#[test]
fn a_doubt_is_told_again_when_its_words_change_and_when_the_node_is_back() {
    let mut bench = Bench::new(false, false);
    bench.handle(PortInput::Time);
    bench.open();
    let doubts = |bench: &mut Bench, words: &str| {
        states(bench.handle(PortInput::Received(format!("doubt {words}").as_bytes())))
    };
    assert_eq!(doubts(&mut bench, "weak: a1"), ["Faulty weak: a1"]);
    assert_eq!(doubts(&mut bench, "weak: a1"), Vec::<String>::new());
    assert_eq!(doubts(&mut bench, "weak: a1, h8"), ["Faulty weak: a1, h8"]);
    let silent: Vec<String> = (0..7).flat_map(|_| bench.pass(LOOK_EVERY)).collect();
    assert_eq!(silent, ["Lost the node is silent: check its power"]);
    assert_eq!(bench.handle(PortInput::Received(b"x")), ["Faulty weak: a1, h8"]);
    assert_eq!(doubts(&mut bench, "none"), ["Connected"]);
}

#[test]
fn what_the_journal_has_reaches_the_driver_once_also_what_was_committed_while_the_node_was_away() {
    let mut bench = Bench::new(false, false);
    let offset = |sequence| NodeOffset {
        node_id: "board-1".to_owned(),
        reached: ResumePoint { boot_id: 7, sequence },
    };
    assert_eq!(bench.registry.commit(&offset(4)), None, "it is nowhere");
    bench.handle(PortInput::Time);
    assert_eq!(bench.open(), ["Connected", "committed 4"]);
    assert_eq!(bench.registry.commit(&offset(9)), Some(Path::new(PATH)));
    assert_eq!(bench.registry.commit(&offset(8)), None, "less than that is no news");
    assert_eq!(bench.handle(PortInput::Committed(offset(9))), ["committed 9"]);
}

#[test]
fn a_node_is_not_met_elsewhere_before_its_table_has_heard_all_that_it_said_here() {
    let mut bench = Bench::new(false, false);
    bench.handle(PortInput::Time);
    bench.open();
    let about = About { path: "/dev/other".into(), meant_for: None, rate: 1.0 };
    let other = Box::new(|| -> Box<dyn Driver> { Box::new(Scripted::default()) });
    let mut first = std::mem::replace(&mut bench.port, Port::new(about, other, START));
    // Its table takes nothing, so what the port has to say waits.
    let unplugged = PortInput::Lost("unplugged".to_owned());
    first.handle(bench.now, &mut bench.registry, unplugged);
    bench.handle(PortInput::Time);
    assert_eq!(bench.open(), Vec::<String>::new(), "nobody is told of it, and it is not there yet");
    assert_eq!(bench.pass(LOOK_EVERY), Vec::<String>::new());
    while let Some(output) = first.poll_output() {
        if let PortOutput::Left(left) = output {
            bench.registry.take_back(*left);
        }
    }
    bench.pass(LOOK_EVERY);
    assert_eq!(bench.handle(PortInput::Received(b"x")), ["Connected"], "it has its place");
}

mod moved;
