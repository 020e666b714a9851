//! What a segment makes of one position: every way to explain it, and the position each leads to.

mod play;

use action_model::RoleSet;
use rules::Color;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::{
    explanation::{Choice, ChoiceKey, MAX_PLIES, Pattern},
    observation::summary::Observation,
    params,
    proposal::{
        candidates::{Explanation, FLOOR, FLOOR_IN_DOUBT, Scene},
        closed_segment::{Breadth, Closing},
        press_orders::{self, Order},
        sequences::{PATIENCE, Step},
        split_points::Cuts,
        transitions::{Departure, Successor, Ways},
    },
    state::{
        packed_reserve::Droppable,
        position_table::{Known, PositionId, Positions},
        takeback::Takeback,
    },
};

/// Positions for which sequences of plies are tried: the likeliest.
const MAX_SEQUENCE_POSITIONS: usize = 48;
/// So many squares that read otherwise than expected are pieces out of place.
const DISPLACED: usize = 3;
/// Explanations less likely than this, relative to the likeliest of a likelier position, are left out.
const HOPELESS: f64 = 1e-8;
/// Several plies less likely than this, relative to the likeliest way of a likelier position, are not looked for.
const HOPELESS_SEQUENCE: f64 = 1e-6;
/// The same beside the likeliest way of all, the probabilities of the positions counted in.
const HOPELESS_STORY: f64 = 1e-9;
/// Where nothing is likelier than this, more than [`USUAL_PLIES`] within one segment are looked for.
const HARDLY_EXPLAINED: f64 = 1e-9;
/// In a position less likely than this, drops of which nothing was read are not looked for.
const SLIGHT: f64 = 1e-3;

/// Explains one segment from one position after the other.
pub(crate) struct Explainer<'a> {
    closing: &'a Closing<'a>,
    observation: Observation,
    /// When the last piece was moved before the press.
    landed_us: u64,
    cuts: Option<Cuts>,
    /// The same for many plies, if they were looked for.
    many_cuts: Option<Cuts>,
    /// How much longer sequences are looked for.
    patience: usize,
    breadth: Breadth,
    positions: &'a mut Positions,
    ways: Ways,
    /// The position that is explained.
    from: PositionId,
    /// Its probability.
    mass: f64,
    /// The greatest probability of a position and a way from it.
    likeliest: f64,
    /// What each colour may hold in the position that is explained, White first.
    held: [RoleSet; 2],
    choice_ids: FxHashMap<ChoiceKey, u32>,
    explanations: Vec<Explanation>,
}

