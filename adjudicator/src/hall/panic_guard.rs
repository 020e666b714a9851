//! A wall around each match: an input on which judging fails ends that match and not the hall. The log is read again at every start, so
//! without it one row would stop the adjudicator for good.

use std::{
    collections::BTreeSet,
    panic::{AssertUnwindSafe, catch_unwind},
};

use crate::{
    hall::{Game, Hall, Notice, refusal::Refusal},
    log::input::{Input, InputKind},
};

/// Maximum number of failures that are reported one by one.
const FAILURES_MAX: usize = 16;

/// Inputs on which judging failed.
#[derive(Clone, Debug, Default)]
pub(super) struct Failures {
    notices: Vec<Notice>,
    /// Matches whose state may have half an input. A match, and its hub: another hub's input about it ends nothing
    /// of it.
    matches: BTreeSet<(String, String)>,
}

impl Failures {
    /// Whether judging of a match has failed.
    pub(super) fn has(&self, game: &Game) -> bool {
        let of = |(id, hub): &(String, String)| *id == game.id && *hub == game.hub;
        self.matches.iter().any(of)
    }

    pub(super) fn notices(&self) -> impl Iterator<Item = Notice> {
        self.notices.iter().cloned()
    }

    /// `of`: the match of the input and the reporting hub; `ends_match`: no other hub has opened that match.
    fn note(
        &mut self,
        input: &Input,
        of: Option<(String, String)>,
        ends_match: bool,
        matches_max: usize,
    ) {
        let words = match &of {
            Some((id, _)) if ends_match => format!(
                "match {id} is no longer followed from input {} on: a fault in Twinboard, not of the players. Its data are stored; settle the \
                 match by hand and send us the log",
                input.id
            ),
            _ => format!("input {} is left out: a fault in Twinboard; send us the log", input.id),
        };
        if self.notices.len() < FAILURES_MAX {
            self.notices.push(Notice::new(format!("failed:{}", input.id), words));
        }
        if self.matches.len() < matches_max {
            self.matches.extend(of);
        }
    }
}

impl Hall {
    /// Applies an input. A match that fails at it takes no more inputs; every other one goes on.
    pub(super) fn guarded(
        &mut self,
        input: &Input,
        apply: impl FnOnce(&mut Hall) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let of = self.match_of(input);
        if of.as_ref().is_some_and(|of| self.failures.matches.contains(of)) {
            return match input.kind {
                InputKind::Act => Err("its match is followed no more".to_owned().into()),
                _ => Ok(()),
            };
        }
        let applied = catch_unwind(AssertUnwindSafe(|| apply(self)));
        applied.unwrap_or_else(|_| {
            // The reason has been printed where it happened.
            tracing::error!(input = input.id, match_id = input.match_id, "judging failed");
            let of = self.match_of(input);
            let is_its = |(id, hub): &(String, String)| {
                self.tables.matches.get(id).is_none_or(|game| game.hub == *hub)
            };
            let ends_match = of.as_ref().is_some_and(is_its);
            self.failures.note(input, of, ends_match, self.limits.matches);
            Ok(())
        })
    }

    /// Match of an input, and its hub: the reporting one, or, for an act or a deadline, the match's own.
    fn match_of(&self, input: &Input) -> Option<(String, String)> {
        let id = input.match_id.clone()?;
        let owner = || self.tables.matches.get(&id).map(|game| game.hub.clone());
        let hub = input.hub.clone().or_else(owner).unwrap_or_default();
        Some((id, hub))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;

    fn row(id: u64, match_id: &str) -> Input {
        let (hub, match_id) = (Some("north".to_owned()), Some(match_id.to_owned()));
        Input { id, received_ms: 1, kind: InputKind::Row, hub, match_id, payload: Vec::new() }
    }

    #[test]
    fn match_at_which_judging_fails_takes_no_more_inputs_and_the_others_do() {
        let mut hall = Hall::new(&Config::default());
        assert_eq!(hall.guarded(&row(1, "one"), |_| panic!("planted")), Ok(()));
        let not_applied = |_: &mut Hall| unreachable!("it is given up");
        assert_eq!(hall.guarded(&row(2, "one"), not_applied), Ok(()));
        let act = Input { kind: InputKind::Act, ..row(3, "one") };
        assert!(hall.guarded(&act, not_applied).is_err(), "whoever acts is told");
        let mut applied = false;
        let other = hall.guarded(&row(4, "two"), |_| {
            applied = true;
            Ok(())
        });
        assert_eq!((other, applied), (Ok(()), true));
        let notices = hall.notices(1.0);
        assert_eq!(notices.len(), 1, "{notices:?}");
        assert!(notices[0].words.starts_with("match one is no longer followed from input 1 on"));
    }

    #[test]
    fn another_hubs_row_at_which_judging_fails_ends_no_match() {
        let mut hall = Hall::new(&Config::default());
        let of_south = Input { hub: Some("south".to_owned()), ..row(1, "one") };
        assert_eq!(hall.guarded(&of_south, |_| panic!("planted")), Ok(()));
        let mut applied = false;
        let of_north = hall.guarded(&row(2, "one"), |_| {
            applied = true;
            Ok(())
        });
        assert_eq!((of_north, applied), (Ok(()), true));
    }

    #[test]
    fn failures_beyond_sixteen_are_not_listed() {
        let mut hall = Hall::new(&Config::default());
        for id in 1..=40 {
            let _ = hall.guarded(&row(id, &format!("m{id}")), |_| panic!("planted"));
        }
        assert_eq!(hall.notices(1.0).len(), FAILURES_MAX);
    }
}
