//! A broker of MQTT 3.1.1 for clean sessions: subscriptions, retained messages, wills, take-over, queues that overflow.

use std::collections::BTreeMap;

/// One client that the broker has taken in.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) connection: u64,
    pub(crate) filters: Vec<String>,
    /// Topic and payload; published, retained, when the connection is lost.
    pub(crate) will: (String, Vec<u8>),
    /// Messages on their way to the client.
    pub(crate) queued: usize,
}

/// The broker.
#[derive(Debug)]
pub(crate) struct Broker {
    pub(crate) is_up: bool,
    /// By client id.
    pub(crate) sessions: BTreeMap<String, Session>,
    pub(crate) retained: BTreeMap<String, Vec<u8>>,
    queue_max: usize,
}

impl Broker {
    pub(crate) fn new(queue_max: usize) -> Broker {
        Broker { is_up: true, sessions: BTreeMap::new(), retained: BTreeMap::new(), queue_max }
    }

    /// Takes a message, and returns the connections that get it. For one whose queue is full it is dropped.
    pub(crate) fn publish(&mut self, topic: &str, retain: bool, payload: &[u8]) -> Vec<u64> {
        if retain {
            self.retained.insert(topic.to_owned(), payload.to_vec());
        }
        let mut to = Vec::new();
        for session in self.sessions.values_mut() {
            let wants = session.filters.iter().any(|filter| matches(filter, topic));
            if wants && session.queued < self.queue_max {
                session.queued += 1;
                to.push(session.connection);
            }
        }
        to
    }

    /// Subscribes a connection, and returns the retained messages that it gets.
    pub(crate) fn subscribe(
        &mut self,
        connection: u64,
        filters: &[String],
    ) -> Vec<(String, Vec<u8>)> {
        let Some(session) = self.session(connection) else { return Vec::new() };
        session.filters.extend(filters.iter().cloned());
        let wanted =
            |(topic, _): &(&String, &Vec<u8>)| filters.iter().any(|filter| matches(filter, topic));
        let retained = self.retained.iter().filter(wanted);
        let retained: Vec<_> =
            retained.map(|(topic, payload)| (topic.clone(), payload.clone())).collect();
        if let Some(session) = self.session(connection) {
            session.queued += retained.len();
        }
        retained
    }

    /// The session of a connection that is open.
    pub(crate) fn session(&mut self, connection: u64) -> Option<&mut Session> {
        self.sessions.values_mut().find(|session| session.connection == connection)
    }

    /// Ends a connection; returns its will.
    pub(crate) fn end(&mut self, connection: u64) -> Option<(String, Vec<u8>)> {
        let ended = |session: &Session| session.connection == connection;
        let id = self.sessions.iter().find(|(_, session)| ended(session))?.0.clone();
        self.sessions.remove(&id).map(|session| session.will)
    }
}

/// Whether a filter with single-level wildcards covers a topic.
fn matches(filter: &str, topic: &str) -> bool {
    let (mut filter, mut topic) = (filter.split('/'), topic.split('/'));
    loop {
        match (filter.next(), topic.next()) {
            (None, None) => return true,
            (Some("+"), Some(_)) => {}
            (Some(wanted), Some(found)) if wanted == found => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_covers_one_level_for_each_plus() {
        assert!(matches("a/+/c", "a/b/c"));
        assert!(!matches("a/+/c", "a/b/c/d"));
        assert!(!matches("a/+", "a"));
    }
}
