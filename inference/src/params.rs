//! What is likely before anything is seen: every soft rule of the tracker with its number, in one place.
//!
//! Nothing is impossible at a real table. Illegal plies happen, stand unless claimed
//! (`us-chess-bughouse-2018 8a`), and play goes on from them; a piece is dropped before the capture
//! that supplied it was completed; a clock is pressed twice or not at all. So the rules of chess are
//! likelihoods here. All numbers are probabilities per segment or per square, set by hand from what
//! is known of players (see the table of behaviours in the simulator) and not fitted to any match
//! that accuracy is reported on; but for how far choices speak, what slips weigh and how often they are taken back, which were chosen on the recorded matches with other
//! hands than those of the report (`docs/decisions/0009-limits-of-reed-boards.md`, `0010-anomalies.md`).

use rules::{IllegalReason, Role};

/// Probability of an average ply: one of about fifty moves and drop squares. What players choose makes
/// a legal ply likelier or less likely than this.
pub(crate) const PLY: f64 = 0.02;
/// The part of all choices that no model of players foresees: each of the legal plies is as likely as
/// any other then. It keeps a surprise from being impossible.
pub(crate) const LAPSE_RATE: f64 = 0.02;
/// How far it speaks which move was made, or on which square a piece was dropped: the likelihood of that to the power of 3/4. What no model
/// knows of a player (what they like, what they overlook) is in all of their choices; counted in full, one doubt would be counted anew
/// with every ply, and answers at the end of a match would be too sure (`docs/decisions/0009-limits-of-reed-boards.md`). Which role was
/// dropped on its square counts in full.
pub(crate) fn choice_speaks(likelihood: f64) -> f64 {
    let root = libm::sqrt(likelihood);
    root * libm::sqrt(root)
}

/// How far it speaks whether a piece was moved or dropped: the likelihood to the power of 1/4. Who likes to drop does so all match long.
pub(crate) fn kind_speaks(likelihood: f64) -> f64 {
    fourth_root(likelihood)
}

/// By roots alone, which are the same bits on every machine.
pub(crate) fn fourth_root(x: f64) -> f64 {
    libm::sqrt(libm::sqrt(x))
}

/// Weight of an illegal ply relative to a legal one with the same squares.
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

/// The same of a piece that goes as it does not move, to a square beside one that it could have gone to: a hand slips, or a diagonal is taken
/// for the next one. This, 2e-4 for such a piece elsewhere and 2e-2 for a pawn on a last rank were chosen on matches with other hands than those of the
/// report (`docs/decisions/0010-anomalies.md`).
pub(crate) const BESIDE_ITS_AIM: f64 = 2e-3;

/// Probability that an illegal ply which has been answered is put back by its player's next one: somebody objects, or sees it.
pub(crate) const TAKEN_BACK: f64 = 0.3;
/// Probability that then the answer is put back too.
pub(crate) const ANSWER_TAKEN_BACK: f64 = 0.8;

/// What a pawn becomes on its last rank.
pub(crate) const fn promotion_weight(role: Role) -> f64 {
    match role {
        Role::Queen => 0.95,
        Role::Knight => 0.03,
        Role::Rook | Role::Bishop => 0.01,
        Role::Pawn | Role::King => 0.0,
    }
}

/// A drop of a piece whose capture at the other board can be in the making: a piece of that type has
/// been touched there and the clock has not been pressed yet.
pub(crate) const DEBT_SUPPORTED: f64 = 0.3;
/// A drop of a piece that is not in the reserve, with no capture in the making.
pub(crate) const DEBT_UNSUPPORTED: f64 = 1e-4;
/// A debt that the next ply of the supplying board has not repaid.
pub(crate) const DEBT_UNPAID: f64 = 0.1;

/// King and queen set up swapped (`us-chess-bughouse-2018 8c`) on both sides of a board: it lies the wrong way
/// round, or the one who was second looked at the other side.
pub(crate) const BOTH_SWAPPED: f64 = 2e-3;
/// Both boards wholly so: the same hands set up both, which makes it much likelier than either by itself would.
pub(crate) const ALL_SWAPPED: f64 = 1e-3;
/// The same on one side alone, for each side.
pub(crate) const ONE_SWAPPED: f64 = 3e-4;

