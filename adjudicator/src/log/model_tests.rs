//! The model of the store with which a hall is simulated says what this store says, whatever both were given: groups of messages, kills, copies
//! that are put back.

use std::path::PathBuf;

use hall_sim::Stored;
use proptest::prelude::*;
use prost::Message as _;
use proto::mqtt::ReceivedRows;
use proto::mqtt::message::row::Event;
use proto::mqtt::message::{PlyRetracted, Row, Rows};

use super::{
    Batch, Store,
    input::{InputKind, NewRow},
    sqlite::{back_up, restore},
};

const HUBS: [&str; 2] = ["north", "south"];
const BOOTS: [u64; 3] = [7, 8, u64::MAX / 3];

/// What both are told.
#[derive(Clone, Debug)]
enum Step {
    /// Messages that are committed together.
    Append(Vec<ReceivedRows>),
    /// The process is killed and starts again.
    Kill,
    /// A copy is made.
    Copy,
    /// The last copy is put back.
    PutBack,
}

prop_compose! {
    /// A message: rows that mostly follow each other, from anywhere near the beginning, of a hub that may have lost the first ones.
    fn message()(
        hub in 0..HUBS.len(),
        boot in 0..BOOTS.len(),
        first in 1u64..12,
        count in 1u64..6,
        left_out in prop::option::weighted(0.2, 1u64..6),
        available in prop::option::weighted(0.5, 0u64..12),
    ) -> ReceivedRows {
        let row = |sequence: u64| {
            let event = PlyRetracted { match_id: "m1".to_owned(), ply_id: 1, t_us: sequence };
            Row { sequence, hub_time_us: sequence, table: "1".to_owned(), event: Some(Event::PlyRetracted(event)) }
        };
        let sequences = (first..first + count).filter(|sequence| Some(sequence - first) != left_out || count == 1);
        let rows: Vec<Row> = sequences.map(row).collect();
        let first_available = available.unwrap_or(0).min(rows[0].sequence);
        let bodies = rows.iter().map(Row::encode_to_vec).collect();
        let (hub_id, boot_id) = (HUBS[hub].to_owned(), BOOTS[boot]);
        ReceivedRows { rows: Rows { hub_id, boot_id, rows, first_available }, bodies }
    }
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        10 => prop::collection::vec(message(), 1..5).prop_map(Step::Append),
        2 => Just(Step::Kill),
        1 => Just(Step::Copy),
        1 => Just(Step::PutBack),
    ]
}

/// Both stores.
struct Pair {
    folder: tempfile::TempDir,
    store: Store,
    model: hall_sim::Store,
    /// Stores of processes that were killed: nobody has closed them.
    killed: Vec<Store>,
    /// The last copy, and how many commits of the model it has.
    copy: Option<(PathBuf, usize)>,
    now_ms: u64,
}

impl Pair {
    async fn new() -> Pair {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("event.sqlite")).await.unwrap();
        let model = hall_sim::Store::default();
        Pair { folder, store, model, killed: Vec::new(), copy: None, now_ms: 1 }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("event.sqlite")
    }

    /// Nobody closes the store, which is left as a killed process leaves it.
    async fn kill(&mut self) {
        let store = Store::open(&self.path()).await.unwrap();
        self.killed.push(std::mem::replace(&mut self.store, store));
    }

    async fn take(&mut self, step: Step) {
        self.now_ms += 1;
        match step {
            Step::Append(group) => self.append(&group).await,
            Step::Kill => self.kill().await,
            Step::Copy => {
                let to = self.folder.path().join(format!("copy-{}.sqlite", self.now_ms));
                back_up(&self.path(), &to).await.unwrap();
                self.copy = Some((to, self.model.commits()));
            }
            Step::PutBack => {
                let Some((copy, commits)) = self.copy.clone() else { return };
                restore(&self.path(), &copy, self.now_ms).await.unwrap();
                self.kill().await;
                self.model.set_back(commits);
            }
        }
    }

    async fn append(&mut self, group: &[ReceivedRows]) {
        let new_row = |row: &Row| NewRow {
            sequence: row.sequence,
            table: row.table.clone(),
            match_id: Some("m1".to_owned()),
            payload: row.encode_to_vec(),
        };
        let rows: Vec<Vec<NewRow>> =
            group.iter().map(|it| it.rows.rows.iter().map(new_row).collect()).collect();
        let batch = |(message, rows): (&ReceivedRows, &Vec<NewRow>)| {
            let Rows { hub_id, boot_id, first_available, .. } = message.rows.clone();
            (hub_id, boot_id, first_available, rows.clone())
        };
        let owned: Vec<_> = group.iter().zip(&rows).map(batch).collect();
        let batches: Vec<Batch<'_>> = owned
            .iter()
            .map(|(hub, boot_id, first_available, rows)| Batch {
                hub,
                boot_id: *boot_id,
                first_available: *first_available,
                rows,
            })
            .collect();
        let taken = self.store.append_group(self.now_ms, &batches).await.unwrap();
        assert_eq!(self.model.append(group, self.now_ms * 1_000), taken);
    }

    /// Asks both everything.
    async fn compare(&self) {
        let stored = self.model.all().map(|stored| match stored {
            Stored::Row(hub, _, _, body) => {
                (InputKind::Row, hub.clone(), body.as_deref().cloned().unwrap_or_default())
            }
            Stored::Lost(hub, boot_id, first, last) => {
                let payload = format!("{boot_id} {first} {last}").into_bytes();
                (InputKind::RowsLost, hub.clone(), payload)
            }
            Stored::Order(_) => unreachable!("no order was given"),
        });
        let inputs = self.store.read(0).await.unwrap();
        let logged = inputs.into_iter().map(|it| (it.kind, it.hub.unwrap_or_default(), it.payload));
        assert_eq!(stored.collect::<Vec<_>>(), logged.collect::<Vec<_>>());
        for hub in HUBS {
            for boot_id in BOOTS {
                let position = self.store.position(hub, boot_id).await.unwrap();
                assert_eq!(self.model.position(hub, boot_id), position, "{hub} {boot_id}");
            }
        }
        assert_eq!(self.model.latest_positions(), self.store.latest_positions().await.unwrap());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 64, ..ProptestConfig::default() })]
    #[test]
    fn the_simulations_model_says_what_the_store_says(steps in prop::collection::vec(step(), 1..25)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut pair = Pair::new().await;
            for step in steps {
                pair.take(step).await;
                pair.compare().await;
            }
        });
    }
}
