//! An event from its organiser's file to its last result: twenty-four teams in two sections, five rounds on eight tables.

use proto::mqtt::message::{Board, MatchState, Side};
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::{
    event::{AS_TEAMS, send},
    phone::{Phone, config, with_illegal_move},
    python_chess::{read_bpgn, read_pgn},
    support::{Hub, Script, Server, scholars_mate},
};

/// The sections and how many teams each has. They play on the same tables, one after the other.
const SECTIONS: [(&str, usize); 2] = [("K-6", 16), ("K-9", 8)];
const TABLES: usize = 8;
const ROUNDS: usize = 5;
/// Withdrawals, with the first round without them.
const WITHDRAWN: (&str, usize, usize) = ("K-6", 16, 3);
/// The round and the section in which a ruling is appealed, at its first pairing.
const APPEALED: (&str, usize) = ("K-9", 4);

/// Pairings of a round, by team number: the first stays, the others rotate (the circle method).
fn round_robin(teams: usize, round: usize) -> Vec<[usize; 2]> {
    let mut circle: Vec<usize> = (2..=teams).collect();
    circle.rotate_right(round - 1);
    circle.insert(0, 1);
    (0..teams / 2).map(|at| [circle[at], circle[teams - 1 - at]]).collect()
}

/// Whether the first of two teams wins: the lower number, but for some surprises.
fn first_wins([first, second]: [usize; 2], round: usize) -> bool {
    (first < second) != (first + second + round).is_multiple_of(5)
}

fn has_left(section: &str, number: usize, round: usize) -> bool {
    (section, number) == (WITHDRAWN.0, WITHDRAWN.1) && round >= WITHDRAWN.2
}

/// Points of each team after a round, counted here independently.
fn scores(section: &str, teams: usize, after: usize) -> Vec<f64> {
    let mut scores = vec![0.0; teams + 1];
    for round in 1..=after {
        for met in round_robin(teams, round) {
            match met.iter().position(|&number| has_left(section, number, round)) {
                Some(gone) => scores[met[1 - gone]] += 1.0,
                None => scores[if first_wins(met, round) { met[0] } else { met[1] }] += 1.0,
            }
        }
    }
    scores
}

fn teams_file() -> String {
    let mut teams = "Section,Number,Team,Player,Partner\n".to_owned();
    for (section, count) in SECTIONS {
        for number in 1..=count {
            let name = format!("{section} {number}");
            teams.push_str(&format!("{section},{number},{name},A {name},B {name}\n"));
        }
    }
    teams
}

/// One event as its test plays it.
struct Played {
    server: Server,
    chief: Phone,
}

impl Played {
    async fn deeds(&mut self, deeds: Value) {
        self.chief.done(json!({ "of": "event", "deeds": deeds })).await;
    }

    /// The pairing list of a round is imported; who meets a team that has left has a bye.
    async fn pair(&mut self, section: &str, teams: usize, round: usize) -> Vec<[usize; 2]> {
        self.deeds(json!([{ "kind": "round-opened", "section": section, "round": round }])).await;
        let (gone, met): (Vec<_>, Vec<_>) = round_robin(teams, round)
            .into_iter()
            .partition(|met| met.iter().any(|&number| has_left(section, number, round)));
        for [first, second] in gone {
            let number = if has_left(section, first, round) { second } else { first };
            let bye = json!({ "kind": "bye-given", "section": section, "number": number, "round": round, "bye": "full-point" });
            self.deeds(json!([bye])).await;
        }
        let mut list = "Section,Round,Table,First,Second\n".to_owned();
        for (table, [first, second]) in (1..).zip(&met) {
            list.push_str(&format!("{section},{round},{table},{first},{second}\n"));
        }
        let (status, answer) = send(&self.server, "import?kind=pairings", &list).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        met
    }

