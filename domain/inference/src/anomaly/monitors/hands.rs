//! ```text
//! r = (OTHER_HANDS + Σ confidence of clock-hand) / (PRESSES + number of presses learnt from)
//! ```
//!
//! Evidence of the hands of a match beside its plies: the changes of squares, trays and clock
//! sensors, board by board, and the detectors that need them. `r` is the rate of presses by the
//! other hand.
//!
//! A segment is judged again whenever the belief about its plies changes. Players' hands are learnt
//! from each segment once, when it is judged first, and only if its last ply is the presser's and
//! was seen to land before the press.

use std::collections::BTreeMap;

use readings::{HandFrom, TraceHeader};
use rules::{
    BoardId, ByColor, Color, Ply, Position, Seat,
    rulebook::{BookId, terms::Hands as BookHands},
};

use crate::{
    anomaly::{
        detectors::{
            clock_hand, displaced_pieces, double_press, early_pass, early_press, hidden_piece,
            missed_press, out_of_turn, press_after_displacing, press_without_move, touch_move,
        },
        findings::finding::Finding,
        hands::{pace::Pace, reach_time::ReachTimes, touch_habits::TouchHabits},
        segments::{
            context::DetectorContext,
            judged_segments::{JudgedSegment, JudgedSegments},
            moments,
            square_history::SquareHistory,
        },
        trays::matching::{Capture, EARLY_FROM_US, Passing, TrayPiece},
    },
    answers::{marginals::SegmentEstimate, published_plies::Moments},
    proposal::closed_segment::ClosedSegment,
    sensing::{hand_at_clock::HandAtClock, placing::Lie, square_sensor::SquareEvent},
    trellis::Layer,
};

/// Time before a segment for which its changes must be known to judge it again, microseconds.
/// Bound: detectors look back by less than 2 s.
const LOOKBACK_US: u64 = 10_000_000;

/// One board.
#[derive(Clone, Debug, Default)]
struct OfBoard {
    history: SquareHistory,
    hands: ReachTimes,
    /// The last press, or the beginning of play, microseconds.
    press_us: Option<u64>,
    /// Each player's hand at the clock.
    at_clock: ByColor<HandAtClock>,
    hands_seen: bool,
    /// Whether its position was changed without a ply since the last segment.
    put_right: bool,
}

/// A captured piece that was reported as hidden.
#[derive(Clone, Debug)]
struct Hidden {
    /// The owner.
    seat: Seat,
    /// Time at which the segment of its capture began, microseconds: the finding rests on every change of
    /// the tray since then.
    begun_us: u64,
    finding: Finding,
}

impl Hidden {
    /// Whether both are about the same capture.
    fn is_same(&self, other: &Hidden) -> bool {
        (self.seat, self.finding.t_us) == (other.seat, other.finding.t_us)
    }
}

/// The state of a match's hands, and the segments they are judged by.
#[derive(Clone, Debug)]
pub(crate) struct HandMonitor {
    boards: [OfBoard; 2],
    segments: JudgedSegments,
    /// The tray of each seat that has one, in the order of [`Seat::ALL`].
    trays: [Option<Passing>; 4],
    /// Pieces that were reported as hidden.
    hidden: Vec<Hidden>,
    /// Time of the last search for hidden pieces, microseconds.
    looked_us: u64,
    /// The first layer that the hands have not been learnt from.
    unlearnt: usize,
    both_hands_when_castling: bool,
    /// Time for which players hold pieces that they do not move.
    touch_habits: TouchHabits,
    /// Presses, and the expected number of them by the other hand; both begin with the prior.
    presses: f64,
    other_hands: f64,
}

