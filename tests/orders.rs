//! A director's orders reach the clock, each once, though hub and adjudicator are killed while they are on their way.
//!
//! The clock node is in this process and runs its firmware; hub and adjudicator are real processes that get SIGKILL. Every order gives White
//! one second: what the clock shows in the end tells how often it was obeyed. Every fourth gives another delay instead, which leaves the times
//! as they are.

#[path = "support/moments.rs"]
mod moments;
#[path = "support/program.rs"]
mod program;
#[path = "support/quick_games.rs"]
mod quick_games;
#[path = "support/simulated_hall.rs"]
mod simulated_hall;

use std::time::Duration;

use moments::Moments;
use program::{LOOK_EVERY, PATIENCE, Program, free_port};
use quick_games::quick_games;
use rules::bpgn::BpgnGame;
use serde_json::{Value, json};
use sim::real_time::{Hall, HallConfig};
use simulated_hall::hub_configuration;
use tokio::time::{Instant, sleep};

/// Plies of the match, and how long players think about the first of them.
const PLIES: usize = 8;
const QUICK_PLIES: usize = 4;
const THINK_MS: i64 = 400;
/// Then they think for longer than any of this lasts.
const LONG_MS: i64 = 3_000_000;
const BASE_MS: i64 = 7_200_000;
const LEAD_IN: Duration = Duration::from_secs(4);
/// Kills in every run of the suites, and the environment variable that asks for more.
const KILLS: usize = 16;
const MORE_KILLS: &str = "TWINBOARD_TEST_KILLS";
/// Orders that may be on their way when another one is given: a hub that is killed twice a second would never end any.
const ON_THEIR_WAY_MAX: usize = 2;
/// One order of so many is about the delay.
const DELAY_EVERY: usize = 4;
/// What every other order gives White.
const GIVEN_MS: i64 = 1_000;
const TOKEN: &str = "a token of the organiser's, long enough";

/// A game that stands still after a few plies.
fn long_game() -> BpgnGame {
    let mut game = quick_games(1, PLIES, THINK_MS).remove(0);
    let more_ms = BASE_MS - quick_games::BASE_MS;
    game.set_tag("TimeControl", &format!("{}+0", BASE_MS / 1000));
    for (index, ply) in game.plies.iter_mut().enumerate() {
        let thought_ms = if index < QUICK_PLIES { 0 } else { LONG_MS };
        ply.clock_ms = ply.clock_ms.map(|left_ms| left_ms + more_ms - thought_ms);
    }
    game
}

struct Venue {
    folder: tempfile::TempDir,
    // Its nodes live as long as it does.
    _hall: Hall,
    http: String,
    adjudicator: Program,
    hub: Program,
    client: reqwest::Client,
    acts: u32,
}

impl Venue {
    fn open() -> Venue {
        let folder = tempfile::tempdir().unwrap();
        let (http_port, broker_port) = (free_port(), free_port());
        let token = folder.path().join("td-token");
        adjudicator::pki::secrets::write(&token, TOKEN).unwrap();
        let serve = format!(
            "[event]\nname = \"Orders\"\n[http]\naddress = \"127.0.0.1:{http_port}\"\ntd_token_file = {token:?}\n\
             [broker]\naddress = \"127.0.0.1:{broker_port}\"\n"
        );
        std::fs::write(folder.path().join("serve.toml"), serve).unwrap();
        let adjudicator = Program::configured(folder.path(), "serve");
        let hall = Hall::start(HallConfig {
            games: vec![long_game()],
            profile: sim::Profile::Ideal,
            trays: false,
            seed: 1,
            speed: 1.0,
            tables: 1,
            device_folder: folder.path().to_owned(),
            lead_in: LEAD_IN,
        })
        .unwrap();
        let text = hub_configuration(&hall, folder.path(), broker_port);
        std::fs::write(folder.path().join("hub.toml"), text).unwrap();
        let hub = Program::configured(folder.path(), "hub");
        let http = format!("http://127.0.0.1:{http_port}");
        let client = reqwest::Client::new();
        Venue { folder, _hall: hall, http, adjudicator, hub, client, acts: 0 }
    }

    async fn get(&self, path: &str) -> Option<Value> {
        let request = self.client.get(format!("{}{path}", self.http)).bearer_auth(TOKEN);
        let answer = request.timeout(Duration::from_secs(2)).send().await.ok()?;
        answer.error_for_status().ok()?.json().await.ok()
    }