    /// Seats are chosen at the table; the first team is team 1.
    async fn sit(&mut self, at: usize, table: &str, round: usize, met: [usize; 2]) {
        let event = self.chief.json("/api/v1/td/event").await;
        let section = &event["sections"][at];
        let players = |team: usize, member: usize| {
            section["entrants"][team - 1]["players"][member]["player"].clone()
        };
        let is_this = |pairing: &&Value| pairing["table"] == table && pairing["round"] == round;
        let pairing = section["pairings"].as_array().unwrap().iter().find(is_this).unwrap();
        let [first, second] = met;
        let seats =
            json!([players(first, 0), players(second, 0), players(second, 1), players(first, 1)]);
        let chosen =
            json!({ "kind": "seats-chosen", "pairing": pairing["pairing"], "seats": seats });
        self.deeds(json!([chosen])).await;
    }

    /// A match is played, and its result entered.
    async fn play(&mut self, id: &str, table: &str, boot: u64, winner: &str) {
        let mut script = scholars_mate(table, id);
        script.state(MatchState::Ended, 20_000_000);
        self.report(&script, id, table, boot, 9).await;
        self.enter(id, winner).await;
    }

    async fn report(&self, script: &Script, id: &str, table: &str, boot: u64, plies: usize) {
        let mut hub =
            Hub::connect(self.server.mqtt_port, &format!("hub-{table}"), boot, &[table]).await;
        hub.send_until_committed(&script.rows).await;
        let all = |it: &Value| it["plies"].as_array().is_some_and(|it| it.len() == plies);
        self.server.until(&format!("/api/v1/matches/{id}"), "its plies", all).await;
    }

    async fn enter(&mut self, id: &str, winner: &str) {
        let decided = json!({ "what": "enter-result", "winner": winner, "reason": "mate" });
        let deed = json!({ "of": "match", "match": id, "seen": 9999, "decided": decided });
        self.chief.done(deed).await;
    }

    /// A claim is upheld and wins the match for team 1; team 2 appeals, the section chief denies the claim, and the match goes to `winner`.
    async fn play_with_an_appeal(&mut self, id: &str, table: &str, boot: u64, winner: &str) {
        let mut script = with_illegal_move(table, id);
        script.state(MatchState::Paused, 3_000_000);
        self.report(&script, id, table, boot, 2).await;
        let mut floor = Phone::paired(&self.server, "Flo", "floor", json!({})).await;
        let mut section = Phone::paired(&self.server, "Sue", "section-chief", json!({})).await;
        let claim =
            json!({ "what": "claim", "claim": "illegal-ply", "by": "white-a", "against": 2 });
        let opened = decide(&mut floor, id, claim).await;
        assert_eq!(self.decided(id).await, json!([]), "an open claim is for directors alone");
        let ruling = json!({ "what": "rule", "on": opened, "decision": "upheld", "note": "seen" });
        let ruled = decide(&mut floor, id, ruling).await;
        assert_eq!(self.standing(id).await, "team-1", "the ruling gives the match to team 1");
        assert_eq!(self.decided(id).await[0]["ruling"], "upheld");
        let appeal = json!({ "what": "appeal", "of": ruled, "to": "section-chief" });
        let shown = floor.json(&format!("/api/v1/td/matches/{id}")).await;
        let version = &shown["version"];
        let deed = json!({ "of": "match", "match": id, "seen": version, "team": "team-2", "decided": appeal });
        let appealed = floor.done(deed).await;
        let note = "the witness saw another piece";
        let denied =
            json!({ "what": "decide", "appeal": appealed, "decision": "denied", "note": note });
        decide(&mut section, id, denied).await;
        assert!(self.standing(id).await.is_null(), "the result of the ruling is gone");
        assert_eq!(self.decided(id).await[0]["ruling"], "denied");
        script.state(MatchState::Playing, 4_000_000);
        script.ply(Board::A, Side::White, "d1h5");
        script.state(MatchState::Ended, 20_000_000);
        self.report(&script, id, table, boot, 3).await;
        self.enter(id, winner).await;
        assert_eq!(self.standing(id).await, winner);
    }

