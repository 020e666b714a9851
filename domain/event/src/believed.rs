//! The event's result of a pairing: from the score of its matches, and from people's word on the pairing itself.
//!
//! Neither is copied into the other. Matches are no acts of the event: their holder reports their score whenever it changes
//! ([`Event::note_played`]), and the result follows. So a result that was withdrawn at its match is nowhere any more.

use rules::standings::Outcome;

use crate::{Change, Event, Pairing, PairingId, Reports};

/// Score of a pairing's matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// Whether one of them runs.
    pub running: bool,
    /// Their results so far, seen from the first side.
    pub outcomes: Vec<Outcome>,
    /// Whether they are all there, and each is final.
    pub is_final: bool,
    /// The number that the event's next act had when any of this last changed: acts with lower numbers came before.
    pub since: u64,
}

/// People's word on a pairing itself, beside its matches: a result from paper or a file, and its confirmation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    /// Whether a person reported that a match runs.
    pub(crate) running: bool,
    /// Whether a person reported that the running match is over.
    pub(crate) ended: bool,
    /// The outcomes that were entered, and by which act.
    pub(crate) entered: Option<(u64, Vec<Outcome>)>,
    /// The outcomes that were confirmed, and by which act.
    pub(crate) confirmed: Option<(u64, Vec<Outcome>)>,
    /// Reports of the sides themselves.
    pub(crate) reports: Reports,
}

/// Source of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultSource {
    /// People's word on the pairing: on paper, in a file.
    Paper,
    /// The pairing's matches.
    Matches,
    /// Its sides reported it, and nothing else is known.
    Sides,
}

impl Said {
    /// Whether exactly these outcomes were confirmed by an act that is no older than `since`.
    fn confirms(&self, outcomes: &[Outcome], since: u64) -> bool {
        let confirmed = self.confirmed.as_ref();
        confirmed.is_some_and(|(number, it)| *number >= since && it == outcomes)
    }
}

/// The result of a pairing, whether it is confirmed, and where it comes from.
///
/// The final result of the matches and one from paper replace each other in the order in which they arrived. A state that is not final at the
/// matches does not touch a result confirmed on paper.
pub(crate) fn believed<'a>(
    said: &'a Said,
    played: &'a Played,
) -> Option<(&'a [Outcome], bool, ResultSource)> {
    let paper = said.entered.as_ref().map(|(number, outcomes)| {
        let is_confirmed = said.confirms(outcomes, *number);
        (*number, (outcomes.as_slice(), is_confirmed, ResultSource::Paper))
    });
    let matches = (!played.outcomes.is_empty()).then(|| {
        let is_confirmed = played.is_final || said.confirms(&played.outcomes, played.since);
        (played.outcomes.as_slice(), is_confirmed, ResultSource::Matches)
    });
    match (paper, matches) {
        (None, None) => {
            // While a match is followed, its end is what counts.
            let reported = said.reports.result().filter(|_| !played.running);
            reported.map(|outcomes| (outcomes, false, ResultSource::Sides))
        }
        (None, matches) => matches,
        (Some((_, paper)), None) => Some(paper),
        (Some((number, paper)), Some(matches)) => {
            let is_paper_later = number >= played.since;
            let keeps_paper = is_paper_later || (paper.1 && !played.is_final);
            Some(if keeps_paper { paper } else { matches })
        }
    }
}

impl Pairing {
    /// Whether its result comes from paper or from its matches; none before it has one.
    #[must_use]
    pub fn result_source(&self) -> Option<ResultSource> {
        believed(&self.said, &self.played).map(|(_, _, source)| source)
    }

    /// Score of its matches.
    #[must_use]
    pub fn played(&self) -> &Played {
        &self.played
    }

    /// Works the result out again.
    pub(crate) fn follow(&mut self) {
        let (outcomes, confirmed, is_on_paper) = match believed(&self.said, &self.played) {
            Some((outcomes, confirmed, source)) => {
                (outcomes.to_vec(), confirmed, source == ResultSource::Paper)
            }
            None => (Vec::new(), false, false),
        };
        // Players whose result was written down have stopped playing, although a clock may run.
        let plays = self.said.running || (self.played.running && !self.said.ended);
        self.running = plays && !is_on_paper;
        (self.outcomes, self.confirmed) = (outcomes, confirmed);
    }
}

impl Event {
    /// Records the score of a pairing's matches, and returns the changes. It is no act: a replay of the acts has to report it
    /// again.
    pub fn note_played(&mut self, id: PairingId, played: Played) -> Vec<Change> {
        let Some(pairing) = self.pairings.get_mut(&id) else { return Vec::new() };
        let before = (pairing.running, pairing.outcomes.clone(), pairing.confirmed);
        if !played.running {
            pairing.said.ended = false;
        }
        pairing.played = played;
        pairing.follow();
        let is_same = before == (pairing.running, pairing.outcomes.clone(), pairing.confirmed);
        match is_same {
            true => Vec::new(),
            false => vec![Change::Result(id), Change::Standings(pairing.section.clone())],
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rules::standings::Side;

    use super::*;

    const FIRST: Outcome = Outcome::Win(Side::First);
    const SECOND: Outcome = Outcome::Win(Side::Second);

    fn played(outcome: Option<Outcome>, is_final: bool, since: u64) -> Played {
        Played { running: false, outcomes: outcome.into_iter().collect(), is_final, since }
    }

    fn said(entered: (u64, Outcome), confirmed: Option<u64>) -> Said {
        let (number, outcome) = entered;
        let confirmed = confirmed.map(|number| (number, vec![outcome]));
        Said { entered: Some((number, vec![outcome])), confirmed, ..Said::default() }
    }

    fn winner(said: &Said, played: &Played) -> Option<(Outcome, bool)> {
        believed(said, played).map(|(outcomes, confirmed, _)| (outcomes[0], confirmed))
    }

    #[test]
    fn what_was_withdrawn_at_the_match_is_nowhere() {
        let nothing = Said::default();
        assert_eq!(winner(&nothing, &played(Some(FIRST), true, 3)), Some((FIRST, true)));
        assert_eq!(winner(&nothing, &played(None, false, 3)), None);
    }

    #[test]
    fn paper_and_a_final_match_replace_each_other_in_their_order() {
        let paper = said((5, FIRST), Some(6));
        assert_eq!(winner(&paper, &played(Some(SECOND), true, 4)), Some((FIRST, true)));
        assert_eq!(winner(&paper, &played(Some(SECOND), true, 7)), Some((SECOND, true)));
        assert_eq!(winner(&paper, &played(Some(SECOND), false, 7)), Some((FIRST, true)));
        assert_eq!(winner(&paper, &played(None, false, 7)), Some((FIRST, true)));
    }

    #[test]
    fn a_confirmation_ends_with_the_result_that_it_confirmed() {
        let confirmed = Said { confirmed: Some((5, vec![FIRST])), ..Said::default() };
        assert_eq!(winner(&confirmed, &played(Some(FIRST), false, 4)), Some((FIRST, true)));
        assert_eq!(winner(&confirmed, &played(Some(SECOND), false, 6)), Some((SECOND, false)));
        assert_eq!(winner(&confirmed, &played(Some(FIRST), false, 6)), Some((FIRST, false)));
    }

    proptest! {
        #[test]
        fn a_final_match_that_came_last_is_believed(number in 1..9u64, later in 1..9u64, confirmed: bool) {
            let paper = said((number, FIRST), confirmed.then_some(number + 1));
            let after = played(Some(SECOND), true, number + later);
            prop_assert_eq!(winner(&paper, &after), Some((SECOND, true)));
        }
    }
}
