//! The prior of the tracker: how likely each soft rule of play is before anything is read.
//!
//! ```text
//! w(h -> h')       = p(pattern) * p(squares | plies) * p(choice | position, reserve) * p(reserves) * p(trays)
//! choice_speaks(x) = x^(3/4)
//! fourth_root(x)   = x^(1/4)
//! Falling(n)       = 1 for n = 0, otherwise max(first * more^(n - 1), 1e-30)
//! ```
//!
//! `w` is the weight of a transition from hypothesis `h` to `h'` over one closed segment.
//! `p(pattern)` says how the plies relate to the press: [`own_turn`], [`other_turn`], [`stopped`].
//! `p(squares | plies)` has its numbers in [`squares`]. `p(choice | position, reserve)` is the
//! share of a ply among all that its player could have done; its numbers are [`PLY`],
//! [`LAPSE_RATE`] and both powers. `p(reserves)` is the product of the `DEBT` numbers. The numbers
//! of `p(trays)` stand in `state/trays/params.rs`, those of facts and anomalies in the rooms of
//! these.
//!
//! Nothing is impossible at a real table. An illegal ply stands unless somebody claims it, and play
//! goes on from it. A piece is dropped before the capture that supplied it is complete. A clock is
//! pressed twice or not at all. So the rules of play are likelihoods here.
//!
//! Every number is a probability without unit unless its name ends in one. It holds for one segment
//! or for one square. A constant names its source: *Rule* (a topic of the rules), *Assumed* (set by
//! hand from what is known of players; the simulator has a table of behaviours) or *Fitted* (chosen
//! on recorded matches with other hands than those of the report). No number was fitted to a match
//! that accuracy is reported on: other hands play the games of the report.

use readings::TraceHeader;
use rules::{BoardId, IllegalReason, Role, Supply};

/// The boards of a table that have sensors, and the supply of their players.
///
/// Bughouse, chess, and a bughouse table with sensors under one board differ in nothing else for
/// the tracker. The [`Supply`] says what a player may drop and what becomes of a captured piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    /// Whether each board has sensors.
    pub(crate) sensed: [bool; 2],
    /// Source of droppable pieces.
    pub(crate) supply: Supply,
}

impl Setting {
    /// The setting that a trace header states.
    pub(crate) fn of(header: &TraceHeader) -> Setting {
        let sensed = BoardId::ALL.map(|board| header.boards.contains_key(&board));
        Setting { sensed, supply: header.supply() }
    }
}

#[cfg(test)]
impl Setting {
    /// Bughouse with sensors under both boards.
    pub(crate) const BUGHOUSE: Setting = Setting { sensed: [true; 2], supply: Supply::Partner };
}

/// Probability of an average ply: one of about fifty moves and drop squares. The choice of players
/// makes a legal ply likelier or less likely than this. Assumed.
pub(crate) const PLY: f64 = 0.02;
/// The part of all choices that no model of players foresees. In this part, all legal actions are
/// equally likely. The lapse rate keeps a surprise from being impossible. Assumed.
pub(crate) const LAPSE_RATE: f64 = 0.02;
/// The chosen move, or the chosen square of a drop, as evidence: its likelihood to the power of 3/4.
///
/// No model knows all that makes a player choose: likes and oversights are in each choice of that
/// player. A choice that counted in full would count one doubt again with every ply, and the answers
/// at the end of a match would be too sure. The role that was dropped on its square counts in full.
/// Fitted: on recorded matches with other hands than those of the report
/// (`docs/decisions/0009-limits-of-reed-boards.md`).
pub(crate) fn choice_speaks(likelihood: f64) -> f64 {
    let root = libm::sqrt(likelihood);
    root * libm::sqrt(root)
}

/// The power of 1/4, by square roots alone: they give the same bits on every machine.
///
/// The choice between a move and a drop as evidence is its likelihood to this power. A player who
/// likes to drop does so all match long. Fitted: as [`choice_speaks`].
pub(crate) fn fourth_root(x: f64) -> f64 {
    libm::sqrt(libm::sqrt(x))
}

