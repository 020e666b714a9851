//! The squares of another maker's board: the device's numbering, and the true one.
//!
//! A device numbers its squares for life, but a board can be put on the table either way round, and
//! sources disagree on which way some devices count their files. Which way it is shows in the set-up and for some moves
//! after it: the pieces of both sides on their first two ranks say which side of the board is White's, and kings and queens
//! say whether files count from the other end. What was seen is kept, over restarts of the hub too, until a set-up says
//! otherwise.
//!
//! A device that was away keeps nothing for the hub: the first thing said of it afterwards is a gap, and then what
//! all its squares are.

use std::collections::VecDeque;

use proto::link::HubTime;
use readings::{Occupancy, ReadingKind, SquareReading};
use rules::{Bitboard, Color, Piece, Role, Square};
use serde::{Deserialize, Serialize};

use super::{ConnectionState, Output, Unit};

/// What the 64 squares say, from a1 on.
pub(crate) type Squares = [SquareReading; 64];

/// Pieces of a side that must stand on its first two ranks to say which side of the board is its own: as many as
/// there are when a match can still be followed from where it is.
const AT_HOME_MIN: usize = 12;

/// Orientation of the device's squares on the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Orientation {
    /// White sits where the device has its eighth rank.
    pub(super) turned: bool,
    /// The device counts its files from the other end.
    pub(super) mirrored: bool,
}

impl Orientation {
    /// The square of the board that the device calls `square`, and the other way round.
    pub(super) fn square(self, square: Square) -> Square {
        let turned = if self.turned { 63 } else { 0 };
        let mirrored = if self.mirrored { 7 } else { 0 };
        Square::new(u32::from(square) ^ turned ^ mirrored)
    }
}

/// The configured part of [`Orientation`]; the rest is detected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fixed {
    pub(super) turned: Option<bool>,
    pub(super) mirrored: Option<bool>,
}

/// A board and what it has shown.
#[derive(Clone, Debug)]
pub(super) struct Board {
    /// By the device's names of squares; none until all were read.
    squares: Option<Squares>,
    /// Its squares say occupied or not, and no more.
    occupancy_only: bool,
    orientation: Orientation,
    fixed: Fixed,
    /// Pieces have shown how the board lies, in this run of the hub or an earlier one.
    side_known: bool,
    /// Whether files count from the other end, by the kings and queens of this set-up and of the one before: players
    /// exchange the two once, a device does it always.
    files_say: Option<bool>,
    files_said: Option<bool>,
    /// The stored orientation on the hub's disk.
    kept: Option<Orientation>,
    /// Readings were lost; reported before the next.
    gap: bool,
}

impl Board {
    /// A board that knows its pieces.
    pub(super) fn new(fixed: Fixed) -> Board {
        let orientation = Orientation {
            turned: fixed.turned.unwrap_or(false),
            mirrored: fixed.mirrored.unwrap_or(false),
        };
        Board {
            squares: None,
            occupancy_only: false,
            orientation,
            fixed,
            side_known: fixed.turned.is_some(),
            files_say: None,
            files_said: fixed.mirrored,
            kept: None,
            gap: false,
        }
    }

    /// A board that only knows where something stands: how it lies cannot be found out.
    pub(super) fn of_occupancy(turned: bool) -> Board {
        let fixed = Fixed { turned: Some(turned), mirrored: Some(false) };
        Board { occupancy_only: true, ..Board::new(fixed) }
    }

    pub(super) fn orientation(&self) -> Orientation {
        self.orientation
    }

    /// The device has its place, with the text that [`Board::keep`] or [`Board::memory`] stored.
    pub(super) fn admit(&mut self, memory: ConnectionState) {
        let (kept, away) = memory.kept();
        if let Some(orientation) = kept.and_then(|text| serde_json::from_str(&text).ok()) {
            self.recall(orientation);
        }
        self.forget(away);
    }

    /// Forgets the squares. `true` if readings were lost meanwhile.
    pub(super) fn forget(&mut self, lost: bool) {
        self.squares = None;
        self.gap = lost;
    }

    /// Adds the orientation that an earlier run of the hub detected.
    pub(super) fn recall(&mut self, orientation: Orientation) {
        self.orientation.turned = self.fixed.turned.unwrap_or(orientation.turned);
        self.orientation.mirrored = self.fixed.mirrored.unwrap_or(orientation.mirrored);
        self.side_known = true;
        self.files_said = Some(self.orientation.mirrored);
        self.kept = Some(self.orientation);
    }

