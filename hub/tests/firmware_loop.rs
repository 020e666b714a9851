//! The firmware in the loop: images for microcontrollers run in QEMU, a whole match is played into their emulated switches, and
//! a real hub at their serial lines must end with the record of what was played, also when a board loses its power in between.
//!
//! The hands wait for the boards: on a busy machine an emulated processor may stand for longer than a switch is open, which none at a table
//! does.
//!
//! What the hub makes of it is compared with the direct path: the same hands, sensed by the simulation, inferred by the same
//! tracker without a microcontroller, a line or a hub in between.

#[path = "support/emulator.rs"]
mod emulator;
#[path = "support/games.rs"]
mod games;
#[path = "support/record.rs"]
mod record;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use emulator::{CORTEX_M0, CORTEX_M3, Emulator, Kind, LEVER, Machine, PAUSE, Switches};
use hub::{Config, HubClock};
use inference::{Tracker, TrackerConfig, TrackerOutput};
use record::{BoardRecord, TableRecord, played, squares};
use rules::{BoardId, Color, bpgn::BpgnGame};
use sim::{ClockTouch, Profile, Script};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

/// Names of the hub and the table.
const HUB: &str = "hub-1";
const TABLE: &str = "1";
/// Shortest match that is played: both boards must see play before and after the power cut.
const PLIES_MIN: usize = 40;
/// Longest match that is played: it takes some 80 seconds.
const PLIES_MAX: usize = 60;
/// How long a player thinks about each ply.
const THINK_MS: i64 = 900;
/// What the clocks of the images are set to when they start.
const BASE_MS: i64 = 300_000;
/// From power-up to the first hand: the hub has found the nodes and seen the initial position.
const LEAD_IN: Duration = Duration::from_secs(6);
/// How long the hands rest while a board is without power.
const POWER_CUT: Duration = Duration::from_secs(6);
/// Changes that are closer together are one contact's bounce, or have nothing to do with each other, µs.
const APART_US: u64 = 6_000;
/// How long the hub may take for the last plies after the last hand.
const PATIENCE: Duration = Duration::from_secs(30);
const INITIAL: u64 = 0xffff_0000_0000_ffff;

#[test]
#[ignore = "needs the images and QEMU: cargo xtask test loop"]
fn a_match_played_into_cortex_m3_boards_comes_out_right_though_one_of_them_loses_its_power() {
    play(CORTEX_M3, shipped(0));
}

#[test]
#[ignore = "needs the images and QEMU: cargo xtask test loop"]
fn a_match_played_into_cortex_m0_boards_comes_out_right_though_one_of_them_loses_its_power() {
    play(CORTEX_M0, real().unwrap_or_else(|| shipped(1)));
}

/// A match that people have played, where the games of such matches are.
fn real() -> Option<BpgnGame> {
    let short = |game: &BpgnGame| {
        (PLIES_MIN..=PLIES_MAX).contains(&game.plies.len()) && game.tag("FEN").is_none()
    };
    games::corpus().map(|games| hurried(games.into_iter().find(short).expect("some are short")))
}

/// One of the shipped games that are short enough.
fn shipped(index: usize) -> BpgnGame {
    let mut short = sim::games::shipped().into_iter().filter(|game| game.plies.len() <= PLIES_MAX);
    hurried(short.nth(index).expect("short games are shipped"))
}

/// The same game, with players who take about a second for each ply.
fn hurried(mut game: BpgnGame) -> BpgnGame {
    game.set_tag("TimeControl", &format!("{}+0", BASE_MS / 1_000));
    let mut left_ms = [BASE_MS; 4];
    for (index, ply) in game.plies.iter_mut().enumerate() {
        let left_ms = &mut left_ms[2 * ply.board.index() + usize::from(ply.color.is_white())];
        // Not quite steady, so that the two boards do not keep step.
        *left_ms -= THINK_MS + (index as i64 * 37) % 150;
        ply.clock_ms = Some(*left_ms);
    }
    game
}

fn play(machine: Machine, game: BpgnGame) {
    let script = sim::script(&game, Profile::Ideal, 1, "loop").unwrap();
    let direct = directly(&game);
    assert_eq!(direct, played(&script.truth), "the direct path is the truth");
    let mut table = Table::start(machine);
    table.play(&script);
    table.expect(&direct);
}

