//! Reactions of a receiver to hubs' messages, without a broker and a store.

use proto::mqtt::message::row::Event;
use proto::mqtt::message::{PlyRetracted, Row, Rows};

use super::*;

fn receiver() -> Receiver {
    let (shard, id) = ("hall".to_owned(), "main".to_owned());
    Receiver::new(ReceiverSettings { shard, id, store_id: "s".to_owned() }).unwrap()
}

fn rows(hub: &str, boot_id: u64, sequence: u64) -> ReceivedEvent {
    let event = PlyRetracted { match_id: "m".to_owned(), ply_id: 1, t_us: 0 };
    let row = Row {
        sequence,
        hub_time_us: 1,
        table: "1".to_owned(),
        event: Some(Event::PlyRetracted(event)),
    };
    let hub_id = hub.to_owned();
    let rows = Rows { hub_id, boot_id, rows: vec![row], first_available: 1 };
    let topic = format!("twinboard/1/hall/hub/{hub}/rows");
    ReceivedEvent::Message { topic, payload: rows.encode_to_vec() }
}

fn state(hub: &str) -> ReceivedEvent {
    presence(hub, true)
}

fn presence(hub: &str, online: bool) -> ReceivedEvent {
    let state = HubState { hub_id: hub.to_owned(), online, ..HubState::default() };
    let topic = format!("twinboard/1/hall/hub/{hub}/state");
    ReceivedEvent::Message { topic, payload: state.encode_to_vec() }
}

#[test]
fn rows_of_many_hubs_are_committed_together_and_nothing_overtakes_a_birth() {
    let mut receiver = receiver();
    receiver.handle(ReceivedEvent::Connected(1));
    for hub in ["a", "b", "c"] {
        receiver.handle(rows(hub, 7, 1));
    }
    receiver.handle(state("d"));
    receiver.handle(rows("d", 8, 1));
    assert_eq!(receiver.poll_work(), Some(Work::LinkUp));
    assert!(matches!(receiver.poll_work(), Some(Work::Commit(group)) if group.len() == 3));
    assert!(matches!(receiver.poll_work(), Some(Work::HubState(_))));
    assert!(matches!(receiver.poll_work(), Some(Work::Commit(group)) if group.len() == 1));
    assert_eq!(receiver.poll_work(), None);
}

#[test]
fn a_will_has_its_place_however_much_waits() {
    let mut receiver = receiver();
    receiver.handle(presence("a", true));
    for n in 0..2 * RECEIVED_MAX as u64 {
        receiver.handle(rows(&format!("hub-{n}"), 7, 1));
    }
    assert_eq!(receiver.waiting(), RECEIVED_MAX + 1, "a birth takes no place of rows");
    receiver.handle(presence("a", false));
    let works: Vec<Work> = std::iter::from_fn(|| receiver.poll_work()).collect();
    let states: Vec<bool> = works
        .iter()
        .filter_map(|work| match work {
            Work::HubState(state) => Some(state.online),
            _ => None,
        })
        .collect();
    assert_eq!(states, [false], "the latest holds");
}

#[test]
fn births_of_one_hub_take_one_place() {
    let mut receiver = receiver();
    for _ in 0..2 * RECEIVED_MAX {
        receiver.handle(presence("mad", true));
    }
    assert_eq!(receiver.waiting(), 1);
    receiver.handle(rows("b", 7, 1));
    assert_eq!(receiver.waiting(), 2);
}

#[test]
fn what_finds_no_room_is_answered_with_how_far_its_hub_is() {
    let mut receiver = receiver();
    for n in 0..RECEIVED_SHARED_MAX as u64 + 3 {
        receiver.handle(rows("a", 7, n + 1));
    }
    assert_eq!(receiver.waiting(), RECEIVED_SHARED_MAX);
    let mut works: Vec<Work> = std::iter::from_fn(|| receiver.poll_work()).collect();
    assert_eq!(works.pop(), Some(Work::Position("a".to_owned(), 7)));
    assert_eq!(works.len(), RECEIVED_SHARED_MAX / GROUP_MESSAGES_MAX);
    let is_full = |work: &Work| matches!(work, Work::Commit(it) if it.len() == GROUP_MESSAGES_MAX);
    assert!(works.iter().all(is_full));
}

#[test]
fn a_hub_resends_what_was_dropped_when_the_shared_queue_has_room_again() {
    let mut receiver = receiver();
    for n in 0..=RECEIVED_MAX {
        receiver.handle(rows(&format!("hub-{n}"), 7, 1));
    }
    let is_position = |work: &Work| matches!(work, Work::Position(..));
    let commits = (RECEIVED_MAX - RECEIVED_SHARED_MAX) / GROUP_MESSAGES_MAX + 1;
    assert_eq!(works(&mut receiver).iter().position(is_position), Some(commits));
}

