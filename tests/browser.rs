//! From the reeds to a visitor's screen: the real pages in a real browser, over a server that is killed in the middle of a match. The
//! page must show the position that the record ends in.
//!
//! The simulated hall's nodes send over serial devices to a hub in this process, because only here can its clock run as fast as the
//! hall's. The adjudicator is the program itself, so that it can be killed.

mod support {
    pub(crate) mod chromium;
    pub(crate) mod patience;
    pub(crate) mod program;
}

use std::{
    collections::BTreeMap,
    net::TcpListener,
    panic::{AssertUnwindSafe, resume_unwind},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use futures::FutureExt as _;
use hub::HubClock;
use readings::TruthLine;
use rules::{
    BoardId, Color, Seat,
    bpgn::{self, BpgnGame},
    fen,
};
use serde::Deserialize;
use serde_json::Value;
use sim::real_time::{Hall, HallConfig, HallNodeKind};
use support::{
    chromium::Driver,
    patience::{PATIENCE, eventually, within},
    program::{Program, ask},
};
use thirtyfour::WebDriver;
use tokio_util::sync::CancellationToken;

/// Speed of the hall, as a multiple of real time.
const SPEED: f64 = 8.0;
/// Longest play, from the first press of a clock to the last.
const PLAY_MAX: Duration = Duration::from_secs(60);
/// Plies that a visitor misses while the server is down.
const MISSED_PLIES: usize = 6;

/// Script that reads all contents of a table's page at once.
const SHOWN: &str = r#"
    const letters = { pawn: 'p', knight: 'n', bishop: 'b', rook: 'r', queen: 'q', king: 'k' };
    const drawn = (board) => {
      const pieces = new Map();
      for (const piece of board.querySelectorAll('cg-board piece:not(.fading)')) {
        const [color, role] = piece.cgPiece.split(' ');
        pieces.set(piece.cgKey, color === 'white' ? letters[role].toUpperCase() : letters[role]);
      }
      const rank = (number) => [...'abcdefgh'].map((file) => pieces.get(file + number) ?? '1')
        .join('').replace(/1+/g, (empty) => empty.length);
      return [8, 7, 6, 5, 4, 3, 2, 1].map(rank).join('/');
    };
    const boards = {};
    for (const board of document.querySelectorAll('.match [data-board]')) {
      boards[board.dataset.board] = { fen: board.dataset.fen, drawn: drawn(board) };
    }
    const reserves = {};
    for (const reserve of document.querySelectorAll('.match .reserve')) {
      reserves[reserve.dataset.testid.replace('reserve-', '')] = reserve.dataset.reserve;
    }
    const moves = [...document.querySelectorAll('[data-ply]')].map((move) =>
      `${move.querySelector('.number').textContent} ${move.dataset.uci}`);
    return {
      line: document.querySelector('[data-testid=line]')?.dataset.line ?? '',
      line_text: document.querySelector('[data-testid=line]')?.textContent ?? '',
      boards, reserves, moves,
      result: document.querySelector('[data-testid=result]')?.textContent ?? null,
      mark: window.__mark ?? null,
      seen: { A: window.__seen?.A.size ?? 0, B: window.__seen?.B.size ?? 0 },
    };
"#;

/// Marks the document, and notes every position that its boards come to show.
const WATCH: &str = r#"
    window.__mark = 1;
    window.__seen = { A: new Set(), B: new Set() };
    const note = () => {
      for (const board of document.querySelectorAll('.match [data-board]')) {
        window.__seen[board.dataset.board].add(board.dataset.fen);
      }
    };
    new MutationObserver(note).observe(document.body,
      { subtree: true, childList: true, attributeFilter: ['data-fen'] });
    note();
"#;

/// The tile of table 1 in the overview.
const TILE: &str = r#"
    const tile = document.querySelector('.tile[data-table="1"]');
    if (tile === null) return null;
    const fen = (board) => tile.querySelector(`[data-board="${board}"]`)?.dataset.fen ?? '';
    return { state: tile.dataset.state, over: tile.dataset.over === 'true', fens: { A: fen('A'), B: fen('B') } };
"#;

#[derive(Clone, Debug, Deserialize)]
struct Shown {
    line: String,
    line_text: String,
    boards: BTreeMap<String, ShownBoard>,
    reserves: BTreeMap<String, String>,
    moves: Vec<String>,
    result: Option<String>,
    mark: Option<u32>,
    seen: BTreeMap<String, usize>,
}

#[derive(Clone, Debug, Deserialize)]
struct ShownBoard {
    fen: String,
    drawn: String,
}

#[derive(Clone, Debug, Deserialize)]
struct Tile {
    state: String,
    over: bool,
    fens: BTreeMap<String, String>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_visitor_sees_a_match_through_a_killed_server_to_the_position_of_its_record() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../adjudicator/web/dist/index.html");
    if !pages.is_file() {
        return not_run("build the pages (cargo xtask pages)");
    }
    let driver = match Driver::start() {
        Ok(driver) => driver,
        Err(missing) => return not_run(missing),
    };
    let folder = tempfile::tempdir().expect("a folder");
    let browser = driver.open(&folder.path().join("profile")).await;
    let visit = AssertUnwindSafe(visit(&browser, folder.path())).catch_unwind().await;
    browser.quit().await.expect("Chromium stops");
    if let Err(panic) = visit {
        let log = std::fs::read_to_string(folder.path().join("serve.log")).unwrap_or_default();
        eprintln!("what the server said:\n{log}");
        resume_unwind(panic);
    }
}

/// Under CI a test that cannot run has failed: one that silently stops running proves nothing.
fn not_run(remedy: &str) {
    assert!(std::env::var_os("CI").is_none(), "cannot run: {remedy}");
    println!("not run: {remedy}");
}

async fn visit(browser: &WebDriver, folder: &Path) {
    let server = Server::prepare(folder);
    let serving = server.start().await;
    browser.goto(server.page("/table/1")).await.expect("the page opens");
    browser.execute(WATCH, vec![]).await.expect("the page is watched");

    let hall = open_hall(folder);
    let stop = CancellationToken::new();
    let clock = HubClock::accelerated(SPEED, SystemTime::now());
    let hub = tokio::spawn(hub::run(server.hub(&hall), clock, stop.clone()));

    both_boards_change(browser).await;
    the_overview_shows_the_table(browser, &server).await;

    drop(serving);
    let stale = eventually("the page says that it is stale", async || {
        shown_when(browser, |shown| shown.line == "stale").await
    })
    .await;
    assert!(stale.line_text.trim().starts_with("Stale since "), "{:?}", stale.line_text);
    let missed = plies_until(&hall, hall.now_us()) + MISSED_PLIES;
    eventually("the play goes on without a server", async || {
        let played = plies_until(&hall, hall.now_us());
        if played >= missed { Ok(()) } else { Err(format!("{played} plies of {missed}")) }
    })
    .await;
    let still = read(browser).await;
    assert_eq!((still.line.as_str(), &still.moves), ("stale", &stale.moves), "it shows no more");
    assert!(hall.now_us() < hall.matches()[0].end_us, "the match is still on");

    let _serving = server.start().await;
    let healed = eventually("the page is live again and has what it missed", async || {
        let is_healed = |shown: &Shown| shown.line == "live" && shown.moves.len() >= missed;
        shown_when(browser, is_healed).await
    })
    .await;
    assert_eq!(healed.mark, Some(1), "it healed without a reload");

    let end = Duration::from_micros(hall.matches()[0].end_us).div_f64(SPEED);
    assert!(end < PLAY_MAX, "the game is too long for a test: {end:?}");
    within(PATIENCE + PLAY_MAX, "the match ends", async || server.has_ended().await).await;
    let record = server.record();
    eventually("the page shows what the record says", async || {
        same_as_the_record(&read(browser).await, &record)
    })
    .await;
    for board in BoardId::ALL {
        let (recorded, played) = (squares(&record, board), true_squares(&hall, board));
        assert_eq!(recorded, played, "the record of board {board} is what was played");
    }
    let told = eventually("the page tells the result", async || {
        shown_when(browser, |shown| shown.result.as_ref().is_some_and(|text| !text.is_empty()))
            .await
    })
    .await;
    assert_eq!(told.mark, Some(1), "one document from the first move to the last");
    the_overview_ends_like(browser, &server, &record).await;
    stop.cancel();
    hub.await.expect("the hub ends").expect("the hub ends well");
}

/// The shipped game that is the soonest over among those that leave a promoted piece on a board.
fn game() -> BpgnGame {
    let length_ms = |game: &BpgnGame| -> i64 {
        let of = |board| {
            let clocks = |color| {
                let mut plies = game.plies.iter().rev();
                plies.find(|ply| ply.seat() == Seat { board, color }).and_then(|ply| ply.clock_ms)
            };
            let left = |color| clocks(color).unwrap_or_default();
            2 * game.base_ms().unwrap_or_default() - left(Color::White) - left(Color::Black)
        };
        of(BoardId::A).max(of(BoardId::B))
    };
    let is_promoted = |game: &BpgnGame| {
        let last = game.final_match().expect("a final position");
        BoardId::ALL.iter().any(|board| !last.position(*board).promoted().is_empty())
    };
    let games = sim::games::shipped().into_iter();
    games.filter(is_promoted).min_by_key(length_ms).expect("some game ends with a promoted piece")
}

fn open_hall(folder: &Path) -> Hall {
    let device_folder = folder.join("devices");
    std::fs::create_dir(&device_folder).expect("a folder for the devices");
    Hall::start(HallConfig {
        games: vec![game()],
        profile: sim::Profile::Ideal,
        trays: false,
        seed: 1,
        speed: SPEED,
        tables: 1,
        device_folder,
        lead_in: Duration::from_secs(3),
    })
    .expect("the hall opens")
}

fn truth(hall: &Hall) -> impl Iterator<Item = &readings::TruthPly> {
    hall.matches()[0].truth.iter().filter_map(|line| match line {
        TruthLine::Ply(ply) => Some(ply),
        TruthLine::Anomaly(_) => None,
    })
}

/// Plies that have been made by `now_us` of hall time.
fn plies_until(hall: &Hall, now_us: u64) -> usize {
    let begin_us = hall.matches()[0].begin_us;
    truth(hall).filter(|ply| begin_us + ply.t_us <= now_us).count()
}

/// Returns the part of a board's plies that reed switches measure: side, origin square (or the hand), target square. The order of plies
/// on different boards is not compared. At this speed a tenth of a second in the hall is less than the delay of a message on a busy
/// machine.
fn true_squares(hall: &Hall, board: BoardId) -> Vec<String> {
    let plies = truth(hall).filter(|ply| ply.board == board);
    plies.map(|ply| format!("{} {}", ply.side, squares_of(ply.uci))).collect()
}

fn squares(record: &BpgnGame, board: BoardId) -> Vec<String> {
    let plies = record.plies.iter().filter(|ply| ply.board == board);
    plies.map(|ply| format!("{} {}", ply.color, squares_of(ply.ply))).collect()
}

fn squares_of(ply: rules::Ply) -> String {
    ply.from().map_or_else(|| format!("@{}", ply.to()), |from| format!("{from}{}", ply.to()))
}

/// The adjudicator of the test: where it is and what it keeps.
struct Server {
    config: PathBuf,
    log: PathBuf,
    http_port: u16,
    mqtt_port: u16,
    journal: PathBuf,
}

impl Server {
    /// Writes a configuration whose ports stay the same, so that hub and page find it again.
    fn prepare(folder: &Path) -> Server {
        let (http, mqtt) = (free_port(), free_port());
        let config = folder.join("event.toml");
        let text = format!(
            "[event]\nname = \"Browser test\"\n\
             [http]\naddress = \"127.0.0.1:{}\"\nclock_rate = {SPEED:?}\n\
             [store]\npath = \"event.sqlite\"\n\
             [broker]\naddress = \"127.0.0.1:{}\"\nshard = \"browser-test\"\n",
            http.port, mqtt.port
        );
        std::fs::write(&config, text).expect("the configuration is written");
        Server {
            config,
            log: folder.join("serve.log"),
            http_port: http.port,
            mqtt_port: mqtt.port,
            journal: folder.join("hub.sqlite"),
        }
    }

    /// Starts `twinboard serve` and waits until it answers.
    async fn start(&self) -> Program {
        let config = self.config.to_str().expect("a path in Unicode");
        let program = Program::twinboard(&["serve", "--config", config], &self.log);
        eventually("the server answers", async || {
            let answer = reqwest::get(self.page("/api/v1/round")).await;
            let answer = answer.map_err(|error| error.to_string())?;
            answer.error_for_status().map(drop).map_err(|error| error.to_string())
        })
        .await;
        program
    }

    fn page(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.http_port)
    }

    /// The configuration of the hub that follows the hall.
    fn hub(&self, hall: &Hall) -> hub::Config {
        let mut text = format!(
            "[hub]\nid = \"hub-1\"\njournal = {:?}\n\
             [broker]\nhost = \"127.0.0.1\"\nport = {}\nshard = \"browser-test\"\n\
             [[table]]\nname = \"1\"\nrulebook = \"us-chess-bughouse-2018\"\nbase_s = {}\n",
            self.journal,
            self.mqtt_port,
            hall.base_s(),
        );
        for node in hall.nodes() {
            let kind = if node.kind == HallNodeKind::Board { "board" } else { "clock" };
            text += &format!(
                "[[table.node]]\nboard = \"{}\"\nkind = {kind:?}\nnode = {:?}\nport = {:?}\n",
                node.board, node.node_id, node.port,
            );
        }
        hub::Config::parse(Path::new("hub.toml"), &text).expect("the hub's configuration is valid")
    }

    /// Whether the match is over: after that its record changes no more.
    async fn has_ended(&self) -> Result<(), String> {
        let answer = reqwest::get(self.page("/api/v1/round")).await;
        let answer = answer.map_err(|error| error.to_string())?;
        let round: Value = answer.json().await.map_err(|error| error.to_string())?;
        let state = &round["tables"][0]["state"];
        if state == "ended" { Ok(()) } else { Err(state.to_string()) }
    }

    /// The record that `twinboard export` writes of the one match.
    fn record(&self) -> BpgnGame {
        let config = self.config.to_str().expect("a path in Unicode");
        let folder = self.config.parent().expect("it is in a folder");
        let output = ask(folder, &["export", "--config", config, "--format", "bpgn"]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "the export failed: {said}");
        let mut games = bpgn::read(&output.stdout);
        assert_eq!(games.len(), 1, "one match is exported");
        games.remove(0).expect("the record can be read")
    }
}