/// What the tracker makes of the same hands without anything in between.
fn directly(game: &BpgnGame) -> BTreeMap<BoardId, BoardRecord> {
    let performance = sim::perform(game, Profile::Ideal, 1, "loop").unwrap();
    let mut tracker = Tracker::new(&performance.header, TrackerConfig::default());
    let mut plies = BTreeMap::new();
    for reading in &performance.readings {
        tracker.handle(reading);
        while let Some(output) = tracker.poll_output() {
            match output {
                TrackerOutput::Ply(ply) => drop(plies.insert(ply.id.0, ply)),
                TrackerOutput::PlyRetracted { id, .. } => drop(plies.remove(&id.0)),
                _ => {}
            }
        }
    }
    let mut plies: Vec<_> = plies.into_iter().collect();
    plies.sort_by_key(|(id, ply)| (ply.t_us, *id));
    let mut boards = BTreeMap::<_, BoardRecord>::new();
    for (_, ply) in plies {
        let record = boards.entry(ply.board).or_default();
        record.push((ply.side, squares(&ply.ply.to_string())));
    }
    boards
}

/// What happens to one node.
#[derive(Clone, Copy, Debug)]
struct Act {
    t_us: u64,
    board: BoardId,
    what: What,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Square(u8, bool),
    Lever(Color),
    Pause(bool),
    Cut,
    Restore,
}

/// How long the pause key is held down, µs.
const KEY_US: u64 = 100_000;

/// Everything that hands and switches do, in order of time, and in the longest rest around the middle a power cut at board A,
/// for which the hands rest longer.
fn acts(script: &Script) -> Vec<Act> {
    let mut acts = Vec::new();
    for board in BoardId::ALL {
        let of_board = &script.boards[board.index()];
        let mut act = |t_us, what| acts.push(Act { t_us, board, what });
        for edge in &of_board.edges {
            act(edge.t_us, What::Square(edge.square as u8, edge.closed));
        }
        for clock in &of_board.clock {
            match clock.touch {
                ClockTouch::Press(by) => act(clock.t_us, What::Lever(by)),
                ClockTouch::Stop => {
                    act(clock.t_us, What::Pause(true));
                    act(clock.t_us + KEY_US, What::Pause(false));
                }
                ClockTouch::Tilt(_) | ClockTouch::Hand(..) | ClockTouch::HandFrom(..) => {}
            }
        }
    }
    acts.sort_by_key(|act| act.t_us);
    let middle = acts.len() / 3..2 * acts.len() / 3;
    let rest = |&index: &usize| acts[index + 1].t_us - acts[index].t_us;
    let longest = middle.max_by_key(rest).expect("a match has a middle");
    let (before_us, rest_us) = (acts[longest].t_us, rest(&longest));
    let cut_us = POWER_CUT.as_micros() as u64;
    for act in &mut acts[longest + 1..] {
        act.t_us += cut_us;
    }
    let power = |t_us, what| Act { t_us, board: BoardId::A, what };
    let dark = [
        power(before_us + rest_us / 2 + cut_us / 4, What::Cut),
        power(before_us + rest_us / 2 + cut_us / 2, What::Restore),
    ];
    acts.splice(longest + 1..longest + 1, dark);
    acts
}

/// Four emulated nodes and the hub that serves them.
struct Table {
    // In the order in which they must be gone: the hub, its nodes, the folder.
    hub: Option<Runtime>,
    stop: CancellationToken,
    boards: [Emulator; 2],
    clocks: [Emulator; 2],
    folder: TempDir,
}

impl Table {
    fn start(machine: Machine) -> Table {
        let folder = tempfile::tempdir().unwrap();
        let initial = Switches { squares: INITIAL, ..Switches::default() };
        // White's side is down, so that Black can start the clock.
        let lever = Switches { contacts: LEVER, ..Switches::default() };
        let path = folder.path();
        let board = |number| Emulator::start(machine, Kind::Board, number, path, initial);
        let clock = |number| Emulator::start(machine, Kind::Clock, number, path, lever);
        let (boards, clocks) = ([board(0xa1), board(0xb1)], [clock(0xa2), clock(0xb2)]);
        let config = configuration(path, &boards, &clocks);
        let stop = CancellationToken::new();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        runtime.spawn(hub::run(config, HubClock::real(), stop.clone()));
        Table { hub: Some(runtime), stop, boards, clocks, folder }
    }

