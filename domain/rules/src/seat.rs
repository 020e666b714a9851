//! Four seats, two teams, and the way of captured pieces.

use shakmaty::Color;

use crate::BoardId;

/// One player's place: a side of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seat {
    /// The board the player plays at.
    pub board: BoardId,
    /// The colour of the player's pieces.
    pub color: Color,
}

impl Seat {
    /// The four seats: White and Black at A, then White and Black at B.
    pub const ALL: [Seat; 4] = [
        Seat { board: BoardId::A, color: Color::White },
        Seat { board: BoardId::A, color: Color::Black },
        Seat { board: BoardId::B, color: Color::White },
        Seat { board: BoardId::B, color: Color::Black },
    ];

    /// The seat of the partner: the other colour at the other board. A player's captures go to the partner's reserve.
    #[must_use]
    pub const fn partner(self) -> Seat {
        Seat { board: self.board.other(), color: self.color.other() }
    }

    /// The seat across the same board.
    #[must_use]
    pub const fn opponent(self) -> Seat {
        Seat { board: self.board, color: self.color.other() }
    }

    /// The player's team.
    #[must_use]
    pub const fn team(self) -> Team {
        match (self.board, self.color) {
            (BoardId::A, Color::White) | (BoardId::B, Color::Black) => Team::One,
            (BoardId::A, Color::Black) | (BoardId::B, Color::White) => Team::Two,
        }
    }

    /// Position in [`Seat::ALL`]: 0 to 3.
    #[must_use]
    pub const fn index(self) -> usize {
        self.board.index() * 2
            + match self.color {
                Color::White => 0,
                Color::Black => 1,
            }
    }
}

/// One of the two teams of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Team {
    /// White at A and Black at B.
    One,
    /// Black at A and White at B.
    Two,
}

impl Team {
    /// The other team.
    #[must_use]
    pub const fn other(self) -> Team {
        match self {
            Team::One => Team::Two,
            Team::Two => Team::One,
        }
    }
}
