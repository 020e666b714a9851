//! Outcomes of acts, so that a repeated act is answered and not done again.

use std::{collections::VecDeque, sync::Arc};

use imbl::HashMap;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::Source;
use crate::hall::event::staff::DeviceId;

/// Answers that are kept for each device with their words. A page sends an act again until it is answered, and the next one after it: so
/// one that comes again is among the last few. Of older ones it is kept what became of them.
const ANSWERS_KEPT: usize = 256;

/// Reason for which an older act was refused.
const REFUSED_BEFORE: &str =
    "it was refused when it came first, longer ago than reasons are kept: look in the report";

/// Outcome of an act.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub enum Answer {
    /// The act was done.
    Taken {
        /// Its number in the log, by which later acts refer to it.
        act: u64,
    },
    /// The act was refused.
    Refused {
        /// Its number in the log.
        act: u64,
        /// The reason, in words.
        reason: String,
    },
}

/// The answers to each device's latest acts, by their keys, and what all its acts have put into the log.
#[derive(Clone, Debug, Default)]
pub struct Answers(HashMap<DeviceId, Arc<OfDevice>>);

/// Memory of one device.
#[derive(Clone, Debug, Default)]
struct OfDevice {
    latest: VecDeque<(String, Answer)>,
    /// By a digest of their keys: the act, and whether it was taken. An act is at least some hundred bytes of the log, of which a device has a
    /// share: so there is a bound to them.
    older: HashMap<[u8; 16], (u64, bool)>,
    bytes: u64,
}

fn digest(key: &str) -> [u8; 16] {
    let digest = Sha256::digest(key.as_bytes());
    std::array::from_fn(|at| digest[at])
}

impl Answers {
    /// The answer to an act that was made before.
    #[must_use]
    pub fn of(&self, source: &Source) -> Option<Answer> {
        let given = self.0.get(&source.device)?;
        if let Some((_, answer)) = given.latest.iter().rev().find(|(key, _)| *key == source.key) {
            return Some(answer.clone());
        }
        let &(act, is_taken) = given.older.get(&digest(&source.key))?;
        Some(match is_taken {
            true => Answer::Taken { act },
            false => Answer::Refused { act, reason: REFUSED_BEFORE.to_owned() },
        })
    }

    /// Keeps the answer to an act that is so many bytes of the log.
    pub fn note(&mut self, source: Source, bytes: u64, answer: Answer) {
        let given = Arc::make_mut(self.0.entry(source.device).or_default());
        given.bytes = given.bytes.saturating_add(bytes);
        given.latest.push_back((source.key, answer));
        if given.latest.len() > ANSWERS_KEPT
            && let Some((key, answer)) = given.latest.pop_front()
        {
            let of = match answer {
                Answer::Taken { act } => (act, true),
                Answer::Refused { act, .. } => (act, false),
            };
            given.older.insert(digest(&key), of);
        }
    }

    /// Size of a device's acts in the log, bytes.
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
        assert_eq!(answers.of(&source(3, "a")), Some(refused));
        assert_eq!(answers.of(&source(3, "b")), None, "another act");
        assert_eq!(answers.of(&source(4, "a")), None, "another device");
    }

    #[test]
    fn an_act_that_comes_again_however_late_is_not_done_again() {
        let mut answers = Answers::default();
        let refused = Answer::Refused { act: 1, reason: "no".to_owned() };
        answers.note(source(1, "1"), 10, refused);
        for act in 2..=2 * ANSWERS_KEPT as u64 {
            answers.note(source(1, &act.to_string()), 10, Answer::Taken { act });
        }
        let is_refused = |answer| matches!(answer, Some(Answer::Refused { act: 1, .. }));
        assert!(is_refused(answers.of(&source(1, "1"))));
        assert_eq!(answers.of(&source(1, "2")), Some(Answer::Taken { act: 2 }));
        assert_eq!(answers.of(&source(1, "512")), Some(Answer::Taken { act: 512 }));
        assert_eq!(answers.of(&source(1, "513")), None);
        assert_eq!(answers.of(&source(2, "2")), None, "another device");
        assert_eq!(answers.bytes_of(DeviceId(1)), 20 * ANSWERS_KEPT as u64, "of all its acts");
        assert_eq!(answers.0[&DeviceId(1)].latest.len(), ANSWERS_KEPT);
    }
}
