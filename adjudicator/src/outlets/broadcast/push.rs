//! A broadcast of Lichess that a section's games are pushed to, and the meaning of its answers.

use std::collections::HashMap;

use axum::http::{Method, StatusCode, header};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::Outcome;
use crate::{
    config,
    machine::broadcast_notices::BroadcastNotices,
    outlets::outbound::{HttpAnswer, Outbound, OutboundError},
    views::records::feed::{ALL_GAMES, RoundFeed},
};

/// Maximum number of refused games that a notice names.
const GAMES_NAMED_MAX: usize = 3;
/// Longest reason of another server that is shown, in characters.
const REASON_MAX: usize = 200;

/// The broadcast of a section.
#[derive(Debug)]
pub(crate) struct Push {
    outbound: Outbound,
    of: config::PushSettings,
    /// Key of its notices.
    place: String,
    /// Digest of the games that each round has, as far as they were accepted.
    sent: HashMap<String, [u8; 32]>,
}

/// The interface's answer to a push.
#[derive(Deserialize)]
struct Pushed {
    #[serde(default)]
    games: Vec<PushedGame>,
}

#[derive(Deserialize)]
struct PushedGame {
    #[serde(default)]
    tags: HashMap<String, String>,
    #[serde(default)]
    error: Option<String>,
}

impl Push {
    /// Prepares pushing.
    ///
    /// # Errors
    ///
    /// A text is no address, or its token cannot be read.
    pub(super) fn new(of: &config::PushSettings) -> Result<Push, OutboundError> {
        let outbound = Outbound::new("push", &of.url, of.token_file.as_deref())?;
        let place = format!("push:{}", of.section);
        Ok(Push { outbound, of: of.clone(), place, sent: HashMap::new() })
    }

    /// Sends the changed rounds. Each failure is a notice until the broadcast accepts.
    pub(super) async fn send(
        &mut self,
        rounds: &[RoundFeed],
        notices: &BroadcastNotices,
    ) -> Outcome {
        for round in rounds.iter().filter(|it| it.section.as_ref() == Some(&self.of.section)) {
            let (Some(number), Some(games)) = (round.round, round.file(ALL_GAMES)) else {
                continue;
            };
            let of = format!("{}, round {number}", self.of.section);
            let place = format!("{}:{number}", self.place);
            let Some(id) = self.of.rounds.get(usize::from(number).saturating_sub(1)) else {
                let words = "push.rounds has no id for it; add one and restart";
                notices.put(&place, format!("{of} is not pushed: {words}"));
                continue;
            };
            let path = format!("api/broadcast/round/{id}/push");
            let version: [u8; 32] = Sha256::digest(&games).into();
            if self.sent.get(&path) == Some(&version) {
                continue;
            }
            let host = self.outbound.host();
            let media = [(header::CONTENT_TYPE.as_str(), "text/plain; charset=utf-8".to_owned())];
            let sent = self.outbound.send(Method::POST, &path, &media, games.into_bytes()).await;
            let (outcome, failure) = match sent {
                Ok(answer) if answer.status.is_success() => {
                    notices.settle(&self.place);
                    // The same text would be refused again: it is sent again once it has changed.
                    match refused_games(&answer) {
                        Some(games) => notices.put(&path, format!("{of}: {host} refuses {games}")),
                        None => notices.settle(&path),
                    }
                    self.sent.insert(path, version);
                    continue;
                }
                Ok(answer) if answer.status == StatusCode::TOO_MANY_REQUESTS => {
                    (Outcome::TooOften, refused(answer.status))
                }
                Ok(answer) => (Outcome::Refused, refused(answer.status)),
                Err(reason) => (Outcome::Away, format!("{reason}; it is tried again")),
            };
            notices.put(&self.place, format!("{of} does not reach {host}: {failure}"));
            return outcome;
        }
        Outcome::AllSent
    }
}

/// The reason of a refusal, and the remedy.
fn refused(status: StatusCode) -> String {
    let todo = match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            "the token is not accepted: look at its rights and at token_file, and restart"
        }
        StatusCode::NOT_FOUND => "there is no such address: look at url and rounds, and restart",
        StatusCode::TOO_MANY_REQUESTS => "it asks for a pause of a minute",
        _ => "it is tried again",
    };
    format!("{status}; {todo}")
}

/// The games that an answer to a push refuses, with their reasons; none if it refuses none.
fn refused_games(answer: &HttpAnswer) -> Option<String> {
    let pushed: Pushed = serde_json::from_slice(&answer.body).ok()?;
    let tag = |game: &PushedGame, name: &str| {
        let tag = game.tags.get(name).map_or("?", String::as_str);
        tag.chars().filter(|it| !it.is_control()).take(REASON_MAX).collect::<String>()
    };
    let named: Vec<String> = pushed
        .games
        .iter()
        .filter_map(|game| {
            let error = game.error.as_ref()?;
            let error: String =
                error.chars().filter(|it| !it.is_control()).take(REASON_MAX).collect();
            Some(format!("{} – {} ({error})", tag(game, "White"), tag(game, "Black")))
        })
        .collect();
    let more = named.len().saturating_sub(GAMES_NAMED_MAX);
    let shown = named.iter().take(GAMES_NAMED_MAX).cloned().collect::<Vec<_>>().join("; ");
    match (named.is_empty(), more) {
        (true, _) => None,
        (false, 0) => Some(shown),
        (false, more) => Some(format!("{shown}; and {more} more")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_games_are_named_with_their_reasons_and_counted() {
        let answer = |body: &str| {
            refused_games(&HttpAnswer { status: StatusCode::OK, body: body.to_owned().into() })
        };
        assert_eq!(answer(r#"{"games":[{"tags":{"White":"A"},"moves":4}]}"#), None);
        assert_eq!(answer("no JSON"), None);
        let one = r#"{"tags":{"White":"A","Black":"B"},"error":"Cannot parse\nmove"}"#;
        let words = answer(&format!("{{\"games\":[{one},{one},{one},{one}]}}"));
        let shown = "A – B (Cannot parsemove)";
        assert_eq!(words, Some(format!("{shown}; {shown}; {shown}; and 1 more")));
    }
}