    /// Its orientation, if that is known.
    fn known_orientation(&self) -> Option<Orientation> {
        let files_known = self.files_say.or(self.files_said).is_some();
        (self.side_known && files_known).then_some(self.orientation)
    }

    /// Its orientation, if it was detected or has changed since the last call.
    pub(super) fn new_orientation(&mut self) -> Option<Orientation> {
        let news =
            self.known_orientation().filter(|&orientation| self.kept != Some(orientation))?;
        self.kept = Some(news);
        self.kept
    }

    /// Stored text of a device that has nothing else to store.
    pub(super) fn memory(&self) -> ConnectionState {
        let text = self
            .known_orientation()
            .and_then(|orientation| serde_json::to_string(&orientation).ok());
        ConnectionState::Met { kept: text }
    }

    /// Readings were lost.
    pub(super) fn lose(&mut self) {
        self.gap = true;
    }

    /// Says what to keep of a device that has nothing else to be kept, if that is news; and its readings.
    pub(super) fn tell(
        &mut self,
        unit: Unit,
        now: HubTime,
        news: Vec<ReadingKind>,
        outputs: &mut VecDeque<Output>,
    ) {
        if let Some(text) =
            self.new_orientation().and_then(|orientation| serde_json::to_string(&orientation).ok())
        {
            outputs.push_back(Output::Persist { unit, text });
        }
        outputs.extend(self.readings(unit, now, news));
    }

    /// Readings to tell, after the gap that is due.
    pub(super) fn readings(
        &mut self,
        unit: Unit,
        now: HubTime,
        news: Vec<ReadingKind>,
    ) -> Option<Output> {
        if news.is_empty() {
            return None;
        }
        let gap = std::mem::take(&mut self.gap).then_some(ReadingKind::Gap { lost: 0 });
        let readings = gap.into_iter().chain(news).map(|kind| (now, kind)).collect();
        Some(Output::Readings { unit, readings, reached: None })
    }

    /// Handles the readings of the device's squares.
    pub(super) fn squares(&self) -> Option<&Squares> {
        self.squares.as_ref()
    }

    /// One of the device's squares changed: what that says. Nothing before all squares were read.
    pub(super) fn set(&mut self, square: Square, says: SquareReading) -> Option<ReadingKind> {
        let known = &mut self.squares.as_mut()?[usize::from(square)];
        if *known == says {
            return None;
        }
        *known = says;
        if self.find_out() {
            return self.snapshot();
        }
        let square = self.orientation.square(square);
        Some(ReadingKind::Square { square, reading: Some(says), level: None })
    }

    /// All of the device's squares at once: a snapshot, if that is news.
    pub(super) fn set_all(&mut self, squares: Squares) -> Option<ReadingKind> {
        if self.squares == Some(squares) {
            return None;
        }
        self.squares = Some(squares);
        self.find_out();
        self.snapshot()
    }

    /// All of the device's squares at once: the changes since the last time, squares that were emptied first; a
    /// snapshot the first time.
    pub(super) fn compare(&mut self, squares: Squares) -> Vec<ReadingKind> {
        let Some(before) = self.squares else { return self.set_all(squares).into_iter().collect() };
        let mut news = Vec::new();
        for emptied in [true, false] {
            for square in Square::ALL {
                let now = squares[usize::from(square)];
                if now != before[usize::from(square)] && (now == SquareReading::Empty) == emptied {
                    news.extend(self.set(square, now));
                }
            }
        }
        news
    }

    /// All squares as they are on the board.
    fn snapshot(&self) -> Option<ReadingKind> {
        let squares = self.squares.as_ref()?;
        let on = |square| squares[usize::from(self.orientation.square(square))];
        if self.occupancy_only {
            let occupied = |square: &Square| on(*square) != SquareReading::Empty;
            let occupied: Bitboard = Square::ALL.into_iter().filter(occupied).collect();
            return Some(ReadingKind::Snapshot {
                occupied: Some(Occupancy(occupied)),
                squares: None,
            });
        }
        Some(ReadingKind::Snapshot {
            occupied: None,
            squares: Some(Square::ALL.into_iter().map(on).collect()),
        })
    }

