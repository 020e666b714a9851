//! Several plies within one segment: presses that were forgotten.
//!
//! The segment is cut at moments when a piece had just been set down, as if the clock had been
//! pressed there; each part is then explained by one ply. All cuts are tried, and a sequence of
//! plies is as likely as its best cut.

use rules::{Color, Position};
use smallvec::SmallVec;

use crate::{
    candidates::{Explanation, FLOOR, Scene},
    effect::Expected,
    legality,
    observation::{DRAG_US, Observation},
    prior::RoleSet,
    segment::{Segment, SquareEvent},
};

/// Most plies that one segment may hold: one of a player who forgot the press twice in a row.
pub(crate) const MAX_PLIES: usize = 5;
/// As many plies as a segment has that is not quite out of the ordinary.
pub(crate) const USUAL_PLIES: usize = 3;
/// Most cuts tried in one segment; those before the longest pauses are taken.
const MAX_CUTS: usize = 7;
/// The same where more plies than [`USUAL_PLIES`] are looked for.
const MAX_CUTS_OF_MANY: usize = 10;
/// After a pause of this length, microseconds, a piece that was lifted may stand unread somewhere.
const PAUSE_US: u64 = 500_000;
/// A sequence of this weight makes it needless to look for plies that leave no piece to be read.
const LIKELY: f64 = 1e-9;
/// Beyond this many changed squares a part of a segment is no ply but a disturbance.
const MAX_TOUCHED: usize = 10;

/// Parts of one segment, each seen from one position, that are looked at for sequences before the search is given up:
/// a step takes no longer for a segment in which a whole hand has swept over the board. Likelier positions are searched first.
pub(crate) const PATIENCE: usize = 3_000;

/// How many plies of a sequence may leave no piece to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Silent {
    /// One, if no sequence without is likely.
    OneAtNeed,
    /// Two in any case.
    Two,
}

/// The ways to cut one segment, each part observed once and for all hypotheses.
pub(crate) struct Cuts {
    /// Event counts at which the segment may be cut, ascending; the first is 0, the last is all.
    points: Vec<usize>,
    /// For each point, the times of the events before and after it.
    times_us: Vec<Option<(u64, u64)>>,
    parts: Vec<Observation>,
}

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
    /// The cuts of the first `count` events of `segment`, which was closed at `end_us`.
    pub(crate) fn new(segment: &Segment, count: usize, end_us: u64) -> Cuts {
        Cuts::at_most(MAX_CUTS, segment, count, end_us)
    }

    /// The same for more plies than [`USUAL_PLIES`].
    pub(crate) fn for_many(segment: &Segment, count: usize, end_us: u64) -> Cuts {
        Cuts::at_most(MAX_CUTS_OF_MANY, segment, count, end_us)
    }

    fn at_most(most: usize, segment: &Segment, count: usize, end_us: u64) -> Cuts {
        let events = &segment.events()[..count.min(segment.events().len())];
        let mut inner: Vec<(u64, usize)> = events
            .windows(2)
            .enumerate()
            .filter(|&(index, pair)| {
                let stands = pair[0].occupied && !is_passing(&segment.events()[index..]);
                stands || pair[1].t_us > pair[0].t_us + PAUSE_US
            })
            .map(|(index, pair)| (pair[1].t_us.saturating_sub(pair[0].t_us), index + 1))
            .collect();
        inner.sort_by_key(|&(pause, point)| (std::cmp::Reverse(pause), point));
        inner.truncate(most);
        let mut points: Vec<usize> = inner.into_iter().map(|(_, point)| point).collect();
        points.push(0);
        points.push(events.len());
        points.sort_unstable();
        points.dedup();
        let mut parts = Vec::with_capacity(points.len() * points.len());
        let later = segment.events().get(events.len()..).unwrap_or_default();
        for &from in &points {
            for &to in &points {
                let mut part = segment.observe_between(from, to.max(from));
                if to == events.len() {
                    part.look_ahead(end_us, later);
                }
                parts.push(part);
            }
        }
        let times_us = points
            .iter()
            .map(|&point| Some((events.get(point.checked_sub(1)?)?.t_us, events.get(point)?.t_us)))
            .collect();
        Cuts { points, times_us, parts }
    }

    fn part(&self, from: usize, to: usize) -> &Observation {
        &self.parts[from * self.points.len() + to]
    }

    /// All sequences in which `sides` make one ply each, in this order, from `position`, so many of which may leave no
    /// piece to be read. Those less likely than `least` are left out, and all that are not found before `patience`
    /// is used up.
    pub(crate) fn explain(
        &self,
        position: &Position,
        sides: &[Color],
        roles: &dyn Fn(Color) -> RoleSet,
        least: f64,
        silent: Silent,
        patience: &mut usize,
    ) -> Vec<Sequence> {
        let mut found = Vec::new();
        let counts: &[usize] = match silent {
            Silent::OneAtNeed => &[0, 1],
            Silent::Two => &[2],
        };
        for &silent in counts {
            let likely = found.iter().any(|sequence: &Sequence| sequence.weight >= LIKELY);
            // The last ply may leave no cut behind.
            if likely || self.points.len() + silent.min(1) <= sides.len() {
                continue;
            }
            let steps = SmallVec::new();
            let least = least.max(FLOOR);
            let mut search =
                Search { cuts: self, roles, least, patience, steps, found: &mut found };
            search.extend(position, 0, sides, 1.0, silent);
        }
        found
    }
}

