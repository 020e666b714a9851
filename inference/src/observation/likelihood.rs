//! How likely what a segment's squares say is if a given ply was made.
//!
//! The likelihood is a product over squares. Each square was expected to be occupied or not before
//! the segment and is so or not after it, as the hypothesis has it; it read so or not before and
//! after, and may have changed in between. Squares that a ply concerns are expected to change;
//! others may have been disturbed. A difference between expected and read squares is carried from
//! segment to segment by itself, since both sides of it are known again at the next one.

use rules::{Bitboard, Color, Square};

use super::summary::Observation;
use crate::{
    observation::{
        footprint::{Effect, Expected},
        knock_over::{self, Lifts},
    },
    params::{power, squares as p, stopped},
};

impl Observation {
    /// Probability of this observation if `effect` led from `before` to `after`, the segment being
    /// `presser`'s.
    pub(crate) fn likelihood(
        &self,
        effect: &Effect,
        before: &Expected,
        after: &Expected,
        presser: Color,
    ) -> f64 {
        let off_before = before.occupied ^ self.before;
        let off_after = after.occupied ^ self.after;
        let concerned = effect.vacated | effect.arrived | effect.exchanged;
        self.of_ply(effect, before, off_after, after)
            * self.of_others(effect, !concerned, off_before, off_after, after, presser)
            * self.of_order(effect)
    }

    /// The squares that the ply concerns.
    fn of_ply(
        &self,
        effect: &Effect,
        before: &Expected,
        off_after: Bitboard,
        after: &Expected,
    ) -> f64 {
        let off_before = before.occupied ^ self.before;
        let stuck = effect.vacated & off_after;
        let lifted_late = stuck & self.emptied_at_once;
        let mut likelihood = power(p::LIFTED_LATE, number(lifted_late))
            * power(p::STUCK, number(stuck & !lifted_late));
        let arrivals = effect.arrived | effect.exchanged;
        let unseen_swap = effect.exchanged & !self.touched & !off_after & !off_before;
        // The exchange itself came after the press: nobody left the square again.
        let swapped_soon = unseen_swap & self.blinked_soon();
        if (arrivals & after.may_be_unseen).any() {
            likelihood *= self.of_promoted(effect, before, off_after);
        } else {
            let late = arrivals & off_after;
            let glimpsed = self.glimpsed(effect, late);
            let left_soon = arrivals & !off_after & self.emptied_soon & !swapped_soon;
            likelihood *= power(p::LATE, number(glimpsed))
                * power(p::LATE_BEYOND, number(late & !glimpsed))
                * power(p::LEFT_SOON, number(left_soon));
        }
        likelihood *= power(p::SET_DOWN_AGAIN, number(arrivals & self.stood & !off_after));
        likelihood
            * power(p::LATE, number(swapped_soon))
            * power(p::SWAP_UNSEEN, number(unseen_swap & !swapped_soon))
    }

    /// Of the targets that do not read occupied at the end, those on which the piece was seen for a moment, or right after: it stands off
    /// centre. What was read there before the piece was lifted was another one.
    fn glimpsed(&self, effect: &Effect, late: Bitboard) -> Bitboard {
        let since = match effect.vacated.single_square() {
            Some(from) if (late & self.filled).any() => {
                let lifted = self.last_lift[usize::from(from)];
                let seen = |square: &Square| self.last_fill[usize::from(*square)] >= lifted;
                (late & self.filled).into_iter().filter(seen).collect()
            }
            _ => late & self.filled,
        };
        since | late & self.filled_soon
    }

    /// A promoted piece arrives. When a pawn promotes, it lies unseen or is seen, one as often as the other;
    /// afterwards it mostly stays as it is.
    fn of_promoted(&self, effect: &Effect, before: &Expected, off_after: Bitboard) -> f64 {
        let was_promoted = (effect.vacated & before.may_be_unseen).any();
        if !was_promoted {
            return p::PROMOTED_UNSEEN;
        }
        let seen_before = (effect.vacated & (self.before | self.touched)).any();
        let seen_after = ((effect.arrived | effect.exchanged) & off_after).is_empty();
        if seen_before == seen_after { 1.0 - p::PROMOTED_CHANGES } else { p::PROMOTED_CHANGES }
    }

    /// Squares that opened and closed right after the segment.
    fn blinked_soon(&self) -> Bitboard {
        self.emptied_soon & self.filled_soon
    }

