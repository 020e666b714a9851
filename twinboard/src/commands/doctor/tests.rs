//! The doctor's judgment and screens on pictures made by hand; the whole program before simulated nodes is tested in the
//! workspace's tests folder.

use std::path::Path;

use hub::HubTime;
use hub::config::NodeKind;
use hub::drivers::{BoardSenses, Device, DeviceHealth, Output, SensorHealth, SensorSet, Unit};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use readings::{Occupancy, ReadingKind, SensorKind, SquareReading};
use rules::{Bitboard, BoardId, Color, Square};

use super::bind::{self, Binding};
use super::examination::{Examination, Step, Word};
use super::picture::{Picture, SensorPlace};
use super::screen::{DoctorScreen, draw};
use super::sensor::Fault;
use super::verdict::{Finding, Manner, Report, Verdict, findings};

const START: u64 = 0xffff_0000_0000_ffff;

fn at(ms: u64) -> HubTime {
    HubTime::from_micros(1_000_000_000 + ms * 1_000)
}

fn device(board: Option<BoardSenses>) -> Device {
    Device {
        unit: Unit::ONLY,
        id: Some(if board.is_some() { "board-0000a001" } else { "clock-0000c001" }.to_owned()),
        firmware: "0.1.0".to_owned(),
        boot_id: Some(7),
        board,
        clock: board.is_none(),
    }
}

fn reed(trays: bool) -> Option<BoardSenses> {
    Some(BoardSenses { sensor: SensorKind::Reed, trays })
}

/// A board that has told what stands on it.
fn board(occupied: u64, trays: bool) -> Picture {
    let mut picture = Picture::new(at(0), device(reed(trays)));
    let occupied = Some(Occupancy(Bitboard(occupied)));
    read(&mut picture, vec![(0, ReadingKind::Snapshot { occupied, squares: None })]);
    picture
}

fn read(picture: &mut Picture, kinds: Vec<(u64, ReadingKind)>) {
    let readings = kinds.into_iter().map(|(ms, kind)| (at(ms), kind)).collect();
    picture.take(at(0), &Output::Readings { unit: Unit::ONLY, readings, reached: None });
}

fn square(name: &str) -> Square {
    name.parse().expect("a square")
}

fn touch(picture: &mut Picture, ms: u64, name: &str, occupied: bool) {
    let reading = Some(if occupied { SquareReading::Occupied } else { SquareReading::Empty });
    let kind = ReadingKind::Square { square: square(name), reading, level: None };
    read(picture, vec![(ms, kind)]);
}

/// Lifts what stands there and puts it back, or puts something there and takes it away.
fn handle(picture: &mut Picture, ms: u64, square: Square) {
    let occupied = START >> usize::from(square) & 1 == 1;
    touch(picture, ms, &square.to_string(), !occupied);
    touch(picture, ms + 500, &square.to_string(), occupied);
}

fn places(found: &[Finding], fault: Fault) -> Vec<&str> {
    found
        .iter()
        .filter(|finding| finding.fault == fault)
        .map(|finding| finding.place.as_str())
        .collect()
}

#[test]
fn a_start_position_that_nobody_touches_names_the_dead_and_the_stuck() {
    let e2 = 1 << usize::from(square("e2"));
    let a5 = 1 << usize::from(square("a5"));
    let found = findings(&board(START & !e2 | a5, false), &Manner::Watched);
    assert_eq!(places(&found, Fault::Dead), ["e2"]);
    assert_eq!(places(&found, Fault::Stuck), ["a5"]);
    assert_eq!(found.len(), 2);
    assert!(findings(&board(START, true), &Manner::Watched).is_empty());
}

#[test]
fn chatter_is_told_apart_from_a_piece_that_is_lifted() {
    let mut picture = board(START, false);
    for n in 0..20 {
        touch(&mut picture, 1_000 + n * 40, "h1", n % 2 == 1);
    }
    handle(&mut picture, 5_000, square("e2"));
    let found = findings(&picture, &Manner::Watched);
    assert_eq!(places(&found, Fault::Chattering), ["h1"]);
    assert_eq!(found.len(), 1);
}

#[test]
fn what_a_node_says_of_its_sensors_counts() {
    let mut picture = board(START, true);
    let set = |name: &str| SensorSet { squares: 1 << usize::from(square(name)), trays: [0, 0] };
    let slot = SensorSet { squares: 0, trays: [0, 1 << 5] };
    let sensors =
        SensorHealth { chattering: set("c3"), stuck: set("d2"), weak: slot, noise: [0; 64] };
    picture.take(at(10), &Output::Sensors { unit: Unit::ONLY, sensors: Box::new(sensors) });
    let found = findings(&picture, &Manner::Watched);
    assert_eq!(places(&found, Fault::Chattering), ["c3"]);
    assert_eq!(places(&found, Fault::Stuck), ["d2"], "it reads occupied");
    assert_eq!(places(&found, Fault::Weak), ["Black's tray 5"]);
}

