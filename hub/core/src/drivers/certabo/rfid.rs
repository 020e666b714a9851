//! Certabo with RFID: every piece carries a tag, and the board sends each square's tag.
//!
//! The piece of each tag is learnt by [calibration](super::learning): while nothing is known, the first set-up that stands
//! still tells the tags of 32 pieces, and of second queens that stand where the makers' manual puts them. They are kept over restarts. A tag
//! that is not known (another set) reads as "something stands here" until a set-up shows what it is: one in which the known tags stand where
//! they belong. All boards of a hub share what they learnt, because a captured piece goes to the other board. A new calibration begins when the configuration asks for it or the kept file is removed.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use proto::link::HubTime;
use readings::{SensorKind, SquareReading};
use rules::{Color, Piece, Role, Square};
use serde::{Deserialize, Serialize};

use super::learning::{Learning, TAG_BYTES, Tag, Tags, tags};
use super::{LINE, RFID_NUMBERS, Reader};
use crate::drivers::board::{Board, Fixed, Orientation, Squares};
use crate::drivers::silence::LastHeard;
use crate::drivers::{BoardSenses, ConnectionState, Device, Driver, LineSettings, Output, Unit};

/// Known tags that must stand where they belong for a set-up to tell unknown ones.
const KNOWN_MIN: usize = 20;
/// Tags that a hub knows: the sets of many tables.
const TAGS_MAX: usize = 4_096;
/// Tags that are kept of one board: several sets.
const KEPT_TAGS_MAX: usize = 256;

/// Settings of a Certabo board's driver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CertaboSettings {
    /// Whether the board lies the other way round; none: detected from the set-up once tags are known.
    pub reversed: Option<bool>,
    /// Forget what was learnt and learn from the next set-up.
    pub calibrate: bool,
}

/// The pieces of all tags that any board of the hub has learnt: a captured piece goes to the other board of its table.
#[derive(Clone, Debug, Default)]
pub struct TagBook(Arc<Mutex<BTreeMap<Tag, Piece>>>);

impl TagBook {
    fn tags(&self) -> MutexGuard<'_, BTreeMap<Tag, Piece>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn piece(&self, tag: Tag) -> Option<Piece> {
        self.tags().get(&tag).copied()
    }

    fn learn(&self, tag: Tag, piece: Piece) {
        let mut tags = self.tags();
        if tags.len() < TAGS_MAX {
            tags.entry(tag).or_insert(piece);
        }
    }
}

/// The stored text of a board.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    /// Under the name that files of earlier releases have.
    #[serde(rename = "lie")]
    orientation: Orientation,
    /// The piece of each tag, written as hexadecimal digits.
    tags: BTreeMap<String, char>,
}

/// The driver of one board.
#[derive(Debug)]
pub(in crate::drivers) struct Rfid {
    settings: CertaboSettings,
    reader: Reader,
    board: Board,
    /// Learnt at this board.
    known: BTreeMap<Tag, Piece>,
    /// Learnt at any board.
    book: TagBook,
    /// The last line.
    last: Option<Box<Tags>>,
    learning: Learning,
    last_heard: LastHeard,
    admitted: bool,
    doubt: Option<String>,
    outputs: VecDeque<Output>,
}

impl Rfid {
    pub(in crate::drivers) fn new(settings: CertaboSettings, book: TagBook) -> Rfid {
        let fixed = Fixed { turned: settings.reversed, mirrored: Some(false) };
        Rfid {
            settings,
            reader: Reader::default(),
            board: Board::new(fixed),
            known: BTreeMap::new(),
            book,
            last: None,
            learning: Learning::default(),
            last_heard: LastHeard::NEVER,
            admitted: false,
            doubt: None,
            outputs: VecDeque::new(),
        }
    }