impl HandMonitor {
    /// Before a match.
    pub(crate) fn new(header: &TraceHeader) -> HandMonitor {
        let has_partner = header.supply().has_partner();
        let has_tray = |seat: Seat| {
            has_partner && header.boards.get(&seat.board).is_some_and(|board| board.trays)
        };
        let book = header.rulebook.parse::<BookId>();
        let one_hand = |book: BookId| book.book().terms.hands == BookHands::OneAlways;
        HandMonitor {
            boards: Default::default(),
            segments: JudgedSegments { kept: BTreeMap::new(), supply: header.supply() },
            trays: Seat::ALL.map(|seat| has_tray(seat).then(Passing::default)),
            hidden: Vec::new(),
            looked_us: 0,
            unlearnt: 0,
            presses: clock_hand::PRESSES,
            other_hands: clock_hand::OTHER_HANDS,
            // An unknown book is thought to allow both.
            both_hands_when_castling: !book.is_ok_and(one_hand),
            touch_habits: TouchHabits::new(Pace::of(header)),
        }
    }

    /// A square has changed.
    pub(crate) fn square(&mut self, board: BoardId, event: SquareEvent) {
        self.boards[board.index()].history.note(event);
    }

    /// A slot of a seat's tray was filled or emptied.
    pub(crate) fn tray(&mut self, seat: Seat, t_us: u64, filled: bool) {
        if let Some(passing) = &mut self.trays[seat.index()] {
            passing.slot(t_us, filled);
        }
    }

    /// Play has begun on a board.
    pub(crate) fn start(&mut self, board: BoardId, t_us: u64) {
        self.boards[board.index()].press_us.get_or_insert(t_us);
    }

    /// The position of `board` was changed without a ply.
    pub(crate) fn put_right(&mut self, board: BoardId) {
        self.boards[board.index()].put_right = true;
    }

    /// Sets the orientation of board and clock, which is now settled.
    pub(crate) fn lies(&mut self, board: BoardId, lie: Lie) {
        let of_board = &mut self.boards[board.index()];
        of_board.history.put_right(lie.turn);
        if lie.clock_turned {
            let ByColor { white, black } = &mut of_board.at_clock;
            std::mem::swap(white, black);
        }
    }

    /// A hand has come near a sensor of the clock, or left it. Returns whether a hand is near by any
    /// of the player's sensors now.
    pub(crate) fn hand(
        &mut self,
        board: BoardId,
        t_us: u64,
        side: Color,
        (near, from): (bool, Option<HandFrom>),
    ) -> bool {
        let of_board = &mut self.boards[board.index()];
        of_board.hands_seen = true;
        of_board.at_clock[side].read(t_us, near, from);
        of_board.at_clock[side].since_us.is_some()
    }

    /// The layers before this index are closed for good: they are not judged again.
    pub(crate) fn forget_before(&mut self, layer: usize) {
        self.segments.forget_before(layer);
    }

    /// A segment is about to become `layer`. `position` was the likeliest one of its board before it.
    pub(crate) fn close(&mut self, layer: usize, closed: &ClosedSegment, position: Position) {
        let ClosedSegment { board, presser, t_us, .. } = *closed;
        let of_board = &mut self.boards[board.index()];
        let context = JudgedSegment {
            board,
            begun_us: of_board.press_us.replace(t_us).unwrap_or(t_us),
            press: presser.map(|presser| (presser, t_us)),
            position,
            near_since_us: presser.and_then(|by| of_board.at_clock[by].since_us),
            seen_from: presser.and_then(|by| of_board.at_clock[by].seen_from),
            hands_seen: of_board.hands_seen,
            goes_on: !std::mem::take(&mut of_board.put_right),
            plies: Vec::new(),
            bare: 0.0,
        };
        self.segments.kept.insert(layer, context);
    }