/// The presser is the side to move. One ply is the rule and the rest of the mass.
pub(crate) mod own_turn {
    /// The presser made no ply.
    pub(crate) const NO_PLY: f64 = 5e-4;
    /// The same when pieces of the board stand out of place: the culprit is to restore them.
    pub(crate) const NO_PLY_DISPLACED: f64 = 0.05;
    /// The opponent answered before the press.
    pub(crate) const ANSWERED: f64 = 3e-3;
    /// The presser's earlier press was forgotten: ply, answer, ply.
    pub(crate) const MISSED_PRESS: f64 = 6e-3;
}

/// The presser is not the side to move.
pub(crate) mod other_turn {
    /// The ply was completed before the other's press and is only confirmed now, or the clock was
    /// pressed again.
    pub(crate) const NO_PLY: f64 = 0.5;
    /// The side to move forgot its press.
    pub(crate) const MISSED_PRESS: f64 = 0.05;
    /// The side to move has moved and the other one pressed.
    pub(crate) const PRESSED_FOR_OTHER: f64 = 2e-3;
    /// The presser moved out of turn.
    pub(crate) const OUT_OF_TURN: f64 = 2e-4;
}

/// The segment ends because the clock was stopped, or with the trace.
pub(crate) mod stopped {
    /// Nothing was completed after the last press.
    pub(crate) const NO_PLY: f64 = 0.7;
    /// A ply without a press: mate is on the board, or the clock was stopped instead.
    pub(crate) const ONE_PLY: f64 = 0.3;
    /// A forgotten press, and the last ply after it, for which the lever was down already.
    pub(crate) const TWO_PLIES: f64 = 6e-3;
    /// A piece of the side that moves next is in somebody's hand when the clock is stopped and is not put back. Before a press that is the
    /// beginning of an answer ([`EARLY_HAND`](super::squares::EARLY_HAND)); here the answer would never be completed.
    pub(crate) const IN_HAND: super::Falling = super::Falling::new(3e-3, 0.02);
}

/// What squares read while hands are at work. Each is the probability for one particular square.
pub(crate) mod squares {
    /// The target of a ply does not read occupied yet when the segment ends, and does soon after.
    pub(crate) const LATE: f64 = 0.03;
    /// The target of a ply does not even read occupied soon after the segment's end.
    pub(crate) const LATE_BEYOND: f64 = 1e-3;
    /// The target of a ply reads empty again soon after the segment's end: answered at once.
    pub(crate) const LEFT_SOON: f64 = 0.1;
    /// The piece of a ply stood on its target for a while, was lifted and was set down there again.
    pub(crate) const SET_DOWN_AGAIN: f64 = 0.1;
    /// A captured piece was exchanged so quickly that its square never read empty: 30 % of captures are
    /// exchanges on the square, of which 5 to 15 % are so quick.
    pub(crate) const SWAP_UNSEEN: f64 = 0.03;
    /// A pawn that promotes lies on its side, unseen, or stands and is seen.
    pub(crate) const PROMOTED_UNSEEN: f64 = 0.5;
    /// A promoted piece that lay unseen moves and is seen, or the other way about.
    pub(crate) const PROMOTED_CHANGES: f64 = 0.05;
    /// A promoted piece that lay unseen is seen again without having moved.
    pub(crate) const PROMOTED_REVEALED: f64 = 0.02;
    /// A square that was left still reads occupied when the clock is pressed, and empty at once after: the
    /// press came while the hand was busy with the victim, as one in 20 presses of children does.
    pub(crate) const LIFTED_LATE: f64 = 0.02;
    /// A square that was left still reads occupied.
    pub(crate) const STUCK: f64 = 1e-3;
    /// A square on the way of the moving piece closed and opened again.
    pub(crate) const DRAGGED: f64 = 0.3;
    /// The moved piece was set down before it was lifted, judged by its squares.
    pub(crate) const OUT_OF_ORDER: f64 = 3e-4;
    /// A difference from the expected squares went away.
    pub(crate) const RESOLVED: f64 = 0.9;
    /// A difference from the expected squares stayed for another segment.
    pub(crate) const PERSISTS: f64 = 0.1;
    /// A piece was off the board already, and its owner has pressed without putting it anywhere.
    pub(crate) const STILL_LIFTED: f64 = 5e-3;

