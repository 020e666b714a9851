//! The hub of each table and match, and other hubs that claim them.
//!
//! A table belongs to the hub that the organiser names, or to the first that reports it. It is free for another when its hub has
//! sent its farewell, or its will has come. A match belongs to the hub that opened it. Another hub's rows about either are kept in the
//! log and not shown: two hubs of one configuration, as cloned cards make them, would mix two matches, and a hub's account in
//! wrong hands could rewrite every board of the hall. Hubs name matches after themselves, their tables and the second; whoever could open
//! matches under names that other hubs will use would keep those hubs' matches from being shown.

use std::collections::BTreeMap;

use crate::{hall::Notice, limits::CLAIMING_HUBS_MAX};

/// Maximum number of remembered claims of one hub: one hub's endless claims must not hide another's.
const CLAIMS_OF_HUB_MAX: usize = 8;
/// The hub to which a table or match belongs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::hall) enum Owner {
    /// None has claimed it.
    #[default]
    Nobody,
    /// The first that claimed it.
    Claimed(String),
    /// One that claimed it and does not serve it any more: it is free for another one, and counts as this one's until then.
    Released(String),
    /// The hub that the organiser names.
    Named(String),
}

impl Owner {
    /// The hub, if there is one.
    pub(in crate::hall) fn hub(&self) -> Option<&str> {
        match self {
            Owner::Nobody => None,
            Owner::Claimed(hub) | Owner::Released(hub) | Owner::Named(hub) => Some(hub),
        }
    }

    /// Records that `hub` does not serve this any more.
    pub(in crate::hall) fn release(&mut self, hub: &str) -> bool {
        let is_its = *self == Owner::Claimed(hub.to_owned());
        if is_its {
            *self = Owner::Released(hub.to_owned());
        }
        is_its
    }

    /// Records that `hub` serves this; `has_left` tests whether a hub has sent its farewell. `true` if it may.
    pub(in crate::hall) fn claim(&mut self, hub: &str, has_left: impl Fn(&str) -> bool) -> bool {
        let is_free = match self {
            Owner::Nobody => true,
            Owner::Claimed(owner) => owner != hub && has_left(owner),
            Owner::Released(_) => true,
            Owner::Named(_) => false,
        };
        if is_free {
            *self = Owner::Claimed(hub.to_owned());
        }
        self.hub() == Some(hub)
    }
}

/// The hub and the table after which a hub names a match: `hub-1-3` in `hub-1-3-20260307T140502`. None: it is named otherwise, as no hub
/// names its matches.
pub(in crate::hall) fn hub_and_table(match_id: &str) -> Option<&str> {
    let (hub_and_table, second) = match_id.rsplit_once('-')?;
    let (date, time) = second.split_once('T')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    (is_number(date) && is_number(time)).then_some(hub_and_table)
}

/// Whether these are a hub and its table.
pub(in crate::hall) fn is_hub_and_table(hub_and_table: &str, hub: &str, table: &str) -> bool {
    let rest = hub_and_table.strip_prefix(hub).and_then(|rest| rest.strip_prefix('-'));
    rest == Some(table)
}

/// Hubs that report another hub's tables or matches.
#[derive(Clone, Debug, Default)]
pub(in crate::hall) struct Strangers {
    /// The owner, by the claiming hub and the claimed thing (`table 1`).
    met: BTreeMap<String, BTreeMap<String, String>>,
}

impl Strangers {
    /// Records that `hub` reports `what`, which belongs to `owner`. Returns the notice, if it is the first report.
    pub(in crate::hall) fn meet(&mut self, what: &str, hub: &str, owner: &str) -> Option<String> {
        if self.met.len() >= CLAIMING_HUBS_MAX && !self.met.contains_key(hub) {
            return None;
        }
        let of_hub = self.met.entry(hub.to_owned()).or_default();
        let known = of_hub.get(what);
        if known.is_some_and(|known| known == owner)
            || (known.is_none() && of_hub.len() >= CLAIMS_OF_HUB_MAX)
        {
            return None;
        }
        of_hub.insert(what.to_owned(), owner.to_owned());
        Some(words(what, hub, owner))
    }

