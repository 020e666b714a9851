//! Five rounds at eight tables through the real hub and adjudicator, at high speed.
//!
//! A simulated director pairs, moves, enters, confirms and corrects over HTTP; the tables play when the director says so, so that nothing
//! here depends on how fast the machine is. At the end every result is at its own pairing, and every record is the game that was played
//! for it.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    time::Duration,
};

use readings::TruthLine;
use serde_json::{Value, json};
use sim::{
    Profile,
    real_time::{Hall, HallConfig, HallMatch},
};

use super::{
    squares,
    support::{
        patience::eventually,
        program::{Program, ask, free_port},
        quick_games::quick_games,
        simulated_hall::hub_configuration,
    },
};

/// Tables that play, and one more that stands ready.
const TABLES: usize = 8;
const SPARE: usize = 9;
const ROUNDS: usize = 5;
/// Games of a table: one is for fun.
const GAMES: usize = ROUNDS + 1;
const PLIES: usize = 16;
const THINK_MS: i64 = 700;
const SPEED: f64 = 20.0;
const SECTION: &str = "Bughouse";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_result_of_five_rounds_is_at_its_own_pairing_whatever_the_director_does() {
    let mut day = Day::begin().await;
    let all: Vec<usize> = (1..=TABLES).collect();

    let first = day.pair(1).await;
    day.play(&first, &all).await;
    // The pieces are put back before the next round is paired, at half of the tables before the result is reported.
    day.put_back(&all[..TABLES / 2]).await;
    day.confirm_all(&first).await;
    day.put_back(&all[TABLES / 2..]).await;

    let second = day.pair(2).await;
    // Nobody comes to table 3; they come after all.
    let late = second[2];
    day.enter(late, &json!({ "forfeit-win": "first" })).await;
    day.desk.until_result(late, Some("1F-0F"), true).await;
    day.withdraw(late, "they came after all").await;
    day.desk.until_result(late, None, false).await;
    day.play(&second, &all).await;
    day.confirm_all(&second).await;

    // The next round is paired before the pieces are put back, and one of its pairings is moved.
    let third = day.pair(3).await;
    let (moved, sides) = (third[4], sides(3, 5));
    let place = json!({ "kind": "pairing-changed", "pairing": moved, "table": SPARE.to_string(),
        "sides": sides.map(|number| [number]) });
    day.desk.change(&[place]).await;
    day.put_back(&all).await;
    let tables = [1, 2, 3, 4, SPARE, 6, 7, 8];
    day.play(&third, &tables).await;
    day.confirm_all(&third).await;
    day.put_back(&all).await;

    let fourth = day.pair(4).await;
    day.play(&fourth, &all).await;
    // Children sit at each other's tables: the pairings follow them.
    day.exchange(fourth[0], fourth[1]).await;
    let wrong = fourth[3];
    day.enter(wrong, &json!("double-forfeit")).await;
    let others: Vec<u64> = fourth.iter().copied().filter(|id| *id != wrong).collect();
    day.confirm_all(&others).await;
    let fifth = day.pair(5).await;
    day.put_back(&all).await;

    // Children play for fun at table 6 before their game.
    let own = fifth[5];
    let fun = day.play_one(6).await;
    day.put_back(&[6]).await;
    day.play(&fifth, &all).await;
    day.desk.until_needed("Whose match is it?", true).await;
    day.desk.bind(&fun, None).await;
    day.desk.bind(&day.played[&own].match_id, Some(own)).await;
    day.desk.until_needed("Whose match is it?", false).await;
    // A slip of the round before was another table's.
    day.withdraw(wrong, "it was another table's").await;
    day.confirm_all(&[wrong]).await;
    day.confirm_all(&fifth).await;

    day.check(&fun).await;
}

/// The game played for a pairing.
struct Played {
    round: usize,
    table: usize,
    game: HallMatch,
    /// The match's name at the adjudicator.
    match_id: String,
    sides: [usize; 2],
}

