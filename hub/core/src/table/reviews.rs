//! Matches that are to be looked up in the journal: to be followed again with what people know, or shown to a director. One after the
//! other, beside the table.

use std::collections::VecDeque;
use std::time::Duration;

use inference::facts::FactsFile;
use proto::link::HubTime;
use proto::mqtt::message::OrderOutcome;
use proto::mqtt::message::row::Event;

use crate::notice::Notice;
use crate::orders::OrderRecord;
use crate::time::{after, span};

/// Maximum number of matches that wait for a look-up.
const WAITING_MAX: usize = 64;
/// Pause after a journal that could not be read, in wall time.
const AGAIN_AFTER: Duration = Duration::from_secs(10);

/// A part of a match that a director wants to see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The order.
    pub order_id: u64,
    /// The match.
    pub match_id: String,
    /// From this match time on, microseconds.
    pub from_us: u64,
    /// To this one.
    pub to_us: u64,
}

/// A look-up in the journal beside the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Job {
    /// A match is to be followed again.
    Review(String),
    /// A part of a match is to be shown.
    Evidence(Wanted),
}

/// Result of a look-up.
#[derive(Debug, Default)]
pub struct Reviewed {
    /// Rows to be published.
    pub events: Vec<Event>,
    /// Orders that have ended by it, in words if a fact is not borne out.
    pub ended: Vec<(OrderRecord, OrderOutcome, String)>,
    /// The look-up to repeat: the journal could not be read.
    pub again: Option<Job>,
    /// Message for the operator, if following the match failed.
    pub notice: Option<Notice>,
}

/// The waiting look-ups of a table.
#[derive(Debug)]
pub(super) struct Reviews {
    waiting: VecDeque<Job>,
    is_busy: bool,
    /// Not before this moment: the journal could not be read.
    rests_until: HubTime,
    rate: f64,
}

impl Reviews {
    pub(super) fn new(rate: f64) -> Reviews {
        Reviews { waiting: VecDeque::new(), is_busy: false, rests_until: HubTime::ZERO, rate }
    }

    /// Adds a match.
    pub(super) fn want(&mut self, match_id: &str) {
        let job = Job::Review(match_id.to_owned());
        if self.waiting.len() < WAITING_MAX && !self.waiting.contains(&job) {
            self.waiting.push_back(job);
        }
    }

    /// Adds a part of a match that a director wants to see. False: too many wait already.
    pub(super) fn show(&mut self, wanted: Wanted) -> bool {
        let has_room = self.waiting.len() < WAITING_MAX;
        if has_room {
            self.waiting.push_front(Job::Evidence(wanted));
        }
        has_room
    }

    /// The next look-up, unless one is running.
    pub(super) fn next(&mut self, now: HubTime) -> Option<Job> {
        if self.is_busy || now < self.rests_until {
            return None;
        }
        let job = self.waiting.pop_front()?;
        self.is_busy = true;
        Some(job)
    }

    /// Time at which [`Self::next`] has a look-up.
    pub(super) fn next_due(&self) -> Option<HubTime> {
        (!self.is_busy && !self.waiting.is_empty()).then_some(self.rests_until)
    }

    /// Ends the running look-up, or queues it again.
    pub(super) fn done(&mut self, now: HubTime, again: Option<Job>) {
        self.is_busy = false;
        if let Some(job) = again {
            // Orders wait for it: it is not dropped, however full the queue is.
            self.waiting.push_back(job);
            self.rests_until = after(now, span(AGAIN_AFTER, self.rate));
        }
    }
}

/// Whether a line is a fact that can be used.
///
/// # Errors
///
/// Its problem, in words.
pub(super) fn check(match_id: &str, line: &str) -> Result<(), String> {
    let file = FactsFile::read(line.as_bytes()).map_err(|errors| {
        errors.first().map_or_else(|| "it is no fact".to_owned(), ToString::to_string)
    })?;
    match file.of(match_id).is_empty() {
        true => Err("it says nothing of this match".to_owned()),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_no_fact_is_refused_in_words() {
        assert!(
            check("m", r#"{"kind":"fact","board":"A","side":"white","t_us":5,"uci":"N@e6"}"#)
                .is_ok()
        );
        assert!(check("m", "").is_err());
        assert!(
            check("m", r#"{"kind":"fact","board":"A","side":"white","t_us":5,"uci":"castles"}"#)
                .is_err()
        );
    }

    #[test]
    fn what_the_journal_could_not_tell_is_looked_up_again_after_a_while() {
        let now = HubTime::from_micros(1_000_000);
        let mut reviews = Reviews::new(1.0);
        reviews.want("m");
        let job = reviews.next(now);
        assert_eq!(job, Some(Job::Review("m".to_owned())));
        assert_eq!(reviews.next(now), None, "one after the other");
        reviews.done(now, job.clone());
        assert_eq!(reviews.next(now), None, "it rests");
        let again_at = reviews.next_due().expect("it waits");
        assert_eq!(again_at, after(now, AGAIN_AFTER));
        assert_eq!(reviews.next(again_at), job);
    }
}