#[test]
fn a_hub_of_which_nothing_waits_has_a_place_though_others_send_more_than_can_be_stored() {
    let mut receiver = receiver();
    for n in 0..RECEIVED_SHARED_MAX as u64 + 3 {
        receiver.handle(rows("a", 7, n + 1));
    }
    for n in 1..3 {
        receiver.handle(rows("b", 7, n));
    }
    receiver.handle(rows("a", 8, 1));
    assert_eq!(receiver.waiting(), RECEIVED_SHARED_MAX + 2, "one for each boot");
    for n in 0..RECEIVED_MAX as u64 {
        receiver.handle(rows(&format!("hub-{n}"), 7, 1));
    }
    assert_eq!(receiver.waiting(), RECEIVED_MAX);
}

#[test]
fn acknowledgements_wait_for_the_line_and_the_latest_of_a_boot_is_sent_once() {
    let mut receiver = receiver();
    let position = |sequence| Position { hub: "a".to_owned(), boot_id: 7, sequence };
    receiver.committed(vec![position(3), position(4)]);
    assert_eq!(receiver.poll_transmit(), None, "not connected");
    receiver.handle(ReceivedEvent::Connected(1));
    receiver.greet(vec![position(5)]);
    let mut sent = Vec::new();
    while let Some(transmit) = receiver.poll_transmit() {
        assert_eq!(receiver.poll_transmit(), Some(transmit.clone()), "until it is taken");
        receiver.transmitted();
        sent.push(transmit);
    }
    assert!(matches!(&sent[0], Transmit::Subscribe(filters) if filters.len() == 2));
    let Transmit::Publish { payload, retain: true, .. } = &sent[2] else { panic!("{sent:?}") };
    let (hub_id, store_id) = ("a".to_owned(), "s".to_owned());
    let ack = Ack { hub_id, boot_id: 7, sequence: 5, store_id };
    assert_eq!(decode::<Ack>(payload).unwrap(), ack);
    assert_eq!(sent.len(), 3);
    assert!(receiver.is_idle() || receiver.poll_work() == Some(Work::LinkUp));
}

#[test]
fn a_busy_hub_does_not_keep_the_acknowledgements_of_others_waiting() {
    let mut receiver = receiver();
    let position = |hub: &str, sequence| Position { hub: hub.to_owned(), boot_id: 7, sequence };
    receiver.handle(ReceivedEvent::Connected(1));
    receiver.committed(vec![position("a", 1), position("b", 1), position("c", 1)]);
    let mut acknowledged = Vec::new();
    for sequence in 2..6 {
        let Some(Transmit::Publish { topic, .. }) = receiver.poll_transmit() else { panic!() };
        receiver.transmitted();
        acknowledged.push(topic);
        receiver.committed(vec![position("a", sequence)]);
    }
    let of = |hub| format!("twinboard/1/hall/hub/{hub}/ack");
    assert_eq!(acknowledged, [of("a"), of("b"), of("c"), of("a")]);
}

#[test]
fn an_acknowledgement_that_the_line_cut_off_is_sent_again_and_one_for_nobody_never() {
    let mut receiver = receiver();
    let position = |hub: &str| Position { hub: hub.to_owned(), boot_id: 7, sequence: 1 };
    receiver.handle(ReceivedEvent::Connected(1));
    receiver.committed(vec![position("a/b"), position("c")]);
    let offered = receiver.poll_transmit();
    assert!(offered.is_some());
    receiver.handle(ReceivedEvent::Disconnected);
    assert_eq!(receiver.poll_transmit(), None);
    receiver.transmitted();
    receiver.handle(ReceivedEvent::Connected(2));
    assert_eq!(receiver.poll_transmit(), offered);
    receiver.transmitted();
    assert_eq!(receiver.poll_transmit(), None);
}

#[test]
fn a_line_that_comes_and_goes_fills_no_queue() {
    let mut receiver = receiver();
    for n in 0..10_000 {
        receiver.handle(ReceivedEvent::Connected(n));
        receiver.handle(ReceivedEvent::Disconnected);
    }
    assert!(receiver.waiting() <= 2, "{}", receiver.waiting());
}

/// All works that wait.
fn works(receiver: &mut Receiver) -> Vec<Work> {
    std::iter::from_fn(|| receiver.poll_work()).collect()
}

#[test]
fn a_line_is_noted_in_pairs_and_never_twice_the_same() {
    let mut receiver = receiver();
    receiver.handle(ReceivedEvent::Disconnected);
    assert!(receiver.is_idle() && !receiver.is_up(), "it was not connected");
    receiver.handle(ReceivedEvent::Connected(1));
    assert!(receiver.is_up() && !receiver.is_idle());
    receiver.handle(ReceivedEvent::Disconnected);
    receiver.handle(ReceivedEvent::Disconnected);
    assert!(!receiver.is_up());
    assert_eq!(works(&mut receiver), [Work::LinkUp, Work::LinkDown]);
    for n in 2..4 {
        receiver.handle(ReceivedEvent::Connected(n));
        receiver.handle(ReceivedEvent::Disconnected);
        receiver.handle(rows("a", 7, n));
    }
    receiver.handle(ReceivedEvent::Connected(5));
    let works = works(&mut receiver);
    let lines: Vec<&Work> =
        works.iter().filter(|work| matches!(work, Work::LinkUp | Work::LinkDown)).collect();
    assert_eq!(lines, [&Work::LinkUp], "of changes that wait, only the last counts");
    assert_eq!(works.len(), 2, "no rows are lost with them");
}

