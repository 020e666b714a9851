//! A hall that follows the log, and everybody who watches it.
//!
//! The floor is up to date and raises alerts; others follow the same log some seconds behind, one for each delay that an audience has
//! (see [`audience`](crate::audience)). A stage never sees an input that has
//! not been committed. Watchers are told only that something changed and look for themselves, so that a
//! slow one costs nothing and delays nobody.

use std::{
    sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::{
    config::Config,
    hall::Hall,
    store::{AlertRecord, Input, InputKind, MatchRecord, NewInput, Store, StoreError, may_be_more},
    systemd,
};

/// Nobody waits longer for the hall while inputs are applied, but for the input that is applied just then.
const HELD_MAX: Duration = Duration::from_millis(50);

/// Meanwhile whoever waits for the hall gets it: a lock that is asked for again at once may be had before those who waited wake up.
const BETWEEN: Duration = Duration::from_millis(1);

/// How often a delayed stage looks whether the next input is due.
const DELAYED_POLL: Duration = Duration::from_millis(100);

/// Wait after the database refused to be read.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// This machine's time, Unix milliseconds.
pub fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// A hall that follows the log.
pub struct Stage {
    hall: RwLock<Hall>,
    changed: watch::Sender<u64>,
    delay: Duration,
}

impl Stage {
    /// A stage that shows everything this much later than it happened.
    pub fn new(config: &Config, delay: Duration) -> Arc<Stage> {
        let delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        Arc::new(Stage {
            hall: RwLock::new(Hall::new(config, delay_ms)),
            changed: watch::Sender::new(0),
            delay,
        })
    }

    /// How much later than it happened everything is shown.
    pub fn delay(&self) -> Duration {
        self.delay
    }

    /// The hall, to look at. Nobody may hold it across an await.
    pub fn hall(&self) -> RwLockReadGuard<'_, Hall> {
        self.hall.read().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn hall_mut(&self) -> RwLockWriteGuard<'_, Hall> {
        self.hall.write().unwrap_or_else(std::sync::PoisonError::into_inner)
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
            let inputs = store.read(after).await?;
            let due_ms = match self.delay.is_zero() {
                true => u64::MAX,
                false => now_ms().saturating_sub(self.delay.as_millis() as u64),
            };
            // Stops at the first that is not due, so that a clock set back loses nothing.
            let is_due = |input: &&Input| input.received_ms <= due_ms;
            let mut due = &inputs[..inputs.iter().take_while(is_due).count()];
            let is_all = due.len() < inputs.len() || !may_be_more(&inputs);
            while !due.is_empty() {
                due = &due[self.apply_for_a_while(due)..];
                match is_starting {
                    true if told.elapsed() >= systemd::TELL_EVERY => {
                        systemd::still_starting();
                        told = Instant::now();
                    }
                    false if !due.is_empty() => tokio::time::sleep(BETWEEN).await,
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

    /// Applies the first of these inputs, as many as nobody has to wait for long. How many they were: one at least.
    fn apply_for_a_while(&self, inputs: &[Input]) -> usize {
        let (began, mut applied) = (Instant::now(), 0);
        let mut hall = self.hall_mut();
        for input in inputs {
            hall.apply(input);
            applied += 1;
            if began.elapsed() >= HELD_MAX {
                break;
            }
        }
        self.changed.send_replace(hall.last_input());
        applied
    }

    /// Keeps what the referees judged since the last call.
    ///
    /// # Errors
    ///
    /// The database refuses; what was to be kept is in the log all the same.
    pub async fn save_judgments(&self, store: &Store) -> Result<(), StoreError> {
        let (matches, alerts) = self.take_judgments();
        store.save_judgments(&matches, &alerts).await
    }

    fn take_judgments(&self) -> (Vec<MatchRecord>, Vec<AlertRecord>) {
        let mut hall = self.hall_mut();
        let (mut matches, mut alerts) = (Vec::new(), Vec::new());
        for id in hall.take_judged() {
            let Some(game) = hall.game_mut(&id) else { continue };
            for (input_id, alert) in game.take_alerts() {
                alerts.push(AlertRecord {
                    match_id: id.clone(),
                    alert_id: alert.id.clone(),
                    revision: alert.revision,
                    input_id,
                    body: serde_json::to_string(&alert).unwrap_or_default(),
                });
            }
            let proposal = game.referee().proposal();
            matches.push(MatchRecord {
                id,
                table: game.table.clone(),
                rulebook: game.rulebook.to_string(),
                state: game.referee().phase().name().to_owned(),
                ply_count: game.referee().timeline().plies().len(),
                proposal: proposal.map(|proposal| proposal.text.clone()),
                opened_input: game.opened_input,
                changed_input: game.changed_input,
            });
        }
        (matches, alerts)
    }

    /// The referees' deadline that falls first: when (Unix milliseconds), in which match, and its match time.
    fn deadline(&self, clock_rate: f64) -> Option<(u64, String, u64)> {
        let hall = self.hall();
        let current = hall.tables().iter().filter_map(|table| hall.game(table.match_id.as_ref()?));
        current
            .filter_map(|game| {
                let (at_ms, t_us) = game.deadline(clock_rate)?;
                Some((at_ms, game.id.clone(), t_us))
            })
            .min()
    }
}

/// Keeps the floor up to date: applies what was committed, keeps judgments, and puts the referees'
/// deadlines into the log when they fall.
pub async fn follow_floor(
    stage: Arc<Stage>,
    store: Arc<Store>,
    appended: Arc<watch::Sender<u64>>,
    clock_rate: f64,
    shutdown: CancellationToken,
) {
    let mut news = appended.subscribe();
    loop {
        news.mark_unchanged();
        let mut caught_up = stage.catch_up(&store).await;
        if caught_up.is_ok() {
            caught_up = stage.save_judgments(&store).await;
        }
        if let Err(error) = &caught_up {
            tracing::error!(%error, "the floor cannot follow the log");
        }
        let deadline = stage.deadline(clock_rate).filter(|_| caught_up.is_ok());
        let wait = match (&caught_up, &deadline) {
            (Err(_), _) => RETRY_AFTER,
            (Ok(()), Some((at_ms, ..))) => Duration::from_millis(at_ms.saturating_sub(now_ms())),
            (Ok(()), None) => Duration::from_secs(3600),
        };
        tokio::select! {
            () = shutdown.cancelled() => return,
            changed = news.changed(), if caught_up.is_ok() => {
                if changed.is_err() { return }
            }
            () = tokio::time::sleep(wait) => {
                let Some((_, match_id, t_us)) = deadline else { continue };
                let input = NewInput {
                    kind: InputKind::Deadline,
                    hub: None,
                    match_id: Some(match_id),
                    payload: t_us.to_string().into_bytes(),
                };
                match store.append(now_ms(), input).await {
                    Ok(_) => appended.send_modify(|appends| *appends += 1),
                    Err(error) => {
                        tracing::error!(%error, "a deadline cannot be logged");
                        tokio::time::sleep(RETRY_AFTER).await;
                    }
                }
            }
        }
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
        // Nobody asks for a delayed stage's alerts: they must not pile up.
        let _ = stage.take_judgments();
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(wait) => {}
        }
    }
}
