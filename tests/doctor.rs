//! `twinboard doctor` with simulated nodes on serial devices. Some of their switches are broken: the program finds and names each of
//! them.

use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use nix::pty::{OpenptyResult, Winsize, openpty};
use nix::sys::termios::{LocalFlags, tcgetattr};
use proto::link::Side;
use rules::{BoardId, Square};
use serde_json::Value;
use sim::devices::{ChessLink, World};
use sim::real_time::{Hall, HallConfig, Touch, Workbench, WorkbenchNode};
use sim::{PlantedFault, Profile, Switch, SwitchFault};

/// Longest that anything here may take.
const PATIENCE: Duration = Duration::from_secs(90);

fn board(name: &str, faults: &[(&str, SwitchFault)]) -> WorkbenchNode {
    let planted = |&(square, fault): &(&str, SwitchFault)| PlantedFault {
        switch: Switch::Square(square.parse::<Square>().expect("a square")),
        fault,
    };
    WorkbenchNode::Board {
        name: name.to_owned(),
        trays: false,
        faults: faults.iter().map(planted).collect(),
    }
}

fn clock(name: &str) -> WorkbenchNode {
    WorkbenchNode::Clock { name: name.to_owned() }
}

/// Runs the doctor beside the runtime that plays the nodes.
async fn doctor(arguments: Vec<String>, folder: &Path) -> Output {
    twinboard([vec!["doctor".to_owned()], arguments].concat(), folder).await
}

