//! A match while owners, fronts, brokers and databases are killed, frozen and cut off, by a seed: every row is logged once and in order, every act
//! once, no two owners write in one epoch, and the page shows every ply.
//!
//! `TWINBOARD_CHAOS_SEEDS=A..B` names the seeds (`cargo xtask cluster`), and `TWINBOARD_CHAOS_JOBS` how many run side by side; without them one seed
//! runs.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use futures::{StreamExt as _, stream};
use proto::mqtt::message::{Board, Row, Side};
use serde_json::json;
use tokio::{sync::watch, time::sleep};

use crate::{
    cluster::{Followed, Front, follow, until_followed},
    lines::Carries,
    owners::{LONG_PATIENCE, OWNERS, Owner, Site, act},
    phone::Phone,
    support::{Hub, Script},
};

/// Environment variables with the seeds, and with how many run at a time.
const SEEDS: &str = "TWINBOARD_CHAOS_SEEDS";
const JOBS: &str = "TWINBOARD_CHAOS_JOBS";
/// Incidents of a run that was asked for.
const INCIDENTS: usize = 5;
/// The seed of the suite, and its incidents: the owner of the hall is killed, then the database.
const SAMPLE: (u64, [Incident; 2]) = (15, [Incident::KillOwner(0), Incident::KillDatabase]);
/// Rows that are sent after each incident.
const ROWS: usize = 3;
/// Longest time for which what is killed is away, milliseconds.
const AWAY_MS_MAX: u64 = 1_500;
/// Longest time for which a line of an owner is down, milliseconds.
const DOWN_MS_MAX: u64 = 15_000;
/// Time for which an owner is frozen.
const FROZEN: Duration = Duration::from_secs(30);
/// Interval of looks at who is well again.
const MEND_EVERY: Duration = Duration::from_millis(200);
/// Servers of NATS.
const NATS_SERVERS: u64 = 3;

/// What is done to the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Incident {
    /// An owner ends where it is, and starts again after a while.
    KillOwner(usize),
    /// An owner stops as its service is stopped, and starts again.
    StopOwner(usize),
    /// An owner does nothing for half a minute, and goes on where it was. The next incidents come meanwhile.
    FreezeOwner(usize),
    /// An owner's lines to the database are down for a while. The next incidents come meanwhile.
    CutDatabase(usize, Carries),
    /// The same of lines to NATS.
    CutNats(usize, Carries),
    /// The front's lines to NATS are down.
    CutFront(Carries),
    KillNats(usize),
    /// Every NATS server is killed, one after the other.
    KillEachNats,
    KillDatabase,
    /// The database is killed, and its standby takes its place.
    FailOver,
    /// The front ends; pages come back to another one.
    KillFront,
    /// Another owner has the hall for a moment.
    LoseLease,
}

/// A sequence of numbers from a seed (splitmix64).
pub(crate) struct Seeded(pub(crate) u64);

