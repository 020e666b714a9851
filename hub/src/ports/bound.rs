//! A device at a port that has its place at a table.

use futures::future::select_all;
use proto::link::{HubTime, ResumePoint};
use tokio::sync::watch;
use tokio::time::Instant;
use tracing::warn;

use super::registry::Place;
use super::{NodeInput, NodeProgress, TimedReading};
use crate::HubClock;
use crate::drivers::Unit;
use crate::record::NodeState;

/// What a device's driver has to know.
pub(super) enum News {
    /// Its readings up to here are in the journal.
    Committed(ResumePoint),
    /// Its table wants to hear everything before this time.
    Wanted(HubTime),
}

/// A device with a place.
pub(super) struct Bound {
    pub(super) unit: Unit,
    pub(super) place: Place,
    /// The run of it that introduced itself last.
    pub(super) boot_id: Option<u32>,
    /// When it was understood last.
    pub(super) heard: Instant,
    /// Told by the journal how far the node's readings are committed.
    committed: watch::Sender<Option<ResumePoint>>,
    news: watch::Receiver<Option<ResumePoint>>,
    /// Until when its table wants to hear it.
    wanted: watch::Receiver<HubTime>,
    state: Option<NodeState>,
    doubtful: bool,
}

impl Bound {
    pub(super) fn new(
        unit: Unit,
        boot_id: Option<u32>,
        place: Place,
        committed: watch::Sender<Option<ResumePoint>>,
    ) -> Bound {
        let news = committed.subscribe();
        let mut wanted = place.end.wanted.clone();
        // What is wanted already counts for it too.
        wanted.mark_changed();
        let (heard, state, doubtful) = (Instant::now(), None, false);
        Bound { unit, place, boot_id, heard, committed, news, wanted, state, doubtful }
    }

    /// How far the journal has it.
    pub(super) fn committed(&self) -> Option<ResumePoint> {
        *self.committed.borrow()
    }

    /// Gives the table what was read.
    pub(super) async fn hand_on(
        &mut self,
        readings: Vec<TimedReading>,
        reached: Option<ResumePoint>,
    ) {
        let progress = reached.map(|reached| NodeProgress {
            node_id: self.place.node.id.clone(),
            reached,
            committed: self.committed.clone(),
        });
        self.send(NodeInput::Readings { board: self.place.node.board, readings, progress }).await;
    }

    /// Tells the table until when it has heard everything.
    pub(super) async fn tell_heard(&self, until: HubTime) {
        let node_id = self.place.node.id.clone();
        self.send(NodeInput::Heard { node_id, until }).await;
    }

    /// What the device says is doubtful, or is no more.
    pub(super) async fn doubt(&mut self, detail: Option<&str>, clock: HubClock) {
        self.doubtful = detail.is_some();
        match detail {
            Some(detail) => {
                warn!(node = %self.place.node.id, table = %self.place.table, "node {}: {detail}", self.place.node.name());
                self.tell(NodeState::Faulty, detail, clock).await;
            }
            None => self.tell(NodeState::Connected, "", clock).await,
        }
    }

    /// Tells the table how the device is, if that is news. One that is doubtful stays so until its
    /// driver takes that back.
    pub(super) async fn tell(&mut self, state: NodeState, detail: &str, clock: HubClock) {
        let doubtful = self.doubtful && self.state == Some(NodeState::Faulty);
        if self.state == Some(state) || (state == NodeState::Connected && doubtful) {
            return;
        }
        self.state = Some(state);
        let input = NodeInput::State {
            node_id: self.place.node.id.clone(),
            board: self.place.node.board,
            at: clock.now(),
            state,
            detail: detail.to_owned(),
        };
        self.send(input).await;
    }

    pub(super) async fn send(&self, input: NodeInput) {
        // The table's task ends only when the hub stops.
        drop(self.place.end.inputs.send(input).await);
    }

    async fn news(&mut self) -> (Unit, News) {
        loop {
            let news = tokio::select! {
                Ok(()) = self.news.changed() => (*self.news.borrow_and_update()).map(News::Committed),
                Ok(()) = self.wanted.changed() => Some(News::Wanted(*self.wanted.borrow_and_update())),
                else => std::future::pending().await,
            };
            if let Some(news) = news {
                return (self.unit, news);
            }
        }
    }
}

/// Waits for what journal and tables have to say to the devices; for ever without a device.
pub(super) async fn news(bound: &mut [Bound]) -> (Unit, News) {
    if bound.is_empty() {
        return std::future::pending().await;
    }
    select_all(bound.iter_mut().map(|bound| Box::pin(bound.news()))).await.0
}
