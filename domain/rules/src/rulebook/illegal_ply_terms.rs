//! Terms of a book about illegal plies: cost, claimant and window.

/// Terms about illegal plies. All books open the claim when the offender presses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IllegalPlyTerms {
    /// Cost.
    pub costs: IllegalCost,
    /// Claim window.
    pub window: IllegalWindow,
    /// Manner of the claim, beside taking the king.
    pub claimed_by: IllegalClaimedBy,
    /// Whether the order of an illegal-ply claim and a claim on time is ruled.
    pub order_with_flag: bool,
}

/// Cost of a claimed illegal ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IllegalCost {
    /// The game.
    Game,
    /// The position before it is reinstated, with the touched piece to be moved, and the opponent gets time.
    Reinstated {
        /// Added to the opponent's time, in seconds.
        opponent_s: u32,
    },
    /// The same for a player's first one; the second loses the game, or draws it if the opponent could never mate.
    ReinstatedThenGame {
        /// Added to the opponent's time, in seconds.
        opponent_s: u32,
    },
}

/// End of the claim window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IllegalWindow {
    /// The opponent has answered and pressed.
    AnswerPressed,
    /// The opponent has released the piece of the answer.
    AnswerReleased,
    /// While it is one of its player's last moves: so many.
    LastMoves(u8),
    /// The game is over.
    WholeGame,
}

/// Manner of claiming an illegal ply, beside taking the king.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IllegalClaimedBy {
    /// By stopping the clock and saying so.
    StoppingAndSaying,
    /// By stopping the clock.
    Stopping,
    /// By word.
    Saying,
}

/// A move that puts the king beside the other king.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KingBesideKing {
    /// An illegal ply like others.
    Illegal,
    /// An illegal ply; its player loses by claiming the unseen check afterwards.
    ClaimantLoses,
    /// The offender forfeits.
    Forfeits,
}
