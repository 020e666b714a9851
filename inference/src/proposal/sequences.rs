//! Several plies within one segment: presses that were forgotten.
//!
//! The segment is [cut](Cuts) at moments when a piece had just been set down, as if the clock had been
//! pressed there; each part is then explained by one ply. All cuts are tried, and a sequence of
//! plies is as likely as its best cut.

use rules::{Bitboard, Color, Position};
use smallvec::SmallVec;

use crate::explanation::USUAL_PLIES;
use crate::{
    observation::{footprint::Expected, summary::Observation},
    params,
    proposal::{
        candidates::{Explanation, Scene},
        closed_segment::Breadth,
        split_points::Cuts,
    },
    state::{packed_reserve::Droppable, takeback::Takeback},
};

/// A sequence of this weight makes it needless to look for plies that leave no piece to be read.
const LIKELY: f64 = 1e-9;
/// Beyond this many changed squares a part of a segment is no ply but a disturbance.
const MAX_TOUCHED: usize = 10;
/// The same where a match is doubted: four pieces that fell, squares onto which they rolled or were put by mistake, and a ply.
const MAX_TOUCHED_IN_DOUBT: usize = 16;

/// Parts of one segment, each seen from one position, that are looked at for sequences before the search is given up:
/// a step takes no longer for a segment in which a whole hand has swept over the board. Likelier positions are searched first.
pub(crate) const PATIENCE: usize = 3_000;

/// Explanations of a part there is room for at first.
const USUAL_EXPLANATIONS: usize = 16;

/// A ply of a sequence and when it was completed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) side: Color,
    pub(crate) explanation: Explanation,
    /// Time of its last event, and of the first event after it, which shows it to be complete; none for
    /// the last ply, which is completed by the press.
    pub(crate) times_us: Option<(u64, u64)>,
}

/// Plies that explain a segment together.
#[derive(Clone, Debug)]
pub(crate) struct Sequence {
    pub(crate) steps: SmallVec<[Step; USUAL_PLIES]>,
    pub(crate) weight: f64,
}

impl Cuts {
    /// All sequences in which `sides` make one ply each, in this order, from `position`. One ply may leave no piece to be read, if no sequence
    /// without is likely; if the search is thorough, two may in any case. Those less likely than `least` are left out, and all that
    /// are not found before `patience` is used up.
    pub(crate) fn explain(
        &self,
        from: (&Position, Takeback),
        sides: &[Color],
        droppable: Droppable,
        least: f64,
        breadth: Breadth,
        patience: &mut usize,
    ) -> Vec<Sequence> {
        let mut found = Vec::new();
        let thorough = breadth == Breadth::Thorough;
        let counts: &[usize] = if thorough { &[2] } else { &[0, 1] };
        // What landed after the press is the presser's, unless the other player made the last ply.
        let spare = usize::from(self.landing.is_some_and(|presser| sides.last() != Some(&presser)));
        let landed_later = if thorough { self.landed_later } else { Bitboard::EMPTY };
        for &silent in counts {
            let likely = found.iter().any(|sequence: &Sequence| sequence.weight >= LIKELY);
            // The last ply may leave no cut behind.
            if likely || self.points.len() + silent.min(1) <= sides.len() + spare {
                continue;
            }
            let steps = SmallVec::new();
            let search = Search {
                cuts: self,
                spare,
                landed_later,
                thorough,
                droppable,
                least,
                patience,
                steps,
                found,
            };
            found = search.run(from, sides, silent);
        }
        found
    }
}

struct Search<'a> {
    cuts: &'a Cuts,
    /// Points before the last that are of no use: 0 or 1.
    spare: usize,
    /// Squares on which a piece of any but the last ply may have landed after the segment.
    landed_later: Bitboard,
    /// Whether accidents and pieces that are read late are reckoned with.
    thorough: bool,
    droppable: Droppable,
    least: f64,
    patience: &'a mut usize,
    steps: SmallVec<[Step; USUAL_PLIES]>,
    found: Vec<Sequence>,
}