/// Whether the first of these events is a piece that only passes its square.
fn is_passing(events: &[SquareEvent]) -> bool {
    let Some((first, later)) = events.split_first() else { return false };
    later
        .iter()
        .take_while(|event| event.t_us < first.t_us + DRAG_US)
        .any(|event| event.square == first.square)
}

struct Search<'a> {
    cuts: &'a Cuts,
    roles: &'a dyn Fn(Color) -> RoleSet,
    least: f64,
    patience: &'a mut usize,
    steps: SmallVec<[Step; USUAL_PLIES]>,
    found: &'a mut Vec<Sequence>,
}

impl Search<'_> {
    fn extend(
        &mut self,
        position: &Position,
        from: usize,
        sides: &[Color],
        weight: f64,
        silent: usize,
    ) {
        let Some((&side, later)) = sides.split_first() else { return };
        // No explanation of a ply is likelier than an average one.
        let least = self.least / legality::power(legality::PLY, later.len());
        if weight * legality::PLY < least {
            return;
        }
        let position = position.clone().with_turn(side);
        let expected = Expected::of(&position);
        let last = self.cuts.points.len() - 1;
        let ends = if later.is_empty() { last..=last } else { from + 1..=last - later.len() };
        let mut explanations = Vec::new();
        for to in ends {
            let observation = self.cuts.part(from, to);
            if observation.touched.count() > MAX_TOUCHED {
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
                roles: (self.roles)(side),
            };
            scene.settled(&mut explanations);
            if later.is_empty() {
                scene.at_once(&mut explanations);
            }
            let settled = explanations.len();
            if silent > 0 {
                scene.unread(&mut explanations);
            }
            for (index, &explanation) in explanations.iter().enumerate() {
                let weight = weight * explanation.weight;
                if weight < least {
                    continue;
                }
                let times_us = if later.is_empty() { None } else { self.cuts.times_us[to] };
                self.steps.push(Step { side, explanation, times_us });
                if later.is_empty() {
                    self.keep(weight);
                } else {
                    let mut next = position.clone();
                    next.play(explanation.ply);
                    let left = if index < settled { silent } else { silent - 1 };
                    self.extend(&next, to, later, weight, left);
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

    fn best(plies: &[&str], events: &[(Square, bool)], sides: &[Color]) -> String {
        let mut position = Position::initial();
        for ply in plies {
            position.play(ply.parse().expect("a ply"));
        }
        let mut segment = Segment::new(position.occupied());
        for (index, &(square, occupied)) in events.iter().enumerate() {
            segment.read_square((index as u64 + 1) * 200_000, square, occupied);
        }
        let cuts = Cuts::for_many(&segment, events.len(), u64::MAX);
        cuts.explain(
            &position,
            sides,
            &|_| RoleSet::NONE,
            0.0,
            Silent::OneAtNeed,
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
        let cuts = Cuts::new(&segment, segment.events().len(), u64::MAX);
        let found = |patience: &mut usize| {
            let sides = [Color::White, Color::Black];
            let silent = Silent::OneAtNeed;
            cuts.explain(&Position::initial(), &sides, &|_| RoleSet::NONE, 0.0, silent, patience)
                .len()
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
        let found = Cuts::new(&segment, 4, u64::MAX).explain(
            &position,
            &[Color::White, Color::Black],
            &|_| RoleSet::NONE,
            0.0,
            Silent::OneAtNeed,
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
        let cuts = Cuts::new(&segment, 4, u64::MAX);
        let found = |silent| {
            let sequences = cuts.explain(
                &position,
                &WBW,
                &|_| RoleSet::NONE,
                0.0,
                silent,
                &mut PATIENCE.clone(),
            );
            sequences.iter().any(|sequence| {
                let plies = sequence.steps.iter().map(|step| step.explanation.ply.to_string());
                plies.eq(["e4d5", "d8d5", "b1c3"])
            })
        };
        assert!(found(Silent::Two) && !found(Silent::OneAtNeed));
    }

    #[test]
    fn squares_that_a_dragged_piece_only_passes_are_no_cuts() {
        let mut segment = Segment::new(Position::initial().occupied());
        let dragged =
            [(Square::E2, false), (Square::E3, true), (Square::E3, false), (Square::E4, true)];
        for ((square, occupied), t_ms) in dragged.into_iter().zip([0, 200, 240, 400]) {
            segment.read_square(t_ms * 1_000, square, occupied);
        }
        segment.read_square(1_000_000, Square::E7, false);
        assert_eq!(Cuts::new(&segment, 5, u64::MAX).points, [0, 4, 5]);
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