/// Weight of an illegal ply relative to a legal one with the same squares, 0 to 1.
///
/// Assumed, but for 2e-4 of a wrong geometry and 2e-2 of a pawn on a last rank. Fitted: these two,
/// on matches with other hands than those of the report (`docs/decisions/0010-anomalies.md`).
pub(crate) const fn illegal_weight(reason: IllegalReason) -> f64 {
    match reason {
        IllegalReason::KingLeftInCheck => 1e-2,
        IllegalReason::CastlingRightLost
        | IllegalReason::CastlingOutOfCheck
        | IllegalReason::CastlingThroughCheck => 5e-3,
        IllegalReason::BlockedPath
        | IllegalReason::CastlingBlocked
        | IllegalReason::WrongGeometry => 2e-4,
        IllegalReason::PawnDropRank => 2e-2,
        IllegalReason::KingCaptured => 1e-3,
        IllegalReason::PromotionMissing => 1e-4,
        IllegalReason::OwnPieceOnTarget => 1e-6,
        IllegalReason::NoPiece
        | IllegalReason::NotYourPiece
        | IllegalReason::PromotionImpossible
        | IllegalReason::DropOfKing
        | IllegalReason::DropOnOccupied
        | IllegalReason::DropNotInReserve
        | IllegalReason::DropInChess => 1e-8,
    }
}

/// The weight of a wrong geometry, 0 to 1, if the piece lands beside a square that it could have
/// gone to. A hand slips, or a diagonal is taken for the next one. Fitted: as the two numbers of
/// [`illegal_weight`].
pub(crate) const BESIDE_ITS_AIM: f64 = 2e-3;

/// Probability that the next ply of a player puts back the player's own illegal ply, which has been
/// answered: somebody objects, or sees it. Fitted: on recorded matches with other hands than those
/// of the report.
pub(crate) const TAKEN_BACK: f64 = 0.3;
/// Probability that the answer is put back as well, once the illegal ply is. Fitted: as [`TAKEN_BACK`].
pub(crate) const ANSWER_TAKEN_BACK: f64 = 0.8;

/// Probability that a king which was left in check is taken next, as a claim. Assumed: children
/// answer a third of the checks that were ignored so, and mostly overlook the others.
pub(crate) const KING_TAKEN: f64 = 0.3;
/// Odds that the clock is stopped after a king was taken, against after another ply. Assumed:
/// the claim ends the game, and a game has about thirty plies of a side.
pub(crate) const STOPPED_AFTER_KING: f64 = 20.0;

/// Weight of a ply after a game that was over. Assumed: then it was not.
pub(crate) const PLAYS_ON: f64 = 1e-3;

/// Probability that a pawn becomes this role on its last rank, 0 to 1. Assumed.
pub(crate) const fn promotion_weight(role: Role) -> f64 {
    match role {
        Role::Queen => 0.95,
        Role::Knight => 0.03,
        Role::Rook | Role::Bishop => 0.01,
        Role::Pawn | Role::King => 0.0,
    }
}

/// Weight of a drop whose piece is not in the reserve, if its capture may be under way: a piece of
/// that type has been touched at the partner board since the last press there. Assumed.
pub(crate) const DEBT_SUPPORTED: f64 = 0.3;
/// The same where no such capture can be under way. Assumed.
pub(crate) const DEBT_UNSUPPORTED: f64 = 1e-4;
/// Weight of a ply of the supplying player that leaves such a debt as large as it was. Assumed.
pub(crate) const DEBT_UNPAID: f64 = 0.1;

/// King and queen stand swapped on both sides of one board: it lies the wrong way round, or the
/// second player copied the first. Rule: a swapped king and queen stay as they stand once each side
/// has moved. Assumed: the number.
pub(crate) const BOTH_SWAPPED: f64 = 2e-3;
/// The same on both sides of both boards. The same hands set up both boards, so it is much likelier
/// than the product of both boards (`docs/decisions/0023-hands-nobody-tuned-for.md`). Assumed.
pub(crate) const ALL_SWAPPED: f64 = 1e-3;
/// King and queen stand swapped on this side of a board alone. Assumed.
pub(crate) const ONE_SWAPPED: f64 = 3e-4;