/// The hall, its programs, and what was truly played.
struct Day {
    _folder: tempfile::TempDir,
    hall: Hall,
    _programs: [Program; 2],
    desk: Desk,
    /// By pairing.
    played: BTreeMap<u64, Played>,
    pairings: u64,
}

impl Day {
    async fn begin() -> Day {
        let folder = tempfile::tempdir().expect("a folder");
        let (http, broker) = (free_port(), free_port());
        let at = folder.path();
        assert!(ask(at, &["token", "td-token"]).status.success());
        let serve = format!(
            "[event]\nname = \"Five rounds\"\n[http]\naddress = \"127.0.0.1:{http}\"\nclock_rate = {SPEED:.1}\n\
             td_token_file = \"td-token\"\n[broker]\naddress = \"127.0.0.1:{broker}\"\n"
        );
        std::fs::write(at.join("serve.toml"), serve).expect("room for a configuration");
        let adjudicator = Program::configured(at, "serve");
        let config = HallConfig {
            games: quick_games(SPARE * GAMES, PLIES, THINK_MS),
            profile: Profile::Ideal,
            trays: false,
            seed: 1,
            speed: SPEED,
            tables: SPARE,
            device_folder: at.to_owned(),
            lead_in: Duration::ZERO,
        };
        let hall = Hall::start_on_request(config).expect("a hall");
        let hub = hub_configuration(&hall, at, broker);
        std::fs::write(at.join("hub.toml"), hub).expect("room for a configuration");
        let (hub, log) = (at.join("hub.toml"), at.join("hub.log"));
        let arguments = ["hub", "--config", text(&hub), "--clock-rate", &SPEED.to_string()];
        let hub = Program::twinboard(&arguments, &log);
        let token = std::fs::read_to_string(at.join("td-token")).expect("the token");
        let desk = Desk {
            server: format!("http://127.0.0.1:{http}"),
            token: token.trim().to_owned(),
            client: reqwest::Client::new(),
        };
        let programs = [adjudicator, hub];
        let day = Day {
            _folder: folder,
            hall,
            _programs: programs,
            desk,
            played: BTreeMap::new(),
            pairings: 0,
        };
        day.open().await;
        day
    }

    /// Enters the teams, and waits until all tables are followed.
    async fn open(&self) {
        for table in 1..=SPARE {
            self.desk.match_at(table).await;
        }
        let tables: Vec<String> = (1..=SPARE).map(|table| table.to_string()).collect();
        let terms = event::SectionTerms::usual(
            event::SectionKind::Teams,
            rules::rulebook::BookId::UsChessBughouse2018,
            ROUNDS as u8,
        );
        let mut deeds = vec![
            json!({ "kind": "tables-listed", "tables": tables }),
            json!({ "kind": "section-opened", "section": SECTION, "terms": terms }),
        ];
        for team in 1..=2 * TABLES {
            let members = [2 * team - 1, 2 * team];
            deeds.extend(members.map(|player| {
                json!({ "kind": "player-entered", "player": player, "name": format!("Player {player}") })
            }));
            let name = format!("Team {team}");
            deeds.push(
                json!({ "kind": "team-made", "team": team, "name": name, "members": members }),
            );
            deeds.push(json!({ "kind": "entrant-added", "section": SECTION, "number": team,
                "entry": { "team": team }, "from_round": 1 }));
        }
        self.desk.change(&deeds).await;
    }

    /// Pairs a round; its pairings, table by table.
    async fn pair(&mut self, round: usize) -> Vec<u64> {
        let mut deeds = vec![json!({ "kind": "round-opened", "section": SECTION, "round": round })];
        let first = self.pairings + 1;
        for table in 1..=TABLES {
            self.pairings += 1;
            let sides = sides(round, table).map(|number| [number]);
            deeds.push(
                json!({ "kind": "pairing-made", "pairing": self.pairings, "section": SECTION,
                "round": round, "table": table.to_string(), "sides": sides }),
            );
        }
        self.desk.change(&deeds).await;
        (first..=self.pairings).collect()
    }

