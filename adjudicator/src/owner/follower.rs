//! A hall that follows the log, and everybody who watches it.
//!
//! The floor is up to date and raises alerts; others follow the same log some seconds behind, one for each delay that an audience has
//! (see [`audience`](crate::front::audience)). A stage never sees an input that has
//! not been committed. Watchers are told only that something changed and look for themselves, so that a
//! slow one costs nothing and delays nobody.
//!
//! Readers get snapshots and never a lock: whatever a reader does with one, the next input is applied meanwhile.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use arc_swap::ArcSwap;
use tokio::{
    runtime::{Handle, RuntimeFlavor},
    sync::watch,
    task,
};
use tokio_util::sync::CancellationToken;

use super::decode;
use crate::{
    config::Config,
    hall::Hall,
    log::{
        Store, StoreError,
        delay_gate::HeldBack,
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

/// Interval at which a delayed stage checks for the next due input.
const DELAYED_POLL: Duration = Duration::from_millis(100);

/// Wait after the database refused to be read.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// A hall that follows the log.
pub struct Stage {
    /// The hall to which inputs are applied. Readers never lock it.
    fold: Mutex<Hall>,
    /// The newest snapshot.
    snapshot: ArcSwap<Hall>,
    changed: watch::Sender<u64>,
    delay: Duration,
    /// Inputs delayed since it follows the log.
    held_back: Mutex<Option<HeldBack>>,
}

impl Stage {
    /// A stage that shows everything this much later than it happened.
    pub fn new(config: &Config, delay: Duration) -> Arc<Stage> {
        let delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        let hall = Hall::new(config, delay_ms);
        Arc::new(Stage {
            snapshot: ArcSwap::from_pointee(hall.clone()),
            fold: Mutex::new(hall),
            changed: watch::Sender::new(0),
            delay,
            held_back: Mutex::new(None),
        })
    }

    /// Delay of the view.
    pub fn delay(&self) -> Duration {
        self.delay
    }

    /// A snapshot of the hall. It may be kept for as long as it is needed; it does not change.
    pub fn hall(&self) -> Arc<Hall> {
        self.snapshot.load_full()
    }

    fn fold(&self) -> MutexGuard<'_, Hall> {
        self.fold.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the number of the last input applied, whenever there is a new one.
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Applies everything in the log that is due.
    ///
    /// # Errors
    ///
    /// The database refuses.
    pub async fn catch_up(&self, store: &Store) -> Result<(), StoreError> {
        self.catch_up_and(store, false).await
    }

    /// Applies everything in the log that is due, before anything else runs. systemd hears that the start goes on.
    ///
    /// # Errors
    ///
    /// The database refuses.
    pub async fn rebuild(&self, store: &Store) -> Result<(), StoreError> {
        systemd::still_starting();
        self.catch_up_and(store, true).await
    }

    /// `is_starting`: nobody waits for the hall yet, but systemd for the start.
    async fn catch_up_and(&self, store: &Store, is_starting: bool) -> Result<(), StoreError> {
        let mut told = Instant::now();
        loop {
            let after = self.hall().last_input();
            let until = if self.delay.is_zero() { u64::MAX } else { self.due_until(store).await? };
            let inputs = if until > after { store.follow(after, until).await? } else { Vec::new() };
            let mut due = &inputs[..self.count_due(&inputs)];
            let is_all = due.len() < inputs.len() || !may_be_more(&inputs);
            while !due.is_empty() {
                due = &due[self.apply_beside(due)..];
                match is_starting {
                    true if told.elapsed() >= systemd::TELL_EVERY => {
                        systemd::still_starting();
                        told = Instant::now();
                    }
                    false if !due.is_empty() => task::yield_now().await,
                    _ => {}
                }
            }
            if is_all {
                return Ok(());
            }
            let applied = self.hall().last_input();
            tracing::info!(inputs = applied, "the hall is being rebuilt from the log");
        }
    }

    fn held_back(&self) -> MutexGuard<'_, Option<HeldBack>> {
        self.held_back.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at what is in the log by now. No input after the one returned may be shown.
    async fn due_until(&self, store: &Store) -> Result<u64, StoreError> {
        let (newest, now) = (store.last_id().await?, time::now());
        let mut held_back = self.held_back();
        let held_back = held_back.get_or_insert_with(|| {
            let delay_ms = u64::try_from(self.delay.as_millis()).unwrap_or(u64::MAX);
            // Between two moments that are cut to milliseconds it may be one less.
            HeldBack::new(delay_ms.saturating_add(1), newest, now)
        });
        held_back.look(newest, now.run_ms);
        Ok(held_back.last())
    }

    /// Number of these inputs, from the first on, that may be shown by now.
    fn count_due(&self, inputs: &[Input]) -> usize {
        match &*self.held_back() {
            Some(held_back) if !self.delay.is_zero() => {
                let is_due =
                    |input: &&Input| held_back.is_due(input.id, input.received_ms, run_ms());
                inputs.iter().take_while(is_due).count()
            }
            _ => inputs.len(),
        }
    }

    /// Applies the first of these inputs; what may take long runs beside the runtime's threads. Returns how many: one at least.
    fn apply_beside(&self, inputs: &[Input]) -> usize {
        let bytes: usize = inputs.iter().map(|input| input.payload.len()).sum();
        let is_short = inputs.len() <= SHORT_INPUTS_MAX && bytes <= SHORT_BYTES_MAX;
        match Handle::current().runtime_flavor() {
            RuntimeFlavor::MultiThread if !is_short => {
                task::block_in_place(|| self.apply_for_a_while(inputs))
            }
            _ => self.apply_for_a_while(inputs),
        }
    }

    /// Applies the first of these inputs for [`SLICE_MAX`], then gives readers a snapshot. Returns how many: one at least.
    pub(crate) fn apply_for_a_while(&self, inputs: &[Input]) -> usize {
        let (began, mut applied) = (Instant::now(), 0);
        let mut fold = self.fold();
        for input in inputs {
            decode::apply(&mut fold, input);
            applied += 1;
            if began.elapsed() >= SLICE_MAX {
                break;
            }
        }
        self.snapshot.store(Arc::new(fold.clone()));
        self.changed.send_replace(fold.last_input());
        applied
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

/// Keeps a delayed stage as far behind as it should be.
pub async fn follow_delayed(stage: Arc<Stage>, store: Arc<Store>, shutdown: CancellationToken) {
    loop {
        let wait = match stage.catch_up(&store).await {
            Ok(()) => DELAYED_POLL,
            Err(error) => {
                tracing::error!(%error, "the delayed pages cannot follow the log");
                RETRY_AFTER
            }
        };
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(wait) => {}
        }
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
        let stage = Stage::new(&Config::default(), DELAY);
        stage.rebuild(&store).await.unwrap();
        (stage, store)
    }

    async fn append(store: &Store, received_ms: u64) {
        let kind = InputKind::LinkUp;
        let input = NewInput { kind, hub: None, match_id: None, payload: Vec::new() };
        store.append(received_ms, input).await.unwrap();
    }

    /// Time until a stage shows an input.
    async fn shown_after(stage: &Stage, store: &Store, input: u64) -> Duration {
        let since = Instant::now();
        while stage.hall().last_input() < input && since.elapsed() < 5 * DELAY {
            stage.catch_up(store).await.unwrap();
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
    async fn a_delayed_stage_reads_nothing_before_it_is_due() {
        let folder = tempfile::tempdir().unwrap();
        let (stage, store) = delayed(folder.path()).await;
        append(&store, now_ms()).await;
        assert_eq!(stage.due_until(&store).await.unwrap(), 0);
        shown_after(&stage, &store, 1).await;
        append(&store, now_ms()).await;
        assert_eq!(stage.due_until(&store).await.unwrap(), 1);
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
}
