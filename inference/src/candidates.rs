//! The plies that could explain one observation in one position.
//!
//! Candidates come from the squares that changed, not from the list of legal plies: a piece that is
//! gone from its square and a square that has become occupied name a ply at once, legal or not. Only
//! when no such ply explains what was seen are quieter ones tried, whose target has not been read yet
//! or never read empty.

use rules::{
    Bitboard, Color, IllegalReason, PROMOTION_ROLES, Ply, Position, Rank, Reserve, Role, Square,
};
use smallvec::SmallVec;

use crate::{
    effect::{Effect, Expected},
    legality,
    observation::Observation,
    prior::ActionPrior,
};

/// A ply that could explain an observation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Explanation {
    pub(crate) ply: Ply,
    /// Prior of the ply times probability of the observation; the type of a drop is not weighed.
    pub(crate) weight: f64,
    pub(crate) illegal: Option<IllegalReason>,
}

/// Explanations less likely than this are not worth a place in any beam.
pub(crate) const FLOOR: f64 = 1e-18;

/// Roles that somebody may drop, as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Roles(u8);

impl Roles {
    /// The five roles that a reserve can hold.
    pub(crate) const ALL: Roles = Roles(0b11111);
    /// None.
    pub(crate) const NONE: Roles = Roles(0);

    /// The roles of which `reserve` holds at least one.
    pub(crate) fn held(reserve: &Reserve) -> Roles {
        let counts = reserve.counts();
        Roles((0..5).filter(|&slot| counts[slot] > 0).fold(0, |set, slot| set | 1 << slot))
    }

    /// Both sets together.
    pub(crate) const fn union(self, other: Roles) -> Roles {
        Roles(self.0 | other.0)
    }

    /// Whether the role in this slot of [`RESERVE_ROLES`](rules::RESERVE_ROLES) is in the set.
    pub(crate) const fn has_slot(self, slot: usize) -> bool {
        self.0 & 1 << slot != 0
    }

    /// With this role; a king is never held.
    pub(crate) fn add(&mut self, role: Role) {
        if let Some(slot) = rules::RESERVE_ROLES.iter().position(|&held| held == role) {
            self.0 |= 1 << slot;
        }
    }

    /// Whether there is none.
    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    fn iter(self) -> impl Iterator<Item = Role> {
        rules::RESERVE_ROLES
            .into_iter()
            .enumerate()
            .filter(move |&(slot, _)| self.has_slot(slot))
            .map(|(_, role)| role)
    }
}

/// One position, whose side to move is asked what it did, and one observation.
pub(crate) struct Scene<'a> {
    pub(crate) position: &'a Position,
    pub(crate) expected: &'a Expected,
    pub(crate) observation: &'a Observation,
    /// Whose press ends the segment.
    pub(crate) presser: Color,
    /// What may be dropped.
    pub(crate) roles: Roles,
}

/// A reserve that holds everything: whether a piece was there to be dropped is weighed apart.
const FULL_RESERVE: Reserve = Reserve::from_counts([1; 5]);

