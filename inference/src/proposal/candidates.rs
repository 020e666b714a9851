//! The plies that could explain one observation in one position.
//!
//! Candidates come from the squares that changed, not from the list of legal plies: a piece that is
//! gone from its square and a square that has become occupied name a ply at once, legal or not. Only
//! when no such ply explains what was seen are quieter ones tried, whose target has not been read yet
//! or never read empty.

use action_model::RoleSet;
use rules::{
    Bitboard, Color, IllegalReason, PROMOTION_ROLES, Ply, Position, Rank, Reserve, Role, Square,
    Supply,
};

use crate::{
    observation::{
        footprint::{Effect, Expected},
        summary::Observation,
    },
    proposal::slip,
    state::takeback::Takeback,
};

/// A ply that could explain an observation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Explanation {
    pub(crate) ply: Ply,
    /// Probability of the observation times that of an average ply ([`PLY`](crate::params::PLY)) or of an
    /// illegal one, or that of taking one back. What players choose among the legal ones is weighed apart.
    pub(crate) weight: f64,
    pub(crate) illegal: Option<IllegalReason>,
    /// Whether it takes a ply back, which nobody chooses among what could be done otherwise.
    pub(crate) takes_back: bool,
}

/// Explanations less likely than this are not worth a place in any beam.
pub(crate) const FLOOR: f64 = 1e-18;
/// The same where a match is doubted: an accident amid plies without a press is less likely than that, and is what happened.
pub(crate) const FLOOR_IN_DOUBT: f64 = 1e-30;

