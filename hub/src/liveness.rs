//! Signs of life of the hub's tasks, for systemd's watchdog: a hub whose timer runs while a task
//! hangs must not look healthy. And how the tasks are, for the hub's lights.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

pub use hub_core::health::Health;

/// The tasks that must show liveness.
#[derive(Clone, Debug, Default)]
pub struct Liveness {
    tasks: Arc<Mutex<Vec<(String, Heartbeat)>>>,
}

/// One task's sign of life, and how it is.
#[derive(Clone, Debug, Default)]
pub struct Heartbeat(Arc<Signs>);

#[derive(Debug, Default)]
struct Signs {
    beats: AtomicU64,
    health: AtomicU8,
    is_recording: AtomicBool,
}

/// State of the hub.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The worst health of any task.
    pub worst: Health,
    /// Whether a match is recorded at any table.
    pub is_recording: bool,
}

impl Heartbeat {
    /// "I went round my loop."
    pub fn beat(&self) {
        self.0.beats.fetch_add(1, Ordering::Relaxed);
    }

    /// Sets the task's health.
    pub fn set_health(&self, health: Health) {
        self.0.health.store(health as u8, Ordering::Relaxed);
    }

    /// Whether the task records a match from now on.
    pub fn set_recording(&self, is_recording: bool) {
        self.0.is_recording.store(is_recording, Ordering::Relaxed);
    }

    /// Whether the task is so.
    pub(crate) fn is(&self, health: Health) -> bool {
        self.health() == health
    }

    fn health(&self) -> Health {
        let number = usize::from(self.0.health.load(Ordering::Relaxed));
        Health::ALL.get(number).copied().unwrap_or_default()
    }
}

impl Liveness {
    /// Adds a task; it must beat at least once a second or so.
    #[must_use]
    pub fn task(&self, name: impl Into<String>) -> Heartbeat {
        let beat = Heartbeat::default();
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.push((name.into(), beat.clone()));
        beat
    }

    /// Removes a task that has ended as it should.
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

    /// Each task by its name, how it is, and whether it records a match.
    #[must_use]
    pub fn each(&self) -> Vec<(String, Health, bool)> {
        let tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        let of = |(name, beat): &(String, Heartbeat)| {
            (name.clone(), beat.health(), beat.0.is_recording.load(Ordering::Relaxed))
        };
        tasks.iter().map(of).collect()
    }

    /// State of all tasks together.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        let worst = tasks.iter().map(|(_, beat)| beat.health()).max().unwrap_or_default();
        let recording =
            |(_, beat): &(String, Heartbeat)| beat.0.is_recording.load(Ordering::Relaxed);
        Summary { worst, is_recording: tasks.iter().any(recording) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_that_stops_beating_is_named() {
        let liveness = Liveness::default();
        let (writer, uplink) = (liveness.task("journal"), liveness.task("uplink"));
        let mut seen = BTreeMap::new();
        assert!(liveness.stuck(&mut seen).is_empty());
        writer.beat();
        assert_eq!(liveness.stuck(&mut seen), ["uplink"]);
        uplink.beat();
        writer.beat();
        assert!(liveness.stuck(&mut seen).is_empty());
    }

    #[test]
    fn a_task_that_has_left_is_not_missed_and_does_not_count() {
        let liveness = Liveness::default();
        let port = liveness.task("port /dev/ttyACM0");
        port.set_health(Health::Impaired);
        let mut seen = BTreeMap::new();
        liveness.stuck(&mut seen);
        liveness.leave("port /dev/ttyACM0");
        assert!(liveness.stuck(&mut seen).is_empty());
        assert_eq!(liveness.summary(), Summary::default());
    }

    #[test]
    fn the_worst_task_decides_how_the_hub_is() {
        let liveness = Liveness::default();
        let (journal, table) = (liveness.task("journal"), liveness.task("table 1"));
        assert_eq!(liveness.summary(), Summary::default());
        for (number, health) in Health::ALL.into_iter().enumerate() {
            assert_eq!(health as usize, number, "numbers are places in the list");
            table.set_health(health);
            table.set_recording(number % 2 == 1);
            let expected = Summary { worst: health, is_recording: number % 2 == 1 };
            assert_eq!(liveness.summary(), expected);
        }
        journal.set_health(Health::Offline);
        table.set_health(Health::Well);
        assert_eq!(liveness.summary().worst, Health::Offline);
    }
}