    fn take(&mut self, now: HubTime, numbers: &[u8]) {
        let unit = Unit::ONLY;
        if numbers.len() != RFID_NUMBERS {
            let other = "this board reports only which squares are occupied: it is a Sentio board, set driver = \"sentio\"";
            self.outputs.push_back(Output::Unusable(other.to_owned()));
            return;
        }
        self.outputs.push_back(Output::Heard(unit));
        if !self.admitted {
            self.outputs.push_back(Output::Present(Device {
                unit,
                id: None,
                firmware: String::new(),
                boot_id: None,
                board: Some(BoardSenses { sensor: SensorKind::PieceId, trays: false }),
                clock: false,
            }));
            return;
        }
        if self.last_heard.note(now) {
            self.board.forget(true);
            self.last = None;
            self.learning.forget();
        }
        let tags = tags(numbers);
        let before = self.last.take();
        self.learning.note(&tags);
        let still = self.learning.still(&tags, |tag| self.book.piece(tag).is_some());
        let learnt = still.into_iter().any(|still| self.learn(&still));
        self.read(now, &tags, before.as_deref());
        let lies_anew = self.board.new_orientation().is_some() && !self.known.is_empty();
        if learnt || lies_anew {
            self.outputs.push_back(Output::Persist { unit, text: self.to_keep() });
        }
        self.last = Some(Box::new(tags));
        self.doubt();
    }

    /// Emits the tags' readings. An unknown tag must be read twice: it may be a misread one. Before the first reading, a line with such
    /// tags tells nothing: squares on which something stands would be told as empty.
    fn read(&mut self, now: HubTime, tags: &Tags, before: Option<&Tags>) {
        let is_first = before.is_none() && self.board.squares().is_none();
        if is_first && tags.iter().flatten().any(|tag| self.book.piece(*tag).is_none()) {
            return;
        }
        let mut squares: Squares = [SquareReading::Empty; 64];
        for square in Square::ALL {
            let index = usize::from(square);
            let Some(tag) = tags[index] else { continue };
            let told = self.board.squares().map_or(SquareReading::Empty, |told| told[index]);
            squares[index] = match self.book.piece(tag) {
                Some(piece) => SquareReading::Piece(piece),
                None if before.is_some_and(|before| before[index] == Some(tag)) => {
                    SquareReading::Occupied
                }
                None => told,
            };
        }
        let news = self.board.compare(squares);
        self.outputs.extend(self.board.readings(Unit::ONLY, now, news));
    }

    /// Learns tags from a set-up that stands still, if this is one. `true` if a tag was new.
    fn learn(&mut self, tags: &Tags) -> bool {
        let turned = self.settings.reversed;
        let lies = [false, true]
            .into_iter()
            .filter(|&orientation| turned.is_none_or(|turned| turned == orientation));
        for turned in lies {
            let orientation = Orientation { turned, mirrored: false };
            let mut set_up = set_up(orientation);
            let queens = second_queens(orientation);
            let is_home = |index: usize| set_up[index].is_some();
            let stands =
                |index: usize| tags[index].is_some() == is_home(index) || queens[index].is_some();
            if !(0..64).all(stands) {
                continue;
            }
            // The manual has both second queens set up: a piece that is on one of their squares alone may be any.
            let has_queens = (0..64).all(|index| queens[index].is_none() || tags[index].is_some());
            for (piece, queen) in set_up.iter_mut().zip(queens).filter(|_| has_queens) {
                *piece = piece.or(queen);
            }
            let belongs = |index: &usize| {
                let known = tags[*index].and_then(|tag| self.book.piece(tag));
                known.is_some() && known == set_up[*index]
            };
            let belong = (0..64).filter(belongs).count();
            let fits = if self.known.is_empty() { !turned } else { belong >= KNOWN_MIN };
            let alone = self.known.is_empty() && self.settings.reversed == Some(turned);
            if !fits && !alone {
                continue;
            }
            let before = self.known.len();
            for (tag, piece) in tags.iter().zip(set_up) {
                if let (Some(tag), Some(piece)) = (*tag, piece)
                    && self.known.len() < KEPT_TAGS_MAX
                {
                    self.book.learn(tag, piece);
                    self.known.entry(tag).or_insert(piece);
                }
            }
            return self.known.len() > before;
        }
        false
    }

    fn to_keep(&self) -> String {
        let hex = |tag: &Tag| tag.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let tags = self.known.iter().map(|(tag, piece)| (hex(tag), piece.char())).collect();
        let kept = Kept { orientation: self.board.orientation(), tags };
        serde_json::to_string(&kept).unwrap_or_default()
    }

