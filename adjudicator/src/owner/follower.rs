//! A hall that follows the log.
//!
//! The floor is up to date and raises alerts. Those who see it later get its earlier snapshots (see
//! [`audience`](crate::front::audience)). A stage never sees an input that has not been committed.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use delivery::Moment;
use tokio::{
    runtime::{Handle, RuntimeFlavor},
    sync::watch,
    task,
};
use tokio_util::sync::CancellationToken;

use super::{
    decode,
    delay_gate::{STEP_MIN_MS, arrived_ms},
    delayed::Delayed,
    snapshots::Snapshots,
};
use crate::{
    config::Config,
    hall::Hall,
    log::{
        Store, StoreError,
        input::{Input, InputKind, NewInput},
        may_be_more,
    },
    machine::systemd,
    owner::deadlines::{Deadlines, Due},
    time::{self, now_ms, run_ms},
};

/// Longest time of applying inputs before readers get a snapshot and the runtime its thread, but for one input that takes longer.
const SLICE_MAX: Duration = Duration::from_millis(20);

/// More inputs than these, or more bytes, are applied beside the runtime's threads.
const SHORT_INPUTS_MAX: usize = 64;
const SHORT_BYTES_MAX: usize = 64 * 1024;

/// Interval of the checks for snapshots that are due.
const RELEASE_EVERY: Duration = Duration::from_millis(STEP_MIN_MS);

/// Wait after the database refused to be read.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// A hall that follows the log.
pub struct Stage {
    /// The hall to which inputs are applied. Readers never lock it.
    fold: Mutex<Fold>,
    snapshots: Arc<Snapshots>,
    /// Views that lag behind, the shortest delay first.
    delayed: Vec<Delayed>,
}

struct Fold {
    hall: Hall,
    /// Time of the run's clock by which its inputs had arrived.
    arrived_ms: u64,
}

/// Times at which inputs arrived.
#[derive(Clone, Copy)]
pub(crate) enum Arrival {
    /// Since the start: not later than they are applied.
    Now,
    /// Before the start, which was at this moment.
    Before(Moment),
}

impl Stage {
    /// A stage without delays.
    pub fn new(config: &Config) -> Arc<Stage> {
        Stage::with_delays(config, &BTreeSet::new())
    }

    /// A stage that some see so much later.
    pub fn with_delays(config: &Config, delays: &BTreeSet<Duration>) -> Arc<Stage> {
        let hall = Arc::new(Hall::new(config));
        let later = delays.iter().filter(|delay| !delay.is_zero());
        let delayed = later.map(|delay| Delayed::new(&hall, *delay, delays.len())).collect();
        let snapshots = Snapshots::new((*hall).clone());
        let fold = Fold { hall: (*hall).clone(), arrived_ms: 0 };
        Arc::new(Stage { fold: Mutex::new(fold), snapshots, delayed })
    }

    /// A snapshot of the hall.
    pub fn hall(&self) -> Arc<Hall> {
        self.snapshots.hall()
    }

    /// Snapshots for readers.
    pub fn snapshots(&self) -> &Arc<Snapshots> {
        &self.snapshots
    }

    /// Snapshots for those who see it later.
    pub fn delayed(&self) -> impl Iterator<Item = &Arc<Snapshots>> {
        self.delayed.iter().map(Delayed::snapshots)
    }

