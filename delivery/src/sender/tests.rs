//! Messages of a sender and their times, without a broker.

use std::collections::BTreeMap;

use proto::mqtt::message::{Ack, AdjudicatorState, Identify, Row, command};
use proto::mqtt::{decode, decode_rows};

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

/// A moment to count from, and a sender that was connected then.
#[expect(
    clippy::disallowed_methods,
    reason = "a moment to count from; the test lets time pass itself"
)]
fn connected() -> (Sender, Instant) {
    let begun = Instant::now();
    let mut sender = Sender::new(settings(), begun).expect("names that can stand in topics");
    sender.handle(begun, SenderEvent::Connected);
    (sender, begun)
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
fn a_hub_says_again_and_again_that_it_is_there_as_long_as_it_is_connected() {
    let (mut sender, begun) = connected();
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
fn an_adjudicator_that_is_said_to_be_away_is_asked_now_and_then_all_the_same() {
    let (mut sender, begun) = connected();
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

/// Topic and payload of the next message for the client, which it takes.
fn publish(sender: &mut Sender, now: Instant) -> Option<(String, Vec<u8>)> {
    match sender.poll_transmit()? {
        Transmit::Publish { topic, payload, .. } => {
            sender.transmitted(now);
            Some((topic, payload))
        }
        Transmit::Subscribe(filters) => {
            assert_eq!(filters.len(), 3);
            sender.transmitted(now);
            publish(sender, now)
        }
    }
}

#[test]
fn a_birth_carries_the_hubs_report_once_and_a_will_no_troubles() {
    let (mut sender, begun) = connected();
    let report = HubReport {
        troubles: vec!["hot".to_owned()],
        update_ended: 4,
        placing_ended: 3,
        nodes: vec![SeenNode { node_id: "b".to_owned(), ..SeenNode::default() }],
        ..HubReport::default()
    };
    sender.handle(begun, SenderEvent::Report(report));
    let (topic, birth) = publish(&mut sender, begun).expect("a birth");
    let birth = decode::<HubState>(&birth).expect("a birth");
    assert!(
        birth.online
            && birth.troubles == ["hot"]
            && birth.update_ended == 4
            && birth.nodes.len() == 1,
        "{birth:?}"
    );
    assert_eq!((birth.boot_id, &birth.tables[..]), (7, &["1".to_owned()][..]));
    assert_eq!(publish(&mut sender, begun), None, "one that waited is not repeated");
    let (of_will, will) = sender.farewell();
    let will = decode::<HubState>(&will).expect("a will");
    assert!(
        !will.online
            && will.troubles.is_empty()
            && will.update_ended == 4
            && will.placing_ended == 3
            && will.nodes.is_empty(),
        "{will:?}"
    );
    assert_eq!(of_will, topic, "the will replaces the birth");
    sender.handle(begun, SenderEvent::Report(HubReport::default()));
    assert_eq!(births(&mut sender, begun), 1);
    sender.handle(begun, SenderEvent::Disconnected);
    sender.handle(begun, SenderEvent::Report(HubReport::default()));
    assert!(!sender.is_connected() && births(&mut sender, begun) == 0);
}

fn row(sequence: u64) -> JournalRow {
    let body = Row { sequence, table: "1".to_owned(), ..Row::default() }.encode_to_vec();
    JournalRow { row_id: sequence.cast_signed(), boot_id: 7, sequence, body }
}

fn acknowledge(sender: &mut Sender, now: Instant, sequence: u64) {
    acknowledge_boot(sender, now, 7, sequence);
}

fn acknowledge_boot(sender: &mut Sender, now: Instant, boot_id: u64, sequence: u64) {
    let (hub_id, store_id) = ("north".to_owned(), "s".to_owned());
    let payload = Ack { hub_id, boot_id, sequence, store_id }.encode_to_vec();
    let topic = "twinboard/1/hall/hub/north/ack".to_owned();
    sender.handle(now, SenderEvent::Message { topic, payload, retained: false });
}

#[test]
fn rows_are_read_until_the_journal_has_no_more_and_are_sent_with_the_first_that_it_has() {
    let (mut sender, begun) = connected();
    assert!(births(&mut sender, begun) == 1 && !sender.is_waiting());
    assert_eq!(sender.poll_query(), Some(Query::LastAcknowledged(PROBES_MAX)));
    sender.answer(Answer::LastAcknowledged(Vec::new()));
    let rows_after = |row_id, limit| Some(Query::RowsAfter { row_id, limit });
    assert_eq!(sender.poll_query(), rows_after(0, WINDOW_ROWS_MAX));
    sender.answer(Answer::RowsAfter(vec![row(3), row(4)]));
    assert!(sender.is_waiting());
    assert_eq!(sender.poll_query(), Some(Query::FirstSequences));
    sender.answer(Answer::FirstSequences(BTreeMap::from([(7, 3)])));
    assert_eq!(sender.poll_query(), None);
    let (topic, payload) = publish(&mut sender, begun).expect("rows");
    assert_eq!(topic, "twinboard/1/hall/hub/north/rows");
    let rows = decode_rows(&payload).expect("rows").rows;
    assert_eq!((rows.rows.len(), rows.boot_id, rows.first_available), (2, 7, 3));
    assert_eq!(publish(&mut sender, begun), None);
    sender.handle(begun, SenderEvent::RowsWritten);
    assert_eq!(sender.poll_query(), rows_after(4, WINDOW_ROWS_MAX - 2));
    sender.answer(Answer::RowsAfter(Vec::new()));
    assert!(sender.is_waiting());
    acknowledge(&mut sender, begun, 4);
    assert!(!sender.is_waiting());
    let note = Note::Acknowledged { boot_id: 7, sequence: 4 };
    assert_eq!(sender.poll_note(), Some(note));
    sender.noted(note);
    assert_eq!(sender.poll_note(), None);
}

#[test]
fn an_unanswered_row_is_sent_again_alone_and_then_the_client_is_replaced() {
    let (mut sender, begun) = connected();
    births(&mut sender, begun);
    sender.answer(Answer::LastAcknowledged(Vec::new()));
    sender.answer(Answer::RowsAfter(vec![row(1)]));
    assert_eq!(rows(&mut sender, begun), 1);
    let after = |seconds| begun + Duration::from_secs(seconds);
    assert!(!sender.is_stalled(after(1)) && rows(&mut sender, after(1)) == 0);
    assert!(!sender.is_stalled(after(2)) && rows(&mut sender, after(2)) == 1);
    // While an answer is overdue, nothing follows.
    sender.answer(Answer::RowsAfter(vec![row(2)]));
    assert_eq!(rows(&mut sender, after(3)), 0);
    assert!(sender.is_stalled(after(10)));
    assert_eq!(sender.patience(), ACKNOWLEDGEMENT_TIMEOUT);
    sender.rebuilt(after(10));
    assert!(!sender.is_connected() && !sender.is_stalled(after(10)));
    assert_eq!(sender.patience(), 2 * ACKNOWLEDGEMENT_TIMEOUT);
    sender.handle(after(11), SenderEvent::Connected);
    sender.answer(Answer::LastAcknowledged(Vec::new()));
    assert_eq!(rows(&mut sender, after(11)), 1, "both rows, in one message");
    acknowledge(&mut sender, after(12), 2);
    assert_eq!(sender.patience(), ACKNOWLEDGEMENT_TIMEOUT);
    assert!(!sender.is_stalled(after(60)), "nothing is awaited");
}

#[test]
fn the_time_without_an_answer_counts_from_the_first_row_and_from_no_later_one() {
    let (mut sender, begun) = connected();
    births(&mut sender, begun);
    sender.answer(Answer::LastAcknowledged(Vec::new()));
    let after = |seconds| begun + Duration::from_secs(seconds);
    sender.answer(Answer::RowsAfter(vec![row(1)]));
    assert_eq!(rows(&mut sender, after(60)), 1);
    sender.answer(Answer::RowsAfter(vec![row(2)]));
    assert_eq!(rows(&mut sender, after(69)), 1);
    assert!(!sender.is_stalled(after(69)));
    assert!(sender.is_stalled(after(70)));
}

#[test]
fn the_journal_is_queried_only_when_it_has_committed_every_note() {
    let (mut sender, begun) = connected();
    births(&mut sender, begun);
    sender.answer(Answer::LastAcknowledged(Vec::new()));
    sender.answer(Answer::RowsAfter(vec![row(1), row(2)]));
    assert_eq!(rows(&mut sender, begun), 1);
    acknowledge(&mut sender, begun, 2);
    sender.noted(Note::Acknowledged { boot_id: 7, sequence: 2 });
    sender.handle(begun, SenderEvent::Connected);
    let last = Some(Query::LastAcknowledged(PROBES_MAX));
    assert_ne!(sender.poll_query(), last);
    sender.handle(begun, SenderEvent::NotesCommitted(1));
    assert_eq!(sender.poll_query(), last);
    sender.answer(Answer::LastAcknowledged(vec![row(2)]));
    births(&mut sender, begun);
    // A restored store answers the probe with less: nothing is sent before the journal has rows 1 and 2 again.
    let (hub_id, store_id) = ("north".to_owned(), "restored".to_owned());
    let payload = Ack { hub_id, boot_id: 7, sequence: 0, store_id }.encode_to_vec();
    let topic = "twinboard/1/hall/hub/north/ack".to_owned();
    sender.handle(begun, SenderEvent::Message { topic, payload, retained: false });
    let given_back = Note::GivenBack { boot_id: 7, sequence: 0 };
    assert_eq!(sender.poll_note(), Some(given_back));
    sender.noted(given_back);
    sender.answer(Answer::RowsAfter(vec![row(3)]));
    sender.handle(begun, SenderEvent::NotesCommitted(1));
    assert_eq!(rows(&mut sender, begun), 0);
    sender.handle(begun, SenderEvent::NotesCommitted(2));
    let from_the_first = Some(Query::RowsAfter { row_id: 0, limit: WINDOW_ROWS_MAX });
    assert_eq!(sender.poll_query(), from_the_first);
    sender.answer(Answer::RowsAfter(vec![row(1), row(2), row(3)]));
    assert_eq!(rows(&mut sender, begun), 1);
}

#[test]
fn rows_wait_until_the_adjudicator_has_answered_the_probe() {
    let (mut sender, begun) = connected();
    births(&mut sender, begun);
    sender.answer(Answer::LastAcknowledged(vec![row(2)]));
    sender.answer(Answer::RowsAfter(vec![row(3)]));
    assert_eq!(rows(&mut sender, begun), 1, "the probe alone");
    acknowledge(&mut sender, begun, 2);
    assert_eq!(rows(&mut sender, begun), 1);
    sender.handle(begun, SenderEvent::Connected);
    assert_eq!(rows(&mut sender, begun), 0, "the journal is queried first");
}

#[test]
fn a_boot_that_has_answered_before_it_was_asked_takes_no_other_boots_question_away() {
    let (mut sender, begun) = connected();
    births(&mut sender, begun);
    let earlier = JournalRow { row_id: 1, boot_id: 6, ..row(1) };
    sender.answer(Answer::LastAcknowledged(vec![earlier, row(2)]));
    acknowledge_boot(&mut sender, begun, 6, 1);
    assert_eq!(rows(&mut sender, begun), 1, "the question of the other boot");
    acknowledge(&mut sender, begun, 2);
    assert_eq!(rows(&mut sender, begun), 0);
}

#[test]
fn boots_of_fridays_rows_are_asked_for_on_sunday_and_last_weeks_are_not() {
    const DAY_US: u64 = 24 * 60 * 60 * 1_000_000;
    let (mut sender, begun) = connected();
    births(&mut sender, begun);
    let of_day = |day: u64| {
        let body = Row { hub_time_us: day * DAY_US, ..Row::default() }.encode_to_vec();
        JournalRow { boot_id: day, body, ..row(1) }
    };
    sender.answer(Answer::LastAcknowledged([1, 8, 10].map(of_day).to_vec()));
    assert_eq!(rows(&mut sender, begun), 2);
}

#[test]
fn answers_that_take_long_make_the_next_row_wait_longer() {
    let (mut sender, begun) = connected();
    births(&mut sender, begun);
    sender.answer(Answer::LastAcknowledged(Vec::new()));
    let after = |ms| begun + Duration::from_millis(ms);
    sender.answer(Answer::RowsAfter(vec![row(1)]));
    assert_eq!(rows(&mut sender, begun), 1);
    acknowledge(&mut sender, after(1_500), 1);
    sender.answer(Answer::RowsAfter(vec![row(2)]));
    assert_eq!(rows(&mut sender, after(1_600)), 1);
    // By RFC 6298: 1.5 s and four times 0.75 s.
    assert!(!sender.is_stalled(after(5_900)) && rows(&mut sender, after(5_900)) == 0);
    assert!(!sender.is_stalled(after(6_200)) && rows(&mut sender, after(6_200)) == 1);
}

#[test]
fn a_repeated_acknowledgement_sends_rows_again_at_once_and_then_seldom() {
    let (mut sender, begun) = connected();
    births(&mut sender, begun);
    sender.answer(Answer::LastAcknowledged(Vec::new()));
    sender.answer(Answer::RowsAfter(vec![row(1)]));
    assert_eq!(rows(&mut sender, begun), 1);
    acknowledge(&mut sender, begun, 1);
    sender.answer(Answer::RowsAfter(vec![row(2)]));
    assert_eq!(rows(&mut sender, begun), 1);
    let mut again = |after: Duration| {
        acknowledge(&mut sender, begun + after, 1);
        rows(&mut sender, begun + after)
    };
    assert_eq!(again(RESEND_MIN / 4), 1);
    assert_eq!(again(RESEND_MIN / 2), 0, "it may answer the first sending");
    assert_eq!(again(RESEND_MIN * 3), 1);
    assert_eq!(again(RESEND_MIN * 5), 0, "the time doubles");
    assert_eq!(again(RESEND_MIN * 8), 1);
}

#[test]
fn commands_wait_in_order_up_to_a_bound() {
    let (mut sender, begun) = connected();
    let payload = |node: usize| {
        let identify = Identify { node_id: node.to_string(), seconds: 1 };
        Command { command: Some(command::Command::Identify(identify)) }.encode_to_vec()
    };
    for node in 0..100 {
        let topic = "twinboard/1/hall/hub/north/command".to_owned();
        let message = SenderEvent::Message { topic, payload: payload(node), retained: false };
        sender.handle(begun, message);
    }
    let commands: Vec<Command> = std::iter::from_fn(|| sender.poll_command()).collect();
    assert_eq!(commands.len(), 64);
    assert!(commands.iter().enumerate().all(|(node, it)| it.encode_to_vec() == payload(node)));
}
