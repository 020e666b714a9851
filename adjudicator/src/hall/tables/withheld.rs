//! Plies that come under a match that was decided before its first.
//!
//! A forfeit was entered for a match that stood set up, and a hub goes on with it when the next game is played there. Those plies are not
//! the forfeited match's: they wait here, and directors are told. If the result is taken back, because the players came after all, the
//! match goes on with them. Plies from before the decision that came late over a bad line belong to the match.

use referee::Input;

use super::Tables;

/// Maximum number of waiting reports of a match; the log has the others, too.
const WITHHELD_MAX: usize = 2_000;

/// Reports that wait, oldest first, with their match times.
#[derive(Clone, Debug, Default)]
pub(in crate::hall) struct Withheld {
    reports: Vec<(u64, Input)>,
    plies: usize,
    /// Time of the decision, Unix milliseconds of this machine.
    decided_ms: u64,
}

impl Tables {
    /// A match has taken an input: it may be decided by it.
    pub(in crate::hall) fn note_decided(&mut self, at_ms: u64, match_id: &str) {
        let Some(game) = self.matches.get_mut(match_id) else { return };
        let is_decided = game.is_final();
        match (is_decided, game.withheld.decided_ms) {
            (true, 0) => game.withheld.decided_ms = at_ms,
            (false, _) => game.withheld.decided_ms = 0,
            (true, _) => {}
        }
    }

    /// Whether a report is about plies of a match that was decided without one, and made after that: then it waits.
    pub(in crate::hall) fn withhold(
        &mut self,
        match_id: &str,
        (read_ms, t_us): (u64, u64),
        report: &Input,
    ) -> bool {
        let is_of_ply = matches!(
            report,
            Input::Ply(_) | Input::PlyRetracted(_) | Input::Anomaly(_) | Input::AnomalyRetracted(_)
        );
        let Some(game) = self.matches.get_mut(match_id).filter(|_| is_of_ply) else { return false };
        let is_first = matches!(report, Input::Ply(_)) || game.withheld.plies > 0;
        let is_of_before = read_ms <= game.withheld.decided_ms;
        if !is_first
            || is_of_before
            || !game.is_final()
            || !game.referee().timeline().plies().is_empty()
        {
            return false;
        }
        let withheld = &mut game.withheld;
        withheld.plies += usize::from(matches!(report, Input::Ply(ply) if ply.revision == 0));
        withheld.plies = withheld.plies.max(1);
        if withheld.reports.len() < WITHHELD_MAX {
            withheld.reports.push((t_us, report.clone()));
        }
        true
    }

    /// The reports that waited for a match whose result was taken back.
    pub(in crate::hall) fn take_withheld(&mut self, match_id: &str) -> Vec<(u64, Input)> {
        let game = self.matches.get_mut(match_id).filter(|game| !game.is_final());
        game.map(|game| std::mem::take(&mut game.withheld).reports).unwrap_or_default()
    }
}

impl super::game::Game {
    /// Plies that came after it had been decided without one, and are not in its record.
    #[must_use]
    pub fn withheld_plies(&self) -> usize {
        self.withheld.plies
    }
}
