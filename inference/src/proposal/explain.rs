//! What a segment makes of one position: every way to explain it, and the position each leads to.

use action_model::{Recent, RoleSet};
use rules::{Bitboard, Color, IllegalReason, Ply, Position, Role, Supply};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::{
    explanation::{Choice, ChoiceKey, MAX_PLIES, MadePly, Pattern, USUAL_PLIES},
    observation::summary::Observation,
    params,
    proposal::{
        alternatives::Chosen,
        candidates::{Explanation, FLOOR, FLOOR_IN_DOUBT, Scene},
        closed_segment::{Breadth, Closing},
        sequences::{PATIENCE, Step},
        split_points::Cuts,
        transitions::{Departure, Exchange, Successor, Ways},
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
/// The alternatives of plies are looked at if position and way are at least this likely beside the likeliest so far; otherwise
/// each counts as an average ply. That is more than an odd ply gets, so it must be far below all that is believed.
const WORTH_A_SURVEY: f64 = 1e-9;
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
            let usual = several(self.closing.presser, known.position.turn());
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
            self.explain_with_several(known, several(self.closing.presser, turn));
        }
        self.explain_with_several(known, many_plies(self.closing.presser, turn));
        self.many_cuts = self.cuts.replace(few);
    }

    /// Plays the plies of an explanation and keeps where they lead.
    fn add(
        &mut self,
        (position, takeback): (&Position, Takeback),
        steps: &[Step],
        weight: f64,
        pattern: Pattern,
        settled: bool,
    ) {
        let (mut position, mut takeback) = (position.clone(), takeback);
        let supply = self.positions.supply();
        let mut plies = SmallVec::new();
        let mut exchanges = SmallVec::new();
        let mut recent = self.closing.recent;
        self.ways.best = self.ways.best.max(weight);
        self.likeliest = self.likeliest.max(self.mass * weight);
        let worth_a_survey = self.mass * weight >= self.likeliest * WORTH_A_SURVEY;
        let mut chosen: SmallVec<[Chosen; 1]> = SmallVec::new();
        for (exchange, step) in steps.iter().enumerate() {
            position = position.with_turn(step.side);
            let ply = step.explanation.ply;
            let Explanation { illegal, takes_back, .. } = step.explanation;
            takeback = takeback.after(ply, illegal);
            if worth_a_survey && illegal.is_none() && !takes_back {
                chosen.extend(self.chosen(exchange, &position, ply, &recent));
            }
            let drop = match ply {
                Ply::Drop { role, .. } => Some(role),
                Ply::Move { .. } => None,
            };
            let captured = position
                .play_with(ply, supply)
                .captured
                .filter(|captured| captured.piece.color != step.side);
            let captures = captured.is_some_and(|captured| captured.piece.role != Role::King);
            let captured = captured.and_then(|captured| captured.role_to_reserve);
            self.ways.drops |= drop.is_some();
            exchanges.push(Exchange { side: step.side, drop, captured, made: None });
            recent[usize::from(step.side.is_black())] = Bitboard::from_square(ply.to());
            plies.push(MadePly {
                ply,
                side: step.side,
                illegal: step.explanation.illegal,
                captures,
                landed_us: step.times_us.map_or(self.landed_us, |times| times.0),
                t_us: step.times_us.map_or(self.closing.t_us, |times| times.1),
            });
        }
        let arrivals = steps.iter().map(|step| step.explanation.ply.to());
        let weight = weight * self.closing.testimony.likelihood(&position, arrivals);
        let Some(target) = self.positions.intern(position, takeback) else { return };
        let on_credit = if supply == Supply::Partner { on_credit(&plies) } else { None };
        let choice = self.choice(Choice { plies, pattern });
        let on_credit = on_credit.map_or(choice, |plies| self.choice(Choice { plies, pattern }));
        self.ways.alternatives.note(self.ways.successors.len(), self.from, chosen);
        self.ways.successors.push(Successor {
            weight,
            target,
            choice,
            on_credit,
            settled,
            exchanges,
        });
    }

    /// A legal ply that is the exchange of this number, and the position that it was chosen in, after plies that arrived on
    /// `recent` squares. None if there is no number for the position.
    fn chosen(
        &mut self,
        exchange: usize,
        position: &Position,
        ply: Ply,
        recent: &[Bitboard; 2],
    ) -> Option<Chosen> {
        let turn = position.turn();
        // What may be taken back is no choice, so positions that differ in that alone are surveyed together.
        let from = self.positions.get(self.from);
        let unchanged =
            exchange == 0 && from.position.turn() == turn && from.takeback == Takeback::Nothing;
        let id = if unchanged {
            self.from
        } else {
            self.positions.intern(position.clone(), Takeback::Nothing)?
        };
        let [white, black] = *recent;
        let recent = if turn.is_white() {
            Recent { by_opponent: black, by_mover: white }
        } else {
            Recent { by_opponent: white, by_mover: black }
        };
        let side = usize::from(turn.is_black());
        let roles = match ply {
            // What is dropped may be owed; all that may be dropped is looked at together.
            Ply::Drop { role, .. } => self.held[side].union(self.ways.roles[side]).with(role),
            Ply::Move { .. } => self.held[side],
        };
        let mover = ply.from().and_then(|from| position.board().role_at(from));
        Some(Chosen { exchange, place: (id, recent), roles, kind: (ply, turn, mover) })
    }

    /// Probability of what people say of the segment, if these were its plies.
    fn told(&self, pattern: Pattern, steps: &[Step]) -> f64 {
        if self.closing.facts.is_empty() {
            return 1.0;
        }
        let plies: SmallVec<[MadePly; USUAL_PLIES]> = steps
            .iter()
            .map(|step| MadePly {
                ply: step.explanation.ply,
                side: step.side,
                illegal: step.explanation.illegal,
                captures: false,
                landed_us: step.times_us.map_or(self.landed_us, |times| times.0),
                t_us: step.times_us.map_or(self.closing.t_us, |times| times.1),
            })
            .collect();
        self.closing.told(pattern, &plies)
    }

    fn choice(&mut self, choice: Choice) -> u32 {
        let choices = &mut self.ways.choices;
        *self.choice_ids.entry(ChoiceKey::of(&choice)).or_insert_with(|| {
            choices.push(choice);
            choices.len() as u32 - 1
        })
    }
}

