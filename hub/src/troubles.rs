//! Report of this hub about itself: its troubles, by the watcher that found them, and the end of updates of its nodes. Published with the
//! hub's birth, and again after a change.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use delivery::HubReport;
use proto::mqtt::message::SeenNode;
use tokio::sync::watch;

/// Source of the troubles that an update of nodes leaves.
const NODES: &str = "nodes";

/// The troubles of a hub. Clones tell the same.
#[derive(Clone)]
pub(crate) struct Troubles {
    by_source: Arc<Mutex<BTreeMap<&'static str, Vec<String>>>>,
    report: watch::Sender<HubReport>,
}

impl Troubles {
    /// No troubles yet, with the channel that publishes them.
    pub(crate) fn none() -> (Troubles, watch::Receiver<HubReport>) {
        let (report, receiver) = watch::channel(HubReport::default());
        (Troubles { by_source: Arc::default(), report }, receiver)
    }

    /// Replaces the trouble of one source; none where all is well.
    pub(crate) fn tell(&self, source: &'static str, words: Option<String>) {
        self.replace(source, words.into_iter().collect(), None);
    }

    /// Replaces the troubles of updated nodes; with the request, if that has ended.
    pub(crate) fn tell_of_nodes(&self, words: Vec<String>, ended: Option<u64>) {
        self.replace(NODES, words, ended);
    }

    /// Replaces the nodes that this hub sees.
    pub(crate) fn tell_of_places(&self, nodes: Vec<SeenNode>) {
        self.report.send_if_modified(|report| {
            let is_news = report.nodes != nodes;
            report.nodes = nodes;
            is_news
        });
    }

    /// Records the end of a request to place nodes, with its refused part.
    pub(crate) fn tell_of_placing(&self, request: u64, refused: String) {
        self.report.send_if_modified(|report| {
            let now =
                HubReport { placing_ended: request, placing_refused: refused, ..report.clone() };
            let is_news = *report != now;
            *report = now;
            is_news
        });
    }

    fn replace(&self, source: &'static str, words: Vec<String>, ended: Option<u64>) {
        let mut all = self.by_source.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(source, words);
        let troubles = all.values().flatten().cloned().collect();
        self.report.send_if_modified(|report| {
            let update_ended = ended.unwrap_or(report.update_ended);
            let now = HubReport { troubles, update_ended, ..report.clone() };
            let is_news = *report != now;
            *report = now;
            is_news
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_source_tells_its_own_and_takes_it_back() {
        let (troubles, report) = Troubles::none();
        troubles.tell("disk", Some("no room".to_owned()));
        troubles.clone().tell("heat", Some("hot".to_owned()));
        assert_eq!(report.borrow().troubles, ["no room", "hot"]);
        troubles.tell("disk", None);
        assert_eq!(report.borrow().troubles, ["hot"]);
    }

    #[test]
    fn the_end_of_an_update_is_published_with_the_nodes_that_failed() {
        let (troubles, mut report) = Troubles::none();
        troubles.tell_of_nodes(vec!["node a".to_owned(), "node b".to_owned()], Some(7));
        let expected = HubReport {
            troubles: vec!["node a".into(), "node b".into()],
            update_ended: 7,
            ..HubReport::default()
        };
        assert_eq!(*report.borrow_and_update(), expected);
        troubles.tell("disk", None);
        assert!(!report.has_changed().unwrap(), "nothing new");
        troubles.tell_of_nodes(Vec::new(), None);
        assert_eq!(*report.borrow(), HubReport { update_ended: 7, ..HubReport::default() });
    }
}
