//! Rounds of chess polled each second while they are played, as programs that broadcast them do; illegal plies are left on the boards.
//!
//! Two strict readers take every snapshot. `ROUNDS=10 cargo test -p adjudicator --test over_the_wire each_second -- --ignored --nocapture`
//! plays 100 rounds in real time, and then the positions must be in time, too.

#![allow(clippy::disallowed_methods, reason = "who calls the test may ask for more rounds")]

use std::time::Duration;

use proto::mqtt::message::{Row, row::Event};
use reqwest::StatusCode;
use rules::{Position, Supply, fen::format_chess, pgn::GameResult};
use serde_json::json;
use tokio::time::{Instant, MissedTickBehavior};

use crate::{
    phone::{Phone, config},
    python_chess::read_pgn,
    relay::Relay,
    round_feed::{PLIES, chess, open_round, prepared, tables_of},
    support::{Hub, PATIENCE, Server},
};

/// Sections that play at the same time, and rounds of each in the suites.
const SECTIONS: usize = 10;
const ROUNDS: u8 = 1;
/// Seconds by which everybody sees the hall later.
const DELAY_S: u32 = 2;
/// Longest time by which a position may be behind the delay.
const BEHIND_MAX: Duration = Duration::from_secs(2);
/// Rows before the first ply of a game.
const ROWS_BEFORE: usize = 3;

/// Games with the numbers of their illegal plies: pieces pass over pawns, a king stays in check, a knight goes where none can.
const GAMES: [([&str; 9], &[usize]); 4] = [
    (PLIES, &[3, 6]),
    (["e2e4", "e7e5", "g1f3", "d7d6", "f1b5", "h7h6", "d2d3", "c7c6", "b5a4"], &[6]),
    (["d2d4", "d7d5", "a1a3", "g8f6", "g1f3", "e7e6", "e2e3", "f8d6", "f1d3"], &[3]),
    (["d2d4", "d7d5", "c2c4", "e7e6", "b1c3", "g8e5", "c1g5", "f8e7", "e2e3"], &[6]),
];

/// A game of a round.
struct Play {
    section: usize,
    table: String,
    id: String,
    illegal: &'static [usize],
    /// Row of each ply, and the second of the round in which it is played.
    rows: Vec<(u64, Row)>,
    /// Times at which each ply was sent, and committed.
    sent: Vec<[Instant; 2]>,
    /// Position after each number of plies.
    positions: Vec<String>,
}

impl Play {
    fn new(section: usize, round: u8, place: usize) -> Play {
        let seed = section + 3 * usize::from(round) + 2 * place;
        let (plies, illegal) = GAMES[seed % GAMES.len()];
        let table = tables_of(section)[place].clone();
        let id = format!("m{section}-{round}-{table}");
        let mut second = 0;
        let rows = chess(&table, &id, &plies).rows.into_iter().enumerate().map(|(at, row)| {
            // Players think for one to three seconds.
            second += if at < ROWS_BEFORE { 0 } else { 1 + ((seed + at * at) % 3) as u64 };
            (second, at_second(row, second))
        });
        let rows = rows.collect();
        let mut position = Position::initial();
        let mut positions = vec![format_chess(&position)];
        for uci in plies {
            position.play_with(uci.parse().unwrap(), Supply::Nobody);
            positions.push(format_chess(&position));
        }
        Play { section, table, id, illegal, rows, sent: Vec::new(), positions }
    }

    /// Time from which a ply is due: of an illegal one the opponent's reply, since it may be claimed until then.
    fn due_since(&self, ply: usize) -> Option<Instant> {
        let by = ply + usize::from(self.illegal.contains(&ply));
        self.sent.get(by - 1).map(|it| it[1])
    }

    /// Number of plies of which a position tells.
    fn count(&self, position: &str) -> usize {
        let known = self.positions.iter().rposition(|it| it == position);
        known.unwrap_or_else(|| panic!("{}: {position} never was", self.id))
    }

