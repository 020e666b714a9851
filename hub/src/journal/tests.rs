//! The journal gives back all that was committed, and nothing that was not.

use prost::Message as _;
use proto::link::{CommandName, ResumePoint};
use proto::mqtt::message::row::Event;
use proto::mqtt::message::{OrderOutcome, PlyRetracted, Row};

use delivery::JournalRow;

use super::*;
use crate::orders::{OrderKind, OrderRecord};

pub(super) fn options(folder: &Path) -> JournalOptions {
    JournalOptions {
        file: folder.join("hub.sqlite"),
        hub_id: "hub-1".to_owned(),
        keep_matches: 2,
        now: HubTime::from_micros(1_000),
        heartbeat: Heartbeat::default(),
    }
}

/// A ply retraction numbered `n`: the smallest row.
fn row(n: u32) -> OutgoingEvent {
    let event = PlyRetracted { match_id: "m".to_owned(), ply_id: n, t_us: 0 };
    OutgoingEvent { at: HubTime::from_micros(n.into()), event: Event::PlyRetracted(event) }
}

pub(super) fn input(n: u64, match_id: Option<&str>) -> InputLine {
    InputLine {
        at: HubTime::from_micros(n),
        made: HubTime::from_micros(n),
        match_id: match_id.map(str::to_owned),
        line: format!(r#"{{"t_us":{n},"board":"A","kind":"press","by":"white"}}"#),
    }
}

pub(super) fn entry(inputs: Vec<InputLine>, rows: std::ops::Range<u32>) -> Entry {
    Entry { table: "1".to_owned(), inputs, rows: rows.map(row).collect(), ..Entry::default() }
}

fn ply_ids(rows: &[JournalRow]) -> Vec<u32> {
    let id = |row: &JournalRow| match Row::decode(&row.body[..]).unwrap().event {
        Some(Event::PlyRetracted(event)) => event.ply_id,
        other => panic!("{other:?}"),
    };
    rows.iter().map(id).collect()
}

pub(super) async fn close(opened: Opened) {
    let Opened { journal, reader, writer, .. } = opened;
    drop((journal, reader));
    writer.await.unwrap();
}

#[tokio::test]
async fn rows_wait_in_order_until_the_adjudicator_has_them() {
    let folder = tempfile::tempdir().unwrap();
    let opened = Journal::open(options(folder.path())).await.unwrap();
    let boot_id = opened.journal.boot_id();
    opened.journal.write(entry(vec![input(1, None)], 0..3)).await.unwrap();
    opened.journal.write(entry(vec![input(2, None)], 3..5)).await.unwrap();
    opened.journal.flush().await.unwrap();
    let rows = opened.reader.rows_after(0, 10).await.unwrap();
    assert_eq!(ply_ids(&rows), [0, 1, 2, 3, 4]);
    assert_eq!(rows.iter().map(|row| row.sequence).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert!(opened.journal.try_note(Note::Acknowledged { boot_id, sequence: 2 }));
    assert!(opened.journal.try_note(Note::Acknowledged { boot_id: boot_id + 1, sequence: 4 }));
    opened.journal.flush().await.unwrap();
    assert_eq!(ply_ids(&opened.reader.rows_after(0, 10).await.unwrap()), [2, 3, 4]);
    assert_eq!(ply_ids(&opened.reader.rows_after(rows[3].row_id, 10).await.unwrap()), [4]);
    close(opened).await;
}

#[tokio::test]
async fn rows_that_the_adjudicator_lost_wait_again() {
    let folder = tempfile::tempdir().unwrap();
    let opened = Journal::open(options(folder.path())).await.unwrap();
    let boot_id = opened.journal.boot_id();
    let mut noted = opened.journal.notes_committed();
    opened.journal.write(entry(vec![], 0..6)).await.unwrap();
    assert!(opened.journal.try_note(Note::Acknowledged { boot_id, sequence: 5 }));
    opened.journal.flush().await.unwrap();
    assert_eq!(ply_ids(&opened.reader.last_acknowledged(9).await.unwrap()), [4]);
    assert_eq!(*noted.borrow_and_update(), 1);
    assert!(opened.journal.try_note(Note::GivenBack { boot_id, sequence: 2 }));
    noted.changed().await.unwrap();
    assert_eq!(ply_ids(&opened.reader.rows_after(0, 10).await.unwrap()), [2, 3, 4, 5]);
    assert_eq!(ply_ids(&opened.reader.last_acknowledged(9).await.unwrap()), [1]);
    assert_eq!(opened.reader.first_sequences().await.unwrap(), [(boot_id, 1)].into());
    close(opened).await;
}

#[tokio::test]
async fn a_journal_that_frees_all_it_can_keeps_a_row_of_each_boot_to_ask_the_adjudicator_with() {
    let folder = tempfile::tempdir().unwrap();
    for from in [0, 3] {
        let opened = Journal::open(options(folder.path())).await.unwrap();
        let boot_id = opened.journal.boot_id();
        opened.journal.write(entry(vec![], from..from + 3)).await.unwrap();
        assert!(opened.journal.try_note(Note::Acknowledged { boot_id, sequence: 3 }));
        close(opened).await;
    }
    let file = options(folder.path()).file;
    let mut connection = connect(&file).await.unwrap();
    retention::prune(&mut connection, 2, 0).await.unwrap();
    let reader = Reader::open(&file).await.unwrap();
    assert_eq!(ply_ids(&reader.last_acknowledged(9).await.unwrap()), [2, 5]);
    assert_eq!(reader.first_sequences().await.unwrap().into_values().collect::<Vec<_>>(), [3, 3]);
}

fn offset(reached: ResumePoint) -> NodeOffset {
    NodeOffset { node_id: "b1".to_owned(), reached }
}

#[tokio::test]
async fn a_commit_is_told_and_nodes_resume_where_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    let opened = Journal::open(options(folder.path())).await.unwrap();
    let (committed, mut heard) = watch::channel(0);
    let reached = ResumePoint { boot_id: u32::MAX, sequence: 7 };
    let entry = Entry { offsets: vec![offset(reached)], ..entry(vec![input(1, None)], 0..0) };
    opened.journal.commit(entry, committed).await.unwrap();
    heard.changed().await.unwrap();
    assert_eq!(*heard.borrow(), 1);
    assert_eq!(opened.reader.resume_point("b1").await.unwrap(), Some(reached));
    assert_eq!(opened.reader.resume_point("b2").await.unwrap(), None);
}

#[tokio::test]
async fn within_a_boot_a_node_never_resumes_before_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let opened = Journal::open(options(folder.path())).await.unwrap();
    let at = |boot_id, sequence| ResumePoint { boot_id, sequence };
    // Written in one entry, in one batch and in batches of their own; then the node starts again.
    let steps = [
        (vec![vec![at(8, 7), at(8, 3)]], at(8, 7)),
        (vec![vec![at(8, 9)], vec![at(8, 4)]], at(8, 9)),
        (vec![vec![at(8, 8)]], at(8, 9)),
        (vec![vec![at(5, 0)]], at(5, 0)),
    ];
    for (entries, expected) in steps {
        for reached in entries {
            let offsets = reached.into_iter().map(offset).collect();
            opened.journal.write(Entry { offsets, ..entry(vec![], 0..0) }).await.unwrap();
        }
        opened.journal.flush().await.unwrap();
        assert_eq!(opened.reader.resume_point("b1").await.unwrap(), Some(expected));
    }
}