    fn fold(&self) -> MutexGuard<'_, Fold> {
        self.fold.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the number of the last input applied, whenever there is a new one.
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.snapshots.watch()
    }

    /// Applies everything in the log.
    ///
    /// # Errors
    ///
    /// The database refuses.
    pub async fn catch_up(&self, store: &Store) -> Result<(), StoreError> {
        self.catch_up_and(store, Arrival::Now).await
    }

    /// Applies everything in the log, before anything else runs. systemd hears that the start goes on.
    ///
    /// # Errors
    ///
    /// The database refuses.
    pub async fn rebuild(&self, store: &Store) -> Result<(), StoreError> {
        systemd::still_starting();
        self.catch_up_and(store, Arrival::Before(time::now())).await
    }

    async fn catch_up_and(&self, store: &Store, arrival: Arrival) -> Result<(), StoreError> {
        let mut told = Instant::now();
        loop {
            let inputs = store.follow(self.hall().last_input()).await?;
            let mut left = inputs.as_slice();
            while !left.is_empty() {
                left = &left[self.apply_beside(left, arrival)..];
                match arrival {
                    // No viewer waits for the hall yet, but systemd waits for the start.
                    Arrival::Before(_) if told.elapsed() >= systemd::TELL_EVERY => {
                        systemd::still_starting();
                        told = Instant::now();
                    }
                    Arrival::Now if !left.is_empty() => task::yield_now().await,
                    _ => {}
                }
            }
            if !may_be_more(&inputs) {
                return Ok(());
            }
            let applied = self.hall().last_input();
            tracing::info!(inputs = applied, "the hall is being rebuilt from the log");
        }
    }

    /// Applies the first of these inputs; what may take long runs beside the runtime's threads. Returns how many: one at least.
    fn apply_beside(&self, inputs: &[Input], arrival: Arrival) -> usize {
        let bytes: usize = inputs.iter().map(|input| input.payload.len()).sum();
        let is_short = inputs.len() <= SHORT_INPUTS_MAX && bytes <= SHORT_BYTES_MAX;
        match Handle::current().runtime_flavor() {
            RuntimeFlavor::MultiThread if !is_short => {
                task::block_in_place(|| self.apply_for_a_while(inputs, arrival))
            }
            _ => self.apply_for_a_while(inputs, arrival),
        }
    }

    /// Applies the first of these inputs for [`SLICE_MAX`], then gives readers a snapshot. Returns how many: one at least.
    pub(crate) fn apply_for_a_while(&self, inputs: &[Input], arrival: Arrival) -> usize {
        let (began, now_ms, mut applied) = (Instant::now(), run_ms(), 0);
        let mut fold = self.fold();
        for input in inputs {
            let at_ms = match arrival {
                Arrival::Now => now_ms,
                Arrival::Before(started) => arrived_ms(input.received_ms, started),
            };
            let at_ms = fold.arrived_ms.max(at_ms);
            if applied > 0 && self.is_kept_apart(fold.arrived_ms, at_ms, now_ms) {
                break;
            }
            fold.arrived_ms = at_ms;
            decode::apply(&mut fold.hall, input);
            applied += 1;
            if began.elapsed() >= SLICE_MAX {
                break;
            }
        }
        let hall = Arc::new(fold.hall.clone());
        self.delayed.iter().for_each(|delayed| delayed.hold(fold.arrived_ms, &hall, now_ms));
        self.snapshots.publish(hall);
        applied
    }

    /// Whether a delay shows, at some time from now on, what had arrived by the first of two moments without that of the second.
    fn is_kept_apart(&self, first_ms: u64, second_ms: u64, now_ms: u64) -> bool {
        let longest_ms = self.delayed.last().map_or(0, Delayed::delay_ms);
        let is_another_step = first_ms / STEP_MIN_MS != second_ms / STEP_MIN_MS;
        is_another_step && second_ms.saturating_add(longest_ms) >= now_ms
    }

    /// Shows those who see the hall later what is due by now.
    pub fn release(&self) {
        let (hall, now_ms) = (self.hall(), run_ms());
        self.delayed.iter().for_each(|delayed| delayed.release(now_ms, &hall));
    }
}

/// Keeps the floor up to date: applies what was committed, and puts the referees' deadlines into the log when they fall.
pub async fn follow_floor(
    stage: Arc<Stage>,
    store: Arc<Store>,
    appended: Arc<watch::Sender<u64>>,
    clock_rate: f64,
    shutdown: CancellationToken,
) {
    let mut news = appended.subscribe();
    let mut deadlines = Deadlines::default();
    loop {
        news.mark_unchanged();
        let caught_up = stage.catch_up(&store).await;
        if let Err(error) = &caught_up {
            tracing::error!(%error, "the floor cannot follow the log");
        }
        let due = deadlines.next(&stage.hall().deadlines(clock_rate), time::now());
        let due = due.filter(|_| caught_up.is_ok());
        let wait = match (&caught_up, &due) {
            (Err(_), _) => RETRY_AFTER,
            (Ok(()), Some(due)) => Duration::from_millis(due.run_ms.saturating_sub(run_ms())),
            (Ok(()), None) => Duration::from_secs(3600),
        };
        tokio::select! {
            () = shutdown.cancelled() => return,
            changed = news.changed(), if caught_up.is_ok() => {
                if changed.is_err() { return }
            }
            () = tokio::time::sleep(wait) => {
                let Some(due) = due else { continue };
                match store.append(now_ms(), deadline_input(&due)).await {
                    Ok(_) => {
                        deadlines.logged(due);
                        appended.send_modify(|appends| *appends += 1);
                    }
                    Err(error) => {
                        tracing::error!(%error, "a deadline cannot be logged");
                        tokio::time::sleep(RETRY_AFTER).await;
                    }
                }
            }
        }
    }
}

