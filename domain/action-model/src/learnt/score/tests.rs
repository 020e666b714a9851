//! Unit tests of the weights in whole steps, against those of training.
#![cfg(feature = "training")]

use super::*;
use crate::{
    ActionPrior,
    action_weights::tests::share,
    training::{Example, TrainingMatch, surprise},
};

#[test]
fn whole_steps_give_the_probabilities_that_training_saw() {
    let text = include_str!("../../../../../sim/games/engine-001.bpgn");
    let game = rules::bpgn::read(text.as_bytes()).remove(0).expect("a game");
    let (weights, mut examples) = (Weights::of(rules::Game::Bughouse), 0);
    let prior = ActionPrior::new(weights.clone());
    TrainingMatch::new(&game).expect("a start").visit(|example: Example| {
        let scored = prior.action_weights(&example.position, &example.recent, RoleSet::ALL);
        let factors = prior.factors(&example.circumstances);
        let held = RoleSet::held(&example.circumstances.held);
        let share = share(&scored, example.played, &factors, held);
        let Some(surprise) = surprise(&weights, &example) else { return };
        assert!((surprise + libm::log(share)).abs() < 1e-3, "{surprise} {share}");
        examples += 1;
    });
    assert!(examples > 40);
}
