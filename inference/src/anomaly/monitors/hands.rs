//! Evidence of the hands of a match beside its plies: the changes of squares, trays and clock sensors, board by
//! board, and the detectors that need them.
//!
//! A segment is judged again whenever the belief about its plies changes; players' hands are learnt from each segment
//! once. The rate of presses by the other hand is
//!
//! ```text
//! r = (OTHER_HANDS + Σ confidence of clock-hand) / (PRESSES + number of presses learnt from)
//! ```

use rules::{
    BoardId, Color, Ply, Position, Seat,
    rulebook::{BookId, terms::Hands as BookHands},
};

use crate::{
    anomaly::{
        clock_hand, displaced_pieces, double_press,
        early_pass::{self, Press},
        early_press, hidden_piece, missed_press,
        monitors::segments::Segments,
        out_of_turn, press_after_displacing, press_without_move,
        support::{
            context::{DetectorContext, SegmentContext},
            finding::Finding,
            moments,
            pace::Pace,
            press_context::PressContext,
            reach_time::ReachTimes,
            square_history::SquareHistory,
            touch_habits::TouchHabits,
            tray_matching::{Capture, Dropped, EARLY_FROM_US, Matched, Passing},
        },
        touch_move,
    },
    answers::moments::Moments,
};
use readings::TraceHeader;

use crate::{
    answers::marginals::SegmentEstimate, explanation::MAX_PLIES,
    sensing::square_event::SquareEvent, trellis::Layer,
};

/// Time before a segment for which its changes must be known to judge it again, microseconds. Bound: detectors look
/// back by less than 2 s.
const LOOKS_BACK_US: u64 = 10_000_000;

/// One board.
#[derive(Clone, Debug, Default)]
struct OfBoard {
    history: SquareHistory,
    hands: ReachTimes,
    /// The last press, or the beginning of play, microseconds.
    press_us: Option<u64>,
    /// Since when each player's hand has been near the clock, microseconds.
    near_since_us: [Option<u64>; 2],
    hands_seen: bool,
}

/// The state of a match's hands, and the segments they are judged by.
#[derive(Clone, Debug)]
pub(crate) struct HandMonitor {
    boards: [OfBoard; 2],
    segments: Segments,
    /// The tray of each seat that has one, in the order of [`Seat::ALL`].
    trays: [Option<Passing>; 4],
    /// Pieces that were reported as hidden, each with its seat.
    hidden: Vec<(Seat, Finding)>,
    /// The first layer that the hands have not been learnt from.
    unlearnt: usize,
    both_hands_when_castling: bool,
    /// How long players hold pieces that they do not move.
    touch_habits: TouchHabits,
    /// Presses, and the expected number of them by the other hand; both begin with the prior.
    presses: f64,
    other_hands: f64,
    pace: Pace,
}

impl HandMonitor {
    /// Before a match.
    pub(crate) fn new(header: &TraceHeader) -> HandMonitor {
        let has_partner = header.supply().has_partner();
        let has_tray = |seat: Seat| {
            has_partner && header.boards.get(&seat.board).is_some_and(|board| board.trays)
        };
        HandMonitor {
            boards: Default::default(),
            segments: Segments::new(header.supply()),
            trays: Seat::ALL.map(|seat| has_tray(seat).then(Passing::default)),
            hidden: Vec::new(),
            unlearnt: 0,
            presses: clock_hand::PRESSES,
            other_hands: clock_hand::OTHER_HANDS,
            both_hands_when_castling: !one_hand_always(header),
            touch_habits: TouchHabits::new(Pace::of(header).touching()),
            pace: Pace::of(header),
        }
    }

    /// A square has changed.
    pub(crate) fn square(&mut self, board: BoardId, event: SquareEvent) {
        self.boards[board.index()].history.note(event);
    }