    /// Squares that changed and changed back without being part of a ply, or closed for a moment.
    pub(crate) const RESTORED: super::Falling = super::Falling::new(2e-3, 0.25);
    /// A piece stood on an empty square for a while, and no ply put it there.
    pub(crate) const VISITED: f64 = 1e-4;
    /// Such a square had changed for longer than anybody keeps a piece in hand: a piece that was only touched is back sooner.
    pub(crate) const OUTLASTING: f64 = 0.02;
    /// Pieces of the side that does not press that were lifted once the ply stood: an early hand.
    pub(crate) const EARLY_HAND: super::Falling = super::Falling::new(0.03, 0.02);
    /// Pieces of the side that does not press that are off the board for another reason.
    pub(crate) const LIFTED_BY_OPPONENT: super::Falling = super::Falling::new(2e-3, 0.05);
    /// Pieces of the presser that are off the board without being part of a ply.
    pub(crate) const LIFTED_BY_PRESSER: super::Falling = super::Falling::new(1e-5, 0.1);
    /// Pieces were knocked over.
    pub(crate) const KNOCK_OVER: f64 = 1e-3;
    /// Within this time, microseconds, all of them fall.
    pub(crate) const FALL_TOGETHER_US: u64 = 300_000;
    /// That it was one particular piece, for each of them.
    pub(crate) const KNOCKED_PIECE: f64 = 0.1;
    /// That it lies on one particular square, for each that was not put back yet.
    pub(crate) const ROLLED: f64 = 0.1;
    /// An empty square beside a capture was occupied for a moment: the victim was pushed there.
    pub(crate) const PUSHED_ASIDE_AND_LIFTED: f64 = 0.05;
    /// So long after the piece that took it has landed, microseconds, at most, a victim that was pushed aside comes to rest: what
    /// stands beside a capture later than that was put there.
    pub(crate) const PUSHED_WITHIN_US: u64 = 300_000;
    /// A square that the ply does not concern opened and closed right after the press, or a piece landed
    /// on it before anybody can have answered.
    pub(crate) const AFTERSHOCK: f64 = 0.02;
    /// A square beside a capture reads occupied: the victim was pushed there and not lifted yet.
    pub(crate) const PUSHED_ASIDE: f64 = 3e-3;
    /// Pieces of the presser lifted once its ply stood: the opponent captures before the press.
    pub(crate) const VICTIM_LIFTED_EARLY: super::Falling = super::Falling::new(1e-3, 0.01);
    /// Squares that read occupied without a piece that should stand there.
    pub(crate) const EXTRA: super::Falling = super::Falling::new(2e-7, 0.1);
}

/// The probability of `n` alike disturbances: the first is rare, each further one less surprising,
/// because knocks and hesitations come in bunches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Falling {
    table: [f64; 65],
}

impl Falling {
    /// `first` for one, multiplied by `more` for each further one.
    pub(crate) const fn new(first: f64, more: f64) -> Falling {
        let mut table = [1.0; 65];
        table[1] = first;
        let mut n = 2;
        while n < 65 {
            // Bounded from below, so that no number of disturbances makes a hypothesis impossible.
            let next = table[n - 1] * more;
            table[n] = if next < 1e-30 { 1e-30 } else { next };
            n += 1;
        }
        Falling { table }
    }

    /// The probability of `n`, at most 64.
    pub(crate) const fn of(&self, n: usize) -> f64 {
        self.table[if n > 64 { 64 } else { n }]
    }
}

/// `base` to the power of `n`, by multiplication, so that every machine gets the same bits.
pub(crate) fn power(base: f64, n: usize) -> f64 {
    (0..n).fold(1.0, |product, _| product * base)
}
