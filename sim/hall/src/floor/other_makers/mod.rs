//! Boards of other makers on the floor, each with its maker's way to speak ([`link_sim::devices`]). None of them keeps readings for the hub,
//! and none stamps them with a time.

mod check;
mod clock;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use hub_core::drivers::DriverSettings;
use hub_core::drivers::certabo::rfid::CertaboSettings;
use hub_core::drivers::chesslink::ChessLinkSettings;
use hub_core::drivers::chessnut::ChessnutSettings;
use hub_core::drivers::dgt::DgtSettings;
use hub_core::journal_line::Line;
use link_sim::devices::{
    Certabo, ChessLink, Chessnut, Conventions, Dgt, DgtQuirks, Scene, Sentio, SerialDevice, TagPool,
};
use readings::{ReadingKind, SensorKind, SquareReading};
use rules::{BoardId, Color, Piece, Role, Square};

use super::device::{Act, INITIAL};
pub(crate) use check::check;
use clock::{LeverClock, SharedClock, with};

/// The serial number of the DGT board.
const DGT_SERIAL: [u8; 5] = *b"12345";

/// Maker of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maker {
    /// A Sentio: says ten times a second where something stands.
    Sentio,
    /// A DGT board on a line of its own: scans, and says what has changed, once it is asked to.
    Dgt,
    /// A ChessLink: looks when it is asked.
    ChessLink,
    /// A Certabo with RFID: says the tags of all squares again and again.
    Certabo,
    /// A Chessnut: reports all squares five times a second over USB HID, once it is in that mode.
    Chessnut,
}

/// A node that is a board of another maker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForeignPlan {
    /// The node.
    pub node: usize,
    /// Its maker.
    pub maker: Maker,
    /// Whether it lies with its eighth rank at White, as the configuration states.
    pub reversed: bool,
    /// Whether it is a DGT board that brings a clock.
    pub clock: bool,
}

impl ForeignPlan {
    /// The driver, as the configuration has it.
    pub(crate) fn driver(&self) -> DriverSettings {
        let reversed = Some(self.reversed);
        match self.maker {
            Maker::Sentio => DriverSettings::Sentio { reversed: self.reversed },
            Maker::Dgt => {
                let clock = self.clock;
                DriverSettings::Dgt(DgtSettings { reversed, clock, ..DgtSettings::default() })
            }
            Maker::ChessLink => {
                DriverSettings::ChessLink(ChessLinkSettings { reversed, h_file_first: Some(false) })
            }
            Maker::Certabo => {
                DriverSettings::Certabo(CertaboSettings { reversed, ..CertaboSettings::default() })
            }
            Maker::Chessnut => DriverSettings::Chessnut(ChessnutSettings { reversed }),
        }
    }

    /// Id of the board: a DGT board's is its number, another one's is free.
    pub(crate) fn id(&self) -> String {
        match self.maker {
            Maker::Dgt => format!("dgt-{}", String::from_utf8_lossy(&DGT_SERIAL)),
            _ => format!("node-{}", self.node),
        }
    }

    /// Sensor of its squares.
    pub(crate) fn sensor(&self) -> SensorKind {
        self.driver().sensor().unwrap_or(SensorKind::Reed)
    }

    fn device(&self, squares: Squares, seed: u64) -> Box<dyn SerialDevice> {
        let reversed = self.reversed;
        match self.maker {
            Maker::Sentio => Box::new(Sentio::new(squares)),
            Maker::Dgt => {
                let conventions = Conventions { reversed, ..Conventions::default() };
                let quirks = DgtQuirks::default();
                Box::new(Dgt::new(squares, DGT_SERIAL, conventions, quirks, seed))
            }
            Maker::ChessLink => Box::new(ChessLink::new(squares, reversed, false)),
            Maker::Certabo => Box::new(Certabo::new(squares, reversed, TagPool::default())),
            Maker::Chessnut => Box::new(Chessnut::new(squares, reversed)),
        }
    }
}

/// The occupied squares under a device, as a bitboard, and the clock beside them.
struct Squares {
    occupied: Arc<AtomicU64>,
    clock: SharedClock,
    now_us: u64,
}

impl Scene for Squares {
    fn run_until(&mut self, now_us: u64) {
        self.now_us = now_us;
    }

    fn piece(&self, square: Square) -> Option<Piece> {
        let occupied = self.occupied.load(Ordering::Relaxed) >> u32::from(square) & 1 == 1;
        occupied.then(|| piece_on(square))
    }

    fn left_us(&self, color: Color) -> u64 {
        with(&self.clock, |clock| clock.left_us(color, self.now_us))
    }

    fn running(&self) -> Option<Color> {
        with(&self.clock, |clock| clock.running(self.now_us))
    }

    fn white_down(&self) -> bool {
        with(&self.clock, |clock| clock.white_down(self.now_us))
    }
}