impl Search<'_> {
    fn run(mut self, from: (&Position, Takeback), sides: &[Color], silent: usize) -> Vec<Sequence> {
        self.extend(from, 0, sides, 1.0, silent);
        self.found
    }

    fn extend(
        &mut self,
        (position, takeback): (&Position, Takeback),
        from: usize,
        sides: &[Color],
        weight: f64,
        silent: usize,
    ) {
        let Some((&side, later)) = sides.split_first() else { return };
        // No explanation of a ply is likelier than an average one, but for one that takes another back: to go on for those finds no more.
        let least = self.least / params::power(params::PLY, later.len());
        if weight * params::PLY < least {
            return;
        }
        let position = position.clone().with_turn(side);
        let expected = Expected::of(&position);
        let last = self.cuts.points.len() - 1;
        // A piece that is read after the segment leaves nothing to be read in it.
        let nothing_read = silent > 0 && self.landed_later.any();
        let ends = if later.is_empty() {
            last..=last
        } else {
            from + usize::from(!nothing_read)..=last - later.len() - self.spare
        };
        let max_touched = if self.thorough { MAX_TOUCHED_IN_DOUBT } else { MAX_TOUCHED };
        let mut explanations = Vec::with_capacity(USUAL_EXPLANATIONS);
        for to in ends {
            let observation = self.cuts.part(from, to);
            if observation.touched.count() > max_touched {
                continue;
            }
            let Some(left) = self.patience.checked_sub(1) else { return };
            *self.patience = left;
            explanations.clear();
            let scene = Scene {
                position: &position,
                expected: &expected,
                observation,
                presser: side,
                supply: self.droppable.supply,
                roles: self.droppable.of(side),
                takeback,
                floor: self.least,
            };
            scene.settled(&mut explanations);
            if later.is_empty() {
                let Observation { filled_soon, filled_at_once, .. } = *observation;
                let landed = if self.thorough { filled_soon } else { filled_at_once };
                scene.landed(landed, &mut explanations);
            }
            let settled = explanations.len();
            if silent > 0 {
                scene.unread(&mut explanations);
            }
            if nothing_read && !later.is_empty() {
                scene.landed_later(self.landed_later, &mut explanations);
            }
            for (index, &explanation) in explanations.iter().enumerate() {
                let weight = weight * explanation.weight;
                if weight < least {
                    continue;
                }
                let times_us = (!later.is_empty()).then(|| self.cuts.times_us[to]);
                self.steps.push(Step { side, explanation, times_us });
                if later.is_empty() {
                    self.keep(weight);
                } else {
                    let mut next = position.clone();
                    next.play_with(explanation.ply, self.droppable.supply);
                    let takeback = takeback.after(explanation.ply, explanation.illegal);
                    let left = if index < settled { silent } else { silent - 1 };
                    self.extend((&next, takeback), to, later, weight, left);
                }
                self.steps.pop();
            }
        }
    }

    fn keep(&mut self, weight: f64) {
        let same = |known: &Sequence| {
            known
                .steps
                .iter()
                .map(|step| step.explanation.ply)
                .eq(self.steps.iter().map(|step| step.explanation.ply))
        };
        match self.found.iter_mut().find(|known| same(known)) {
            Some(known) if known.weight >= weight => {}
            Some(known) => *known = Sequence { steps: self.steps.clone(), weight },
            None => self.found.push(Sequence { steps: self.steps.clone(), weight }),
        }
    }
}

#[cfg(test)]
mod tests {
    use rules::Square;

    use super::*;
    use action_model::RoleSet;

    use crate::sensing::segment::Segment;

    /// Nobody may drop anything.
    const NOTHING: Droppable = Droppable::by_both(RoleSet::NONE);