    /// All other squares.
    fn of_others(
        &self,
        effect: &Effect,
        others: Bitboard,
        off_before: Bitboard,
        off_after: Bitboard,
        after: &Expected,
        presser: Color,
    ) -> f64 {
        let aftershocks = others & (self.blinked_soon() | self.filled_at_once);
        let noisy = others & (self.touched | off_before | off_after | aftershocks);
        if noisy.is_empty() {
            return 1.0;
        }
        let fresh = others & !off_before & off_after;
        let agreeing = others & self.touched & !off_before & !off_after;
        let dragged = (agreeing | fresh & self.filled_last) & effect.path & !after.occupied;
        let beside = effect.beside_capture();
        let brushed = agreeing & !dragged & beside & !after.occupied;
        let restored = agreeing & !dragged & !brushed;
        // Where pieces are being put back after an accident, some stand on wrong squares first.
        let calm = off_before.is_empty();
        let visited = if calm { restored & self.stood & !after.occupied } else { Bitboard::EMPTY };
        let resolved = others & off_before & !off_after & !after.may_be_unseen;
        let revealed = others & off_before & !off_after & after.may_be_unseen;
        let persisting = others & off_before & off_after & !after.may_be_unseen;
        let still_lifted = persisting & after.side(presser);
        let carried = power(p::PUSHED_ASIDE_AND_LIFTED, number(brushed))
            * power(p::AFTERSHOCK, number(aftershocks))
            * power(p::DRAGGED, number(dragged))
            * power(p::RESOLVED, number(resolved))
            * power(p::PROMOTED_REVEALED, number(revealed))
            * power(p::STILL_LIFTED, number(still_lifted))
            * power(p::PERSISTS, number(persisting & !still_lifted));
        let lifted = fresh & after.occupied;
        let extra = fresh & !after.occupied & !dragged;
        if (restored | lifted | extra).is_empty() {
            return carried;
        }
        let of_presser = lifted & after.side(presser);
        let early_victims = self.lifted_after_arrival(of_presser, effect);
        let lifted_by_presser = of_presser & !early_victims;
        let of_opponent = lifted & !of_presser;
        let early_hand = self.lifted_after_arrival(of_opponent, effect);
        let lifted_by_opponent = of_opponent & !early_hand;
        let pushed = self.pushed_aside(effect, extra & beside);
        let in_hand = if self.stopped { &stopped::IN_HAND } else { &p::EARLY_HAND };
        let apart = p::RESTORED.of(number(restored & !visited))
            * power(p::VISITED, number(visited))
            * power(p::OUTLASTING, number(restored & self.outlasting))
            * in_hand.of(number(early_hand))
            * p::LIFTED_BY_OPPONENT.of(number(lifted_by_opponent))
            * p::LIFTED_BY_PRESSER.of(number(lifted_by_presser))
            * p::VICTIM_LIFTED_EARLY.of(number(early_victims))
            * power(p::PUSHED_ASIDE, number(pushed))
            * p::EXTRA.of(number(extra & !pushed));
        let missing = persisting & after.occupied;
        let settling =
            if lifted.is_empty() { knock_over::settling(missing, restored, extra) } else { 0.0 };
        let knocked = self.lifts().knocked(restored, lifted, extra);
        carried * (apart + knocked + settling)
    }

    /// Of these squares beside a capture, those onto which the victim can have been pushed: not before the piece that took it was lifted,
    /// nor long after that had landed.
    fn pushed_aside(&self, effect: &Effect, squares: Bitboard) -> Bitboard {
        let (Some(from), Some(to)) =
            (effect.vacated.single_square(), effect.exchanged.single_square())
        else {
            return squares;
        };
        let lifted = self.last_lift[usize::from(from)];
        let landed = self.last_fill[usize::from(to)];
        let timed = self.fill_timed.contains(to);
        let at_rest = if timed { landed.saturating_add(p::PUSHED_WITHIN_US) } else { u64::MAX };
        let in_time =
            |square: &Square| (lifted..=at_rest).contains(&self.last_fill[usize::from(*square)]);
        squares.into_iter().filter(in_time).collect()
    }