impl Seeded {
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }

    fn incident(&mut self) -> Incident {
        // The hall begins at the first owner, which is hit more often.
        let owner = usize::from(self.below(3) == 2);
        let carries =
            [Carries::NothingAndCloses, Carries::NothingYet][usize::from(self.below(2) == 1)];
        match self.below(13) {
            0 | 1 => Incident::KillOwner(owner),
            2 => Incident::StopOwner(owner),
            3 | 4 => Incident::FreezeOwner(owner),
            5 | 6 => Incident::CutDatabase(owner, carries),
            7 => Incident::CutNats(owner, carries),
            8 => Incident::CutFront(carries),
            9 if self.below(2) == 0 => Incident::KillEachNats,
            9 => Incident::KillNats(usize::try_from(self.below(NATS_SERVERS)).unwrap_or_default()),
            10 => Incident::KillDatabase,
            11 => Incident::FailOver,
            _ if self.below(2) == 0 => Incident::KillFront,
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
    let Ok(range) = std::env::var(SEEDS) else {
        let Some(site) = Site::open().await else { return };
        return run(site, SAMPLE.0, &SAMPLE.1).await;
    };
    let jobs = std::env::var(JOBS).map_or(1, |jobs| jobs.parse().expect("a number"));
    let runs = stream::iter(seeds(&range)).map(async |seed| {
        let planned: Vec<Incident> = {
            let mut seeded = Seeded(seed);
            (0..INCIDENTS).map(|_| seeded.incident()).collect()
        };
        let began = Instant::now();
        let shown = format!("seed {seed}: {planned:?}");
        let run = tokio::spawn(async move {
            let site = Site::redundant().await.expect("Mosquitto");
            run(site, seed, &planned).await;
        });
        let failed = run.await.is_err();
        println!("{shown}: {} after {:?}", if failed { "FAILED" } else { "ok" }, began.elapsed());
        failed.then_some(seed)
    });
    let failed: Vec<u64> = runs.buffer_unordered(jobs).filter_map(async |it| it).collect().await;
    assert_eq!(failed, Vec::<u64>::new(), "seeds that failed");
}

/// An owner that is not well, and until when.
struct Trouble {
    owner: usize,
    until: Instant,
    incident: Incident,
}

/// Ends the troubles that last until a time.
fn mend(site: &Site, owners: &[Owner; 2], troubles: &mut Vec<Trouble>, until: Instant) {
    troubles.retain(|trouble| {
        let lasts = trouble.until > until;
        match trouble.incident {
            _ if lasts => {}
            Incident::FreezeOwner(_) => owners[trouble.owner].thaw(),
            Incident::CutDatabase(..) => site.to_database(trouble.owner, Carries::Everything),
            _ => site.to_nats(trouble.owner, Carries::Everything),
        }
        lasts
    });
}

/// A cluster under a match.
struct Cluster {
    site: Site,
    owners: [Owner; 2],
    front: Front,
    hub: Hub,
    chief: Phone,
    seen: watch::Receiver<Followed>,
    troubles: Vec<Trouble>,
    seeded: Seeded,
}

impl Cluster {
    /// Ends all troubles.
    fn mend(&mut self) {
        mend(&self.site, &self.owners, &mut self.troubles, Instant::now() + FROZEN);
    }

    /// Begins a trouble of an owner. The other one is well.
    fn trouble(&mut self, owner: usize, incident: Incident) {
        let down = Duration::from_millis(self.seeded.below(DOWN_MS_MAX));
        let lasts = match incident {
            Incident::FreezeOwner(_) => {
                self.owners[owner].freeze();
                FROZEN
            }
            Incident::CutDatabase(_, carries) => {
                self.site.to_database(owner, carries);
                down
            }
            Incident::CutNats(_, carries) => {
                self.site.to_nats(owner, carries);
                down
            }
            _ => return,
        };
        self.troubles.push(Trouble { owner, until: Instant::now() + lasts, incident });
    }

    /// Does something to the cluster, while a hub sends rows.
    async fn suffer(&mut self, incident: Incident, rows: &[Row]) {
        let away = Duration::from_millis(self.seeded.below(AWAY_MS_MAX));
        mend(&self.site, &self.owners, &mut self.troubles, Instant::now());
        match incident {
            Incident::KillOwner(owner) | Incident::StopOwner(owner) => {
                self.mend();
                match incident {
                    Incident::KillOwner(_) => self.owners[owner].kill(),
                    _ => self.owners[owner].stop(),
                }
                self.hub.send(rows).await;
                sleep(away).await;
                self.owners[owner] = self.site.owner(OWNERS[owner]);
            }
            Incident::FreezeOwner(owner)
            | Incident::CutDatabase(owner, _)
            | Incident::CutNats(owner, _) => {
                self.mend();
                self.trouble(owner, incident);
                self.hub.send(rows).await;
            }
            Incident::CutFront(carries) => {
                self.site.to_nats(OWNERS.len(), carries);
                self.hub.send(rows).await;
                sleep(4 * away).await;
                self.site.to_nats(OWNERS.len(), Carries::Everything);
            }
            Incident::KillNats(server) => self.kill_nats(server..server + 1, rows, away).await,
            Incident::KillEachNats => self.kill_nats(0..self.site.nats.len(), rows, away).await,
            Incident::FailOver if self.site.fail_over().await => self.hub.send(rows).await,
            Incident::KillDatabase | Incident::FailOver => {
                self.site.database.kill();
                self.hub.send(rows).await;
                sleep(away).await;
                self.site.database.go_on().await;
            }
            Incident::KillFront => {
                let other = self.site.front().await;
                std::mem::replace(&mut self.front, other).stop().await;
                self.chief.http.clone_from(&self.front.http);
                self.seen = follow(&self.front.http, "m1");
            }
            Incident::LoseLease => self.site.lose_lease().await,
        }
    }

    async fn kill_nats(&mut self, servers: std::ops::Range<usize>, rows: &[Row], away: Duration) {
        self.hub.send(rows).await;
        for server in servers {
            self.site.nats[server].kill();
            sleep(away).await;
            self.site.nats[server].go_on();
        }
    }
}

async fn run(site: Site, seed: u64, planned: &[Incident]) {
    let owners = OWNERS.map(|name| site.owner(name));
    let front = site.front().await;
    let mut hub = Hub::connect(site.mosquitto.port, "north", 7, &["1"]).await;
    let plies = (planned.len() + 2) * ROWS;
    let script = long_match(plies);
    let before = script.rows.len() - plies;
    hub.send_until_committed_within(&script.rows[..before], LONG_PATIENCE).await;
    site.note_writers().await;
    let chief = Phone::paired(&front.http, "Ann", "chief", json!({})).await;
    let seen = follow(&front.http, "m1");
    let (troubles, seeded) = (Vec::new(), Seeded(!seed));
    let mut cluster = Cluster { site, owners, front, hub, chief, seen, troubles, seeded };
    for (index, &incident) in planned.iter().enumerate() {
        let to = before + ROWS * (index + 1);
        cluster.suffer(incident, &script.rows[to - ROWS..to]).await;
        cluster.go_on(index, &script.rows[..to]).await;
    }
    // Those that were frozen or cut off come back and find out that they have lost the hall.
    let until = cluster.troubles.iter().map(|trouble| trouble.until).max();
    sleep(until.map_or(Duration::ZERO, |until| until - Instant::now().min(until))).await;
    cluster.mend();
    cluster.go_on(planned.len(), &script.rows).await;
    let all = |seen: &Followed| seen.plies.len() == plies;
    let followed = until_followed(&mut cluster.seen, "all plies", all).await;
    assert_eq!(followed.resets, 0, "seed {seed}");
    let site = &cluster.site;
    let expected: Vec<u64> = script.rows.iter().map(|row| row.sequence).collect();
    assert_eq!(site.logged().await, expected, "seed {seed}: every row once, and in order");
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for key in site.acts().await {
        *times.entry(key).or_default() += 1;
    }
    let once = (0..=planned.len()).map(|index| (format!("act {index}"), 1)).collect();
    assert_eq!(times, once, "seed {seed}: every act once");
    site.each_epoch_has_one_writer().await;
    let Cluster { front, mut owners, .. } = cluster;
    front.stop().await;
    owners.iter_mut().for_each(Owner::stop);
}

impl Cluster {
    /// An act is answered, and all rows are acknowledged. Troubles end meanwhile in their time.
    async fn go_on(&mut self, index: usize, rows: &[Row]) {
        let table = if index.is_multiple_of(2) { json!("1") } else { json!(null) };
        let Cluster { site, owners, hub, chief, troubles, .. } = self;
        let goes_on = async {
            act(chief, &format!("act {index}"), json!({ "of": "show", "table": table })).await;
            hub.send_until_committed_within(rows, LONG_PATIENCE).await;
        };
        let mending = async {
            loop {
                sleep(MEND_EVERY).await;
                mend(site, owners, troubles, Instant::now());
            }
        };
        tokio::select! {
            () = goes_on => {}
            () = mending => {}
        }
    }
}
