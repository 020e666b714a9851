//! After a match somebody who was there answers the questions that settle most, through the server: the record becomes what the same
//! answers make of it without a server, a broker and a hub in between.

use std::time::Duration;

use adjudicator::Config as Served;
use hub::{Config as Followed, HubClock};
use inference::TrackerConfig;
use inference::facts::{Fact, PlyFact};
use readings::{InferredLine, InferredPly};
use rules::{BoardId, Color};
use serde_json::{Value, json};
use sim::hall::{Hall, HallConfig, HallNodeKind};
use sim::score::{answer, interview};
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

/// A ply by what a record says of it.
fn said(board: BoardId, side: Color, uci: &str) -> String {
    format!("{board} {} {uci}", if side.is_white() { "white" } else { "black" })
}

fn plies(record: &[InferredLine]) -> Vec<&InferredPly> {
    let ply = |line: &'_ InferredLine| matches!(line, InferredLine::Ply(_));
    let lines = record.iter().filter(|line| ply(line));
    lines
        .filter_map(|line| match line {
            InferredLine::Ply(ply) => Some(ply),
            _ => None,
        })
        .collect()
}

fn shown(view: &Value) -> Vec<String> {
    let text = |ply: &Value, key: &str| ply[key].as_str().unwrap_or_default().to_owned();
    let plies = view["shown"]["plies"].as_array().unwrap();
    plies
        .iter()
        .map(|ply| format!("{} {} {}", text(ply, "board"), text(ply, "side"), text(ply, "uci")))
        .collect()
}

fn hub_configuration(hall: &Hall, folder: &std::path::Path, port: u16) -> Followed {
    let mut text = format!(
        "[hub]\nid = \"hub-1\"\njournal = {:?}\n[broker]\nhost = \"127.0.0.1\"\nport = {port}\n\
         [[table]]\nname = \"1\"\nrulebook = \"us-chess-bughouse-2018\"\nbase_s = {}\n",
        folder.join("hub.sqlite"),
        hall.base_s(),
    );
    for node in hall.nodes() {
        let kind = if node.kind == HallNodeKind::Board { "board" } else { "clock" };
        text += &format!(
            "[[table.node]]\nboard = \"{}\"\nkind = {kind:?}\nnode = {:?}\nport = {:?}\n",
            node.board, node.node_id, node.port,
        );
    }
    Followed::parse(&folder.join("hub.toml"), &text).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_through_the_server_make_of_the_record_what_they_make_of_it_at_the_desk() {
    let folder = tempfile::tempdir().unwrap();
    let token = folder.path().join("td-token");
    adjudicator::secrets::write(&token, TOKEN).unwrap();
    let mut config = Served::default();
    config.event.name = "Questions".to_owned();
    config.http.address = "127.0.0.1:0".parse().unwrap();
    config.http.clock_rate = SPEED;
    config.http.td_token_file = Some(token);
    config.broker.address = "127.0.0.1:0".to_owned();
    config.store.path = folder.path().join("event.sqlite");
    let stop = CancellationToken::new();
    let running = adjudicator::start(config, stop.clone()).await.unwrap();
    let address = format!("http://{}", running.http_address);
    let port = running.mqtt_address.unwrap().port();
    // The longest one leaves the most to ask.
    let longest = sim::games::shipped().into_iter().max_by_key(|game| game.plies.len());
    let games = longest.into_iter().collect();
    let hall = Hall::start(HallConfig {
        games,
        profile: sim::Profile::Club,
        trays: false,
        seed: 3,
        speed: SPEED,
        tables: 1,
        device_folder: folder.path().to_owned(),
        lead_in: LEAD_IN,
    })
    .unwrap();
    let clock = HubClock::accelerated(SPEED, std::time::SystemTime::now());
    let hub =
        tokio::spawn(hub::run(hub_configuration(&hall, folder.path(), port), clock, stop.clone()));
    hall.finished().await;
    let server = Server { address, client: reqwest::Client::new() };
    let match_id = server
        .until("/api/v1/round", "end of the match", |round| {
            let table = round["tables"].as_array()?.first()?;
            (table["state"] == "ended")
                .then(|| table["match"].as_str().map(str::to_owned))
                .flatten()
        })
        .await;
    let path = format!("/api/v1/td/matches/{match_id}");
    let first_question = |view: &Value| view["questions"][0]["ply"].as_u64();
    let mut question = server.until(&path, "question", first_question).await;

    // The same at the desk: the trace from the hub's journal, and the same person.
    let reader = hub::journal::Reader::open(&folder.path().join("hub.sqlite")).await.unwrap();
    let trace = reader.trace(&match_id).await.unwrap().expect("the trace");
    let hub::journal::MatchTrace { header, readings, .. } = trace;
    let truth = &hall.matches()[0].truth;
    let rounds = interview(&header, &readings, &TrackerConfig::default(), truth, ANSWERS);
    let record_of = |round: usize| -> Vec<String> {
        let all = plies(&rounds[round].record);
        all.iter().map(|ply| said(ply.board, ply.side, &ply.uci.to_string())).collect()
    };
    let mut answered = 0;
    for (round, believed) in rounds.iter().enumerate().take(ANSWERS) {
        assert_eq!(shown(&server.get(&path).await), record_of(round), "after {round} answers");
        let record = &believed.record;
        let asked = record.iter().find_map(|line| match line {
            InferredLine::Question(question) => Some(question),
            _ => None,
        });
        let Some(asked) = asked else { break };
        let Some(Fact::Ply(PlyFact { said, .. })) = answer(record, asked, truth) else { break };
        let Some(played) = said.uci else { break };
        let all = plies(record);
        let meant = all.iter().find(|ply| ply.n == asked.ply).unwrap();
        let view = server.get(&path).await;
        let is_it = |ply: &&Value| ply["id"] == question;
        let on_page =
            view["shown"]["plies"].as_array().unwrap().iter().find(is_it).unwrap().clone();
        assert_eq!(on_page["uci"], meant.uci.to_string(), "the same question");
        server.correct(&match_id, question, &played.to_string()).await;
        answered += 1;
        question = server
            .until(&path, "the match followed again", |view| {
                let orders = view["orders"].as_array()?;
                let have_ended = orders
                    .iter()
                    .all(|order| order["state"] != "sent" && order["state"] != "taken");
                (orders.len() == answered && have_ended).then(|| first_question(view).unwrap_or(0))
            })
            .await;
    }
    assert!(answered >= 3, "a reed board leaves more than {answered} doubts");
    assert_eq!(shown(&server.get(&path).await), record_of(answered), "after all answers");
    stop.cancel();
    hub.await.unwrap().unwrap();
    running.wait().await;
}
