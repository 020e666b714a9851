//! Presence of each node, and complaints about it by their source. Published when either changes.
//!
//! A board may be doubtful for two reasons at once: its own word, and what the session makes of its readings. Neither takes the
//! other's complaint off the list.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::journal_line::NodeState;

/// Origin of a complaint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ComplaintSource {
    /// The device and its driver.
    Device,
    /// The comparison of the readings of a table's two boards.
    Exchange,
}

/// One node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Page {
    /// Reason of its loss; `None` while it is here.
    lost: Option<String>,
    complaints: BTreeMap<ComplaintSource, String>,
    /// State and words that were published last.
    published: Option<(NodeState, String)>,
}

impl Page {
    fn state(&self) -> (NodeState, String) {
        if let Some(reason) = &self.lost {
            return (NodeState::Lost, reason.clone());
        }
        let words: Vec<&str> = self.complaints.values().map(String::as_str).collect();
        match words.is_empty() {
            true => (NodeState::Connected, String::new()),
            false => (NodeState::Faulty, words.join("; ")),
        }
    }
}

/// All nodes of a table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct NodeBook {
    pages: BTreeMap<String, Page>,
}

impl NodeBook {
    /// The book of a checkpoint of an earlier release, which kept states without words.
    pub(super) fn of_states(states: BTreeMap<String, NodeState>) -> NodeBook {
        let page = |(node, state): (String, NodeState)| {
            let lost = (state == NodeState::Lost).then(String::new);
            let published = (state != NodeState::Faulty).then(|| (state, String::new()));
            (node, Page { lost, complaints: BTreeMap::new(), published })
        };
        NodeBook { pages: states.into_iter().map(page).collect() }
    }

    /// The states without words, for the same releases.
    pub(super) fn states(&self) -> BTreeMap<String, NodeState> {
        self.pages.iter().map(|(node, page)| (node.clone(), page.state().0)).collect()
    }

    /// Takes the state of a node from its port. State and words to publish, if they are news.
    pub(super) fn note(
        &mut self,
        node: &str,
        state: NodeState,
        words: &str,
    ) -> Option<(NodeState, String)> {
        let page = self.pages.entry(node.to_owned()).or_default();
        page.lost = (state == NodeState::Lost).then(|| words.to_owned());
        match state {
            NodeState::Faulty => {
                drop(page.complaints.insert(ComplaintSource::Device, words.to_owned()))
            }
            NodeState::Connected => drop(page.complaints.remove(&ComplaintSource::Device)),
            // Its complaint stays: its port sends the state again when the node is back.
            NodeState::Lost => {}
        }
        self.news(node)
    }

    /// A complaint of a source other than the device, or that it has none. State and words to publish, if they are news.
    pub(super) fn complain(
        &mut self,
        node: &str,
        source: ComplaintSource,
        words: Option<&str>,
    ) -> Option<(NodeState, String)> {
        let page = self.pages.entry(node.to_owned()).or_default();
        match words {
            Some(words) => drop(page.complaints.insert(source, words.to_owned())),
            None => drop(page.complaints.remove(&source)),
        }
        self.news(node)
    }

    fn news(&mut self, node: &str) -> Option<(NodeState, String)> {
        let page = self.pages.get_mut(node)?;
        let state = page.state();
        if page.published.as_ref() == Some(&state) {
            return None;
        }
        page.published = Some(state.clone());
        Some(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODE: &str = "board-1";

    fn faulty(words: &str) -> Option<(NodeState, String)> {
        Some((NodeState::Faulty, words.to_owned()))
    }

    #[test]
    fn words_that_change_are_published_and_the_same_are_not() {
        let mut book = NodeBook::default();
        assert_eq!(book.note(NODE, NodeState::Faulty, "weak: a1"), faulty("weak: a1"));
        assert_eq!(book.note(NODE, NodeState::Faulty, "weak: a1"), None);
        assert_eq!(book.note(NODE, NodeState::Faulty, "weak: a1, h8"), faulty("weak: a1, h8"));
    }

    #[test]
    fn neither_source_takes_the_others_complaint_off_the_list() {
        let mut book = NodeBook::default();
        book.note(NODE, NodeState::Faulty, "weak: a1");
        assert_eq!(
            book.complain(NODE, ComplaintSource::Exchange, Some("looks like board B")),
            faulty("weak: a1; looks like board B")
        );
        assert_eq!(book.note(NODE, NodeState::Connected, ""), faulty("looks like board B"));
        book.note(NODE, NodeState::Faulty, "weak: a1");
        assert_eq!(book.complain(NODE, ComplaintSource::Exchange, None), faulty("weak: a1"));
    }

    #[test]
    fn a_node_that_comes_back_has_its_complaints_still() {
        let mut book = NodeBook::default();
        book.complain(NODE, ComplaintSource::Exchange, Some("looks like board B"));
        let lost = book.note(NODE, NodeState::Lost, "unplugged");
        assert_eq!(lost, Some((NodeState::Lost, "unplugged".to_owned())));
        assert_eq!(book.note(NODE, NodeState::Connected, ""), faulty("looks like board B"));
    }
}
