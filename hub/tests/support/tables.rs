//! Tables with two boards of one maker, in virtual time, and the same tables with our own nodes.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]

use std::path::Path;

use hub::Config;
use hub::config::TableConfig;
use readings::{Reading, ReadingKind, SensorKind};
use rules::BoardId;
use sim::devices::{
    BusManners, CLOCKS_SET_AFTER_US, Certabo, ChessLink, Chessnut, Conventions, Dgt, DgtBus,
    DgtQuirks, Sentio, TagPool, World,
};
use sim::{Performance, Script};

use super::bench::{Bench, Noise, Timed};

/// Beginning of the match, on the devices' time: drivers have met their devices by then.
pub const BEGIN_US: u64 = 5_000_000;
/// Time at which our own nodes are switched on, and the end of their reports of that moment.
const SWITCHED_ON_US: u64 = 500_000;
const FIRST_SAID_US: u64 = 1_000_000;

/// Two boards of one kind at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// DGT boards, each on its own line, with their clocks.
    Dgt,
    /// DGT boards on one line, with their clocks.
    DgtBus,
    /// ChessLinks, with our own clocks.
    ChessLink,
    /// Chessnut boards, with our own clocks.
    Chessnut,
    /// Certabo boards with RFID, with our own clocks.
    Certabo,
    /// Sentio boards, with our own clocks.
    Sentio,
}

impl Kind {
    pub const ALL: [Kind; 6] =
        [Kind::Dgt, Kind::DgtBus, Kind::ChessLink, Kind::Chessnut, Kind::Certabo, Kind::Sentio];

    /// The driver's name.
    pub const fn driver(self) -> &'static str {
        match self {
            Kind::Dgt => "dgt",
            Kind::DgtBus => "dgt-bus",
            Kind::ChessLink => "chesslink",
            Kind::Chessnut => "chessnut",
            Kind::Certabo => "certabo",
            Kind::Sentio => "sentio",
        }
    }

    /// Sensor of its squares.
    pub const fn sensor(self) -> SensorKind {
        match self {
            Kind::Sentio => SensorKind::Reed,
            _ => SensorKind::PieceId,
        }
    }

    /// Whether the boards bring their clocks.
    pub const fn brings_clocks(self) -> bool {
        matches!(self, Kind::Dgt | Kind::DgtBus)
    }

    /// The nodes of a table in the hub's configuration: `(board, driver, id, port, more)`.
    fn nodes(self) -> [(BoardId, &'static str, &'static str, &'static str, &'static str); 2] {
        let [a, b] = BoardId::ALL;
        let driver = self.driver();
        match self {
            Kind::Dgt => [
                (a, driver, "dgt-11111", "a", "clock = true"),
                (b, driver, "dgt-22222", "b", "clock = true"),
            ],
            Kind::DgtBus => [
                (a, driver, "dgt-bus-300", "bus", "clock = true"),
                (b, driver, "dgt-bus-5", "bus", "clock = true"),
            ],
            _ => [(a, driver, "board-a", "a", ""), (b, driver, "board-b", "b", "")],
        }
    }
}

/// Position and conventions of a table's devices; the same for both boards.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Placed {
    /// The conventions of DGT boards and clocks.
    pub conventions: Conventions,
    /// The board lies with its eighth rank at White; for DGT boards `conventions` says it too.
    pub reversed: bool,
    /// A ChessLink that counts its files from h.
    pub h_file_first: bool,
    /// Differences between releases of DGT boards on a bus.
    pub manners: BusManners,
    /// Certabo boards name tags on empty squares, and ChessLinks send their squares unasked, as real ones do.
    pub as_bought: bool,
}

/// A table's configuration.
fn table(base_s: u32, nodes: &str) -> TableConfig {
    let text = format!(
        "[hub]\nid = \"hub-1\"\njournal = \"hub.sqlite\"\n[broker]\nhost = \"127.0.0.1\"\n[[table]]\nname = \"1\"\n\
         rulebook = \"us-chess-bughouse-2018\"\nbase_s = {base_s}\n{nodes}"
    );
    Config::parse(Path::new("hub.toml"), &text).unwrap().tables.remove(0)
}

fn node(board: BoardId, kind: &str, id: &str, more: &str) -> String {
    format!("[[table.node]]\nboard = \"{board}\"\nkind = \"{kind}\"\nnode = {id:?}\n{more}\n")
}

