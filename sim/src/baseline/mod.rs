//! Baseline: a hobby reed board with the same readings, the yardstick for the tracker.
//!
//! Home-made electronic boards keep one position and, when the clock is pressed, take the one legal
//! move that leads to the squares they see. This is that, done as well as it can be without keeping
//! more than one position, so that the comparison is fair:
//!
//! - two boards share the reserves: what is captured on one may be dropped on the other;
//! - a press that changed nothing, or by the player whose turn it is not, is passed over;
//! - several captures by one piece leave the same squares occupied: the one whose target square said
//!   something since the last ply is taken, as hobby boards do by watching the victim leave;
//! - promotion makes a queen;
//! - a drop whose role the reserve leaves open is taken for the role of which the reserve holds most, the
//!   cheapest of several. The board has no way to notice that this was wrong before a later ply fits
//!   nothing.
//!
//! When no legal ply fits, or several with different squares do, the board has lost the game and
//! stops: it has no second position to go on from. The other board goes on, and is no longer supplied.
//!
//! Every answer is final at once and stated with certainty, since such boards know no doubt.

#[cfg(test)]
mod tests;

use readings::{
    Alternative, InferredLine, InferredPly, LiveAnswer, Reading, ReadingKind, SquareReading,
};
use rules::{Bitboard, BoardId, Color, Match, Ply, Position, Reserve, Role, Square};

/// Follows a match through its readings; returns the plies in order of completion.
///
/// Only occupancy is read: squares that tell a level alone (hall boards with magnitude) say nothing to
/// a hobby board.
#[must_use]
pub fn track(readings: &[Reading]) -> Vec<InferredLine> {
    let mut table = HobbyTable {
        position: Match::initial(),
        boards: [HobbyBoard::default(), HobbyBoard::default()],
        plies: Vec::new(),
    };
    for reading in readings {
        let Some(board) = reading.board else { continue };
        match &reading.kind {
            ReadingKind::Snapshot { occupied, squares } => {
                let seen = match (occupied, squares) {
                    (Some(occupied), _) => Some(occupied.0),
                    (None, Some(squares)) => Some(occupied_of(squares)),
                    (None, None) => None,
                };
                table.boards[board.index()].see(seen);
            }
            ReadingKind::Square { square, reading: Some(reading), .. } => {
                table.boards[board.index()].see_square(*square, *reading);
            }
            ReadingKind::Press { by } => table.press(board, *by, reading.t_us),
            _ => {}
        }
    }
    table.plies.into_iter().map(InferredLine::Ply).collect()
}

/// Occupied squares of 64 readings from a1.
fn occupied_of(squares: &[SquareReading]) -> Bitboard {
    let occupied = Square::ALL
        .into_iter()
        .zip(squares)
        .filter(|&(_, &reading)| reading != SquareReading::Empty)
        .map(|(square, _)| square);
    occupied.collect()
}

/// State of one board.
struct HobbyBoard {
    occupied: Bitboard,
    /// Squares that changed since the last ply.
    touched: Bitboard,
    /// Whether it still follows the game.
    follows: bool,
}

impl Default for HobbyBoard {
    fn default() -> HobbyBoard {
        HobbyBoard {
            occupied: Position::initial().occupied(),
            touched: Bitboard::EMPTY,
            follows: true,
        }
    }
}

impl HobbyBoard {
    fn see(&mut self, seen: Option<Bitboard>) {
        if let Some(seen) = seen {
            self.touched |= self.occupied ^ seen;
            self.occupied = seen;
        }
    }

    fn see_square(&mut self, square: Square, reading: SquareReading) {
        self.touched.add(square);
        match reading {
            SquareReading::Empty => self.occupied.discard(square),
            _ => self.occupied.add(square),
        }
    }
}

/// Both boards and what has been taken for played.
struct HobbyTable {
    position: Match,
    boards: [HobbyBoard; 2],
    plies: Vec<InferredPly>,
}

impl HobbyTable {
    fn press(&mut self, board: BoardId, by: Color, t_us: u64) {
        let position = self.position.position(board);
        let seen = &mut self.boards[board.index()];
        if !seen.follows || by != position.turn() || seen.occupied == position.occupied() {
            return;
        }
        let reserve = *self.position.reserve(self.position.seat_to_move(board));
        let Some(ply) = fitting_ply(position, &reserve, seen) else {
            seen.follows = false;
            return;
        };
        seen.touched = Bitboard::EMPTY;
        self.position.play(board, ply);
        self.plies.push(InferredPly {
            n: self.plies.len() as u32 + 1,
            board,
            side: by,
            t_us,
            uci: ply,
            p: 1.0,
            legal: true,
            alternatives: Vec::new(),
            live: Some(LiveAnswer { uci: ply, p: 1.0, t_us }),
            lag8: Some(Alternative { uci: ply, p: 1.0 }),
        });
    }
}

/// The legal ply after which the board would look as it does; none when its squares are not certain.
fn fitting_ply(position: &Position, reserve: &Reserve, seen: &HobbyBoard) -> Option<Ply> {
    let mut legal = Vec::new();
    position.legal_plies(reserve, &mut legal);
    let mut fits: Vec<Ply> = legal
        .into_iter()
        .filter(|&ply| {
            let mut after = position.clone();
            after.play(ply);
            after.occupied() == seen.occupied
        })
        .collect();
    let one_way = |fits: &[Ply]| {
        fits.iter().all(|ply| (ply.from(), ply.to()) == (fits[0].from(), fits[0].to()))
    };
    if !one_way(&fits) {
        fits.retain(|ply| seen.touched.contains(ply.to()));
    }
    if !one_way(&fits) {
        return None;
    }
    fits.into_iter().max_by_key(|&ply| preference(ply, reserve))
}

/// Preference among plies on the same squares, higher first.
fn preference(ply: Ply, reserve: &Reserve) -> (i8, i8) {
    match ply {
        Ply::Drop { role, .. } => (reserve.count(role), -(role as i8)),
        Ply::Move { promotion, .. } => (i8::from(promotion == Some(Role::Queen)), 0),
    }
}