    fn lifts(&self) -> Lifts<'_> {
        Lifts { before: self.before, first: &self.first_lift, filled: &self.last_fill }
    }

    /// Of these squares, those emptied after the ply's piece had arrived: victims of an early answer.
    fn lifted_after_arrival(&self, squares: Bitboard, effect: &Effect) -> Bitboard {
        let Some(to) = (effect.arrived | effect.exchanged).single_square() else {
            return Bitboard::EMPTY;
        };
        if !self.after.contains(to) && self.filled_at_once.contains(to) {
            // It stood before it was read.
            return squares;
        }
        if !self.fill_timed.contains(to) {
            return Bitboard::EMPTY;
        }
        let arrived = self.last_fill[usize::from(to)];
        let is_later = |square: &Square| self.last_lift[usize::from(*square)] > arrived;
        (squares & self.lift_timed).into_iter().filter(is_later).collect()
    }

    /// Whether the piece was lifted before it was set down.
    fn of_order(&self, effect: &Effect) -> f64 {
        let (Some(from), Some(to)) =
            (effect.vacated.single_square(), (effect.arrived | effect.exchanged).single_square())
        else {
            return 1.0;
        };
        if !self.after.contains(to) {
            // Whatever was read there was not the piece that stands there in the end.
            return 1.0;
        }
        let lifted = self.last_lift[usize::from(from)];
        let filled = self.last_fill[usize::from(to)];
        let is_timed = self.lift_timed.contains(from) && self.fill_timed.contains(to);
        if is_timed && filled < lifted { p::OUT_OF_ORDER } else { 1.0 }
    }
}

/// How many squares: mostly none, and counting takes long where no instruction does it.
#[inline]
fn number(squares: Bitboard) -> usize {
    if squares.is_empty() { 0 } else { squares.count() }
}

#[cfg(test)]
mod tests {
    use rules::{Ply, Position, Supply};

    use super::*;
    use crate::sensing::segment::Segment;

    const INITIAL: Bitboard = Bitboard(0xffff_0000_0000_ffff);

    fn observe(events: &[(Square, bool)]) -> Observation {
        let mut segment = Segment::new(INITIAL);
        for (index, &(square, occupied)) in events.iter().enumerate() {
            segment.read_square(index as u64 + 1, square, occupied);
        }
        Observation::of(&segment, events.len(), u64::MAX)
    }

    fn likelihood(observation: &Observation, ply: &str) -> f64 {
        let position = Position::initial();
        let ply: Ply = ply.parse().expect("a ply");
        let effect = Effect::of(&position, ply, Supply::Partner);
        let before = Expected::of(&position);
        let after = effect.apply(&before, Color::White);
        observation.likelihood(&effect, &before, &after, Color::White)
    }

    #[test]
    fn a_clean_ply_is_certain_to_look_as_it_does() {
        let observation = observe(&[(Square::E2, false), (Square::E4, true)]);
        assert_eq!(likelihood(&observation, "e2e4"), 1.0);
        assert!(likelihood(&observation, "e2e3") < 1e-4);
        assert!(likelihood(&observation, "d2d4") < 1e-6);
    }

    #[test]
    fn squares_on_the_way_cost_less_than_squares_beside_it() {
        let dragged = observe(&[
            (Square::E2, false),
            (Square::E3, true),
            (Square::E3, false),
            (Square::E4, true),
        ]);
        let disturbed = observe(&[
            (Square::E2, false),
            (Square::D3, true),
            (Square::D3, false),
            (Square::E4, true),
        ]);
        assert!(likelihood(&dragged, "e2e4") > likelihood(&disturbed, "e2e4"));
    }

    /// Likelihood of `ply` after `plies`, `unread` being a square whose piece is not read at first, with these events, milliseconds, and
    /// a press.
    fn pressed(
        (plies, ply): (&[&str], &str),
        unread: Option<Square>,
        events: &[(u64, Square, bool)],
        press_ms: u64,
    ) -> f64 {
        let mut position = Position::initial();
        for ply in plies {
            position.play(ply.parse().expect("a ply"));
        }
        let (turn, squares) = (position.turn(), position.occupied());
        let mut segment = Segment::new(unread.map_or(squares, |unread| squares.without(unread)));
        for &(t_ms, square, occupied) in events {
            segment.read_square(1_000 * t_ms, square, occupied);
        }
        let count = events.iter().filter(|event| event.0 <= press_ms).count();
        let effect = Effect::of(&position, ply.parse().expect("a ply"), Supply::Partner);
        let before = Expected::of(&position);
        let after = effect.apply(&before, turn);
        Observation::of(&segment, count, 1_000 * press_ms)
            .likelihood(&effect, &before, &after, turn)
    }

    #[test]
    fn the_opponent_may_take_a_piece_before_the_one_that_was_put_down_is_read() {
        let events = [(0, Square::G1, false), (450, Square::E5, true)];
        let likelihood = |press_ms| pressed((&["e2e4", "d7d5"], "P@e5"), None, &events, press_ms);
        assert_eq!(likelihood(400), p::LATE * p::VICTIM_LIFTED_EARLY.of(1));
        assert_eq!(likelihood(100), p::LATE * p::LIFTED_BY_PRESSER.of(1));
    }

