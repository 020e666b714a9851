//! Faults between an owner and its server: no uncommitted row is acknowledged, and none is written twice.

use std::time::Duration;

use super::test_server::{SmallDisk, TestServer};
use crate::log::{
    Place, Store, StoreError,
    conformance_tests::{batch, notices, rows, server_place, stored_sequences, take},
};

/// Long enough for a statement to be on its way, and to wait for a lock.
const ON_ITS_WAY: Duration = Duration::from_millis(200);
/// Rows that are sent while the server is killed again and again.
const ROWS: u64 = 60;

async fn place(server: &TestServer, schema: &str) -> Place {
    server_place(&server.address(schema).await)
}

#[tokio::test]
#[ignore = "needs PostgreSQL: cargo xtask test programs"]
async fn what_a_postgresql_server_does_not_do_is_not_acknowledged_and_named() {
    let mut server = TestServer::start().await;
    a_commit_that_fails_at_its_end_is_not_acknowledged(&server).await;
    a_commit_that_was_given_up_on_its_way_is_written_once_or_not_at_all(&server).await;
    an_owner_that_lives_keeps_its_log(&server).await;
    a_server_that_takes_nothing_is_named_until_it_takes_something(&server).await;
    a_full_disk_is_named_and_everything_comes_when_there_is_room(&server).await;
    a_server_without_fsync_is_not_written_to(&server).await;
    rows_come_once_and_in_order_whenever_the_server_is_killed(&mut server).await;
    what_was_acknowledged_is_there_after_a_failover().await;
}

/// A constraint that is checked at the end of the transaction: by then the server has reported its inserts.
async fn a_commit_that_fails_at_its_end_is_not_acknowledged(server: &TestServer) {
    let store = Store::open(place(server, "deferred").await).await.unwrap();
    server
        .query(
            "SET search_path = deferred; \
             CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''not now''; END'; \
             CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON input DEFERRABLE INITIALLY DEFERRED FOR EACH ROW \
             EXECUTE FUNCTION refuse()",
        )
        .await;
    let refused = store.append_group(1, &[batch("north", 7, &rows(1..=3))]).await.unwrap_err();
    assert!(refused.to_string().contains("not now"), "{refused}");
    assert_eq!(store.position("north", 7).await.unwrap(), 0);
    server.query("SET search_path = deferred; DROP TRIGGER refuse ON input").await;
    assert_eq!(take(&store, 1, batch("north", 7, &rows(1..=3))).await.accepted, 3);
    assert_eq!(stored_sequences(&store).await, [1, 2, 3]);
    store.close().await;
}

/// The statement waits at the server for a lock, its sender has given up, and the next one arrives before it goes on.
async fn a_commit_that_was_given_up_on_its_way_is_written_once_or_not_at_all(server: &TestServer) {
    let place = place(server, "given_up").await;
    let store = Store::open(&place).await.unwrap();
    take(&store, 1, batch("north", 7, &rows(1..=2))).await;
    for turn in 0..4 {
        let first = 3 + 3 * turn;
        let lock = server.query(
            "SET search_path = given_up; BEGIN; SELECT 1 FROM shard FOR UPDATE; SELECT pg_sleep(0.6); COMMIT",
        );
        let more = rows(first..first + 2);
        let given_up = async {
            tokio::time::sleep(ON_ITS_WAY).await;
            let batches = [batch("north", 7, &more)];
            let sent = store.append_group(2, &batches);
            assert!(tokio::time::timeout(ON_ITS_WAY, sent).await.is_err(), "it waits");
            // Other rows than those that are on their way, of the same numbers.
            take(&store, 3, batch("south", 7, &rows(first - 2..first + 1))).await;
            take(&store, 4, batch("north", 7, &rows(first..first + 3))).await
        };
        let ((), taken) = tokio::join!(lock, given_up);
        assert_eq!(taken.position, first + 2);
    }
    let mut found = stored_sequences(&store).await;
    found.sort_unstable();
    let mut wanted: Vec<u64> = (1..=14).chain(1..=12).collect();
    wanted.sort_unstable();
    assert_eq!(found, wanted);
    store.close().await;
}

async fn an_owner_that_lives_keeps_its_log(server: &TestServer) {
    let place = place(server, "lives").await;
    let store = Store::open(&place).await.unwrap();
    let until = tokio_util::sync::CancellationToken::new();
    let second = async {
        let refused = Store::open(&place).await.expect_err("it is refused");
        until.cancel();
        refused
    };
    let (kept, refused) = tokio::join!(store.keep(until.clone()), second);
    kept.unwrap();
    assert!(matches!(refused, StoreError::InUse { holder: Some(_), .. }), "{refused}");
    assert_eq!(take(&store, 1, batch("north", 7, &rows(1..=2))).await.accepted, 2);
    // A lease that has ended is acquired at once.
    store.close().await;
    let second = tokio::time::timeout(super::lease::LEASE / 4, Store::open(&place)).await;
    assert_eq!(stored_sequences(&second.expect("at once").unwrap()).await, [1, 2]);
}