    /// Plays each pairing at its table; returns when all plies are there.
    async fn play(&mut self, pairings: &[u64], tables: &[usize]) {
        let mut games = Vec::new();
        for table in tables {
            games.push(self.hall.play(*table).await.expect("a game to play"));
        }
        for ((pairing, table), game) in pairings.iter().zip(tables).zip(games) {
            let match_id = self.desk.until_played(*table).await;
            let round = (*pairing as usize - 1) / TABLES + 1;
            let sides = sides(round, (*pairing as usize - 1) % TABLES + 1);
            let played = Played { round, table: *table, game, match_id, sides };
            self.played.insert(*pairing, played);
        }
    }

    /// Plays at a table for no pairing; the name of the match.
    async fn play_one(&mut self, table: usize) -> String {
        self.hall.play(table).await.expect("a game to play");
        self.desk.until_played(table).await
    }

    /// Puts the pieces back, and waits until the next match of each table is there.
    async fn put_back(&mut self, tables: &[usize]) {
        let mut before = Vec::new();
        for table in tables {
            before.push(self.desk.match_at(*table).await);
            self.hall.put_back(*table).await.expect("a game to play");
        }
        for (table, before) in tables.iter().zip(before) {
            // At a table whose match has no plies the pieces stand already.
            if self.desk.plies(&before).await.is_ok_and(|plies| plies.len() < PLIES) {
                continue;
            }
            eventually(&format!("table {table} is set up again"), async || {
                match self.desk.match_at(*table).await {
                    id if id == before => Err(id),
                    _ => Ok(()),
                }
            })
            .await;
        }
    }

    /// Enters a result by hand and confirms it.
    async fn enter(&self, pairing: u64, outcome: &Value) {
        let entered =
            json!({ "kind": "result-entered", "pairing": pairing, "outcomes": [outcome] });
        let confirmed = json!({ "kind": "result-confirmed", "pairing": pairing });
        self.desk.change(&[entered, confirmed]).await;
    }

    async fn withdraw(&self, pairing: u64, note: &str) {
        let withdrawn = json!({ "kind": "result-withdrawn", "pairing": pairing, "note": note });
        self.desk.change(&[withdrawn]).await;
    }

    /// Two pairings of which both are played change places.
    async fn exchange(&mut self, one: u64, other: u64) {
        self.desk.change(&[json!({ "kind": "tables-exchanged", "pairings": [one, other] })]).await;
        let [Some(mut first), Some(mut second)] = [one, other].map(|id| self.played.remove(&id))
        else {
            panic!("both are played")
        };
        std::mem::swap(&mut first.sides, &mut second.sides);
        self.played.insert(one, second);
        self.played.insert(other, first);
    }

    /// Enters and confirms what was played: by its slip at every second table, and else at its match.
    async fn confirm_all(&self, pairings: &[u64]) {
        for id in pairings {
            let played = &self.played[id];
            let (result, outcome, winner) = result_of(*id);
            if played.table.is_multiple_of(2) {
                self.enter(*id, &outcome).await;
            } else {
                let reason = if winner.is_some() { "resignation" } else { "agreement" };
                let decided = json!({ "what": "enter-result", "winner": winner, "reason": reason });
                self.desk.decide(&played.match_id, &decided).await;
            }
            self.desk.until_result(*id, Some(result), true).await;
        }
    }

