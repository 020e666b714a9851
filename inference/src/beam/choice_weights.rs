//! What could have been done instead of each ply of a segment: which positions are surveyed for that, and which are not.
//!
//! A [survey](crate::beam::action_weight_cache) is the dearest thing there is to ask of a position, and most positions need none: what was read
//! speaks against them, or the same ply was made in a likelier position that hardly differs, in which it had much the same
//! alternatives. So the ways of all positions are found first, by what was read; then positions are surveyed by how likely it
//! is that a ply was made in them, the likeliest first. When the match is followed again, other positions are
//! likely, and those that were passed over are surveyed then.

use action_model::ActionPrior;
use rules::Bitboard;
use rustc_hash::FxHashMap;
use shakmaty::Board;
use smallvec::SmallVec;

use crate::proposal::alternatives::{Alternatives, Kind, Open, Scene};
use crate::{
    beam::action_weight_cache::Surveys,
    proposal::{
        chosen_action::Made,
        transitions::{Departure, Successor, Ways},
    },
    state::position_table::{PositionId, Positions},
};

/// If the plies made in a position have less than this part of all probability, each weighs as it does in the surveyed position
/// that is most like it, and the position is surveyed only for want of one (decision 0009).
const SLIGHT: f64 = 3e-3;
/// Surveys made for one ply, at most; after that, plies weigh as elsewhere or as average ones.
const MAX_SURVEYS_A_PLY: usize = 256;

/// Surveyed positions, the likeliest, among which the one that is most like another is looked for: there may be thousands of others.
const MAX_EXAMPLES: usize = 8;

/// What is known when plies are weighed among their alternatives.
pub(crate) struct Weighing<'a> {
    /// The positions that ways come from, with their probabilities.
    pub(crate) departures: &'a [Departure],
    /// For each choice, how what came later changed its probability.
    pub(crate) leads: Option<&'a [f64]>,
    pub(crate) prior: &'a dyn ActionPrior,
}

impl Weighing<'_> {
    /// Weighs every ply that was noted, and keeps in mind those whose own alternatives were not looked at: when the match is
    /// followed again, other positions are the likely ones.
    pub(crate) fn weigh(&self, ways: &mut Ways, (positions, surveys): (&Positions, &mut Surveys)) {
        let noted = std::mem::take(&mut ways.alternatives);
        let mut examples = Examples::default();
        for (part, scene) in self.ranked(&noted, ways) {
            let is_known = |open: &Open| made(open, ways).is_some() || examples.has(&open.kind);
            let enough = surveys.count() >= MAX_SURVEYS_A_PLY;
            let Scene { place: (id, recent), roles, .. } = scene;
            if enough || part < SLIGHT && noted.of(&scene).all(is_known) {
                for open in noted.of(&scene) {
                    if let Some(made) = examples.nearest(&open.kind, id, positions) {
                        *made_mut(open, ways) = Some(made);
                    }
                }
                ways.alternatives.copy(&scene, &noted);
                continue;
            }
            let survey = surveys.of(id, recent, roles, positions, self.prior);
            let menu = ways.menus.len() as u32;
            ways.menus.push(*survey.menu());
            for open in noted.of(&scene) {
                let made = Made::of(open.kind.0, survey, menu);
                *made_mut(open, ways) = made;
                if let Some(made) = made {
                    examples.add(open.kind, id, made);
                }
            }
        }
    }

    /// The scenes with the parts of all probability that ways through them have, the likeliest first.
    fn ranked(&self, noted: &Alternatives, ways: &Ways) -> Vec<(f64, Scene)> {
        let weight = |way: &Successor| {
            way.weight * self.leads.map_or(1.0, |leads| leads[way.choice as usize])
        };
        let mut masses: FxHashMap<PositionId, f64> = FxHashMap::default();
        let mut total = 0.0;
        for &Departure { id, mass, .. } in self.departures {
            masses.insert(id, mass);
            total += mass * ways.from(id).iter().map(weight).sum::<f64>();
        }
        let part = |scene: &Scene| {
            let parts = noted.of(scene).map(|open| {
                let mass = masses.get(&open.from).copied().unwrap_or_default();
                mass * weight(&ways.successors[open.successor as usize])
            });
            parts.sum::<f64>() / total
        };
        let mut ranked: Vec<(f64, Scene)> =
            noted.scenes.iter().map(|scene| (part(scene), *scene)).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        ranked
    }
}

/// How plies weigh in the positions that were surveyed.
#[derive(Default)]
struct Examples(FxHashMap<Kind, SmallVec<[(PositionId, Made); 1]>>);

impl Examples {
    fn has(&self, kind: &Kind) -> bool {
        self.0.contains_key(kind)
    }

    fn add(&mut self, kind: Kind, id: PositionId, made: Made) {
        let known = self.0.entry(kind).or_default();
        if known.len() < MAX_EXAMPLES {
            known.push((id, made));
        }
    }