    /// A hand has come near the clock, or left it.
    pub(crate) fn hand(&mut self, board: BoardId, t_us: u64, side: Color, near: bool) {
        let of_board = &mut self.boards[board.index()];
        of_board.hands_seen = true;
        of_board.near_since_us[usize::from(side.is_black())] = near.then_some(t_us);
    }

    /// A slot of a seat's tray was filled or emptied.
    pub(crate) fn tray(&mut self, seat: Seat, t_us: u64, filled: bool) {
        if let Some(passing) = &mut self.trays[seat.index()] {
            passing.slot(t_us, filled);
        }
    }

    /// The match begins anew: the players' quickness stays known, their actions are forgotten.
    pub(crate) fn restart(&mut self) {
        self.segments.clear();
        self.unlearnt = 0;
        self.hidden.clear();
        self.touch_habits = TouchHabits::new(self.pace.touching());
        for passing in self.trays.iter_mut().flatten() {
            *passing = Passing::default();
        }
        for board in &mut self.boards {
            let hands = std::mem::take(&mut board.hands);
            let hands_seen = board.hands_seen;
            *board = OfBoard { hands, hands_seen, ..OfBoard::default() };
        }
    }

    /// Play has begun on a board.
    pub(crate) fn start(&mut self, board: BoardId, t_us: u64) {
        self.boards[board.index()].press_us.get_or_insert(t_us);
    }

    /// A segment of `board` is about to become `layer`. It ends at `t_us`, microseconds, by `presser`'s press.
    /// `position` was the likeliest one before it.
    pub(crate) fn close(
        &mut self,
        layer: usize,
        board: BoardId,
        presser: Option<Color>,
        t_us: u64,
        position: Position,
    ) {
        let of_board = &mut self.boards[board.index()];
        let near = presser.and_then(|by| of_board.near_since_us[usize::from(by.is_black())]);
        let context = SegmentContext {
            begun_us: of_board.press_us.unwrap_or(t_us),
            position,
            near_since_us: near,
            hands_seen: of_board.hands_seen,
        };
        self.segments.keep(layer, board, context);
        of_board.press_us = Some(t_us);
    }

    /// The position of `board` was changed without a ply.
    pub(crate) fn put_right(&mut self, board: BoardId) {
        self.segments.put_right(board);
    }

    /// The findings about hands in a layer, given the present belief about its plies.
    pub(crate) fn judge(
        &mut self,
        index: usize,
        layer: &Layer,
        answer: &SegmentEstimate,
        presses: PressContext,
    ) -> Vec<Finding> {
        self.segments.believe(index, answer);
        let Some(segment) = self.segments.get(index) else { return Vec::new() };
        let mut findings = Vec::new();
        if self.trays.iter().any(Option::is_some) {
            believe(&mut self.trays, segment, index, layer, answer);
            let hands = &self.boards[layer.board.index()].hands;
            findings = passed_early(&mut self.trays, hands, index, layer, answer);
        }
        let of_board = &mut self.boards[layer.board.index()];
        let OfBoard { history, hands, .. } = &*of_board;
        let both_hands_when_castling = self.both_hands_when_castling;
        let other_hand_rate = self.other_hands / self.presses;
        let trays = own_trays(&self.trays, layer.board);
        let context = DetectorContext {
            segment,
            history,
            hands,
            presses,
            trays,
            both_hands_when_castling,
            other_hand_rate,
        };
        findings.extend(double_press::double_press(layer, answer, context));
        findings.extend(press_without_move::press_without_move(layer, answer, context));
        findings.extend(missed_press::missed_press(layer, answer, context));
        findings.extend(out_of_turn::out_of_turn(layer, answer, context));
        findings.extend(early_press::early_press(layer, answer, context));
        let habits = &mut self.touch_habits;
        findings.extend(touch_move::touch_moves(index, layer, answer, context, habits));
        findings.extend(displaced_pieces::displaced_pieces(layer, answer, context));
        findings.extend(press_after_displacing::press_after_displacing(layer, answer, context));
        let other_hand = clock_hand::clock_hand(layer, answer, context);
        let by_other_hand = other_hand.as_ref().map_or(0.0, |finding| finding.confidence);
        findings.extend(other_hand);
        if index >= self.unlearnt {
            self.unlearnt = index + 1;
            let presser = layer.presser.zip(answer.plies.last());
            let own = presser.filter(|(presser, ply)| ply.side == *presser);
            if let Some((player, carried)) =
                own.and_then(|(player, ply)| Some((player, context.carried(ply, layer.t_us)?)))
            {
                of_board.hands.learn(player, carried);
                self.presses += 1.0;
                self.other_hands += by_other_hand;
            }
        }
        findings
    }