fn deadline_input(due: &Due) -> NewInput {
    let (match_id, t_us) = (due.deadline.match_id.clone(), due.deadline.t_us);
    NewInput {
        kind: InputKind::Deadline,
        hub: None,
        match_id: Some(match_id),
        payload: t_us.to_string().into_bytes(),
    }
}

/// Shows everybody who sees the hall later what is due, until shutdown.
pub async fn release(stage: Arc<Stage>, shutdown: CancellationToken) {
    while shutdown.run_until_cancelled(tokio::time::sleep(RELEASE_EVERY)).await.is_some() {
        stage.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DELAY: Duration = Duration::from_millis(600);
    const HOUR_MS: u64 = 3_600_000;

    /// A stage that follows a log from its start on, and the log.
    async fn delayed(folder: &std::path::Path) -> (Arc<Stage>, Store) {
        let store = Store::open(&folder.join("log.db")).await.unwrap();
        let stage = Stage::with_delays(&Config::default(), &BTreeSet::from([DELAY]));
        stage.rebuild(&store).await.unwrap();
        (stage, store)
    }

    async fn append(store: &Store, received_ms: u64) {
        let kind = InputKind::LinkUp;
        let input = NewInput { kind, hub: None, match_id: None, payload: Vec::new() };
        store.append(received_ms, input).await.unwrap();
    }

    fn shown(stage: &Stage) -> u64 {
        stage.release();
        stage.delayed().next().unwrap().hall().last_input()
    }

    /// Time until those who see it later see an input.
    async fn shown_after(stage: &Stage, store: &Store, input: u64) -> Duration {
        let since = Instant::now();
        stage.catch_up(store).await.unwrap();
        while shown(stage) < input && since.elapsed() < 5 * DELAY {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        since.elapsed()
    }

    #[tokio::test]
    async fn a_clock_that_is_set_forward_shows_nothing_before_its_time() {
        let folder = tempfile::tempdir().unwrap();
        let (stage, store) = delayed(folder.path()).await;
        // It came when the clock was not set yet.
        append(&store, now_ms() - HOUR_MS).await;
        assert!(shown_after(&stage, &store, 1).await >= DELAY);
    }

    #[tokio::test]
    async fn a_clock_that_is_set_back_stops_no_delayed_page() {
        let folder = tempfile::tempdir().unwrap();
        let (stage, store) = delayed(folder.path()).await;
        append(&store, now_ms() + HOUR_MS).await;
        append(&store, now_ms()).await;
        let shown = shown_after(&stage, &store, 2).await;
        assert!((DELAY..2 * DELAY).contains(&shown), "{shown:?}");
    }

    #[tokio::test]
    async fn a_start_shows_of_the_log_what_was_due_and_the_rest_in_its_time() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("log.db")).await.unwrap();
        for ago_ms in [HOUR_MS, 10_000, 200, 0] {
            append(&store, now_ms() - ago_ms).await;
        }
        let stage = Stage::with_delays(&Config::default(), &BTreeSet::from([DELAY]));
        stage.rebuild(&store).await.unwrap();
        assert_eq!((shown(&stage), stage.hall().last_input()), (2, 4));
        shown_after(&stage, &store, 4).await;
        assert_eq!(shown(&stage), 4);
    }

    #[tokio::test]
    async fn a_delayed_view_shares_what_has_not_changed_with_the_hall() {
        let folder = tempfile::tempdir().unwrap();
        let (stage, store) = delayed(folder.path()).await;
        append(&store, now_ms()).await;
        shown_after(&stage, &store, 1).await;
        let late = stage.delayed().next().unwrap().hall();
        assert_eq!((late.delay(), late.last_input()), (DELAY, 1));
        assert!(late.is_of_event(&stage.hall().shared_event()));
    }
}
