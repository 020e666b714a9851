//! What the adjudicator says to this hub: acknowledgements, its state, commands.

use std::collections::{BTreeMap, VecDeque};

use proto::mqtt::message::{Ack, AdjudicatorState, Command};
use proto::mqtt::{Topic, decode};
use tracing::{debug, info, warn};

use super::{Acknowledged, Note, Window};

/// Adjudicators whose state is remembered.
const ADJUDICATORS_MAX: usize = 64;

/// Commands that wait to be taken; whoever wants one done says it again.
const COMMANDS_MAX: usize = 64;

/// Stores that are remembered as followed by another.
const STORES_MAX: usize = 8;

/// The adjudicator's stores, in the order in which they were met. A message of the one before may come late.
#[derive(Debug, Default)]
struct Stores {
    current: Option<String>,
    /// How many there have been.
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

/// What the journal is to note of a boot: first how far the adjudicator has fallen back, then what it has acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Mark {
    given_back: Option<u64>,
    acknowledged: Option<u64>,
}

/// What a message changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heard {
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
    /// Somebody has answered since an adjudicator last said that it is away.
    answered_since_away: bool,
    stores: Stores,
    /// What the journal has not taken yet, by boot.
    to_journal: BTreeMap<u64, Mark>,
    /// The boot of which the adjudicator said last how far it has it.
    answer: Option<u64>,
    /// It was said that somebody acknowledges what was never sent.
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

    /// Takes a message that came on `topic`. An acknowledgement that the broker kept is passed over: it may be of a store that is no
    /// more, and must neither free a row nor pass for an answer. Whatever is open is asked again at every connection.
    pub(super) fn hear(
        &mut self,
        topic: &str,
        payload: &[u8],
        retained: bool,
        window: &mut Window,
    ) -> Heard {
        let kind = match topic.parse() {
            Ok(kind) => kind,
            Err(error) => {
                debug!(%error, "a message on a topic of somebody else");
                return Heard::Nothing;
            }
        };
        let heard = match kind {
            Topic::Ack { .. } if retained => Ok(Heard::Nothing),
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
        let Some(store) = self.stores.meet(&ack.store_id) else {
            debug!(
                store = ack.store_id,
                "a late acknowledgement of a store that another has followed"
            );
            return Heard::Nothing;
        };
        self.answer = Some(ack.boot_id);
        match window.acknowledge(ack.boot_id, ack.sequence, store) {
            Acknowledged::News(sequence) => {
                self.to_journal.entry(ack.boot_id).or_default().acknowledged = Some(sequence);
                Heard::Progress
            }
            Acknowledged::FellBack(sequence) => {
                warn!(
                    boot_id = ack.boot_id,
                    sequence,
                    "the adjudicator has lost rows that it had: its database was restored or replaced; giving them again from the journal"
                );
                let mark = Mark { given_back: Some(sequence), acknowledged: None };
                self.to_journal.insert(ack.boot_id, mark);
                Heard::FellBack
            }
            Acknowledged::Repeated => Heard::Repeated,
            Acknowledged::NeverSent => {
                self.report_never_sent(ack);
                Heard::Nothing
            }
            Acknowledged::Lower | Acknowledged::Nothing => Heard::Nothing,
        }
    }

    /// Of an earlier run of the hub that is usual: it comes late.
    fn report_never_sent(&mut self, ack: &Ack) {
        let Ack { boot_id, sequence, .. } = ack;
        if *boot_id == self.boot_id && !std::mem::replace(&mut self.reported_never_sent, true) {
            warn!(
                boot_id,
                sequence,
                "rows are acknowledged that this hub has not sent; it goes on with those it has: is there one adjudicator for this \
                 hub, and nobody else with its account?"
            );
        } else {
            debug!(boot_id, sequence, "rows are acknowledged that were not sent in this run");
        }
    }

    /// What the journal is to note next: of each boot first that rows are given back, then what is acknowledged.
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

    /// The boot of which the adjudicator has just said how far it has it.
    pub(super) fn take_answer(&mut self) -> Option<u64> {
        self.answer.take()
    }

    fn take_command(&mut self, command: Command) -> Heard {
        if self.commands.len() < COMMANDS_MAX {
            self.commands.push_back(command);
        } else {
            debug!("too many commands at once; one was dropped");
        }
        Heard::Nothing
    }

    /// The next command that came.
    pub(super) fn poll_command(&mut self) -> Option<Command> {
        self.commands.pop_front()
    }

    fn take_state(&mut self, id: &str, state: AdjudicatorState) -> Heard {
        if self.adjudicators.len() >= ADJUDICATORS_MAX && !self.adjudicators.contains_key(id) {
            return Heard::Nothing;
        }
        let before = self.adjudicators.insert(id.to_owned(), state);
        self.answered_since_away &= state.online;
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

    /// An adjudicator has just answered: it is there, even if the broker lost its word that it is.
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

    fn hear_state(listener: &mut Listener, online: bool, since_us: u64) -> Heard {
        let state = AdjudicatorState { online, since_us }.encode_to_vec();
        listener.hear("twinboard/1/adjudicator/main/state", &state, true, &mut Window::new())
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
            let ack = ack(boot_id, sequence, "one");
            listener.hear("twinboard/1/hall/hub/hub-1/ack", &ack, false, &mut window)
        };
        assert_eq!(hear(9, u64::MAX), Heard::Nothing);
        assert_eq!(hear(7, u64::MAX), Heard::Progress);
        assert_eq!(hear(7, u64::MAX), Heard::Nothing);
        let mark = Mark { given_back: None, acknowledged: Some(3) };
        assert_eq!(listener.to_journal, BTreeMap::from([(7, mark)]));
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
    fn an_acknowledgement_that_the_broker_kept_frees_nothing_and_answers_nothing() {
        let (mut listener, mut window) = (listener(), sent(3));
        let ack = ack(7, 3, "perhaps no more");
        let topic = "twinboard/1/hall/hub/hub-1/ack";
        assert_eq!(listener.hear(topic, &ack, true, &mut window), Heard::Nothing);
        assert_eq!((listener.next_note(), listener.take_answer()), (None, None));
        assert_eq!(listener.hear(topic, &ack, false, &mut window), Heard::Progress);
    }

    #[test]
    fn an_adjudicator_that_answers_is_there_whatever_was_last_said_of_it() {
        let mut listener = listener();
        hear_state(&mut listener, false, 1);
        assert!(listener.nobody_listens());
        listener.note_live_answer();
        assert!(!listener.nobody_listens());
        hear_state(&mut listener, false, 2);
        assert!(listener.nobody_listens());
    }

    #[test]
    fn an_adjudicator_that_lost_its_database_is_given_the_rest_again_and_late_words_change_nothing()
    {
        let (mut listener, mut window) = (listener(), sent(6));
        let mut hear = |sequence, store| {
            let ack = ack(7, sequence, store);
            listener.hear("twinboard/1/hall/hub/hub-1/ack", &ack, false, &mut window)
        };
        assert_eq!(hear(5, "old"), Heard::Progress);
        assert_eq!(hear(2, "old"), Heard::Nothing, "late");
        assert_eq!(hear(2, "restored"), Heard::FellBack);
        assert_eq!(hear(6, "old"), Heard::Nothing, "of a store that is gone");
        let mark = Mark { given_back: Some(2), acknowledged: None };
        assert_eq!(listener.to_journal, BTreeMap::from([(7, mark)]));
    }
}