#[test]
fn a_guided_check_of_a_sound_board_needs_no_key_and_ends_well() {
    let mut picture = board(START, true);
    let mut check = Examination::new(&mut picture);
    check.look(&picture);
    assert_eq!(check.step(), Step::Squares);
    for (number, square) in Square::ALL.into_iter().rev().enumerate() {
        handle(&mut picture, 1_000 * number as u64, square);
        check.look(&picture);
    }
    assert_eq!(check.step(), Step::Slots);
    for side in [Color::White, Color::Black] {
        for slot in 0..16 {
            for reading in [SquareReading::Occupied, SquareReading::Empty] {
                read(&mut picture, vec![(90_000, ReadingKind::Tray { side, slot, reading })]);
            }
        }
    }
    check.look(&picture);
    assert_eq!(check.step(), Step::Done);
    assert_eq!(findings(&picture, &check.manner()), []);
}

#[test]
fn a_guided_check_names_what_does_nothing_when_it_is_handled() {
    let e2 = 1 << usize::from(square("e2"));
    let a5 = 1 << usize::from(square("a5"));
    let mut picture = board(START & !e2 | a5, false);
    let mut check = Examination::new(&mut picture);
    check.look(&picture);
    let asked = check.prompt(&picture);
    assert!(
        asked.contains("No piece seen on e2") && asked.contains("A piece seen on a5"),
        "{asked}"
    );
    check.take_word(&picture, Word::Nothing);
    // e4 is dead too, which shows only now; d2 is stuck.
    for (number, place) in Square::ALL.into_iter().enumerate() {
        if !["e2", "a5", "e4", "d2", "h8"].map(square).contains(&place) {
            handle(&mut picture, 1_000 * number as u64, place);
        }
        check.look(&picture);
    }
    assert!(check.prompt(&picture).contains("Next: d2"), "{}", check.prompt(&picture));
    check.take_word(&picture, Word::Nothing);
    assert!(check.prompt(&picture).contains("Next: e4"));
    check.take_word(&picture, Word::Nothing);
    check.take_word(&picture, Word::Skip);
    assert_eq!(check.step(), Step::Done);
    let found = findings(&picture, &check.manner());
    assert_eq!(places(&found, Fault::Dead), ["e2", "e4"]);
    assert_eq!(places(&found, Fault::Stuck), ["d2", "a5"]);
    assert_eq!(places(&found, Fault::Unchecked), ["h8"], "left out is not broken");
    assert_eq!(Verdict::of(&found), Verdict::Faulty);
}

#[test]
fn a_clock_is_well_when_both_sides_were_pressed_twice_and_its_tilt_was_seen() {
    let mut picture = Picture::new(at(0), device(None));
    let mut check = Examination::new(&mut picture);
    check.take_word(&picture, Word::Yes);
    for (ms, by) in [(1, Color::Black), (2, Color::White), (3, Color::Black)] {
        read(&mut picture, vec![(ms, ReadingKind::Press { by })]);
        check.look(&picture);
    }
    assert!(check.prompt(&picture).contains("White's side"), "{}", check.prompt(&picture));
    read(&mut picture, vec![(4, ReadingKind::Press { by: Color::White })]);
    check.look(&picture);
    assert_eq!(check.step(), Step::Tilt);
    for on in [true, false] {
        read(&mut picture, vec![(5, ReadingKind::Tilt { on })]);
        check.look(&picture);
    }
    assert_eq!(check.step(), Step::Done);
    assert_eq!(findings(&picture, &check.manner()), []);
}

#[test]
fn displays_that_show_something_else_are_a_fault_and_none_are_none() {
    for (word, fault) in [
        (None, Some(Fault::Unchecked)),
        (Some(Word::Nothing), Some(Fault::Dead)),
        (Some(Word::Skip), None),
    ] {
        let mut picture = Picture::new(at(0), device(None));
        let mut check = Examination::new(&mut picture);
        let kind = ReadingKind::Clock { white_ms: 300_000, black_ms: 298_000, running: None };
        read(&mut picture, vec![(1, kind)]);
        let asked = check.prompt(&picture);
        assert!(asked.contains("5:00 for White and 4:58 for Black"), "{asked}");
        word.into_iter().for_each(|word| check.take_word(&picture, word));
        let found = findings(&picture, &check.manner());
        let displays = found.iter().find(|it| it.place == "displays");
        assert_eq!(displays.map(|it| it.fault), fault, "{word:?}");
    }
}

