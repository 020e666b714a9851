//! A bughouse table from the box to ready on the chief's phone, with at most six touches. Then both clocks are pressed together, and the page
//! and the record have the offset that was planted.

use std::{path::Path, time::Duration};

use proto::link::Side;
use serde_json::Value;
use sim::real_time::{Touch, Workbench, WorkbenchNode};

use super::{
    Phone, browser, chiefs_phone,
    support::{
        program::{PATIENCE, Program, free_port},
        set_up::{code, hub, serve_tables},
    },
};

/// Names another number of tables than one: 25 is a hall.
const TABLES: &str = "TWINBOARD_TEST_TABLES";
/// Time by which the clock of board A is pressed after that of board B, µs.
const LATE_US: i64 = 20_000;
/// Time between two scans of each of two clocks' contacts, µs.
const SCAN_US: u64 = 1_000;

/// Touches for a hub with its nodes.
const TOUCHES_MAX: u64 = 6;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_with_four_nodes_is_ready_after_six_touches_at_most() {
    let Some(driver) = browser() else { return };
    let tables = std::env::var(TABLES).ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let http = free_port();
    let adjudicator = serve_tables(at, http, "us-chess-bughouse-2018", tables.max(2));
    let phone = chiefs_phone(&driver, at, &format!("http://127.0.0.1:{http}")).await;
    phone.follow("Hubs").await;
    let mut halls = Vec::new();
    for table in 1..=tables {
        let (bench, hub) = plug_in(at, http, table);
        place(&phone, &hub, table).await;
        halls.push((bench, hub));
    }
    let (bench, hub) = halls.first().expect("one table at least");
    assert!(hub.log().contains("other tables"), "{}", hub.log());
    phone.go("/td/table/1").await;
    calibrate(&phone).await;
    test_zero(&phone, bench).await;
    begin(&phone, bench).await;
    phone.quit().await;
    let (mut adjudicator, config) = (adjudicator, at.join("serve.toml"));
    adjudicator.interrupt();
    adjudicator.exit(PATIENCE).expect("it stops");
    let test = recorded_test(&config).await;
    let middle_us = test["middle_us"].as_i64().expect("an estimate");
    let stated_us = test["stated_us"].as_u64().expect("the nodes' errors");
    // Board A has the second clock: its times are the later ones.
    assert!((middle_us + LATE_US).unsigned_abs() <= stated_us + SCAN_US, "{test}");
    assert_eq!((&test["finding"], &test["pairs"]), (&"differ".into(), &8.into()), "{test}");
}

/// A hub with two boards and two clocks, as it comes out of its box.
fn plug_in(folder: &Path, http: u16, table: usize) -> (Workbench, Program) {
    let at = folder.join(format!("hub-{table}"));
    let devices = at.join("dev");
    std::fs::create_dir_all(&devices).expect("a folder");
    let name = |kind: &str, number| format!("{kind}-{table}-{number}");
    let board =
        |number| WorkbenchNode::Board { name: name("board", number), trays: true, faults: vec![] };
    let clock = |number| WorkbenchNode::Clock { name: name("clock", number) };
    let nodes = vec![board(1), board(2), clock(1), clock(2)];
    let bench = Workbench::start(&devices, nodes, 1).expect("a bench");
    (bench, hub(&at, http, &devices))
}

/// Accepts a hub and places its nodes; the boards stand the other way round than they are plugged in.
async fn place(phone: &Phone, hub: &Program, table: usize) {
    phone.see("[data-testid=asking]", "asks (").await;
    phone.show("hubs-asking").await;
    let before = phone.touches().await;
    phone.tap(".hub-code input").await;
    phone.write(".hub-code input", &code(hub)).await;
    phone.press("Accept").await;
    phone.see("[role=status]", "is accepted").await;
    phone.see(".hub-line form", &format!("clock-{table}-2")).await;
    phone.show_wide("hubs-nodes").await;
    phone.press("Exchange A and B").await;
    phone.press(&format!("Place at table {table}")).await;
    let [first, second] =
        [1, 2].map(|number| format!("board-{table}-{number}, X: clock-{table}-{number}"));
    let placed = format!("A: {}, B: {}", second.replace('X', "A"), first.replace('X', "B"));
    phone.see(&format!("[data-table=\"{table}\"]"), &placed).await;
    let touches = phone.touches().await - before;
    phone.show_wide("hubs-placed").await;
    assert!(touches <= TOUCHES_MAX, "{touches} touches at table {table}");
    phone.see(".hub-line .need-when", "Online").await;
}

/// Touches a button for a calibration. These boards have reeds, which their nodes say.
async fn calibrate(phone: &Phone) {
    phone.tap(".calibration summary").await;
    phone.press("Board A is set up").await;
    phone.see(".calibration [role=status]", "has no hall sensors").await;
    phone.see(".calibration [role=status]", "not done").await;
    phone.show("calibration-refused").await;
}

/// Presses both clocks together eight times, of which one is late by [`LATE_US`] each time.
async fn test_zero(phone: &Phone, bench: &Workbench) {
    phone.press("Begin the zero test").await;
    phone.see("[data-testid=zero-test]", "Now press both clocks").await;
    let late = Duration::from_micros(LATE_US.unsigned_abs());
    let mut touches = Vec::new();
    for number in 1..=8_u32 {
        let side = if number % 2 == 1 { Side::Black } else { Side::White };
        let at = number * Duration::from_millis(250);
        touches.push((at, "clock-1-1", Touch::Lever(side)));
        touches.push((at + late, "clock-1-2", Touch::Lever(side)));
    }
    let stop = Duration::from_millis(2_500);
    touches.extend(["clock-1-1", "clock-1-2"].map(|clock| (stop, clock, Touch::Stop)));
    bench.touch_at(&touches).await.expect("both clocks");
    phone.see("[data-testid=zero-test]", "The clocks differ").await;
    phone.show_wide("zero-test").await;
}

/// White plays e4 at board A, without which there is no record.
async fn begin(phone: &Phone, bench: &Workbench) {
    let square = |name: &str, occupied| Touch::Square(name.parse().expect("a square"), occupied);
    let touches = [
        ("clock-1-2", Touch::Lever(Side::Black)),
        ("board-1-2", square("e2", false)),
        ("board-1-2", square("e4", true)),
        ("clock-1-2", Touch::Lever(Side::White)),
    ];
    let in_turn = (1..).zip(touches);
    let timed: Vec<_> =
        in_turn.map(|(turn, (at, touch))| (turn * Duration::from_millis(300), at, touch)).collect();
    bench.touch_at(&timed).await.expect("hands at a board");
    phone.see("[data-testid=ply]", "e4").await;
}

/// The zero test in the record of the match.
async fn recorded_test(config: &Path) -> Value {
    let config = adjudicator::Config::load(config).expect("the configuration");
    let which = adjudicator::views::records::Which::default();
    let archive = adjudicator::export_archive(&config, &which).await.expect("an archive");
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(archive)).expect("a zip");
    for at in 0..zip.len() {
        let file = zip.by_index(at).expect("a file");
        if file.name().expect("a name").starts_with("incidents/") {
            let incidents: Value = serde_json::from_reader(file).expect("JSON");
            return incidents["zero_tests"][0].clone();
        }
    }
    panic!("no incidents are in the archive");
}
