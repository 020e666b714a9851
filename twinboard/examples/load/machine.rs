//! Load of the machine during a measurement: delay of a thread's and a task's wake-up, duration of a small write to the disk,
//! and the load average.
//!
//! Whatever is measured beside other work waits for processors and disk as this does. Without these figures nobody could tell a slow program from
//! a busy machine.

use std::{
    fs::{self, File},
    io::Write as _,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crate::{Outcome, figures::Figures, times::Times};

/// Duration of one sleep.
const NAP: Duration = Duration::from_millis(10);
/// Pause between two writes.
const BETWEEN_WRITES: Duration = Duration::from_millis(50);

/// Observer of the machine.
pub(crate) struct Machine {
    ended: Arc<AtomicBool>,
    thread: JoinHandle<Times>,
    task: tokio::task::JoinHandle<Times>,
    disk: JoinHandle<Times>,
}

impl Machine {
    /// Begins to look on; writes to a file in `folder`.
    pub(crate) fn watch(folder: &Path) -> Outcome<Machine> {
        let ended = Arc::new(AtomicBool::new(false));
        let mut file = File::create(folder.join("machine"))?;
        let end = Arc::clone(&ended);
        let thread = thread::spawn(move || {
            repeat(&end, || {
                let begun = Instant::now();
                thread::sleep(NAP);
                Some(begun.elapsed().saturating_sub(NAP))
            })
        });
        let end = Arc::clone(&ended);
        let disk = thread::spawn(move || {
            repeat(&end, || {
                thread::sleep(BETWEEN_WRITES);
                let begun = Instant::now();
                let written = file.write_all(&[0; 4096]).and_then(|()| file.sync_data());
                written.ok().map(|()| begun.elapsed())
            })
        });
        let end = Arc::clone(&ended);
        let task = tokio::spawn(async move {
            let mut times = Times::default();
            while !end.load(Ordering::Relaxed) {
                let begun = Instant::now();
                tokio::time::sleep(NAP).await;
                times.add(begun.elapsed().saturating_sub(NAP));
            }
            times
        });
        Ok(Machine { ended, thread, task, disk })
    }

    /// Ends and keeps what was seen.
    pub(crate) async fn report(self, figures: &Figures) -> Outcome<()> {
        self.ended.store(true, Ordering::Relaxed);
        let task = self.task.await?;
        let of = |thread: JoinHandle<Times>| thread.join().map_err(|_| "a thread failed");
        figures.times("a thread wakes up late by", &of(self.thread)?)?;
        figures.times("a task wakes up late by", &task)?;
        figures.times("a page and fdatasync", &of(self.disk)?)?;
        let average = fs::read_to_string("/proc/loadavg")?;
        let of_a_minute = average.split(' ').next().unwrap_or_default();
        figures.keep("load average of a minute, this included", "threads", of_a_minute)
    }
}

fn repeat(ended: &AtomicBool, mut measure: impl FnMut() -> Option<Duration>) -> Times {
    let mut times = Times::default();
    while !ended.load(Ordering::Relaxed) {
        let Some(time) = measure() else { break };
        times.add(time);
    }
    times
}