    /// How the ply weighs in the position that differs on the fewest squares from this one; the likeliest of several.
    fn nearest(&self, kind: &Kind, id: PositionId, positions: &Positions) -> Option<Made> {
        let board = positions.get(id).position.board();
        let apart = |&&(other, _): &&(PositionId, Made)| {
            different_squares(board, positions.get(other).position.board()).count()
        };
        match self.0.get(kind)?.as_slice() {
            [(_, only)] => Some(*only),
            several => several.iter().min_by_key(apart).map(|&(_, made)| made),
        }
    }
}

/// The squares on which other pieces stand.
fn different_squares(a: &Board, b: &Board) -> Bitboard {
    let kinds = |board: &Board| {
        [
            board.white(),
            board.pawns(),
            board.knights(),
            board.bishops(),
            board.rooks(),
            board.queens(),
            board.kings(),
        ]
    };
    kinds(a).into_iter().zip(kinds(b)).fold(Bitboard::EMPTY, |all, (a, b)| all | a ^ b)
}

/// How it weighs, as far as is known.
fn made<'a>(open: &Open, ways: &'a Ways) -> Option<&'a Made> {
    ways.successors[open.successor as usize].exchanges[open.exchange as usize].made.as_ref()
}

fn made_mut<'a>(open: &Open, ways: &'a mut Ways) -> &'a mut Option<Made> {
    let way = &mut ways.successors[open.successor as usize];
    &mut way.exchanges[open.exchange as usize].made
}

#[cfg(test)]
mod tests {
    use action_model::{Recent, RoleSet};
    use rules::{Color, Position, Role, Supply};

    use super::*;
    use crate::proposal::alternatives::Chosen;
    use action_model::UniformPrior;

    use crate::{proposal::transitions::Exchange, state::takeback::Takeback};

    const MOVE: &str = "e2e4";

    /// The ways of positions in which the same pawn moves, what was read being the same.
    fn ways_of(ids: &[PositionId]) -> Ways {
        let mut ways = Ways::new(ids.len(), [RoleSet::NONE; 2]);
        for &id in ids {
            let kind = (MOVE.parse().expect("a ply"), Color::White, Some(Role::Pawn));
            let place = (id, Recent::default());
            let chosen = Chosen { exchange: 0, place, roles: RoleSet::NONE, kind };
            let begin = ways.successors.len();
            ways.alternatives.note(begin, id, [chosen]);
            let exchange = Exchange { side: Color::White, drop: None, captured: None, made: None };
            ways.successors.push(Successor {
                weight: 1.0,
                target: id,
                choice: 0,
                on_credit: 0,
                settled: true,
                exchanges: SmallVec::from_iter([exchange]),
            });
            ways.note_explained(id, begin, [RoleSet::NONE; 2]);
        }
        ways
    }

    #[test]
    fn a_slight_position_is_surveyed_when_it_turns_out_to_be_likely() {
        let (mut positions, mut surveys) = (Positions::new(Supply::Partner), Surveys::default());
        let ids = [Position::initial(), Position::initial_swapped(true, false)]
            .map(|position| positions.intern(position, Takeback::Nothing).expect("room"));
        let mut ways = ways_of(&ids);
        let mut surveyed = |ways: &mut Ways, masses: [f64; 2]| {
            let departures = [0, 1].map(|at| Departure {
                id: ids[at],
                mass: masses[at],
                held: [RoleSet::NONE; 2],
            });
            let prior = &UniformPrior;
            Weighing { departures: &departures, leads: None, prior }
                .weigh(ways, (&positions, &mut surveys));
            let menus: Vec<u32> = ways
                .successors
                .iter()
                .flat_map(|way| way.exchanges[0].made)
                .map(|made| made.menu())
                .collect();
            (surveys.count(), menus)
        };
        assert_eq!(surveyed(&mut ways, [1.0 - SLIGHT / 2.0, SLIGHT / 2.0]), (1, vec![0, 0]));
        assert_eq!(surveyed(&mut ways, [SLIGHT, 1.0 - SLIGHT]), (2, vec![0, 1]));
        assert!(ways.alternatives.scenes.is_empty());
    }

    #[test]
    fn a_ply_weighs_as_in_the_surveyed_position_that_is_most_like_its_own() {
        let mut positions = Positions::new(Supply::Partner);
        let mut id = |plies: &[&str]| {
            let mut position = Position::initial();
            for ply in plies {
                position.play(ply.parse().expect("a ply"));
            }
            positions.intern(position, Takeback::Nothing).expect("room")
        };
        let (likely, near) = (id(&["d2d4", "g8f6"]), id(&["N@g4", "g8f6"]));
        let asked = id(&["B@g4", "g8f6"]);
        let kind = (MOVE.parse().expect("a ply"), Color::White, Some(Role::Pawn));
        let mut examples = Examples::default();
        let made = Made::average;
        examples.add(kind, likely, made(0));
        examples.add(kind, near, made(1));
        let nearest = examples.nearest(&kind, asked, &positions).map(|made| made.menu());
        assert_eq!(nearest, Some(1));
    }
}
