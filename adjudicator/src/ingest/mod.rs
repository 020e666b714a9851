//! Takes in what hubs report: does what a [`delivery::Receiver`] wants done with the store.
//!
//! Rows of several hubs are one transaction. If the database refuses, nothing is acknowledged and the hubs keep their rows.

pub(crate) mod hub_states;
pub(crate) mod hub_times;
pub mod mqtt_client;
pub(crate) mod outbox;
mod placing_message;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use delivery::{Accepted, Outbox, Position, Work};
use prost::Message as _;
use proto::mqtt::message::{HubState, Row};
use proto::mqtt::{ReceivedRows, match_of};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::{
    ingest::{hub_states::Births, hub_times::HubTimes, mqtt_client::Link},
    log::{
        Batch, Store, StoreError,
        input::{InputKind, NewInput, NewRow},
    },
    owner::{decode::presence, follower::Stage},
    time::{self, now_ms},
};

/// How often orders are looked for, and what could not be sent is tried again.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Interval between two requests to a hub to update its nodes.
const UPDATE_EVERY: Duration = Duration::from_secs(5);
/// Interval between two requests to a hub to place its nodes.
const PLACE_EVERY: Duration = Duration::from_secs(1);

/// The task that takes in.
pub struct Ingest {
    store: Arc<Store>,
    floor: Arc<Stage>,
    link: Link,
    appended: Arc<watch::Sender<u64>>,
    outbox: Outbox,
    hub_times: HubTimes,
    births: Births,
    /// A change of the line that is not in the log yet. Nothing else is taken in before it is.
    line: Option<InputKind>,
    clock_rate: f64,
    /// Time of the last requests to update nodes.
    updates_sent: Option<Instant>,
    /// Time of the last requests to place nodes.
    placings_sent: Option<Instant>,
}

impl Ingest {
    /// Takes from `link` into `store`, acknowledges through it and tells the stages through `appended`. The births
    /// of so many hubs are remembered.
    pub fn new(
        store: Arc<Store>,
        floor: Arc<Stage>,
        link: Link,
        appended: Arc<watch::Sender<u64>>,
        clock_rate: f64,
        hubs_max: usize,
    ) -> Ingest {
        let (outbox, births) = (Outbox::default(), Births::new(hubs_max));
        let (line, hub_times) = (None, HubTimes::default());
        let (updates_sent, placings_sent) = (None, None);
        Ingest {
            store,
            floor,
            link,
            appended,
            outbox,
            hub_times,
            births,
            line,
            clock_rate,
            updates_sent,
            placings_sent,
        }
    }

    /// Runs until shutdown, then says goodbye to the broker.
    pub async fn run(mut self, shutdown: CancellationToken) {
        let mut look = tokio::time::interval(LOOK_EVERY);
        look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let inbox = self.link.inbox().clone();
        loop {
            tokio::select! {
                () = shutdown.cancelled() => break,
                () = inbox.changed() => {}
                _ = look.tick() => {
                    self.log_line().await;
                    self.log_births().await;
                    self.send_orders();
                }
            }
            while !shutdown.is_cancelled() && self.line.is_none() {
                let Some(work) = inbox.receiver().poll_work() else { break };
                self.work(work).await;
                self.link.flush();
            }
            self.link.flush();
        }
        if let Err(error) = self.log(InputKind::LinkDown).await {
            tracing::error!(%error, "the end of the connection to the broker cannot be logged; the next start logs it");
        }
        self.link.close().await;
    }

    async fn work(&mut self, work: Work) {
        match work {
            // Logged before anything is asked for, so that births heard on this line come after it.
            Work::LinkUp => {
                self.births.forget_presence();
                self.line = Some(InputKind::LinkUp);
                self.log_line().await;
            }
            Work::LinkDown => {
                self.births.forget_presence();
                self.line = Some(InputKind::LinkDown);
                self.log_line().await;
            }
            Work::HubState(state) => {
                self.take_hub_state(&state);
                self.log_births().await;
            }
            Work::Commit(group) => self.commit(group).await,
            Work::Position(hub, boot_id) => match self.store.position(&hub, boot_id).await {
                Ok(sequence) => self.committed(vec![Position { hub, boot_id, sequence }]),
                Err(error) => tracing::error!(hub, %error, "a position cannot be read"),
            },
        }
    }

    fn committed(&self, positions: Vec<Position>) {
        self.link.inbox().receiver().committed(positions);
    }

    async fn commit(&mut self, group: Vec<ReceivedRows>) {
        let rows: Vec<Vec<NewRow>> = group.iter().map(new_rows).collect();
        let batches: Vec<Batch<'_>> = group
            .iter()
            .zip(&rows)
            .map(|(message, rows)| Batch {
                hub: &message.rows.hub_id,
                boot_id: message.rows.boot_id,
                first_available: message.rows.first_available,
                rows,
            })
            .collect();
        let taken = match self.store.append_group(now_ms(), &batches).await {
            Ok(taken) => taken,
            Err(error) => {
                tracing::error!(messages = group.len(), %error, "rows cannot be stored");
                self.link.inbox().receiver().refused(&group);
                return;
            }
        };
        for (batch, accepted) in batches.iter().zip(&taken) {
            report(batch, accepted);
        }
        if taken.iter().any(Accepted::is_news) {
            self.tell();
        }
        let position = |(batch, accepted): (&Batch<'_>, &Accepted)| Position {
            hub: batch.hub.to_owned(),
            boot_id: batch.boot_id,
            sequence: accepted.position,
        };
        self.committed(batches.iter().zip(&taken).map(position).collect());
    }