    /// Winning team by entered results and rulings.
    async fn standing(&self, id: &str) -> Value {
        self.chief.json(&format!("/api/v1/td/matches/{id}")).await["result"]["winner"].clone()
    }

    /// Public view of claims.
    /// Decisions are found by team and by player, and no file names one.
    async fn check_report(&self) {
        let rounds_of = |report: &Value| -> std::collections::BTreeSet<u64> {
            report["lines"]
                .as_array()
                .unwrap()
                .iter()
                .map(|it| it["round"].as_u64().unwrap())
                .collect()
        };
        for who in ["K-9%203", "B%20K-9%203"] {
            let report = self.chief.json(&format!("/api/v1/td/ledger?who={who}")).await;
            assert_eq!(
                rounds_of(&report).len(),
                ROUNDS,
                "a match of {who} in each round: {report}"
            );
        }
        let nobody = self.chief.json("/api/v1/td/ledger?who=C%20K-9%203").await;
        assert_eq!(nobody["lines"], json!([]));
        let csv = self.chief.get("/api/v1/td/ledger.csv?who=B%20K-9%203").await;
        let csv = csv.text().await.unwrap();
        assert!(csv.lines().count() > ROUNDS && !csv.contains("B K-9 3"), "{csv}");
    }

    async fn decided(&self, id: &str) -> Value {
        self.server.json(&format!("/api/v1/matches/{id}")).await["decided"].clone()
    }

    async fn text(&self, path: &str) -> String {
        self.server.get(path).await.text().await.unwrap()
    }

    /// Other programs read every legal ply of the event, and a part goes on after the illegal one.
    async fn check_records(&self, matches: usize) {
        let record: Value = self.server.json("/api/v1/event.json").await;
        let plies =
            record.as_array().unwrap().iter().flat_map(|it| it["plies"].as_array().unwrap());
        let (illegal, legal): (Vec<_>, Vec<_>) =
            plies.partition(|ply| !ply["illegal_reason"].is_null());
        assert_eq!(illegal.len(), 1, "{illegal:?}");
        let bpgn = self.text("/api/v1/event.portable.bpgn").await;
        let pgn = self.text("/api/v1/event.portable.pgn").await;
        for (read, boards) in [(read_bpgn(&bpgn), 1), (read_pgn(&pgn), 2)] {
            let wrong: Vec<_> = read.iter().filter(|game| game.error.is_some()).collect();
            assert!(wrong.is_empty(), "{wrong:?}");
            assert!(read.len() > matches * boards, "{} games", read.len());
            let read: usize = read.iter().map(|game| game.plies).sum();
            assert_eq!(read, legal.len());
        }
        // Written for trials of other programs.
        let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
        std::fs::write(folder.join("event.portable.bpgn"), bpgn).unwrap();
        std::fs::write(folder.join("event.portable.pgn"), pgn).unwrap();
    }

    async fn check_standings(&self, section: &str, teams: usize, after: usize) {
        let scores = scores(section, teams, after);
        let path = format!("/api/v1/standings?section={section}");
        let standings = self.server.json(&path).await;
        let rows = standings["standings"]["rows"].as_array().unwrap();
        assert_eq!(rows.len(), teams);
        for (number, score) in scores.iter().enumerate().skip(1) {
            let name = format!("{section} {number}");
            let row = rows.iter().find(|row| row["name"] == name.as_str()).unwrap();
            let found = (row["score"].as_f64(), &row["provisional"]);
            assert_eq!(found, (Some(*score), &json!(false)), "{name} after round {after}");
        }
        let in_order: Vec<f64> = rows.iter().filter_map(|row| row["score"].as_f64()).collect();
        assert!(in_order.is_sorted_by(|above, below| above >= below), "{in_order:?}");
    }
}

