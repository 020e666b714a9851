//! After a match a player or director answers the questions that settle most, through the server. The record must equal the one from
//! the same answers without a server, a broker and a hub in between.

#[path = "support/simulated_hall.rs"]
mod simulated_hall;

use std::path::Path;
use std::time::Duration;

use adjudicator::{Config as Served, Running};
use hub::{Config as Followed, HubClock};
use inference::TrackerConfig;
use inference::facts::{Fact, PlyFact};
use readings::{InferredLine, InferredPly, TruthLine};
use rules::{BoardId, Color};
use serde_json::{Value, json};
use sim::real_time::{Hall, HallConfig};
use sim::score::{Round, answer, interview};
use simulated_hall::hub_configuration;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

const SPEED: f64 = 25.0;
const LEAD_IN: Duration = Duration::from_secs(3);
const ANSWERS: usize = 5;
const TOKEN: &str = "a token of the organiser's, long enough";
const PATIENCE: Duration = Duration::from_secs(45);
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Asks the server as a program with the organiser's token does.
struct Server {
    address: String,
    client: reqwest::Client,
}

impl Server {
    async fn get(&self, path: &str) -> Value {
        let request = self.client.get(format!("{}{path}", self.address)).bearer_auth(TOKEN);
        let answer = request.send().await.unwrap();
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        answer.json().await.unwrap()
    }

    async fn until<T>(&self, path: &str, what: &str, wanted: impl Fn(&Value) -> Option<T>) -> T {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let answer = self.get(path).await;
            if let Some(found) = wanted(&answer) {
                return found;
            }
            assert!(Instant::now() < deadline, "no {what} in {answer}");
            sleep(LOOK_EVERY).await;
        }
    }

    async fn correct(&self, match_id: &str, ply: u64, said: &str) {
        let seen = self.get(&format!("/api/v1/td/matches/{match_id}")).await["version"].clone();
        let decided = json!({ "what": "correct", "ply": ply, "said": said });
        let deed = json!({ "of": "match", "match": match_id, "seen": seen, "decided": decided });
        let request = self.client.post(format!("{}/api/v1/td/acts", self.address));
        let answer =
            request.bearer_auth(TOKEN).json(&json!({ "deed": deed })).send().await.unwrap();
        let status = answer.status();
        assert!(status.is_success(), "{}", answer.text().await.unwrap());
    }
}

/// Ply as text, as records describe it.
fn said(board: BoardId, side: Color, uci: &str) -> String {
    format!("{board} {} {uci}", if side.is_white() { "white" } else { "black" })
}

fn plies(record: &[InferredLine]) -> Vec<&InferredPly> {
    record
        .iter()
        .filter_map(|line| match line {
            InferredLine::Ply(ply) => Some(ply),
            _ => None,
        })
        .collect()
}

/// The plies of a record, as those that the page shows.
fn recorded(record: &[InferredLine]) -> Vec<String> {
    plies(record).iter().map(|ply| said(ply.board, ply.side, &ply.uci.to_string())).collect()
}

fn ended_match(round: &Value) -> Option<String> {
    let table = round["tables"].as_array()?.first()?;
    let ended = (table["state"] == "ended").then(|| table["match"].as_str())?;
    ended.map(str::to_owned)
}

fn first_question(view: &Value) -> Option<u64> {
    view["questions"][0]["ply"].as_u64()
}

fn shown(view: &Value) -> Vec<String> {
    let text = |ply: &Value, key: &str| ply[key].as_str().unwrap_or_default().to_owned();
    let plies = view["shown"]["plies"].as_array().unwrap();
    plies
        .iter()
        .map(|ply| format!("{} {} {}", text(ply, "board"), text(ply, "side"), text(ply, "uci")))
        .collect()
}

/// Starts the adjudicator of an event whose clocks run at the speed of the hall.
async fn serve(folder: &Path, stop: &CancellationToken) -> Running {
    let token = folder.join("td-token");
    adjudicator::pki::secrets::write(&token, TOKEN).unwrap();
    let mut config = Served::default();
    config.event.name = "Questions".to_owned();
    config.http.address = "127.0.0.1:0".parse().unwrap();
    config.http.clock_rate = SPEED;
    config.http.td_token_file = Some(token);
    config.broker.address = "127.0.0.1:0".to_owned();
    config.store.path = folder.join("event.sqlite");
    adjudicator::start(config, stop.clone()).await.unwrap()
}

