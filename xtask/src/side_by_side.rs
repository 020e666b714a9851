//! Tasks side by side: one that mostly waits leaves the processors to another.
//!
//! The output of a task is kept in a file while it runs and printed as a whole when it has ended, so that two are never mixed.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    sync::{
        Mutex,
        mpsc::{Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

use crate::workspace::{target, with_output_to};

/// Tasks at a time: there are machines with two processors.
const LANES: usize = 2;
/// Folder of their output, below the target folder.
const FOLDER: &str = "side-by-side";

/// A task.
pub(crate) struct Task<'a, T> {
    /// Name of its output's file.
    pub(crate) name: &'a str,
    /// Line that is printed before its output.
    pub(crate) heading: String,
    /// Runs it.
    pub(crate) run: Box<dyn FnOnce() -> T + Send + 'a>,
}

/// A task that has ended.
pub(crate) struct Ended<'a, T> {
    pub(crate) name: &'a str,
    pub(crate) took: Duration,
    pub(crate) outcome: T,
}

/// Runs tasks, two at a time. `on_end` is called with each that has ended, after its output was printed.
///
/// # Errors
///
/// A file for the output cannot be written.
pub(crate) fn run<'a, T: Send>(
    tasks: Vec<Task<'a, T>>,
    mut on_end: impl FnMut(Ended<'a, T>),
) -> Result<(), String> {
    fs::create_dir_all(target().join(FOLDER)).map_err(|error| format!("{FOLDER}: {error}"))?;
    let waiting = Mutex::new(tasks.into_iter());
    let (sender, ended) = channel();
    thread::scope(|scope| {
        for _ in 0..LANES {
            let (waiting, sender) = (&waiting, sender.clone());
            scope.spawn(move || work(waiting, &sender));
        }
        drop(sender);
        let mut failed = None;
        for one in ended {
            match one {
                Ok(one) => on_end(one),
                Err(error) => failed = Some(format!("{FOLDER}: {error}")),
            }
        }
        failed.map_or(Ok(()), Err)
    })
}

/// Runs one task after the other until none is left.
fn work<'a, T>(
    waiting: &Mutex<std::vec::IntoIter<Task<'a, T>>>,
    sender: &Sender<io::Result<Ended<'a, T>>>,
) {
    loop {
        let next = waiting.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
        let Some(task) = next else { return };
        // The receiver lives as long as this.
        let _ = sender.send(run_one(task));
    }
}

fn run_one<T>(task: Task<'_, T>) -> io::Result<Ended<'_, T>> {
    let path = target().join(FOLDER).join(format!("{}.log", task.name));
    let begun = Instant::now();
    let outcome = with_output_to(File::create(&path)?, task.run);
    let took = begun.elapsed();
    let output = fs::read(&path)?;
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{}", task.heading)?;
    stdout.write_all(&output)?;
    Ok(Ended { name: task.name, took, outcome })
}

/// A check and its name.
pub(crate) type Check = (&'static str, fn() -> Result<(), String>);

/// Runs checks side by side; all of them, also where one fails.
///
/// # Errors
///
/// The sentences of those that failed.
pub(crate) fn check(checks: &[Check]) -> Result<(), String> {
    let task = |&(name, check): &Check| Task {
        name,
        heading: format!("── {name}"),
        run: Box::new(check) as Box<dyn FnOnce() -> Result<(), String> + Send>,
    };
    let tasks = checks.iter().map(task).collect();
    let mut failures = Vec::new();
    run(tasks, |ended: Ended<'_, Result<(), String>>| {
        println!("   {}: {} s", ended.name, ended.took.as_secs());
        failures.extend(ended.outcome.err());
    })?;
    if failures.is_empty() { Ok(()) } else { Err(failures.join("; ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_runs_and_every_failure_is_named() {
        let checks: [Check; 3] = [
            ("first of three", || Err("this one".to_owned())),
            ("second of three", || Ok(())),
            ("third of three", || Err("and that one".to_owned())),
        ];
        let mut said: Vec<_> = check(&checks).unwrap_err().split("; ").map(str::to_owned).collect();
        said.sort();
        assert_eq!(said, ["and that one", "this one"]);
    }
}
