//! Update of the firmware of all nodes of a hub, each over its line, while no match is played at any of its tables.
//!
//! Nodes are updated at the same time. One that fails runs its old firmware on, and the report says what to do about it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proto::link::HubTime;

use super::Hub;
use crate::request::NodeRequest;
use crate::update::{NodeImages, UpdateFailure, UpdateOutcome};

/// Maximum time of an update, in µs of hub time; a node of which nothing is known by then has failed.
const UPDATE_MAX_US: u64 = 600_000_000;

/// Progress or end of an update of all nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdateReport {
    /// The request.
    pub request: u64,
    /// Whether it has ended: everything was updated, or failed, or it was refused.
    pub is_ended: bool,
    /// Progress, or what failed and what to do; empty if every node runs the firmware of this release.
    pub words: Vec<String>,
}

/// The last update.
#[derive(Debug, Default)]
pub(super) struct NodesUpdate {
    request: u64,
    /// Nodes whose end is not known.
    waiting: BTreeSet<String>,
    failed: BTreeMap<String, String>,
    /// Reason for which all of it was refused.
    refused: Option<String>,
    count: usize,
    until: HubTime,
    is_news: bool,
}

impl NodesUpdate {
    fn begin(&mut self, request: u64, until: HubTime) {
        *self = NodesUpdate { request, until, is_news: true, ..NodesUpdate::default() };
    }

    /// Takes the end of a node's update; one that comes late replaces the failure.
    pub(super) fn note(&mut self, node_id: &str, outcome: UpdateOutcome) {
        self.waiting.remove(node_id);
        self.failed.remove(node_id);
        if let UpdateOutcome::Failed(failure) = outcome {
            self.failed.insert(node_id.to_owned(), failure.to_string());
        }
        self.is_news = true;
    }

    fn report(&self) -> UpdateReport {
        let is_ended = self.waiting.is_empty();
        let progress = (!is_ended).then(|| {
            let (count, done) = (self.count, self.count - self.waiting.len());
            format!("the firmware of its nodes is being updated ({done} of {count} done): begin no match there")
        });
        let failed =
            self.failed.iter().map(|(node, words)| format!("node {node} was not updated: {words}"));
        let words = self.refused.iter().cloned().chain(progress).chain(failed).collect();
        UpdateReport { request: self.request, is_ended, words }
    }
}

impl Hub {
    /// Begins an update of all nodes. It is refused while a match is played; the same request again changes nothing.
    pub(super) fn update_nodes(&mut self, now: HubTime, request: u64, images: &Arc<NodeImages>) {
        if request == self.update.request || !self.update.waiting.is_empty() {
            return;
        }
        // A table at work is asked when the request comes again.
        let Ok(playing) = self.table_in_play().map(|table| table.map(str::to_owned)) else {
            return;
        };
        self.update.begin(request, now.plus_micros(UPDATE_MAX_US));
        if let Some(table) = playing {
            self.update.refused = Some(format!(
                "no node was updated, because a match is played at table {table}: end it, reset its clocks, and update again"
            ));
            return;
        }
        let nodes: Vec<String> = self.registry.our_nodes().map(str::to_owned).collect();
        self.update.count = nodes.len();
        self.update.waiting = nodes.iter().cloned().collect();
        for node_id in nodes {
            match self.registry.port_of(&node_id) {
                Some(_) => {
                    let images = Arc::clone(images);
                    self.ask(now, NodeRequest::Update { node_id, images });
                }
                None => self.update.note(&node_id, UpdateOutcome::Failed(UpdateFailure::Silent)),
            }
        }
    }

    /// The progress of an update, or its end, when it is news.
    pub fn poll_update(&mut self, now: HubTime) -> Option<UpdateReport> {
        if now >= self.update.until {
            for node_id in std::mem::take(&mut self.update.waiting) {
                self.update.note(&node_id, UpdateOutcome::Failed(UpdateFailure::NotBack));
            }
        }
        std::mem::take(&mut self.update.is_news).then(|| self.update.report())
    }
}
