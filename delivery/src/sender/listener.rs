//! Downlink: the adjudicator's acknowledgements, its state, its commands.

use std::collections::{BTreeMap, VecDeque};

use proto::mqtt::message::{Ack, AdjudicatorState, Command, Rehearsal};
use proto::mqtt::{Topic, decode};
use tracing::{debug, info, warn};

use super::{Acknowledged, Note, Window};

/// Adjudicators whose state is remembered.
const ADJUDICATORS_MAX: usize = 64;

/// Maximum number of queued commands; the adjudicator repeats those beyond.
const COMMANDS_MAX: usize = 64;

/// Stores that are remembered as followed by another.
const STORES_MAX: usize = 8;

/// The adjudicator's stores, in the order in which they were met. A message of the one before may come late.
#[derive(Debug, Default)]
struct Stores {
    current: Option<String>,
    /// Number so far.
    count: u32,
    followed: VecDeque<String>,
}

impl Stores {
    /// The number of the store of this name, from 1; 0 for one without a name, none for one that another has followed.
    fn meet(&mut self, id: &str) -> Option<u32> {
        if id.is_empty() {
            return Some(0);
        }
        if self.current.as_deref() == Some(id) {
            return Some(self.count);
        }
        if self.followed.iter().any(|followed| followed == id) {
            return None;
        }
        if let Some(before) = self.current.replace(id.to_owned()) {
            self.followed.push_back(before);
            if self.followed.len() > STORES_MAX {
                self.followed.pop_front();
            }
        }
        self.count = self.count.saturating_add(1);
        Some(self.count)
    }
}

/// Notes for the journal about a boot: first the position to which the adjudicator has fallen back, then the acknowledged one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Mark {
    given_back: Option<u64>,
    acknowledged: Option<u64>,
}

/// Effect of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessageEffect {
    Nothing,
    /// Rows were acknowledged.
    Progress,
    /// The adjudicator lacks rows that it had acknowledged.
    FellBack,
    /// An acknowledgement was repeated while rows are on their way: they may not have arrived.
    Repeated,
    /// An adjudicator came, or came back: it may not have what was sent while it was away.
    AdjudicatorBack,
}

pub(super) struct Listener {
    hub_id: String,
    /// The boot whose rows only this run of the hub has sent.
    boot_id: u64,
    commands: VecDeque<Command>,
    adjudicators: BTreeMap<String, AdjudicatorState>,
    /// Whether an answer arrived since the last offline state of an adjudicator.
    answered_since_away: bool,
    stores: Stores,
    /// Marks that the journal has not stored yet, by boot.
    to_journal: BTreeMap<u64, Mark>,
    /// Boot of the latest acknowledgement.
    answer: Option<u64>,
    /// Whether an acknowledgement of unsent rows was logged.
    reported_never_sent: bool,
}

impl Listener {
    pub(super) fn new(hub_id: String, boot_id: u64) -> Listener {
        Listener {
            hub_id,
            boot_id,
            commands: VecDeque::new(),
            adjudicators: BTreeMap::new(),
            answered_since_away: false,
            stores: Stores::default(),
            to_journal: BTreeMap::new(),
            answer: None,
            reported_never_sent: false,
        }
    }

    /// Takes a message that came on `topic`. A retained acknowledgement is ignored: it may come from a store that was replaced,
    /// and must neither free a row nor count as an answer. Open probes are sent again at every connection.
    pub(super) fn handle_message(
        &mut self,
        topic: &str,
        payload: &[u8],
        retained: bool,
        window: &mut Window,
    ) -> MessageEffect {
        let kind = match topic.parse() {
            Ok(kind) => kind,
            Err(error) => {
                debug!(%error, "message on another client's topic ignored");
                return MessageEffect::Nothing;
            }
        };
        let heard = match kind {
            Topic::Ack { .. } if retained => Ok(MessageEffect::Nothing),
            Topic::Ack { .. } => decode(payload).map(|ack| self.take_ack(&ack, window)),
            Topic::Command { .. } => decode(payload).map(|command| self.take_command(command)),
            Topic::AdjudicatorState { id } => {
                decode(payload).map(|state| self.take_state(id.as_str(), state))
            }
            Topic::Rows { .. } | Topic::HubState { .. } => Ok(MessageEffect::Nothing),
        };
        heard.unwrap_or_else(|error| {
            warn!(topic, %error, "a message that cannot be read; is the adjudicator of this release?");
            MessageEffect::Nothing
        })
    }

