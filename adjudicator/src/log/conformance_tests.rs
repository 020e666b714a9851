//! Behaviour of every log: one suite for SQLite and PostgreSQL.

use delivery::Accepted;

use super::{
    Batch, Place, Store, StoreError,
    copy::{back_up, copy},
    input::{Input, InputKind, NewInput, NewRow},
    postgres::{Server, test_server::TestServer},
    shard_log::READ_LIMIT,
};

/// Places for logs of one kind.
pub(super) enum Bench<'a> {
    /// A file in a folder.
    File(tempfile::TempDir),
    /// A schema of a server.
    Schema(&'a TestServer, String),
}

impl Bench<'_> {
    fn file() -> Bench<'static> {
        Bench::File(tempfile::tempdir().unwrap())
    }

    pub(super) async fn place(&self) -> Place {
        match self {
            Bench::File(folder) => Place::File(folder.path().join("event.sqlite")),
            Bench::Schema(server, schema) => server_place(&server.address(schema).await),
        }
    }

    async fn open(&self) -> Store {
        Store::open(self.place().await).await.unwrap()
    }

    /// Executes a statement on a closed database.
    async fn by_hand(&self, statement: &'static str) {
        match self {
            Bench::File(folder) => {
                let options = sqlx::sqlite::SqliteConnectOptions::new();
                let options = options.filename(folder.path().join("event.sqlite"));
                let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
                sqlx::query(statement).execute(&pool).await.unwrap();
                pool.close().await;
            }
            Bench::Schema(server, schema) => {
                server.query(&format!("SET search_path = {schema}; {statement}")).await;
            }
        }
    }

    /// The time passes that a lease has.
    async fn end_lease(&self) {
        if let Bench::Schema(..) = self {
            self.by_hand("UPDATE shard SET lease_until = clock_timestamp()").await;
        }
    }
}

pub(super) fn server_place(address: &str) -> Place {
    Place::Server(Server::new(address, None, "hall").unwrap())
}

pub(super) fn rows(sequences: impl IntoIterator<Item = u64>) -> Vec<NewRow> {
    let row = |sequence: u64| NewRow {
        sequence,
        table: "north".to_owned(),
        match_id: Some("m1".to_owned()),
        payload: sequence.to_le_bytes().to_vec(),
    };
    sequences.into_iter().map(row).collect()
}

pub(super) fn batch<'a>(hub: &'a str, boot_id: u64, rows: &'a [NewRow]) -> Batch<'a> {
    Batch { hub, boot_id, first_available: 1, rows }
}

pub(super) async fn take(store: &Store, received_ms: u64, batch: Batch<'_>) -> Accepted {
    store.append_group(received_ms, &[batch]).await.unwrap()[0]
}

pub(super) async fn stored_sequences(store: &Store) -> Vec<u64> {
    let inputs = all(store).await;
    let ids: Vec<u64> = inputs.iter().map(|input| input.id).collect();
    assert_eq!(ids, (1..=ids.len() as u64).collect::<Vec<_>>(), "ids have no holes");
    let sequence = |input: &Input| u64::from_le_bytes(input.payload.as_slice().try_into().unwrap());
    inputs.iter().map(sequence).collect()
}

async fn all(store: &Store) -> Vec<Input> {
    store.read(0).await.unwrap()
}

pub(super) fn notices(store: &Store) -> String {
    store.damage().notices().into_iter().map(|(_, words)| words).collect::<Vec<_>>().join("\n")
}

fn link_up() -> NewInput {
    NewInput { kind: InputKind::LinkUp, hub: None, match_id: None, payload: Vec::new() }
}

/// Runs the whole suite.
macro_rules! suite {
    ($($case:ident),* $(,)?) => {
        mod in_a_file {
            $(#[tokio::test]
            async fn $case() {
                super::$case(&super::Bench::file()).await;
            })*
        }

        async fn in_schemas(server: &TestServer) {
            $(println!("{}", stringify!($case));
            let name: String = stringify!($case).chars().take(50).collect();
            $case(&Bench::Schema(server, name)).await;)*
        }
    };
}

suite!(
    rows_are_taken_only_in_sequence,
    every_boot_of_every_hub_has_its_own_sequence,
    messages_of_several_hubs_are_one_commit_and_each_is_answered,
    a_log_that_was_never_closed_is_taken_over_and_its_owner_of_before_is_refused,
    rows_that_no_hub_has_any_more_are_noted_and_their_boot_goes_on,
    a_position_ahead_of_its_rows_is_set_back_and_named,
    a_row_that_is_gone_from_the_middle_is_asked_for_again,
    a_damaged_row_is_left_out_and_takes_its_place_when_it_comes_again,
    a_log_that_is_opened_to_read_takes_nothing_and_lacks_nothing,
    a_log_of_a_newer_release_is_named_and_not_touched,
    a_name_may_have_any_character,
    what_is_read_goes_on_behind_a_position,
    a_log_that_is_copied_there_and_back_is_the_same,
);