    /// Time by which the next ply is behind the delay.
    fn behind(&self, shown: usize, at: Instant) -> Duration {
        let next = self.due_since(shown + 1).filter(|_| shown + 1 < self.positions.len());
        let due = next.map(|since| since + Duration::from_secs(DELAY_S.into()));
        due.map_or(Duration::ZERO, |due| at.saturating_duration_since(due))
    }
}

fn at_second(mut row: Row, second: u64) -> Row {
    if let Some(Event::PlyReported(ply)) = &mut row.event {
        row.hub_time_us += second * 1_000_000 - ply.t_us;
        ply.t_us = second * 1_000_000;
    }
    row
}

/// Observations of all rounds.
#[derive(Default)]
struct Seen {
    snapshots: Vec<String>,
    behind: Duration,
    results: usize,
}

fn path(section: usize, round: u8) -> String {
    format!("/api/v1/feed/open-{}/round-{round}/games.pgn", section + 1)
}

/// Sends what is played in a second.
async fn play(hub: &mut Hub, plays: &mut [Play], second: u64, sequence: &mut u64) {
    let mut rows = Vec::new();
    for (due, row) in plays.iter().flat_map(|play| &play.rows) {
        if *due == second {
            *sequence += 1;
            rows.push(Row { sequence: *sequence, ..row.clone() });
        }
    }
    if rows.is_empty() {
        return;
    }
    let sent = Instant::now();
    hub.send_until_committed(&rows).await;
    for play in plays {
        let plies = play.rows.iter().skip(ROWS_BEFORE).filter(|(due, _)| *due == second).count();
        play.sent.extend(vec![[sent, Instant::now()]; plies]);
    }
}

/// Polls every round, and compares it with the pages and with the game. Returns the number of plies shown.
async fn poll(
    server: &Server,
    plays: &[Play],
    relays: &mut [Relay],
    round: u8,
    seen: &mut Seen,
) -> usize {
    let mut all = 0;
    for (section, relay) in relays.iter_mut().enumerate() {
        let plays: Vec<&Play> = plays.iter().filter(|play| play.section == section).collect();
        let mut on_pages = Vec::new();
        for play in &plays {
            let view = server.get(&format!("/api/v1/matches/{}", play.id)).await;
            let view: serde_json::Value = view.json().await.unwrap();
            on_pages.push(view["plies"].as_array().map_or(0, Vec::len));
        }
        let asked = Instant::now();
        let polled = server.get(&path(section, round)).await.text().await.unwrap();
        assert_eq!(relay.sync(&polled), Ok(()), "{polled}");
        assert_eq!(polled.matches("[Event ").count(), plays.len(), "one game a pairing: {polled}");
        for (play, on_pages) in plays.iter().zip(on_pages) {
            let chapter = relay.at_table(&play.table).expect("a game of each pairing");
            let shown = play.count(&chapter.position);
            let open = usize::from(play.illegal.contains(&on_pages));
            assert!(shown + open >= on_pages, "the pages show {on_pages} plies: {polled}");
            let early = play.sent[..shown].iter().map(|it| it[0].elapsed()).min();
            assert!(early.is_none_or(|it| it >= Duration::from_secs(DELAY_S.into())), "{polled}");
            seen.behind = seen.behind.max(play.behind(shown, asked));
            all += shown;
        }
        seen.snapshots.push(polled);
    }
    all
}