    /// The findings about hands in a layer, given the present belief about its plies, and the
    /// moments of these.
    pub(crate) fn judge(
        &mut self,
        index: usize,
        layer: &Layer,
        answer: &SegmentEstimate,
    ) -> (Vec<Finding>, Vec<Moments>) {
        self.segments.believe(index, answer);
        self.believe(index, layer, answer);
        let mut findings = self.passed_early(index, layer, answer);
        let Some(segment) = self.segments.kept.get(&index) else { return Default::default() };
        let OfBoard { history, hands, .. } = &mut self.boards[layer.board.index()];
        let context = DetectorContext {
            index,
            layer,
            answer,
            segment,
            presses: self.segments.presses_around(index, segment.board),
            history,
            hands,
            trays: &self.trays,
            both_hands_when_castling: self.both_hands_when_castling,
            other_hand_rate: self.other_hands / self.presses,
        };
        findings.extend(double_press::double_press(context));
        findings.extend(press_without_move::press_without_move(context));
        findings.extend(missed_press::missed_press(context));
        findings.extend(out_of_turn::out_of_turn(context));
        findings.extend(early_press::early_press(context));
        findings.extend(touch_move::touch_moves(context, &mut self.touch_habits));
        findings.extend(displaced_pieces::displaced_pieces(context));
        findings.extend(press_after_displacing::press_after_displacing(context));
        let other_hand = clock_hand::clock_hand(context);
        let by_other_hand = other_hand.as_ref().map_or(0.0, |finding| finding.confidence);
        findings.extend(other_hand);
        let moments = moments::moments(context);
        if index >= self.unlearnt {
            self.unlearnt = index + 1;
            let carried = context.carried().map(|(ply, carried)| (ply.side, carried));
            if let Some((player, carried)) = carried {
                hands.learn(player, carried);
                self.presses += 1.0;
                self.other_hands += by_other_hand;
            }
        }
        (findings, moments)
    }

    /// Whether all readings that [`judge`](Self::judge) looks at in a layer are still known. If
    /// not, the findings of that layer cannot be made again, and are not refuted by that.
    pub(crate) fn remembers(&self, index: usize, board: BoardId) -> bool {
        let Some(segment) = self.segments.kept.get(&index) else { return false };
        let since_us = segment.begun_us.saturating_sub(LOOKBACK_US);
        let into_trays = Color::ALL.map(|color| Seat { board, color }.partner());
        let mut trays = into_trays.iter().filter_map(|seat| self.trays[seat.index()].as_ref());
        self.boards[board.index()].history.remembers(since_us)
            && trays.all(|tray| tray.remembers(segment.begun_us))
    }

    /// Time at which time alone may show that a captured piece is hidden, microseconds.
    pub(crate) fn deadline_us(&self) -> Option<u64> {
        let captures = self.trays.iter().flatten().flat_map(Passing::captures);
        let due = captures.filter(|capture| hidden_piece::due_us(capture) > self.looked_us);
        due.map(hidden_piece::searched_us).min()
    }

    /// The captured pieces that are hidden by now, and with confidence 0 those that are not any
    /// more, each on its owner's board.
    pub(crate) fn hidden(&mut self, now_us: u64) -> Vec<(BoardId, Finding)> {
        self.looked_us = self.looked_us.max(now_us);
        let mut found: Vec<Hidden> = Vec::new();
        for (seat, passing) in Seat::ALL.into_iter().zip(&mut self.trays) {
            for matched in passing.iter_mut().flat_map(Passing::matched) {
                let finding = hidden_piece::hidden_piece(seat.color, matched);
                found.push(Hidden { seat, begun_us: matched.capture.begun_us, finding });
            }
        }
        found.retain(|Hidden { finding, .. }| finding.t_us <= now_us && finding.confidence > 0.0);
        let mut gone = std::mem::replace(&mut self.hidden, found.clone());
        gone.retain_mut(|reported| {
            reported.finding.confidence = 0.0;
            // A report stays if the changes that it rests on are not remembered any more.
            let tray = &self.trays[reported.seat.index()];
            tray.as_ref().is_some_and(|tray| tray.remembers(reported.begun_us))
                && !found.iter().any(|hidden| hidden.is_same(reported))
        });
        found.into_iter().chain(gone).map(|hidden| (hidden.seat.board, hidden.finding)).collect()
    }

