//! Signs of life of the hub's tasks, for systemd's watchdog: a hub whose timer runs while a task
//! hangs must not look healthy. And how the tasks are, for the hub's lights.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The tasks that must show progress.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    tasks: Arc<Mutex<Vec<(String, Beat)>>>,
}

/// One task's sign of life, and how it is.
#[derive(Clone, Debug, Default)]
pub struct Beat(Arc<Signs>);

#[derive(Debug, Default)]
struct Signs {
    beats: AtomicU64,
    condition: AtomicU8,
    is_recording: AtomicBool,
}

/// How a task is, the better first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Condition {
    /// All is well.
    #[default]
    Well,
    /// Something is still awaited that has not been there since the start.
    Waiting,
    /// Nothing goes out; what is recorded is kept.
    Offline,
    /// Something that is recorded is missing or doubtful.
    Impaired,
    /// Nothing can be recorded.
    Halted,
}

impl Condition {
    const ALL: [Condition; 5] = [
        Condition::Well,
        Condition::Waiting,
        Condition::Offline,
        Condition::Impaired,
        Condition::Halted,
    ];
}

/// How the hub is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The worst condition of any task.
    pub worst: Condition,
    /// Whether a match is recorded at any table.
    pub is_recording: bool,
}

impl Beat {
    /// "I went round my loop."
    pub fn beat(&self) {
        self.0.beats.fetch_add(1, Ordering::Relaxed);
    }

    /// How the task is from now on.
    pub fn set_condition(&self, condition: Condition) {
        self.0.condition.store(condition as u8, Ordering::Relaxed);
    }

    /// Whether the task records a match from now on.
    pub fn set_recording(&self, is_recording: bool) {
        self.0.is_recording.store(is_recording, Ordering::Relaxed);
    }

    /// Whether the task is so.
    pub(crate) fn is(&self, condition: Condition) -> bool {
        self.condition() == condition
    }

    fn condition(&self) -> Condition {
        let number = usize::from(self.0.condition.load(Ordering::Relaxed));
        Condition::ALL.get(number).copied().unwrap_or_default()
    }
}

impl Progress {
    /// Adds a task; it must beat at least once a second or so.
    #[must_use]
    pub fn task(&self, name: impl Into<String>) -> Beat {
        let beat = Beat::default();
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.push((name.into(), beat.clone()));
        beat
    }

    /// A task has ended as it should: nobody waits for it any more.
    pub fn leave(&self, name: &str) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.retain(|(task, _)| task != name);
    }

    /// The tasks that have not moved since `seen` was made, which is brought up to date.
    pub fn stuck(&self, seen: &mut BTreeMap<String, u64>) -> Vec<String> {
        let tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        let mut stuck = Vec::new();
        for (name, beat) in tasks.iter() {
            let beats = beat.0.beats.load(Ordering::Relaxed);
            if seen.insert(name.clone(), beats) == Some(beats) {
                stuck.push(name.clone());
            }
        }
        stuck
    }

    /// How all tasks are together.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        let worst = tasks.iter().map(|(_, beat)| beat.condition()).max().unwrap_or_default();
        let recording = |(_, beat): &(String, Beat)| beat.0.is_recording.load(Ordering::Relaxed);
        Summary { worst, is_recording: tasks.iter().any(recording) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_that_stops_beating_is_named() {
        let progress = Progress::default();
        let (writer, uplink) = (progress.task("journal"), progress.task("uplink"));
        let mut seen = BTreeMap::new();
        assert!(progress.stuck(&mut seen).is_empty());
        writer.beat();
        assert_eq!(progress.stuck(&mut seen), ["uplink"]);
        uplink.beat();
        writer.beat();
        assert!(progress.stuck(&mut seen).is_empty());
    }

    #[test]
    fn a_task_that_has_left_is_not_missed_and_does_not_count() {
        let progress = Progress::default();
        let port = progress.task("port /dev/ttyACM0");
        port.set_condition(Condition::Impaired);
        let mut seen = BTreeMap::new();
        progress.stuck(&mut seen);
        progress.leave("port /dev/ttyACM0");
        assert!(progress.stuck(&mut seen).is_empty());
        assert_eq!(progress.summary(), Summary::default());
    }

    #[test]
    fn the_worst_task_decides_how_the_hub_is() {
        let progress = Progress::default();
        let (journal, table) = (progress.task("journal"), progress.task("table 1"));
        assert_eq!(progress.summary(), Summary::default());
        for (number, condition) in Condition::ALL.into_iter().enumerate() {
            assert_eq!(condition as usize, number, "numbers are places in the list");
            table.set_condition(condition);
            table.set_recording(number % 2 == 1);
            let expected = Summary { worst: condition, is_recording: number % 2 == 1 };
            assert_eq!(progress.summary(), expected);
        }
        journal.set_condition(Condition::Offline);
        table.set_condition(Condition::Well);
        assert_eq!(progress.summary().worst, Condition::Offline);
    }
}