#[tokio::test]
#[ignore = "needs PostgreSQL: cargo xtask test programs"]
async fn a_log_on_a_postgresql_server_does_what_every_log_does() {
    in_schemas(&TestServer::start().await).await;
}

async fn rows_are_taken_only_in_sequence(bench: &Bench<'_>) {
    let store = bench.open().await;
    let taken = take(&store, 1, batch("north", 7, &rows(1..=3))).await;
    assert_eq!(taken, Accepted { position: 3, accepted: 3, duplicates: 0, gap: false, lost: None });
    let repeated = take(&store, 2, batch("north", 7, &rows(2..=4))).await;
    assert_eq!(
        repeated,
        Accepted { position: 4, accepted: 1, duplicates: 2, gap: false, lost: None }
    );
    let gap = take(&store, 3, batch("north", 7, &rows(6..=8))).await;
    assert_eq!(gap, Accepted { position: 4, accepted: 0, duplicates: 0, gap: true, lost: None });
    let torn = take(&store, 4, batch("north", 7, &rows([5, 7]))).await;
    assert_eq!(torn, Accepted { position: 5, accepted: 1, duplicates: 0, gap: true, lost: None });
    assert_eq!(stored_sequences(&store).await, [1, 2, 3, 4, 5]);
}

async fn every_boot_of_every_hub_has_its_own_sequence(bench: &Bench<'_>) {
    let store = bench.open().await;
    for (hub, boot_id) in [("north", u64::MAX), ("north", 2), ("south", 2)] {
        let taken = take(&store, boot_id >> 1, batch(hub, boot_id, &rows(1..=2))).await;
        assert_eq!(taken.position, 2);
    }
    let latest = store.latest_positions().await.unwrap();
    let latest: Vec<_> = latest.iter().map(|at| (at.hub.as_str(), at.boot_id)).collect();
    assert_eq!(latest, [("north", u64::MAX), ("south", 2)]);
}

async fn messages_of_several_hubs_are_one_commit_and_each_is_answered(bench: &Bench<'_>) {
    let store = bench.open().await;
    let (first, second, other) = (rows(1..=2), rows(3..=4), rows([1, 3]));
    let group = [
        batch("north", 7, &first),
        batch("south", 9, &other),
        batch("north", 7, &second),
        batch("north", 7, &first),
    ];
    let taken = store.append_group(1, &group).await.unwrap();
    let positions: Vec<_> = taken.iter().map(|accepted| accepted.position).collect();
    assert_eq!(positions, [2, 1, 4, 4]);
    assert_eq!((taken[1].gap, taken[3].duplicates), (true, 2));
    assert_eq!(stored_sequences(&store).await, [1, 2, 1, 3, 4]);
    assert_eq!(store.position("north", 7).await.unwrap(), 4);
}

async fn a_log_that_was_never_closed_is_taken_over_and_its_owner_of_before_is_refused(
    bench: &Bench<'_>,
) {
    let before = bench.open().await;
    take(&before, 1, batch("north", 7, &rows(1..=3))).await;
    // Nothing was closed: what a killed process leaves, or one that is paused.
    bench.end_lease().await;
    let store = bench.open().await;
    assert_eq!(store.last_id().await.unwrap(), 3);
    let again = take(&store, 2, batch("north", 7, &rows(1..=5))).await;
    assert_eq!((again.accepted, again.duplicates), (2, 3));
    for _ in 0..2 {
        let refused = before.append_group(3, &[batch("north", 7, &rows(4..=9))]).await.unwrap_err();
        let words = refused.to_string();
        assert!(matches!(refused, StoreError::Stale { epoch: 1, .. }), "{words}");
        assert!(words.contains("since epoch 1") && words.contains("2 now, of"), "{words}");
        let refused = before.append(3, link_up()).await.unwrap_err();
        assert!(matches!(refused, StoreError::Stale { .. }), "{refused}");
        take(&store, 4, batch("south", 7, &rows(1..=1))).await;
    }
    assert_eq!(stored_sequences(&store).await, [1, 2, 3, 4, 5, 1]);
}

