//! A director's phone with its commonest acts, for all tests of directors.

use adjudicator::Config;
use proto::mqtt::message::{Board, Side};
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};

use crate::{
    description::check,
    support::{self, Hub, PATIENCE, Script, Server},
};

pub(crate) const TOKEN: &str = "a-token-of-the-organiser";

/// A configuration with a token for directors.
pub(crate) fn config(folder: &std::path::Path) -> Config {
    let mut config = support::config(folder);
    let file = folder.join("td-token");
    adjudicator::pki::secrets::write(&file, TOKEN).unwrap();
    config.http.td_token_file = Some(file);
    config
}

/// A device with its secrets.
#[derive(Clone)]
pub(crate) struct Phone {
    pub(crate) http: String,
    pub(crate) client: reqwest::Client,
    pub(crate) cookie: String,
    pub(crate) key: String,
    /// Acts sent so far.
    pub(crate) acts: u64,
}

impl Phone {
    /// Invites a person with the token and pairs a device.
    pub(crate) async fn paired(
        server: &impl AsRef<str>,
        person: &str,
        rank: &str,
        scope: Value,
    ) -> Phone {
        let invitation = invite(server, person, rank, scope).await;
        let token = invitation["path"].as_str().unwrap().split_once('#').unwrap().1.to_owned();
        let answer = pair(server, &token, invitation["pin"].as_str().unwrap()).await;
        assert_eq!(answer.status(), StatusCode::OK);
        let set = answer.headers()["set-cookie"].to_str().unwrap().to_owned();
        for part in ["HttpOnly", "SameSite=Strict", "Path=/api/v1/td"] {
            assert!(set.contains(part), "{set}");
        }
        let cookie = set.split(';').next().unwrap().to_owned();
        let body: Value = answer.json().await.unwrap();
        let key = body["key"].as_str().unwrap().to_owned();
        Phone {
            http: server.as_ref().to_owned(),
            client: reqwest::Client::new(),
            cookie,
            key,
            acts: 0,
        }
    }

    pub(crate) fn signed(&self, request: RequestBuilder) -> RequestBuilder {
        request.header("cookie", &self.cookie).header("x-twinboard-key", &self.key)
    }

    pub(crate) async fn get(&self, path: &str) -> reqwest::Response {
        let request = self.client.get(format!("{}{path}", self.http));
        self.signed(request).send().await.unwrap()
    }

    pub(crate) async fn json(&self, path: &str) -> Value {
        let answer = self.get(path).await;
        let status = answer.status();
        assert!(status.is_success(), "{path}: {status}");
        let value = answer.json().await.unwrap();
        check(&Method::GET, path, None, (status, &value));
        value
    }

    /// A match, as soon as it is shown: a row is acknowledged when it is committed, and shown a moment later.
    pub(crate) async fn match_there(&self, match_id: &str) -> Value {
        let path = format!("/api/v1/td/matches/{match_id}");
        let deadline = tokio::time::Instant::now() + PATIENCE;
        while self.get(&path).await.status() == StatusCode::NOT_FOUND
            && tokio::time::Instant::now() < deadline
        {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        self.json(&path).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> (StatusCode, Value) {
        let request = self.client.post(format!("{}{path}", self.http)).json(body);
        let answer = self.signed(request).send().await.unwrap();
        let (status, value) = (answer.status(), answer.json().await.unwrap_or(Value::Null));
        check(&Method::POST, path, Some(body), (status, &value));
        (status, value)
    }

    /// Sends the next act.
    pub(crate) async fn act(&mut self, deed: Value) -> (StatusCode, Value) {
        self.acts += 1;
        let key = format!("act {}", self.acts);
        self.post("/api/v1/td/acts", &json!({ "key": key, "deed": deed })).await
    }

    /// Sends the next act, which must be accepted, and returns its number in the log.
    pub(crate) async fn done(&mut self, deed: Value) -> u64 {
        let (status, answer) = self.act(deed).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        answer["act"].as_u64().unwrap()
    }

    /// Decides something about a match as it is now.
    pub(crate) async fn decide(&mut self, match_id: &str, decided: Value) -> (StatusCode, Value) {
        let seen = self.match_there(match_id).await["version"].clone();
        self.act(json!({ "of": "match", "match": match_id, "seen": seen, "decided": decided }))
            .await
    }
}

pub(crate) async fn with_token(
    server: &impl AsRef<str>,
    path: &str,
    body: &Value,
) -> (StatusCode, Value) {
    let request = reqwest::Client::new().post(format!("{}{path}", server.as_ref())).json(body);
    let answer = request.bearer_auth(TOKEN).send().await.unwrap();
    (answer.status(), answer.json().await.unwrap_or(Value::Null))
}

pub(crate) async fn invite(
    server: &impl AsRef<str>,
    person: &str,
    rank: &str,
    scope: Value,
) -> Value {
    let wish = json!({ "person": person, "rank": rank, "scope": scope });
    let deadline = tokio::time::Instant::now() + PATIENCE;
    loop {
        let (status, invitation) = with_token(server, "/api/v1/td/invitations", &wish).await;
        // Through a front, whose line may be down for a moment on a loaded machine.
        if !status.is_server_error() || tokio::time::Instant::now() > deadline {
            assert_eq!(status, StatusCode::OK, "{invitation}");
            return invitation;
        }
    }
}

pub(crate) async fn pair(server: &impl AsRef<str>, token: &str, pin: &str) -> reqwest::Response {
    let body = json!({ "token": token, "pin": pin, "label": "a test" });
    let request =
        reqwest::Client::new().post(format!("{}/api/v1/td/pair", server.as_ref())).json(&body);
    request.send().await.unwrap()
}

/// Black answers an open file with an illegal move of the king's rook at A.
pub(crate) fn with_illegal_move(table: &str, match_id: &str) -> Script {
    let mut script = Script::playing(table, match_id);
    script.ply(Board::A, Side::White, "e2e4");
    script.ply(Board::A, Side::Black, "h8h5");
    script
}

/// An illegal move at table 1, for which Ann enters White's claim; returns the number of that act.
pub(crate) async fn claimed(server: &Server, ann: &mut Phone) -> (Hub, u64) {
    let mut hub = Hub::connect(server.mqtt_port, "north", 7, &["1"]).await;
    hub.send_until_committed(&with_illegal_move("1", "m1").rows).await;
    server.until("/api/v1/round", "the match", |it| it["tables"][0]["ply_count"] == 2).await;
    let claim = json!({ "what": "claim", "claim": "illegal-ply", "by": "white-a" });
    let (status, answer) = ann.decide("m1", claim).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    (hub, answer["act"].as_u64().unwrap())
}