    /// Takes the orientation from the squares, as far as they show it. Whether that is news.
    fn find_out(&mut self) -> bool {
        let Some(squares) = &self.squares else { return false };
        let Some(turned) = white_side(squares) else {
            self.files_said = self.files_say.take().or(self.files_said);
            return false;
        };
        let before = self.orientation;
        if self.fixed.turned.is_none() {
            self.orientation.turned = turned;
            self.side_known = true;
        }
        if self.fixed.mirrored.is_none()
            && let Some(mirrored) = file_order(squares, self.orientation.turned)
        {
            self.files_say = Some(mirrored);
            if self.files_said.is_none_or(|said| said == mirrored) {
                self.orientation.mirrored = mirrored;
            }
        }
        self.orientation != before
    }
}

/// Whether White sits where the device has its eighth rank, if most pieces stand where they were set up.
fn white_side(squares: &Squares) -> Option<bool> {
    let at_home = |color: Color, turned: bool| {
        let low = color.is_white() != turned;
        let home = |square: &Square| {
            let rank = u32::from(*square) / 8;
            if low { rank < 2 } else { rank >= 6 }
        };
        let own = |square: &Square| matches!(squares[usize::from(*square)], SquareReading::Piece(piece) if piece.color == color);
        Square::ALL.into_iter().filter(home).filter(own).count()
    };
    [false, true].into_iter().find(|&turned| {
        at_home(Color::White, turned) >= AT_HOME_MIN && at_home(Color::Black, turned) >= AT_HOME_MIN
    })
}

/// Whether the device counts its files from the other end, if kings and queens stand where they were set up.
fn file_order(squares: &Squares, turned: bool) -> Option<bool> {
    [false, true].into_iter().find(|&mirrored| {
        let seen = Orientation { turned, mirrored };
        let holds = |square, color, role| {
            squares[usize::from(seen.square(square))] == SquareReading::Piece(Piece { color, role })
        };
        let royal = |color: Color, king, queen| {
            holds(king, color, Role::King) && holds(queen, color, Role::Queen)
        };
        royal(Color::White, Square::E1, Square::D1) && royal(Color::Black, Square::E8, Square::D8)
    })
}

/// Squares of a position's first FEN field, for tests.
#[cfg(test)]
pub(crate) fn squares(placement: &str) -> Squares {
    let mut squares = [SquareReading::Empty; 64];
    for (row, rank) in placement.split('/').enumerate() {
        let mut file = 0;
        for letter in rank.chars() {
            match letter.to_digit(10) {
                Some(skip) => file += skip as usize,
                None => {
                    let piece = Piece::from_char(letter).unwrap();
                    squares[(7 - row) * 8 + file] = SquareReading::Piece(piece);
                    file += 1;
                }
            }
        }
    }
    squares
}

/// The set-up position, for tests.
#[cfg(test)]
pub(super) const SET_UP: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

#[cfg(test)]
mod tests {
    use super::*;

    /// Readings of a device with this orientation, for these true squares.
    fn seen(squares: &Squares, orientation: Orientation) -> Squares {
        let mut seen = [SquareReading::Empty; 64];
        for square in Square::ALL {
            seen[usize::from(orientation.square(square))] = squares[usize::from(square)];
        }
        seen
    }

    fn said(kind: Option<ReadingKind>) -> Vec<SquareReading> {
        match kind {
            Some(ReadingKind::Snapshot { squares: Some(squares), .. }) => squares,
            other => panic!("no snapshot: {other:?}"),
        }
    }

    #[test]
    fn a_set_up_tells_how_the_board_lies() {
        let set_up = squares(SET_UP);
        for turned in [false, true] {
            for mirrored in [false, true] {
                let orientation = Orientation { turned, mirrored };
                let mut board = Board::new(Fixed::default());
                let said = said(board.set_all(seen(&set_up, orientation)));
                assert_eq!(board.orientation(), orientation);
                assert_eq!(said, set_up, "{orientation:?}");
            }
        }
    }

    #[test]
    fn a_board_that_is_put_the_other_way_round_is_noticed_while_it_is_set_up() {
        let turned = Orientation { turned: true, mirrored: false };
        let set_up = seen(&squares(SET_UP), turned);
        let mut board = Board::new(Fixed { turned: None, mirrored: Some(false) });
        board.set_all([SquareReading::Empty; 64]);
        let mut snapshots = 0;
        for square in Square::ALL {
            let news = board.set(square, set_up[usize::from(square)]);
            snapshots += usize::from(matches!(news, Some(ReadingKind::Snapshot { .. })));
        }
        assert_eq!((snapshots, board.orientation()), (1, turned));
    }

    /// The set-up with kings and queens exchanged: the readings of a board that counts its files from the other end.
    const EXCHANGED: &str = "rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR";

