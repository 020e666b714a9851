//! ```text
//! stood      = emptied STOOD or longer after its last fill
//! outlasting = changed back more than IN_HAND after its last change
//! passed     = emptied less than DRAG after its last fill, soon after the end: counts as empty at the end
//! at once    = changed at most AT_ONCE after the end
//! soon       = changed among the later events that are known
//! ```
//!
//! The squares of one closed segment: which were emptied and filled, when, and what they did right after it.
//!
//! [`likelihood`](super::likelihood) weighs each of many hypotheses by the same readings. So the
//! readings are condensed to masks and times once, independent of any hypothesis.

use rules::Bitboard;

use crate::hand_times::AT_ONCE_US;
use crate::{
    params::squares::AT_REST_SEGMENTS,
    sensing::{segment::Segment, square_sensor::SquareEvent},
};

/// A dragged piece closes a square on its path for less than this, microseconds. On a square that is
/// closed for a shorter time no piece landed, whether the square opens before a press or after it. Assumed.
pub(crate) const DRAG_US: u64 = 100_000;
/// A square that is closed for this long, microseconds, had a piece standing on it. Assumed.
const STOOD_US: u64 = 300_000;
/// Maximum time for which a piece is held that is touched, nudged or tried on a square, microseconds.
/// A piece that was off its square, or stood on another, for longer was not only in a hand.
/// Assumed.
const IN_HAND_US: u64 = 2_000_000;

/// The squares of one closed segment, independent of any hypothesis.
#[derive(Clone, Debug)]
pub(crate) struct Observation {
    /// Occupied when the segment began.
    pub(crate) before: Bitboard,
    /// Occupied when it ended.
    pub(crate) after: Bitboard,
    /// Changed at least once.
    pub(crate) touched: Bitboard,
    /// Read occupied soon after the segment's end, as far as is known yet.
    pub(crate) filled_soon: Bitboard,
    /// Read occupied within [`AT_ONCE_US`] of the segment's end: hardly anybody can have answered by then.
    pub(crate) filled_at_once: Bitboard,
    /// Read empty soon after the segment's end, as far as is known yet.
    pub(crate) emptied_soon: Bitboard,
    /// Read empty within [`AT_ONCE_US`] of the segment's end: the player who pressed still had a hand there.
    pub(crate) emptied_at_once: Bitboard,
    /// Did not change in the last [`AT_REST_SEGMENTS`] segments before this one.
    pub(super) at_rest: Bitboard,
    /// Became occupied at least once.
    pub(crate) filled: Bitboard,
    /// A piece stood there for [`STOOD_US`] or longer and left again.
    pub(super) stood: Bitboard,
    /// Became empty, or occupied, for longer than a hand keeps a piece that it puts back, and changed back.
    pub(super) outlasting: Bitboard,
    /// Became occupied by the last event: a piece may be on its way across it.
    pub(super) filled_last: Bitboard,
    /// Became empty at least once.
    pub(super) emptied: Bitboard,
    /// Time at which each square was first lifted, microseconds; `u64::MAX` where it never opened.
    pub(super) first_lift: [u64; 64],
    /// Time at which each square was last lifted, and last filled, microseconds; 0 where it was not.
    pub(super) last_lift: [u64; 64],
    pub(super) last_fill: [u64; 64],
    /// Time of the last event, if there was any.
    pub(crate) last_t_us: Option<u64>,
    /// Whether the segment ended because the clock was stopped: nobody completes a ply that was begun.
    pub(crate) stopped: bool,
}

impl Observation {
    /// The first `count` events of a segment as one observation that ended at `end_us`,
    /// microseconds. The later events count as read right after it.
    pub(crate) fn of(segment: &Segment, count: usize, end_us: u64) -> Observation {
        let mut observation = Observation::between(segment, 0, count);
        observation.look_ahead(end_us, segment.events.get(count..).unwrap_or_default());
        observation
    }

