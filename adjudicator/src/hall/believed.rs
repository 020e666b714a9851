//! Score of a pairing's matches: derived from them at each change, and from nothing else.

use event::{Change, PairingId, Played};
use referee::ResultReason;
use rules::{
    Team,
    standings::{Outcome, Side},
};

use super::{Game, Hall};

impl Hall {
    /// Score of a pairing's matches.
    #[must_use]
    pub fn played(&self, id: PairingId) -> Played {
        let Some(pairing) = self.event.state.pairings().get(&id) else { return Played::default() };
        let first_is_one = self.event.state.first_side_is_team_one(id).unwrap_or(true);
        let games: Vec<&Game> = self.tables.matches.of_pairing(id).collect();
        let mut decided: Vec<_> = games.iter().filter_map(|game| game.referee().result()).collect();
        // Of more matches than there are games one is another pairing's: directors are asked, and until they say so what is final counts,
        // in the order of play.
        if decided.len() > self.event.games_of(pairing) {
            decided.sort_by_key(|standing| !standing.is_final());
            decided.truncate(self.event.games_of(pairing));
        }
        let outcomes: Vec<Outcome> =
            decided.iter().map(|standing| outcome(standing.result, first_is_one)).collect();
        let is_whole = outcomes.len() == self.event.games_of(pairing);
        let runs = |game: &&Game| {
            let referee = game.referee();
            let is_playing = referee.phase() == referee::Phase::Playing;
            is_playing && referee.result().is_none() && !game.is_done()
        };
        Played {
            running: games.iter().any(runs),
            is_final: is_whole && decided.iter().all(|standing| standing.is_final()),
            since: games.iter().map(|game| game.bound.since).max().unwrap_or_default(),
            outcomes,
        }
    }

    /// Score of a pairing's matches, by the boards' evidence where people have not decided them.
    #[must_use]
    pub fn outcomes_of(&self, id: PairingId) -> Vec<Outcome> {
        let first_is_one = self.event.state.first_side_is_team_one(id).unwrap_or(true);
        let games: Vec<&Game> = self.tables.matches.of_pairing(id).collect();
        let shown = |game: &&Game| {
            let decided = game.referee().result().map(|standing| standing.result);
            let proposal = game.referee().proposal().filter(|proposal| proposal.settled);
            let by_boards = || {
                let proposal = proposal?;
                let (winner, reason) = (proposal.winner, proposal.reason);
                Some(referee::act::MatchResult { winner, reason })
            };
            decided.or_else(by_boards)
        };
        games.iter().filter_map(shown).map(|result| outcome(result, first_is_one)).collect()
    }

    /// The event is given what the matches of a pairing come to by now.
    pub(super) fn follow_matches(&mut self, id: PairingId) {
        let played = self.played(id);
        let changes = self.event.state.note_played(id, played);
        if changes.iter().any(|change| matches!(change, Change::Result(_))) {
            self.partitions.touch_event(self.partition_of_pairing(id));
        }
    }
}

/// Score of a result, from the view of the pairing's first side.
pub(super) fn outcome(result: referee::act::MatchResult, first_is_one: bool) -> Outcome {
    let side = |team: Team| match (team == Team::One) == first_is_one {
        true => Side::First,
        false => Side::Second,
    };
    match (result.winner, result.reason) {
        (Some(team), ResultReason::Forfeit) => Outcome::ForfeitWin(side(team)),
        (Some(team), _) => Outcome::Win(side(team)),
        (None, ResultReason::Forfeit) => Outcome::DoubleForfeit,
        (None, _) => Outcome::Draw,
    }
}
