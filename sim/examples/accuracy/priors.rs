//! Priors of the tracker, as contenders.

use std::{sync::Arc, time::Instant};

use action_model::{
    ActionPrior, Weights,
    training::{TrainingMatch, TrainingOptions, fine_tune, train},
};
use rayon::prelude::*;
use rules::Game;
use sim::accuracy::{Contender, Folds, Mind};

use crate::arguments::{Arguments, Prior};

/// Players measured.
pub(crate) struct Prepared {
    /// All, the hobby board first.
    pub(crate) contenders: Vec<Contender>,
    /// A line about each for the document.
    pub(crate) about: Vec<String>,
    /// Name of the one that is measured everywhere.
    pub(crate) main: String,
}

/// Makes the contenders; what learns from games does so here, once for each fold.
///
/// `games` are those of the folds, and those that every fold of the prior `learnt` learns from.
pub(crate) fn prepare(
    arguments: &Arguments,
    games: (&[TrainingMatch], &[TrainingMatch]),
    folds: &Folds,
) -> Prepared {
    let mut contenders = vec![Contender::new("hobby board", Mind::HobbyBoard)];
    let mut about = vec![
        "- **hobby board**: one position a board and the unique legal move that fits, as home-made boards \
         do (`sim/src/baseline`); no tracker at all."
            .to_owned(),
    ];
    for prior in &arguments.priors() {
        let (name, what) = described(*prior);
        let also = match (prior, games.1.len()) {
            (Prior::Learnt, also @ 1..) => {
                format!(
                    ", and on {also} further matches and games of crazyhouse ([decision 6](decisions/0006-action-model.md))"
                )
            }
            _ => String::new(),
        };
        about.push(format!("- **{name}**: {what}{also}."));
        let mind = Mind::Tracker(by_fold(*prior, arguments.game, games, folds));
        contenders.push(Contender::new(name, mind));
    }
    let main = contenders.last().map_or_else(String::new, |contender| contender.name.clone());
    Prepared { contenders, about, main }
}

/// Name of the prior that has learnt from no player of the matches.
pub(crate) const SELF_PLAY: &str = "self-play";

/// Name and explanation for the document.
const fn described(prior: Prior) -> (&'static str, &'static str) {
    match prior {
        Prior::Uniform => ("uniform", "everything that can be done is as likely"),
        Prior::SelfPlay => (
            SELF_PLAY,
            "the learnt model, trained on an engine's games alone (`sim/games/README.md`); no real game",
        ),
        Prior::Recorded => (
            "recorded",
            "the learnt model, trained from nothing on the real games of the other folds alone",
        ),
        Prior::Learnt => (
            "learnt",
            "the learnt model, trained on self-play and then on the real games of the other folds",
        ),
    }
}

/// Weights from games.
type Learn = dyn Fn(&[TrainingMatch]) -> Weights + Sync;

/// One prior for all games, or one for each fold that has not seen its games.
fn by_fold(
    prior: Prior,
    game: Game,
    (matches, also): (&[TrainingMatch], &[TrainingMatch]),
    folds: &Folds,
) -> Vec<Arc<ActionPrior>> {
    let base = Weights::base_of(game);
    let learn: Box<Learn> = match prior {
        Prior::Uniform => return vec![Arc::new(ActionPrior::uniform())],
        Prior::SelfPlay => return vec![Arc::new(ActionPrior::new(Weights::base_of(game)))],
        Prior::Recorded => Box::new(|matches| {
            let options = TrainingOptions::default();
            let mut go_on = |_| std::ops::ControlFlow::Continue(());
            train(matches, &Weights::zero(), &options, &mut go_on).weights
        }),
        Prior::Learnt => {
            Box::new(move |matches| fine_tune(&base, matches, &TrainingOptions::fine_tuning()))
        }
    };
    let began = Instant::now();
    let priors = (0..folds.count()).into_par_iter().map(|fold| {
        let mut seen: Vec<TrainingMatch> =
            folds.outside(fold).map(|game| matches[game].clone()).collect();
        if prior == Prior::Learnt {
            seen.extend_from_slice(also);
        }
        Arc::new(ActionPrior::new(learn(&seen)))
    });
    let priors = priors.collect();
    eprintln!(
        "{}: trained for {} folds in {:.0} s",
        described(prior).0,
        folds.count(),
        began.elapsed().as_secs_f64()
    );
    priors
}
