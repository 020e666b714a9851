//! A hall with many ended matches on PostgreSQL is taken over: all of them are there again, and so is the one in play.
//!
//! `TWINBOARD_ENDED_MATCHES=N` has so many, and prints how long it takes; without it there are a few.

use std::{collections::BTreeMap, time::Instant};

use adjudicator::log::{Batch, Store, input::NewRow};
use prost::Message as _;
use proto::mqtt::message::{Board, MatchState, Row, Side};

use crate::{
    phone,
    postgresql::test_server::TestServer,
    support::{Script, Server},
};

/// Environment variable with the number of ended matches.
const ENDED: &str = "TWINBOARD_ENDED_MATCHES";
/// Ended matches of the suite.
const SAMPLE: u64 = 20;
/// Plies of a match, and tables of the hall.
const PLIES: usize = 120;
const TABLES: u64 = 100;
/// Interval of matches, milliseconds: a hub that sends faster than anybody plays is refused.
const MATCH_EVERY_MS: u64 = 10_000;

/// Knights that go and come back at A and at B.
fn script(number: u64, plies: usize) -> Script {
    let mut script = Script::playing(&(number % TABLES).to_string(), &format!("m{number}"));
    let moves = [
        ("g1f3", Side::White),
        ("g8f6", Side::Black),
        ("f3g1", Side::White),
        ("f6g8", Side::Black),
    ];
    let both = moves.iter().flat_map(|one| [Board::A, Board::B].map(|board| (board, one)));
    for (board, &(uci, side)) in both.cycle().take(plies) {
        script.ply(board, side, uci);
    }
    script
}

/// Appends the rows of a match, received at a time, behind those that the table's hub has sent.
async fn append(store: &Store, sent: &mut BTreeMap<String, u64>, at_ms: u64, rows: Vec<Row>) {
    let hub = format!("hub{}", rows[0].table);
    let last = sent.entry(hub.clone()).or_default();
    let new = |row: Row| {
        *last += 1;
        let (sequence, table, match_id) = (*last, row.table.clone(), None);
        NewRow { sequence, table, match_id, payload: Row { sequence, ..row }.encode_to_vec() }
    };
    let rows: Vec<NewRow> = rows.into_iter().map(new).collect();
    let batch = Batch { hub: &hub, boot_id: 7, first_available: 1, rows: &rows };
    let taken = store.append_group(at_ms, &[batch]).await.unwrap();
    assert_eq!(taken[0].accepted, rows.len());
}

fn now_ms() -> u64 {
    let since = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap();
    u64::try_from(since.as_millis()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test programs"]
async fn a_hall_that_is_taken_over_has_its_ended_matches_and_the_one_in_play() {
    let ended = std::env::var(ENDED).map_or(SAMPLE, |count| count.parse().expect("a number"));
    let (folder, database) = (tempfile::tempdir().unwrap(), TestServer::start().await);
    let mut config = phone::config(folder.path());
    config.store.url = Some(database.address("hall").await);
    let store = Store::open(config.log_place().unwrap()).await.unwrap();
    let (mut sent, began_ms) = (BTreeMap::new(), now_ms() - ended * MATCH_EVERY_MS);
    for number in 1..=ended {
        let mut script = script(number, PLIES);
        script.state(MatchState::Ended, 600_000_000);
        append(&store, &mut sent, began_ms + number * MATCH_EVERY_MS, script.rows).await;
    }
    append(&store, &mut sent, now_ms(), script(ended + 1, 4).rows).await;
    store.close().await;
    let began = Instant::now();
    let server = Server::start(config).await;
    let rows: u64 = sent.values().sum();
    println!("{ended} ended matches, {rows} rows: the hall is there after {:?}", began.elapsed());
    let matches = server.json("/api/v1/matches").await;
    let matches = matches["matches"].as_array().unwrap();
    assert_eq!(matches.len() as u64, ended + 1);
    let in_play = format!("m{}", ended + 1);
    for one in matches {
        let is_over = one["match"] != in_play.as_str();
        assert_eq!(
            (one["state"] == "ended", one["ply_count"] == PLIES),
            (is_over, is_over),
            "{one}"
        );
    }
    server.stop().await;
}
