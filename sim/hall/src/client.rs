//! An MQTT client as the programs use it: a short channel, sent in order, and a connection that it opens again by itself.

use std::collections::VecDeque;

use delivery::Transmit;

/// Requests that may wait in the channel, as in the programs.
const REQUESTS_MAX: usize = 10;

/// A client.
#[derive(Debug)]
pub(crate) struct Client {
    /// Another for each that is started.
    pub(crate) generation: u64,
    /// Names the connection that the broker has taken in.
    pub(crate) connection: Option<u64>,
    pub(crate) requests: VecDeque<Transmit>,
    /// Whether sending the next request is under way.
    pub(crate) is_sending: bool,
    /// Wait before the next try to connect, µs.
    pub(crate) pause_us: u64,
    /// Number of times it was received.
    pub(crate) connections: u32,
}

impl Client {
    pub(crate) fn new(generation: u64, pause_us: u64) -> Client {
        Client {
            generation,
            pause_us,
            connection: None,
            requests: VecDeque::new(),
            is_sending: false,
            connections: 0,
        }
    }

    /// Takes a request; false when there is no room.
    pub(crate) fn take(&mut self, request: Transmit) -> bool {
        let has_room = self.requests.len() < REQUESTS_MAX;
        if has_room {
            self.requests.push_back(request);
        }
        has_room
    }
}
