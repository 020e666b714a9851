//! Nodes that are plugged in elsewhere, exchanged or without power for a moment: each is said once, in plain words.

use super::*;

const FIRST: &str = "/dev/board";
const SECOND: &str = "/dev/second";
const SPARE: &str = "/dev/spare";

/// A table's two boards, and the hub's notices about them.
struct Hall {
    registry: Registry,
    now: HubTime,
    said: Vec<String>,
}

impl Hall {
    fn new() -> Hall {
        let mut registry = Registry::default();
        registry.add(place("board-1", BoardId::A, FIRST), None, None);
        registry.add(place("board-2", BoardId::B, SECOND), None, None);
        Hall { registry, now: START, said: Vec::new() }
    }

    /// Plugs a board in at a port.
    fn plug_in(&mut self, path: &str, id: &'static str, boot_id: u32) -> Port {
        let driver: NewDriver =
            Box::new(move || Box::new(Scripted { id, boot_id, ..Scripted::default() }));
        let meant_for = (path != SPARE).then(|| "table 1".to_owned());
        let about = About { path: path.into(), meant_for, rate: 1.0 };
        let mut port = Port::new(about, driver, self.now);
        self.handle(&mut port, PortInput::Time);
        self.handle(&mut port, PortInput::Opened(Transport::Packets));
        port
    }

    fn pull(&mut self, port: &mut Port) {
        self.handle(port, PortInput::Lost("unplugged".to_owned()));
    }

    fn handle(&mut self, port: &mut Port, input: PortInput<'_>) {
        self.now = after(self.now, LOOK_EVERY);
        port.handle(self.now, &mut self.registry, input);
        while let Some(output) = port.poll_output() {
            match output {
                PortOutput::Left(left) => self.registry.take_back(*left),
                PortOutput::Notice(Notice { level: Level::Debug, .. }) => {}
                PortOutput::Notice(notice) if notice.words.contains(" is there ") => {}
                PortOutput::Notice(notice) => {
                    self.said.push(format!("{:?} {}", notice.level, notice.words));
                }
                _ => {}
            }
        }
    }

    fn said(&mut self) -> Vec<String> {
        std::mem::take(&mut self.said)
    }
}

#[test]
fn a_board_that_is_plugged_in_elsewhere_keeps_its_place_and_that_is_said() {
    let mut hall = Hall::new();
    let mut first = hall.plug_in(FIRST, "board-1", 7);
    hall.pull(&mut first);
    hall.said();
    let spare = hall.plug_in(SPARE, "board-1", 7);
    let words = "Info node board-1 goes on at port /dev/spare; it was at /dev/board: it keeps its place (table 1, board A)";
    assert_eq!(hall.said(), [words]);
    assert_eq!(spare.nodes().collect::<Vec<_>>(), ["board-1"]);
}

#[test]
fn two_boards_that_exchange_their_ports_are_told_apart_and_that_is_said_once() {
    let mut hall = Hall::new();
    let mut ports = [hall.plug_in(FIRST, "board-1", 7), hall.plug_in(SECOND, "board-2", 8)];
    ports.iter_mut().for_each(|port| hall.pull(port));
    hall.said();
    let _first = hall.plug_in(SECOND, "board-1", 7);
    let _second = hall.plug_in(FIRST, "board-2", 8);
    // Whichever is seen first has only moved; with the second it is an exchange.
    let said = hall.said();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].starts_with("Info node board-1 goes on at port /dev/second"), "{said:?}");
    let exchanged = "Warning nodes board-2 and board-1 have exchanged their ports: each is known by its id and keeps its place \
                     (board-2: table 1, board B)";
    assert!(said[1].starts_with(exchanged), "{said:?}");
}

#[test]
fn a_board_that_was_without_power_started_anew_and_that_is_said_once() {
    let mut hall = Hall::new();
    let mut port = hall.plug_in(FIRST, "board-1", 7);
    hall.pull(&mut port);
    hall.said();
    let _again = hall.plug_in(FIRST, "board-1", 9);
    let said = hall.said();
    assert_eq!(said.len(), 1, "{said:?}");
    let words = "Warning node board-1 restarted: readings that it had not delivered are missing";
    assert!(said[0].starts_with(words), "{said:?}");
}

#[test]
fn a_board_that_falls_silent_at_a_wired_line_and_speaks_at_another_keeps_its_place() {
    let mut hall = Hall::new();
    let mut first = hall.plug_in(FIRST, "board-1", 7);
    // The cable is unplugged at the node's end: the line stays open, and no bytes come.
    for _ in 0..8 {
        hall.handle(&mut first, PortInput::Time);
    }
    hall.said();
    let mut spare = hall.plug_in(SPARE, "board-1", 7);
    for _ in 0..8 {
        hall.handle(&mut first, PortInput::Time);
        hall.handle(&mut spare, PortInput::Time);
    }
    assert_eq!(spare.nodes().collect::<Vec<_>>(), ["board-1"]);
    assert_eq!(first.nodes().count(), 0);
    let words = "Info node board-1 goes on at port /dev/spare; it was at /dev/board: it keeps its place (table 1, board A)";
    assert_eq!(hall.said(), [words]);
    // And back.
    for _ in 0..8 {
        hall.handle(&mut spare, PortInput::Time);
    }
    hall.handle(&mut first, PortInput::Lost("unplugged".to_owned()));
    let mut first = hall.plug_in(FIRST, "board-1", 7);
    for _ in 0..8 {
        hall.handle(&mut spare, PortInput::Time);
        hall.handle(&mut first, PortInput::Time);
    }
    assert_eq!(first.nodes().collect::<Vec<_>>(), ["board-1"]);
}

#[test]
fn a_second_board_of_a_name_does_not_take_the_place_of_one_that_speaks() {
    let mut hall = Hall::new();
    let mut first = hall.plug_in(FIRST, "board-1", 7);
    let mut spare = hall.plug_in(SPARE, "board-1", 8);
    for _ in 0..20 {
        hall.handle(&mut first, PortInput::Received(b"x"));
        hall.handle(&mut spare, PortInput::Received(b"x"));
    }
    assert_eq!(first.nodes().collect::<Vec<_>>(), ["board-1"]);
    assert_eq!(spare.nodes().count(), 0);
    let said = hall.said();
    assert!(said[0].contains("board-1 is already connected at /dev/board"), "{said:?}");
    assert!(said[0].contains("/dev/spare"), "{said:?}");
    hall.pull(&mut first);
    hall.handle(&mut spare, PortInput::Lost("reset".to_owned()));
    let spare = hall.plug_in(SPARE, "board-1", 8);
    assert_eq!(spare.nodes().collect::<Vec<_>>(), ["board-1"], "the place is free");
}

#[test]
fn a_board_without_a_place_is_named_once_with_the_line_to_add() {
    let mut hall = Hall::new();
    for _ in 0..3 {
        let mut port = hall.plug_in(SPARE, "board-9", 9);
        hall.pull(&mut port);
    }
    let said = hall.said();
    let line = r#"[[table.node]] board = "A", kind = "board", sensor = "reed", trays = false, node = "board-9""#;
    let named: Vec<&String> = said.iter().filter(|words| words.contains("\"board-9\"")).collect();
    assert_eq!(named.len(), 1, "{said:?}");
    assert!(named[0].contains(line) && named[0].contains(SPARE), "{said:?}");
}