/// A table with two such boards, and our own clocks if they bring none.
pub fn table_of(kind: Kind, base_s: u32, placed: Placed) -> TableConfig {
    let mut nodes = String::new();
    for (board, driver, id, port, more) in kind.nodes() {
        let side = |left| if left { "left" } else { "right" };
        let Conventions { left_first, left_turn_low, white_left, .. } = placed.conventions;
        let mut lines = format!("driver = {driver:?}\nport = \"/dev/{port}\"\n{more}");
        if kind.brings_clocks() {
            lines += &format!(
                "\nclock_white = {:?}\nclock_first_time = {:?}\nclock_low_turn_bit = {:?}",
                side(white_left),
                side(left_first),
                side(left_turn_low)
            );
        } else {
            nodes += &node(board, "clock", &format!("clock-{board}").to_lowercase(), "");
        }
        nodes += &node(board, "board", id, &lines);
    }
    table(base_s, &nodes)
}

/// A table with two of our own boards and clocks.
pub fn own_table(kind: SensorKind, base_s: u32) -> TableConfig {
    let mut own = String::new();
    for board in BoardId::ALL {
        for part in ["board", "clock"] {
            own += &node(board, part, &format!("{part}-{board}").to_lowercase(), "");
        }
    }
    let mut table = table(base_s, &own);
    // There is no node of ours that knows pieces; the simulation reads such boards all the same.
    table.nodes.iter_mut().for_each(|node| node.sensor = kind);
    table
}

/// The lines of a table at which a script is played, with the devices plugged in.
pub fn bench(
    kind: Kind,
    script: &Script,
    placed: Placed,
    mut noise: impl FnMut() -> Option<Noise>,
) -> Bench {
    let world = |board| World::new(script, board, BEGIN_US);
    let mut bench = Bench::new(table_of(kind, script.base_s, placed));
    let quirks = DgtQuirks::default();
    if kind == Kind::DgtBus {
        let boards = vec![(300, world(BoardId::A)), (5, world(BoardId::B))];
        let bus = DgtBus::new(boards, placed.conventions, quirks, 7).with_manners(placed.manners);
        bench.attach("bus", Box::new(bus), noise());
        return bench;
    }
    let pool = TagPool::default();
    for (board, port) in BoardId::ALL.into_iter().zip(["a", "b"]) {
        let (world, index) = (world(board), board.index() as u64);
        let serial = if board == BoardId::A { *b"11111" } else { *b"22222" };
        bench.attach(
            port,
            match kind {
                Kind::Dgt => {
                    Box::new(Dgt::new(world, serial, placed.conventions, quirks, 7 + index))
                }
                Kind::ChessLink => {
                    let link = ChessLink::new(world, placed.reversed, placed.h_file_first);
                    Box::new(if placed.as_bought { link.reporting() } else { link })
                }
                Kind::Chessnut => Box::new(Chessnut::new(world, placed.reversed)),
                Kind::Certabo if placed.as_bought => {
                    Box::new(Certabo::noisy(world, placed.reversed, pool.clone(), 7 + index))
                }
                Kind::Certabo => Box::new(Certabo::new(world, placed.reversed, pool.clone())),
                Kind::Sentio => Box::new(Sentio::new(world)),
                Kind::DgtBus => unreachable!("attached above"),
            },
            noise(),
        );
    }
    bench
}

/// Time at which the match is over and the hub knows.
pub fn end_us(script: &Script) -> u64 {
    BEGIN_US + script.end_us + CLOCKS_SET_AFTER_US + 1_000_000
}

/// Readings of our own boards and clocks in a match, in hub time.
pub fn of_own_nodes(own: &Performance) -> Vec<Timed> {
    let readings = own.readings.iter().filter_map(|Reading { t_us, board, kind }| {
        // Their reports when they are switched on are before the match.
        let at_us = if *t_us < FIRST_SAID_US { SWITCHED_ON_US + t_us } else { BEGIN_US + t_us };
        Some((at_us, (*board)?, kind.clone()))
    });
    readings.collect()
}

/// Readings of the table: of devices without a clock, theirs and those of our own clocks beside them.
pub fn heard(kind: Kind, bench: Bench, own: &Performance) -> Vec<Timed> {
    let mut readings = bench.into_readings();
    if !kind.brings_clocks() {
        let of_clock = |kind: &ReadingKind| {
            matches!(kind, ReadingKind::Press { .. } | ReadingKind::Clock { .. })
        };
        readings.extend(of_own_nodes(own).into_iter().filter(|(_, _, kind)| of_clock(kind)));
        readings.sort_by_key(|(at_us, ..)| *at_us);
    }
    readings
}