/// Patterns of a segment whose presser is the side to move. One ply is the ordinary case, with weight 1.
pub(crate) mod own_turn {
    /// The presser made no ply. Assumed.
    pub(crate) const NO_PLY: f64 = 5e-4;
    /// The same before the first ply: the wrong time was started. Assumed.
    pub(crate) const NO_PLY_AT_START: f64 = 0.05;
    /// Black's time was started first because Black begins: a factor of it. Assumed.
    pub(crate) const BLACK_BEGINS: f64 = 2e-3;
    /// The same where pieces stand out of place. Rule: a player who displaced pieces puts them back
    /// on the own time. Assumed: the number.
    pub(crate) const NO_PLY_DISPLACED: f64 = 0.05;
    /// The same within [`SPRINGS_BACK_US`](crate::hand_times::SPRINGS_BACK_US) of the other player's press: the lever sprang back.
    /// Assumed: once in a hundred presses, and hardly any ply is made in that time.
    pub(crate) const NO_PLY_SPRUNG: f64 = 0.05;
    /// The opponent answered before the press. Assumed.
    pub(crate) const ANSWERED: f64 = 3e-3;
    /// The presser forgot an earlier press: ply, answer, ply. Also the factor of each further
    /// forgotten press. Assumed.
    pub(crate) const MISSED_PRESS: f64 = 6e-3;
    /// The presser puts back the own last ply, although it was answered, and makes another. Assumed.
    pub(crate) const UNDONE: f64 = 1e-4;
}

/// Patterns of a segment whose presser is not the side to move.
pub(crate) mod other_turn {
    /// No ply: the presser's ply was complete before the other's press and is only confirmed now,
    /// or the clock was pressed again. Assumed.
    pub(crate) const NO_PLY: f64 = 0.5;
    /// The side to move forgot its press: ply and answer. Assumed.
    pub(crate) const MISSED_PRESS: f64 = 0.05;
    /// The side to move made a ply and the other side pressed. Assumed.
    pub(crate) const PRESSED_FOR_OTHER: f64 = 2e-3;
    /// The presser moved out of turn. Assumed.
    pub(crate) const OUT_OF_TURN: f64 = 2e-4;
    /// The presser puts back the own last ply on the opponent's time and makes another. Assumed.
    pub(crate) const UNDONE: f64 = 1e-3;
}

/// Patterns of a segment that ends because the clock was stopped, or with the trace.
pub(crate) mod stopped {
    /// No ply was completed after the last press. Assumed.
    pub(crate) const NO_PLY: f64 = 0.7;
    /// A ply without a press: mate is on the board, or the clock was stopped instead. Assumed.
    pub(crate) const ONE_PLY: f64 = 0.3;
    /// A forgotten press, and the last ply after it, for which the lever was down already. Assumed.
    pub(crate) const TWO_PLIES: f64 = 6e-3;
    /// The game had ended without a word, and the players showed plies on the board until the clock
    /// was stopped: as likely as a forgotten press or two. Assumed.
    pub(crate) const SHOWN: f64 = 5e-3;
    /// Probability, by their number, that pieces of the side that moves next are in a hand when the clock is stopped, and are
    /// not put back. Before a press, a piece in hand is the beginning of an answer
    /// ([`EARLY_HAND`](super::squares::EARLY_HAND)). Here nobody completes the answer. Assumed.
    pub(crate) const IN_HAND: super::Falling = super::Falling { first: 3e-3, more: 0.02 };
}

/// Readings of squares while hands are at work. Each number is the probability for one particular
/// square; a [`Falling`] is the probability for a number of squares. All are assumed.
pub(crate) mod squares {
    /// The target of a ply does not read occupied when the segment ends, but did for a moment or
    /// does soon after. Assumed.
    pub(crate) const LATE: f64 = 0.03;
    /// The target of a ply does not read occupied soon after the segment's end either. Assumed.
    pub(crate) const LATE_BEYOND: f64 = 1e-3;
    /// The same if the square did not read the piece that stood there before either, and is at rest
    /// ([`AT_REST_SEGMENTS`]): its contact fails. Fitted: of 0.01, 0.05 and 0.9, on drawn
    /// scholastic hands with boards that all fail, seeds 401 to 408.
    pub(crate) const UNREAD_AT_REST: f64 = 0.05;
    /// The piece of a ply stood on its target for a while, was lifted and was set down there again. Assumed.
    pub(crate) const SET_DOWN_AGAIN: f64 = 0.1;
    /// A captured piece was exchanged too quickly for its square to read empty. Assumed: 30 % of
    /// captures are exchanges on the square, and 5 to 15 % of these are too quick.
    pub(crate) const SWAP_UNSEEN: f64 = 0.03;
    /// A pawn that promotes lies on its side, unseen; or it stands and is seen. One as often as the
    /// other. Assumed.
    pub(crate) const PROMOTED_UNSEEN: f64 = 0.5;
    /// A square that was left still reads occupied, and does not read empty at once after the press. Assumed.
    pub(crate) const STUCK: f64 = 1e-3;
    /// A square on the path of the moving piece closed and opened again. Assumed.
    pub(crate) const DRAGGED: f64 = 0.3;
    /// By its squares, the moved piece was set down before it was lifted. Assumed.
    pub(crate) const OUT_OF_ORDER: f64 = 3e-4;
    /// A difference from the expected squares went away. Assumed.
    pub(crate) const RESOLVED: f64 = 0.9;
    /// A difference from the expected squares stayed for another segment. Assumed.
    pub(crate) const PERSISTS: f64 = 0.1;
    /// The same of a square that has read the same for [`AT_REST_SEGMENTS`]. Nobody puts that piece
    /// right any more: its sensor sticks or is too weak for it. Assumed: the opposite of
    /// [`PERSISTS`].
    pub(crate) const PERSISTS_AT_REST: f64 = 0.9;
    /// Segments after which a square that did not change is at rest. Fitted: of 3, 5 and 8, on
    /// drawn club hands with boards that all fail, seeds 1 to 6.
    pub(crate) const AT_REST_SEGMENTS: u8 = 3;