    /// Compares everything with the games played.
    async fn check(&self, fun: &str) {
        eventually("nothing is left to do", async || {
            let needs = self.desk.get("/api/v1/td/needs").await?;
            match needs["needs"].as_array() {
                Some(list) if list.is_empty() => Ok(()),
                _ => Err(format!("{needs:#}")),
            }
        })
        .await;
        let pairings = self.desk.pairings().await.expect("pairings");
        assert_eq!((pairings.len(), self.played.len()), (ROUNDS * TABLES, ROUNDS * TABLES));
        let mut matches = BTreeSet::from([fun.to_owned()]);
        let mut points = [0.0; 2 * TABLES];
        for (id, played) in &self.played {
            let pairing = pairings.iter().find(|it| it["pairing"] == *id).expect("the pairing");
            let (result, ..) = result_of(*id);
            assert_eq!(pairing["matches"], json!([played.match_id]), "{pairing:#}");
            assert_eq!((&pairing["result"], &pairing["confirmed"]), (&json!(result), &json!(true)));
            assert_eq!(pairing["table"], played.table.to_string(), "{pairing:#}");
            assert_eq!(pairing["round"], played.round, "{pairing:#}");
            assert!(matches.insert(played.match_id.clone()), "one match of two pairings");
            let plies = self.desk.plies(&played.match_id).await.expect("its plies");
            assert_eq!(recorded(&plies), happened(&played.game), "{pairing:#}");
            let first = match result {
                "1-0" => 1.0,
                "0-1" => 0.0,
                _ => 0.5,
            };
            for (side, gained) in played.sides.into_iter().zip([first, 1.0 - first]) {
                points[side - 1] += gained;
            }
        }
        let listed = self.desk.get("/api/v1/matches").await.expect("the matches");
        for one in listed["matches"].as_array().expect("a list") {
            let id = one["match"].as_str().expect("its name");
            let plies = self.desk.plies(id).await.expect("its plies");
            assert!(matches.contains(id) || plies.is_empty(), "{id} is nobody's: {plies:#?}");
        }
        let standings = self.desk.get(&format!("/api/v1/standings?section={SECTION}")).await;
        let standings = standings.expect("standings");
        let rows = standings["standings"]["rows"].as_array().expect("rows");
        assert_eq!(rows.len(), 2 * TABLES);
        for row in rows {
            let number = row["number"].as_u64().expect("a number") as usize;
            assert_eq!(row["score"].as_f64(), Some(points[number - 1]), "{row:#}");
        }
    }
}

/// The director's desk.
struct Desk {
    server: String,
    token: String,
    client: reqwest::Client,
}

impl Desk {
    async fn get(&self, path: &str) -> Result<Value, String> {
        let asked = self.client.get(format!("{}{path}", self.server)).bearer_auth(&self.token);
        let answer = asked.send().await.and_then(reqwest::Response::error_for_status);
        answer.map_err(|error| error.to_string())?.json().await.map_err(|error| error.to_string())
    }

    async fn act(&self, deed: &Value) -> Result<(), String> {
        let act = self.client.post(format!("{}/api/v1/td/acts", self.server));
        let sent = act.bearer_auth(&self.token).json(&json!({ "deed": deed })).send().await;
        let answer = sent.map_err(|error| error.to_string())?;
        match answer.status().is_success() {
            true => Ok(()),
            false => Err(format!("{} {:?}", answer.status(), answer.text().await)),
        }
    }

    /// Changes the event; it must be accepted.
    async fn change(&self, deeds: &[Value]) {
        let changed = self.act(&json!({ "of": "event", "deeds": deeds })).await;
        assert_eq!(changed, Ok(()), "{deeds:#?}");
    }

    /// Decides something at a match as it is now.
    async fn decide(&self, match_id: &str, decided: &Value) {
        eventually("a decision at a match", async || {
            let shown = self.get(&format!("/api/v1/td/matches/{match_id}")).await?;
            let seen = &shown["version"];
            self.act(&json!({ "of": "match", "match": match_id, "seen": seen, "decided": decided }))
                .await
        })
        .await;
    }

    /// Says of which pairing a match is.
    async fn bind(&self, match_id: &str, pairing: Option<u64>) {
        let bound = self.act(&json!({ "of": "bind", "match": match_id, "pairing": pairing })).await;
        assert_eq!(bound, Ok(()), "{match_id} {pairing:?}");
    }

    /// The match at a table, once there is one.
    async fn match_at(&self, table: usize) -> String {
        let name = table.to_string();
        eventually(&format!("a match at table {table}"), async || {
            let round = self.get("/api/v1/round").await?;
            let tables = round["tables"].as_array().ok_or("no tables")?;
            let is_it = |it: &&Value| it["table"] == *name;
            let id = tables.iter().find(is_it).and_then(|it| it["match"].as_str());
            id.map(str::to_owned).ok_or_else(|| format!("{round:#}"))
        })
        .await
    }

