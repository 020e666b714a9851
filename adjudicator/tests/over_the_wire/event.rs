//! The event: files with mistakes, names that belong to pairings, results that reach the standings.

use proto::mqtt::message::{Board, MatchState};
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::{
    phone::{Phone, TOKEN, claimed, config},
    support::{Hub, Script, Server, scholars_mate},
    web_host::{WebHost, mirrored, until},
};

const TEAMS: &str = "Section,Number,Team,Player,Partner\n\
    K-6,1,Knights,Ada Example,Bo Example\n\
    K-6,2,Rooks,Cy Example,Di Example\n";

const PAIRINGS: &str = "Section,Round,Table,First,Second\nK-6,1,1,1,2\n";

pub(crate) async fn send(server: &Server, path: &str, body: &str) -> (StatusCode, Value) {
    let request = reqwest::Client::new().post(format!("{}/api/v1/td/event/{path}", server.http));
    let answer = request.bearer_auth(TOKEN).body(body.to_owned()).send().await.unwrap();
    (answer.status(), answer.json().await.unwrap())
}

pub(crate) const AS_TEAMS: &str = "kind=teams&rulebook=us-chess-bughouse-2018&rounds=3";

/// Two teams who meet at table 1 in the first round.
pub(crate) async fn prepared(server: &Server, chief: &mut Phone) {
    let (status, answer) = send(server, &format!("import?{AS_TEAMS}"), TEAMS).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let deeds = json!([
        { "kind": "tables-listed", "tables": ["1", "2"] },
        { "kind": "round-opened", "section": "K-6", "round": 1 },
    ]);
    chief.done(json!({ "of": "event", "deeds": deeds })).await;
    let (status, answer) = send(server, "import?kind=pairings", PAIRINGS).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
}

/// Ids of the players of the first pairing, by team and member.
async fn players(chief: &Phone) -> [[u64; 2]; 2] {
    let event = chief.json("/api/v1/td/event").await;
    let of = |index: usize, member: usize| {
        event["sections"][0]["entrants"][index]["players"][member]["player"].as_u64().unwrap()
    };
    [[of(0, 0), of(0, 1)], [of(1, 0), of(1, 1)]]
}

#[tokio::test]
async fn a_file_with_mistakes_changes_nothing_and_names_each_by_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let wrong = format!("{TEAMS}K-6,2,Bishops,Ed Example,Flo Example\nK-6,4,Pawns,Ada Example,\n");
    let (status, preview) = send(&server, &format!("preview?{AS_TEAMS}"), &wrong).await;
    assert_eq!((status, &preview["sound"]), (StatusCode::OK, &json!(false)));
    let lines: Vec<u64> = preview["problems"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|problem| problem["line"].as_u64())
        .collect();
    assert!(lines.contains(&4) && lines.contains(&5), "{preview}");
    let (status, _) = send(&server, &format!("import?{AS_TEAMS}"), &wrong).await;
    assert_eq!(status, StatusCode::CONFLICT);
    assert_eq!(server.json("/api/v1/event").await["sections"], json!([]));
    server.stop().await;
}

#[tokio::test]
async fn an_import_of_other_acts_than_the_preview_had_is_refused_though_they_are_as_many() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let (_, preview) = send(&server, &format!("preview?{AS_TEAMS}"), TEAMS).await;
    let about = format!(
        "import?{AS_TEAMS}&acts={}&digest={}",
        preview["acts"],
        preview["digest"].as_str().unwrap()
    );
    let (status, answer) = send(&server, &about, &TEAMS.replace("Knights", "Bishops")).await;
    assert_eq!(status, StatusCode::CONFLICT, "{answer}");
    assert_eq!(server.json("/api/v1/event").await["sections"], json!([]));
    let (status, answer) = send(&server, &about, TEAMS).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    server.stop().await;
}

