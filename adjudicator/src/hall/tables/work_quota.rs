//! How much work one hub may have the referees do.
//!
//! Each report of a match has the whole match judged anew, and a revision of an early ply has all later ones played again. So a few
//! megabytes of rows could keep every stage, and every later start, busy for hours. The work is counted
//! ([`referee::Referee::effort`]), and what is above a share is kept in the log and not followed. It is a function of the log like
//! everything else: a start follows exactly what was followed before.

use referee::Input;

use crate::hall::{Hall, Moment, refusal::Refusal};

/// Most work of one match, some three seconds. A match of bughouse with 130 plies and 600 reports takes less than a hundredth of it, one with
/// as many anomalies as there may be a half.
pub(in crate::hall) const MATCH_EFFORT_MAX: u64 = 400_000_000;

/// Most work of one hub, some half a minute: sixteen tables take about a fifth of it in a long day.
pub(in crate::hall) const HUB_EFFORT_MAX: u64 = 4_000_000_000;

/// Most plies of all matches of one hub: each is kept with the boards as it left them. Sixteen tables play a third of them in a long day.
pub(in crate::hall) const HUB_PLIES_MAX: u64 = 250_000;

/// Matches of a hub above their share that are named.
const NAMED_MAX: usize = 4;

/// What the referees have done for one hub.
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

    /// What a person has to know: kind and words.
    pub(in crate::hall) fn notices(&self) -> impl Iterator<Item = (String, String)> {
        let of_hub = self.is_spent().then(|| {
            "its rows have taken more work, or told more plies, than a thousand matches: what it says of matches now is kept and not \
             shown; look what it says so often, and give it another hub.id if it is no attack"
                .to_owned()
        });
        let of_match = |id: &String| {
            format!(
                "match {id} is followed no further: its hub has revised it so often that it has taken a hundred times the work of a match; \
                 what comes is kept and not shown"
            )
        };
        let of_matches = self.ended.iter().map(move |id| (format!("effort:{id}"), of_match(id)));
        of_hub.map(|words| ("effort".to_owned(), words)).into_iter().chain(of_matches)
    }
}

impl Hall {
    /// A hub's report reaches its match, if neither has had its share of work.
    pub(in crate::hall) fn follow(
        &mut self,
        moment: Moment,
        hub: &str,
        match_id: &str,
        t_us: u64,
        report: Input,
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
        let (before, plies_before) = self.cost_of(match_id);
        self.apply_to_match(moment.input, moment.shown_ms, match_id, t_us, report)?;
        let (after, plies_after) = self.cost_of(match_id);
        let spent = after - before;
        if let Some(game) = self.matches.get_mut(match_id) {
            game.effort += spent;
        }
        if let Some(of_hub) = self.hubs.get_mut(hub) {
            of_hub.effort.spent += spent;
            of_hub.effort.plies += plies_after.saturating_sub(plies_before);
        }
        Ok(())
    }

    /// The work that a match has been, and its plies.
    fn cost_of(&self, match_id: &str) -> (u64, u64) {
        let referee = self.matches.get(match_id).map(|game| game.referee());
        referee.map_or((0, 0), |it| (it.effort(), it.timeline().plies().len() as u64))
    }
}

#[cfg(test)]
mod tests;