    fn take_ack(&mut self, ack: &Ack, window: &mut Window) -> MessageEffect {
        if ack.hub_id != self.hub_id {
            warn!(hub = ack.hub_id, "an acknowledgement for another hub; is hub.id used twice?");
            return MessageEffect::Nothing;
        }
        let Some(store) = self.stores.meet(&ack.store_id) else {
            debug!(
                store = ack.store_id,
                "a late acknowledgement of a store that another has followed"
            );
            return MessageEffect::Nothing;
        };
        self.answer = Some(ack.boot_id);
        match window.acknowledge(ack.boot_id, ack.sequence, store) {
            Acknowledged::News(sequence) => {
                self.to_journal.entry(ack.boot_id).or_default().acknowledged = Some(sequence);
                MessageEffect::Progress
            }
            Acknowledged::FellBack(sequence) => {
                warn!(
                    boot_id = ack.boot_id,
                    sequence,
                    "the adjudicator has lost rows that it had: its database was restored or replaced; giving them again from the journal"
                );
                let mark = Mark { given_back: Some(sequence), acknowledged: None };
                self.to_journal.insert(ack.boot_id, mark);
                MessageEffect::FellBack
            }
            Acknowledged::Repeated => MessageEffect::Repeated,
            Acknowledged::NeverSent => {
                self.report_never_sent(ack);
                MessageEffect::Nothing
            }
            Acknowledged::Lower | Acknowledged::Nothing => MessageEffect::Nothing,
        }
    }

    /// For an earlier boot of the hub that is usual: it arrives late.
    fn report_never_sent(&mut self, ack: &Ack) {
        let Ack { boot_id, sequence, .. } = ack;
        if *boot_id == self.boot_id && !std::mem::replace(&mut self.reported_never_sent, true) {
            warn!(
                boot_id,
                sequence,
                "acknowledgement of rows that this hub never sent ignored. Check that one adjudicator serves this hub and that no other client has its account"
            );
        } else {
            debug!(boot_id, sequence, "rows are acknowledged that were not sent in this run");
        }
    }

    /// Returns the next note for the journal: for each boot first the rows to be sent again, then the acknowledged ones.
    pub(super) fn next_note(&self) -> Option<Note> {
        let (&boot_id, mark) = self.to_journal.first_key_value()?;
        match (mark.given_back, mark.acknowledged) {
            (Some(sequence), _) => Some(Note::GivenBack { boot_id, sequence }),
            (None, Some(sequence)) => Some(Note::Acknowledged { boot_id, sequence }),
            (None, None) => None,
        }
    }

    /// The journal has taken a note.
    pub(super) fn noted(&mut self, note: Note) {
        let (Note::GivenBack { boot_id, .. } | Note::Acknowledged { boot_id, .. }) = note;
        let Some(mark) = self.to_journal.get_mut(&boot_id) else { return };
        match note {
            Note::GivenBack { .. } => mark.given_back = None,
            Note::Acknowledged { .. } => mark.acknowledged = None,
        }
        if *mark == Mark::default() {
            self.to_journal.remove(&boot_id);
        }
    }

    /// Whether the journal has still to take that rows are given back.
    pub(super) fn is_giving_back(&self) -> bool {
        self.to_journal.values().any(|mark| mark.given_back.is_some())
    }

    /// Takes the boot of the latest acknowledgement.
    pub(super) fn take_answer(&mut self) -> Option<u64> {
        self.answer.take()
    }

    fn take_command(&mut self, command: Command) -> MessageEffect {
        if self.commands.len() < COMMANDS_MAX {
            self.commands.push_back(command);
        } else {
            debug!("too many commands at once; one was dropped");
        }
        MessageEffect::Nothing
    }

    /// The next command that came.
    pub(super) fn poll_command(&mut self) -> Option<Command> {
        self.commands.pop_front()
    }

    fn take_state(&mut self, id: &str, state: AdjudicatorState) -> MessageEffect {
        if self.adjudicators.len() >= ADJUDICATORS_MAX && !self.adjudicators.contains_key(id) {
            return MessageEffect::Nothing;
        }
        let is_same = self.adjudicators.get(id) == Some(&state);
        let was_online = self.adjudicators.get(id).is_none_or(|before| before.online);
        self.answered_since_away &= state.online;
        let is_online = state.online;
        self.adjudicators.insert(id.to_owned(), state);
        // Also at first sight: after a restart of everything the hub may connect first, and then its messages were lost.
        if is_online && !is_same {
            info!(
                adjudicator = id,
                "the adjudicator is there: sending from its last acknowledgement on"
            );
            return MessageEffect::AdjudicatorBack;
        }
        if !is_online && was_online {
            warn!(adjudicator = id, "the adjudicator is away; rows wait in the journal");
        }
        MessageEffect::Nothing
    }

