//! Update of the firmware of all nodes of the hall: ordered by the chief, sent to every hub until it reports the end, refused in play.
//!
//! Failures are troubles of the hub, which name the node and the remedy.

use referee::Phase;

use super::{Hall, acts::Actor, notices::Notice};

/// Time for which hubs are asked, milliseconds: one that was off meanwhile is asked when it comes back.
const ASKED_MS: u64 = 15 * 60 * 1_000;

/// An update of all nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodesUpdate {
    /// Time of the act, Unix milliseconds. It names the request: another database may have an act of the same number.
    at_ms: u64,
}

impl Hall {
    /// Orders an update, unless a match is played.
    pub(super) fn update_nodes(
        &mut self,
        (act, at_ms): (u64, u64),
        by: &Actor,
    ) -> Result<(), String> {
        self.check_no_play(|_| true, "no firmware is updated")?;
        self.nodes_update = Some(NodesUpdate { at_ms });
        self.event.note_hall((act, at_ms), by, "the firmware of all nodes is updated".to_owned());
        Ok(())
    }

    /// Refuses what cannot be done while matches are played at these tables.
    pub(super) fn check_no_play(
        &self,
        concerns: impl Fn(&super::Game) -> bool,
        refused: &str,
    ) -> Result<(), String> {
        let is_played = |game: &&super::Game| {
            let referee = game.referee();
            self.is_at_table(game)
                && !referee.is_over()
                && matches!(referee.phase(), Phase::Playing | Phase::Paused)
                && concerns(game)
        };
        let played = self.tables.matches.values().filter(is_played);
        let mut tables: Vec<&str> = played.map(|game| game.table.as_str()).collect();
        if tables.is_empty() {
            return Ok(());
        }
        tables.sort_by(|one, other| super::natural_order::compare(one, other));
        Err(format!(
            "matches are played at {} ({}): {refused} before they have ended and their clocks are reset",
            if tables.len() == 1 { "a table" } else { "tables" },
            tables.join(", ")
        ))
    }

    /// Connected hubs that have not reported the end of an update, each with the request to send.
    pub fn hubs_to_update(&self, now_ms: u64) -> Vec<(&str, u64)> {
        let asked = self.nodes_update.filter(|it| now_ms < it.at_ms.saturating_add(ASKED_MS));
        let Some(NodesUpdate { at_ms }) = asked else { return Vec::new() };
        let hubs = self.tables.hubs.iter();
        let waiting = hubs.filter(|(_, hub)| {
            self.tables.is_linked && hub.is_online() && hub.update_ended() != at_ms
        });
        waiting.map(|(id, _)| (id, at_ms)).collect()
    }

    /// Notices about hubs of which the end of an update is not known.
    pub(super) fn update_notices(&self) -> impl Iterator<Item = Notice> {
        let asked = self.nodes_update;
        let hubs = self.tables.hubs.iter().filter(move |(_, hub)| {
            asked.is_some_and(|it| hub.update_ended() != it.at_ms) && !hub.has_left()
        });
        hubs.map(|(name, _)| {
            let words = format!(
                "hub {name} has not reported the end of the update of its nodes: begin no match there; if this stays for a quarter of an hour, \
                 check that the hub is on, connected, and of this release, and update again"
            );
            Notice::new(format!("update:{name}"), words)
        })
    }
}