/// Plays a round of every section to its results, with a snapshot each second.
async fn followed(
    server: &Server,
    chief: &mut Phone,
    hub: &mut Hub,
    (round, sequence): (u8, &mut u64),
    seen: &mut Seen,
) {
    let mut plays: Vec<Play> = (0..SECTIONS)
        .flat_map(|section| [0, 1].map(|place| Play::new(section, round, place)))
        .collect();
    let mut relays: Vec<Relay> = (0..SECTIONS).map(|_| Relay::default()).collect();
    for section in 0..SECTIONS {
        let names = tables_of(section);
        let tables = [names[0].as_str(), names[1].as_str()];
        open_round(server, chief, &format!("Open {}", section + 1), round, tables).await;
    }
    let deadline = Instant::now() + PATIENCE;
    while server.get(&path(SECTIONS - 1, round)).await.status() != StatusCode::OK {
        assert!(Instant::now() < deadline, "no round {round}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let last = plays.iter().flat_map(|play| &play.rows).map(|row| row.0).max().unwrap();
    let wanted: usize = plays.iter().map(|play| play.positions.len() - 1).sum();
    let mut seconds = tokio::time::interval(Duration::from_secs(1));
    seconds.set_missed_tick_behavior(MissedTickBehavior::Delay);
    for second in 0.. {
        seconds.tick().await;
        play(hub, &mut plays, second, sequence).await;
        let shown = poll(server, &plays, &mut relays, round, seen).await;
        assert!(second < last + PATIENCE.as_secs(), "{shown} of {wanted} plies are shown");
        if shown == wanted {
            break;
        }
    }
    for (play, winner) in plays.iter().zip([Some("team-1"), None].into_iter().cycle()) {
        let reason = if winner.is_some() { "resignation" } else { "agreement" };
        let result = json!({ "what": "enter-result", "winner": winner, "reason": reason });
        let (status, answer) = chief.decide(&play.id, result).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
    }
    let deadline = Instant::now() + PATIENCE;
    loop {
        seconds.tick().await;
        poll(server, &plays, &mut relays, round, seen).await;
        let result = |play: &Play| relays[play.section].at_table(&play.table).unwrap().result;
        let results: Vec<GameResult> = plays.iter().map(result).collect();
        if results == [GameResult::White, GameResult::Draw].repeat(SECTIONS) {
            seen.results += results.len();
            return;
        }
        assert!(Instant::now() < deadline, "{results:?}");
    }
}

#[tokio::test]
#[ignore = "needs python-chess: cargo xtask test programs"]
async fn rounds_with_illegal_plies_are_followed_each_second_to_their_results() {
    let asked = std::env::var("ROUNDS").ok().and_then(|text| text.parse().ok());
    let rounds: u8 = asked.unwrap_or(ROUNDS);
    let folder = tempfile::tempdir().unwrap();
    let mut config = config(folder.path());
    config.http.public_delay_s = DELAY_S;
    let server = Server::start(config).await;
    let mut chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    let sections: Vec<String> = (1..=SECTIONS).map(|at| format!("Open {at}")).collect();
    prepared(&server, &mut chief, &sections, rounds).await;
    let names: Vec<String> = (0..SECTIONS).flat_map(tables_of).collect();
    let tables: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &tables).await;
    let (mut seen, mut sequence) = (Seen::default(), 0);
    for round in 1..=rounds {
        followed(&server, &mut chief, &mut hub, (round, &mut sequence), &mut seen).await;
    }
    assert_eq!(seen.results, 2 * SECTIONS * usize::from(rounds));
    let all = seen.snapshots.concat();
    // The players are distinguished although none is named.
    assert!(all.contains("[White \"No. 1\"]") && all.contains("[Black \"No. 4\"]"));
    assert!(!all.contains("Example"));
    // Another reader takes every snapshot.
    let games = read_pgn(&all);
    assert_eq!(games.len(), 2 * seen.snapshots.len());
    for (game, ours) in games.iter().zip(rules::pgn::read(all.as_bytes())) {
        assert_eq!((&game.error, game.plies), (&None, ours.0.plies.len()));
    }
    println!(
        "{} rounds: {} snapshots, {} results, positions at most {:.2} s behind the delay",
        SECTIONS * usize::from(rounds),
        seen.snapshots.len(),
        seen.results,
        seen.behind.as_secs_f64()
    );
    // No figure of a busy machine fails the suites; who asks for all rounds wants to know.
    assert!(asked.is_none() || seen.behind <= BEHIND_MAX, "{:?} behind", seen.behind);
    server.stop().await;
}