#[tokio::test]
async fn names_that_would_turn_a_line_round_and_formulas_reach_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let hidden = TEAMS.replace("Ada Example", "Ada\u{202e}Example");
    let (_, preview) = send(&server, &format!("preview?{AS_TEAMS}"), &hidden).await;
    assert_eq!(preview["sound"], false, "{preview}");
    assert!(preview.to_string().contains("U+202E"), "{preview}");
    let mut chief = Phone::paired(&server, "Chief", "chief", json!({})).await;
    let formulas = TEAMS.replace("K-6", "=1+1");
    let (status, answer) = send(&server, &format!("import?{AS_TEAMS}"), &formulas).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let deeds = json!([
        { "kind": "tables-listed", "tables": ["-2+3"] },
        { "kind": "round-opened", "section": "=1+1", "round": 1 },
    ]);
    chief.done(json!({ "of": "event", "deeds": deeds })).await;
    let pairings = "Section,Round,Table,First,Second\n=1+1,1,-2+3,1,2\n";
    let (status, answer) = send(&server, "import?kind=pairings", pairings).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let csv = chief.get("/api/v1/td/results.csv").await.text().await.unwrap();
    assert!(csv.contains("'=1+1") && csv.contains("'-2+3"), "{csv}");
    assert!(csv.lines().all(|line| !line.starts_with('=') && !line.contains(",-")), "{csv}");
    server.stop().await;
}

/// Lists that were typed or saved wrongly, what is said of each, and at which line.
const WRONG_LISTS: [(&str, &str, u64, &str); 6] = [
    ("pairings", "Section,Round,Table,First,Second\nK-6,2,9,1,2\n", 2, "no table \"9\""),
    ("pairings", "Section,Round,Table,First,Second\nK-6,2,1,1,1\n", 2, "twice"),
    ("pairings", "Section,Round,Table,First\nK-6,2,1,1\n", 1, "no column"),
    ("results", "Section,Round,Table,Result\nK-6,1,2,1-0\n", 2, "no pairing has table"),
    ("teams", "Section,Team,Player,Partner\nK-6,Rooks,Ed,Flo\n", 2, "there already"),
    ("teams", "Section,Team,Player,Partner\nK-6,Pawns,Ada Example,Flo\n", 2, "in the team"),
];

#[tokio::test]
async fn a_wrong_list_is_named_by_its_line_while_a_match_runs_and_nothing_is_half_done() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    prepared(&server, &mut chief).await;
    let mut hub = Hub::connect(server.mqtt_port, "hub-1", 7, &["1"]).await;
    let script = scholars_mate("1", "m1");
    hub.send_until_committed(&script.rows[..3]).await;
    let runs = |event: &Value| event["sections"][0]["pairings"][0]["running"] == true;
    server.until("/api/v1/event", "a match that runs", runs).await;
    let before = chief.json("/api/v1/td/event").await;
    for (kind, list, line, words) in WRONG_LISTS {
        // A right line beside the wrong one is not imported either.
        for right in ["", "K-6,2,2,1,bye\n"].into_iter().take(1 + usize::from(kind == "pairings")) {
            let (status, answer) =
                send(&server, &format!("import?kind={kind}"), &format!("{list}{right}")).await;
            assert_eq!(status, StatusCode::CONFLICT, "{list}: {answer}");
            let problems = answer["problems"].as_array().unwrap();
            let is_named = |problem: &&Value| {
                problem["line"] == line && problem["what"].as_str().unwrap().contains(words)
            };
            assert!(problems.iter().any(|problem| is_named(&problem)), "{list}: {answer}");
            assert_eq!(chief.json("/api/v1/td/event").await, before, "{list}");
        }
    }
    // In another encoding it is the same list: Windows-1252, with the delimiter of its spreadsheet.
    let latin = b"Section;Team;Player;Partner\nK-6;\xc9toiles;Zo\xeb;Jos\xe9\n".to_vec();
    let request = reqwest::Client::new()
        .post(format!("{}/api/v1/td/event/import?kind=teams", server.http))
        .bearer_auth(TOKEN)
        .body(latin);
    assert!(request.send().await.unwrap().status().is_success());
    let event = chief.json("/api/v1/td/event").await;
    assert_eq!(event["sections"][0]["entrants"][2]["name"], "Étoiles");
    server.stop().await;
}

