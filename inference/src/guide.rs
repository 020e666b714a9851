//! Which stories a second look at a match should keep alive.
//!
//! The beam cuts hypotheses by what is known when it must cut; what comes later may speak for one that
//! is gone. Once the match has been followed to its end, it is known how much what came later changed
//! the probability of each choice of each segment. Following it again, hypotheses are ranked by their
//! probability times (a power of) these changes, so that places are not spent on what will be refuted.
//! Ranks decide which hypotheses survive and nothing else: the probabilities of those that do are the same
//! products of the same numbers as before.
//!
//! A guide can also be in doubt of one ply: stories that have it are ranked far behind, so that others, which would have had no
//! place beside them, are followed until they have shown what they are worth.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::{
    suspects::Suspect,
    trellis::{Backward, Choice, MadePly, Trellis},
    ways::ChoiceKey,
};

/// Added to a choice's probabilities, before and after what came later: a choice that was cut early was not
/// refuted.
const UNSEEN: f64 = 1e-3;

/// The factor of the rank of a story that has the ply that is doubted: as little as what is [cut](crate::selection), so that others come
/// first, however unlikely; where there is no other, the story goes on all the same.
const DOUBTED: f64 = 1e-5;

/// The change of a choice's probability, tempered: part of what came later has entered the probability of
/// a hypothesis by the time it is ranked, and what the survivors say of it is not all there is to say.
fn tempered(change: f64) -> f64 {
    libm::sqrt(libm::sqrt(change))
}

/// For every layer of a trellis, how what came later changed the probability of its choices.
#[derive(Clone, Debug)]
pub(crate) struct Guide {
    layers: Arc<Vec<FxHashMap<ChoiceKey, f64>>>,
    /// A ply that stories should rather be told without.
    doubted: Option<Suspect>,
}

impl Guide {
    /// What the probabilities of all choices in the end, `later`, say about the layers of a trellis that begins
    /// with the match.
    pub(crate) fn of(trellis: &Trellis, later: &Backward) -> Guide {
        let layers = (0..trellis.end())
            .map(|index| {
                let (Some(layer), Some(later)) = (trellis.layer(index), later.choices(index))
                else {
                    return FxHashMap::default();
                };
                let first = trellis.filtered(index);
                let changes = later
                    .iter()
                    .zip(first)
                    .map(|(later, first)| tempered((later + UNSEEN) / (first + UNSEEN)));
                layer.choices.iter().map(ChoiceKey::of).zip(changes).collect()
            })
            .collect();
        Guide { layers: Arc::new(layers), doubted: None }
    }

    /// The same, in doubt of this ply.
    pub(crate) fn in_doubt_of(&self, suspect: Suspect) -> Guide {
        Guide { layers: Arc::clone(&self.layers), doubted: Some(suspect) }
    }

    /// The factor of each of these choices of a layer. One that was not known before has 1, as far as it is not doubted.
    pub(crate) fn factors(&self, layer: usize, choices: &[Choice]) -> Vec<f64> {
        let known = self.layers.get(layer);
        let factor = |choice: &Choice| {
            let known = known.and_then(|known| known.get(&ChoiceKey::of(choice)));
            let factor = known.copied().unwrap_or(1.0);
            if self.doubts(layer, choice) { DOUBTED * factor } else { factor }
        };
        choices.iter().map(factor).collect()
    }

    fn doubts(&self, layer: usize, choice: &Choice) -> bool {
        self.doubted.is_some_and(|suspect| {
            let same = |made: &MadePly| (made.side, made.ply) == (suspect.side, suspect.ply);
            suspect.layer == layer && choice.plies.iter().any(same)
        })
    }
}