    /// The detected direction of files after each of these set-ups, with the board empty between them.
    fn mirrored_after(board: &mut Board, set_ups: &[&str]) -> Vec<bool> {
        let mirrored = set_ups.iter().map(|set_up| {
            board.set_all([SquareReading::Empty; 64]);
            board.set_all(squares(set_up));
            board.orientation().mirrored
        });
        mirrored.collect()
    }

    #[test]
    fn king_and_queen_set_up_wrong_once_do_not_mirror_the_board() {
        let mut board = Board::new(Fixed::default());
        let mirrored = mirrored_after(&mut board, &[SET_UP, EXCHANGED, SET_UP, EXCHANGED]);
        assert_eq!(mirrored, [false; 4]);
    }

    #[test]
    fn a_first_set_up_that_was_wrong_is_outvoted_by_the_next_two_also_after_a_restart() {
        let mut board = Board::new(Fixed::default());
        assert_eq!(mirrored_after(&mut board, &[EXCHANGED]), [true]);
        board.admit(board.memory());
        assert_eq!(mirrored_after(&mut board, &[SET_UP, SET_UP, EXCHANGED]), [true, false, false]);
    }

    #[test]
    fn king_and_queen_that_are_put_right_before_the_game_say_nothing_wrong() {
        let mut board = Board::new(Fixed::default());
        board.set_all(squares(EXCHANGED));
        board.set_all(squares(SET_UP));
        assert_eq!(board.orientation(), Orientation::default());
    }

    #[test]
    fn a_hub_that_starts_after_the_first_moves_still_sees_how_the_board_lies() {
        let moved = squares("r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R");
        for turned in [false, true] {
            for mirrored in [false, true] {
                let orientation = Orientation { turned, mirrored };
                let mut board = Board::new(Fixed::default());
                assert_eq!(
                    said(board.set_all(seen(&moved, orientation))),
                    moved,
                    "{orientation:?}"
                );
            }
        }
    }

    #[test]
    fn a_device_that_leaves_before_it_was_set_up_has_nothing_to_keep() {
        let mut board = Board::new(Fixed::default());
        board.set_all([SquareReading::Empty; 64]);
        let memory = board.memory();
        assert!(matches!(memory, ConnectionState::Met { kept: None }), "{memory:?}");
        board.admit(memory);
        let orientation = Orientation { turned: true, mirrored: true };
        board.set_all(seen(&squares(SET_UP), orientation));
        assert_eq!(board.known_orientation(), Some(orientation));
    }

    #[test]
    fn how_it_lies_is_kept_once_even_if_that_is_the_usual_way_and_a_return_begins_with_a_gap() {
        let mut board = Board::new(Fixed::default());
        let mut outputs = VecDeque::new();
        let unit = Unit::ONLY;
        for placement in ["8/8/8/8/8/8/8/8", SET_UP, SET_UP] {
            let news = board.set_all(squares(placement)).into_iter().collect();
            board.tell(unit, HubTime::ZERO, news, &mut outputs);
        }
        let kept: Vec<_> =
            outputs.iter().filter(|output| matches!(output, Output::Persist { .. })).collect();
        assert_eq!(kept.len(), 1, "{kept:?}");
        outputs.clear();
        board.admit(board.memory());
        let news = board.set_all(squares(SET_UP)).into_iter().collect();
        board.tell(unit, HubTime::ZERO, news, &mut outputs);
        let [Output::Readings { readings, .. }] = outputs.make_contiguous() else {
            panic!("{outputs:?}")
        };
        let [(_, ReadingKind::Gap { .. }), (_, ReadingKind::Snapshot { .. })] = &readings[..]
        else {
            panic!("{readings:?}")
        };
    }

    #[test]
    fn what_the_configuration_fixes_is_not_found_out() {
        let mut board = Board::new(Fixed { turned: Some(false), mirrored: Some(false) });
        board.set_all(seen(&squares(SET_UP), Orientation { turned: true, mirrored: true }));
        assert_eq!(board.orientation(), Orientation::default());
    }

    #[test]
    fn a_comparison_says_what_changed_emptied_squares_first() {
        let mut board = Board::new(Fixed::default());
        board.set_all(squares(SET_UP));
        let news = board.compare(squares("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"));
        let changed: Vec<String> = news
            .iter()
            .map(|kind| match kind {
                ReadingKind::Square { square, .. } => square.to_string(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(changed, ["e2", "e4"]);
    }
}
