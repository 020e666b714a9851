//! Two boards and four reserves: the state of one match, or of one game on board A.

use shakmaty::{Color, Piece};

use crate::{
    BoardId, BoardState, Game, IllegalReason, Played, Ply, Position, Reserve, Seat, Supply,
};

/// Current state of a match of two boards. A game of chess is played on board A; board B then stays as it was set up.
///
/// Equality and hashing compare what the future depends on, as for [`Position`]: positions,
/// reserves and supply, but no counters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Match {
    positions: [Position; 2],
    reserves: [Reserve; 4],
    supply: Supply,
}

impl Match {
    /// Bughouse: both boards in the initial position, nothing in reserve.
    #[must_use]
    pub fn initial() -> Match {
        Match::default()
    }

    /// Chess on board A, in the initial position.
    #[must_use]
    pub fn chess() -> Match {
        Match::initial().with_supply(Supply::Nobody)
    }

    /// Bughouse of which only one board has sensors, in the initial position.
    #[must_use]
    pub fn half_sensed() -> Match {
        Match::initial().with_supply(Supply::Unseen)
    }

    /// A bughouse match with these positions (A, B) and reserves (in the order of [`Seat::ALL`]).
    #[must_use]
    pub const fn new(positions: [Position; 2], reserves: [Reserve; 4]) -> Match {
        Match { positions, reserves, supply: Supply::Partner }
    }

    /// The same match with droppable pieces from `supply`.
    #[must_use]
    pub const fn with_supply(mut self, supply: Supply) -> Match {
        self.supply = supply;
        self
    }

    /// Source of droppable pieces.
    #[must_use]
    pub const fn supply(&self) -> Supply {
        self.supply
    }

    /// The game that is played.
    #[must_use]
    pub const fn game(&self) -> Game {
        if self.supply.has_partner() { Game::Bughouse } else { Game::Chess }
    }

    /// The position of a board.
    #[must_use]
    pub const fn position(&self, board: BoardId) -> &Position {
        &self.positions[board.index()]
    }

    /// The position of a board, to be changed.
    pub const fn position_mut(&mut self, board: BoardId) -> &mut Position {
        &mut self.positions[board.index()]
    }

    /// A player's reserve.
    #[must_use]
    pub const fn reserve(&self, seat: Seat) -> &Reserve {
        &self.reserves[seat.index()]
    }

    /// A player's reserve, to be changed.
    pub const fn reserve_mut(&mut self, seat: Seat) -> &mut Reserve {
        &mut self.reserves[seat.index()]
    }

    /// The seat whose turn it is at a board.
    #[must_use]
    pub const fn seat_to_move(&self, board: BoardId) -> Seat {
        Seat { board, color: self.position(board).turn() }
    }

    /// Every legal ply at a board, into `out`, whose former contents are dropped.
    pub fn legal_plies(&self, board: BoardId, out: &mut Vec<Ply>) {
        let reserve = self.reserve(self.seat_to_move(board));
        self.position(board).legal_plies(&self.supply.droppable(reserve), out);
    }

    /// Reason why a ply is illegal at a board; `None` if it is legal.
    #[must_use]
    pub fn illegality(&self, board: BoardId, ply: Ply) -> Option<IllegalReason> {
        self.position(board).illegality(ply, self.reserve(self.seat_to_move(board)), self.supply)
    }

    /// State of the side to move at a board.
    #[must_use]
    pub fn state(&self, board: BoardId) -> BoardState {
        self.position(board).state(self.reserve(self.seat_to_move(board)), self.supply)
    }

    /// Gives the turn at a board to `color`: for play out of turn.
    pub fn set_turn(&mut self, board: BoardId, color: Color) {
        let position = self.position_mut(board);
        *position = std::mem::take(position).with_turn(color);
    }

    /// Applies a ply as it happened, legal or not (see [`Position::play`]).
    ///
    /// A dropped piece comes from the mover's reserve, into debt if need be. A captured piece goes to the player of its colour at the
    /// other board, who is the mover's partner. After an illegal capture of an own piece that player is the partner's opponent, the
    /// only one who can use it. A drop from an [unseen](Supply::Unseen) supply removes nothing: the reserve was unknown. In chess no
    /// reserve changes.
    pub fn play(&mut self, board: BoardId, ply: Ply) -> Played {
        if let Ply::Drop { role, .. } = ply
            && self.supply == Supply::Partner
        {
            let seat = self.seat_to_move(board);
            self.reserve_mut(seat).take(role);
        }
        let supply = self.supply;
        let played = self.position_mut(board).play_with(ply, supply);
        if let Some(captured) = played.captured
            && let Some(role) = captured.role_to_reserve
        {
            let Piece { color, .. }: Piece = captured.piece;
            self.reserve_mut(Seat { board: board.other(), color }).add(role);
        }
        played
    }

    /// Pieces of one colour on the boards and in the reserves, over both boards: constant throughout a match, whatever is
    /// played. Kings are not counted.
    #[must_use]
    pub fn material(&self, color: Color) -> Reserve {
        let mut counts = [0i8; 5];
        for board in BoardId::ALL {
            let on_board = *self.position(board).material().get(color);
            for part in [on_board, *self.reserve(Seat { board, color })] {
                for (count, more) in counts.iter_mut().zip(part.counts()) {
                    *count = count.saturating_add(more);
                }
            }
        }
        Reserve::from_counts(counts)
    }
}
