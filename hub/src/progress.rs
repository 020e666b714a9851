//! Signs of life of the hub's tasks, for systemd's watchdog: a hub whose timer runs while a task
//! hangs must not look healthy.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The tasks that must show progress.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    tasks: Arc<Mutex<Vec<(String, Beat)>>>,
}

/// One task's sign of life.
#[derive(Clone, Debug, Default)]
pub struct Beat(Arc<AtomicU64>);

impl Beat {
    /// "I went round my loop."
    pub fn beat(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
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

    /// The tasks that have not moved since `seen` was made, which is brought up to date.
    pub fn stuck(&self, seen: &mut BTreeMap<String, u64>) -> Vec<String> {
        let tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        let mut stuck = Vec::new();
        for (name, beat) in tasks.iter() {
            let beats = beat.0.load(Ordering::Relaxed);
            if seen.insert(name.clone(), beats) == Some(beats) {
                stuck.push(name.clone());
            }
        }
        stuck
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
}
