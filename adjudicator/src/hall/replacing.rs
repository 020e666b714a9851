//! Acts that would replace a confirmed result: none does so in passing.
//!
//! A link may lead to an earlier match, and two touches are quickly made. So an act that gives a match another result than the one that
//! is confirmed says why, or names the act that it replaces; without that it is refused with what it would replace.

use referee::{
    Entry, ResultReason,
    act::{Act, MatchResult, Remedy},
};
use rules::{
    Seat, Team,
    rulebook::{Offence, Penalty},
    standings::Outcome,
};

use super::{Game, Hall, believed::outcome};
use crate::hall::acts::{Decided, Verdict};

impl Hall {
    /// The result of a match that is confirmed, in words such as `1-0, confirmed, of round 2`; none while there is none.
    #[must_use]
    pub fn confirmed_words(&self, game: &Game) -> Option<String> {
        let (outcomes, round) = self.confirmed(game)?;
        let of = round.map(|round| format!(", of round {round}")).unwrap_or_default();
        Some(format!("{}, confirmed{of}", event::import::outcomes_to_text(&outcomes)))
    }

    /// Confirmed score of a match, from the view of its pairing's first side or else of team 1, and the round.
    fn confirmed(&self, game: &Game) -> Option<(Vec<Outcome>, Option<u8>)> {
        let pairing = game.pairing.and_then(|id| Some((id, self.event.state.pairings().get(&id)?)));
        let round = pairing.map(|(_, pairing)| pairing.round);
        if let Some(standing) = game.referee().result().filter(|standing| standing.is_final()) {
            return Some((vec![outcome(standing.result, self.first_is_one(game))], round));
        }
        let (_, pairing) = pairing.filter(|(_, pairing)| pairing.confirmed)?;
        Some((pairing.outcomes.clone(), round))
    }

    fn first_is_one(&self, game: &Game) -> bool {
        let first = game.pairing.and_then(|id| self.event.state.first_side_is_team_one(id));
        first.unwrap_or(true)
    }

    /// Refuses an act that would replace a confirmed result and says neither why nor which.
    pub(super) fn check_replacing(
        &self,
        match_id: &str,
        act: &Act,
        decided: &Decided,
    ) -> Result<(), String> {
        // A person without the right gets that reason, and not that a note is missing.
        let game =
            self.tables.matches.get(match_id).filter(|it| it.referee().refusal(act).is_none());
        let Some(game) = game else { return Ok(()) };
        let (Some((confirmed, _)), Some(result)) =
            (self.confirmed(game), self.result_by(game, decided))
        else {
            return Ok(());
        };
        let is_same = confirmed == [outcome(result, self.first_is_one(game))];
        let is_said = decided.note().is_some_and(|note| !note.trim().is_empty());
        let standing = game.referee().result().map(|standing| standing.act.0);
        let is_named = decided.replaces().is_some() && decided.replaces() == standing;
        if is_same || is_said || is_named {
            return Ok(());
        }
        let words = self.confirmed_words(game).unwrap_or_default();
        Err(format!("this replaces {words}: give a note that says why"))
    }

    /// The result that an act gives a match, if it gives one.
    fn result_by(&self, game: &Game, decided: &Decided) -> Option<MatchResult> {
        let referee = game.referee();
        let lost_by =
            |seat: Seat, reason| MatchResult { winner: Some(seat.opponent().team()), reason };
        let of_remedy = |remedy: &Remedy| match remedy {
            // Only the winner matters here.
            Remedy::LosesGame(loser) => Some(lost_by(*loser, ResultReason::IllegalPly)),
            Remedy::Draw => Some(MatchResult { winner: None, reason: ResultReason::Agreement }),
            _ => None,
        };
        let of_claim = |claim: u64, decision: Verdict| {
            let case = referee.claims().find(|case| case.id.0 == claim)?;
            of_remedy(&case.verdict.remedy(decision.into()))
        };
        match decided {
            Decided::EnterResult { winner, reason, .. } => {
                let reason = ResultReason::ALL.into_iter().find(|known| known.name() == reason)?;
                Some(MatchResult { winner: winner.map(Team::from), reason })
            }
            Decided::Rule { remedy: Some(remedy), .. }
            | Decided::Decide { remedy: Some(remedy), .. } => of_remedy(&Remedy::from(*remedy)),
            Decided::Rule { on, decision, .. } => of_claim(*on, *decision),
            Decided::Decide { appeal, decision, .. } => {
                let entry = |act: u64| {
                    let line = referee.ledger().iter().find(|line| line.act.0 == act)?;
                    Some(&line.entry)
                };
                let Entry::Appeal { of, .. } = entry(*appeal)? else { return None };
                match entry(of.0)? {
                    Entry::Ruling { claim, .. } | Entry::Decided { claim, .. } => {
                        of_claim(claim.0, *decision)
                    }
                    _ => None,
                }
            }
            Decided::Penalise { offence, whom, given, .. } => {
                let (offence, whom) = (Offence::from_code(offence)?, Seat::from(*whom));
                let earlier = self.earlier_offences(&game.id, offence, whom);
                let penalty = match given {
                    Some(given) => Penalty::from(*given),
                    None => referee.next_penalty(offence, whom, earlier).1?,
                };
                let loses = matches!(
                    penalty,
                    Penalty::LosesGame | Penalty::LosesMatch | Penalty::LosesBothGames
                );
                loses.then(|| lost_by(whom, ResultReason::Forfeit))
            }
            _ => None,
        }
    }
}