async fn decide(phone: &mut Phone, id: &str, decided: Value) -> Value {
    let (status, answer) = phone.decide(id, decided).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    answer["act"].clone()
}

#[tokio::test]
#[ignore = "needs python-chess: cargo xtask test programs"]
async fn twenty_four_teams_play_five_rounds_on_eight_tables_over_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(folder.path());
    let server = Server::start(config.clone()).await;
    let chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    let mut played = Played { server, chief };
    // The organiser's file has two mistakes at first: a number twice, and a player in two teams.
    let wrong = teams_file().replace("K-6,2,K-6 2,", "K-6,1,K-6 2,").replace("B K-9 8", "A K-9 7");
    let import = format!("import?{AS_TEAMS}").replace("rounds=3", "rounds=5");
    let (status, answer) = send(&played.server, &import, &wrong).await;
    assert_eq!(status, StatusCode::CONFLICT, "{answer}");
    let lines: Vec<u64> = answer["problems"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|it| it["line"].as_u64())
        .collect();
    assert!(lines.contains(&3) && lines.contains(&25), "{answer}");
    assert_eq!(played.server.json("/api/v1/event").await["sections"], json!([]));
    let (status, answer) = send(&played.server, &import, &teams_file()).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let tables: Vec<String> = (1..=TABLES).map(|table| table.to_string()).collect();
    played.deeds(json!([{ "kind": "tables-listed", "tables": tables }])).await;
    for round in 1..=ROUNDS {
        if round == WITHDRAWN.2 {
            let (section, number, from_round) = WITHDRAWN;
            let left = json!({ "kind": "entrant-withdrawn", "section": section, "number": number, "from_round": from_round });
            played.deeds(json!([left])).await;
        }
        if round == ROUNDS {
            played.server.stop().await;
            played.server = Server::start(config.clone()).await;
            played.chief = Phone::paired(&played.server, "Ann", "chief", json!({})).await;
        }
        for (at, (section, teams)) in SECTIONS.into_iter().enumerate() {
            for (number, met) in (1..).zip(played.pair(section, teams, round).await) {
                let table = number.to_string();
                played.sit(at, &table, round, met).await;
                let id = format!("{section}-round{round}-table{table}");
                let boot = (round * SECTIONS.len() + at) as u64;
                let winner = if first_wins(met, round) { "team-1" } else { "team-2" };
                match (section, round, number) == (APPEALED.0, APPEALED.1, 1) {
                    true => played.play_with_an_appeal(&id, &table, boot, winner).await,
                    false => played.play(&id, &table, boot, winner).await,
                }
            }
            played.check_standings(section, teams, round).await;
        }
    }
    // A shown and confirmed result is one line, with the team's name.
    let shown = played.server.json("/api/v1/matches/K-6-round1-table1").await;
    let result = &shown["table"]["result"];
    assert_eq!(result["text"], "K-6 1 wins on board A: mate, seen by the table; confirmed");
    assert_eq!(result["confirmed_by"], "director");
    let csv = played.chief.get("/api/v1/td/results.csv").await.text().await.unwrap();
    let pairings = ROUNDS * 12 - (ROUNDS + 1 - WITHDRAWN.2);
    assert_eq!(csv.lines().count(), 1 + pairings, "{csv}");
    let record = played.server.get("/api/v1/event.csv?section=K-9&team=K-9%203").await;
    let record = record.text().await.unwrap();
    let matches: std::collections::BTreeSet<&str> =
        record.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    assert_eq!(matches.len(), ROUNDS, "one match of the team in each round: {matches:?}");
    played.check_records(pairings).await;
    played.check_report().await;
    // Without consent no player is on a public path.
    for path in ["/api/v1/event", "/api/v1/round", "/api/v1/event.json", "/api/v1/event.bpgn", "/"]
    {
        let text = played.server.get(path).await.text().await.unwrap();
        assert!(!text.contains("A K-6 1") && !text.contains("B K-9 1"), "{path}");
    }
    played.server.stop().await;
}
