//! Acts of three phones at one thing, over cut lines and killed owners: each history of acts and answers is linearizable, by stateright's checker.
//!
//! The thing is a bye of an entrant in a round: it is given once, and taken back once. Each act is sent again with its key until it is answered, through one
//! front or the other. `TWINBOARD_HISTORIES=N` has so many (`cargo xtask cluster histories N`), and kills owners; without it there are a few, and
//! lines are cut.

use std::{
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use futures::future::join_all;
use reqwest::StatusCode;
use serde_json::{Value, json};
use stateright::semantics::{ConsistencyTester as _, LinearizabilityTester, SequentialSpec};
use tokio::time::{sleep, timeout};

use crate::{
    chaos::Seeded,
    cluster::Front,
    lines::Carries,
    owners::{LONG_PATIENCE, OWNERS, Owner, Site, act},
    phone::Phone,
};

/// Environment variable with the number of histories.
const HISTORIES: &str = "TWINBOARD_HISTORIES";
/// Histories on one log: a takeover reads all of it.
const OF_SITE: usize = 2_000;
/// Groups of phones that act at the same time, each at a thing of its own; and those of the suite, with their histories.
const GROUPS: usize = 40;
const SAMPLE: (usize, usize) = (4, 12);
/// Phones of a group, and acts of each in a history.
const PHONES: usize = 3;
const ACTS: usize = 3;
/// Rounds of the section.
const ROUNDS: u8 = 9;
/// Longest pause between two acts, and between two cuts, milliseconds.
const PAUSE_MS_MAX: u64 = 20;
const WHOLE_MS_MAX: u64 = 1_500;
/// Longest time for which a line is down, milliseconds.
const DOWN_MS_MAX: u64 = 600;
/// Time for which a hall has its owner before that one is killed.
const KILL_AFTER: Duration = Duration::from_secs(5);
/// Time for which a killed owner is away.
const AWAY: Duration = Duration::from_secs(1);
/// Time after which a front knows that an owner is offline.
const NOTICED_AFTER: Duration = Duration::from_secs(4);
/// Longest wait for one answer before the act is sent again.
const ANSWER_MAX: Duration = Duration::from_secs(5);

/// An act of a phone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ByeAct {
    Give,
    TakeBack,
}

/// The answer to the phone: whether the act was accepted, and its number in the log.
type Outcome = (bool, u64);

/// The bye of an entrant in a round, as one machine alone would have it.
#[derive(Clone, Debug, Default)]
struct OneBye {
    is_given: bool,
    /// Number of the last act in the log.
    last: u64,
}

impl SequentialSpec for OneBye {
    type Op = ByeAct;
    type Ret = Outcome;

    fn invoke(&mut self, act: &ByeAct) -> Outcome {
        let is_taken = self.is_given == (*act == ByeAct::TakeBack);
        self.is_given = *act == ByeAct::Give;
        self.last += 1;
        (is_taken, self.last)
    }

    /// Numbers follow the order of acts; acts at other things are between them.
    fn is_valid_step(&mut self, act: &ByeAct, &(is_taken, number): &Outcome) -> bool {
        let is_later = number > self.last;
        let (would_be_taken, _) = self.invoke(act);
        self.last = number;
        is_later && is_taken == would_be_taken
    }
}

/// Counts what happened.
#[derive(Debug, Default)]
struct Happened {
    cuts: AtomicU64,
    kills: AtomicU64,
    /// Histories during which a line was cut, and an owner killed.
    over_cuts: AtomicU64,
    over_kills: AtomicU64,
}

/// Sends an act of a phone until it is answered.
async fn answered(
    phone: &Phone,
    fronts: &[String; 2],
    key: &str,
    place: (usize, u8),
    act: ByeAct,
) -> Outcome {
    let mut deed = json!({ "section": "Open", "number": place.0, "round": place.1 });
    deed["kind"] = json!(if act == ByeAct::Give { "bye-given" } else { "bye-taken-back" });
    if act == ByeAct::Give {
        deed["bye"] = json!("half-point");
    }
    let sent = json!({ "key": key, "deed": { "of": "event", "deeds": [deed] } });
    let began = Instant::now();
    for front in fronts.iter().cycle() {
        assert!(began.elapsed() < LONG_PATIENCE, "no answer to {sent}");
        let request = phone.client.post(format!("{front}/api/v1/td/acts")).json(&sent);
        let answer = timeout(ANSWER_MAX, phone.signed(request).send()).await;
        let Ok(Ok(answer)) = answer else { continue };
        let (status, answer) = (answer.status(), answer.json().await.unwrap_or(Value::Null));
        match (status, answer["act"].as_u64()) {
            (StatusCode::OK, Some(number)) => return (true, number),
            (StatusCode::CONFLICT, Some(number)) => return (false, number),
            _ if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
                sleep(Duration::from_millis(PAUSE_MS_MAX)).await;
            }
            _ => panic!("{status} {answer}"),
        }
    }
    unreachable!("fronts are asked in turn")
}