impl Scene<'_> {
    /// Probability of the observation if no ply was made.
    pub(crate) fn without_ply(&self) -> f64 {
        self.observation.likelihood(&Effect::NONE, self.expected, self.expected, self.presser)
    }

    /// Own pieces that are not read where they should stand.
    fn departures(&self) -> Bitboard {
        self.expected.side(self.position.turn()) & !self.observation.after
    }

    /// Squares that are read occupied and changed, or should be empty.
    fn arrivals(&self) -> Bitboard {
        let own = self.expected.side(self.position.turn());
        self.observation.after & (self.observation.touched | !self.expected.occupied) & !own
    }

    /// Explanations whose target has been seen to change.
    pub(crate) fn settled(&self, out: &mut Vec<Explanation>) {
        let arrivals = self.arrivals();
        for from in self.departures() {
            for to in arrivals {
                self.consider_move(from, to, out);
            }
        }
        for to in arrivals & !self.expected.occupied {
            self.consider_drops(to, out);
        }
    }

    /// Explanations whose target has not been seen to change: pieces not yet read, captures by an
    /// exchange that left no trace, promoted pieces lying on their side.
    pub(crate) fn unsettled(
        &self,
        prior: &dyn ActionPrior,
        arrived: Bitboard,
        out: &mut Vec<Explanation>,
    ) {
        let departures = self.departures();
        let arrivals = self.arrivals();
        let mut plies = Vec::new();
        self.position.pseudo_legal_plies(&Reserve::EMPTY, &mut plies);
        plies.retain(|ply| {
            ply.from().is_some_and(|from| departures.contains(from)) && !arrivals.contains(ply.to())
        });
        for from in departures {
            self.consider_unsettled(&plies, from, prior, arrived, out);
            // Landed right after the press, perhaps beside the square where it belongs.
            for to in self.observation.filled_at_once & !(self.expected.occupied | arrivals) {
                if !plies.iter().any(|ply| (ply.from(), ply.to()) == (Some(from), to)) {
                    self.consider_move(from, to, out);
                }
            }
        }
        if (departures & !self.expected.may_be_unseen).is_empty() {
            for to in !(self.expected.occupied | self.observation.after) {
                self.consider_drops(to, out);
            }
        }
    }

    /// Only those that leave no piece to be read: captures by an exchange without a trace, and plies
    /// whose piece may lie unseen.
    pub(crate) fn unread(
        &self,
        prior: &dyn ActionPrior,
        arrived: Bitboard,
        out: &mut Vec<Explanation>,
    ) {
        let departures = self.departures();
        let exchanged = self.expected.side(self.position.turn().other())
            & self.observation.after
            & !self.observation.touched;
        let mut plies = Vec::new();
        self.position.pseudo_legal_plies(&Reserve::EMPTY, &mut plies);
        plies.retain(|ply| {
            let Ply::Move { from, to, promotion } = *ply else { return false };
            let lies = promotion.is_some() || self.expected.may_be_unseen.contains(from);
            departures.contains(from)
                && (exchanged.contains(to) || lies && !self.observation.after.contains(to))
        });
        for from in departures {
            self.consider_unsettled(&plies, from, prior, arrived, out);
        }
    }

    /// The quiet plies of one piece. Nothing has been seen of its captures, so what players take
    /// decides between them; on average they count as much as any ply.
    fn consider_unsettled(
        &self,
        plies: &[Ply],
        from: Square,
        prior: &dyn ActionPrior,
        arrived: Bitboard,
        out: &mut Vec<Explanation>,
    ) {
        let weighed: SmallVec<[(Ply, Option<f64>); 32]> = plies
            .iter()
            .filter(|ply| ply.from() == Some(from))
            .map(|&ply| (ply, prior.capture_weight(self.position, ply, arrived)))
            .collect();
        let captures = weighed.iter().filter_map(|(_, weight)| *weight);
        let (count, sum) =
            captures.fold((0.0, 0.0), |(count, sum), each| (count + 1.0, sum + each));
        for (ply, weight) in weighed {
            let Ply::Move { promotion, .. } = ply else { continue };
            let promoted = promotion.map_or(1.0, legality::promotion_weight);
            self.consider(ply, weight.map_or(1.0, |weight| weight * count / sum) * promoted, out);
        }
    }

    fn consider_move(&self, from: Square, to: Square, out: &mut Vec<Explanation>) {
        let pawn = self.position.board().role_at(from) == Some(Role::Pawn);
        if pawn && last_rank(self.position.turn()).contains(to) {
            for role in PROMOTION_ROLES {
                let ply = Ply::Move { from, to, promotion: Some(role) };
                self.consider(ply, legality::promotion_weight(role), out);
            }
        } else {
            self.consider(Ply::Move { from, to, promotion: None }, 1.0, out);
        }
    }

    fn consider_drops(&self, to: Square, out: &mut Vec<Explanation>) {
        for role in self.roles.iter() {
            self.consider(Ply::Drop { role, to }, 1.0, out);
        }
    }

    fn consider(&self, ply: Ply, share: f64, out: &mut Vec<Explanation>) {
        let effect = Effect::of(self.position, ply);
        let after = effect.apply(self.expected, self.position.turn());
        let seen = self.observation.likelihood(&effect, self.expected, &after, self.presser);
        let weight = legality::PLY * share * seen;
        if weight < FLOOR {
            return;
        }
        let illegal = self.position.illegality(ply, &FULL_RESERVE);
        let weight = weight * illegal.map_or(1.0, legality::illegal_weight);
        if weight >= FLOOR {
            out.push(Explanation { ply, weight, illegal });
        }
    }
}

