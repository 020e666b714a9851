//! A hub comes back in mid-match as another release, with another configuration, or with a journal that does not fit: no row is lost or
//! told twice, nothing that comes later is swallowed, and the match ends.

use proto::mqtt::message::MatchState;

use super::*;
use sqlx::Connection as _;

/// Before this reading the hub is killed.
const KILL: usize = 200;

/// Plays the match; before the reading at [`KILL`] the hub is killed, `meanwhile` is done to its journal, and it comes back with `config`.
async fn play_over_a_change(
    meanwhile: &'static str,
    base_s: u32,
    board_b: &str,
) -> Vec<(u64, Event)> {
    let folder = tempfile::tempdir().unwrap();
    let deliveries = deliveries();
    let (opened, task) = start(folder.path(), BEGIN).await;
    let (opened, task) = play_part((opened, task), &deliveries[..KILL], 0).await;
    let file = config(folder.path()).journal;
    let Opened { journal, writer, .. } = opened;
    drop((task, journal));
    writer.await.unwrap();
    let mut connection = sqlx::SqliteConnection::connect(file.to_str().unwrap()).await.unwrap();
    sqlx::query(meanwhile).execute(&mut connection).await.unwrap();
    // Written by another release, and not damaged.
    for statement in [
        "UPDATE sessions SET checksum = NULL",
        "INSERT INTO unchecked (name, until) VALUES ('sessions', 9)",
    ] {
        sqlx::query(statement).execute(&mut connection).await.unwrap();
    }
    connection.close().await.unwrap();
    let started = start_as(config_with(folder.path(), base_s, board_b), BEGIN).await;
    let (opened, mut task) = play_part(started, &deliveries[KILL..], KILL).await;
    work(&mut task, BEGIN.plus_micros(3_600_000_000)).await;
    opened.journal.flush().await.unwrap();
    let matches = opened.reader.matches().await.unwrap();
    assert!(matches.iter().all(|(_, ended)| *ended), "{matches:?}");
    rows(&opened.reader).await
}

/// Gives a table these readings, the first of which has so many before it.
async fn play_part(
    (opened, mut task): (Opened, TableTask),
    deliveries: &[Delivery],
    before: usize,
) -> (Opened, TableTask) {
    for (sequence, Delivery { comes, made, board, kind }) in (before + 1..).zip(deliveries) {
        let reached = ResumePoint { boot_id: 1, sequence: u32::try_from(sequence).unwrap() };
        let offset = Some(NodeOffset { node_id: NODE.to_owned(), reached });
        let readings = vec![(*made, kind.clone())];
        task.give(NodeInput::Readings { board: *board, readings, offset });
        work(&mut task, *comes).await;
    }
    opened.journal.flush().await.unwrap();
    (opened, task)
}

/// Published states of matches, in order.
fn states(rows: &[(u64, Event)]) -> Vec<MatchState> {
    let state = |(_, event): &(u64, Event)| match event {
        Event::MatchStateChanged(changed) => Some(changed.state()),
        _ => None,
    };
    rows.iter().filter_map(state).collect()
}

#[tokio::test]
async fn a_journal_that_counts_more_rows_than_were_told_swallows_no_later_one() {
    let expected = play(&[]).await;
    for meanwhile in [
        "UPDATE sessions SET outputs = outputs + 15",
        "UPDATE sessions SET outputs = outputs + 120",
        "UPDATE sessions SET said_by = 'another release'",
        "UPDATE sessions SET said_by = 'another release', outputs = outputs - 9",
    ] {
        let rows = play_over_a_change(meanwhile, BASE_S, "board-b").await;
        assert_eq!(plies(&rows), plies(&expected), "{meanwhile}");
        assert_eq!(states(&rows), states(&expected), "{meanwhile}");
    }
}

#[tokio::test]
async fn a_match_of_another_time_control_is_closed_as_it_stands_and_said_so_once() {
    let rows = play_over_a_change("SELECT 1", 60, "board-b").await;
    let states = states(&rows);
    let ended = states.iter().filter(|&&state| state == MatchState::Ended).count();
    let opened = rows.iter().filter(|(_, event)| matches!(event, Event::MatchOpened(_))).count();
    assert_eq!((opened, ended), (1, 1), "{states:?}");
    assert_eq!(states.last(), Some(&MatchState::Ended));
    let said = |(_, event): &&(u64, Event)| matches!(event, Event::AnomalyReported(anomaly) if anomaly.evidence.contains("configuration"));
    assert_eq!(rows.iter().filter(said).count(), 1);
}

#[tokio::test]
async fn a_match_goes_on_with_another_node_on_its_table() {
    let expected = play(&[]).await;
    let rows = play_over_a_change("SELECT 1", BASE_S, "board-c").await;
    assert_eq!(plies(&rows), plies(&expected));
    assert_eq!(states(&rows), states(&expected));
}
