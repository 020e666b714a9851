//! What became of acts, so that one that comes again is answered and not done again.

use std::{collections::VecDeque, sync::Arc};

use imbl::HashMap;
use serde::Serialize;

use super::Source;
use crate::staff::DeviceId;

/// Answers that are kept for each device. A page sends an act again until it is answered, and the next one after it: so
/// one that comes again is among the last few.
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

/// The answers to each device's latest acts, by their keys, and what all its acts have put into the log.
#[derive(Clone, Debug, Default)]
pub struct Answers(HashMap<DeviceId, Arc<OfDevice>>);

/// What is remembered of one device.
#[derive(Clone, Debug, Default)]
struct OfDevice {
    latest: VecDeque<(String, Answer)>,
    bytes: u64,
}

impl Answers {
    /// The answer to an act that was made before.
    #[must_use]
    pub fn of(&self, source: &Source) -> Option<&Answer> {
        let given = self.0.get(&source.device)?;
        given.latest.iter().rev().find(|(key, _)| *key == source.key).map(|(_, answer)| answer)
    }

    /// Keeps the answer to an act that is so many bytes of the log.
    pub fn note(&mut self, source: Source, bytes: u64, answer: Answer) {
        let given = Arc::make_mut(self.0.entry(source.device).or_default());
        given.bytes = given.bytes.saturating_add(bytes);
        given.latest.push_back((source.key, answer));
        if given.latest.len() > ANSWERS_KEPT {
            given.latest.pop_front();
        }
    }

    /// How much of the log a device's acts are, bytes.
    #[must_use]
    pub fn bytes_of(&self, device: DeviceId) -> u64 {
        self.0.get(&device).map_or(0, |given| given.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(device: u32, key: &str) -> Source {
        Source { device: DeviceId(device), key: key.to_owned() }
    }

    #[test]
    fn an_act_that_comes_again_gets_the_answer_that_it_got() {
        let mut answers = Answers::default();
        assert_eq!(answers.of(&source(3, "a")), None);
        let refused = Answer::Refused { act: 7, reason: "no".to_owned() };
        answers.note(source(3, "a"), 100, refused.clone());
        assert_eq!(answers.of(&source(3, "a")), Some(&refused));
        assert_eq!(answers.of(&source(3, "b")), None, "another act");
        assert_eq!(answers.of(&source(4, "a")), None, "another device");
    }

    #[test]
    fn the_latest_answers_of_a_device_are_kept() {
        let mut answers = Answers::default();
        for act in 1..=2 * ANSWERS_KEPT as u64 {
            answers.note(source(1, &act.to_string()), 10, Answer::Taken { act });
        }
        assert_eq!(answers.of(&source(1, "1")), None);
        assert_eq!(answers.of(&source(1, "512")), Some(&Answer::Taken { act: 512 }));
        assert_eq!(answers.bytes_of(DeviceId(1)), 20 * ANSWERS_KEPT as u64, "of all its acts");
        assert_eq!(answers.0[&DeviceId(1)].latest.len(), ANSWERS_KEPT);
    }
}