    /// Whether all readings that [`judge`](Self::judge) looks at in a layer are still known. If not, the findings of
    /// that layer cannot be made again, and are not refuted by that.
    pub(crate) fn remembers(&self, index: usize, board: BoardId) -> bool {
        let Some(segment) = self.segments.get(index) else { return false };
        let since_us = segment.begun_us.saturating_sub(LOOKS_BACK_US);
        let into_trays = Color::ALL.map(|color| Seat { board, color }.partner());
        let mut trays = into_trays.iter().filter_map(|seat| self.trays[seat.index()].as_ref());
        self.boards[board.index()].history.remembers(since_us)
            && trays.all(|tray| tray.remembers(segment.begun_us))
    }

    /// When the plies of a layer were touched and released; empty if nothing was kept of it.
    pub(crate) fn moments(
        &self,
        index: usize,
        (board, end_us): (BoardId, u64),
        answer: &SegmentEstimate,
    ) -> Vec<Moments> {
        let Some(segment) = self.segments.get(index) else { return Vec::new() };
        let history = &self.boards[board.index()].history;
        moments::moments(answer, end_us, segment, history, own_trays(&self.trays, board))
    }

    /// The captured pieces that are hidden by now, and with confidence 0 those that are not any more, each on its
    /// owner's board.
    pub(crate) fn hidden(&mut self, now_us: u64) -> Vec<(BoardId, Finding)> {
        let mut found: Vec<(Seat, Finding)> = Vec::new();
        for (seat, passing) in Seat::ALL.into_iter().zip(&mut self.trays) {
            let Some(passing) = passing else { continue };
            let matched = passing.matched().iter();
            let due = matched.filter(|matched| hidden_piece::due_us(&matched.capture) <= now_us);
            found
                .extend(due.map(|matched| (seat, hidden_piece::hidden_piece(seat.color, matched))));
        }
        found.retain(|(_, finding)| finding.confidence > 0.0);
        // A report stays if the changes that it rests on are not remembered any more.
        let remembers = |seat: &Seat, reported: &Finding| {
            let passing = self.trays[seat.index()].as_ref();
            passing.is_some_and(|passing| passing.remembers(reported.t_us))
        };
        let gone = self.hidden.iter().filter(|(seat, reported)| {
            remembers(seat, reported)
                && !found.iter().any(|(of, finding)| of == seat && finding.t_us == reported.t_us)
        });
        let gone: Vec<(Seat, Finding)> = gone
            .map(|(seat, reported)| (*seat, Finding { confidence: 0.0, ..reported.clone() }))
            .collect();
        self.hidden.clone_from(&found);
        found.into_iter().chain(gone).map(|(seat, finding)| (seat.board, finding)).collect()
    }

    /// Memory taken beside the struct itself, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.segments.memory_bytes()
            + self.boards.iter().map(|board| board.history.memory_bytes()).sum::<usize>()
            + self.touch_habits.memory_bytes()
    }
}

/// The trays of White's and Black's reserve at a board, where there are any.
fn own_trays(trays: &[Option<Passing>; 4], board: BoardId) -> [Option<&Passing>; 2] {
    Color::ALL.map(|color| trays[Seat { board, color }.index()].as_ref())
}