    /// The events of a segment from `from` (included) to `to` (excluded) as an observation of their
    /// own, as if the clock had been pressed before and after.
    pub(crate) fn between(segment: &Segment, from: usize, to: usize) -> Observation {
        let to = to.min(segment.events.len());
        let from = from.min(to);
        let mut squares = segment.squares_before_events();
        for event in &segment.events[..from] {
            squares.toggle(event.square);
        }
        // Changes whose events were forgotten belong to the first part.
        let (start, folded) = match from {
            0 => (segment.start, segment.folded),
            _ => (squares, Bitboard::EMPTY),
        };
        let events = &segment.events[from..to];
        let mut observation = Observation {
            before: start,
            after: squares,
            touched: folded | (start ^ squares),
            filled_soon: Bitboard::EMPTY,
            filled_at_once: Bitboard::EMPTY,
            emptied_soon: Bitboard::EMPTY,
            emptied_at_once: Bitboard::EMPTY,
            at_rest: segment.at_rest(AT_REST_SEGMENTS),
            filled: Bitboard::EMPTY,
            stood: Bitboard::EMPTY,
            outlasting: Bitboard::EMPTY,
            filled_last: Bitboard::EMPTY,
            emptied: Bitboard::EMPTY,
            first_lift: [u64::MAX; 64],
            last_lift: [0; 64],
            last_fill: [0; 64],
            stopped: false,
            last_t_us: events.last().map(|event| event.t_us),
        };
        for event in events {
            observation.take(event);
        }
        observation
    }

    /// The squares that read occupied in the end or at some time of the segment.
    pub(crate) fn after_or_filled(&self) -> Bitboard {
        self.after | self.filled
    }

    /// The occupied squares after `count` events of a segment that changed in it.
    pub(crate) fn arrived(segment: &Segment, count: usize) -> Bitboard {
        let closed = Observation::of(segment, count, u64::MAX);
        closed.touched & closed.after
    }

    /// The squares that emptied in `count` events of a segment and stayed empty.
    pub(crate) fn left(segment: &Segment, count: usize) -> Bitboard {
        let closed = Observation::of(segment, count, u64::MAX);
        closed.touched & closed.before & !closed.after
    }

    fn take(&mut self, &SquareEvent { t_us, square, occupied }: &SquareEvent) {
        let (lifted_us, filled_us) =
            (self.last_lift[usize::from(square)], self.last_fill[usize::from(square)]);
        let (changed, changed_us) =
            if occupied { (self.emptied, lifted_us) } else { (self.filled, filled_us) };
        if changed.contains(square) && t_us > changed_us.saturating_add(IN_HAND_US) {
            self.outlasting.add(square);
        }
        self.touched.add(square);
        if occupied {
            self.after.add(square);
            self.filled.add(square);
            self.filled_last = Bitboard::from_square(square);
            self.last_fill[usize::from(square)] = t_us;
        } else {
            if self.filled.contains(square) && t_us >= filled_us.saturating_add(STOOD_US) {
                self.stood.add(square);
            }
            self.after.discard(square);
            self.emptied.add(square);
            self.filled_last = Bitboard::EMPTY;
            self.last_lift[usize::from(square)] = t_us;
            let first = &mut self.first_lift[usize::from(square)];
            *first = (*first).min(t_us);
        }
    }

    /// Adds what the squares did right after the segment, which ended at `end_us`: pieces may still
    /// be settling then.
    pub(crate) fn look_ahead(&mut self, end_us: u64, events: &[SquareEvent]) {
        if self.last_t_us.is_some_and(|last_us| last_us.saturating_add(DRAG_US) < end_us) {
            self.filled_last = Bitboard::EMPTY;
        }
        for (nth, event) in events.iter().enumerate() {
            let &SquareEvent { t_us, square, occupied } = event;
            let at_once = t_us <= end_us.saturating_add(AT_ONCE_US);
            let now = if at_once { Bitboard::from_square(square) } else { Bitboard::EMPTY };
            if occupied {
                self.filled_soon.add(square);
                self.filled_at_once |= now;
            } else if was_passed(&events[..nth], event) {
                self.filled_soon.discard(square);
                self.filled_at_once.discard(square);
            } else {
                self.emptied_at_once |= now;
                let filled = (self.filled & self.after).contains(square);
                if filled && t_us < self.last_fill[usize::from(square)] + DRAG_US {
                    // It was only passed. It counts as open at the segment's end already.
                    self.after.discard(square);
                    self.emptied_soon.discard(square);
                } else {
                    self.emptied_soon.add(square);
                }
            }
        }
    }
}

/// Whether a dragged piece only passed a square that opens now and closed among the events `before`.
fn was_passed(before: &[SquareEvent], emptied: &SquareEvent) -> bool {
    let filled = before.iter().rev().find(|event| event.square == emptied.square);
    filled.is_some_and(|filled| filled.occupied && emptied.t_us < filled.t_us + DRAG_US)
}