async fn rows_that_no_hub_has_any_more_are_noted_and_their_boot_goes_on(bench: &Bench<'_>) {
    let store = bench.open().await;
    take(&store, 1, batch("north", 7, &rows(1..=3))).await;
    // The hub has rows from 6 on and sends the 9th, then what is asked for.
    let nine = rows([9]);
    let later = Batch { first_available: 6, ..batch("north", 7, &nine) };
    let taken = take(&store, 2, later).await;
    let expected =
        Accepted { position: 5, accepted: 0, duplicates: 0, gap: true, lost: Some((4, 5)) };
    assert_eq!(taken, expected);
    let rest = rows(6..=9);
    let taken = take(&store, 3, Batch { first_available: 6, ..batch("north", 7, &rest) }).await;
    assert_eq!((taken.position, taken.lost), (9, None));
    let inputs = store.read(0).await.unwrap();
    let ids: Vec<u64> = inputs.iter().map(|input| input.id).collect();
    assert_eq!(ids, (1..=8).collect::<Vec<_>>());
    assert_eq!((inputs[3].kind, &inputs[3].payload[..]), (InputKind::RowsLost, &b"7 4 5"[..]));
    assert_eq!(store.position("north", 7).await.unwrap(), 9);
    assert_eq!(store.position("north", 8).await.unwrap(), 0);
}

async fn a_position_ahead_of_its_rows_is_set_back_and_named(bench: &Bench<'_>) {
    let store = bench.open().await;
    take(&store, 1, batch("north", 7, &rows(1..=2))).await;
    store.close().await;
    bench.by_hand("UPDATE hub_position SET sequence = 1002").await;
    let store = bench.open().await;
    let words = notices(&store);
    assert!(words.contains("hub north from 1002 to 2"), "{words}");
    let taken = take(&store, 1, batch("north", 7, &rows(3..=3))).await;
    assert_eq!((taken.position, taken.accepted), (3, 1));
    assert_eq!(all(&store).await.len(), 3);
}

async fn a_row_that_is_gone_from_the_middle_is_asked_for_again(bench: &Bench<'_>) {
    let store = bench.open().await;
    take(&store, 1, batch("north", 7, &rows(1..=5))).await;
    store.close().await;
    bench.by_hand("DELETE FROM input WHERE sequence = 3").await;
    let store = bench.open().await;
    assert_eq!(store.position("north", 7).await.unwrap(), 2);
    assert!(notices(&store).contains("missing from the disk"), "{}", notices(&store));
    // The hub sends all later rows: those that the log has are not written twice.
    let taken = take(&store, 1, batch("north", 7, &rows(3..=6))).await;
    assert_eq!(taken.position, 6);
    let mut said: Vec<_> = all(&store).await.into_iter().map(|input| input.payload).collect();
    said.sort();
    let wanted: Vec<_> = rows(1..=6).into_iter().map(|row| row.payload).collect();
    assert_eq!(said, wanted);
}

async fn a_damaged_row_is_left_out_and_takes_its_place_when_it_comes_again(bench: &Bench<'_>) {
    let store = bench.open().await;
    take(&store, 1, batch("north", 7, &rows(1..=5))).await;
    let before = all(&store).await;
    store.close().await;
    bench.by_hand("UPDATE input SET received_ms = received_ms + 1 WHERE sequence = 3").await;
    let store = bench.open().await;
    let found = all(&store).await;
    assert_eq!((found[2].id, found[2].kind), (3, InputKind::Damaged));
    assert!(notices(&store).contains("disk has damaged 1 input"), "{}", notices(&store));
    assert_eq!(store.position("north", 7).await.unwrap(), 2);
    assert_eq!(take(&store, 1, batch("north", 7, &rows(3..=7))).await.position, 7);
    assert!(notices(&store).contains("1 of them were given again"), "{}", notices(&store));
    let found = all(&store).await;
    assert_eq!(found[..5], before[..], "in its place");
    assert_eq!(found.len(), 7);
    store.close().await;
    let store = bench.open().await;
    assert_eq!((all(&store).await, notices(&store)), (found, String::new()));
}

async fn a_log_that_is_opened_to_read_takes_nothing_and_lacks_nothing(bench: &Bench<'_>) {
    let writing = bench.open().await;
    take(&writing, 1, batch("north", 7, &rows(1..=2))).await;
    let reading = Store::open_existing(bench.place().await).await.unwrap();
    assert!(reading.append(2, link_up()).await.is_err());
    let refused = reading.append_group(2, &[batch("north", 7, &rows(3..=3))]).await;
    assert!(refused.is_err());
    take(&writing, 1, batch("north", 7, &rows(3..=4))).await;
    assert_eq!(stored_sequences(&reading).await, [1, 2, 3, 4]);
    assert_eq!(reading.generation(), writing.generation());
    reading.close().await;
    writing.close().await;
}