/// A port that is free now. It is held until all ports of a test are chosen, so that they differ.
struct FreePort {
    port: u16,
    _listener: TcpListener,
}

fn free_port() -> FreePort {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    FreePort { port: listener.local_addr().expect("its address").port(), _listener: listener }
}

async fn read(browser: &WebDriver) -> Shown {
    let answer = browser.execute(SHOWN, vec![]).await.expect("the page answers");
    answer.convert().expect("what the page shows")
}

async fn shown_when(browser: &WebDriver, holds: impl Fn(&Shown) -> bool) -> Result<Shown, String> {
    let shown = read(browser).await;
    if holds(&shown) { Ok(shown) } else { Err(format!("{shown:?}")) }
}

async fn both_boards_change(browser: &WebDriver) {
    within(PATIENCE, "both boards change before the visitor's eyes", async || {
        let is_moving = |shown: &Shown| {
            shown.line == "live" && shown.seen.len() == 2 && shown.seen.values().all(|&n| n >= 4)
        };
        shown_when(browser, is_moving).await
    })
    .await;
}

/// Looks at the overview in a tab of its own, and comes back.
async fn in_the_overview(
    browser: &WebDriver,
    server: &Server,
    what: &str,
    holds: impl Fn(&Tile) -> bool,
) {
    let page = browser.window().await.expect("the tab of the match");
    let tab = browser.new_tab().await.expect("another tab");
    browser.switch_to_window(tab).await.expect("the other tab");
    browser.goto(server.page("/")).await.expect("the overview opens");
    eventually(what, async || {
        let answer = browser.execute(TILE, vec![]).await.map_err(|error| error.to_string())?;
        let tile: Option<Tile> = answer.convert().map_err(|error| error.to_string())?;
        match tile {
            Some(tile) if holds(&tile) => Ok(()),
            seen => Err(format!("{seen:?}")),
        }
    })
    .await;
    browser.close_window().await.expect("the overview closes");
    browser.switch_to_window(page).await.expect("the tab of the match");
}