#[test]
fn the_report_reads_well_and_its_json_is_pinned() {
    let e2 = 1 << usize::from(square("e2"));
    let mut picture = board(START & !e2, false);
    for n in 0..20 {
        touch(&mut picture, 1_000 + n * 40, "h1", n % 2 == 1);
    }
    let findings = findings(&picture, &Manner::Watched);
    let report = Report {
        node: Some("board-0000a001".to_owned()),
        label: Some("12 A".to_owned()),
        port: "/dev/ttyACM0".to_owned(),
        place: Some("table 12, board A".to_owned()),
        kind: picture.kind(),
        firmware: "0.1.0".to_owned(),
        verdict: Verdict::of(&findings),
        exercised: None,
        presses: None,
        displays: None,
        tilt_seen: None,
        findings,
        remarks: vec![],
    };
    insta::assert_snapshot!("report", report.text());
    insta::assert_json_snapshot!("report_json", report);
}

fn drawn(
    width: u16,
    height: u16,
    picture: Option<&Picture>,
    check: Option<&Examination>,
) -> String {
    let screen = DoctorScreen {
        doing: if check.is_some() { "check" } else { "watch" },
        now: at(10_000),
        name: "board-0000a001 \"12 A\"".to_owned(),
        place: Some("table 12, board A".to_owned()),
        port: "/dev/serial/by-id/usb-Twinboard_board-0000a001-if00".to_owned(),
        number: (1, 4),
        picture,
        examination: check,
        together: None,
        trouble: None,
    };
    let mut terminal =
        Terminal::new(TestBackend::new(width, height)).expect("a terminal in memory");
    terminal.draw(|frame| draw(frame, &screen)).expect("drawn");
    terminal.backend().to_string()
}

/// A board with trays in the middle of a game, with a switch that chatters.
fn lively() -> Picture {
    let mut picture = board(START, true);
    for n in 0..20 {
        touch(&mut picture, 1_000 + n * 40, "h1", n % 2 == 1);
    }
    touch(&mut picture, 9_200, "e2", false);
    touch(&mut picture, 9_700, "e4", true);
    read(
        &mut picture,
        vec![(
            9_900,
            ReadingKind::Tray { side: Color::White, slot: 3, reading: SquareReading::Occupied },
        )],
    );
    let health = DeviceHealth {
        buffered_events: 2,
        resent_events: 1,
        longest_scan_gap_us: 1_150,
        flickering: 1 << 7,
        ..DeviceHealth::default()
    };
    picture.take(at(9_950), &Output::Health { unit: Unit::ONLY, health });
    picture.heard = at(9_950);
    picture
}

#[test]
fn the_live_view_of_a_board_fits_a_small_terminal() {
    insta::assert_snapshot!("watch_board", drawn(80, 24, Some(&lively()), None));
}

#[test]
fn the_guided_check_says_what_to_do_next() {
    let mut picture = lively();
    let mut check = Examination::new(&mut picture);
    check.take_word(&picture, Word::Nothing);
    handle(&mut picture, 9_800, square("a1"));
    check.look(&picture);
    insta::assert_snapshot!("check_board", drawn(80, 24, Some(&picture), Some(&check)));
}

#[test]
fn the_live_view_of_a_clock_shows_times_presses_and_tilt() {
    let mut picture = Picture::new(at(0), device(None));
    read(
        &mut picture,
        vec![
            (8_000, ReadingKind::Press { by: Color::Black }),
            (
                8_000,
                ReadingKind::Clock {
                    white_ms: 298_400,
                    black_ms: 9_700,
                    running: Some(Color::White),
                },
            ),
            (9_500, ReadingKind::Tilt { on: true }),
        ],
    );
    picture.heard = at(9_900);
    insta::assert_snapshot!("watch_clock", drawn(80, 24, Some(&picture), None));
}

#[test]
fn nothing_panics_on_a_terminal_of_any_size() {
    let mut picture = lively();
    for (width, height) in [(1, 1), (10, 3), (40, 12), (80, 10), (200, 60)] {
        drawn(width, height, Some(&picture), None);
        drawn(width, height, None, None);
        let check = Examination::new(&mut picture);
        drawn(width, height, Some(&picture), Some(&check));
    }
}

