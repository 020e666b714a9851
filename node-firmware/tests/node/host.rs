//! A hub for tests: receives a node's messages, commits them at once, and answers.

use node_firmware::{BoardNode, ClockNode, Identity, Squares};
use proto::link::{HostEvent, HostSession, HubTime, Message, NodeTime, Order, Snapshot};

pub(crate) fn at(us: u64) -> NodeTime {
    NodeTime::from_micros(us)
}

pub(crate) fn identity() -> Identity {
    Identity::new("node".parse().unwrap(), 0xb001)
}

/// Methods for the line that both kinds of node have.
pub(crate) trait Node {
    fn receive(&mut self, bytes: &[u8]);
    fn transmit(&mut self, out: &mut [u8]) -> usize;
}

impl<S: Squares> Node for BoardNode<S> {
    fn receive(&mut self, bytes: &[u8]) {
        self.receive(bytes);
    }
    fn transmit(&mut self, out: &mut [u8]) -> usize {
        self.transmit(out)
    }
}

impl Node for ClockNode {
    fn receive(&mut self, bytes: &[u8]) {
        self.receive(bytes);
    }
    fn transmit(&mut self, out: &mut [u8]) -> usize {
        self.transmit(out)
    }
}

/// Returns all bytes that the node can send now.
pub(crate) fn say(node: &mut impl Node) -> Vec<u8> {
    let mut said = Vec::new();
    let mut piece = [0; 48];
    loop {
        let length = node.transmit(&mut piece);
        if length == 0 {
            return said;
        }
        said.extend(&piece[..length]);
    }
}

/// A hub on a faultless line.
pub(crate) struct Hub {
    session: HostSession,
    now: HubTime,
}

impl Hub {
    pub(crate) fn new() -> Self {
        Self { session: HostSession::new(None), now: HubTime::ZERO }
    }

    pub(crate) fn ask_for_snapshot(&mut self) {
        self.session.request_snapshot();
    }

    pub(crate) fn command(&mut self, order: Order) {
        self.session.command(self.now, order).unwrap();
    }

    /// Lets node and hub talk until both are silent.
    pub(crate) fn talk(&mut self, node: &mut impl Node) -> Vec<HostEvent> {
        let mut heard = Vec::new();
        loop {
            let said = say(node);
            self.now = self.now.plus_micros(1_000_000);
            self.session.receive(self.now, &said, |event| heard.push(event));
            for event in &heard {
                if let HostEvent::Event { boot_id, sequence, .. } = event {
                    self.session.committed(*boot_id, *sequence);
                }
            }
            let mut answer = [0; 256];
            let length = self.session.transmit(&mut answer);
            node.receive(&answer[..length]);
            if length == 0 && said.is_empty() {
                return heard;
            }
        }
    }

    /// The events among what they say.
    pub(crate) fn events(&mut self, node: &mut impl Node) -> Vec<Message> {
        let heard = self.talk(node).into_iter();
        heard
            .filter_map(|heard| match heard {
                HostEvent::Event { message, .. } => Some(message),
                _ => None,
            })
            .collect()
    }

    /// The last snapshot among what they say.
    pub(crate) fn snapshot(&mut self, node: &mut impl Node) -> Option<Snapshot> {
        let heard = self.talk(node).into_iter();
        heard
            .filter_map(|heard| match heard {
                HostEvent::Snapshot { snapshot, .. } => Some(snapshot),
                _ => None,
            })
            .next_back()
    }
}
