//! Items about one incident: several findings about one ply are one item, with all that was found.

use super::{Need, Urgency};

/// Items of one match, those about the same ply joined to the first of them.
pub(super) fn joined(needs: impl Iterator<Item = Need>) -> Vec<Need> {
    let mut all: Vec<Need> = Vec::new();
    for need in needs {
        let is_same = |other: &&mut Need| {
            let key = |it: &Need| (it.board, it.ply, it.urgency, it.silent);
            need.ply.is_some() && key(other) == key(&need)
        };
        match all.iter_mut().find(is_same) {
            Some(first) => join(first, &need),
            None => all.push(need),
        }
    }
    all
}

/// Findings about the ply that the boards give a result by are in the item of that result.
pub(super) fn without_those_of(result: Option<&Need>, alerts: Vec<Need>) -> Vec<Need> {
    let is_of_result = |alert: &Need| {
        result.is_some_and(|result| {
            let key = |need: &Need| (need.board, need.ply);
            result.ply.is_some() && key(result) == key(alert) && alert.urgency == Urgency::Evidence
        })
    };
    alerts.into_iter().filter(|alert| !is_of_result(alert)).collect()
}

fn join(first: &mut Need, other: &Need) {
    first.detail = format!("{} Also: {} {}", first.detail, other.what, other.detail);
    first.since_ms = first.since_ms.min(other.since_ms);
    first.confidence = match (first.confidence, other.confidence) {
        (Some(one), Some(another)) => Some(one.max(another)),
        (one, another) => one.or(another),
    };
}