#[tokio::test]
async fn a_result_reaches_the_standings_and_an_appeal_changes_them() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    prepared(&server, &mut chief).await;
    let [first, second] = players(&chief).await;
    // The second side sits down as team 1: White at A and Black at B.
    let seats = json!([second[0], first[0], first[1], second[1]]);
    let choose = json!({ "kind": "seats-chosen", "pairing": 1, "seats": seats });
    chief.done(json!({ "of": "event", "deeds": [choose] })).await;
    let mut script = scholars_mate("1", "m1");
    script.state(MatchState::Ended, 20_000_000);
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows).await;
    let round = server
        .until("/api/v1/round", "the match", |round| {
            round["tables"][0]["ply_count"] == 9 && round["tables"][0]["state"] == "ended"
        })
        .await;
    assert_eq!(round["tables"][0]["teams"], json!(["Rooks", "Knights"]));
    assert_eq!(
        (&round["tables"][0]["section"], &round["tables"][0]["round"]),
        (&json!("K-6"), &json!(1))
    );
    let result = json!({ "what": "enter-result", "winner": "team-1", "reason": "mate" });
    let deed = json!({ "of": "match", "match": "m1", "seen": 9999, "decided": result });
    let entered = chief.done(deed).await;
    let standings = server.json("/api/v1/standings?section=K-6").await;
    let rows = &standings["standings"]["rows"];
    assert_eq!(
        (&rows[0]["name"], &rows[0]["provisional"]),
        (&json!("Rooks"), &json!(false)),
        "{rows}"
    );
    // The result was the other way round.
    let mut result = json!({ "what": "enter-result", "winner": "team-2", "reason": "flag" });
    let deed = json!({ "of": "match", "match": "m1", "seen": 9999, "decided": result });
    let (status, answer) = chief.act(deed).await;
    assert_eq!(status, StatusCode::CONFLICT, "{answer}");
    // The list of pairings names Knights first, and Rooks have won.
    let reason = "this replaces 0-1, confirmed, of round 1: give a note that says why";
    assert_eq!(answer["reason"], reason);
    result["note"] = json!("both teams say so");
    let deed = json!({ "of": "match", "match": "m1", "seen": 9999, "decided": result });
    assert!(chief.done(deed).await > entered);
    let standings = server.json("/api/v1/standings?section=K-6").await;
    assert_eq!(standings["standings"]["rows"][0]["name"], "Knights");
    let csv = chief.get("/api/v1/td/results.csv").await.text().await.unwrap();
    assert!(csv.contains("K-6,1,1,1,1,2,1-0"), "{csv}");
    let record = server.get("/api/v1/matches/m1.bpgn").await.text().await.unwrap();
    assert!(record.contains("[Team1 \"Rooks\"]") && record.contains("[Round \"1\"]"), "{record}");
    server.stop().await;
}

#[tokio::test]
async fn a_ruling_replaces_a_result_from_paper_only_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    prepared(&server, &mut chief).await;
    let (_hub, claim) = claimed(&server, &mut chief).await;
    let slip = "Section,Round,Table,Result\nK-6,1,1,0-1\n";
    let (status, answer) = send(&server, "import?kind=results", slip).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let mut ruling = json!({ "what": "rule", "on": claim, "decision": "upheld" });
    let (status, refused) = chief.decide("m1", ruling.clone()).await;
    assert_eq!(status, StatusCode::CONFLICT, "{refused}");
    let reason = "this replaces 0-1, confirmed, of round 1: give a note that says why";
    assert_eq!(refused["reason"], reason);
    let of_round =
        async || server.json("/api/v1/event").await["sections"][0]["pairings"][0].clone();
    assert_eq!(of_round().await["result"], "0-1");
    ruling["note"] = json!("the slip was of another table");
    let (status, answer) = chief.decide("m1", ruling).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    assert_eq!(of_round().await["result"], "1-0");
    server.stop().await;
}

#[tokio::test]
async fn a_result_counts_before_anybody_says_who_sat_where_and_follows_the_seats() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    prepared(&server, &mut chief).await;
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&scholars_mate("1", "m1").rows).await;
    server.until("/api/v1/round", "the match", |it| it["tables"][0]["ply_count"] == 9).await;
    let result = json!({ "what": "enter-result", "winner": "team-1", "reason": "mate" });
    chief.done(json!({ "of": "match", "match": "m1", "seen": 9999, "decided": result })).await;
    // The list of pairings names the team first that sits as team 1.
    let first_of = async || {
        let standings = server.json("/api/v1/standings?section=K-6").await;
        let row = &standings["standings"]["rows"][0];
        (row["name"].clone(), row["score"].clone(), row["provisional"].clone())
    };
    assert_eq!(first_of().await, (json!("Knights"), json!(1.0), json!(false)));
    let round = server.json("/api/v1/round").await;
    assert_eq!(round["tables"][0]["teams"], json!(["Knights", "Rooks"]));
    assert_eq!(round["tables"][0]["sides"], json!(["Knights", "Rooks"]));
    let [first, second] = players(&chief).await;
    let seats = json!([second[0], first[0], first[1], second[1]]);
    let choose =
        json!({ "kind": "seats-chosen", "pairing": 1, "seats": seats, "note": "asked them" });
    chief.done(json!({ "of": "event", "deeds": [choose] })).await;
    assert_eq!(first_of().await, (json!("Rooks"), json!(1.0), json!(false)));
    let round = server.json("/api/v1/round").await;
    assert_eq!(round["tables"][0]["teams"], json!(["Rooks", "Knights"]));
    server.stop().await;
}