/// Histories of three phones, one after the other.
async fn of_group(
    (group, histories): (usize, usize),
    seed: u64,
    phones: &[Phone],
    fronts: &[String; 2],
    happened: &Happened,
) {
    for history in 0..histories {
        let place = (group + 1, (history % usize::from(ROUNDS)) as u8 + 1);
        let begin = format!("{history} begins");
        let (_, last) = answered(&phones[0], fronts, &begin, place, ByeAct::TakeBack).await;
        let before = [&happened.cuts, &happened.kills].map(|it| it.load(Ordering::Relaxed));
        let tester = Mutex::new(LinearizabilityTester::new(OneBye { is_given: false, last }));
        let acting = phones.iter().enumerate().map(async |(which, phone)| {
            let mut seeded = Seeded(seed ^ ((group * histories + history) * PHONES + which) as u64);
            for number in 0..ACTS {
                sleep(Duration::from_millis(seeded.below(PAUSE_MS_MAX))).await;
                let act = if seeded.below(2) == 0 { ByeAct::Give } else { ByeAct::TakeBack };
                tester.lock().unwrap().on_invoke(which, act).unwrap();
                let key = format!("{history} {number}");
                let outcome = answered(phone, fronts, &key, place, act).await;
                tester.lock().unwrap().on_return(which, outcome).unwrap();
            }
        });
        join_all(acting).await;
        let tester = tester.into_inner().unwrap();
        assert!(tester.is_consistent(), "seed {seed}: not linearizable: {tester:#?}");
        let now = [&happened.cuts, &happened.kills].map(|it| it.load(Ordering::Relaxed));
        for (count, is_over) in
            [(&happened.over_cuts, now[0] > before[0]), (&happened.over_kills, now[1] > before[1])]
        {
            count.fetch_add(u64::from(is_over), Ordering::Relaxed);
        }
    }
}

/// Cuts lines, and kills the hall's owner, for ever.
async fn disturb(
    (site, mut owners): (&Site, [Owner; 2]),
    front: &Front,
    seed: u64,
    kills: bool,
    of: &Happened,
) {
    let (mut seeded, mut owned, mut turn) = (Seeded(!seed), Instant::now(), 0);
    loop {
        sleep(Duration::from_millis(seeded.below(WHOLE_MS_MAX))).await;
        if kills && owned.elapsed() >= KILL_AFTER {
            of.kills.fetch_add(1, Ordering::Relaxed);
            owners[turn].kill();
            sleep(AWAY).await;
            owners[turn] = site.owner(OWNERS[turn]);
            // By then a front knows whether that one had the hall.
            sleep(NOTICED_AFTER).await;
            front.until("/healthz", "the next owner", |it| it["owner"] == "connected").await;
            (owned, turn) = (Instant::now(), 1 - turn);
            continue;
        }
        of.cuts.fetch_add(1, Ordering::Relaxed);
        let carries = [Carries::NothingAndCloses, Carries::NothingYet][(seeded.below(2)) as usize];
        let which = seeded.below(3) as usize;
        let down = Duration::from_millis(seeded.below(DOWN_MS_MAX));
        if which < OWNERS.len() && seeded.below(2) == 0 {
            site.to_database(which, carries);
            sleep(down).await;
            site.to_database(which, Carries::Everything);
        } else {
            site.to_nats(which, carries);
            sleep(down).await;
            site.to_nats(which, Carries::Everything);
        }
    }
}

/// A chief enters entrants, one a group.
async fn enter(chief: &Phone, groups: usize) {
    let terms = event::SectionTerms::usual(
        event::SectionKind::RotatingPartners,
        rules::rulebook::BookId::UsChessBughouse2018,
        ROUNDS,
    );
    let mut deeds = vec![json!({ "kind": "section-opened", "section": "Open", "terms": terms })];
    for number in 1..=groups {
        let name = format!("Player {number}");
        deeds.push(json!({ "kind": "player-entered", "player": number, "name": name }));
        deeds.push(json!({ "kind": "entrant-added", "section": "Open", "number": number,
            "entry": { "player": number }, "from_round": 1 }));
    }
    act(chief, "entrants", json!({ "of": "event", "deeds": deeds })).await;
}

async fn run(seed: u64, groups: usize, histories: usize, kills: bool) {
    let Some(site) = Site::open().await else { return };
    let owners = OWNERS.map(|name| site.owner(name));
    let fronts = [site.front().await, site.front().await];
    let addresses = [fronts[0].http.clone(), fronts[1].http.clone()];
    fronts[0].until("/api/v1/round", "round", |it| it["tables"].is_array()).await;
    let mut phones = Vec::new();
    for phone in 0..groups * PHONES {
        let person = format!("Person {phone}");
        phones.push(Phone::paired(&addresses[0], &person, "chief", json!({})).await);
    }
    enter(&phones[0], groups).await;
    let happened = Happened::default();
    let acting = phones.chunks(PHONES).enumerate().map(|(group, phones)| {
        let of_group_histories = histories / groups;
        of_group((group, of_group_histories), seed, phones, &addresses, &happened)
    });
    let began = Instant::now();
    tokio::select! {
        _ = join_all(acting) => {}
        () = disturb((&site, owners), &fronts[0], seed, kills, &happened) => {}
    }
    println!("seed {seed}: {histories} histories in {:?}, {happened:?}", began.elapsed());
    for front in fronts {
        front.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL, Mosquitto and nats-server: cargo xtask test programs"]
async fn acts_of_three_phones_are_linearizable_whatever_is_cut_or_killed() {
    let Ok(histories) = std::env::var(HISTORIES) else {
        return run(1, SAMPLE.0, SAMPLE.1, false).await;
    };
    let sites = histories.parse::<usize>().expect("a number").div_ceil(OF_SITE);
    for seed in 1..=sites as u64 {
        run(seed, GROUPS, OF_SITE, true).await;
    }
}

#[test]
fn a_history_that_no_single_machine_would_have_is_found_out() {
    let mut tester = LinearizabilityTester::new(OneBye::default());
    tester.on_invret(0, ByeAct::Give, (true, 3)).unwrap();
    assert!(tester.is_consistent());
    let given_twice = tester.clone().on_invret(1, ByeAct::Give, (true, 4)).unwrap().is_consistent();
    assert!(!given_twice, "the second one is taken, too");
    let before = tester.on_invret(1, ByeAct::Give, (false, 2)).unwrap().is_consistent();
    assert!(!before, "the later act has an earlier number");
}
