//! The largest files of organisers, several at once: the runtime goes on meanwhile.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use reqwest::StatusCode;
use serde_json::json;

use crate::{event::send, phone::config, support::Server};

/// Interval of the timer, and the largest delay of a tick. A tick on a busy machine is late by some tens of
/// milliseconds; a file read on the runtime's own threads made it late by seconds.
const TICK: Duration = Duration::from_millis(5);
const LATE_MAX: Duration = Duration::from_millis(700);

/// Time for which the timer runs before.
const IDLE: Duration = Duration::from_secs(2);

/// Longest wait for all files. Comparing each row with all before took minutes in a test's build.
const FILE_MAX: Duration = Duration::from_secs(60);

/// Ticks on the runtime until it is stopped; returns the longest gap between two ticks.
async fn longest_gap(stop: Arc<AtomicBool>) -> Duration {
    let (mut last, mut longest) = (Instant::now(), Duration::ZERO);
    while !stop.load(Ordering::Relaxed) {
        tokio::time::sleep(TICK).await;
        longest = longest.max(last.elapsed());
        last = Instant::now();
    }
    longest
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_thousand_rows_twice_at_once_do_not_hold_up_the_runtime() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let players: String =
        (0..5_000).map(|it| format!("Open,Player {it},Club {}\n", it % 90)).collect();
    let players = format!("Section,Player,Club\n{players}");
    let teams: String =
        (0..2_500).map(|it| format!("K-6,Team {it},First {it},Second {it}\n")).collect();
    let teams = format!("Section,Team,Player 1,Player 2\n{teams}");
    let too_many: String =
        (0..5_000).map(|it| format!("K-6,Team {it},First {it},Second {it}\n")).collect();
    let too_many = format!("Section,Team,Player 1,Player 2\n{too_many}");

    // The timer's gaps on a machine with other load.
    let stop = Arc::new(AtomicBool::new(false));
    let timer = tokio::spawn(longest_gap(stop.clone()));
    tokio::time::sleep(IDLE).await;
    stop.store(true, Ordering::Relaxed);
    let idle = timer.await.unwrap();

    let stop = Arc::new(AtomicBool::new(false));
    let timer = tokio::spawn(longest_gap(stop.clone()));
    let (of_players, of_teams) = (
        "preview?kind=players&rulebook=nc-scholastic&rounds=5",
        "preview?kind=teams&rulebook=us-chess-bughouse-2018&rounds=5",
    );
    let began = Instant::now();
    let previews = tokio::join!(
        send(&server, of_players, &players),
        send(&server, of_players, &players),
        send(&server, of_teams, &teams),
        send(&server, of_teams, &too_many),
    );
    let took = began.elapsed();
    stop.store(true, Ordering::Relaxed);
    let gap = timer.await.unwrap();
    println!(
        "four files took {took:?}; the runtime's longest gap was {gap:?}, and {idle:?} before"
    );
    assert_eq!((previews.0.0, &previews.0.1["sound"]), (StatusCode::OK, &json!(true)));
    assert_eq!(previews.0.1["acts"], json!(10_001), "a section, and two acts for each player");
    assert_eq!(previews.0.1, previews.1.1);
    assert_eq!((previews.2.0, &previews.2.1["sound"]), (StatusCode::OK, &json!(true)));
    let refused = &previews.3.1;
    assert_eq!((&refused["sound"], &refused["acts"]), (&json!(false), &json!(0)), "{refused}");
    assert!(gap < LATE_MAX.max(idle * 4), "{gap:?}, and {idle:?} without files");
    assert!(took < FILE_MAX, "{took:?}");
}