/// How many plies, how probable that is, and what it means; the sides take turns.
type Order = (usize, f64, Pattern);

/// Several plies in a segment that `presser` ended, or nobody, with `turn` to move before it.
fn several(presser: Option<Color>, turn: Color) -> &'static [Order] {
    const STOPPED: &[Order] = &[(2, params::stopped::TWO_PLIES, Pattern::MissedPress)];
    const OWN: &[Order] = &[
        (2, params::own_turn::ANSWERED, Pattern::Answered),
        (3, params::own_turn::MISSED_PRESS, Pattern::MissedPress),
    ];
    const OTHER: &[Order] = &[(2, params::other_turn::MISSED_PRESS, Pattern::MissedPress)];
    match presser {
        None => STOPPED,
        Some(presser) if presser == turn => OWN,
        Some(_) => OTHER,
    }
}

/// More plies than usual: the press was forgotten once more.
fn many_plies(presser: Option<Color>, turn: Color) -> &'static [Order] {
    const AGAIN: f64 = params::own_turn::MISSED_PRESS;
    const STOPPED: &[Order] = &[(4, params::stopped::TWO_PLIES * AGAIN, Pattern::MissedPress)];
    const OWN: &[Order] = &[(5, params::own_turn::MISSED_PRESS * AGAIN, Pattern::MissedPress)];
    const OTHER: &[Order] = &[(4, params::other_turn::MISSED_PRESS * AGAIN, Pattern::MissedPress)];
    match presser {
        None => STOPPED,
        Some(presser) if presser == turn => OWN,
        Some(_) => OTHER,
    }
}

/// These plies with the drop among them illegal because its piece was not in the reserve; none without a
/// drop that is otherwise legal, or with several, of which any may be meant.
fn on_credit(plies: &SmallVec<[MadePly; USUAL_PLIES]>) -> Option<SmallVec<[MadePly; USUAL_PLIES]>> {
    let mut drops = plies.iter().enumerate().filter(|(_, made)| made.ply.is_drop());
    let (at, made) = drops.next()?;
    (drops.next().is_none() && made.illegal.is_none()).then(|| {
        let mut plies = plies.clone();
        plies[at].illegal = Some(IllegalReason::DropNotInReserve);
        plies
    })
}