    fn recall(&mut self, text: &str) {
        let Ok(kept) = serde_json::from_str::<Kept>(text) else { return };
        let tag = |hex: &str| {
            let mut tag = [0; TAG_BYTES];
            for (index, byte) in tag.iter_mut().enumerate() {
                *byte = u8::from_str_radix(hex.get(index * 2..index * 2 + 2)?, 16).ok()?;
            }
            Some(tag)
        };
        let known = kept.tags.iter().take(KEPT_TAGS_MAX);
        self.known = known
            .filter_map(|(hex, &letter)| Some((tag(hex)?, Piece::from_char(letter)?)))
            .collect();
        for (&tag, &piece) in &self.known {
            self.book.learn(tag, piece);
        }
        if !self.known.is_empty() {
            self.board.recall(kept.orientation);
        }
    }

    /// Says what has to be done while pieces are not known.
    fn doubt(&mut self) {
        let unknown = self.board.squares().map_or(0, |squares| {
            squares.iter().filter(|&&says| says == SquareReading::Occupied).count()
        });
        let doubt = if self.known.is_empty() {
            let missing =
                self.learning.missing(|index| set_up(self.board.orientation())[index].is_some());
            Some(format!(
                "the board's pieces have not been learnt: set them up, White at rank 1, and leave them for five seconds{missing}"
            ))
        } else {
            (unknown > 0).then(|| {
                format!(
                    "{unknown} pieces have tags that are not known: they are learnt when all pieces are set up"
                )
            })
        };
        if doubt != self.doubt {
            self.doubt.clone_from(&doubt);
            self.outputs.push_back(Output::Doubtful { unit: Unit::ONLY, detail: doubt });
        }
    }
}

/// The pieces of the set-up by the device's squares.
fn set_up(orientation: Orientation) -> [Option<Piece>; 64] {
    use Role::{Bishop, King, Knight, Pawn, Queen, Rook};
    let mut pieces = [None; 64];
    let back = [Rook, Knight, Bishop, Queen, King, Bishop, Knight, Rook];
    for (file, role) in (0_u32..).zip(back) {
        for (rank, color, role) in [
            (0, Color::White, role),
            (1, Color::White, Pawn),
            (6, Color::Black, Pawn),
            (7, Color::Black, role),
        ] {
            let square = orientation.square(Square::new(rank * 8 + file));
            pieces[usize::from(square)] = Some(Piece { color, role });
        }
    }
    pieces
}

/// Second queens where the makers' manual has them set up for calibration.
fn second_queens(orientation: Orientation) -> [Option<Piece>; 64] {
    let mut pieces = [None; 64];
    for (square, color) in [(Square::D3, Color::White), (Square::D6, Color::Black)] {
        pieces[usize::from(orientation.square(square))] = Some(Piece { color, role: Role::Queen });
    }
    pieces
}

impl Driver for Rfid {
    fn line(&self) -> LineSettings {
        LINE
    }

    fn set_rate(&mut self, rate: f64) {
        self.last_heard.rate = rate;
    }

    fn opened(&mut self, _now: HubTime) {
        self.reader.reset();
    }

    fn receive(&mut self, now: HubTime, bytes: &[u8]) {
        for numbers in self.reader.receive(bytes, &mut self.outputs) {
            self.take(now, &numbers);
        }
    }

    fn transmit(&mut self, _out: &mut [u8]) -> usize {
        0
    }

    fn poll(&mut self, _now: HubTime) {}

    fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    fn admit(&mut self, _unit: Unit, memory: ConnectionState) {
        let calibrate = self.settings.calibrate && matches!(memory, ConnectionState::New { .. });
        let (kept, away) = memory.kept();
        if let Some(kept) = kept.filter(|_| !calibrate) {
            self.recall(&kept);
        }
        self.board.forget(away);
        self.last = None;
        self.learning.forget();
        self.last_heard.forget();
        self.doubt = None;
        self.admitted = true;
    }

    fn release(&mut self, _unit: Unit) -> ConnectionState {
        self.admitted = false;
        ConnectionState::Met { kept: Some(self.to_keep()) }
    }

    fn silence(&self) -> &'static str {
        "nothing on this port speaks as a Certabo board does: check that the board has power"
    }
}

#[cfg(test)]
#[path = "rfid_tests.rs"]
mod tests;