/// The piece on an occupied square: that of the initial position, and pawns in between.
fn piece_on(square: Square) -> Piece {
    use Role::{Bishop, King, Knight, Pawn, Queen, Rook};
    let back = [Rook, Knight, Bishop, Queen, King, Bishop, Knight, Rook];
    let (rank, file) = (usize::from(square) / 8, usize::from(square) % 8);
    let role = if rank == 0 || rank == 7 { back[file] } else { Pawn };
    let is_white = match rank {
        0 | 1 => true,
        6 | 7 => false,
        _ => file.is_multiple_of(2),
    };
    Piece { color: if is_white { Color::White } else { Color::Black }, role }
}

/// State of a board of another maker besides its squares.
pub(crate) struct Foreign {
    maker: Maker,
    device: Box<dyn SerialDevice>,
    squares: Arc<AtomicU64>,
    /// The clock at it; nobody reads it at most boards.
    clock: SharedClock,
    has_clock: bool,
    /// Whether it is switched on.
    pub(crate) is_on: bool,
    /// Whether bytes of it were garbled: its reports of that time may be anything.
    pub(crate) had_noise: bool,
    /// Every change of a square, in order.
    changes: Vec<Change>,
    /// The squares that are occupied, as the journal has it.
    pub(crate) journalled: Option<u64>,
}

/// A change of a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Change {
    at_us: u64,
    square: u8,
    /// Whether something stands there then.
    is_occupied: bool,
}

impl Foreign {
    /// A board at the beginning, switched off.
    pub(crate) fn new(plan: ForeignPlan, seed: u64) -> Foreign {
        let squares = Arc::new(AtomicU64::new(INITIAL));
        let clock = Arc::new(Mutex::new(LeverClock::new()));
        let (occupied, seen_clock) = (Arc::clone(&squares), Arc::clone(&clock));
        let scene = Squares { occupied, clock: seen_clock, now_us: 0 };
        Foreign {
            maker: plan.maker,
            device: plan.device(scene, seed),
            squares,
            clock,
            has_clock: plan.clock,
            is_on: false,
            had_noise: false,
            changes: Vec::new(),
            journalled: None,
        }
    }

    /// Lets time pass. Without power it forgets what it was asked, and says nothing.
    pub(crate) fn run_until(&mut self, now_us: u64, has_power: bool) {
        self.device.run_until(now_us);
        if !has_power {
            self.device.power_off();
        }
    }

    pub(crate) fn device(&mut self) -> &mut dyn SerialDevice {
        &mut *self.device
    }

    /// Records changes of its squares.
    pub(crate) fn note(&mut self, at_us: u64, before: u64, after: u64) {
        let changed = (0..64).filter(|square| (before ^ after) >> square & 1 == 1);
        let change = |square| Change { at_us, square, is_occupied: after >> square & 1 == 1 };
        self.changes.extend(changed.map(change));
        self.squares.store(after, Ordering::Relaxed);
    }

    /// A hand acts at its clock; `is_heard`: its hub receives that for certain. Returns whether the act changes no square.
    pub(crate) fn act_at_clock(&mut self, now_us: u64, act: Act, is_heard: bool) -> bool {
        with(&self.clock, |clock| clock.act(now_us, act, is_heard));
        matches!(act, Act::Lever | Act::Start | Act::Stop)
    }

    /// The journal has committed a line of this board that was received at `heard_us`, at most `slack_us` after its time.
    pub(crate) fn committed(&mut self, board: BoardId, line: &str, heard_us: u64, slack_us: u64) {
        if let Ok(Line::Reading(reading)) = serde_json::from_str::<Line>(line)
            && reading.board == Some(board)
        {
            self.journalled = after(self.journalled, &reading.kind);
            with(&self.clock, |clock| clock.committed(&reading.kind, heard_us, slack_us));
        }
    }

    /// Whether the journal has its clock's present display.
    pub(crate) fn is_clock_known(&self, now_us: u64) -> bool {
        !self.has_clock || with(&self.clock, |clock| clock.is_known(now_us))
    }
}

/// The occupied squares after a reading.
pub(crate) fn after(occupied: Option<u64>, kind: &ReadingKind) -> Option<u64> {
    let bit = |reading: &SquareReading| u64::from(*reading != SquareReading::Empty);
    match kind {
        ReadingKind::Snapshot { occupied: Some(all), .. } => Some(all.0.0),
        ReadingKind::Snapshot { squares: Some(squares), .. } => {
            Some(squares.iter().enumerate().fold(0, |all, (index, it)| all | bit(it) << index))
        }
        ReadingKind::Square { square, reading: Some(reading), .. } => {
            let index = u32::from(*square);
            occupied.map(|all| all & !(1 << index) | bit(reading) << index)
        }
        _ => occupied,
    }
}
