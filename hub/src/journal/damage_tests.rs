//! A disk that gives back what it was not given: noticed or harmless, and nothing damaged is believed.

use std::fs;

use prost::Message as _;
use proto::link::ResumePoint;
use proto::mqtt::check_row;
use proto::mqtt::message::{Row, row::Event};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::tests::{close, entry, input, options};
use super::*;

/// Bits that are flipped, unless the environment variable says more.
const FLIPS: u64 = 200;
const FLIPS_VARIABLE: &str = "TWINBOARD_FLIPPED_BITS";

/// Writes a journal with inputs, rows, a match, a node and sessions, and closes it.
async fn written(folder: &Path) -> Vec<Vec<u8>> {
    let opened = Journal::open(options(folder)).await.unwrap();
    for turn in 0..10_u64 {
        let inputs = (0..6).map(|at| input(10 * turn + at, Some("m"))).collect();
        let rows = turn as u32 * 4..turn as u32 * 4 + 4;
        let offsets = vec![NodeOffset {
            node_id: "node-1".to_owned(),
            reached: ResumePoint { boot_id: 3, sequence: turn as u32 },
        }];
        opened.journal.write(Entry { offsets, ..entry(inputs, rows) }).await.unwrap();
    }
    opened.journal.flush().await.unwrap();
    let rows = opened.reader.rows_after(0, 1_000).await.unwrap();
    close(opened).await;
    rows.into_iter().map(|row| row.body).collect()
}

fn is_substitute(body: &[u8]) -> bool {
    let row = Row::decode(body).unwrap();
    let says = |detail: &str| detail.contains("damaged by its disk");
    check_row(&row).is_ok()
        && matches!(row.event, Some(Event::NodeStateChanged(it)) if says(&it.detail))
}

#[tokio::test]
async fn flipped_bits_of_a_journal_are_noticed_or_harmless_and_none_is_believed() {
    let flips = std::env::var(FLIPS_VARIABLE).map_or(FLIPS, |flips| flips.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let bodies = written(folder.path()).await;
    let file = options(folder.path()).file;
    let whole = fs::read(&file).unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(20_261_127);
    let (mut refused, mut named, mut harmless) = (0, 0, 0);
    for _ in 0..flips {
        let mut bytes = whole.clone();
        let bit = random.random_range(0..bytes.len() * 8);
        bytes[bit / 8] ^= 1 << (bit % 8);
        for ending in ["sqlite-wal", "sqlite-shm"] {
            let _ = fs::remove_file(file.with_extension(ending));
        }
        fs::write(&file, bytes).unwrap();
        let Ok(opened) = Journal::open(options(folder.path())).await else {
            refused += 1;
            continue;
        };
        let mut lines = 0;
        let replayed = opened.reader.replay("1", 0, |_| lines += 1).await;
        let rows = opened.reader.sent_rows_after(0, 1_000).await;
        match (rows, replayed) {
            (Ok(rows), Ok(_)) => {
                for sent in &rows {
                    let is_it = bodies.contains(&sent.row.body);
                    assert!(is_it || is_substitute(&sent.row.body), "bit {bit} is believed");
                }
                let is_all = rows.len() == bodies.len() && lines == 60;
                let is_named = opened.damage.words().is_some();
                assert!(
                    is_all || is_named,
                    "bit {bit}: {} rows, {lines} lines, in silence",
                    rows.len()
                );
                if is_named { named += 1 } else { harmless += 1 }
            }
            _ => named += 1,
        }
        close(opened).await;
    }
    println!("{flips} bits: {refused} refused at the start, {named} named, {harmless} harmless");
    assert!(named > 0 && refused > 0, "{refused} {named} {harmless}");
}

#[tokio::test]
async fn a_damaged_row_is_sent_as_one_that_says_so_and_keeps_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let bodies = written(folder.path()).await;
    let file = options(folder.path()).file;
    let mut database: SqliteConnection =
        SqliteConnectOptions::new().filename(&file).connect().await.unwrap();
    let by_hand = "UPDATE outgoing SET body = x'0a0b' WHERE row_id = 7";
    sqlx::query(by_hand).execute(&mut database).await.unwrap();
    sqlx::Connection::close(database).await.unwrap();
    let opened = Journal::open(options(folder.path())).await.unwrap();
    assert!(opened.damage.words().unwrap().contains("a row of its journal"));
    let rows = opened.reader.rows_after(0, 1_000).await.unwrap();
    let sequences: Vec<u64> = rows.iter().map(|row| row.sequence).collect();
    assert_eq!(sequences, (1..=40).collect::<Vec<_>>());
    assert!(is_substitute(&rows[6].body) && rows[7].body == bodies[7]);
    assert_eq!(Row::decode(&rows[6].body[..]).unwrap().table, "1");
    close(opened).await;
    let opened = Journal::open(options(folder.path())).await.unwrap();
    assert_eq!(opened.damage, Damage::default(), "it was put away");
    close(opened).await;
}

#[tokio::test]
async fn a_copy_of_a_journal_with_a_trigger_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path()).await;
    let (file, copy) = (options(folder.path()).file, folder.path().join("copy.sqlite"));
    back_up(&file, &copy).await.unwrap();
    let mut database: SqliteConnection =
        SqliteConnectOptions::new().filename(&copy).connect().await.unwrap();
    let trigger =
        "CREATE TRIGGER empties AFTER INSERT ON outgoing BEGIN UPDATE outgoing SET body = x''; END";
    sqlx::query(trigger).execute(&mut database).await.unwrap();
    sqlx::Connection::close(database).await.unwrap();
    let refused = restore(&file, &copy, 1).await.unwrap_err().to_string();
    assert!(refused.contains("trigger"), "{refused}");
}
