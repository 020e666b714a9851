//! ```text
//! cross-entropy of plies = mean over choices of -ln P(played)
//! cross-entropy of roles = mean over drops of -ln (weight(played) / Σ over held roles on the square of weight)
//! ```
//!
//! How right a prior is on choices that it was not trained on: its surprise, its hits and its calibration.

use std::fmt;

use action_model::{
    ActionPrior, RoleSet,
    training::{Example, TrainingMatch},
};
use rules::{Ply, RESERVE_ROLES, Reserve};

/// Bins of stated probabilities, each a tenth wide. Assumed: set by hand.
const BINS: usize = 10;

/// Hits among a number of cases.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Share {
    /// Number of hits. If n answers tie for the likeliest, a hit counts 1/n.
    right: f64,
    /// Number of cases.
    of: usize,
}

impl Share {
    /// Notes whether `made` is the greatest of all weights, itself among them.
    fn note(&mut self, made: f64, all: impl Iterator<Item = f64>) {
        let (mut more, mut as_much) = (false, 0usize);
        for weight in all {
            more |= weight > made;
            as_much += usize::from(weight == made);
        }
        self.right += if more { 0.0 } else { 1.0 / as_much.max(1) as f64 };
        self.of += 1;
    }

    /// In percent; 0 of none.
    fn percent(self) -> f64 {
        100.0 * self.right / self.of.max(1) as f64
    }
}

/// The choices of some matches, and how right a prior is about them.
#[derive(Default)]
pub(crate) struct Hits {
    /// Choices among two plies or more.
    plies: usize,
    surprise: f64,
    drop_surprise: f64,
    type_surprise: f64,
    /// The likeliest ply was played.
    best_ply: Share,
    /// The likeliest role was dropped, given the square and the reserve.
    drop_role: Share,
    /// The same for drops with several roles to choose from.
    drop_role_choice: Share,
    /// The same by the role that was dropped, in the order of [`RESERVE_ROLES`].
    by_role: [Share; 5],
    /// For each tenth of the stated probability of the likeliest role: the sum of the stated ones, and the hits.
    bins: [(f64, Share); BINS],
}

impl Hits {
    /// Adds the choices of a match.
    pub(crate) fn add(&mut self, prior: &ActionPrior, of: &TrainingMatch) {
        of.visit(|example| self.add_choice(prior, &example));
    }

    fn add_choice(&mut self, prior: &ActionPrior, example: &Example) {
        let action_weights = prior.action_weights(&example.position, &example.recent, RoleSet::ALL);
        let factors = prior.factors(&example.circumstances);
        let held = RoleSet::held(&example.circumstances.held);
        let mut possible = Vec::new();
        example.position.legal_plies(&example.circumstances.held, &mut possible);
        if possible.len() < 2 {
            return;
        }
        let weigh = |ply: Ply| {
            action_weights
                .weight(ply)
                .map_or(0.0, |found| found.weight * factors[found.class.index()])
        };
        let (played, totals) = (weigh(example.played), &action_weights.totals);
        let mine = played / (totals.of_moves(&factors) + totals.of_drops(&factors, held));
        let surprise = -libm::log(mine.clamp(f64::MIN_POSITIVE, 1.0));
        self.plies += 1;
        self.surprise += surprise;
        self.best_ply.note(played, possible.into_iter().map(weigh));
        if let Ply::Drop { role, to } = example.played
            && let Some(slot) = Reserve::slot(role)
        {
            self.drop_surprise += surprise;
            self.add_role(slot, RESERVE_ROLES.map(|role| weigh(Ply::Drop { role, to })), held);
        }
    }

    fn add_role(&mut self, slot: usize, weights: [f64; 5], held: RoleSet) {
        let possible = (0..5).filter(|&slot| held.has_slot(slot) && weights[slot] > 0.0);
        let all = || possible.clone().map(|slot| weights[slot]);
        let total: f64 = all().sum();
        self.type_surprise -= libm::log((weights[slot] / total).max(f64::MIN_POSITIVE));
        self.drop_role.note(weights[slot], all());
        self.by_role[slot].note(weights[slot], all());
        if all().count() > 1 {
            self.drop_role_choice.note(weights[slot], all());
            let stated = all().fold(0.0, f64::max) / total;
            let (sum, share) = &mut self.bins[((stated * BINS as f64) as usize).min(BINS - 1)];
            *sum += stated;
            share.note(weights[slot], all());
        }
    }
}

impl fmt::Display for Hits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} plies: surprise {:.4} nats a ply ({:.4} a drop); the likeliest ply was played in {:.1} %",
            self.plies,
            self.surprise / self.plies.max(1) as f64,
            self.drop_surprise / self.drop_role.of.max(1) as f64,
            self.best_ply.percent()
        )?;
        writeln!(
            f,
            "role of {} drops, square and reserve known: right {:.1} % ({:.1} % of {} with a choice), \
             surprise {:.4} nats",
            self.drop_role.of,
            self.drop_role.percent(),
            self.drop_role_choice.percent(),
            self.drop_role_choice.of,
            self.type_surprise / self.drop_role.of.max(1) as f64
        )?;
        write!(f, "  by role:")?;
        for (role, share) in RESERVE_ROLES.into_iter().zip(self.by_role) {
            write!(f, "  {} {:.1} % of {}", role.upper_char(), share.percent(), share.of)?;
        }
        write!(f, "\n  stated / right:")?;
        for (stated, share) in self.bins.iter().filter(|(_, share)| share.of > 0) {
            let stated = 100.0 * stated / share.of as f64;
            write!(f, "  {stated:.0}/{:.0} % ({})", share.percent(), share.of)?;
        }
        Ok(())
    }
}
