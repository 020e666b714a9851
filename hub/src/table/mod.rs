//! The task of one table: what a [`Table`] wants done, done with the journal, the ports and the clock.

use std::time::Duration;

use hub_core::journal::{Entry, Recovered};
use hub_core::orders::KNOWN_MAX;
use hub_core::session::tracker;
use hub_core::table::{Recovery, Reviewed, Table, TableInput, TableOutput, TableSettings};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::HubClock;
use crate::journal::{Journal, JournalError, Reader};
use crate::liveness::Heartbeat;
use crate::notices;
use crate::ports::{NodeInput, NodeRequest, Switchboard};
use crate::review;

/// Longest time without a look at the table.
const TICK: Duration = Duration::from_millis(500);

/// What a table needs.
#[derive(Debug)]
pub(crate) struct TableOptions {
    pub(crate) hub_id: String,
    pub(crate) table: hub_core::settings::Table,
    pub(crate) clock: HubClock,
    pub(crate) inputs: mpsc::Receiver<NodeInput>,
    pub(crate) journal: Journal,
    pub(crate) reader: Reader,
    /// Where nodes are told what is committed, and until when they shall be heard.
    pub(crate) switchboard: Switchboard,
    /// Where nodes are asked.
    pub(crate) requests: mpsc::Sender<NodeRequest>,
    pub(crate) heartbeat: Heartbeat,
}

pub(crate) struct TableTask {
    options: TableOptions,
    table: Table,
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
            rate: options.clock.rate(),
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
        let table = recovery.finish(options.clock.now(), orders, standing);
        let (committed, known, review) = (watch::Sender::new(0), 0, None);
        let task = TableTask { options, table, committed, known, review };
        task.show();
        Ok(task)
    }

    /// Serves the table until `shutdown`, or until the journal has closed.
    pub(crate) async fn run(mut self, shutdown: CancellationToken) -> Result<(), JournalError> {
        let mut committed = self.committed.subscribe();
        loop {
            self.options.heartbeat.beat();
            self.act().await?;
            let due = self.table.poll_timeout();
            let pause = due.map_or(TICK, |due| self.options.clock.until(due).min(TICK));
            let has_room = self.table.has_room();
            tokio::select! {
                () = shutdown.cancelled() => break,
                input = self.options.inputs.recv(), if has_room => match input {
                    Some(input) => self.handle(TableInput::Node(input)),
                    None => break,
                },
                Ok(()) = committed.changed() => {}
                reviewed = reviewed(&mut self.review) => self.handle(TableInput::Reviewed(reviewed)),
                () = tokio::time::sleep(pause) => {}
            }
            self.take_what_is_there();
            self.table.process(self.options.clock.now());
            self.show();
        }
        self.options.inputs.close();
        loop {
            self.take_what_is_there();
            let is_all = self.table.finish(self.options.clock.now());
            self.act().await?;
            if is_all && self.options.inputs.is_empty() {
                return Ok(());
            }
            committed.changed().await.map_err(|_| JournalError::Closed)?;
        }
    }

    fn handle(&mut self, input: TableInput) {
        self.table.handle(self.options.clock.now(), input);
    }

    /// Gives the table what the journal has committed, and as many inputs as it takes.
    fn take_what_is_there(&mut self) {
        let committed = *self.committed.borrow();
        while self.known < committed {
            self.known += 1;
            self.handle(TableInput::Committed);
        }
        while self.table.has_room()
            && let Ok(input) = self.options.inputs.try_recv()
        {
            self.handle(TableInput::Node(input));
        }
    }

    /// Does what the table wants done.
    async fn act(&mut self) -> Result<(), JournalError> {
        while let Some(output) = self.table.poll_output() {
            match output {
                TableOutput::Commit(entry) => self.commit(*entry).await?,
                TableOutput::RequestWatermark(at) => {
                    self.options.switchboard.request_watermark(&self.options.table.name, at);
                }
                TableOutput::Acknowledge(offset) => self.options.switchboard.commit(&offset),
                // Too many at once: the table asks again.
                TableOutput::Ask(request) => drop(self.options.requests.try_send(request)),
                TableOutput::LookUp(job) => {
                    let (journal, reader) = (&self.options.journal, &self.options.reader);
                    self.review = Some(review::start(journal, reader, job));
                }
                TableOutput::Notice(notice) => notices::log(&notice),
            }
        }
        Ok(())
    }

    /// Hands an entry to the journal. While the disk is full this takes long; the table does not hang, it waits.
    async fn commit(&mut self, entry: Entry) -> Result<(), JournalError> {
        let write = self.options.journal.commit(entry, self.committed.clone());
        tokio::pin!(write);
        loop {
            tokio::select! {
                written = &mut write => return written,
                () = tokio::time::sleep(TICK) => self.options.heartbeat.beat(),
            }
        }
    }

    /// Tells the hub's lights how the table is.
    fn show(&self) {
        self.options.heartbeat.set_health(self.table.health());
        self.options.heartbeat.set_recording(self.table.match_id().is_some());
    }
}

/// What came of the match that is looked up; waits for ever while none is.
async fn reviewed(review: &mut Option<JoinHandle<Reviewed>>) -> Reviewed {
    let Some(running) = review else { return std::future::pending().await };
    let reviewed = running.await;
    *review = None;
    reviewed.unwrap_or_default()
}

#[cfg(test)]
mod tests;