/// Runs the program beside the runtime that plays the nodes.
async fn twinboard(arguments: Vec<String>, folder: &Path) -> Output {
    let folder = folder.to_owned();
    let run = move || {
        Command::new(env!("CARGO_BIN_EXE_twinboard"))
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::null())
            .output()
            .expect("the program runs")
    };
    tokio::task::spawn_blocking(run).await.expect("it ended")
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{error}: {}{}", String::from_utf8_lossy(&output.stdout), text(&output.stderr))
    })
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The places with a fault in a report.
fn places(report: &Value, fault: &str) -> Vec<String> {
    let findings = report["findings"].as_array().expect("findings");
    findings
        .iter()
        .filter(|finding| finding["fault"] == fault)
        .map(|finding| finding["place"].as_str().expect("a place").to_owned())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn dead_stuck_and_chattering_squares_are_found_and_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let faults =
        [("e2", SwitchFault::Dead), ("a5", SwitchFault::Stuck), ("h1", SwitchFault::Chattering)];
    let nodes =
        vec![board("board-broken", &faults), board("board-sound", &[]), clock("clock-sound")];
    let _bench = Workbench::start(folder.path(), nodes, 1).expect("a bench");
    let output = doctor(words("check --seconds 12 --json --ports *"), folder.path()).await;
    let answer = json(&output);
    assert_eq!(output.status.code(), Some(1), "something is wrong");
    assert_eq!(answer["well"], false);
    let report = |name: &str| {
        let reports = answer["reports"].as_array().expect("reports");
        reports.iter().find(|report| report["node"] == name).expect(name).clone()
    };
    let broken = report("board-broken");
    assert_eq!(places(&broken, "dead"), ["e2"], "{broken}");
    assert_eq!(places(&broken, "stuck"), ["a5"], "{broken}");
    assert_eq!(places(&broken, "chattering"), ["h1"], "{broken}");
    assert_eq!(broken["findings"].as_array().map(Vec::len), Some(3), "{broken}");
    assert_eq!(report("board-sound")["verdict"], "well");
    assert_eq!(report("clock-sound")["verdict"], "well");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sound_board_ends_with_zero_and_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let _bench =
        Workbench::start(folder.path(), vec![board("board-sound", &[])], 1).expect("a bench");
    let output = doctor(words("check board-sound --seconds 3 --ports board*"), folder.path()).await;
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(
        text(&output.stdout)
            .contains("board-sound (board, reed, no trays) at board-sound: all is well")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_simulated_board_conforms_in_all_thirteen_moves() {
    let folder = tempfile::tempdir().expect("a folder");
    let simulate = Command::new(env!("CARGO_BIN_EXE_twinboard"))
        .args(["doctor", "simulate", "board-1", "--begin-s", "3", "--pause-ms", "500"])
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .spawn();
    let mut simulate = simulate.expect("the simulated board");
    let device = folder.path().join("board-1");
    let begun = Instant::now();
    while !device.exists() && begun.elapsed() < PATIENCE {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let output = doctor(words("conform board-1 --json --ports board-1"), folder.path()).await;
    simulate.kill().expect("it runs");
    simulate.wait().expect("it ended");
    let protocol = json(&output);
    assert_eq!(output.status.code(), Some(0), "{protocol}");
    let steps = protocol["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), 30);
    assert!(steps.iter().all(|step| step["right"] == true && step["late_ms"].is_u64()));
}

#[tokio::test(flavor = "multi_thread")]
async fn ports_are_listed_with_versions_places_and_what_is_missing() {
    let folder = tempfile::tempdir().expect("a folder");
    let nodes = vec![board("board-1", &[]), board("board-stray", &[])];
    let _bench = Workbench::start(folder.path(), nodes, 1).expect("a bench");
    std::fs::write(folder.path().join("hub.toml"), config(folder.path())).expect("written");
    let output = doctor(words("--json --ports board-*"), folder.path()).await;
    let listing = json(&output);
    assert_eq!(output.status.code(), Some(1), "a clock is missing");
    let ports = listing["ports"].as_array().expect("ports");
    assert_eq!(ports.len(), 2, "{listing}");
    let known = &ports[0]["devices"][0];
    assert_eq!(known["id"], "board-1", "{listing}");
    assert_eq!((&known["label"], &known["place"]), (&"12 A".into(), &"table 12, board A".into()));
    assert_eq!(known["firmware"], env!("CARGO_PKG_VERSION"));
    assert_eq!(ports[1]["devices"][0]["place"], Value::Null);
    assert_eq!(listing["missing"][0]["id"], "clock-1");
    let said = doctor(words("--ports board-*"), folder.path()).await;
    let said = text(&said.stdout);
    for part in ["board-1 \"12 A\": board, reed, no trays", "no place yet", "missing: clock-1"] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

/// A sound UF2 file of two blocks for a Pico.
fn uf2() -> Vec<u8> {
    let block = |number: u32| {
        let head = [0x0a32_4655, 0x9e5d_5157, 0x2000, 0x1000_0000, 256, number, 2, 0xe48b_ff56];
        let mut bytes: Vec<u8> = head.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
        bytes.resize(508, 0);
        bytes.extend(0x0ab1_6f30_u32.to_le_bytes());
        bytes
    };
    (0..2).flat_map(block).collect()
}

/// Flashes an image onto a Pico's drive, which vanishes when the image is there, whereupon a board's node answers.
async fn flash(image: &str) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    for name in ["drive", "firmware"] {
        std::fs::create_dir(at(name)).expect("a folder");
    }
    let info = at("drive/INFO_UF2.TXT");
    std::fs::write(&info, "UF2 Bootloader v3.0\nBoard-ID: RPI-RP2\n").expect("written");
    std::fs::write(at(&format!("firmware/{image}.uf2")), uf2()).expect("written");
    let (copied, ports) = (at(&format!("drive/{image}.uf2")), folder.path().to_owned());
    let pico = tokio::spawn(async move {
        while std::fs::read(&copied).ok() != Some(uf2()) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        std::fs::remove_file(info).expect("the drive goes");
        Workbench::start(&ports, vec![board("board-1a2b3c4d", &[])], 1).expect("a bench")
    });
    let command = format!("flash {image} --firmware firmware --drive drive --ports board-*");
    let output = twinboard(words(&command), folder.path()).await;
    drop(pico.await.expect("no panic"));
    output
}

#[tokio::test(flavor = "multi_thread")]
async fn the_node_that_answers_after_flashing_is_named() {
    let output = flash("pico-reed-matrix").await;
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}{}", text(&output.stderr));
    for part in ["board-1a2b3c4d runs pico-reed-matrix", env!("CARGO_PKG_VERSION"), "no place yet"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_board_that_answers_with_the_image_of_a_clock_is_doubted() {
    let output = flash("pico-clock").await;
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    assert!(text(&output.stderr).contains("is the image the one for its wiring?"));
}

/// A hall without matches, for devices of other makers.
fn empty_hall(folder: &Path) -> Hall {
    Hall::start(HallConfig {
        games: Vec::new(),
        profile: Profile::Ideal,
        trays: false,
        seed: 1,
        speed: 1.0,
        tables: 0,
        device_folder: folder.to_owned(),
        lead_in: Duration::ZERO,
    })
    .expect("a hall")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_board_of_another_maker_is_looked_at_through_the_driver_that_its_port_is_configured_for()
{
    let folder = tempfile::tempdir().expect("a folder");
    let mut hall = empty_hall(folder.path());
    let game = &sim::games::shipped()[0];
    let script = sim::script(game, Profile::Ideal, 1, "doctor").expect("a match");
    let world = World::new(&script, BoardId::A, 0);
    let board = hall.attach("foreign", Box::new(ChessLink::new(world, false, true)));
    let board = board.expect("a board");
    // The configuration contains this board by another of its names, and another board that is not connected.
    std::os::unix::fs::symlink(board.port(), folder.path().join("usual")).expect("linked");
    let node = |board: &str, id: &str, port: &str| {
        let port = folder.path().join(port);
        format!(
            "[[table.node]]\nboard = \"{board}\"\nkind = \"board\"\ndriver = \"chesslink\"\nnode = {id:?}\nport = {port:?}\n"
        )
    };
    let text = format!(
        "[hub]\nid = \"hub-1\"\njournal = {:?}\nports = [{:?}]\n[broker]\nhost = \"localhost\"\n\
         [[table]]\nname = \"7\"\nrulebook = \"us-chess-bughouse-2018\"\nbase_s = 300\n{}{}",
        folder.path().join("hub.sqlite"),
        folder.path().join("for*"),
        node("A", "millennium-1", "usual"),
        node("B", "millennium-2", "nothing-here"),
    );
    std::fs::write(folder.path().join("hub.toml"), text).expect("written");
    let listing = json(&doctor(words("--json"), folder.path()).await);
    let ports = listing["ports"].as_array().expect("ports");
    assert_eq!(ports.len(), 2, "each device once, and the port where nothing is: {listing}");
    let device = &ports[0]["devices"][0];
    assert_eq!(device["id"], "millennium-1", "{listing}");
    assert_eq!(device["place"], "table 7, board A");
    assert_eq!(device["kind"], "board, piece-id, no trays", "{listing}");
    let problem = ports[1]["problem"].as_str().expect("a problem");
    assert!(problem.contains("nothing is plugged in"), "{listing}");
    let missing = listing["missing"].as_array().expect("what is missing");
    assert_eq!(missing.len(), 1, "{listing}");
    assert_eq!(missing[0]["id"], "millennium-2");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_port_that_a_program_has_is_said_to_be_taken_and_by_whom() {
    let folder = tempfile::tempdir().expect("a folder");
    let _bench = Workbench::start(folder.path(), vec![board("board-1", &[])], 1).expect("a bench");
    let port = folder.path().join("board-1");
    let taken =
        tokio_serial::SerialStream::open(&tokio_serial::new(port.to_string_lossy(), 115_200));
    let _taken = taken.expect("this test takes it");
    let output = doctor(words("--ports board-1"), folder.path()).await;
    let said = text(&output.stdout);
    let process = format!("process {}", std::process::id());
    assert!(said.contains("taken by") && said.contains(&process), "{said}");
    assert_eq!(output.status.code(), Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_there_is_said_with_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = doctor(words("--ports ttyACM*"), folder.path()).await;
    assert!(text(&output.stdout).contains("no serial port is here (looked at ttyACM*)"));
    assert!(text(&output.stdout).contains("Plug a node in"));
    std::fs::write(folder.path().join("ttyACM0"), "").expect("a file");
    let output = doctor(words("--ports ttyACM*"), folder.path()).await;
    assert!(text(&output.stdout).contains("no serial port"), "{}", text(&output.stdout));
    let output = doctor(words("check --seconds 1 --ports ttyACM*"), folder.path()).await;
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("no device answered"), "{}", text(&output.stderr));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_is_bound_and_labelled_and_what_it_is_goes_into_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let trays = WorkbenchNode::Board { name: "board-new".to_owned(), trays: true, faults: vec![] };
    let _bench = Workbench::start(folder.path(), vec![trays], 1).expect("a bench");
    let file = folder.path().join("hub.toml");
    std::fs::write(&file, config(folder.path())).expect("written");
    let command = "bind board-new 12 A board --label spare --config hub.toml --ports board-*";
    let output = doctor(words(command), folder.path()).await;
    assert!(output.status.success(), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(said.contains("in place of board-1") && said.contains("blinks"), "{said}");
    let written = std::fs::read_to_string(&file).expect("read");
    for part in ["node = \"board-new\"", "label = \"spare\"", "trays = true", "# the brown board"] {
        assert!(written.contains(part), "{part}: {written}");
    }
    let output =
        doctor(words("bind board-new 12 A clock --config hub.toml --ports board-*"), folder.path())
            .await;
    assert!(text(&output.stderr).contains("is no clock"), "{}", text(&output.stderr));
    assert_eq!(std::fs::read_to_string(&file).expect("read"), written, "nothing was written");
}

/// A terminal in which the program runs.
struct Screen {
    end: std::fs::File,
    other: OwnedFd,
    shown: vt100::Parser,
}

impl Screen {
    fn open() -> Screen {
        let size = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
        let OpenptyResult { master, slave } = openpty(Some(&size), None).expect("a terminal");
        let flags = nix::fcntl::OFlag::O_NONBLOCK;
        nix::fcntl::fcntl(&master, nix::fcntl::FcntlArg::F_SETFL(flags)).expect("set");
        let shown = vt100::Parser::new(24, 80, 0);
        Screen { end: std::fs::File::from(master), other: slave, shown }
    }

    fn run(&self, arguments: &str, folder: &Path) -> std::process::Child {
        let end = || Stdio::from(self.other.try_clone().expect("cloned"));
        Command::new(env!("CARGO_BIN_EXE_twinboard"))
            .arg("doctor")
            .args(words(arguments))
            .current_dir(folder)
            .env("TERM", "xterm-256color")
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .expect("the program runs")
    }

    fn is_raw(&self) -> bool {
        !tcgetattr(&self.other).expect("settings").local_flags.contains(LocalFlags::ICANON)
    }

    /// Returns the text on the screen.
    fn text(&self) -> String {
        self.shown.screen().contents()
    }

    /// Waits until a person sees this, on the program's own screen or on the terminal's.
    async fn until(&mut self, own: bool, wanted: &str) {
        let start = Instant::now();
        while !(self.text().contains(wanted) && self.shown.screen().alternate_screen() == own) {
            assert!(start.elapsed() < PATIENCE, "waited in vain for {wanted:?}: {}", self.text());
            tokio::time::sleep(Duration::from_millis(50)).await;
            self.read();
        }
    }

    fn read(&mut self) {
        let mut bytes = [0; 65_536];
        while let Ok(length @ 1..) = self.end.read(&mut bytes) {
            self.shown.process(&bytes[..length]);
        }
    }

    fn press(&mut self, keys: &str) {
        self.end.write_all(keys.as_bytes()).expect("pressed");
    }
}

async fn ended(mut child: std::process::Child) -> std::process::ExitStatus {
    tokio::task::spawn_blocking(move || child.wait().expect("waited")).await.expect("it ended")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_live_view_gives_the_terminal_back_by_key_and_by_signal() {
    let folder = tempfile::tempdir().expect("a folder");
    let _bench = Workbench::start(folder.path(), vec![board("board-1", &[])], 1).expect("a bench");
    for how in ["q", "\u{3}", "SIGTERM"] {
        let mut screen = Screen::open();
        let child = screen.run("watch board-1 --ports board-*", folder.path());
        screen.until(true, "longest").await;
        assert!(screen.is_raw());
        match how {
            "SIGTERM" => {
                let process =
                    nix::unistd::Pid::from_raw(i32::try_from(child.id()).expect("a process"));
                nix::sys::signal::kill(process, nix::sys::signal::Signal::SIGTERM).expect("sent");
            }
            key => screen.press(key),
        }
        screen.until(false, "").await;
        assert!(ended(child).await.success(), "{how:?}");
        assert!(!screen.is_raw(), "{how:?}: the terminal is as it was");
        assert!(!screen.shown.screen().hide_cursor(), "{how:?}: the cursor is back");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guided_check_follows_the_hands_and_reports_what_did_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let node = board("board-1", &[("e2", SwitchFault::Dead), ("a5", SwitchFault::Stuck)]);
    let bench = Workbench::start(folder.path(), vec![node], 1).expect("a bench");
    let mut screen = Screen::open();
    let child = screen.run("check board-1 --ports board-*", folder.path());
    screen.until(true, "piece seen on e2").await;
    screen.press("n");
    screen.until(true, "every square").await;
    handle_squares(&bench, "board-1", &["e2", "a5"]).await;
    screen.until(true, "Done. Press q").await;
    screen.press("q");
    screen.until(false, "reads occupied with nothing on it").await;
    assert_eq!(ended(child).await.code(), Some(1));
    let report = screen.text();
    let line = |word: &str| {
        let found = report.lines().find(|line| line.trim_start().starts_with(word));
        found.unwrap_or_default().split_whitespace().skip(1).collect::<Vec<_>>().join(" ")
    };
    assert_eq!((line("dead"), line("stuck")), ("e2".to_owned(), "a5".to_owned()), "{report}");
    assert!(report.contains("62 of 64 sensors were seen both occupied and empty"), "{report}");
}

/// Hands change every square but these, and change them back.
async fn handle_squares(bench: &Workbench, board: &str, but: &[&str]) {
    for changed in [true, false] {
        for square in Square::ALL.into_iter().filter(|it| !but.contains(&&*it.to_string())) {
            let occupied = matches!(usize::from(square) / 8, 0 | 1 | 6 | 7) != changed;
            bench.touch(board, Touch::Square(square, occupied)).await.expect("touched");
        }
        // Longer than a contact's bounce.
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_table_is_tested_and_its_protocol_names_the_clocks_difference() {
    let folder = tempfile::tempdir().expect("a folder");
    let nodes =
        vec![board("board-a", &[]), board("board-b", &[]), clock("clock-a"), clock("clock-b")];
    let bench = Workbench::start(folder.path(), nodes, 1).expect("a bench");
    let mut screen = Screen::open();
    let child = screen.run("table --protocol paper.txt --ports board-* clock-*", folder.path());
    screen.until(true, "every square").await;
    for board in ["board-a", "board-b"] {
        handle_squares(&bench, board, &[]).await;
    }
    screen.until(true, "Do its displays show 5:00 for White").await;
    screen.press("yy");
    screen.until(true, "both clocks together 0 of 4").await;
    for side in [Side::Black, Side::White, Side::Black, Side::White] {
        for clock in ["clock-a", "clock-b"] {
            bench.touch(clock, Touch::Lever(side)).await.expect("pressed");
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    screen.until(true, "· tilt 0 of 1").await;
    screen.press("ss");
    screen.until(true, "Done. Press q").await;
    screen.press("q");
    screen.until(false, "Tested by").await;
    let paper = std::fs::read_to_string(folder.path().join("paper.txt")).expect("a protocol");
    for part in [
        "board-a (board, reed, no trays) at board-a: all is well",
        "64 of 64 sensors",
        "clock-b (clock) at clock-b: all is well",
        "presses seen: White 2, Black 2",
        "displays: right",
        "tilt switch: not seen",
        "clock-b after clock-a",
        "in the middle of 4 presses",
    ] {
        assert!(paper.contains(part), "{part}: {paper}");
    }
    // On a machine under load the two touches may be apart.
    let agree = paper.contains("zero test of the clocks: they agree");
    assert_eq!(paper.contains("Table is in order."), agree, "{paper}");
    assert_eq!(ended(child).await.success(), agree, "{paper}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_simulated_table_has_its_four_nodes() {
    let folder = tempfile::tempdir().expect("a folder");
    let simulate = Command::new(env!("CARGO_BIN_EXE_twinboard"))
        .args(words("doctor simulate hall --table"))
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .spawn();
    let mut simulate = simulate.expect("the simulated table");
    let begun = Instant::now();
    while !folder.path().join("hall/clock-b").exists() && begun.elapsed() < PATIENCE {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let listing = json(&doctor(words("--json --ports hall/*"), folder.path()).await);
    simulate.kill().expect("it runs");
    simulate.wait().expect("it ended");
    let ids: Vec<&str> = ["board-a", "board-b", "clock-a", "clock-b"].to_vec();
    let ports = listing["ports"].as_array().expect("ports");
    let found: Vec<_> = ports.iter().map(|port| port["devices"][0]["id"].as_str()).collect();
    assert_eq!(found, ids.into_iter().map(Some).collect::<Vec<_>>(), "{listing}");
}

fn config(folder: &Path) -> String {
    let journal: PathBuf = folder.join("hub.sqlite");
    format!(
        "[hub]\nid = \"hub-1\"\njournal = {journal:?}\n[broker]\nhost = \"localhost\"\n\
         [[table]]\nname = \"12\"\nrulebook = \"us-chess-bughouse-2018\"\nbase_s = 300\n\
         [[table.node]]\nboard = \"A\"\nkind = \"board\"\nnode = \"board-1\" # the brown board\nlabel = \"12 A\"\nport = \"board-1\"\n\
         [[table.node]]\nboard = \"A\"\nkind = \"clock\"\nnode = \"clock-1\"\nport = \"clock-1\"\n"
    )
}