async fn the_overview_shows_the_table(browser: &WebDriver, server: &Server) {
    let set_up = fen::format_placement(&rules::Position::initial());
    in_the_overview(browser, server, "the overview shows the table at play", |tile| {
        ["playing", "check"].contains(&tile.state.as_str())
            && tile.fens.values().all(|fen| *fen != set_up)
    })
    .await;
}

async fn the_overview_ends_like(browser: &WebDriver, server: &Server, record: &BpgnGame) {
    let last = placements(record);
    in_the_overview(browser, server, "the overview shows the last position", |tile| {
        tile.over && tile.fens == last
    })
    .await;
}

/// The last placement of each board, promoted pieces marked `~`.
fn placements(record: &BpgnGame) -> BTreeMap<String, String> {
    let last = record.final_match().expect("a final position");
    let of = |board: BoardId| (board.to_string(), fen::format_placement(last.position(board)));
    BoardId::ALL.into_iter().map(of).collect()
}

/// Checks that the page agrees with the record: every move, and on both boards the last position with the reserves, in the attributes
/// and in the drawing.
fn same_as_the_record(shown: &Shown, record: &BpgnGame) -> Result<(), String> {
    let differs = |what: &str, shown: &dyn std::fmt::Debug, recorded: &dyn std::fmt::Debug| {
        Err(format!("{what}: the page shows {shown:?}, the record has {recorded:?}"))
    };
    let moves: Vec<String> = record.plies.iter().map(listed).collect();
    if shown.moves != moves {
        return differs("moves", &shown.moves, &moves);
    }
    let last = record.final_match().expect("a final position");
    for (board, placement) in placements(record) {
        let Some(drawn) = shown.boards.get(&board) else {
            return Err(format!("no board {board}"));
        };
        if drawn.fen != placement {
            return differs("position", &drawn.fen, &placement);
        }
        if drawn.drawn != placement.replace('~', "") {
            return differs("drawing", &drawn.drawn, &placement);
        }
    }
    for seat in Seat::ALL {
        let side = if seat.color == Color::White { "white" } else { "black" };
        let name = format!("{}-{side}", seat.board);
        let reserve = last.reserve(seat).to_string();
        if shown.reserves.get(&name) != Some(&reserve) {
            return differs("reserve", &shown.reserves.get(&name), &reserve);
        }
    }
    Ok(())
}

/// A ply as the move list has it: `12a. e7e5`.
fn listed(ply: &bpgn::BpgnPly) -> String {
    let board = ply.board.to_string();
    let letter = if ply.color.is_white() { board } else { board.to_lowercase() };
    format!("{}{letter}. {}", ply.number, ply.ply)
}
