//! What the adjudicator says to this hub: acknowledgements, its state, commands.

use std::collections::BTreeMap;

use proto::mqtt::message::{Ack, AdjudicatorState, Command, command::Command as CommandKind};
use proto::mqtt::{Topic, decode};
use tokio::sync::mpsc;
use tracing::{debug, info, warn};

use super::Window;
use crate::journal::Journal;

/// Adjudicators whose state is remembered.
const ADJUDICATORS_MAX: usize = 64;

/// The adjudicator asks a node to show itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentifyNode {
    /// The node.
    pub node_id: String,
    /// For how many seconds; 0 = stop.
    pub seconds: u8,
}

/// What a message changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    Nothing,
    /// Rows were acknowledged.
    Progress,
    /// An adjudicator came back: it may not have what was sent while it was away.
    AdjudicatorBack,
}

pub(super) struct Listener {
    hub_id: String,
    identify: mpsc::Sender<IdentifyNode>,
    adjudicators: BTreeMap<String, AdjudicatorState>,
    /// Acknowledgements that the journal has not taken yet, by boot.
    to_journal: BTreeMap<u64, u64>,
}

impl Listener {
    pub(super) fn new(hub_id: String, identify: mpsc::Sender<IdentifyNode>) -> Listener {
        Listener { hub_id, identify, adjudicators: BTreeMap::new(), to_journal: BTreeMap::new() }
    }

    /// Takes a message that came on `topic`.
    pub(super) fn hear(&mut self, topic: &str, payload: &[u8], window: &mut Window) -> Heard {
        let kind = match topic.parse() {
            Ok(kind) => kind,
            Err(error) => {
                debug!(%error, "a message on a topic of somebody else");
                return Heard::Nothing;
            }
        };
        let heard = match kind {
            Topic::Ack { .. } => decode(payload).map(|ack| self.take_ack(&ack, window)),
            Topic::Command { .. } => decode(payload).map(|command| self.take_command(command)),
            Topic::AdjudicatorState { id } => {
                decode(payload).map(|state| self.take_state(id.as_str(), state))
            }
            Topic::Rows { .. } | Topic::HubState { .. } => Ok(Heard::Nothing),
        };
        heard.unwrap_or_else(|error| {
            warn!(topic, %error, "a message that cannot be read; is the adjudicator of this release?");
            Heard::Nothing
        })
    }

    fn take_ack(&mut self, ack: &Ack, window: &mut Window) -> Heard {
        if ack.hub_id != self.hub_id {
            warn!(hub = ack.hub_id, "an acknowledgement for another hub; is hub.id used twice?");
            return Heard::Nothing;
        }
        if !window.acknowledge(ack.boot_id, ack.sequence) {
            return Heard::Nothing;
        }
        self.to_journal.insert(ack.boot_id, ack.sequence);
        Heard::Progress
    }

    /// Gives acknowledgements to the journal; while it is busy they wait here, one a boot.
    pub(super) fn record_acknowledgements(&mut self, journal: &Journal) {
        self.to_journal
            .retain(|&boot_id, &mut sequence| !journal.try_acknowledged(boot_id, sequence));
    }

    fn take_command(&mut self, command: Command) -> Heard {
        match command.command {
            Some(CommandKind::Identify(identify)) => {
                let seconds = u8::try_from(identify.seconds).unwrap_or(u8::MAX);
                let identify = IdentifyNode { node_id: identify.node_id, seconds };
                if self.identify.try_send(identify).is_err() {
                    debug!("too many commands at once; one was dropped");
                }
            }
            None => debug!("a command of a later release"),
        }
        Heard::Nothing
    }

    fn take_state(&mut self, id: &str, state: AdjudicatorState) -> Heard {
        if self.adjudicators.len() >= ADJUDICATORS_MAX && !self.adjudicators.contains_key(id) {
            return Heard::Nothing;
        }
        let before = self.adjudicators.insert(id.to_owned(), state);
        if state.online {
            if before.is_some_and(|before| before != state) {
                info!(
                    adjudicator = id,
                    "the adjudicator is back: sending from its last acknowledgement on"
                );
                return Heard::AdjudicatorBack;
            }
        } else if before.is_none_or(|before| before.online) {
            warn!(adjudicator = id, "the adjudicator is away; rows wait in the journal");
        }
        Heard::Nothing
    }

    /// Whether every adjudicator that is known says that it is away.
    pub(super) fn nobody_listens(&self) -> bool {
        !self.adjudicators.is_empty() && self.adjudicators.values().all(|state| !state.online)
    }
}
