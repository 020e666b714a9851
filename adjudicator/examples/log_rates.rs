//! Rows a second that a log commits, and times of its commits: `cargo run --release -p adjudicator --example log_rates -- PLACE SECONDS`.
//! PLACE is a new file or postgres://USER@HOST/DATABASE. Groups are those of a loaded ingest, and one row at a time.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use adjudicator::log::{Batch, Place, Store, StoreError, input::NewRow, postgres::Server};

/// Hubs that send in turn.
const HUBS: usize = 200;
/// Messages of a group, and rows of a message.
const SHAPES: [(usize, usize); 3] = [(64, 16), (8, 8), (1, 1)];
/// Bytes of a row: those of a ply with two alternatives.
const ROW_BYTES: usize = 120;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [place, seconds] = arguments.as_slice() else {
        return Err("give a place and how many seconds".into());
    };
    let time = Duration::from_secs(seconds.parse()?);
    let place = match Server::is_address(place) {
        true => Place::Server(Server::new(place, None, "rates")?),
        false => Place::from(Path::new(place)),
    };
    let store = Store::open(&place).await?;
    let mut sequences = vec![0; HUBS];
    for (messages, rows) in SHAPES {
        let (mut took, began, mut next) = (Vec::new(), Instant::now(), 0);
        while began.elapsed() < time {
            let hubs: Vec<usize> = (0..messages).map(|more| (next + more) % HUBS).collect();
            next += messages;
            took.push(commit(&store, &hubs, rows, &mut sequences).await?);
        }
        let rate = (took.len() * messages * rows) as f64 / began.elapsed().as_secs_f64();
        took.sort_unstable();
        let at = |part: usize| took[took.len() * part / 100].as_secs_f64() * 1e3;
        println!(
            "{place}: {messages} messages of {rows}: {rate:.0} rows/s, commit p50 {:.2} ms, p99 {:.2} ms, {} commits",
            at(50),
            at(99),
            took.len()
        );
    }
    store.close().await;
    Ok(())
}

/// Commits a message of each of these hubs; how long until it is acknowledged.
async fn commit(
    store: &Store,
    hubs: &[usize],
    rows: usize,
    sequences: &mut [u64],
) -> Result<Duration, StoreError> {
    let names: Vec<String> = hubs.iter().map(|hub| format!("hub{hub}")).collect();
    let row = |sequence| NewRow {
        sequence,
        table: "1".to_owned(),
        match_id: Some("m1".to_owned()),
        payload: vec![7; ROW_BYTES],
    };
    let rows: Vec<Vec<NewRow>> = hubs
        .iter()
        .map(|&hub| {
            let first = sequences[hub] + 1;
            sequences[hub] += rows as u64;
            (first..=sequences[hub]).map(row).collect()
        })
        .collect();
    let batch = |(hub, rows)| Batch { hub, boot_id: 1, first_available: 1, rows };
    let batches: Vec<Batch<'_>> =
        names.iter().map(String::as_str).zip(rows.iter().map(Vec::as_slice)).map(batch).collect();
    let began = Instant::now();
    let taken = store.append_group(1, &batches).await?;
    assert!(taken.iter().all(|accepted| !accepted.gap), "a row was refused");
    Ok(began.elapsed())
}