    const TAKES: (&[&str], &str) = (&["e2e4", "d7d5"], "e4d5");

    #[test]
    fn what_takes_after_its_press_does_not_count_as_left_again() {
        let events = [(0, Square::E4, false), (300, Square::D5, false), (450, Square::D5, true)];
        assert_eq!(pressed(TAKES, None, &events, 250), p::LATE);
    }

    #[test]
    fn a_victim_that_was_read_late_is_not_the_piece_that_takes_it() {
        let lands = |landing_ms: Option<u64>| {
            let mut events =
                vec![(100, Square::D5, true), (500, Square::D5, false), (900, Square::E4, false)];
            events.extend(landing_ms.map(|t_ms| (t_ms, Square::D5, true)));
            pressed(TAKES, Some(Square::D5), &events, 950)
        };
        assert_eq!(lands(Some(1_100)), p::LATE);
        assert_eq!(lands(None), p::LATE_BEYOND);
    }

    #[test]
    fn a_piece_that_comes_to_stand_beside_a_capture_later_was_not_pushed_there() {
        let beside = |t_ms| {
            let mut events = vec![
                (0, Square::E4, false),
                (300, Square::D5, false),
                (360, Square::D5, true),
                (t_ms, Square::D6, true),
            ];
            events.sort_by_key(|event| event.0);
            pressed(TAKES, None, &events, 2_000)
        };
        assert_eq!(beside(330), p::PUSHED_ASIDE);
        assert!(beside(1_500) < 1e-3 * p::PUSHED_ASIDE);
    }

    #[test]
    fn what_is_off_its_square_for_long_was_not_only_touched() {
        let touched_for = |ms: u64| {
            let events = [(100, Square::G1, false), (100 + ms, Square::G1, true)];
            let ply = [(100 + ms, Square::E2, false), (300 + ms, Square::E4, true)];
            pressed((&[], "e2e4"), None, &[&events[..], &ply].concat(), 500 + ms)
        };
        assert_eq!(touched_for(600), p::RESTORED.of(1));
        assert_eq!(touched_for(4_000), p::RESTORED.of(1) * p::OUTLASTING);
    }

    #[test]
    fn a_square_that_stays_occupied_long_before_the_press_was_not_dragged_over() {
        let mut segment = Segment::new(INITIAL);
        segment.read_square(0, Square::E2, false);
        segment.read_square(300_000, Square::E3, true);
        let on_its_way = Observation::of(&segment, 2, 340_000);
        let standing = Observation::of(&segment, 2, 900_000);
        assert!(likelihood(&on_its_way, "e2e4") > 1e3 * likelihood(&standing, "e2e4"));
    }

    /// A pawn's move that is answered at once, by a pawn that is read on its way until `opens_us`.
    fn answered_at_once(opens_us: u64) -> Segment {
        let mut segment = Segment::new(INITIAL);
        segment.read_square(0, Square::E2, false);
        segment.read_square(300_000, Square::E4, true);
        segment.read_square(500_000, Square::E7, false);
        segment.read_square(600_000, Square::E6, true);
        segment.read_square(opens_us, Square::E6, false);
        segment
    }

    #[test]
    fn a_square_that_is_only_passed_while_the_clock_is_pressed_is_no_landing() {
        let passing = |opens_us| {
            likelihood(&Observation::of(&answered_at_once(opens_us), 4, 610_000), "e2e4")
        };
        assert!(passing(650_000) > 1e3 * passing(900_000));
    }

    #[test]
    fn squares_that_the_answer_passes_right_after_the_press_say_nothing_of_the_ply() {
        let answered = |opens_us| {
            likelihood(&Observation::of(&answered_at_once(opens_us), 2, 400_000), "e2e4")
        };
        assert_eq!(answered(650_000), 1.0);
        assert_eq!(answered(900_000), p::AFTERSHOCK);
    }

    #[test]
    fn a_piece_that_is_set_down_on_its_target_twice_is_less_likely_than_one_that_stays() {
        let placed = |again_us: Option<u64>| {
            let mut segment = Segment::new(INITIAL);
            segment.read_square(0, Square::E2, false);
            segment.read_square(300_000, Square::E4, true);
            if let Some(t_us) = again_us {
                segment.read_square(t_us, Square::E4, false);
                segment.read_square(t_us + 50_000, Square::E4, true);
            }
            let count = segment.events().len();
            likelihood(&Observation::of(&segment, count, 2_000_000), "e2e4")
        };
        assert_eq!(placed(Some(350_000)), placed(None), "a contact that bounces says nothing");
        assert!(placed(Some(900_000)) < 0.2 * placed(None));
    }

