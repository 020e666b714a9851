//! Items about one incident: several findings about one ply are one item, with all that was found.

use referee::Proposal;

use super::{Need, Urgency};

/// Items of one match, those about the same ply joined to the first of them. Of evidence of one kind about one board there is one item: it is
/// about the latest.
pub(super) fn joined(needs: impl Iterator<Item = Need>) -> Vec<Need> {
    let mut all: Vec<Need> = Vec::new();
    for need in needs {
        let is_same = |other: &&mut Need| {
            let key = |it: &Need| (it.board, it.ply, it.urgency, it.silent);
            need.ply.is_some() && key(other) == key(&need)
        };
        if let Some(first) = all.iter_mut().find(is_same) {
            join(first, &need);
            continue;
        }
        let is_again = |other: &&mut Need| {
            let key = |it: &Need| (it.board, it.urgency, it.what.clone());
            need.urgency == Urgency::Evidence && key(other) == key(&need)
        };
        match all.iter_mut().find(is_again) {
            Some(first) => *first = Need { id: first.id.clone(), since_ms: first.since_ms, ..need },
            None => all.push(need),
        }
    }
    all
}

/// Evidence about a board that gives a result, from that ply on, is in the item of the result, or soon will be.
pub(super) fn without_those_of(proposal: Option<&Proposal>, alerts: Vec<Need>) -> Vec<Need> {
    let is_of_result = |alert: &Need| {
        proposal.is_some_and(|proposal| {
            let is_later = proposal.ply.is_some() && alert.ply >= proposal.ply;
            is_later && alert.board == Some(proposal.board) && alert.urgency == Urgency::Evidence
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
