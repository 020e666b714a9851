//! Messages of a sender and their times, without a broker.

use proto::mqtt::message::AdjudicatorState;

use super::*;

fn settings() -> SenderSettings {
    SenderSettings {
        hub_id: "north".to_owned(),
        boot_id: 7,
        shard: "hall".to_owned(),
        tables: vec!["1".to_owned()],
        version: String::new(),
        acknowledgement_timeout: ACKNOWLEDGEMENT_TIMEOUT,
    }
}

/// Number of births for the client now.
fn births(sender: &mut Sender, now: Instant) -> usize {
    let mut births = 0;
    while let Some(transmit) = sender.poll_transmit() {
        births += usize::from(matches!(transmit, Transmit::Publish { retain: true, .. }));
        sender.transmitted(now);
    }
    births
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "a moment to count from; the test lets time pass itself"
)]
fn a_hub_says_again_and_again_that_it_is_there_as_long_as_it_is_connected() {
    let begun = Instant::now();
    let mut sender = Sender::new(settings(), begun).expect("names that can stand in topics");
    sender.handle(begun, SenderEvent::Connected);
    assert_eq!(births(&mut sender, begun), 1);
    let soon = begun + BIRTH_EVERY / 2;
    assert!(!sender.is_stalled(soon));
    assert_eq!(births(&mut sender, soon), 0);
    let later = begun + BIRTH_EVERY;
    assert!(!sender.is_stalled(later));
    assert_eq!(births(&mut sender, later), 1);
    sender.handle(later, SenderEvent::Disconnected);
    assert!(!sender.is_stalled(later + BIRTH_EVERY));
    assert_eq!(births(&mut sender, later + BIRTH_EVERY), 0);
}

/// Number of messages of rows for the client now.
fn rows(sender: &mut Sender, now: Instant) -> usize {
    let mut rows = 0;
    while let Some(transmit) = sender.poll_transmit() {
        rows += usize::from(matches!(transmit, Transmit::Publish { retain: false, .. }));
        sender.transmitted(now);
    }
    rows
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "a moment to count from; the test lets time pass itself"
)]
fn an_adjudicator_that_is_said_to_be_away_is_asked_now_and_then_all_the_same() {
    let begun = Instant::now();
    let mut sender = Sender::new(settings(), begun).expect("names that can stand in topics");
    sender.handle(begun, SenderEvent::Connected);
    let row = JournalRow { row_id: 1, boot_id: 7, sequence: 1, body: Vec::new() };
    assert_eq!(sender.poll_query(), Some(Query::LastAcknowledged(PROBES_MAX)));
    sender.answer(Answer::LastAcknowledged(vec![row]));
    let state = AdjudicatorState { online: false, ..AdjudicatorState::default() };
    let topic = "twinboard/1/adjudicator/main/state".to_owned();
    let payload = state.encode_to_vec();
    sender.handle(begun, SenderEvent::Message { topic, payload, retained: true });
    assert_eq!(rows(&mut sender, begun), 1);
    // Its word that it is back, and its answer, were dropped.
    let soon = begun + BIRTH_EVERY / 2;
    assert!(!sender.is_stalled(soon));
    assert_eq!(rows(&mut sender, soon), 0);
    let later = begun + BIRTH_EVERY;
    assert!(!sender.is_stalled(later));
    assert_eq!(rows(&mut sender, later), 1);
}