    fn best(plies: &[&str], events: &[(Square, bool)], sides: &[Color]) -> String {
        let mut position = Position::initial();
        for ply in plies {
            position.play(ply.parse().expect("a ply"));
        }
        let mut segment = Segment::new(position.occupied());
        for (index, &(square, occupied)) in events.iter().enumerate() {
            segment.read_square((index as u64 + 1) * 200_000, square, occupied);
        }
        let cuts = Cuts::for_many(&segment, events.len(), (None, u64::MAX));
        cuts.explain(
            (&position, Takeback::Nothing),
            sides,
            NOTHING,
            0.0,
            Breadth::Full,
            &mut PATIENCE.clone(),
        )
        .iter()
        .max_by(|a, b| a.weight.total_cmp(&b.weight))
        .map(|sequence| {
            let plies: Vec<_> =
                sequence.steps.iter().map(|step| step.explanation.ply.to_string()).collect();
            plies.join(" ")
        })
        .unwrap_or_default()
    }

    /// Both players' first ply, without a press.
    fn a_ply_each() -> Segment {
        let mut segment = Segment::new(Position::initial().occupied());
        let events =
            [(Square::E2, false), (Square::E4, true), (Square::D7, false), (Square::D5, true)];
        for (time, (square, occupied)) in events.into_iter().enumerate() {
            segment.read_square(time as u64 * 300_000, square, occupied);
        }
        segment
    }

    #[test]
    fn a_search_for_several_plies_ends_when_patience_is_used_up() {
        let segment = a_ply_each();
        let cuts = Cuts::new(&segment, segment.events().len(), (None, u64::MAX));
        let from = (&Position::initial(), Takeback::Nothing);
        let found = |patience: &mut usize| {
            let sides = [Color::White, Color::Black];
            let breadth = Breadth::Full;
            cuts.explain(from, &sides, NOTHING, 0.0, breadth, patience).len()
        };
        let mut patience = PATIENCE;
        assert_eq!(found(&mut patience), 1);
        let needed = PATIENCE - patience;
        let mut too_little = needed - 1;
        assert_eq!((found(&mut too_little), too_little), (0, 0));
        assert_eq!(found(&mut needed.clone()), 1);
    }

    const WBW: [Color; 3] = [Color::White, Color::Black, Color::White];

    #[test]
    fn three_plies_without_a_press_are_told_apart_by_their_order() {
        let events = [
            (Square::E2, false),
            (Square::E4, true),
            (Square::D7, false),
            (Square::D5, true),
            (Square::D5, false),
            (Square::E4, false),
            (Square::D5, true),
        ];
        assert_eq!(best(&[], &events, &WBW), "e2e4 d7d5 e4d5");
    }

    #[test]
    fn five_plies_without_a_press_are_two_forgotten_ones() {
        let events = [
            (Square::E2, false),
            (Square::E4, true),
            (Square::D7, false),
            (Square::D5, true),
            (Square::D5, false),
            (Square::E4, false),
            (Square::D5, true),
            (Square::G8, false),
            (Square::F6, true),
            (Square::B1, false),
            (Square::C3, true),
        ];
        let sides = [Color::White, Color::Black, Color::White, Color::Black, Color::White];
        assert_eq!(best(&[], &events, &sides), "e2e4 d7d5 e4d5 g8f6 b1c3");
    }