    /// The rehearsal of a shard's event that an adjudicator holds now.
    pub(super) fn rehearsal(&self, shard: &str) -> Option<&Rehearsal> {
        let online = self.adjudicators.values().filter(|state| state.online);
        online.filter_map(|state| state.rehearsal.as_ref()).find(|it| it.shard == shard)
    }

    /// Notes that an adjudicator has just answered: it is online, even if the broker lost its state.
    pub(super) fn note_live_answer(&mut self) {
        self.answered_since_away = true;
    }

    /// Whether every adjudicator that is known says that it is away, and none has answered since.
    pub(super) fn nobody_listens(&self) -> bool {
        !self.answered_since_away
            && !self.adjudicators.is_empty()
            && self.adjudicators.values().all(|state| !state.online)
    }
}

#[cfg(test)]
mod tests {
    use prost::Message as _;

    use super::*;
    use crate::JournalRow;

    fn listener() -> Listener {
        Listener::new("hub-1".to_owned(), 7)
    }

    fn ack(boot_id: u64, sequence: u64, store: &str) -> Vec<u8> {
        let (hub_id, store_id) = ("hub-1".to_owned(), store.to_owned());
        Ack { hub_id, boot_id, sequence, store_id }.encode_to_vec()
    }

    fn receive_state(listener: &mut Listener, online: bool, since_us: u64) -> MessageEffect {
        let state = AdjudicatorState { online, since_us, rehearsal: None }.encode_to_vec();
        listener.handle_message(
            "twinboard/1/adjudicator/main/state",
            &state,
            true,
            &mut Window::new(),
        )
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
        let mut receive = |boot_id, sequence| {
            let ack = ack(boot_id, sequence, "one");
            listener.handle_message("twinboard/1/hall/hub/hub-1/ack", &ack, false, &mut window)
        };
        assert_eq!(receive(9, u64::MAX), MessageEffect::Nothing);
        assert_eq!(receive(7, u64::MAX), MessageEffect::Progress);
        assert_eq!(receive(7, u64::MAX), MessageEffect::Nothing);
        let mark = Mark { given_back: None, acknowledged: Some(3) };
        assert_eq!(listener.to_journal, BTreeMap::from([(7, mark)]));
    }

    #[test]
    fn an_adjudicator_that_is_new_here_may_lack_what_was_sent_before() {
        let mut listener = listener();
        assert_eq!(receive_state(&mut listener, true, 1), MessageEffect::AdjudicatorBack);
        assert_eq!(receive_state(&mut listener, true, 1), MessageEffect::Nothing);
        assert_eq!(receive_state(&mut listener, false, 2), MessageEffect::Nothing);
        assert_eq!(receive_state(&mut listener, true, 3), MessageEffect::AdjudicatorBack);
    }

    #[test]
    fn an_acknowledgement_that_the_broker_kept_frees_nothing_and_answers_nothing() {
        let (mut listener, mut window) = (listener(), sent(3));
        let ack = ack(7, 3, "perhaps no more");
        let topic = "twinboard/1/hall/hub/hub-1/ack";
        assert_eq!(listener.handle_message(topic, &ack, true, &mut window), MessageEffect::Nothing);
        assert_eq!((listener.next_note(), listener.take_answer()), (None, None));
        assert_eq!(
            listener.handle_message(topic, &ack, false, &mut window),
            MessageEffect::Progress
        );
    }

    #[test]
    fn an_adjudicator_that_answers_is_there_whatever_was_last_said_of_it() {
        let mut listener = listener();
        receive_state(&mut listener, false, 1);
        assert!(listener.nobody_listens());
        listener.note_live_answer();
        assert!(!listener.nobody_listens());
        receive_state(&mut listener, false, 2);
        assert!(listener.nobody_listens());
    }

    #[test]
    fn an_adjudicator_that_lost_its_database_is_given_the_rest_again_and_late_words_change_nothing()
    {
        let (mut listener, mut window) = (listener(), sent(6));
        let mut receive = |sequence, store| {
            let ack = ack(7, sequence, store);
            listener.handle_message("twinboard/1/hall/hub/hub-1/ack", &ack, false, &mut window)
        };
        assert_eq!(receive(5, "old"), MessageEffect::Progress);
        assert_eq!(receive(2, "old"), MessageEffect::Nothing, "late");
        assert_eq!(receive(2, "restored"), MessageEffect::FellBack);
        assert_eq!(receive(6, "old"), MessageEffect::Nothing, "of a store that is gone");
        let mark = Mark { given_back: Some(2), acknowledged: None };
        assert_eq!(listener.to_journal, BTreeMap::from([(7, mark)]));
    }
}