    /// Sends what is to happen at tables; what the client does not take now is sent again.
    fn send_orders(&mut self) {
        let now = time::now();
        let hall = self.floor.hall();
        self.hub_times.follow(hall.hubs_heard(), now);
        if !self.link.inbox().receiver().is_up() {
            return;
        }
        let due = outbox::due(&mut self.outbox, &hall, &self.hub_times, now, self.clock_rate);
        for (hub, orders) in due {
            self.link.order(&hub, orders);
        }
        if self.updates_sent.is_none_or(|sent| sent.elapsed() >= UPDATE_EVERY) {
            for (hub, request) in hall.hubs_to_update(now_ms()) {
                self.link.update_nodes(hub, request);
                self.updates_sent = Some(Instant::now());
            }
        }
        if self.placings_sent.is_none_or(|sent| sent.elapsed() >= PLACE_EVERY) {
            for (hub, request, tables) in hall.hubs_to_place(now_ms()) {
                self.link.place_nodes(hub, placing_message::of(request, tables));
                self.placings_sent = Some(Instant::now());
            }
        }
    }

    /// Hears a birth or will. It must not wait for the floor: whatever one hub has told is applied there first.
    fn take_hub_state(&mut self, state: &HubState) {
        // What this run has not logged yet is as the last one left it, but that since then everything is heard anew.
        let is_news = || state.online || self.floor.hall().is_news(&state.hub_id, &presence(state));
        self.births.hear(state, Instant::now(), is_news);
    }

    async fn log_births(&mut self) {
        for state in self.births.due(Instant::now()) {
            let HubState { hub_id: hub, online, boot_id, .. } = &state;
            match self.store.append_state(now_ms(), hub, state.encode_to_vec()).await {
                Ok(true) => {
                    tracing::info!(hub, online, boot_id, "hub");
                    self.tell();
                }
                // The directors' list has it since long before.
                Ok(false) => tracing::warn!(hub, online, boot_id, "its share of the log is full"),
                // It is tried again.
                Err(error) => {
                    tracing::error!(hub, %error, "a hub's birth or will cannot be stored");
                    continue;
                }
            }
            self.births.done(state, Instant::now());
        }
    }

    /// Logs the change of the line that waits, if the database takes it; otherwise it is tried again at the next look.
    async fn log_line(&mut self) {
        let Some(kind) = self.line else { return };
        if let Err(error) = self.log(kind).await {
            tracing::error!(%error, "that the connection to the broker came or went cannot be logged; it is tried again");
            return;
        }
        self.line = None;
        if kind == InputKind::LinkUp {
            let positions = self.store.latest_positions().await.unwrap_or_else(|error| {
                tracing::error!(%error, "the hubs' positions cannot be read: they get them with their next rows");
                Vec::new()
            });
            self.link.inbox().receiver().greet(positions);
        }
    }

    /// Logs that the line came or went.
    async fn log(&mut self, kind: InputKind) -> Result<(), StoreError> {
        let input = NewInput { kind, hub: None, match_id: None, payload: Vec::new() };
        self.store.append(now_ms(), input).await?;
        self.tell();
        Ok(())
    }

    fn tell(&self) {
        self.appended.send_modify(|appends| *appends += 1);
    }
}

/// Says what of a message was not taken. What fills a hub's share is in the directors' list long before.
fn report(batch: &Batch<'_>, accepted: &Accepted) {
    let Batch { hub, boot_id, rows, .. } = batch;
    if let Some((first, last)) = accepted.lost {
        tracing::error!(
            hub,
            boot_id,
            first,
            last,
            "rows are lost: this database lacks them, and the hub's journal no longer has them; a copy of the database that has \
             them may exist"
        );
    }
    if accepted.gap {
        tracing::warn!(
            hub,
            boot_id,
            position = accepted.position,
            first = rows.first().map(|row| row.sequence),
            "rows are missing before these; the hub will send them again"
        );
    }
}

/// The rows of a message with the bytes that came: they may say more than this release knows.
#[must_use]
pub fn new_rows(received: &ReceivedRows) -> Vec<NewRow> {
    let new_row = |(row, body): (&Row, &Vec<u8>)| NewRow {
        sequence: row.sequence,
        table: row.table.clone(),
        match_id: row.event.as_ref().and_then(match_of).map(str::to_owned),
        payload: body.clone(),
    };
    received.rows.rows.iter().zip(&received.bodies).map(new_row).collect()
}

/// Notes in the log that the line was down until now, if the last run left it up.
///
/// # Errors
///
/// The database refuses.
pub async fn close_last_run(store: &Store, floor: &Stage) -> Result<(), StoreError> {
    floor.rebuild(store).await?;
    if floor.hall().is_linked() {
        let input =
            NewInput { kind: InputKind::LinkDown, hub: None, match_id: None, payload: Vec::new() };
        store.append(now_ms(), input).await?;
        floor.catch_up(store).await?;
    }
    Ok(())
}
