//! The task of one table: what the core wants done there, done with the journal and the clock.

use std::sync::Arc;
use std::time::Duration;

use hub_core::HubTime;
use hub_core::hub::{HubInput, HubOutput, Id, TableId, Turn};
use hub_core::input::NodeInput;
use hub_core::journal::{Entry, Recovered};
use hub_core::orders::KNOWN_MAX;
use hub_core::session::tracker;
use hub_core::table::{Recovery, Reviewed, Table, TableSettings};
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::SharedHub;
use crate::journal::{Journal, JournalError, Reader};
use crate::livechess::LiveBoards;
use crate::liveness::Heartbeat;
use crate::notices;
use crate::review;

/// Longest time without a look at the table.
const TICK: Duration = Duration::from_millis(500);

/// Parts of a table's task.
#[derive(Debug)]
pub(crate) struct TableOptions {
    pub(crate) hub_id: String,
    pub(crate) table: hub_core::settings::TableConfig,
    /// The hub's core.
    pub(crate) hub: SharedHub,
    /// From levers and directors.
    pub(crate) inputs: mpsc::Receiver<NodeInput>,
    pub(crate) journal: Journal,
    pub(crate) reader: Reader,
    pub(crate) heartbeat: Heartbeat,
    /// The LiveChess interface that shows the table's board to programs, if it is on.
    pub(crate) live_boards: Option<LiveBoards>,
}

pub(crate) struct TableTask {
    options: TableOptions,
    id: TableId,
    wake: Arc<Notify>,
    /// Counts the entries that the journal has committed.
    committed: watch::Sender<u64>,
    /// As many of them as the table knows.
    known: u64,
    review: Option<JoinHandle<Reviewed>>,
}

impl TableTask {
    /// Rebuilds the table from the journal.
    pub(crate) async fn recover(options: TableOptions) -> Result<TableTask, JournalError> {
        let reader = &options.reader;
        let name = options.table.name.clone();
        let settings = TableSettings {
            hub_id: options.hub_id.clone(),
            table: options.table.clone(),
            release: env!("CARGO_PKG_VERSION").to_owned(),
            rate: options.hub.clock().rate(),
            follower: tracker,
        };
        let recovered: Recovered = reader.recovered(&name).await?;
        let mut recovery = Recovery::new(settings, &recovered);
        reader.replay(&name, recovered.input_id, |line| recovery.replay(&line)).await?;
        let orders = reader.orders(&name, KNOWN_MAX).await?;
        let standing = match recovery.is_at_odds() {
            true => reader.standing(&name).await?,
            false => Vec::new(),
        };
        let table = recovery.finish(options.hub.clock().now(), orders, standing);
        show(&options.heartbeat, &table);
        let id = options.hub.with(|core| core.add_table(&name, table));
        let wake = options.hub.join(Id::Table(id));
        let (committed, known, review) = (watch::Sender::new(0), 0, None);
        Ok(TableTask { options, id, wake, committed, known, review })
    }

    /// Serves the table until `shutdown`, or until the journal has closed.
    pub(crate) async fn run(mut self, shutdown: CancellationToken) -> Result<(), JournalError> {
        let mut committed = self.committed.subscribe();
        loop {
            self.options.heartbeat.beat();
            self.take_what_is_there();
            self.turn(Turn::run).await?;
            let hub = &self.options.hub;
            let (due, has_room) =
                hub.with(|core| (core.poll_timeout(Id::Table(self.id)), core.has_room(self.id)));
            let pause = due.map_or(TICK, |due| hub.clock().until(due).min(TICK));
            tokio::select! {
                () = shutdown.cancelled() => break,
                input = self.options.inputs.recv(), if has_room => match input {
                    Some(input) => self.give(input),
                    None => break,
                },
                Ok(()) = committed.changed() => {}
                reviewed = reviewed(&mut self.review) => hub.handle(HubInput::Reviewed(self.id, reviewed)),
                () = self.wake.notified() => {}
                () = tokio::time::sleep(pause) => {}
            }
        }
        self.options.inputs.close();
        loop {
            self.take_what_is_there();
            let is_all = self.turn(Turn::finish).await?.unwrap_or(true);
            if is_all && self.options.inputs.is_empty() {
                return Ok(());
            }
            committed.changed().await.map_err(|_| JournalError::Closed)?;
        }
    }

    fn give(&self, input: NodeInput) {
        self.options.hub.handle(HubInput::Node(self.id, input));
    }

    /// Gives the core what the journal has committed, and as many inputs as it takes.
    fn take_what_is_there(&mut self) {
        let committed = *self.committed.borrow();
        while self.known < committed {
            self.known += 1;
            self.options.hub.handle(HubInput::Committed(self.id));
        }
        while self.options.hub.with(|core| core.has_room(self.id))
            && let Ok(input) = self.options.inputs.try_recv()
        {
            self.give(input);
        }
    }

    /// Runs the table outside of the core's lock, and carries out its outputs.
    async fn turn<T>(
        &mut self,
        act: impl FnOnce(&mut Turn, HubTime) -> T,
    ) -> Result<Option<T>, JournalError> {
        let hub = &self.options.hub;
        let Some(mut turn) = hub.with(|core| core.begin(self.id)) else { return Ok(None) };
        let done = act(&mut turn, hub.clock().now());
        show(&self.options.heartbeat, turn.table());
        hub.with(|core| core.end(hub.clock().now(), turn));
        self.act().await?;
        Ok(Some(done))
    }

    async fn act(&mut self) -> Result<(), JournalError> {
        while let Some(output) = self.options.hub.with(|core| core.poll_output(Id::Table(self.id)))
        {
            match output {
                HubOutput::Commit(entry) => self.commit(*entry).await?,
                HubOutput::LookUp(job) => {
                    let (journal, reader) = (&self.options.journal, &self.options.reader);
                    self.review = Some(review::start(journal, reader, job));
                }
                HubOutput::Notice(notice) => notices::log(&notice),
                HubOutput::Open | HubOutput::Close | HubOutput::End | HubOutput::Persist { .. } => {
                }
            }
        }
        Ok(())
    }

    /// Hands an entry to the journal. While the disk is full this takes long; the table does not hang, it waits.
    async fn commit(&mut self, entry: Entry) -> Result<(), JournalError> {
        let shown = self.options.live_boards.clone().map(|boards| (boards, entry.clone()));
        let write = self.options.journal.commit(entry, self.committed.clone());
        tokio::pin!(write);
        loop {
            tokio::select! {
                written = &mut write => {
                    if let Some((boards, entry)) = shown {
                        boards.take(&entry);
                    }
                    return written;
                }
                () = tokio::time::sleep(TICK) => self.options.heartbeat.beat(),
            }
        }
    }
}

/// Shows on the hub's lights how a table is.
fn show(heartbeat: &Heartbeat, table: &Table) {
    heartbeat.set_health(table.health());
    heartbeat.set_recording(table.match_id().is_some());
}

/// Result of the running look-up; waits for ever while there is none.
async fn reviewed(review: &mut Option<JoinHandle<Reviewed>>) -> Reviewed {
    let Some(running) = review else { return std::future::pending().await };
    let reviewed = running.await;
    *review = None;
    reviewed.unwrap_or_default()
}

#[cfg(test)]
mod tests;
