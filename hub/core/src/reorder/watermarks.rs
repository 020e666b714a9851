//! Watermarks of a table's nodes, and the longest wait for a silent one.
//!
//! A node of ours confirms with every snapshot that it has sent all events before it. So a reading of another node is in order when
//! all watermarks have passed it: that holds for every delay of a line, a bus or the hub itself.

use std::collections::BTreeMap;

use proto::link::HubTime;

/// State of a node.
#[derive(Clone, Copy, Debug, Default)]
struct Watermark {
    /// All that it read before is here.
    until: HubTime,
    /// Whether the wait for it ended in vain; it is not awaited again until it sends something.
    is_given_up: bool,
}

/// The nodes of a table that say until when they have told everything.
#[derive(Debug, Default)]
pub(super) struct Watermarks {
    nodes: BTreeMap<String, Watermark>,
}

impl Watermarks {
    /// Watermarks of `nodes`, none of which has sent one.
    pub(super) fn new(nodes: impl Iterator<Item = String>) -> Watermarks {
        Watermarks { nodes: nodes.map(|node| (node, Watermark::default())).collect() }
    }

    /// Records a node's watermark: all its readings before `until` have come. Unknown nodes are ignored.
    pub(super) fn advance(&mut self, node: &str, until: HubTime) {
        if let Some(mark) = self.nodes.get_mut(node) {
            mark.until = mark.until.max(until);
            mark.is_given_up = false;
        }
    }

    /// A node's watermark; none if it sends none.
    pub(super) fn of(&self, node: &str) -> Option<HubTime> {
        self.nodes.get(node).map(|mark| mark.until)
    }

    /// The least watermark of the nodes that are not given up and of which `is_awaited` holds.
    pub(super) fn until(&self, is_awaited: impl Fn(&str) -> bool) -> HubTime {
        let awaited =
            self.nodes.iter().filter(|(node, mark)| !mark.is_given_up && is_awaited(node));
        awaited.map(|(_, mark)| mark.until).min().unwrap_or(HubTime::MAX)
    }

    /// Gives up the nodes whose watermark is before `at`; returns them.
    pub(super) fn give_up(
        &mut self,
        at: HubTime,
        is_awaited: impl Fn(&str) -> bool,
    ) -> Vec<String> {
        let late = |(node, mark): &(&String, &mut Watermark)| {
            !mark.is_given_up && mark.until < at && is_awaited(node)
        };
        let given_up = self.nodes.iter_mut().filter(late).map(|(node, mark)| {
            mark.is_given_up = true;
            node.clone()
        });
        given_up.collect()
    }
}