    #[test]
    fn pieces_may_fall_and_be_put_back_amid_plies_without_a_press_if_that_is_asked_for() {
        use Square::{A5, A6, A7, B1, B6, B7, C3, C6, C7, E6, E7};
        let mut segment = a_ply_each();
        // Four pieces roll off their squares and are put back, one of them onto a wrong square first; White plays on.
        let fallen = [A7, A6, B7, B6, C7, C6, E7, E6];
        for (square, t_us) in fallen.into_iter().zip((1_000_000..).step_by(20_000)) {
            segment.read_square(t_us, square, [A6, B6, C6, E6].contains(&square));
        }
        let put_back = [A6, A5, A5, A7, B6, B7, C6, C7, E6, E7, B1, C3];
        for (square, t_us) in put_back.into_iter().zip((2_000_000..).step_by(400_000)) {
            segment.read_square(t_us, square, !segment.now().contains(square));
        }
        let cuts = Cuts::for_many(&segment, segment.events().len(), (None, u64::MAX));
        let patience = &mut PATIENCE.clone();
        let breadth = Breadth::Thorough;
        let from = (&Position::initial(), Takeback::Nothing);
        let found = cuts.explain(from, &WBW, NOTHING, 0.0, breadth, patience);
        let best = found.iter().max_by(|a, b| a.weight.total_cmp(&b.weight)).expect("a story");
        let plies = best.steps.iter().map(|step| step.explanation.ply.to_string());
        assert_eq!(plies.collect::<Vec<_>>(), ["e2e4", "d7d5", "b1c3"]);
    }

    #[test]
    fn one_of_the_plies_may_be_a_silent_capture() {
        let mut segment = a_ply_each();
        // White takes on d5 without a trace, and a second later Black takes back.
        segment.read_square(2_000_000, Square::E4, false);
        segment.read_square(3_000_000, Square::D5, false);
        segment.read_square(3_200_000, Square::D8, false);
        segment.read_square(3_500_000, Square::D5, true);
        let mut position = Position::initial();
        for ply in ["e2e4", "d7d5"] {
            position.play(ply.parse().expect("a ply"));
        }
        segment.split(4);
        let found = Cuts::new(&segment, 4, (None, u64::MAX)).explain(
            (&position, Takeback::Nothing),
            &[Color::White, Color::Black],
            NOTHING,
            0.0,
            Breadth::Full,
            &mut PATIENCE.clone(),
        );
        let best = found.iter().max_by(|a, b| a.weight.total_cmp(&b.weight)).expect("a story");
        let plies: Vec<_> =
            best.steps.iter().map(|step| step.explanation.ply.to_string()).collect();
        assert_eq!(plies, ["e4d5", "d8d5"]);
    }

    #[test]
    fn two_plies_of_a_sequence_may_be_silent_captures_if_that_is_asked_for() {
        let mut position = Position::initial();
        for ply in ["e2e4", "d7d5"] {
            position.play(ply.parse().expect("a ply"));
        }
        let mut segment = Segment::new(position.occupied());
        // Both pawn and queen take on d5 without a trace, and a knight comes out.
        for (t_s, square, occupied) in [
            (1, Square::E4, false),
            (2, Square::D8, false),
            (3, Square::B1, false),
            (4, Square::C3, true),
        ] {
            segment.read_square(1_000_000 * t_s, square, occupied);
        }
        let cuts = Cuts::new(&segment, 4, (None, u64::MAX));
        let found = |breadth| {
            let sequences = cuts.explain(
                (&position, Takeback::Nothing),
                &WBW,
                NOTHING,
                0.0,
                breadth,
                &mut PATIENCE.clone(),
            );
            sequences.iter().any(|sequence| {
                let plies = sequence.steps.iter().map(|step| step.explanation.ply.to_string());
                plies.eq(["e4d5", "d8d5", "b1c3"])
            })
        };
        assert!(found(Breadth::Thorough) && !found(Breadth::Full));
    }

    /// The sequences by `sides` that explain what is read of these plies, each half a second after the last, and a piece on h5 some
    /// time after the press.
    fn with_h5_filled(
        after_ms: u64,
        presser: Color,
        plies: &[(Square, Square)],
        sides: &[Color],
    ) -> Vec<String> {
        let mut segment = Segment::new(Position::initial().occupied());
        let mut t_us = 0;
        for &(from, to) in plies {
            segment.read_square(t_us, from, false);
            segment.read_square(t_us + 200_000, to, true);
            t_us += 500_000;
        }
        segment.read_square(t_us + 1_000 * after_ms, Square::H5, true);
        let mut roles = RoleSet::NONE;
        roles.add(rules::Role::Knight);
        let cuts = Cuts::new(&segment, 2 * plies.len(), (Some(presser), t_us));
        let patience = &mut PATIENCE.clone();
        let breadth = Breadth::Full;
        let from = (&Position::initial(), Takeback::Nothing);
        cuts.explain(from, sides, Droppable::by_both(roles), 0.0, breadth, patience)
            .iter()
            .map(|sequence| {
                let plies = sequence.steps.iter().map(|step| step.explanation.ply.to_string());
                plies.collect::<Vec<_>>().join(" ")
            })
            .collect()
    }