async fn a_server_that_takes_nothing_is_named_until_it_takes_something(server: &TestServer) {
    const OTHERS: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'twinboard'";
    let place = place(server, "standby").await;
    let store = Store::open(&place).await.unwrap();
    take(&store, 1, batch("north", 7, &rows(1..=2))).await;
    server.query("ALTER DATABASE postgres SET default_transaction_read_only = on").await;
    server.query(OTHERS).await;
    let more = rows(3..=4);
    assert!(store.append_group(2, &[batch("north", 7, &more)]).await.is_err(), "the line was cut");
    let refused = store.append_group(2, &[batch("north", 7, &more)]).await.unwrap_err();
    assert!(matches!(refused, StoreError::ReadOnly { .. }), "{refused}");
    assert!(notices(&store).contains("Nothing new is recorded"), "{}", notices(&store));
    let begun = Store::open(&place).await.expect_err("it is refused");
    assert!(matches!(begun, StoreError::ReadOnly { .. }), "{begun}");
    server
        .query("SET transaction_read_only = off; ALTER DATABASE postgres RESET default_transaction_read_only")
        .await;
    assert_eq!(take(&store, 3, batch("north", 7, &more)).await.position, 4);
    assert_eq!(
        (stored_sequences(&store).await, notices(&store)),
        (vec![1, 2, 3, 4], String::new())
    );
    store.close().await;
}

async fn a_full_disk_is_named_and_everything_comes_when_there_is_room(server: &TestServer) {
    let Some(disk) = SmallDisk::of(server).await else { return };
    let address = server.address("no_room").await + "&options[default_tablespace]=small";
    let store = Store::open(server_place(&address)).await.unwrap();
    let mut sent = 0;
    let refused = loop {
        let more = rows(sent + 1..=sent + 500);
        match store.append_group(1, &[batch("north", 7, &more)]).await {
            Ok(_) => sent += 500,
            Err(refused) => break refused,
        }
    };
    assert!(refused.is_full(), "{refused}");
    assert!(notices(&store).contains("No space left"), "{}", notices(&store));
    assert_eq!(store.position("north", 7).await.unwrap(), sent);
    disk.grow();
    let more = rows(sent + 1..=sent + 500);
    assert_eq!(take(&store, 1, batch("north", 7, &more)).await.position, sent + 500);
    assert_eq!((store.last_id().await.unwrap(), notices(&store)), (sent + 500, String::new()));
    store.close().await;
    server.query("DROP SCHEMA no_room CASCADE").await;
    server.query("DROP TABLESPACE small").await;
}

async fn a_server_without_fsync_is_not_written_to(server: &TestServer) {
    let place = place(server, "unfit").await;
    server.query("ALTER SYSTEM SET fsync = off").await;
    server.query("SELECT pg_reload_conf()").await;
    let refused = loop {
        match Store::open(&place).await {
            Ok(store) => store.close().await,
            Err(refused) => break refused,
        }
    };
    assert!(matches!(refused, StoreError::Unfit { .. }), "{refused}");
    assert!(refused.to_string().contains("fsync = on"), "{refused}");
    server.query("ALTER SYSTEM RESET fsync").await;
    server.query("SELECT pg_reload_conf()").await;
}

/// A hub that sends what is not acknowledged again, as often as it takes.
async fn rows_come_once_and_in_order_whenever_the_server_is_killed(server: &mut TestServer) {
    let store = Store::open(place(server, "killed").await).await.unwrap();
    let (mut position, mut kills) = (0, 0);
    while position < ROWS {
        let more = rows(position + 1..=position + 3);
        let batches = [batch("north", 7, &more)];
        let sent = store.append_group(1, &batches);
        if position % 15 == 3 && kills < position / 15 + 1 {
            kills += 1;
            let (sent, ()) = tokio::join!(sent, async { server.kill() });
            server.go_on().await;
            if let Ok(taken) = sent {
                position = taken[0].position;
            }
        } else if let Ok(taken) = sent.await {
            assert!(taken[0].position >= position, "what was acknowledged is gone");
            position = taken[0].position;
        }
    }
    assert_eq!(kills, ROWS / 15);
    assert_eq!(stored_sequences(&store).await, (1..=position).collect::<Vec<_>>());
    store.close().await;
}

/// The primary is killed while rows are sent, its standby is promoted, and the log goes on there.
async fn what_was_acknowledged_is_there_after_a_failover() {
    let mut primary = TestServer::start().await;
    primary.query("CREATE SCHEMA event").await;
    let standby = TestServer::standby_of(&primary).await;
    let folders = [&primary, &standby].map(|server| server.folder.path().display().to_string());
    let place = server_place(&TestServer::address_at(&folders.join(","), "event"));
    let store = Store::open(&place).await.unwrap();
    let mut position = take(&store, 1, batch("north", 7, &rows(1..=3))).await.position;
    let more = rows(4..=6);
    let batches = [batch("north", 7, &more)];
    let (sent, ()) = tokio::join!(store.append_group(2, &batches), async { primary.kill() });
    position = sent.map_or(position, |taken| taken[0].position);
    let refused = store.append_group(2, &batches).await.unwrap_err();
    assert!(matches!(refused, StoreError::NoPrimary { .. }), "{refused}");
    assert!(refused.to_string().contains("is a standby"), "{refused}");
    standby.query("SELECT pg_promote()").await;
    // The lease is extended also where nothing is written.
    store.log.renew().await.unwrap();
    assert!(store.position("north", 7).await.unwrap() >= position, "what was acknowledged is gone");
    take(&store, 3, batch("north", 7, &rows(4..=8))).await;
    assert_eq!(stored_sequences(&store).await, (1..=8).collect::<Vec<_>>());
    // The server of before comes back without its standby, and takes itself for a primary.
    primary.go_on().await;
    store.close().await;
    let store = Store::open(&place).await.unwrap();
    assert_eq!(stored_sequences(&store).await, (1..=8).collect::<Vec<_>>());
    store.close().await;
}