#[tokio::test]
async fn names_belong_to_pairings_and_are_public_only_where_the_organiser_said_so() {
    for is_shown in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let mut config = config(folder.path());
        config.event.show_player_names = is_shown;
        let (address, host) = WebHost::start().await;
        let server = Server::start(mirrored(config, &address, "")).await;
        let mut chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
        prepared(&server, &mut chief).await;
        let [first, second] = players(&chief).await;
        let seats = json!([first[0], second[0], second[1], first[1]]);
        let choose = json!({ "kind": "seats-chosen", "pairing": 1, "seats": seats });
        chief.done(json!({ "of": "event", "deeds": [choose] })).await;
        let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
        hub.send_until_committed(&scholars_mate("1", "m1").rows).await;
        server.until("/api/v1/round", "the match", |it| it["tables"][0]["match"] == "m1").await;
        let mut public = String::new();
        for path in [
            "/api/v1/round",
            "/api/v1/event",
            "/api/v1/standings?section=K-6",
            "/api/v1/matches",
            "/api/v1/matches/m1",
            "/api/v1/matches/m1.bpgn",
            "/api/v1/matches/m1.pgn",
            "/api/v1/event.bpgn",
        ] {
            public.push_str(&server.get(path).await.text().await.unwrap());
        }
        assert_eq!(public.contains("Ada Example"), is_shown);
        until("the match at the mirror", || {
            host.file("api/v1/matches/m1.json.gz").contains("Knights")
        })
        .await;
        let is_copied = host.puts().iter().any(|put| put.text.contains("Ada Example"));
        assert_eq!(is_copied, is_shown, "at the mirror");
        assert!(public.contains("Knights"));
        assert!(chief.json("/api/v1/td/matches/m1").await.to_string().contains("Ada Example"));
        server.stop().await;
    }
}

#[tokio::test]
async fn the_next_match_of_a_table_is_of_the_next_pairing_and_a_hub_with_another_book_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    let (status, _) = send(&server, "import?kind=teams&rulebook=nc-bughouse&rounds=3", TEAMS).await;
    assert_eq!(status, StatusCode::OK);
    let deeds = json!([
        { "kind": "tables-listed", "tables": ["1"] },
        { "kind": "round-opened", "section": "K-6", "round": 1 },
    ]);
    chief.done(json!({ "of": "event", "deeds": deeds })).await;
    let (status, _) = send(&server, "import?kind=pairings", PAIRINGS).await;
    assert_eq!(status, StatusCode::OK);
    let mut script = Script::new("1", "m1");
    script.state(MatchState::Playing, 0);
    script.clock(Board::A, 300_000, 300_000, None, 0);
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&script.rows).await;
    server.until("/api/v1/round", "play", |it| it["tables"][0]["state"] == "playing").await;
    let needs = chief.json("/api/v1/td/needs").await.to_string();
    assert!(needs.contains("section K-6 is played by"), "{needs}");
    let shown = chief.json("/api/v1/td/matches/m1").await;
    assert_eq!(
        (&shown["pairing"], &shown["shown"]["table"]["rulebook"]),
        (&json!(1), &json!("nc-bughouse"))
    );
    let event = server.json("/api/v1/event").await;
    assert_eq!(event["sections"][0]["pairings"][0]["running"], true);
    server.stop().await;
}

#[tokio::test]
async fn the_second_round_has_its_own_names_also_while_a_result_of_the_first_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    prepared(&server, &mut chief).await;
    let more = "Section,Number,Team,Player,Partner\nK-6,3,Pawns,Ed,Flo\nK-6,4,Kings,Gus,Hal\n";
    let (status, answer) = send(&server, &format!("import?{AS_TEAMS}"), more).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    let mut first = Script::new("1", "m1");
    first.state(MatchState::Playing, 0);
    first.state(MatchState::Ended, 20_000_000);
    hub.send_until_committed(&first.rows).await;
    server.until("/api/v1/round", "its end", |it| it["tables"][0]["state"] == "ended").await;
    // A match that is set up again before the next round is paired is of the same pairing.
    let pairing =
        async |id: &str| chief.json(&format!("/api/v1/td/matches/{id}")).await["pairing"].clone();
    let set_up = async |hub: &mut Hub, id: &str, from: u64| {
        let mut script = Script::new("1", id);
        script.state(MatchState::Playing, 0);
        for (row, sequence) in script.rows.iter_mut().zip(from..) {
            row.sequence = sequence;
        }
        hub.send_until_committed(&script.rows).await;
        let is_on = |it: &Value| it["tables"][0]["match"] == id;
        server.until("/api/v1/round", "the next match", is_on).await;
        from + script.rows.len() as u64
    };
    let next = set_up(&mut hub, "m2", first.rows.len() as u64 + 1).await;
    assert_eq!((pairing("m1").await, pairing("m2").await), (json!(1), json!(1)));
    let list = "Section,Round,Table,First,Second\nK-6,2,1,3,4\n";
    let (status, answer) = send(&server, "import?kind=pairings", list).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    set_up(&mut hub, "m3", next).await;
    assert_eq!(pairing("m3").await, json!(2));
    let round = server.json("/api/v1/round").await;
    assert_eq!(round["tables"][0]["sides"], json!(["Pawns", "Kings"]));
    server.stop().await;
}