/// One position, whose side to move is asked what it did, and one observation.
pub(crate) struct Scene<'a> {
    pub(crate) position: &'a Position,
    pub(crate) expected: &'a Expected,
    pub(crate) observation: &'a Observation,
    /// Whose press ends the segment.
    pub(crate) presser: Color,
    /// Where droppable pieces come from.
    pub(crate) supply: Supply,
    /// What may be dropped.
    pub(crate) roles: RoleSet,
    /// What the side to move may take back.
    pub(crate) takeback: Takeback,
    /// Explanations less likely than this are left out.
    pub(crate) floor: f64,
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

    /// Squares that became occupied right after the press, none of them with an own piece on it before.
    fn landed_at_once(&self) -> Bitboard {
        self.observation.filled_at_once & !self.expected.side(self.position.turn())
    }

    /// Own pieces that left their squares right after the press.
    fn lifted_at_once(&self) -> Bitboard {
        self.observation.emptied_at_once
            & self.observation.after
            & self.expected.side(self.position.turn())
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
    /// exchange that left no trace, promoted pieces lying on their side. Drops without a trace are
    /// [apart](Self::unseen_drops).
    pub(crate) fn unsettled(&self, out: &mut Vec<Explanation>) {
        let departures = self.departures();
        let arrivals = self.arrivals();
        let mut plies = Vec::new();
        self.position.pseudo_legal_moves(departures, &mut plies);
        plies.retain(|ply| !arrivals.contains(ply.to()));
        let landed = self.landed_at_once();
        for from in departures {
            self.consider_quiet(&plies, from, out);
            // Landed right after the press, perhaps beside the square where it belongs.
            for to in landed & !(self.expected.occupied | arrivals) {
                if !plies.iter().any(|ply| (ply.from(), ply.to()) == (Some(from), to)) {
                    self.consider_move(from, to, out);
                }
            }
        }
        self.lifted_late(departures, landed, out);
        if (departures & !self.expected.may_be_unseen).is_empty() {
            for to in self.glimpsed() {
                self.consider_drops(to, out);
            }
        } else {
            // The opponent has begun to take the pieces that are gone, before the press and before this one was read.
            for to in landed & !(self.expected.occupied | self.observation.after) {
                self.consider_drops(to, out);
            }
        }
    }

    /// Free squares on which a piece was read for a moment or soon after.
    fn glimpsed(&self) -> Bitboard {
        let free = !(self.expected.occupied | self.observation.after);
        free & (self.observation.filled_soon | self.observation.filled)
    }

    /// Drops of which nothing has been read, on any free square, if nothing at all was read that could be a ply.
    pub(crate) fn unseen_drops(&self, out: &mut Vec<Explanation>) {
        let departed = self.departures() & !self.expected.may_be_unseen;
        if departed.is_empty() && self.glimpsed().is_empty() {
            for to in !(self.expected.occupied | self.observation.after) {
                self.consider_drops(to, out);
            }
        }
    }

    /// Pressed while the hand was still busy with the victim: even lifted only after the press.
    fn lifted_late(&self, departures: Bitboard, landed: Bitboard, out: &mut Vec<Explanation>) {
        for from in self.lifted_at_once() & !departures {
            for to in landed {
                self.consider_move(from, to, out);
            }
        }
    }

    /// Explanations by a piece whose square still reads occupied although it stands on another.
    pub(crate) fn stuck(&self, out: &mut Vec<Explanation>) {
        let stands = self.expected.side(self.position.turn()) & self.observation.after;
        let arrivals = self.arrivals();
        let mut plies = Vec::new();
        self.position.pseudo_legal_moves(stands, &mut plies);
        for ply in plies {
            let known = |explanation: &Explanation| explanation.ply == ply;
            if arrivals.contains(ply.to()) && !out.iter().any(known) {
                self.consider(ply, out);
            }
        }
    }

    /// Explanations whose target is one of these squares, read after the press.
    pub(crate) fn landed(&self, squares: Bitboard, out: &mut Vec<Explanation>) {
        let landed = squares & !self.expected.side(self.position.turn()) & !self.arrivals();
        if landed.is_empty() {
            return;
        }
        let departures = self.departures();
        for from in departures {
            for to in landed {
                self.consider_move(from, to, out);
            }
        }
        self.lifted_late(departures, landed, out);
        if departures.is_empty() {
            for to in landed & !self.expected.occupied {
                self.consider_drops(to, out);
            }
        }
    }

    /// Only those that leave no piece to be read: captures by an exchange without a trace, plies
    /// whose piece may lie unseen or was read for a moment only.
    pub(crate) fn unread(&self, out: &mut Vec<Explanation>) {
        let departures = self.departures();
        let exchanged = self.expected.side(self.position.turn().other())
            & self.observation.after
            & !self.observation.touched;
        let mut plies = Vec::new();
        self.position.pseudo_legal_moves(departures, &mut plies);
        plies.retain(|ply| {
            let Ply::Move { from, to, promotion } = *ply else { return false };
            let lies = promotion.is_some() && self.supply.has_partner()
                || self.expected.may_be_unseen.contains(from);
            exchanged.contains(to) || lies && !self.observation.after.contains(to)
        });
        let glimpsed = self.observation.filled & !self.observation.after;
        for from in departures {
            self.consider_quiet(&plies, from, out);
            for to in glimpsed & !Bitboard::from_square(from) {
                if !plies.iter().any(|ply| (ply.from(), ply.to()) == (Some(from), to)) {
                    self.consider_move(from, to, out);
                }
            }
        }
        if (departures & !self.expected.may_be_unseen).is_empty() {
            for to in glimpsed & !self.expected.occupied {
                self.consider_drops(to, out);
            }
        }
    }

    /// Drops whose piece is read on one of these squares only after later plies were read.
    pub(crate) fn landed_later(&self, squares: Bitboard, out: &mut Vec<Explanation>) {
        for to in squares & !(self.expected.occupied | self.observation.after) {
            self.consider_drops(to, out);
        }
    }

    /// The plies of one piece, of which nothing has been seen but that it is gone.
    fn consider_quiet(&self, plies: &[Ply], from: Square, out: &mut Vec<Explanation>) {
        for &ply in plies.iter().filter(|ply| ply.from() == Some(from)) {
            self.consider(ply, out);
        }
    }

    fn consider_move(&self, from: Square, to: Square, out: &mut Vec<Explanation>) {
        let pawn = self.position.board().role_at(from) == Some(Role::Pawn);
        if pawn && last_rank(self.position.turn()).contains(to) {
            self.consider_alike(
                PROMOTION_ROLES.map(|role| Ply::Move { from, to, promotion: Some(role) }),
                out,
            );
        } else {
            self.consider(Ply::Move { from, to, promotion: None }, out);
        }
    }

    fn consider_drops(&self, to: Square, out: &mut Vec<Explanation>) {
        self.consider_alike(self.roles.iter().map(|role| Ply::Drop { role, to }), out);
    }

    /// A ply that somebody says was made, however badly it fits what was seen.
    pub(crate) fn said(&self, ply: Ply, out: &mut Vec<Explanation>) {
        if out.iter().any(|known| known.ply == ply) {
            return;
        }
        let before = out.len();
        self.consider(ply, out);
        if out.len() == before {
            let illegal = self.position.illegality(ply, &FULL_RESERVE, self.supply);
            let takes_back = self.takeback.is_done_by(ply);
            out.push(Explanation { ply, weight: self.floor, illegal, takes_back });
        }
    }

    fn consider(&self, ply: Ply, out: &mut Vec<Explanation>) {
        self.consider_alike([ply], out);
    }

    /// Plies that differ only in the role that arrives, which the squares read alike.
    fn consider_alike(&self, plies: impl IntoIterator<Item = Ply>, out: &mut Vec<Explanation>) {
        let mut plies = plies.into_iter().peekable();
        let Some(&any) = plies.peek() else { return };
        let effect = Effect::of(self.position, any, self.supply);
        let after = effect.apply(self.expected, self.position.turn());
        let seen = self.observation.likelihood(&effect, self.expected, &after, self.presser);
        let takes_back = self.takeback.is_done_by(any);
        let weight = seen * self.takeback.weight_of(any);
        if weight < self.floor {
            return;
        }
        for ply in plies {
            let illegal = self.position.illegality(ply, &FULL_RESERVE, self.supply);
            let weight = match illegal {
                Some(reason) if !takes_back => weight * slip::weight(self.position, ply, reason),
                _ => weight,
            };
            if weight >= self.floor {
                out.push(Explanation { ply, weight, illegal, takes_back });
            }
        }
    }
}