#[tokio::test]
async fn a_line_that_is_no_input_does_not_keep_the_others_from_being_taken() {
    let folder = tempfile::tempdir().unwrap();
    let opened = Journal::open(options(folder.path())).await.unwrap();
    let strange =
        InputLine { line: r#"{"kind":"of-a-later-release"}"#.to_owned(), ..input(2, None) };
    opened.journal.write(entry(vec![input(1, None), strange, input(3, None)], 0..0)).await.unwrap();
    opened.journal.flush().await.unwrap();
    let mut times = Vec::new();
    let take = |line: crate::journal_line::Line| times.push(line.at().as_micros());
    assert_eq!(opened.reader.replay("1", 0, take).await.unwrap(), 2);
    assert_eq!(times, [1, 3]);
}

#[tokio::test]
async fn what_is_read_between_matches_is_forgotten_by_the_index_and_what_is_needed_stays() {
    let folder = tempfile::tempdir().unwrap();
    let opened = Journal::open(options(folder.path())).await.unwrap();
    // A square that chatters at an idle table; the last two lines are in no checkpoint yet.
    let idle = Entry {
        checkpoint: Some("idle".to_owned()),
        ..entry((0..100).map(|n| input(n, None)).collect(), 0..0)
    };
    opened.journal.write(idle).await.unwrap();
    opened.journal.write(entry(vec![input(100, None), input(101, Some("m"))], 0..0)).await.unwrap();
    close(opened).await;
    let file = options(folder.path()).file;
    let mut connection = connect(&file).await.unwrap();
    retention::prune(&mut connection, 2, 0).await.unwrap();
    let left: Vec<i64> = sqlx::query_scalar("SELECT t_us FROM inputs ORDER BY input_id")
        .fetch_all(&mut connection)
        .await
        .unwrap();
    assert_eq!(left, [100, 101]);
    let plan: Vec<(i64, i64, i64, String)> =
        sqlx::query_as("EXPLAIN QUERY PLAN DELETE FROM inputs WHERE match_id = 'm'")
            .fetch_all(&mut connection)
            .await
            .unwrap();
    assert!(plan.iter().any(|(.., step)| step.contains("inputs_by_match")), "{plan:?}");
}

#[tokio::test]
async fn one_journal_has_one_hub() {
    let folder = tempfile::tempdir().unwrap();
    let opened = Journal::open(options(folder.path())).await.unwrap();
    let message = Journal::open(options(folder.path())).await.unwrap_err().to_string();
    assert!(message.contains("in use by another hub"), "{message}");
    close(opened).await;
    let other = JournalOptions { hub_id: "hub-2".to_owned(), ..options(folder.path()) };
    let message = Journal::open(other).await.unwrap_err().to_string();
    assert!(message.contains("hub-1") && message.contains("hub-2"), "{message}");
    std::fs::write(folder.path().join("text.sqlite"), "this is no database at all, it is prose")
        .unwrap();
    let text = JournalOptions { file: folder.path().join("text.sqlite"), ..options(folder.path()) };
    let message = Journal::open(text).await.unwrap_err().to_string();
    assert!(message.contains("text.sqlite"), "{message}");
}

#[tokio::test]
async fn a_journal_that_was_set_back_gives_its_next_boot_another_id() {
    let (folder, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let opened = Journal::open(options(folder.path())).await.unwrap();
    let first = opened.journal.boot_id();
    drop(opened.journal);
    opened.writer.await.unwrap();
    std::fs::copy(folder.path().join("hub.sqlite"), copy.path().join("hub.sqlite")).unwrap();
    // The machine has no clock: it is the same time at every start.
    let next =
        async |folder: &Path| Journal::open(options(folder)).await.unwrap().journal.boot_id();
    let (second, instead) = (next(folder.path()).await, next(copy.path()).await);
    assert!(first < second && first < instead);
    assert_ne!(second, instead);
}

#[tokio::test]
async fn a_journal_of_the_first_layout_is_brought_to_this_one_with_all_that_is_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let opened = Journal::open(options(folder.path())).await.unwrap();
    let header = r#"{"twinboard":"trace","version":1,"match":"m","rulebook":"us-chess-bughouse-2018","base_s":300,"delay_s":0,
        "boards":{"A":{"sensor":"reed","trays":false}}}"#;
    let record = MatchRecord {
        match_id: "m".to_owned(),
        opened: HubTime::from_micros(1),
        header: header.to_owned(),
        prologue: String::new(),
        ended: false,
    };
    let inputs = vec![input(1, None), input(5, Some("m"))];
    let opening = Entry { matches: vec![(1, record)], ..entry(inputs, 0..3) };
    opened.journal.write(opening).await.unwrap();
    opened.journal.flush().await.unwrap();
    close(opened).await;
    let file = options(folder.path()).file;
    let mut connection = connect(&file).await.unwrap();
    let first_layout = [
        "DROP TABLE orders",
        "ALTER TABLE inputs DROP COLUMN made_us",
        "ALTER TABLE sessions DROP COLUMN reached_us",
        "ALTER TABLE sessions DROP COLUMN said_by",
        "ALTER TABLE outgoing DROP COLUMN checksum",
        "ALTER TABLE inputs DROP COLUMN checksum",
        "ALTER TABLE sessions DROP COLUMN checksum",
        "ALTER TABLE matches DROP COLUMN checksum",
        "ALTER TABLE nodes DROP COLUMN checksum",
        "DROP TABLE unchecked",
        "PRAGMA user_version = 1",
    ];
    for statement in first_layout {
        sqlx::query(statement).execute(&mut connection).await.unwrap();
    }
    sqlx::Connection::close(connection).await.unwrap();
    let reader = Reader::open(&file).await.unwrap();
    assert_eq!(reader.survey().await.unwrap().boots[0].rows, 3, "and is read as it is before that");
    let trace = reader.trace("m").await.unwrap().unwrap();
    assert_eq!(trace.readings.iter().map(|reading| reading.t_us).collect::<Vec<_>>(), [4]);
    drop(reader);
    let opened = Journal::open(options(folder.path())).await.unwrap();
    // When its inputs were made it does not know; those of now it does.
    assert_eq!(opened.reader.trace("m").await.unwrap(), Some(trace));
    let late = InputLine { made: HubTime::from_micros(8), ..input(9, Some("m")) };
    opened.journal.write(entry(vec![late], 0..0)).await.unwrap();
    opened.journal.flush().await.unwrap();
    let trace = opened.reader.trace("m").await.unwrap().unwrap();
    assert_eq!(trace.readings.iter().map(|reading| reading.t_us).collect::<Vec<_>>(), [4, 7]);
    assert!(trace.came_late);
    assert_eq!(ply_ids(&opened.reader.rows_after(0, 10).await.unwrap()), [0, 1, 2]);
    assert_eq!(opened.reader.orders("1", 10).await.unwrap(), []);
    close(opened).await;
}