fn last_rank(color: Color) -> Bitboard {
    Bitboard::from_rank(color.relative_rank(Rank::Eighth))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{prior::FrequencyPrior, segment::Segment};

    fn explain(
        position: &Position,
        events: &[(Square, bool)],
        unsettled: bool,
    ) -> Vec<Explanation> {
        let expected = Expected::of(position);
        let mut segment = Segment::new(position.occupied());
        for (index, &(square, occupied)) in events.iter().enumerate() {
            segment.read_square(index as u64 + 1, square, occupied);
        }
        let observation = segment.observe(events.len(), u64::MAX);
        let scene = Scene {
            position,
            expected: &expected,
            observation: &observation,
            presser: position.turn(),
            roles: Roles::ALL,
        };
        let mut out = Vec::new();
        scene.settled(&mut out);
        if unsettled {
            scene.unsettled(&FrequencyPrior::default(), Bitboard::EMPTY, &mut out);
        }
        out.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        out
    }

    fn best(explanations: &[Explanation]) -> String {
        explanations.first().map(|best| best.ply.to_string()).unwrap_or_default()
    }

    #[test]
    fn a_moved_piece_is_named_by_its_two_squares() {
        let found =
            explain(&Position::initial(), &[(Square::G1, false), (Square::F3, true)], false);
        assert_eq!(best(&found), "g1f3");
        assert_eq!(found[0].illegal, None);
    }

    #[test]
    fn a_piece_from_nowhere_is_a_drop_of_any_role() {
        let found = explain(&Position::initial(), &[(Square::E4, true)], false);
        assert_eq!(found.len(), 5);
        assert!(found.iter().all(|explanation| explanation.ply.is_drop()));
    }

    #[test]
    fn castling_is_seen_whichever_piece_goes_first() {
        let mut position = Position::initial();
        for ply in ["e2e4", "e7e5", "g1f3", "g8f6", "f1c4", "f8c5"] {
            position.play(ply.parse().expect("a ply"));
        }
        for (first, second) in [
            ((Square::E1, Square::G1), (Square::H1, Square::F1)),
            ((Square::H1, Square::F1), (Square::E1, Square::G1)),
        ] {
            let events = [(first.0, false), (first.1, true), (second.0, false), (second.1, true)];
            assert_eq!(best(&explain(&position, &events, false)), "e1g1");
        }
    }

    #[test]
    fn an_illegal_ply_is_explained_with_its_reason() {
        let found =
            explain(&Position::initial(), &[(Square::G1, false), (Square::G3, true)], false);
        assert_eq!(best(&found), "g1g3");
        assert_eq!(found[0].illegal, Some(IllegalReason::WrongGeometry));
    }

    #[test]
    fn a_promoted_pawn_may_lie_unseen_on_the_last_rank() {
        let mut position = Position::initial();
        for ply in ["P@b7", "e7e6"] {
            position.play(ply.parse().expect("a ply"));
        }
        let captures = explain(&position, &[(Square::A8, false), (Square::B7, false)], true);
        assert_eq!(best(&captures), "b7a8q");
    }

    #[test]
    fn a_capture_by_silent_exchange_is_found_among_the_quiet_plies() {
        let mut position = Position::initial();
        for ply in ["e2e4", "d7d5"] {
            position.play(ply.parse().expect("a ply"));
        }
        assert!(explain(&position, &[(Square::E4, false)], false).is_empty());
        let found = explain(&position, &[(Square::E4, false)], true);
        assert_eq!(best(&found), "e4d5");
    }
}
