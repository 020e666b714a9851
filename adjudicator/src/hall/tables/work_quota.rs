//! Limit of the work that one hub may cause the referees.
//!
//! Each report of a match causes a judgment of the whole match, and a revision of an early ply replays all later ones. So a few
//! megabytes of rows could keep every stage, and every later start, busy for hours. The work is counted
//! ([`referee::Referee::effort`]), and what is above a share is kept in the log and not followed. It is a function of the log like
//! everything else: a start follows exactly what was followed before.

use super::Tables;
use crate::hall::refusal::Refusal;

/// Limit of the work of one match, some three seconds. A match of bughouse with 130 plies and 600 reports takes less than a hundredth of it, one with
/// as many anomalies as there may be a half.
pub(in crate::hall) const MATCH_EFFORT_MAX: u64 = 400_000_000;

/// Limit of the work of one hub, some half a minute: sixteen tables take about a fifth of it in a long day.
pub(in crate::hall) const HUB_EFFORT_MAX: u64 = 4_000_000_000;

/// Maximum number of plies of all matches of one hub: each is kept with the boards after it. Sixteen tables play a third of them in a long day.
pub(in crate::hall) const HUB_PLIES_MAX: u64 = 250_000;

/// Matches of a hub above their share that are named.
const NAMED_MAX: usize = 4;

/// Work of the referees for one hub.
#[derive(Clone, Debug, Default)]
pub(in crate::hall) struct Effort {
    spent: u64,
    plies: u64,
    /// Matches that were followed no further.
    ended: Vec<String>,
}

impl Effort {
    fn is_spent(&self) -> bool {
        self.spent >= HUB_EFFORT_MAX || self.plies >= HUB_PLIES_MAX
    }

    /// The notices to directors: kind and words.
    pub(in crate::hall) fn notices(&self) -> impl Iterator<Item = (String, String)> {
        let of_hub = self.is_spent().then(|| {
            "its rows took more work, or held more plies, than a thousand matches: its further rows are stored, but not shown. Find out why it \
             repeats itself, and give it another hub.id if it is no attack"
                .to_owned()
        });
        let of_match = |id: &String| {
            format!(
                "match {id} is no longer followed: its hub revised it so often that it took a hundred times the work of a match. Further rows \
                 are stored, but not shown"
            )
        };
        let of_matches = self.ended.iter().map(move |id| (format!("effort:{id}"), of_match(id)));
        of_hub.map(|words| ("effort".to_owned(), words)).into_iter().chain(of_matches)
    }
}

impl Tables {
    /// Whether a hub's report of a match may have the referee work.
    pub(in crate::hall) fn check_effort(
        &mut self,
        hub: &str,
        match_id: &str,
    ) -> Result<(), Refusal> {
        let of_match = self.matches.get(match_id).map_or(0, |game| game.effort);
        let of_hub = self.hubs.of(hub);
        if of_match >= MATCH_EFFORT_MAX {
            let ended = &mut of_hub.effort.ended;
            if ended.len() < NAMED_MAX && !ended.iter().any(|id| id == match_id) {
                ended.push(match_id.to_owned());
            }
            return Err(format!("match {match_id} has had its share of work").into());
        }
        if of_hub.effort.is_spent() {
            return Err("its hub has had its share of work".to_owned().into());
        }
        Ok(())
    }

    /// Notes what a hub's report of a match has cost; `before`: what the match had cost.
    pub(in crate::hall) fn note_effort(&mut self, hub: &str, match_id: &str, before: (u64, u64)) {
        let (after, plies_after) = self.cost_of(match_id);
        let spent = after - before.0;
        if let Some(game) = self.matches.get_mut(match_id) {
            game.effort += spent;
        }
        if let Some(of_hub) = self.hubs.get_mut(hub) {
            of_hub.effort.spent += spent;
            of_hub.effort.plies += plies_after.saturating_sub(before.1);
        }
    }

    /// The work that a match has been, and its plies.
    pub(in crate::hall) fn cost_of(&self, match_id: &str) -> (u64, u64) {
        let referee = self.matches.get(match_id).map(|game| game.referee());
        referee.map_or((0, 0), |it| (it.effort(), it.timeline().plies().len() as u64))
    }
}

#[cfg(test)]
mod tests;
