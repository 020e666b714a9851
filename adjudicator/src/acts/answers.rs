//! What became of acts, so that one that comes again is answered and not done again.

use std::collections::{HashMap, VecDeque};

use serde::Serialize;

use super::Source;
use crate::staff::DeviceId;

/// Answers that are kept for each device: a phone that was away sends at most a few.
const ANSWERS_KEPT: usize = 256;

/// What became of an act.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub enum Answer {
    /// It was done.
    Taken {
        /// Its number in the log, by which later acts refer to it.
        act: u64,
    },
    /// It was not done.
    Refused {
        /// Its number in the log.
        act: u64,
        /// Why, in words.
        reason: String,
    },
}

/// The answers to each device's acts.
#[derive(Debug, Default)]
pub struct Answers(HashMap<DeviceId, Given>);

#[derive(Debug, Default)]
struct Given {
    last: u64,
    kept: VecDeque<(u64, Answer)>,
}

impl Answers {
    /// The number that a device's next act has.
    #[must_use]
    pub fn next_number(&self, device: DeviceId) -> u64 {
        self.0.get(&device).map_or(1, |given| given.last + 1)
    }

    /// The answer to an act that was made before; for one long ago only that it was made.
    #[must_use]
    pub fn of(&self, source: Source) -> Option<Answer> {
        let given = self.0.get(&source.device).filter(|given| source.number <= given.last)?;
        let known = given.kept.iter().find(|(number, _)| *number == source.number);
        Some(known.map_or(Answer::Taken { act: 0 }, |(_, answer)| answer.clone()))
    }

    /// Notes what became of an act. Returns whether it is the next of its device.
    pub fn is_next(&self, source: Source) -> bool {
        source.number == self.next_number(source.device)
    }

    /// Keeps an answer.
    pub fn note(&mut self, source: Source, answer: Answer) {
        let given = self.0.entry(source.device).or_default();
        given.last = given.last.max(source.number);
        given.kept.push_back((source.number, answer));
        if given.kept.len() > ANSWERS_KEPT {
            given.kept.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_act_that_comes_again_gets_the_answer_that_it_got() {
        let mut answers = Answers::default();
        let source = Source { device: DeviceId(3), number: 1 };
        assert_eq!((answers.of(source), answers.next_number(DeviceId(3))), (None, 1));
        answers.note(source, Answer::Refused { act: 7, reason: "no".to_owned() });
        assert_eq!(answers.of(source), Some(Answer::Refused { act: 7, reason: "no".to_owned() }));
        assert_eq!(answers.next_number(DeviceId(3)), 2);
        assert_eq!(answers.of(Source { device: DeviceId(4), number: 1 }), None);
    }

    #[test]
    fn few_answers_are_kept_and_none_is_done_twice_for_it() {
        let mut answers = Answers::default();
        let device = DeviceId(1);
        for number in 1..=2 * ANSWERS_KEPT as u64 {
            assert!(answers.is_next(Source { device, number }));
            answers.note(Source { device, number }, Answer::Taken { act: number });
        }
        assert_eq!(answers.of(Source { device, number: 1 }), Some(Answer::Taken { act: 0 }));
        assert_eq!(answers.0[&device].kept.len(), ANSWERS_KEPT);
    }
}