#[test]
fn a_new_line_is_introduced_only_after_it_was_noted() {
    let rehearsal = Some(Rehearsal::default());
    let mut receiver = receiver().rehearsing(rehearsal.clone());
    receiver.handle(ReceivedEvent::Connected(41));
    receiver.greet(Vec::new());
    receiver.handle(ReceivedEvent::Disconnected);
    assert_eq!(receiver.poll_transmit(), None);
    receiver.handle(ReceivedEvent::Connected(42));
    assert_eq!(receiver.poll_transmit(), None, "hubs may not speak yet");
    works(&mut receiver);
    assert!(receiver.is_idle());
    receiver.greet(Vec::new());
    assert!(!receiver.is_idle());
    assert!(matches!(receiver.poll_transmit(), Some(Transmit::Subscribe(_))));
    receiver.transmitted();
    let Some(Transmit::Publish { topic, retain: true, payload }) = receiver.poll_transmit() else {
        panic!("its state")
    };
    let state = AdjudicatorState { online: true, since_us: 42, rehearsal };
    assert_eq!(decode::<AdjudicatorState>(&payload).unwrap(), state);
    receiver.transmitted();
    receiver.transmitted();
    assert!(receiver.is_idle() && receiver.poll_transmit().is_none());
    let (of_will, will) = receiver.farewell(43);
    assert_eq!(of_will, topic, "the will replaces the state");
    let state = AdjudicatorState { online: false, since_us: 43, rehearsal: None };
    assert_eq!(decode::<AdjudicatorState>(&will).unwrap(), state);
}

#[test]
fn hubs_of_a_refused_commit_learn_their_positions_and_resend() {
    let mut receiver = receiver();
    for (hub, sequence) in [("a", 1), ("a", 2), ("b", 1)] {
        receiver.handle(rows(hub, 7, sequence));
    }
    let Some(Work::Commit(group)) = receiver.poll_work() else { panic!("rows wait") };
    assert!(receiver.is_idle());
    receiver.refused(&group);
    assert!(!receiver.is_idle());
    let position = |hub: &str| Work::Position(hub.to_owned(), 7);
    assert_eq!(works(&mut receiver), [position("a"), position("b")], "each once");
    receiver.committed(vec![Position { hub: "a".to_owned(), boot_id: 7, sequence: 0 }]);
    assert!(receiver.is_idle(), "acknowledgements wait for the line");
    receiver.handle(ReceivedEvent::Connected(1));
    assert_eq!(works(&mut receiver), [Work::LinkUp]);
    assert!(!receiver.is_idle());
}

#[test]
fn what_is_kept_of_many_hubs_is_bounded() {
    let mut receiver = receiver();
    for n in 0..STATES_MAX + 10 {
        receiver.handle(presence(&format!("hub-{n}"), true));
    }
    assert_eq!(receiver.waiting(), STATES_MAX);
    works(&mut receiver);
    let group = |n: usize| {
        let ReceivedEvent::Message { topic, payload } = rows(&format!("hub-{n}"), 7, 1) else {
            panic!("a message")
        };
        match understand(&topic, &payload) {
            Some(QueuedMessage::Rows(rows)) => rows,
            other => panic!("{other:?}"),
        }
    };
    receiver.refused(&(0..DROPPED_MAX + 10).map(group).collect::<Vec<_>>());
    assert_eq!(works(&mut receiver).len(), DROPPED_MAX);
    for n in 0..RECEIVED_MAX + DROPPED_MAX + 10 {
        receiver.handle(rows(&format!("hub-{n}"), 7, 1));
    }
    let is_position = |work: &&Work| matches!(work, Work::Position(..));
    assert_eq!(works(&mut receiver).iter().filter(is_position).count(), DROPPED_MAX);
}

#[test]
fn what_is_no_message_of_a_hub_is_left_out() {
    let mut receiver = receiver();
    for (topic, payload) in [
        ("twinboard/1/hall/hub/a/rows", vec![0xff; 9]),
        ("twinboard/1/hall/hub/a/ack", vec![]),
        ("elsewhere", vec![]),
    ] {
        receiver.handle(ReceivedEvent::Message { topic: topic.to_owned(), payload });
    }
    let ReceivedEvent::Message { payload, .. } = rows("b", 7, 1) else { panic!() };
    let topic = "twinboard/1/hall/hub/a/rows".to_owned();
    receiver.handle(ReceivedEvent::Message { topic, payload });
    let ReceivedEvent::Message { payload, .. } = state("b") else { panic!() };
    let topic = "twinboard/1/hall/hub/a/state".to_owned();
    receiver.handle(ReceivedEvent::Message { topic, payload });
    assert_eq!(receiver.poll_work(), None);
}
