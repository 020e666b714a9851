//! The largest files and configurations of organisers, several at once: the runtime goes on meanwhile.

use std::{
    fmt::Write as _,
    time::{Duration, Instant},
};

use adjudicator::Config;
use reqwest::StatusCode;
use serde_json::json;

use crate::{
    event::send,
    pauses::{clock_of_pages, clocks},
    phone::config,
    support::{self, Server},
};

/// A pause is longer than this or none. A file that was read on the runtime's own threads held it up for seconds.
const PAUSE: Duration = Duration::from_millis(700);

/// Longest wait for all files. Comparing each row with all before took minutes in a test's build.
const FILE_MAX: Duration = Duration::from_secs(60);

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

    let ((of_runtime, of_machine), of_pages) = (clocks(), clock_of_pages(&server));
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
    let (runtime, pages, machine) = (of_runtime.take(), of_pages.take(), of_machine.take());
    println!(
        "four files took {took:?}; longest pauses: {runtime:?}, pages {pages:?}, machine {machine:?}"
    );
    assert_eq!((previews.0.0, &previews.0.1["sound"]), (StatusCode::OK, &json!(true)));
    assert_eq!(previews.0.1["acts"], json!(10_001), "a section, and two acts for each player");
    assert_eq!(previews.0.1, previews.1.1);
    assert_eq!((previews.2.0, &previews.2.1["sound"]), (StatusCode::OK, &json!(true)));
    let refused = &previews.3.1;
    assert_eq!((&refused["sound"], &refused["acts"]), (&json!(false), &json!(0)), "{refused}");
    assert!(runtime < PAUSE + 4 * machine, "{runtime:?} beside {machine:?}");
    assert!(pages < PAUSE + 8 * machine, "{pages:?} beside {machine:?}");
    assert!(took < FILE_MAX, "{took:?}");
}

// On one thread: whatever works there holds everything up.
#[tokio::test]
async fn a_hall_of_the_largest_configuration_starts_beside_another_without_holding_it_up() {
    const TABLES: usize = 4_000;
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let server = Server::start(support::config(folder.path())).await;
    let mut text = format!("limits.tables = {TABLES}\n");
    for number in 1..=TABLES {
        write!(
            text,
            "[[table]]\nname = \"{number}\"\nsection = \"S {number}\"\n[[section]]\nname = \"S {number}\"\n"
        )
        .unwrap();
    }
    let large: Config = toml::from_str(&text).unwrap();
    let large = Config {
        limits: large.limits,
        tables: large.tables,
        sections: large.sections,
        ..support::config(other.path())
    };
    let ((of_runtime, of_machine), of_pages) = (clocks(), clock_of_pages(&server));
    let began = Instant::now();
    let second = Server::start(large).await;
    let took = began.elapsed();
    let (runtime, pages, machine) = (of_runtime.take(), of_pages.take(), of_machine.take());
    let round = second.json("/api/v1/round").await;
    println!(
        "a start took {took:?}; longest pauses: {runtime:?}, pages {pages:?}, machine {machine:?}"
    );
    assert_eq!(round["tables"].as_array().map(Vec::len), Some(TABLES));
    assert!(runtime < PAUSE + 4 * machine, "{runtime:?} beside {machine:?}");
    assert!(pages < PAUSE + 8 * machine, "{pages:?} beside {machine:?}");
    second.stop().await;
    server.stop().await;
}
