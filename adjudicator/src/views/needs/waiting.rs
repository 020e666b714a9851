//! Whoever still waits for a decision although play went on: teams that appealed, and matches that are not at their table any more.

use std::collections::HashSet;

use referee::{CaseState, Entry, StandingResult, act::Role};

use super::{Maker, Need, Urgency, seat_words};
use crate::{
    hall::{Game, event::staff::Rank},
    views::appeal_of,
};

impl Maker<'_> {
    /// Appeals on which nobody has decided, for whoever hears them.
    pub(super) fn appeals<'a>(&'a self, game: &'a Game) -> impl Iterator<Item = Need> + 'a {
        let ruled = game.referee().claims();
        let ruled = ruled.filter(|claim| matches!(claim.state, CaseState::Ruled(_)));
        ruled.filter_map(|claim| {
            let line = appeal_of(game, claim.id)?;
            let Entry::Appeal { to, .. } = line.entry else { return None };
            let id = format!("appeal:{}:{}", game.id, line.act);
            let mut need = self.need(id, Urgency::Claim, Some(game), &game.table);
            need.board = Some(claim.by.board);
            let who = seat_words(game.game, claim.by);
            need.what = format!("Appeal: {who} claimed {}", claim.kind.about());
            need.detail = "A team appeals the ruling.".to_owned();
            need.rule = line.rules.first().map(ToString::to_string);
            need.about = Some(line.act.to_string());
            need.ply = claim.against;
            need.since_ms = game.at_ms(line.t_us, self.clock_rate);
            need.level = if to == Role::FloorChief { Rank::Chief } else { Rank::SectionChief };
            Some(need)
        })
    }

    /// What waits in matches that have left their table. Nobody's time runs by it, so nothing of it is as urgent as what is at a table.
    pub(super) fn of_earlier_matches(&self) -> impl Iterator<Item = Need> {
        let tables = self.hall.tables().iter();
        let here: HashSet<&str> = tables.filter_map(|it| it.match_id.as_deref()).collect();
        let games = self.hall.games().into_iter();
        games.filter(move |game| !here.contains(game.id.as_str())).flat_map(|game| {
            let is_missing = self.is_result_missing(game);
            let result = is_missing.then(|| self.result(game)).flatten();
            let waits = self.claims(game).chain(self.appeals(game)).chain(result);
            waits
                .map(|need| Need { urgency: Urgency::Result, is_earlier: true, ..need })
                .collect::<Vec<_>>()
        })
    }

    /// Whether somebody waits for the result of a match.
    pub(super) fn is_result_missing(&self, game: &Game) -> bool {
        let event = self.hall.event();
        let is_final = game.referee().result().is_some_and(StandingResult::is_final);
        let waits = match game.pairing.and_then(|id| event.pairings().get(&id)) {
            Some(pairing) => !pairing.confirmed,
            // Where people are paired, it is asked first whose match it is.
            None => !event.pairings().values().any(|pairing| pairing.table == game.table),
        };
        waits && !is_final
    }
}