#[tokio::test]
async fn a_child_is_found_where_their_team_plays_only_if_names_are_shown() {
    for show in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let mut config = config(folder.path());
        config.event.show_player_names = show;
        let server = Server::start(config).await;
        let mut chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
        prepared(&server, &mut chief).await;
        // No seats have been chosen.
        let round = server.json("/api/v1/round").await;
        let members = &round["tables"][0]["members"];
        let all = json!(["Ada Example", "Bo Example", "Cy Example", "Di Example"]);
        assert_eq!(*members, if show { all } else { Value::Null }, "{round}");
        server.stop().await;
    }
}

#[tokio::test]
async fn pairings_are_exchanged_and_a_round_says_who_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(config(folder.path())).await;
    let mut chief = Phone::paired(&server, "Ann", "chief", json!({})).await;
    prepared(&server, &mut chief).await;
    let more = format!(
        "{TEAMS}K-6,3,Pawns,Ed Example,Flo Example\nK-6,4,Kings,Gus Example,Hal Example\nK-6,5,Late,Ida Example,Jo Example\n"
    );
    let (status, answer) = send(&server, &format!("import?{AS_TEAMS}"), &more).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let late = json!([{ "kind": "entrant-removed", "section": "K-6", "number": 5 }]);
    let sections = |event: Value| event["sections"][0].clone();
    let before = sections(chief.json("/api/v1/td/event").await);
    // Those who came late may be paired from the next round on.
    assert_eq!(before["findings"], Value::Null, "{before}");
    chief.done(json!({ "of": "event", "deeds": late })).await;
    let opened = json!([{ "kind": "round-opened", "section": "K-6", "round": 2 }]);
    chief.done(json!({ "of": "event", "deeds": opened })).await;
    let list = "Section,Round,Table,First,Second\nK-6,2,1,1,3\n";
    let (status, answer) = send(&server, "import?kind=pairings", list).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let after = sections(chief.json("/api/v1/td/event").await);
    let unpaired = json!([
        { "finding": "unpaired", "number": 2 },
        { "finding": "unpaired", "number": 4 },
    ]);
    assert_eq!(after["findings"], unpaired, "{after}");
    let made = json!([{
        "kind": "pairing-made", "pairing": 90, "section": "K-6", "round": 2, "table": "2",
        "sides": [[2], [4]],
    }]);
    chief.done(json!({ "of": "event", "deeds": made })).await;
    let id = &after["pairings"][1]["pairing"];
    let exchanged = json!([
        { "kind": "entrants-exchanged", "pairings": [id, 90], "numbers": [3, 2] },
        { "kind": "tables-exchanged", "pairings": [id, 90] },
    ]);
    chief.done(json!({ "of": "event", "deeds": exchanged })).await;
    let now = sections(chief.json("/api/v1/td/event").await);
    let of = |pairing: &Value| (pairing["table"].clone(), pairing["sides"].clone());
    let round = now["pairings"].as_array().unwrap().iter().filter(|it| it["round"] == 2);
    let round: Vec<(Value, Value)> = round.map(of).collect();
    assert_eq!(round, [(json!("1"), json!([[3], [4]])), (json!("2"), json!([[1], [2]]))]);
    let rematch = json!([{ "finding": "rematch", "pairing": id, "met": 1 }]);
    assert_eq!(now["findings"], rematch, "{now}");
    // The public view has no such notes.
    let public = server.json("/api/v1/event").await;
    assert_eq!(public["sections"][0]["findings"], Value::Null);
    server.stop().await;
}
