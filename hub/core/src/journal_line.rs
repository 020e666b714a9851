//! One line of a session's record: a reading in the trace's format, a node that came or went, or a fact from people.
//!
//! The same lines serve as journal, evidence, test trace and bug report. Times are hub time here;
//! an exported trace counts from the beginning of its match.

use readings::{Reading, ReadingKind};
use rules::BoardId;
use serde::{Deserialize, Serialize};

use crate::HubTime;

/// A reading and when it was made.
pub type TimedReading = (HubTime, ReadingKind);

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Line {
    /// A sensor's reading.
    Reading(Reading),
    /// A node came, went, or is not to be trusted.
    Node(NodeLine),
    /// A fact from people about the match, or its withdrawal.
    Fact(FactLine),
}

impl Line {
    /// Time of the line.
    #[must_use]
    pub fn at(&self) -> HubTime {
        HubTime::from_micros(match self {
            Line::Reading(reading) => reading.t_us,
            Line::Node(node) => node.t_us,
            Line::Fact(fact) => fact.t_us,
        })
    }

    /// The line as text, without its end.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Strings, numbers and lists only: nothing that JSON could refuse.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// A node's state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeLine {
    /// Time, microseconds of hub time.
    pub t_us: u64,
    /// Always `"node"`.
    pub kind: NodeTag,
    /// The node's id.
    pub node: String,
    /// The board it belongs to.
    pub board: BoardId,
    /// Its new state.
    pub state: NodeState,
    /// The event, in words for a tournament director.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

/// Tells a node's line from a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodeTag {
    /// The only value.
    Node,
}

/// A fact from people about a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactLine {
    /// Time at which the hub received it, microseconds of hub time.
    pub t_us: u64,
    /// Always `"fact-told"`.
    pub kind: FactTag,
    /// The match.
    #[serde(rename = "match")]
    pub match_id: String,
    /// The order that told it.
    pub order: u64,
    /// The line of the fact; none: what this order told is not so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fact: Option<String>,
}

/// Tells a fact's line from a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FactTag {
    /// The only value.
    FactTold,
}

/// State of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodeState {
    /// The node sends readings.
    Connected,
    /// The node is silent or unplugged.
    Lost,
    /// The node sends doubtful readings.
    Faulty,
}

#[cfg(test)]
mod tests {
    use rules::Color;

    use super::*;

    #[test]
    fn lines_are_written_in_the_format_of_traces() {
        let press = Line::Reading(Reading {
            t_us: 2_100_000,
            board: Some(BoardId::A),
            kind: ReadingKind::Press { by: Color::White },
        });
        let lost = Line::Node(NodeLine {
            t_us: 5,
            kind: NodeTag::Node,
            node: "clock-a".to_owned(),
            board: BoardId::A,
            state: NodeState::Lost,
            detail: "unplugged".to_owned(),
        });
        let known = Line::Fact(FactLine {
            t_us: 7,
            kind: FactTag::FactTold,
            match_id: "m".to_owned(),
            order: 3,
            fact: Some("{}".to_owned()),
        });
        let lines = [press, lost, known];
        insta::assert_snapshot!(lines.iter().map(Line::to_json).collect::<Vec<_>>().join("\n"), @r#"
        {"t_us":2100000,"board":"A","kind":"press","by":"white"}
        {"t_us":5,"kind":"node","node":"clock-a","board":"A","state":"lost","detail":"unplugged"}
        {"t_us":7,"kind":"fact-told","match":"m","order":3,"fact":"{}"}
        "#);
        for line in lines {
            assert_eq!(serde_json::from_str::<Line>(&line.to_json()).unwrap(), line);
        }
    }
}