    async fn plies(&self, match_id: &str) -> Result<Vec<Value>, String> {
        let shown = self.get(&format!("/api/v1/matches/{match_id}")).await?;
        shown["plies"].as_array().cloned().ok_or_else(|| format!("{shown:#}"))
    }

    /// The match that is played at a table, once all its plies are there.
    async fn until_played(&self, table: usize) -> String {
        eventually(&format!("all plies of table {table}"), async || {
            let id = self.match_at(table).await;
            let plies = self.plies(&id).await?;
            if plies.len() == PLIES { Ok(id) } else { Err(format!("{id}: {plies:#?}")) }
        })
        .await
    }

    async fn pairings(&self) -> Result<Vec<Value>, String> {
        let event = self.get("/api/v1/td/event").await?;
        let pairings = event["sections"][0]["pairings"].as_array().cloned();
        pairings.ok_or_else(|| format!("{event:#}"))
    }

    /// Waits until a pairing has this result.
    async fn until_result(&self, pairing: u64, result: Option<&str>, is_confirmed: bool) {
        let wanted = (json!(result), json!(is_confirmed));
        eventually(&format!("{wanted:?} at pairing {pairing}"), async || {
            let pairings = self.pairings().await?;
            let found = pairings.iter().find(|it| it["pairing"] == pairing).ok_or("no pairing")?;
            let is_it = (&found["result"], &found["confirmed"]) == (&wanted.0, &wanted.1);
            if is_it { Ok(()) } else { Err(format!("{found:#}")) }
        })
        .await;
    }

    /// Waits until the list asks this, or does not any more.
    async fn until_needed(&self, what: &str, is_needed: bool) {
        eventually(what, async || {
            let needs = self.get("/api/v1/td/needs").await?;
            let list = needs["needs"].as_array().ok_or("no list")?;
            let is_on_it = list.iter().any(|need| need["what"] == what);
            if is_on_it == is_needed { Ok(()) } else { Err(format!("{needs:#}")) }
        })
        .await;
    }
}

/// Who meets at a table in a round: number 1 stays, and the others go round it.
fn sides(round: usize, table: usize) -> [usize; 2] {
    let entrants = 2 * TABLES;
    let mut order: Vec<usize> = (2..=entrants).collect();
    order.rotate_right(round - 1);
    order.insert(0, 1);
    [order[table - 1], order[entrants - table]]
}

/// The result that a pairing's players agree on, as text and as outcome, and the winner at its match.
fn result_of(pairing: u64) -> (&'static str, Value, Option<&'static str>) {
    match pairing % 3 {
        0 => ("1-0", json!({ "win": "first" }), Some("team-1")),
        1 => ("0-1", json!({ "win": "second" }), Some("team-2")),
        _ => ("½-½", json!("draw"), None),
    }
}

/// The plies that hands made, board by board.
fn happened(game: &HallMatch) -> Vec<(String, String)> {
    let plies = game.truth.iter().filter_map(|line| match line {
        TruthLine::Ply(ply) => {
            Some((ply.board.to_string(), format!("{} {}", ply.side, squares(ply.uci))))
        }
        TruthLine::Anomaly(_) => None,
    });
    by_board(plies.collect())
}

fn recorded(plies: &[Value]) -> Vec<(String, String)> {
    let word = |ply: &Value, key: &str| ply[key].as_str().unwrap_or_default().to_owned();
    let plies = plies.iter().map(|ply| {
        let made: rules::Ply = word(ply, "uci").parse().expect("a ply");
        (word(ply, "board"), format!("{} {}", word(ply, "side"), squares(made)))
    });
    by_board(plies.collect())
}

/// Stable: of each board they stay in order.
fn by_board(mut plies: Vec<(String, String)>) -> Vec<(String, String)> {
    plies.sort_by(|one, other| one.0.cmp(&other.0));
    plies
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in Unicode")
}