    /// Takes the captures and drops that a layer is believed to hold.
    fn believe(&mut self, index: usize, layer: &Layer, answer: &SegmentEstimate) {
        let Some(segment) = self.segments.kept.get(&index) else { return };
        let mut of_seats: [(Vec<Capture>, Vec<TrayPiece>); 4] = Default::default();
        for (slot, (ply, mut position)) in segment.replayed(answer).enumerate() {
            let seat = Seat { board: layer.board, color: ply.side };
            let captured = position.play(ply.ply).captured;
            let captured = captured.filter(|captured| captured.piece.color != ply.side);
            if let Some(role) = captured.and_then(|captured| captured.role_to_reserve) {
                let (place, begun_us) = ((index, slot), segment.begun_us);
                let capture = Capture { place, begun_us, press_us: ply.t_us, role, p: ply.p };
                of_seats[seat.partner().index()].0.push(capture);
            }
            if let Ply::Drop { role, .. } = ply.ply {
                let t_us = ply.landed_us.min(ply.t_us);
                of_seats[seat.index()].1.push(TrayPiece { t_us, dropped: Some((role, ply.p)) });
            }
        }
        for (passing, (captures, drops)) in self.trays.iter_mut().zip(of_seats) {
            if let Some(passing) = passing {
                passing.believe(index, captures, drops);
            }
        }
    }

    /// Findings for the captures of a layer whose pieces arrived too soon.
    fn passed_early(
        &mut self,
        index: usize,
        layer: &Layer,
        answer: &SegmentEstimate,
    ) -> Vec<Finding> {
        let hands = &self.boards[layer.board.index()].hands;
        let mut findings = Vec::new();
        for (slot, ply) in answer.plies.iter().enumerate() {
            let seat = Seat { board: layer.board, color: ply.side }.partner();
            let Some(passing) = &mut self.trays[seat.index()] else { continue };
            let arrival = passing.matched().iter().find_map(|matched| {
                let Capture { place, begun_us, .. } = matched.capture;
                let TrayPiece { t_us, dropped } = matched.shown?;
                // A piece that lay there before the segment began may be another capture's as well.
                let is_own = place == (index, slot) && dropped.is_none() && t_us >= begun_us;
                is_own.then_some((t_us, matched.p))
            });
            if let Some(arrival) = arrival {
                let press = press_of(hands, layer, (answer, slot), arrival.0);
                findings.extend(early_pass::early_pass(ply, slot, press, arrival));
            }
        }
        findings
    }

    /// Memory taken beside the struct itself, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.segments.kept.len() * size_of::<JudgedSegment>()
            + self.boards.iter().map(|board| board.history.memory_bytes()).sum::<usize>()
            + self.trays.iter().flatten().map(Passing::memory_bytes).sum::<usize>()
            + self.touch_habits.memory_bytes()
    }
}

/// The press of a ply whose victim arrived in a tray. If it was forgotten or came after the answer:
/// the earliest moment at which this player's hand could have been at the clock. A press that came
/// long after the arrival was forgotten, too.
fn press_of(
    hands: &ReachTimes,
    layer: &Layer,
    (answer, slot): (&SegmentEstimate, usize),
    arrival_us: u64,
) -> early_pass::Press {
    let ply = &answer.plies[slot];
    let is_last = slot + 1 == answer.plies.len();
    let made = layer.presser == Some(ply.side) || answer.answered > answer.missed_press;
    if is_last && made && ply.t_us <= arrival_us.saturating_add(EARLY_FROM_US) {
        return early_pass::Press { t_us: ply.t_us, made: true };
    }
    let way_us = (QUICK * hands.press_ms(ply.side, ply.ply.to()) * 1_000.0) as u64;
    early_pass::Press { t_us: ply.landed_us.saturating_add(way_us).min(ply.t_us), made: false }
}

/// Part of its usual time in which a hand may at best reach the clock. Assumed.
const QUICK: f64 = 0.7;

#[cfg(test)]
mod tests;
