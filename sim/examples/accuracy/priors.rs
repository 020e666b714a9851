//! What the tracker believes players choose, as contenders.

use std::sync::Arc;

use anyhow::Result;
use inference::prior::{ActionPrior, FrequencyPrior, UniformPrior};
use rules::bpgn::BpgnGame;
use sim::accuracy::{Contender, Folds, Mind};

use crate::arguments::{Arguments, Prior};

/// Who is measured.
pub(crate) struct Prepared {
    /// All, the hobby board first.
    pub(crate) contenders: Vec<Contender>,
    /// A line about each for the document.
    pub(crate) about: Vec<String>,
    /// Name of the one that is measured everywhere.
    pub(crate) main: String,
}

/// Makes the contenders; what learns from games does so here, once for each fold.
pub(crate) fn prepare(
    arguments: &Arguments,
    _games: &[(String, BpgnGame)],
    _folds: &Folds,
) -> Result<Prepared> {
    let mut contenders = vec![Contender { name: "hobby board".to_owned(), mind: Mind::HobbyBoard }];
    let mut about = vec![
        "- **hobby board**: one position a board and the unique legal move that fits, as home-made boards \
         do (`sim/src/baseline`); no tracker at all."
            .to_owned(),
    ];
    for prior in &arguments.priors {
        let (name, what, by_fold): (&str, &str, Vec<Arc<dyn ActionPrior>>) = match prior {
            Prior::Uniform => (
                "uniform",
                "everything that can be done is as likely",
                vec![Arc::new(UniformPrior)],
            ),
            Prior::Frequency => (
                "frequency",
                "how often each type is dropped by rank, check and value attacked, from the engine \
                 games in `sim/games`",
                vec![Arc::new(FrequencyPrior::default())],
            ),
        };
        about.push(format!("- **{name}**: {what}."));
        contenders.push(Contender { name: name.to_owned(), mind: Mind::Tracker(by_fold) });
    }
    let main = contenders.last().map_or_else(String::new, |contender| contender.name.clone());
    Ok(Prepared { contenders, about, main })
}