    /// Probability, by their number, that squares changed and changed back, or closed for a moment, without being part of a
    /// ply. Assumed.
    pub(crate) const RESTORED: super::Falling = super::Falling { first: 2e-3, more: 0.25 };
    /// A piece stood on an empty square for a while, and no ply put it there. Assumed.
    pub(crate) const VISITED: f64 = 1e-4;
    /// Factor for a restored square that was changed for longer than anybody keeps a piece in hand.
    /// A piece that was only touched is back sooner. Assumed.
    pub(crate) const OUTLASTING: f64 = 0.02;
    /// Probability, by their number, that pieces of the other side were lifted once the ply stood: an early hand. Assumed.
    pub(crate) const EARLY_HAND: super::Falling = super::Falling { first: 0.03, more: 0.02 };
    /// Probability, by their number, that pieces of the other side are off the board for another reason. Assumed.
    pub(crate) const LIFTED_BY_OPPONENT: super::Falling =
        super::Falling { first: 2e-3, more: 0.05 };
    /// Probability, by their number, that pieces of the presser are off the board without being part of a ply. Assumed.
    pub(crate) const LIFTED_BY_PRESSER: super::Falling = super::Falling { first: 1e-5, more: 0.1 };
    /// Pieces were knocked over: one event, whatever the number of pieces. Assumed.
    pub(crate) const KNOCK_OVER: f64 = 1e-3;
    /// A knock-over took this particular piece: a factor for each piece that fell. Assumed.
    pub(crate) const KNOCKED_PIECE: f64 = 0.1;
    /// A fallen piece lies on this particular square: a factor for each piece that was not put back
    /// yet. Assumed.
    pub(crate) const ROLLED: f64 = 0.1;
    /// An empty square beside a capture read occupied for a moment: the victim was pushed there. Assumed.
    pub(crate) const PUSHED_ASIDE_AND_LIFTED: f64 = 0.05;
    /// A square that the ply does not concern opened and closed right after the press, or a piece
    /// landed on it before anybody can have answered. Assumed.
    pub(crate) const AFTERSHOCK: f64 = 0.02;
    /// A square beside a capture reads occupied: the victim was pushed there and not lifted yet. Assumed.
    pub(crate) const PUSHED_ASIDE: f64 = 3e-3;
    /// Probability, by their number, that squares read occupied without a piece that should stand there. Assumed.
    pub(crate) const EXTRA: super::Falling = super::Falling { first: 2e-7, more: 0.1 };
}

/// The probability of alike disturbances. The first is rare and each further one less surprising,
/// because knocks and hesitations come in bunches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Falling {
    /// The probability of one.
    pub(crate) first: f64,
    /// The factor of each further one.
    pub(crate) more: f64,
}

impl Falling {
    /// The probability of `n`. Bounded from below, so that no number of disturbances makes a
    /// hypothesis impossible.
    pub(crate) fn of(&self, n: usize) -> f64 {
        let falling = |p: f64, _| (p * self.more).max(1e-30);
        if n == 0 { 1.0 } else { (1..n).fold(self.first, falling) }
    }
}

/// `base` to the power of `n`, by multiplication, so that every machine gets the same bits.
pub(crate) fn power(base: f64, n: usize) -> f64 {
    (0..n).fold(1.0, |product, _| product * base)
}
