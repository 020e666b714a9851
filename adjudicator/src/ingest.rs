//! Takes in what hubs report: commit first, then acknowledge.
//!
//! One message of rows is one transaction. Only the next rows of a boot are taken; duplicates and rows
//! after a gap are answered with the acknowledgement that stands, so that the hub knows where to go on.
//! If the database refuses, nothing is acknowledged and the hub keeps its rows.

use std::{sync::Arc, time::Duration};

use prost::Message as _;
use proto::mqtt::message::{Ack, HubState, Row, Rows};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::{
    mqtt::{Connection, Ears, Heard, Link},
    orders::Outbox,
    stage::{Stage, now_ms},
    store::{Batch, InputKind, NewInput, NewRow, Store, StoreError},
    wire,
};

/// How often what could not be sent is tried again.
const FLUSH_EVERY: Duration = Duration::from_millis(100);

/// The task that takes in.
pub struct Ingest {
    store: Arc<Store>,
    floor: Arc<Stage>,
    link: Link,
    ears: Ears,
    appended: Arc<watch::Sender<u64>>,
    outbox: Outbox,
    clock_rate: f64,
}

impl Ingest {
    /// Takes from `ears` into `store`, acknowledges through `link` and tells the stages through
    /// `appended`.
    pub fn new(
        store: Arc<Store>,
        floor: Arc<Stage>,
        (link, ears): (Link, Ears),
        appended: Arc<watch::Sender<u64>>,
        clock_rate: f64,
    ) -> Ingest {
        Ingest { store, floor, link, ears, appended, outbox: Outbox::default(), clock_rate }
    }

    /// Runs until shutdown, then says goodbye to the broker.
    pub async fn run(mut self, shutdown: CancellationToken) {
        let mut flush = tokio::time::interval(FLUSH_EVERY);
        flush.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = shutdown.cancelled() => break,
                changed = self.ears.connection.changed() => {
                    if changed.is_err() { break }
                    let connection = *self.ears.connection.borrow_and_update();
                    self.connection_changed(connection).await;
                }
                heard = self.ears.heard.recv() => match heard {
                    Some(Heard::Rows(rows)) => self.take_rows(rows).await,
                    Some(Heard::HubState(state)) => self.take_hub_state(state).await,
                    None => break,
                },
                _ = flush.tick() => {
                    self.answer_dropped().await;
                    self.send_orders();
                    self.link.flush();
                }
            }
        }
        self.log(InputKind::LinkDown, None, Vec::new()).await;
        self.link.close().await;
    }

    async fn connection_changed(&mut self, connection: Connection) {
        if !connection.is_up {
            self.log(InputKind::LinkDown, None, Vec::new()).await;
            return;
        }
        // Logged before anything is asked for, so that births heard on this line come after it.
        self.log(InputKind::LinkUp, None, Vec::new()).await;
        self.link.greet();
        match self.store.latest_positions().await {
            Ok(positions) => {
                for at in positions {
                    self.acknowledge(at.hub, at.boot_id, at.sequence);
                }
            }
            Err(error) => tracing::error!(%error, "acknowledgements cannot be given again"),
        }
    }

    async fn take_rows(&mut self, rows: Rows) {
        let Rows { hub_id, boot_id, rows, first_available } = rows;
        let new: Vec<NewRow> = rows.iter().map(new_row).collect();
        let batch = Batch { hub: &hub_id, boot_id, first_available, rows: &new };
        match self.store.append_rows(now_ms(), batch).await {
            Ok(appended) => {
                if let Some((first, last)) = appended.lost {
                    tracing::error!(
                        hub = hub_id,
                        boot_id,
                        first,
                        last,
                        "rows are lost: this database lacks them, and the hub's journal no longer has them; a copy of the database \
                         that has them may exist"
                    );
                }
                if appended.gap {
                    tracing::warn!(
                        hub = hub_id,
                        boot_id,
                        position = appended.position,
                        first = new.first().map(|row| row.sequence),
                        "rows are missing before these; the hub will send them again"
                    );
                }
                if appended.accepted > 0 || appended.lost.is_some() {
                    self.tell();
                }
                self.acknowledge(hub_id, boot_id, appended.position);
            }
            Err(error) => tracing::error!(hub = hub_id, %error, "rows cannot be stored"),
        }
    }

    fn acknowledge(&mut self, hub_id: String, boot_id: u64, sequence: u64) {
        let store_id = self.store.id().to_owned();
        self.link.acknowledge(Ack { hub_id, boot_id, sequence, store_id });
    }

    /// Tells the hubs whose rows were dropped how far they are: they send again from there.
    async fn answer_dropped(&mut self) {
        for (hub, boot_id) in self.ears.dropped.take() {
            match self.store.position(&hub, boot_id).await {
                Ok(sequence) => self.acknowledge(hub, boot_id, sequence),
                Err(error) => tracing::error!(hub, %error, "a position cannot be read"),
            }
        }
    }

    /// Sends what is to happen at tables; what the client does not take now is sent again.
    fn send_orders(&mut self) {
        if !self.ears.connection.borrow().is_up {
            return;
        }
        let due = self.outbox.due(&self.floor.hall(), now_ms(), self.clock_rate);
        for (hub, orders) in due {
            self.link.order(&hub, orders);
        }
    }

    async fn take_hub_state(&mut self, state: HubState) {
        // The floor must be up to date to know whether this is news: the retained birth comes with
        // every connection.
        if let Err(error) = self.floor.catch_up(&self.store).await {
            tracing::error!(%error, "the floor cannot follow the log");
        }
        if self.floor.hall().is_news(&state.hub_id, &state) {
            tracing::info!(
                hub = state.hub_id,
                online = state.online,
                boot_id = state.boot_id,
                "hub"
            );
            let payload = state.encode_to_vec();
            self.log(InputKind::HubState, Some(state.hub_id), payload).await;
        }
    }

    async fn log(&mut self, kind: InputKind, hub: Option<String>, payload: Vec<u8>) {
        let input = NewInput { kind, hub, match_id: None, payload };
        match self.store.append(now_ms(), input).await {
            Ok(_) => self.tell(),
            Err(error) => tracing::error!(%error, "an input cannot be stored"),
        }
    }

    fn tell(&self) {
        self.appended.send_modify(|appends| *appends += 1);
    }
}

fn new_row(row: &Row) -> NewRow {
    NewRow {
        sequence: row.sequence,
        table: row.table.clone(),
        match_id: wire::match_id(row).map(str::to_owned),
        payload: row.encode_to_vec(),
    }
}

/// Notes in the log that the line was down until now, if the last run left it up.
///
/// # Errors
///
/// The database refuses.
pub async fn close_last_run(store: &Store, floor: &Stage) -> Result<(), StoreError> {
    floor.catch_up(store).await?;
    if floor.hall().is_linked() {
        let input =
            NewInput { kind: InputKind::LinkDown, hub: None, match_id: None, payload: Vec::new() };
        store.append(now_ms(), input).await?;
        floor.catch_up(store).await?;
    }
    Ok(())
}