/// Takes the captures and drops that a layer is believed to hold.
fn believe(
    trays: &mut [Option<Passing>; 4],
    segment: &SegmentContext,
    index: usize,
    layer: &Layer,
    answer: &SegmentEstimate,
) {
    let mut position = segment.position.clone();
    for slot in 0..MAX_PLIES {
        let place = (index, slot);
        let ply = answer.plies.get(slot);
        let seat = ply.map(|ply| Seat { board: layer.board, color: ply.side });
        let captured = ply.and_then(|ply| {
            position = position.clone().with_turn(ply.side);
            let captured = position.play(ply.ply).captured?;
            Some(Capture {
                place,
                begun_us: segment.begun_us,
                press_us: ply.t_us,
                role: captured.role_to_reserve.filter(|_| captured.piece.color != ply.side)?,
                p: ply.p,
            })
        });
        let dropped = ply.and_then(|ply| match ply.ply {
            Ply::Drop { role, .. } => {
                let landed_us = ply.landed_us.min(ply.t_us);
                Some(Dropped { place, landed_us, role, p: ply.p })
            }
            Ply::Move { .. } => None,
        });
        for (of, passing) in Seat::ALL.into_iter().zip(trays.iter_mut()) {
            let Some(passing) = passing else { continue };
            passing.believe_drop(place, dropped.filter(|_| seat == Some(of)));
            let own = seat.is_some_and(|seat| seat.partner() == of);
            passing.believe_capture(place, captured.filter(|_| own));
        }
    }
}

/// Findings for the captures of a layer whose pieces arrived too soon.
fn passed_early(
    trays: &mut [Option<Passing>; 4],
    hands: &ReachTimes,
    index: usize,
    layer: &Layer,
    answer: &SegmentEstimate,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (slot, ply) in answer.plies.iter().enumerate() {
        let seat = Seat { board: layer.board, color: ply.side }.partner();
        let Some(passing) = &mut trays[seat.index()] else { continue };
        let of_ply = |matched: &Matched| {
            let Capture { place, begun_us, .. } = matched.capture;
            // A piece that lay there before the segment began may be another capture's as well.
            let is_own = |arrival_us: &u64| place == (index, slot) && *arrival_us >= begun_us;
            let arrival_us = matched.arrival_us.filter(is_own);
            arrival_us.map(|arrival_us| (arrival_us, matched.p))
        };
        if let Some(arrival) = passing.matched().iter().find_map(of_ply) {
            let press = press_of(hands, layer, (answer, slot), arrival.0);
            findings.extend(early_pass::early_pass(ply, slot, press, arrival));
        }
    }
    findings
}

/// The press of a ply whose victim arrived in a tray. If it was forgotten or came after the answer: the earliest moment
/// at which this player's hand could have been at the clock. A press that came long after the arrival was forgotten, too.
fn press_of(
    hands: &ReachTimes,
    layer: &Layer,
    (answer, slot): (&SegmentEstimate, usize),
    arrival_us: u64,
) -> Press {
    let ply = &answer.plies[slot];
    let is_last = slot + 1 == answer.plies.len();
    let made = layer.presser == Some(ply.side) || answer.answered > answer.missed_press;
    if is_last && made && ply.t_us <= arrival_us.saturating_add(EARLY_FROM_US) {
        return Press { t_us: ply.t_us, made: true };
    }
    let way_us = (QUICK * hands.press_ms(ply.side, ply.ply.to()) * 1_000.0) as u64;
    Press { t_us: ply.landed_us.saturating_add(way_us).min(ply.t_us), made: false }
}

/// Part of its usual time in which a hand may at best reach the clock. Assumed.
const QUICK: f64 = 0.7;

/// Whether the match's book allows only one hand, also when castling. An unknown book is thought to allow both.
fn one_hand_always(header: &TraceHeader) -> bool {
    let book = header.rulebook.parse::<BookId>();
    book.is_ok_and(|book| book.book().terms.hands == BookHands::OneAlways)
}

#[cfg(test)]
mod tests;