/// A file as people write it.
fn file(folder: &Path) -> String {
    format!(
        "# our hall\n[hub]\nid = \"hub-1\"\njournal = {:?}\n[broker]\nhost = \"localhost\"\n\n\
         # the first table\n[[table]]\nname = \"12\" # by the window\nrulebook = \"us-chess-bughouse-2018\"\nbase_s = 300\n\n\
         # mended in May\n[[table.node]]\nboard = \"A\"\nkind = \"board\"\nnode = \"board-old\" # the brown one\n\
         label = \"12 A\"\nport = \"/dev/ttyACM0\"\n\n\
         [[table]]\nname = \"13\"\nrulebook = \"us-chess-bughouse-2018\"\nbase_s = 300\n\
         [[table.node]]\nboard = \"A\"\nkind = \"board\"\nnode = \"board-13\"\nport = \"/dev/ttyACM9\"\n",
        folder.join("hub.sqlite"),
    )
}

fn binding(node: &str, table: &str, kind: NodeKind) -> Binding {
    Binding {
        node: node.to_owned(),
        place: bind::NodePlace { table: table.to_owned(), board: BoardId::A, kind },
        label: None,
        device: None,
        port: Some("/dev/ttyACM3".to_owned()),
        moving: false,
    }
}

#[test]
fn binding_changes_what_it_must_and_leaves_comments_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let before = file(folder.path());
    let wanted =
        Binding { device: Some(device(reed(true))), ..binding("board-new", "12", NodeKind::Board) };
    let (after, done) = bind::bound(Path::new("hub.toml"), &before, &wanted).expect("bound");
    assert_eq!(done, "board-new is table 12, board A, in place of board-old");
    let expected = before
        .replace("node = \"board-old\"", "node = \"board-new\"")
        .replace("label = \"12 A\"\n", "")
        .replace("port = \"/dev/ttyACM0\"\n", "port = \"/dev/ttyACM3\"\ntrays = true\n");
    assert_eq!(after, expected);
}

#[test]
fn binding_adds_a_place_that_was_not_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let wanted =
        Binding { label: Some("12 clock".to_owned()), ..binding("clock-1", "12", NodeKind::Clock) };
    let (after, _) =
        bind::bound(Path::new("hub.toml"), &file(folder.path()), &wanted).expect("bound");
    let config = hub::Config::parse(Path::new("hub.toml"), &after).expect("valid");
    let node = &config.tables[0].nodes[1];
    assert_eq!((node.kind, node.name()), (NodeKind::Clock, "clock-1 \"12 clock\"".to_owned()));
}

#[test]
fn a_node_with_a_place_moves_only_when_it_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let before = file(folder.path());
    let name = Path::new("hub.toml");
    let wanted = binding("board-13", "12", NodeKind::Board);
    let refused = bind::bound(name, &before, &wanted).expect_err("it has a place").to_string();
    assert!(refused.contains("table 13, board A") && refused.contains("--move"), "{refused}");
    // Table 13 would be left without a board, which no hub takes: that is said and nothing written.
    let moved = bind::bound(name, &before, &Binding { moving: true, ..wanted });
    let refused = format!("{:#}", moved.expect_err("no board is left"));
    assert!(refused.contains("table[2].node"), "{refused}");
    let unknown = bind::bound(name, &before, &binding("board-x", "99", NodeKind::Board));
    assert!(unknown.expect_err("no such table").to_string().contains("it has 12, 13"));
}

#[test]
fn a_label_is_set_and_taken_away() {
    let folder = tempfile::tempdir().expect("a folder");
    let name = Path::new("hub.toml");
    let before = file(folder.path());
    let after = bind::labelled(name, &before, "board-13", "13 A").expect("labelled");
    assert!(after.contains("label = \"13 A\""));
    assert_eq!(bind::labelled(name, &after, "board-13", "").expect("taken away"), before);
    assert!(bind::labelled(name, &before, "board-x", "x").is_err());
    assert!(bind::labelled(name, &before, "board-13", &"x".repeat(40)).is_err(), "too long");
}

#[test]
fn a_file_is_replaced_whole_and_keeps_its_permissions() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("hub.toml");
    std::fs::write(&file, "old").expect("written");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).expect("set");
    bind::replace(&file, "new").expect("replaced");
    assert_eq!(std::fs::read_to_string(&file).expect("read"), "new");
    assert_eq!(std::fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o640);
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("listed").count(),
        1,
        "nothing is left beside it"
    );
}

#[test]
fn places_are_named_as_people_name_them() {
    let names: Vec<String> = SensorPlace::all(true).map(|place| place.to_string()).collect();
    assert_eq!(names.len(), 96);
    assert_eq!(
        (names[0].as_str(), names[63].as_str(), names[64].as_str()),
        ("a1", "h8", "White's tray 0")
    );
}