    /// What `wanted` makes of an answer, once it makes something of it.
    async fn until<T>(&self, path: &str, what: &str, wanted: impl Fn(&Value) -> Option<T>) -> T {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let answer = self.get(path).await;
            if let Some(found) = answer.as_ref().and_then(&wanted) {
                return found;
            }
            assert!(Instant::now() < deadline, "no {what} in {answer:?}\n{}", self.logs());
            sleep(LOOK_EVERY).await;
        }
    }

    /// Orders something of the clock at board A, as a phone does: again, under the same key, until it is answered.
    async fn order(&mut self, match_id: &str, change: Value) {
        self.acts += 1;
        let deed = json!({ "of": "clock", "match": match_id, "board": "A", "change": change });
        let act = json!({ "key": format!("order {}", self.acts), "deed": deed });
        let deadline = Instant::now() + PATIENCE;
        loop {
            let request = self.client.post(format!("{}/api/v1/td/acts", self.http));
            let request = request.bearer_auth(TOKEN).json(&act).timeout(Duration::from_secs(2));
            if let Ok(answer) = request.send().await
                && let status = answer.status()
                && !status.is_server_error()
            {
                let answer: Value = answer.json().await.unwrap_or_default();
                assert!(status.is_success(), "{act}: {answer}\n{}", self.logs());
                return;
            }
            assert!(Instant::now() < deadline, "an act is not taken\n{}", self.logs());
            sleep(LOOK_EVERY).await;
        }
    }

    /// Kills hub, adjudicator or both, and starts them again after a moment.
    async fn suffer(&mut self, moments: &mut Moments) {
        let which = (moments.draw() * 3.0) as u8;
        let away = Duration::from_millis(20 + (moments.draw() * 200.0) as u64);
        if which != 0 {
            self.hub.kill();
        }
        if which != 1 {
            self.adjudicator.kill();
        }
        sleep(away).await;
        if which != 0 {
            self.hub = Program::configured(self.folder.path(), "hub");
        }
        if which != 1 {
            self.adjudicator = Program::configured(self.folder.path(), "serve");
        }
    }

    fn logs(&self) -> String {
        format!("── hub\n{}\n── adjudicator\n{}", self.hub.log(), self.adjudicator.log())
    }
}

/// White's time at board A while it stands.
fn standing_ms(shown: &Value) -> Option<i64> {
    let clock = &shown["shown"]["table"]["boards"]["A"]["clock"];
    clock["running"].is_null().then(|| clock["white_ms"].as_i64()).flatten()
}

/// How far the orders to clocks are. Whoever follows the match is told of delays beside them, and answers when the match is over.
fn states(shown: &Value) -> Vec<&str> {
    let orders = shown["orders"].as_array().into_iter().flatten();
    let of_clocks = orders.filter(|order| !order["board"].is_null());
    of_clocks.filter_map(|order| order["state"].as_str()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_order_is_forgotten_and_none_is_done_twice_however_often_the_programs_are_killed() {
    let kills = std::env::var(MORE_KILLS).ok().and_then(|kills| kills.parse().ok());
    let kills: usize = kills.unwrap_or(KILLS);
    let mut moments = Moments::from_environment(u64::from(std::process::id()));
    let mut venue = Venue::open();
    let match_id = venue
        .until("/api/v1/round", "match in play", |round| {
            let table = round["tables"].as_array()?.first()?;
            let is_played = table["ply_count"].as_u64()? >= 2;
            is_played.then(|| table["match"].as_str().map(str::to_owned)).flatten()
        })
        .await;
    let path = format!("/api/v1/td/matches/{match_id}");
    venue.order(&match_id, json!({ "clock": "pause" })).await;
    let before_ms = venue
        .until(&path, "clock that stands", |shown| {
            (states(shown) == ["done"]).then(|| standing_ms(shown)).flatten()
        })
        .await;
    let give = json!({ "clock": "adjust", "white_ms": GIVEN_MS, "black_ms": 0 });
    let delay = |kill: usize| json!({ "delay_s": kill % 99 + 1, "delay": "us" });
    let (mut given, mut last_delay) = (0, json!({ "delay_s": 0 }));
    for kill in 0..kills {
        let few_on_their_way = |shown: &Value| {
            let open = states(shown).into_iter().filter(|state| matches!(*state, "sent" | "taken"));
            (open.count() <= ON_THEIR_WAY_MAX).then_some(())
        };
        venue.until(&path, "end of earlier orders", few_on_their_way).await;
        if kill % DELAY_EVERY == DELAY_EVERY - 1 {
            last_delay = delay(kill);
            venue.order(&match_id, json!({ "clock": "delay", "per_move": last_delay })).await;
        } else {
            given += 1;
            venue.order(&match_id, give.clone()).await;
        }
        sleep(Duration::from_millis((moments.draw() * 350.0) as u64)).await;
        venue.suffer(&mut moments).await;
        if (kill + 1) % 20 == 0 {
            println!("{} kills", kill + 1);
        }
    }
    let given_ms = given * GIVEN_MS;
    venue
        .until(&path, "end of all orders", |shown| {
            let all = states(shown);
            (all.len() == kills + 1 && all.iter().all(|state| *state == "done")).then_some(())
        })
        .await;
    let after_ms = venue
        .until(&path, "clock that shows all of it", |shown| {
            standing_ms(shown).filter(|shown_ms| *shown_ms >= before_ms + given_ms)
        })
        .await;
    assert_eq!(after_ms - before_ms, given_ms, "each order is done once");
    let goes_by = |shown: &Value| (shown["per_move"]["A"] == last_delay).then_some(());
    venue.until(&path, "the last delay", goes_by).await;
}