    /// Plays all switches in real time, as fast as the nodes read them.
    fn play(&mut self, script: &Script) {
        std::thread::sleep(LEAD_IN);
        let (mut start, mut before_us, mut longest) = (Instant::now(), 0, Duration::ZERO);
        for Act { t_us, board, what } in acts(script) {
            if t_us - before_us > APART_US {
                longest = longest.max(self.await_read());
            }
            // Hands that had to wait are late from then on, and as far apart as ever.
            let due = start + Duration::from_micros(t_us);
            let now = Instant::now();
            std::thread::sleep(due.saturating_duration_since(now));
            start += now.saturating_duration_since(due);
            before_us = t_us;
            let (boards, clocks) = (&mut self.boards, &mut self.clocks);
            let (node, clock) = (&mut boards[board.index()], &mut clocks[board.index()]);
            match what {
                What::Square(square, closed) => {
                    let mut switches = node.switches();
                    switches.squares &= !(1 << square);
                    switches.squares |= u64::from(closed) << square;
                    node.set(switches);
                }
                What::Lever(down) => clock.set(contact(clock, LEVER, down == Color::White)),
                What::Pause(pressed) => clock.set(contact(clock, PAUSE, pressed)),
                What::Cut => node.kill(),
                What::Restore => {
                    // The hands rest for as long after it as if it had taken no time.
                    let begin = Instant::now();
                    node.power_up();
                    start += begin.elapsed();
                }
            }
        }
        println!("a node took {longest:?} at most to read its switches");
    }

    /// Waits until all nodes have read their switches; how long that took.
    fn await_read(&mut self) -> Duration {
        let begin = Instant::now();
        self.boards.iter_mut().chain(&mut self.clocks).for_each(Emulator::await_read);
        begin.elapsed()
    }

    /// Waits for these plies and holds the record to them.
    fn expect(&mut self, plies: &BTreeMap<BoardId, BoardRecord>) {
        let reading = Runtime::new().unwrap();
        let journal = self.folder.path().join("hub.sqlite");
        let deadline = Instant::now() + PATIENCE;
        let mut record = TableRecord::default();
        while &record.boards != plies && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(500));
            record = reading.block_on(TableRecord::read(&journal, HUB, TABLE));
        }
        assert_eq!(&record.boards, plies, "what was recorded is what was played");
        assert_eq!(record.ended, 0, "a match does not end because its clocks stand");
        assert_eq!(record.gaps, [BoardId::A], "the power cut is told as a gap, once");
        assert_eq!(record.matches, 1, "one match, in spite of the power cut");
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(hub) = self.hub.take() {
            hub.shutdown_timeout(Duration::from_secs(5));
        }
    }
}

fn contact(node: &Emulator, contact: u32, closed: bool) -> Switches {
    let switches = node.switches();
    let others = switches.contacts & !contact;
    Switches { contacts: others | if closed { contact } else { 0 }, ..switches }
}

fn configuration(folder: &Path, boards: &[Emulator; 2], clocks: &[Emulator; 2]) -> Config {
    // Nobody listens at port 9: the rows stay in the journal, where the test reads them.
    let mut text = format!(
        "[hub]\nid = {HUB:?}\njournal = {:?}\n[broker]\nhost = \"127.0.0.1\"\nport = 9\n\
         [[table]]\nname = {TABLE:?}\nrulebook = \"us-chess-bughouse-2018\"\nbase_s = {}\n",
        folder.join("hub.sqlite"),
        BASE_MS / 1_000,
    );
    for (kind, nodes) in [(Kind::Board, boards), (Kind::Clock, clocks)] {
        for (board, node) in BoardId::ALL.into_iter().zip(nodes) {
            text += &format!(
                "[[table.node]]\nboard = \"{board}\"\nkind = {:?}\nnode = {:?}\nport = {:?}\n",
                kind.word(),
                node.node_id(),
                node.port(),
            );
        }
    }
    Config::parse(&PathBuf::from("hub.toml"), &text).unwrap()
}