    #[test]
    fn the_last_of_several_plies_may_be_a_drop_that_lands_right_after_its_press() {
        let plies = [(Square::E2, Square::E4), (Square::D7, Square::D5)];
        let last = |after_ms| {
            with_h5_filled(after_ms, Color::White, &plies, &WBW)
                .contains(&"e2e4 d7d5 N@h5".to_owned())
        };
        assert!(last(200) && !last(600));
    }

    #[test]
    fn what_lands_right_after_a_press_is_a_ply_of_nobody_else() {
        let second = |presser| {
            with_h5_filled(200, presser, &[(Square::E2, Square::E4)], &WBW[..2])
                .contains(&"e2e4 N@h5".to_owned())
        };
        assert!(second(Color::Black) && !second(Color::White));
    }

    #[test]
    fn the_first_of_several_plies_may_be_a_drop_that_is_read_last_if_that_is_asked_for() {
        // White's piece is read when Black has answered and White has pressed.
        let mut segment = Segment::new(Position::initial().occupied());
        for (t_ms, square, occupied) in
            [(0, Square::D7, false), (300, Square::D5, true), (900, Square::H5, true)]
        {
            segment.read_square(1_000 * t_ms, square, occupied);
        }
        let cuts = Cuts::new(&segment, 2, (Some(Color::White), 400_000));
        let from = (&Position::initial(), Takeback::Nothing);
        let found = |breadth| {
            let patience = &mut PATIENCE.clone();
            cuts.explain(from, &WBW[..2], Droppable::by_both(RoleSet::ALL), 0.0, breadth, patience)
                .iter()
                .any(|sequence| {
                    let plies = sequence.steps.iter().map(|step| step.explanation.ply.to_string());
                    plies.eq(["N@h5", "d7d5"])
                })
        };
        assert!(found(Breadth::Thorough) && !found(Breadth::Full));
    }

    #[test]
    fn an_illegal_ply_and_what_puts_it_back_may_stand_in_one_segment() {
        let [f6, g1, g3, g8] = [Square::F6, Square::G1, Square::G3, Square::G8];
        let events = [(g1, false), (g3, true), (g8, false), (f6, true), (g3, false), (g1, true)];
        assert_eq!(best(&[], &events, &WBW), "g1g3 g8f6 g3g1");
        let mut segment = Segment::new(Position::initial().occupied());
        for (t_us, (square, occupied)) in (200_000..).step_by(200_000).zip(events) {
            segment.read_square(t_us, square, occupied);
        }
        let cuts = Cuts::new(&segment, events.len(), (None, u64::MAX));
        let (from, patience) = ((&Position::initial(), Takeback::Nothing), &mut PATIENCE.clone());
        let found = cuts.explain(from, &WBW, NOTHING, 0.0, Breadth::Full, patience);
        let two = params::PLY * params::PLY * params::BESIDE_ITS_AIM;
        let likely = |found: &Sequence| found.weight > 0.99 * two * params::TAKEN_BACK;
        assert!(found.iter().any(likely), "{found:?}");
    }

    #[test]
    fn one_piece_may_move_twice() {
        let events = [
            (Square::E2, false),
            (Square::E4, true),
            (Square::D7, false),
            (Square::D6, true),
            (Square::E4, false),
            (Square::E5, true),
        ];
        assert_eq!(best(&[], &events, &WBW), "e2e4 d7d6 e4e5");
    }
}