    /// `what` belongs to `hub` now.
    pub(in crate::hall) fn settle(&mut self, what: &str, hub: &str) {
        if let Some(of_hub) = self.met.get_mut(hub) {
            of_hub.remove(what);
        }
    }

    /// The notices to directors.
    pub(in crate::hall) fn notices(&self) -> impl Iterator<Item = Notice> {
        self.met.iter().flat_map(|(hub, of)| {
            of.iter().map(move |(what, owner)| {
                Notice::new(format!("stranger:{hub}:{what}"), words(what, hub, owner))
            })
        })
    }
}

fn words(what: &str, hub: &str, owner: &str) -> String {
    format!(
        "hub {hub} reports {what}, which hub {owner} serves. Its reports are stored, but not shown. Give one of them another hub.id and other \
         table names, or name the right hub under [[table]]"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_belongs_to_the_first_hub_until_that_says_goodbye() {
        let mut owner = Owner::default();
        assert!(owner.claim("north", |_| false));
        assert!(!owner.claim("south", |_| false));
        assert!(owner.claim("north", |_| true), "it has come back");
        assert!(owner.claim("south", |hub| hub == "north"));
        assert_eq!(owner.hub(), Some("south"));
    }

    #[test]
    fn a_released_table_is_free_for_another_hub_and_counts_as_the_first_ones() {
        let mut owner = Owner::default();
        assert!(!owner.release("north") && owner.claim("north", |_| false));
        assert!(!owner.release("south") && owner.release("north"));
        assert_eq!(owner.hub(), Some("north"));
        assert!(owner.claim("south", |_| false));
        assert!(!owner.claim("north", |_| false), "it is the other one's");
    }

    #[test]
    fn a_table_that_the_organiser_gave_to_a_hub_stays_its() {
        let mut owner = Owner::Named("north".to_owned());
        assert!(!owner.claim("south", |_| true));
        assert!(owner.claim("north", |_| true));
    }

    #[test]
    fn a_match_is_named_after_a_hub_and_a_table_and_the_second() {
        assert_eq!(hub_and_table("hub-1-3-20260307T140502"), Some("hub-1-3"));
        for other in ["m1", "hub-1-3", "hub-1-T", "hub-1-3-20260307T", "hub-1-3-2026x307T140502"] {
            assert_eq!(hub_and_table(other), None, "{other}");
        }
        assert!(is_hub_and_table("hub-1-3", "hub-1", "3"));
        assert!(
            is_hub_and_table("hub-1-3", "hub", "1-3"),
            "which of both it is the name does not tell"
        );
        for (hub, table) in [("hub-1", "1-3"), ("hub-2", "3"), ("hub", "3"), ("hub-1-3", "")] {
            assert!(!is_hub_and_table("hub-1-3", hub, table), "{hub} {table}");
        }
    }

    #[test]
    fn a_stranger_is_told_once_and_strangers_are_bounded() {
        let mut strangers = Strangers::default();
        assert!(strangers.meet("table 1", "south", "north").is_some());
        assert!(strangers.meet("table 1", "south", "north").is_none());
        assert!(strangers.meet("table 1", "south", "west").is_some(), "another owner is news");
        for number in 0..10_000 {
            strangers.meet(&format!("table {number}"), "south", "north");
        }
        assert_eq!(strangers.notices().count(), CLAIMS_OF_HUB_MAX);
        strangers.settle("table 1", "south");
        assert!(!strangers.notices().any(|it| it.words.contains("table 1,")));
    }

    #[test]
    fn a_hub_that_claims_without_end_hides_no_other() {
        let mut strangers = Strangers::default();
        for number in 0..10_000 {
            strangers.meet(&format!("table {number}"), "mad", "north");
        }
        assert!(strangers.meet("table 1", "south", "north").is_some());
        assert!(strangers.notices().any(|it| it.words.contains("hub south reports table 1,")));
        for number in 0..10_000 {
            strangers.meet("table 1", &format!("invented {number}"), "north");
        }
        assert_eq!(strangers.met.len(), CLAIMING_HUBS_MAX);
    }
}
