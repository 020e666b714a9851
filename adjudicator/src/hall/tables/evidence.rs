//! People's facts about plies, on their way to the hub, and requested readings, on their way back.

use referee::PlyId;
use rules::Ply;

use super::{
    Tables,
    orders::{Giving, OrderCase, Ordered},
};
use crate::hall::report::Clip;

/// Longest part of a match whose readings are asked for, microseconds.
const EVIDENCE_MAX_US: u64 = 60_000_000;

/// Span of the readings that a new claim requests: before the completion of the ply, and after it.
const CLAIMED_BEFORE_US: u64 = 10_000_000;
const CLAIMED_AFTER_US: u64 = 5_000_000;
/// Maximum number of clips of one match.
const CLIPS_MAX: usize = 32;

impl Tables {
    /// Orders the hub to follow a match with the fact about a ply.
    pub(in crate::hall) fn order_fact(
        &mut self,
        giving: &Giving<'_>,
        match_id: &str,
        ply: PlyId,
        said: Option<Ply>,
    ) -> Result<(), String> {
        let place = self.matches.get(match_id).and_then(|game| {
            let mut plies = game.referee().timeline().plies().iter();
            let found = plies.find(|known| known.report.id == ply)?;
            Some((found.report.board, found.report.side, found.report.t_us))
        });
        let (board, side, t_us) = place.ok_or_else(|| format!("there is no ply {ply}"))?;
        let side = if side.is_white() { "white" } else { "black" };
        let mut line = serde_json::json!({
            "kind": "fact", "match": match_id, "board": board.to_string(), "side": side, "t_us": t_us,
        });
        match said {
            Some(said) => line["uci"] = said.to_string().into(),
            None => line["made"] = false.into(),
        }
        self.order(giving, match_id, Ordered::Fact(line.to_string()), None)
    }

    /// Orders the hub to end a match that people decided before its first ply: later play there is another match.
    pub(in super::super) fn order_end(&mut self, giving: &Giving<'_>, match_id: &str) {
        let Some(game) = self.matches.get(match_id) else { return };
        let is_unplayed = game.referee().timeline().plies().is_empty();
        if game.is_final() && is_unplayed && self.is_at_table(game) {
            let line =
                serde_json::json!({ "kind": "fact", "match": match_id, "result": "decided" });
            // The order is refused only where there are too many already: rows under the match wait then.
            drop(self.order(giving, match_id, Ordered::Fact(line.to_string()), None));
        }
    }

    /// Requests the readings around a claim's ply, so that no director has to.
    pub(in crate::hall) fn attach_evidence(&mut self, giving: &Giving<'_>, match_id: &str) {
        let Some(game) = self.matches.get(match_id) else { return };
        let Some(claim) = game.referee().claims().find(|claim| claim.id.0 == giving.act) else {
            return;
        };
        let against = claim.verdict.against.or(claim.against);
        let ply = against.and_then(|ply| game.referee().timeline().ply(ply));
        let at_us = ply.map_or(claim.stopped_us, |ply| ply.report.t_us);
        let from_us = at_us.saturating_sub(CLAIMED_BEFORE_US);
        // Refused only where there are too many already: the claim is open all the same.
        drop(self.order_evidence(
            giving,
            match_id,
            (from_us, at_us.saturating_add(CLAIMED_AFTER_US)),
        ));
    }

    /// Requests readings.
    pub(in crate::hall) fn order_evidence(
        &mut self,
        giving: &Giving<'_>,
        match_id: &str,
        (from_us, to_us): (u64, u64),
    ) -> Result<(), String> {
        if to_us.checked_sub(from_us).is_none_or(|long_us| long_us > EVIDENCE_MAX_US) {
            return Err("ask for at most a minute".to_owned());
        }
        self.order(giving, match_id, Ordered::Evidence(from_us, to_us), None)
    }

    /// Keeps the readings that a hub has sent.
    pub(in crate::hall) fn note_clip(
        &mut self,
        input: u64,
        hub: &str,
        clip: Clip,
    ) -> Result<(), String> {
        let game = self.matches.get_mut(&clip.match_id).filter(|game| game.hub == hub);
        let game = game.ok_or_else(|| format!("match {} is not this hub's", clip.match_id))?;
        let order = game.orders.iter().find(|order| order.id == clip.order);
        let act = order.map(|order| order.act).ok_or("no director has requested this evidence")?;
        if game.clips.len() >= CLIPS_MAX {
            game.clips.remove(0);
        }
        game.clips.push((act, clip));
        game.changed_input = input;
        Ok(())
    }

    /// Takes the fact of an act back, if it was of one.
    pub(in crate::hall) fn withdraw_fact(&mut self, giving: &Giving<'_>, match_id: &str, act: u64) {
        let of_act =
            |order: &&OrderCase| order.act == act && matches!(order.what, Ordered::Fact(_));
        let game = self.matches.get(match_id);
        let fact = game.and_then(|game| game.orders.iter().find(of_act)).map(|order| order.id);
        let is_withdrawn = |of: u64| {
            let mut orders = game.into_iter().flat_map(|game| &game.orders);
            orders.any(|order| order.what == Ordered::FactWithdrawn(of))
        };
        if let Some(fact) = fact.filter(|&fact| !is_withdrawn(fact)) {
            // Refused only where there are too many already.
            drop(self.order(giving, match_id, Ordered::FactWithdrawn(fact), None));
        }
    }
}
