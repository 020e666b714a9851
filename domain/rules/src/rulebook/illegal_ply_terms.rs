//! What a book says of illegal plies: what they cost, who may claim them and until when.

/// What an illegal ply costs and until when it can be claimed. All books open the claim when the offender presses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IllegalPlyTerms {
    /// What it costs.
    pub costs: IllegalCost,
    /// Until when it can be claimed.
    pub window: IllegalWindow,
    /// How it is claimed, beside taking the king.
    pub claimed_by: IllegalClaimedBy,
    /// Whether the order of an illegal-ply claim and a claim on time is ruled.
    pub order_with_flag: bool,
}

/// What a claimed illegal ply costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IllegalCost {
    /// The game.
    Game,
    /// The position before it is reinstated, with the touched piece to be moved, and the opponent gets time.
    Reinstated {
        /// Added to the opponent's time, in seconds.
        opponent_s: u32,
    },
}

/// Until when an illegal ply can be claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IllegalWindow {
    /// Until the opponent has answered and pressed.
    AnswerPressed,
    /// Until the opponent has released the piece of the answer.
    AnswerReleased,
    /// While it is one of its player's last moves: so many.
    LastMoves(u8),
}

/// How an illegal ply is claimed, beside taking the king.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IllegalClaimedBy {
    /// By stopping the clock and saying so.
    StoppingAndSaying,
    /// By stopping the clock.
    Stopping,
    /// By saying so.
    Saying,
}

/// A move that puts the king beside the other king.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KingBesideKing {
    /// An illegal ply like others.
    Illegal,
    /// An illegal ply; whoever makes it and then claims the unseen check loses.
    ClaimantLoses,
    /// The offender forfeits.
    Forfeits,
}