async fn a_log_of_a_newer_release_is_named_and_not_touched(bench: &Bench<'_>) {
    let store = bench.open().await;
    take(&store, 1, batch("north", 7, &rows(1..=2))).await;
    store.close().await;
    bench.by_hand("UPDATE _sqlx_migrations SET version = 1234 WHERE version = 1").await;
    let place = bench.place().await;
    for refused in [Store::open(&place).await, Store::open_existing(&place).await] {
        let refused = refused.expect_err("it is refused");
        assert!(matches!(refused, StoreError::Version { .. }), "{refused}");
        assert!(refused.to_string().contains("1234"), "{refused}");
    }
    bench.by_hand("UPDATE _sqlx_migrations SET version = 1 WHERE version = 1234").await;
    assert_eq!(stored_sequences(&bench.open().await).await, [1, 2]);
}

async fn a_name_may_have_any_character(bench: &Bench<'_>) {
    let store = bench.open().await;
    let mut odd = rows(1..=1);
    let (hub, table) = ("no\0rth \u{10ffff}", "\0'\\");
    odd[0].table = table.to_owned();
    odd[0].match_id = Some(table.to_owned());
    assert_eq!(take(&store, 1, batch(hub, u64::MAX, &odd)).await.accepted, 1);
    store.close().await;
    let store = bench.open().await;
    let input = all(&store).await.remove(0);
    assert_eq!((input.hub.as_deref(), input.match_id.as_deref()), (Some(hub), Some(table)));
    assert_eq!(store.position(hub, u64::MAX).await.unwrap(), 1);
    assert_eq!(notices(&store), "");
    store.close().await;
}

async fn what_is_read_goes_on_behind_a_position(bench: &Bench<'_>) {
    let store = bench.open().await;
    for first in [1, 1_001, 2_001] {
        take(&store, 1, batch("north", 7, &rows(first..first + 1_000))).await;
    }
    let first = store.read(0).await.unwrap();
    assert!(super::may_be_more(&first) && first.len() < 3_000, "{}", first.len());
    let mut ids: Vec<u64> = first.iter().map(|input| input.id).collect();
    while let Some(more) =
        Some(store.read(ids.len() as u64).await.unwrap()).filter(|it| !it.is_empty())
    {
        ids.extend(more.iter().map(|input| input.id));
    }
    assert_eq!(ids, (1..=3_000).collect::<Vec<_>>());
    store.close().await;
    // A start looks through all of them.
    assert_eq!(notices(&bench.open().await), "");
}

async fn a_log_that_is_copied_there_and_back_is_the_same(bench: &Bench<'_>) {
    let folder = tempfile::tempdir().unwrap();
    let (first, back) = (folder.path().join("first.sqlite"), folder.path().join("back.sqlite"));
    let original = Store::open(&first).await.unwrap();
    take(&original, 5, batch("north", 7, &rows(1..=3))).await;
    let nine = rows([9]);
    take(&original, 6, Batch { first_available: 6, ..batch("north", 7, &nine) }).await;
    original.append(7, link_up()).await.unwrap();
    let act = NewInput { kind: InputKind::Act, payload: vec![b'{', 0, 255], ..link_up() };
    original.append(8, act).await.unwrap();
    assert!(original.append_state(9, "south", vec![1]).await.unwrap());
    original.close().await;
    let place = bench.place().await;
    let counted = std::sync::atomic::AtomicU64::new(0);
    let progress = |more| {
        counted.fetch_add(more, std::sync::atomic::Ordering::Relaxed);
    };
    let inputs = copy(&Place::from(&first), &place, &progress).await.unwrap();
    assert_eq!((inputs, counted.into_inner()), (7, 7));
    let refused = copy(&Place::from(&first), &place, &|_| {}).await.unwrap_err().to_string();
    assert!(
        refused.contains("7 inputs already") || refused.contains("is there already"),
        "{refused}"
    );
    // Beside a program that writes, as a backup is made.
    let store = bench.open().await;
    back_up(&place, &back).await.unwrap();
    let (there, back) = (store, Store::open(&back).await.unwrap());
    let original = Store::open(&first).await.unwrap();
    let rows = async |store: &Store| store.log.scan(i64::MIN).await.unwrap();
    let (wanted, positions) =
        (original.log.read(0, READ_LIMIT).await.unwrap(), original.log.positions().await.unwrap());
    for store in [&there, &back] {
        assert_eq!(store.log.read(0, READ_LIMIT).await.unwrap(), wanted);
        assert_eq!(rows(store).await.len(), wanted.len());
        assert_eq!(store.log.positions().await.unwrap(), positions);
        assert_eq!(notices(store), "");
    }
    assert_ne!(there.generation(), original.generation(), "it is another log");
    let taken = take(&there, 10, batch("north", 7, &super::conformance_tests::rows(6..=7))).await;
    assert_eq!((taken.position, taken.accepted), (7, 2));
}