#[tokio::test]
async fn an_order_keeps_its_name_and_its_end_and_a_withdrawn_fact_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let opened = Journal::open(options(folder.path())).await.unwrap();
    let order = |id, kind, ended| OrderRecord { id, match_id: "m".to_owned(), kind, ended };
    let clock = OrderKind::Clock {
        node_id: "clock-a".to_owned(),
        name: CommandName { boot_id: 4, request: 9 },
        command: "\"PauseClock\"".to_owned(),
    };
    let orders = vec![
        order(u64::MAX, clock.clone(), None),
        order(2, OrderKind::Fact("one".to_owned()), None),
        order(3, OrderKind::Fact("two".to_owned()), None),
    ];
    let with = |orders| Entry { table: "1".to_owned(), orders, ..Entry::default() };
    opened.journal.write(with(orders)).await.unwrap();
    let done = Some(OrderOutcome::Done);
    let later = vec![
        order(u64::MAX, clock.clone(), done),
        order(2, OrderKind::Fact("one".to_owned()), done),
        order(5, OrderKind::FactWithdrawn(2), None),
        order(6, OrderKind::FactWithdrawn(7), None),
        order(7, OrderKind::Fact("came late".to_owned()), None),
    ];
    opened.journal.write(with(later)).await.unwrap();
    opened.journal.flush().await.unwrap();
    let kept = opened.reader.orders("1", 10).await.unwrap();
    assert_eq!(kept[0], order(u64::MAX, clock, done), "the id is 64 bits without a sign");
    let known = opened.reader.facts("m").await.unwrap();
    assert_eq!(known.lines, [(3, "two".to_owned())]);
    assert_eq!((known.open, known.said_anything), (vec![3, 5, 6, 7], true));
    close(opened).await;
}