impl<'a> Explainer<'a> {
    /// An explainer of this segment that adds to `ways`.
    pub(crate) fn new(
        closing: &'a Closing<'a>,
        ways: Ways,
        breadth: Breadth,
        positions: &'a mut Positions,
    ) -> Explainer<'a> {
        let mut observation = Observation::of(&closing.segment, closing.count, closing.t_us);
        observation.stopped = closing.presser.is_none();
        let numbers = ways.choices.iter().map(ChoiceKey::of).zip(0..);
        Explainer {
            closing,
            landed_us: observation.last_t_us.unwrap_or(closing.t_us),
            observation,
            cuts: (breadth >= Breadth::Full).then(|| {
                Cuts::new(closing.segment, closing.count, (closing.presser, closing.t_us))
            }),
            many_cuts: None,
            patience: PATIENCE,
            breadth,
            positions,
            choice_ids: numbers.collect(),
            ways,
            from: PositionId::default(),
            mass: 0.0,
            likeliest: 0.0,
            held: [RoleSet::NONE; 2],
            explanations: Vec::new(),
        }
    }

    /// All that was found. How plies weigh among their [alternatives](crate::beam::choice_weights) is still to be looked at.
    pub(crate) fn finish(self) -> Ways {
        self.ways
    }

    /// Finds the ways from one position, if they are not known. Likelier positions come first.
    pub(crate) fn explain(&mut self, from: &Departure) {
        let Departure { id, mass, held } = *from;
        if self.ways.is_known(id, held) {
            let best = self.ways.from(id).iter().map(|way| way.weight).fold(0.0, f64::max);
            self.likeliest = self.likeliest.max(mass * best);
            return;
        }
        self.held = held;
        (self.from, self.mass) = (id, mass);
        let begin = self.ways.successors.len();
        let known = self.positions.get(id).clone();
        let turn = known.position.turn();
        let patterns = match self.closing.presser {
            None => [Some((turn, params::stopped::ONE_PLY, Pattern::Regular)), None],
            Some(presser) if presser == turn => [Some((turn, 1.0, Pattern::Regular)), None],
            Some(presser) => [
                Some((turn, params::other_turn::PRESSED_FOR_OTHER, Pattern::PressedForOther)),
                Some((presser, params::other_turn::OUT_OF_TURN, Pattern::OutOfTurn)),
            ],
        };
        for (side, weight, pattern) in patterns.into_iter().flatten() {
            self.explain_with_ply(&known, side, weight, pattern);
        }
        self.explain_without_ply(&known, id);
        if self.ways.explained() < MAX_SEQUENCE_POSITIONS {
            let usual = press_orders::several(self.closing.presser, known.position.turn());
            self.explain_with_several(&known, usual);
            if self.ways.best < HARDLY_EXPLAINED {
                self.explain_with_many(&known);
            }
        }
        self.ways.note_explained(id, begin, held);
    }

    /// Explanations less likely than this are left out.
    fn floor(&self) -> f64 {
        if self.breadth == Breadth::Thorough { FLOOR_IN_DOUBT } else { FLOOR }
    }

    /// What may be dropped in some hypothesis.
    fn droppable(&self) -> Droppable {
        Droppable { supply: self.positions.supply(), roles: self.ways.roles }
    }

    fn explain_with_ply(&mut self, known: &Known, side: Color, prior: f64, pattern: Pattern) {
        let position = known.position.clone().with_turn(side);
        let scene = Scene {
            position: &position,
            expected: &known.expected,
            observation: &self.observation,
            presser: self.closing.presser.unwrap_or(side),
            supply: self.positions.supply(),
            roles: self.droppable().of(side),
            takeback: known.takeback,
            floor: self.floor(),
        };
        let mut explanations = std::mem::take(&mut self.explanations);
        explanations.clear();
        scene.settled(&mut explanations);
        let settled = explanations.len();
        if self.breadth >= Breadth::Full && pattern == Pattern::Regular {
            scene.unsettled(&mut explanations);
            if self.mass >= SLIGHT {
                scene.unseen_drops(&mut explanations);
            }
        }
        if self.breadth == Breadth::Thorough && pattern == Pattern::Regular {
            scene.stuck(&mut explanations);
        }
        if self.breadth >= Breadth::Full {
            self.closing.said_of(side).for_each(|ply| scene.said(ply, &mut explanations));
        }
        for explanation in &mut explanations {
            let step = Step { side, explanation: *explanation, times_us: None };
            explanation.weight *= self.told(pattern, &[step]);
            self.ways.best = self.ways.best.max(prior * explanation.weight);
        }
        for (index, &explanation) in explanations.iter().enumerate() {
            let weight = prior * explanation.weight;
            if weight >= self.ways.best * HOPELESS {
                let seen = self.observation.filled_soon.contains(explanation.ply.to());
                let step = Step { side, explanation, times_us: None };
                let settled = index < settled || seen;
                self.add((&position, known.takeback), &[step], weight, pattern, settled);
            }
        }
        self.explanations = explanations;
    }

    fn explain_without_ply(&mut self, known: &Known, id: PositionId) {
        let turn = known.position.turn();
        let (weight, pattern) = match self.closing.presser {
            None => (params::stopped::NO_PLY, Pattern::Nothing),
            Some(presser) if presser == turn => {
                let displaced = known.expected.occupied ^ self.observation.before;
                let weight = if displaced.count() >= DISPLACED {
                    params::own_turn::NO_PLY_DISPLACED
                } else {
                    params::own_turn::NO_PLY
                };
                (weight, Pattern::PressWithoutMove)
            }
            Some(_) => (params::other_turn::NO_PLY, Pattern::Nothing),
        };
        let scene = Scene {
            position: &known.position,
            expected: &known.expected,
            observation: &self.observation,
            presser: self.closing.presser.unwrap_or(turn),
            supply: self.positions.supply(),
            roles: RoleSet::NONE,
            takeback: Takeback::Nothing,
            floor: self.floor(),
        };
        // Never quite impossible, so that no segment can empty the beam.
        let said = self.closing.testimony.likelihood(&known.position, []);
        let weight =
            (weight * scene.without_ply() * said).max(self.floor()) * self.told(pattern, &[]);
        let choice = self.choice(Choice { plies: SmallVec::new(), pattern });
        self.ways.successors.push(Successor {
            weight,
            target: id,
            choice,
            on_credit: choice,
            settled: pattern == Pattern::Nothing,
            exchanges: SmallVec::new(),
        });
    }

    /// Several plies, of sides in this order: each order with its probability.
    fn explain_with_several(&mut self, known: &Known, orders: &[Order]) {
        let Some(cuts) = self.cuts.take() else { return };
        for &(count, weight, pattern) in orders {
            let mut sides: SmallVec<[Color; MAX_PLIES]> = SmallVec::new();
            let mut side = known.position.turn();
            for _ in 0..count {
                sides.push(side);
                side = side.other();
            }
            let droppable = self.droppable();
            let breadth = self.breadth;
            let thorough = breadth == Breadth::Thorough;
            let hopeless = if thorough { HOPELESS } else { HOPELESS_SEQUENCE };
            let least = self.ways.best * hopeless;
            let least = least.max(self.likeliest * HOPELESS_STORY / self.mass) / weight;
            let least = least.max(self.floor());
            let patience = &mut self.patience;
            let from = (&known.position, known.takeback);
            for sequence in cuts.explain(from, &sides, droppable, least, breadth, patience) {
                let weight = weight * sequence.weight * self.told(pattern, &sequence.steps);
                self.add(from, &sequence.steps, weight, pattern, true);
            }
        }
        self.cuts = Some(cuts);
    }

    /// More plies than usual, where nothing else explains what was read.
    fn explain_with_many(&mut self, known: &Known) {
        let turn = known.position.turn();
        let Some(few) = self.cuts.take() else { return };
        let many = self.many_cuts.take().unwrap_or_else(|| {
            let Closing { segment, count, presser, t_us, .. } = *self.closing;
            Cuts::for_many(segment, count, (presser, t_us))
        });
        self.cuts = Some(many);
        if self.breadth == Breadth::Thorough {
            // A piece is set down more often than there are plies where others are put back.
            self.explain_with_several(known, press_orders::several(self.closing.presser, turn));
        }
        self.explain_with_several(known, press_orders::many_plies(self.closing.presser, turn));
        self.many_cuts = self.cuts.replace(few);
    }
}
