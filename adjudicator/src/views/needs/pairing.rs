//! Items between matches and pairings: matches without a pairing, pairings with two matches, a match and a slip that differ.

use std::collections::BTreeMap;

use event::{Names, Pairing, PairingId, ResultSource, import::outcomes_to_text};

use super::{Maker, Need, Urgency};
use crate::hall::{Binding, Game};

/// A match with fewer plies and without a result is tried out, and nobody is asked whose it is.
const ASKED_FROM_PLIES: usize = 9;

impl Maker<'_> {
    /// Open items between matches and pairings.
    pub(super) fn of_pairings(&self) -> Vec<Need> {
        let games = self.hall.games();
        let mut matches: BTreeMap<PairingId, Vec<&Game>> = BTreeMap::new();
        for game in games.iter().filter(|game| game.is_begun()) {
            if let Some(id) = game.pairing {
                matches.entry(id).or_default().push(game);
            }
        }
        let pairings = self.hall.event().pairings().iter();
        let to_be_played = pairings.filter(|(_, pairing)| pairing.withdrawn.is_none());
        let none = Vec::new();
        let of_pairings = to_be_played.flat_map(|(id, pairing)| {
            let matches = matches.get(id).unwrap_or(&none);
            [
                self.on_paper(*id, pairing),
                self.of_two_matches(*id, pairing, matches),
                self.paper_differs(*id, pairing, matches),
                self.of_reports(*id, pairing),
                matches.last().and_then(|game| self.plays_on(*id, pairing, game)),
            ]
        });
        let unpaired = games.iter().map(|game| self.without_pairing(game));
        let ahead = games.iter().map(|game| self.of_later_round(game, &matches));
        let open = of_pairings.chain(unpaired).chain(ahead).flatten();
        open.map(|need| self.waited(need)).collect()
    }

    pub(super) fn about(&self, kind: &str, id: PairingId, pairing: &Pairing) -> Need {
        let need = self.need(format!("{kind}:{}", id.0), Urgency::Result, None, &pairing.table);
        Need {
            section: Some(pairing.section.clone()),
            round: Some(pairing.round),
            pairing: Some(id.0),
            ..need
        }
    }

    pub(super) fn sides(&self, id: PairingId) -> String {
        let [first, second] = self.hall.sides_of(id, Names::Shown);
        format!("{first} – {second}")
    }

    /// More matches than the pairing has games: one of them is another's.
    fn of_two_matches(&self, id: PairingId, pairing: &Pairing, matches: &[&Game]) -> Option<Need> {
        let last = matches.last().filter(|_| matches.len() > self.hall.games_of(pairing))?;
        Some(Need {
            match_id: Some(last.id.clone()),
            what: "Two matches of one pairing".to_owned(),
            detail: format!(
                "Round {}, {}: {} matches are assigned to it. On a match's page, set its pairing under \"This match belongs to\".",
                pairing.round,
                self.sides(id),
                matches.len()
            ),
            is_earlier: !self.hall.is_at_table(last),
            since_ms: last.opened_ms,
            ..self.about("two-matches", id, pairing)
        })
    }

    /// The paper says something else than the match. Where that is so at two tables crosswise, children sit at each other's.
    fn paper_differs(&self, id: PairingId, pairing: &Pairing, matches: &[&Game]) -> Option<Need> {
        let of_match = self.differing(pairing, matches)?;
        let game = matches.last()?;
        let pairings = self.hall.event().pairings().iter();
        let others = pairings.filter(|(other, it)| {
            **other != id && it.section == pairing.section && it.round == pairing.round
        });
        let crosswise = others.into_iter().find(|(other, it)| {
            let theirs = self.hall.outcomes_of(**other);
            it.result_source() == Some(ResultSource::Paper)
                && !theirs.is_empty()
                && theirs != it.outcomes
                && theirs == pairing.outcomes
                && it.outcomes == of_match
        });
        let what = match crosswise {
            Some((_, other)) => {
                format!("Do they sit at each other's tables? Table {}", other.table)
            }
            None => "Paper and match differ".to_owned(),
        };
        Some(Need {
            match_id: Some(game.id.clone()),
            what,
            detail: format!(
                "Round {}, {}: on paper {}, by the match {}.",
                pairing.round,
                self.sides(id),
                outcomes_to_text(&pairing.outcomes),
                outcomes_to_text(&of_match)
            ),
            is_earlier: !self.hall.is_at_table(game),
            since_ms: game.opened_ms,
            ..self.about("paper-differs", id, pairing)
        })
    }

    /// Results of the matches, if the paper has others.
    fn differing(
        &self,
        pairing: &Pairing,
        matches: &[&Game],
    ) -> Option<Vec<rules::standings::Outcome>> {
        let is_paper = pairing.result_source() == Some(ResultSource::Paper);
        let game = matches.last().filter(|_| is_paper)?;
        let shown = game.referee().proposal().filter(|_| game.referee().result().is_none());
        if shown.is_some_and(|proposal| self.is_later_than_paper(game, proposal)) {
            return None;
        }
        let id = game.pairing?;
        let of_match = self.hall.outcomes_of(id);
        (!of_match.is_empty() && of_match != pairing.outcomes).then_some(of_match)
    }

    /// A match that was played and is no pairing's, where people are paired.
    fn without_pairing(&self, game: &Game) -> Option<Need> {
        if game.pairing.is_some() || game.binding() == Binding::Said || !game.is_begun() {
            return None;
        }
        let mut pairings = self.hall.event().pairings().values();
        let is_paired_here = pairings.any(|pairing| pairing.table == game.table);
        let plies = game.referee().timeline().plies().len();
        let result = self.result(game);
        let is_decided = result.is_some() || game.referee().result().is_some();
        let is_played = plies >= ASKED_FROM_PLIES || is_decided;
        let is_asked = is_paired_here && (is_played || self.may_be_of_paper(game));
        let of_result = result.map(|need| format!(" {}", need.detail)).unwrap_or_default();
        is_asked.then(|| {
            let id = format!("no-pairing:{}", game.id);
            Need {
                what: "Whose match is it?".to_owned(),
                detail: format!(
                    "It belongs to no pairing: none was left to be played at this table when it began.{of_result} On its page, set its pairing, \
                     or none, under \"This match belongs to\"."
                ),
                is_earlier: !self.hall.is_at_table(game),
                since_ms: game.opened_ms,
                ..self.need(id, Urgency::Result, Some(game), &game.table)
            }
        })
    }

    /// A match that was taken for a later round's, while an earlier pairing of its table has no result: the match of that one may have been for
    /// fun, or this one is the earlier round's game, begun while another table's slip was entered there.
    fn of_later_round(
        &self,
        game: &Game,
        matches: &BTreeMap<PairingId, Vec<&Game>>,
    ) -> Option<Need> {
        if game.binding() != Binding::Played || !game.is_begun() {
            return None;
        }
        let pairings = self.hall.event().pairings();
        let (id, of) = (game.pairing?, pairings.get(&game.pairing?)?);
        let mut earlier = pairings.iter().filter_map(|(other, pairing)| {
            let here = pairing.table == of.table && pairing.section == of.section;
            let is_open = pairing.outcomes.is_empty() && pairing.withdrawn.is_none();
            let of_other = matches.get(other);
            let is_said =
                of_other.is_some_and(|games| games.iter().all(|it| it.binding() == Binding::Said));
            let is_earlier = here && is_open && !is_said && pairing.round < of.round;
            is_earlier.then_some((pairing.round, of_other.is_some()))
        });
        let (round, has_match) = earlier.next()?;
        let (other, remedy) = if has_match {
            (
                "match",
                "If that one was for fun, set the pairing of each under \"This match belongs to\" on its page.",
            )
        } else {
            (
                "pairing",
                "If this is its game, set that under \"This match belongs to\" on the match's page.",
            )
        };
        Some(Need {
            match_id: Some(game.id.clone()),
            what: format!("Is it of round {} already?", of.round),
            detail: format!(
                "It counts as round {}, {}, and the {other} of round {round} at this table has no result. {remedy}",
                of.round,
                self.sides(id)
            ),
            is_earlier: !self.hall.is_at_table(game),
            since_ms: game.opened_ms,
            round: Some(of.round),
            ..self.need(format!("round-ahead:{}", game.id), Urgency::Result, Some(game), &of.table)
        })
    }

    /// A match that was decided without a ply, under which a hub goes on.
    pub(super) fn withheld(&self, game: &Game) -> Option<Need> {
        let plies = game.withheld_plies();
        (plies > 0).then(|| {
            let id = format!("withheld:{}", game.id);
            let decided = game.ending().map(|ending| ending.text).unwrap_or_default();
            Need {
                what: "Play in a match that was decided".to_owned(),
                detail: format!(
                    "{decided}. Since then {plies} {} come under this match, and they are not in its record. If its players came after \
                     all, take the result back: the record goes on with them. If the next round is played, enter its result from paper.",
                    if plies == 1 { "ply has" } else { "plies have" }
                ),
                since_ms: game.at_ms(game.heard_us(), self.clock_rate),
                ..self.need(id, Urgency::Sensors, Some(game), &game.table)
            }
        })
    }
}