fn last_rank(color: Color) -> Bitboard {
    Bitboard::from_rank(color.relative_rank(Rank::Eighth))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{params, sensing::segment::Segment};

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
        let observation = Observation::of(&segment, events.len(), u64::MAX);
        let scene = Scene {
            position,
            expected: &expected,
            observation: &observation,
            presser: position.turn(),
            supply: Supply::Partner,
            roles: RoleSet::ALL,
            takeback: Takeback::Nothing,
            floor: FLOOR,
        };
        let mut out = Vec::new();
        scene.settled(&mut out);
        if unsettled {
            scene.unsettled(&mut out);
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
    fn an_illegal_ply_is_put_back_more_easily_than_another_is_made() {
        let position = Position::initial();
        let expected = Expected::of(&position);
        let mut segment = Segment::new(position.occupied());
        segment.read_square(1, Square::G1, false);
        segment.read_square(2, Square::G3, true);
        let observation = Observation::of(&segment, 2, u64::MAX);
        let weight_after = |slip: &str| {
            let illegal = Some(IllegalReason::WrongGeometry);
            let slipped = Takeback::Nothing.after(slip.parse().expect("a ply"), illegal);
            let scene = Scene {
                position: &position,
                expected: &expected,
                observation: &observation,
                presser: Color::White,
                supply: Supply::Partner,
                roles: RoleSet::NONE,
                takeback: slipped.after("e7e5".parse().expect("a ply"), None),
                floor: FLOOR,
            };
            let mut out = Vec::new();
            scene.settled(&mut out);
            let [found] = out.as_slice() else { panic!("{out:?}") };
            assert_eq!(found.illegal, illegal);
            (found.takes_back, found.weight)
        };
        assert_eq!(weight_after("g3g1"), (true, params::TAKEN_BACK));
        let onwards = params::PLY * (1.0 - params::TAKEN_BACK) * params::BESIDE_ITS_AIM;
        assert_eq!(weight_after("f4g1"), (false, onwards));
    }

    #[test]
    fn a_promoted_pawn_may_lie_unseen_on_the_last_rank() {
        let mut position = Position::initial();
        for ply in ["P@b7", "e7e6"] {
            position.play(ply.parse().expect("a ply"));
        }
        let captures = explain(&position, &[(Square::A8, false), (Square::B7, false)], true);
        assert!(captures.iter().any(|found| found.ply.to_string() == "b7a8q"));
        assert!(captures.iter().all(|found| found.ply.to_string().starts_with("b7")));
    }

    /// What `look` finds in the initial position, White having pressed after `count` of these events.
    fn found_by(
        events: &[(Square, bool)],
        count: usize,
        look: impl Fn(&Scene<'_>, &mut Vec<Explanation>),
    ) -> Vec<String> {
        let position = Position::initial();
        let mut roles = RoleSet::NONE;
        roles.add(Role::Pawn);
        let mut segment = Segment::new(position.occupied());
        for (time, &(square, occupied)) in (1..).zip(events) {
            segment.read_square(200_000 * time, square, occupied);
        }
        let observation = Observation::of(&segment, count, 200_000 * (count as u64 + 1));
        let scene = Scene {
            position: &position,
            expected: &Expected::of(&position),
            observation: &observation,
            presser: Color::White,
            supply: Supply::Partner,
            roles,
            takeback: Takeback::Nothing,
            floor: FLOOR,
        };
        let mut out = Vec::new();
        look(&scene, &mut out);
        out.iter().map(|explanation| explanation.ply.to_string()).collect()
    }

    #[test]
    fn a_dropped_piece_that_is_read_late_is_looked_for_though_the_opponent_has_begun_to_take_another()
     {
        // White's knight is gone from f3 before the press, and a piece lands on e5 right after it.
        let read = [(Square::G1, false), (Square::E5, true)];
        let found = found_by(&read, 1, |scene, out| scene.unsettled(out));
        assert!(found.contains(&"P@e5".to_owned()), "{found:?}");
    }

    #[test]
    fn a_dropped_piece_that_flickered_is_looked_for_where_it_did_whatever_is_filled_next() {
        let flickered = [(Square::E4, true), (Square::E4, false), (Square::D5, true)];
        let found = found_by(&flickered, 2, |scene, out| scene.unsettled(out));
        assert!(
            found.contains(&"P@e4".to_owned()) && found.contains(&"P@d5".to_owned()),
            "{found:?}"
        );
    }

    #[test]
    fn a_piece_that_flickered_on_its_square_is_one_of_several_plies() {
        let moved = [(Square::E2, false), (Square::E4, true), (Square::E4, false)];
        assert!(found_by(&moved, 3, |scene, out| scene.unread(out)).contains(&"e2e4".to_owned()));
        let dropped = [(Square::E4, true), (Square::E4, false)];
        assert!(found_by(&dropped, 2, |scene, out| scene.unread(out)).contains(&"P@e4".to_owned()));
    }

    #[test]
    fn a_piece_whose_contact_stays_closed_may_have_moved() {
        assert_eq!(
            found_by(&[(Square::F3, true)], 1, |scene, out| scene.stuck(out)),
            ["g1f3", "f2f3"]
        );
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
