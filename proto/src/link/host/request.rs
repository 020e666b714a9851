//! A request that is made again and again, and not too often; and the questions whose answers prove who lives.

use crate::link::HubTime;

/// Shortest time between two requests of one kind, so that a broken line is not flooded, in µs.
pub const REQUEST_INTERVAL_US: u64 = 100_000;

/// Oldest request for HELLO whose answer still proves something, in µs. A node that has read much sends it all before it answers the next
/// request, and the system may hold back a line's bytes for seconds.
const QUESTION_AGE_MAX_US: u32 = 60_000_000;

/// A request that may be due, and when it was made last.
#[derive(Clone, Debug, Default)]
pub(super) struct Request {
    pub(super) due: bool,
    last: Option<HubTime>,
}

impl Request {
    /// One that is due at once.
    pub(super) const fn at_once() -> Self {
        Self { due: true, last: None }
    }

    /// Makes it due, unless it was made just now; whether it is.
    pub(super) fn raise(&mut self, now: HubTime) -> bool {
        let recent = self.last.is_some_and(|last| now.micros_since(last) < REQUEST_INTERVAL_US);
        if !recent {
            self.due = true;
            self.last = Some(now);
        }
        !recent
    }

    pub(super) fn take(&mut self) -> bool {
        core::mem::take(&mut self.due)
    }
}

/// Numbers of the requests for HELLO made since the present boot was met: first and latest, as times in µs that wrap. If a HELLO
/// repeats one between them, its boot sent it after the first request. The present boot had been met before that, so the HELLO comes
/// from the boot that runs now.
///
/// A list of them would not do: requests are sent faster than a slow line brings their answers, and the answered one might be dropped
/// by then.
#[derive(Clone, Debug, Default)]
pub(super) struct Questions {
    asked: Option<(u32, u32)>,
}

impl Questions {
    /// Numbers a request that is made at `now`.
    pub(super) fn ask(&mut self, now: HubTime) {
        // Distinct from all others of the last hour, also from those of earlier runs of the hub; 0 means none.
        let latest = (now.as_micros() as u32).max(1);
        let (first, _) = self.asked.unwrap_or((latest, latest));
        self.asked = Some((first, latest));
    }

    /// Number of the next request; 0 when its answer will prove nothing.
    pub(super) fn latest(&self) -> u32 {
        self.asked.map_or(0, |(_, latest)| latest)
    }

    pub(super) fn contains(&self, number: u32) -> bool {
        let Some((first, latest)) = self.asked.filter(|_| number != 0) else { return false };
        latest.wrapping_sub(number) <= latest.wrapping_sub(first).min(QUESTION_AGE_MAX_US)
    }

    /// Another boot was met: what was asked before proves nothing of those after it.
    pub(super) fn close(&mut self) {
        self.asked = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_to_a_question_counts_however_many_were_asked_after_it() {
        let mut questions = Questions::default();
        assert!(!questions.contains(0), "nothing was asked");
        // Beside the wrapping of the numbers.
        let start_us = u64::from(u32::MAX) - 450_000;
        let asked = |n: u64| HubTime::from_micros(start_us + n * REQUEST_INTERVAL_US);
        (0..10).for_each(|n| questions.ask(asked(n)));
        let number = |n: u64| asked(n).as_micros() as u32;
        assert!((0..10).all(|n| questions.contains(number(n))));
        assert!(!questions.contains(number(0).wrapping_sub(1)), "from before the first");
        assert!(!questions.contains(number(9).wrapping_add(1)), "never asked");
        assert!(!questions.contains(0));
        questions.close();
        assert!(!questions.contains(number(9)));
    }

    #[test]
    fn the_answer_to_a_question_of_long_ago_proves_nothing() {
        let mut questions = Questions::default();
        let (first, latest) = (5_000_000, 5_000_001 + u64::from(QUESTION_AGE_MAX_US));
        questions.ask(HubTime::from_micros(first));
        questions.ask(HubTime::from_micros(latest));
        assert!(!questions.contains(first as u32) && questions.contains(latest as u32));
    }
}
