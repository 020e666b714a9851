//! Results from paper beside their matches: whether they wait, and whether the play at the table agrees with them.
//!
//! A slip may come while a clock runs: it was stopped late, it was forgotten, or the slip is another table's. The clock after
//! the slip is no evidence about the game. Plies are: then directors are asked.

use event::{Pairing, PairingId, ResultSource, import::outcomes_to_text};
use referee::Proposal;

use super::{Maker, Need};
use crate::hall::{Binding, Game};

/// Plies after a result from paper that are more than the end of a game that was reported early.
const PLAYED_ON_MIN: usize = 6;

impl Maker<'_> {
    /// A result from paper or from its sides that waits for its confirmation.
    pub(super) fn on_paper(&self, id: PairingId, pairing: &Pairing) -> Option<Need> {
        let by = match pairing.result_source()? {
            ResultSource::Paper => "On paper",
            ResultSource::Sides if pairing.reports().agree() => "Reported by both sides",
            ResultSource::Sides => "Reported by one side",
            ResultSource::Matches => return None,
        };
        // The boards' result is on the list by itself.
        let is_shown = pairing.result_source() == Some(ResultSource::Sides)
            && !self.hall.outcomes_of(id).is_empty();
        let waits = !pairing.confirmed && !is_shown;
        let text = outcomes_to_text(&pairing.outcomes);
        waits.then(|| Need {
            what: "Result to confirm".to_owned(),
            detail: format!("{by}, round {}: {} {text}.", pairing.round, self.sides(id)),
            ..self.about("paper", id, pairing)
        })
    }

    /// Play that goes on under a result from paper: the slip may be another table's.
    pub(super) fn plays_on(&self, id: PairingId, pairing: &Pairing, game: &Game) -> Option<Need> {
        let plies = self.plies_since_paper(game).filter(|&plies| plies >= PLAYED_ON_MIN)?;
        let result = outcomes_to_text(&pairing.outcomes);
        self.hall.is_at_table(game).then(|| Need {
            match_id: Some(game.id.clone()),
            what: "Play goes on after a result from paper".to_owned(),
            detail: format!(
                "Round {}, {}: {result} was entered from paper, and {plies} plies were made since. If the slip is another table's, take the \
                 result back under this pairing on Event; if they only look at their game, put this away.",
                pairing.round,
                self.sides(id)
            ),
            since_ms: self.hall.paper_ms(id).unwrap_or(game.opened_ms),
            ..self.about("plays-on", id, pairing)
        })
    }

    /// Whether a match is over because its result was confirmed from paper, and play has stopped.
    pub(super) fn is_settled_on_paper(&self, game: &Game) -> bool {
        let pairing = game.pairing.and_then(|id| self.hall.event().pairings().get(&id));
        let is_confirmed = pairing.is_some_and(|pairing| pairing.confirmed);
        let plies = self.plies_since_paper(game).filter(|_| is_confirmed);
        plies.is_some_and(|plies| plies < PLAYED_ON_MIN)
    }

    /// Whether the slip of a pairing may be about this match of no pairing: it was entered after this match had been set up, and the pairing's
    /// one match is earlier and has no result; or it has none, because this one began while another table's slip was entered.
    pub(super) fn may_be_of_paper(&self, game: &Game) -> bool {
        let is_of_paper = |(id, pairing): (&PairingId, &Pairing)| {
            let is_here = pairing.table == game.table && pairing.withdrawn.is_none();
            let is_paper = pairing.result_source() == Some(ResultSource::Paper);
            let is_later = || self.hall.paper_ms(*id).is_some_and(|at_ms| at_ms >= game.opened_ms);
            if !is_here || !is_paper || !is_later() {
                return false;
            }
            let mut matches = self.hall.games_of_pairing(*id).filter(|other| other.is_begun());
            let Some(first) = matches.next() else {
                return self.hall.was_paired_before(*id, game);
            };
            first.binding() == Binding::Played
                && first.opened_ms <= game.opened_ms
                && first.referee().result().is_none()
                && matches.next().is_none()
        };
        self.hall.event().pairings().iter().any(is_of_paper)
    }

    /// Whether boards and clocks showed a result only after the one from paper, and without play.
    pub(super) fn is_later_than_paper(&self, game: &Game, proposal: &Proposal) -> bool {
        let plies = self.plies_since_paper(game);
        let is_later = || self.paper_us(game).is_some_and(|paper_us| proposal.t_us > paper_us);
        plies.is_some_and(|plies| plies < PLAYED_ON_MIN) && is_later()
    }

    /// Plies of a match since its pairing got its result from paper; none where it has none.
    fn plies_since_paper(&self, game: &Game) -> Option<usize> {
        let paper_us = self.paper_us(game)?;
        let plies = game.referee().timeline().plies().iter();
        Some(plies.filter(|ply| ply.report.t_us > paper_us).count())
    }

    /// The match time at which its pairing got its result from paper.
    fn paper_us(&self, game: &Game) -> Option<u64> {
        let id = game.pairing?;
        let pairing = self.hall.event().pairings().get(&id)?;
        let is_paper = pairing.result_source() == Some(ResultSource::Paper);
        let paper_ms = self.hall.paper_ms(id).filter(|_| is_paper)?;
        Some(game.match_time_us(paper_ms, self.clock_rate))
    }
}
