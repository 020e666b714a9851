//! What the adjudicator says to this hub: acknowledgements, its state, commands.

use std::collections::BTreeMap;

use proto::mqtt::message::{Ack, AdjudicatorState, Command, command::Command as CommandKind};
use proto::mqtt::{Topic, decode};
use tokio::sync::mpsc;
use tracing::{debug, info, warn};

use super::{Acknowledged, Window};
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
    /// An acknowledgement was repeated while rows are on their way: they may not have arrived.
    Repeated,
    /// An adjudicator came, or came back: it may not have what was sent while it was away.
    AdjudicatorBack,
}

pub(super) struct Listener {
    hub_id: String,
    /// The boot whose rows only this run of the hub has sent.
    boot_id: u64,
    identify: mpsc::Sender<IdentifyNode>,
    adjudicators: BTreeMap<String, AdjudicatorState>,
    /// Acknowledgements that the journal has not taken yet, by boot.
    to_journal: BTreeMap<u64, u64>,
    /// The last acknowledgement was lower than an earlier one of the same boot.
    fell_back: bool,
    /// It was said that somebody acknowledges what was never sent.
    reported_never_sent: bool,
}

impl Listener {
    pub(super) fn new(
        hub_id: String,
        boot_id: u64,
        identify: mpsc::Sender<IdentifyNode>,
    ) -> Listener {
        Listener {
            hub_id,
            boot_id,
            identify,
            adjudicators: BTreeMap::new(),
            to_journal: BTreeMap::new(),
            fell_back: false,
            reported_never_sent: false,
        }
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
        let acknowledged = window.acknowledge(ack.boot_id, ack.sequence);
        self.fell_back = acknowledged == Acknowledged::Lower;
        match acknowledged {
            Acknowledged::News(sequence) => {
                self.to_journal.insert(ack.boot_id, sequence);
                Heard::Progress
            }
            Acknowledged::Repeated => Heard::Repeated,
            Acknowledged::NeverSent => {
                self.report_never_sent(ack);
                Heard::Nothing
            }
            Acknowledged::Lower | Acknowledged::Nothing => Heard::Nothing,
        }
    }

    /// Of an earlier run of the hub that is usual: its last acknowledgement is retained by the broker.
    fn report_never_sent(&mut self, ack: &Ack) {
        let Ack { boot_id, sequence, .. } = ack;
        if *boot_id == self.boot_id && !std::mem::replace(&mut self.reported_never_sent, true) {
            warn!(
                boot_id,
                sequence,
                "rows are acknowledged that this hub has not sent; it goes on with those it has: is there one adjudicator for this                  hub, and nobody else with its account?"
            );
        } else {
            debug!(boot_id, sequence, "rows are acknowledged that were not sent in this run");
        }
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
            // Also at first sight: after a restart of everything the hub may be the first to connect,
            // and then nobody heard what it has sent.
            if before.is_none_or(|before| before != state) {
                info!(
                    adjudicator = id,
                    "the adjudicator is there: sending from its last acknowledgement on"
                );
                return Heard::AdjudicatorBack;
            }
        } else if before.is_none_or(|before| before.online) {
            warn!(adjudicator = id, "the adjudicator is away; rows wait in the journal");
        }
        Heard::Nothing
    }

    /// Whether the adjudicator last said that it has less than it once had. One such message may only
    /// be late; together with a standstill it means that the adjudicator's database was replaced.
    pub(super) fn adjudicator_fell_back(&self) -> bool {
        self.fell_back
    }

    /// Whether every adjudicator that is known says that it is away.
    pub(super) fn nobody_listens(&self) -> bool {
        !self.adjudicators.is_empty() && self.adjudicators.values().all(|state| !state.online)
    }
}

#[cfg(test)]
mod tests {
    use prost::Message as _;

    use super::*;
    use crate::journal::JournalRow;

    fn listener() -> Listener {
        Listener::new("hub-1".to_owned(), 7, mpsc::channel(1).0)
    }

    fn hear_state(listener: &mut Listener, online: bool, since_us: u64) -> Heard {
        let state = AdjudicatorState { online, since_us }.encode_to_vec();
        listener.hear("twinboard/1/adjudicator/main/state", &state, &mut Window::new())
    }

    /// A window whose first `count` rows of boot 7 were sent.
    fn sent(count: u64) -> Window {
        let mut window = Window::new();
        let row =
            |n: u64| JournalRow { row_id: n.cast_signed(), boot_id: 7, sequence: n, body: vec![] };
        window.fill((1..=count).map(row).collect());
        window.mark_sent(count as usize);
        window
    }

    #[test]
    fn what_was_never_sent_is_not_marked_as_acknowledged_in_the_journal() {
        let (mut listener, mut window) = (listener(), sent(3));
        let mut hear = |boot_id, sequence| {
            let ack = Ack { hub_id: "hub-1".to_owned(), boot_id, sequence }.encode_to_vec();
            listener.hear("twinboard/1/hall/hub/hub-1/ack", &ack, &mut window)
        };
        assert_eq!(hear(9, u64::MAX), Heard::Nothing);
        assert_eq!(hear(7, u64::MAX), Heard::Progress);
        assert_eq!(hear(7, u64::MAX), Heard::Nothing);
        assert_eq!(listener.to_journal, BTreeMap::from([(7, 3)]));
    }

    #[test]
    fn an_adjudicator_that_is_new_here_may_lack_what_was_sent_before() {
        let mut listener = listener();
        assert_eq!(hear_state(&mut listener, true, 1), Heard::AdjudicatorBack);
        assert_eq!(hear_state(&mut listener, true, 1), Heard::Nothing);
        assert_eq!(hear_state(&mut listener, false, 2), Heard::Nothing);
        assert_eq!(hear_state(&mut listener, true, 3), Heard::AdjudicatorBack);
    }

    #[test]
    fn an_adjudicator_that_lost_its_database_is_noticed() {
        let (mut listener, mut window) = (listener(), sent(6));
        let mut hear = |sequence| {
            let ack = Ack { hub_id: "hub-1".to_owned(), boot_id: 7, sequence }.encode_to_vec();
            listener.hear("twinboard/1/hall/hub/hub-1/ack", &ack, &mut window);
            listener.adjudicator_fell_back()
        };
        assert_eq!([5, 5, 0, 6].map(&mut hear), [false, false, true, false]);
    }
}