    #[test]
    fn a_piece_in_hand_when_the_clock_stops_is_less_likely_than_the_beginning_of_an_answer() {
        let mut lifted = observe(&[(Square::E2, false), (Square::E4, true), (Square::D7, false)]);
        let before_a_press = likelihood(&lifted, "e2e4");
        lifted.stopped = true;
        assert!(likelihood(&lifted, "e2e4") < 0.2 * before_a_press);
    }

    #[test]
    fn a_promoted_piece_that_lay_unseen_mostly_lies_where_it_goes() {
        let mut position = Position::initial();
        for ply in ["P@b7", "e7e6", "b7a8q", "e6e5"] {
            position.play(ply.parse().expect("a ply"));
        }
        position.play("a8b8".parse().expect("a ply"));
        let position = position.with_turn(Color::White);
        let effect = Effect::of(&position, "b8b3".parse().expect("a ply"), Supply::Partner);
        let before = Expected::of(&position);
        let after = effect.apply(&before, Color::White);
        let unseen = position.occupied().without(Square::B8);
        let mut segment = Segment::new(unseen);
        let lies =
            Observation::of(&segment, 0, 0).likelihood(&effect, &before, &after, Color::White);
        segment.read_square(1, Square::B3, true);
        let stands =
            Observation::of(&segment, 1, 1).likelihood(&effect, &before, &after, Color::White);
        assert!(lies > 10.0 * stands && stands > 0.0, "{lies} {stands}");
    }

    #[test]
    fn a_piece_that_rolls_on_after_an_accident_is_no_piece_from_nowhere() {
        let rolled = |missing: &[Square]| {
            let start = missing.iter().fold(INITIAL, |squares, &square| squares.without(square));
            let mut segment = Segment::new(start);
            segment.read_square(1, Square::E3, true);
            let observation = Observation::of(&segment, 1, u64::MAX);
            let position = Position::initial();
            let expected = Expected::of(&position);
            observation.likelihood(&Effect::NONE, &expected, &expected, Color::White)
        };
        let after_an_accident = rolled(&[Square::D2, Square::E2, Square::F2]);
        let undisturbed = rolled(&[]);
        // Beside the cost of the pieces that are still missing.
        assert!(after_an_accident > 1e2 * undisturbed * power(p::STILL_LIFTED, 3));
    }

    /// E2 to e4 while pieces fall onto other squares and are put back, and `touched` is lifted before them and put back.
    fn played_amid_an_accident(touched: Option<Square>, pieces: &[(Square, Square)]) -> f64 {
        let mut segment = Segment::new(INITIAL);
        let mut t_us = 0;
        let mut read = |after_us: u64, square: Square, occupied: bool| {
            t_us += after_us;
            segment.read_square(t_us, square, occupied);
        };
        if let Some(square) = touched {
            read(0, square, false);
            read(100_000, square, true);
        }
        read(400_000, Square::E2, false);
        read(300_000, Square::E4, true);
        for &(from, onto) in pieces {
            read(10_000, from, false);
            read(10_000, onto, true);
        }
        for &(from, onto) in pieces {
            read(600_000, onto, false);
            read(300_000, from, true);
        }
        likelihood(&Observation::of(&segment, usize::MAX, u64::MAX), "e2e4")
    }

    #[test]
    fn a_piece_that_was_touched_at_another_time_hides_no_accident() {
        let fallen = [(Square::C2, Square::C3), (Square::D2, Square::D3), (Square::B2, Square::A3)];
        let accident = played_amid_an_accident(None, &fallen);
        let touched_too = played_amid_an_accident(Some(Square::G1), &fallen);
        let touched = p::RESTORED.of(1);
        assert!((touched_too / (accident * touched) - 1.0).abs() < 0.1, "{touched_too} {accident}");
    }

    #[test]
    fn an_early_hand_of_the_opponent_is_likelier_than_a_lifted_own_piece() {
        let opponent = observe(&[(Square::E2, false), (Square::E4, true), (Square::E7, false)]);
        let own = observe(&[(Square::E2, false), (Square::E4, true), (Square::D2, false)]);
        assert!(likelihood(&opponent, "e2e4") > 10.0 * likelihood(&own, "e2e4"));
    }

    #[test]
    fn a_piece_set_down_before_it_was_lifted_is_doubtful() {
        let observation = observe(&[(Square::E4, true), (Square::E2, false)]);
        assert_eq!(likelihood(&observation, "e2e4"), p::OUT_OF_ORDER);
    }
}
