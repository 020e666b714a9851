//! Until when each node of a table was heard, and how long one that says nothing is waited for.
//!
//! A node of ours says with every snapshot that it has told all events before it. So a reading of another node is in order when
//! all have been heard until then: that holds however late a line, a bus or the hub itself is.

use std::collections::BTreeMap;

use proto::link::HubTime;

/// What is known of a node.
#[derive(Clone, Copy, Debug, Default)]
struct Watermark {
    /// All that it read before is here.
    until: HubTime,
    /// It was waited for in vain, and is not waited for until it says something.
    is_given_up: bool,
}

/// The nodes of a table that say until when they have told everything.
#[derive(Debug, Default)]
pub(super) struct Watermarks {
    nodes: BTreeMap<String, Watermark>,
}

impl Watermarks {
    /// Nothing was heard of `nodes` yet.
    pub(super) fn new(nodes: impl Iterator<Item = String>) -> Watermarks {
        Watermarks { nodes: nodes.map(|node| (node, Watermark::default())).collect() }
    }

    /// All that the node read before `until` has come. Of a node that was not announced it is nobody's business.
    pub(super) fn advance(&mut self, node: &str, until: HubTime) {
        if let Some(mark) = self.nodes.get_mut(node) {
            mark.until = mark.until.max(until);
            mark.is_given_up = false;
        }
    }

    /// Until when one node was heard; none if it does not say so.
    pub(super) fn of(&self, node: &str) -> Option<HubTime> {
        self.nodes.get(node).map(|mark| mark.until)
    }

    /// Until when all were heard that are not given up and of which `is_awaited` holds.
    pub(super) fn until(&self, is_awaited: impl Fn(&str) -> bool) -> HubTime {
        let awaited =
            self.nodes.iter().filter(|(node, mark)| !mark.is_given_up && is_awaited(node));
        awaited.map(|(_, mark)| mark.until).min().unwrap_or(HubTime::MAX)
    }

    /// Whoever was not heard until `at` is not waited for any more; who that is.
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
