//! A match while owners, fronts, broker and database are killed and leases are lost, by a seed: every row is logged once and in order, every act once,
//! and the page shows every ply.
//!
//! `TWINBOARD_CHAOS_SEEDS=A..B` names the seeds (`cargo xtask cluster`); without it one seed runs.

use std::{collections::BTreeMap, time::Duration};

use proto::mqtt::message::{Board, Side};
use serde_json::json;
use tokio::time::sleep;

use crate::{
    cluster::{Front, follow, until_followed},
    owners::{Owner, Site, act},
    phone::Phone,
    support::{Hub, Script},
};

/// Environment variable with the seeds.
const SEEDS: &str = "TWINBOARD_CHAOS_SEEDS";
/// Incidents of a run that was asked for, and of the one in the suite.
const INCIDENTS: usize = 6;
const INCIDENTS_OF_SAMPLE: usize = 2;
/// The seed of the suite: the owner of the hall is killed, then the database.
const SAMPLE: std::ops::Range<u64> = 15..16;
/// Rows that are sent after each incident.
const ROWS: usize = 3;
/// Longest time for which what is killed is away, milliseconds.
const AWAY_MS_MAX: u64 = 1_500;

/// What is done to the cluster.
#[derive(Clone, Copy, Debug)]
enum Incident {
    /// An owner ends where it is, and starts again after a while.
    KillOwner(usize),
    /// An owner stops as its service is stopped, and starts again.
    StopOwner(usize),
    KillNats,
    KillDatabase,
    /// The front ends; pages come back to another one.
    KillFront,
    /// Another owner has the hall for a moment.
    LoseLease,
}

/// A sequence of numbers from a seed (splitmix64).
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }

    fn incident(&mut self) -> Incident {
        match self.below(7) {
            0 | 1 => Incident::KillOwner(usize::from(self.below(2) == 1)),
            2 => Incident::StopOwner(usize::from(self.below(2) == 1)),
            3 => Incident::KillNats,
            4 => Incident::KillDatabase,
            5 => Incident::KillFront,
            _ => Incident::LoseLease,
        }
    }
}

/// Seeds of a range `A..B`.
fn seeds(text: &str) -> std::ops::Range<u64> {
    let (first, end) = text.split_once("..").expect("seeds are A..B");
    first.parse().expect("a number")..end.parse().expect("a number")
}

/// A long match: knights that go and come back at A.
fn long_match(plies: usize) -> Script {
    let mut script = Script::playing("1", "m1");
    let knights = [
        (Side::White, "g1f3"),
        (Side::Black, "g8f6"),
        (Side::White, "f3g1"),
        (Side::Black, "f6g8"),
    ];
    for &(side, uci) in knights.iter().cycle().take(plies) {
        script.ply(Board::A, side, uci);
    }
    script
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL, Mosquitto and nats-server: cargo xtask test programs"]
async fn whatever_is_killed_no_row_and_no_act_is_lost_or_comes_twice() {
    let (range, incidents) = match std::env::var(SEEDS) {
        Ok(text) => (seeds(&text), INCIDENTS),
        Err(_) => (SAMPLE, INCIDENTS_OF_SAMPLE),
    };
    for seed in range {
        let planned: Vec<Incident> = {
            let mut seeded = Seeded(seed);
            (0..incidents).map(|_| seeded.incident()).collect()
        };
        println!("seed {seed}: {planned:?}");
        run(seed, &planned).await;
    }
}

async fn run(seed: u64, planned: &[Incident]) {
    let Some(mut site) = Site::open().await else { return };
    let mut seeded = Seeded(!seed);
    let mut owners = [site.owner("a"), site.owner("b")];
    let mut front = Front::start(site.folder.path(), &site.nats).await;
    let mut hub = Hub::connect(site.mosquitto.port, "north", 7, &["1"]).await;
    let plies = (planned.len() + 1) * ROWS;
    let script = long_match(plies);
    let before = script.rows.len() - plies;
    hub.send_until_committed(&script.rows[..before + ROWS]).await;
    let mut chief = Phone::paired(&front.http, "Ann", "chief", json!({})).await;
    let mut seen = follow(&front.http, "m1");
    for (index, &incident) in planned.iter().enumerate() {
        let away = Duration::from_millis(seeded.below(AWAY_MS_MAX));
        let to = before + ROWS * (index + 2);
        match incident {
            Incident::KillOwner(which) => {
                owners[which].kill();
                hub.send(&script.rows[to - ROWS..to]).await;
                sleep(away).await;
                owners[which] = site.owner(["a", "b"][which]);
            }
            Incident::StopOwner(which) => {
                owners[which].stop();
                hub.send(&script.rows[to - ROWS..to]).await;
                sleep(away).await;
                owners[which] = site.owner(["a", "b"][which]);
            }
            Incident::KillNats => {
                site.nats.kill();
                hub.send(&script.rows[to - ROWS..to]).await;
                sleep(away).await;
                site.nats.go_on();
            }
            Incident::KillDatabase => {
                site.database.kill();
                hub.send(&script.rows[to - ROWS..to]).await;
                sleep(away).await;
                site.database.go_on().await;
            }
            Incident::KillFront => {
                let other = Front::start(site.folder.path(), &site.nats).await;
                std::mem::replace(&mut front, other).stop().await;
                chief.http.clone_from(&front.http);
                seen = follow(&front.http, "m1");
            }
            Incident::LoseLease => site.lose_lease().await,
        }
        let table = if index % 2 == 0 { json!("1") } else { json!(null) };
        act(&chief, &format!("act {index}"), json!({ "of": "show", "table": table })).await;
        hub.send_until_committed(&script.rows[..to]).await;
    }
    let followed = until_followed(&mut seen, "all plies", |seen| seen.plies.len() == plies).await;
    assert_eq!(followed.resets, 0, "seed {seed}");
    let expected: Vec<u64> = script.rows.iter().map(|row| row.sequence).collect();
    assert_eq!(site.logged().await, expected, "seed {seed}: every row once, and in order");
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for key in site.acts().await {
        *times.entry(key).or_default() += 1;
    }
    let once = (0..planned.len()).map(|index| (format!("act {index}"), 1)).collect();
    assert_eq!(times, once, "seed {seed}: every act once");
    front.stop().await;
    owners.iter_mut().for_each(Owner::stop);
}