/// A table where the longest game is played: it leaves the most to ask.
fn table(folder: &Path) -> Hall {
    let longest = sim::games::shipped().into_iter().max_by_key(|game| game.plies.len());
    Hall::start(HallConfig {
        games: longest.into_iter().collect(),
        profile: sim::Profile::Club,
        trays: false,
        seed: 3,
        speed: SPEED,
        tables: 1,
        device_folder: folder.to_owned(),
        lead_in: LEAD_IN,
    })
    .unwrap()
}

/// The match without a server: what is believed before each answer of the same person, from the trace in the hub's journal.
async fn at_the_desk(folder: &Path, match_id: &str, truth: &[TruthLine]) -> Vec<Round> {
    let reader = hub::journal::Reader::open(&folder.join("hub.sqlite")).await.unwrap();
    let trace = reader.trace(match_id).await.unwrap().expect("the trace");
    let hub::journal::MatchTrace { header, readings, .. } = trace;
    interview(&header, &readings, &TrackerConfig::default(), truth, ANSWERS)
}

/// The ply that a record asks about first, and what was played there; none where nothing is left to ask.
fn asked_and_played(record: &[InferredLine], truth: &[TruthLine]) -> Option<(InferredPly, String)> {
    let asked = record.iter().find_map(|line| match line {
        InferredLine::Question(question) => Some(question),
        _ => None,
    })?;
    let Fact::Ply(PlyFact { said, .. }) = answer(record, asked, truth)? else { return None };
    let meant = plies(record).into_iter().find(|ply| ply.n == asked.ply)?;
    Some((meant.clone(), said.uci?.to_string()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_through_the_server_make_of_the_record_what_they_make_of_it_at_the_desk() {
    let folder = tempfile::tempdir().unwrap();
    let stop = CancellationToken::new();
    let running = serve(folder.path(), &stop).await;
    let address = format!("http://{}", running.http_address);
    let hall = table(folder.path());
    let port = running.mqtt_address.unwrap().port();
    let text = hub_configuration(&hall, folder.path(), port);
    let followed = Followed::parse(&folder.path().join("hub.toml"), &text).unwrap();
    let clock = HubClock::accelerated(SPEED, std::time::SystemTime::now());
    let hub = tokio::spawn(hub::run(followed, clock, stop.clone()));
    hall.finished().await;
    let server = Server { address, client: reqwest::Client::new() };
    let match_id = server.until("/api/v1/round", "end of the match", ended_match).await;
    let path = format!("/api/v1/td/matches/{match_id}");
    let mut question = server.until(&path, "question", first_question).await;

    let truth = &hall.matches()[0].truth;
    let rounds = at_the_desk(folder.path(), &match_id, truth).await;
    let mut answered = 0;
    for (round, believed) in rounds.iter().enumerate().take(ANSWERS) {
        let view = server.get(&path).await;
        assert_eq!(shown(&view), recorded(&believed.record), "after {round} answers");
        let Some((meant, played)) = asked_and_played(&believed.record, truth) else { break };
        let on_page = view["shown"]["plies"].as_array().unwrap();
        let on_page = on_page.iter().find(|ply| ply["id"] == question).unwrap();
        assert_eq!(on_page["uci"], meant.uci.to_string(), "the same question");
        server.correct(&match_id, question, &played).await;
        answered += 1;
        let followed_again = |view: &Value| {
            let orders = view["orders"].as_array()?;
            let has_ended = |order: &Value| order["state"] != "sent" && order["state"] != "taken";
            let all_have = orders.len() == answered && orders.iter().all(has_ended);
            all_have.then(|| first_question(view).unwrap_or(0))
        };
        question = server.until(&path, "the match followed again", followed_again).await;
    }
    assert!(answered >= 3, "a reed board leaves more than {answered} doubts");
    let view = server.get(&path).await;
    assert_eq!(shown(&view), recorded(&rounds[answered].record), "after all answers");
    stop.cancel();
    hub.await.unwrap().unwrap();
    running.wait().await.unwrap();
}
