//! One destination of rounds: the texts that it gets, and the meaning of its answers.

use std::collections::{HashMap, HashSet};

use axum::http::{Method, StatusCode, header};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::public_pages::PageFile;

use crate::{
    config::{Config, Mirror, Push},
    machine::broadcast_notices::BroadcastNotices,
    outlets::outbound::{Answer, Outbound, OutboundError},
    views::records::feed::{ALL_GAMES, RoundFeed},
};

/// Maximum number of refused games that a notice names.
const GAMES_NAMED_MAX: usize = 3;
/// Longest reason of another server that is shown, in characters.
const REASON_MAX: usize = 200;

/// A place.
#[derive(Debug)]
pub(crate) struct Destination {
    outbound: Outbound,
    kind: Kind,
    /// Key of its notices.
    place: String,
    /// Digest of the version that each path has, as far as it was accepted.
    sent: HashMap<String, [u8; 32]>,
}

#[derive(Debug)]
enum Kind {
    Push(Push),
    Mirror { with_pages: bool },
}

/// Result of sending the changes that one check found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The destination has every text.
    AllSent,
    /// A text was not sent, and is tried again.
    Failed,
    /// The destination asks for a pause.
    TooOften,
}

/// A text and its path.
struct Text {
    path: String,
    media: String,
    body: Vec<u8>,
    /// Digest of the content; the text is sent again when it differs.
    version: [u8; 32],
    /// Its round, for people.
    of: String,
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

impl Destination {
    /// The destinations that the configuration names.
    ///
    /// # Errors
    ///
    /// A text is no address, or its token cannot be read.
    pub(crate) fn all(config: &Config) -> Result<Vec<Destination>, OutboundError> {
        let pushes = config.pushes.iter().map(|push| {
            let outbound = Outbound::new("push", &push.url, push.token_file.as_deref())?;
            let place = format!("push:{}", push.section);
            Ok(Destination {
                outbound,
                kind: Kind::Push(push.clone()),
                place,
                sent: HashMap::new(),
            })
        });
        let mirrors = config.mirrors.iter().map(|Mirror { url, token_file, pages }| {
            let outbound = Outbound::new("mirror", url, token_file.as_deref())?;
            let place = format!("mirror:{url}");
            let kind = Kind::Mirror { with_pages: *pages };
            Ok(Destination { outbound, kind, place, sent: HashMap::new() })
        });
        pushes.chain(mirrors).collect()
    }

    /// Whether it gets the pages.
    pub(super) const fn has_pages(&self) -> bool {
        matches!(self.kind, Kind::Mirror { with_pages: true })
    }

    /// Sends the changed texts. Each failure is a notice until the destination accepts.
    pub(super) async fn send(
        &mut self,
        rounds: &[RoundFeed],
        pages: Vec<PageFile>,
        notices: &BroadcastNotices,
    ) -> Outcome {
        let mut texts = self.texts(rounds, notices);
        // Files that are no longer public are emptied: a host that takes files by PUT need not know how to delete one.
        let shown: HashSet<&str> = pages.iter().map(|page| page.path.as_str()).collect();
        let gone = self.sent.keys().filter(|path| is_page(path) && !shown.contains(path.as_str()));
        texts.extend(gone.cloned().map(Text::emptied));
        texts.extend(pages.into_iter().map(Text::of_pages));
        for text in texts {
            if self.sent.get(&text.path) == Some(&text.version) {
                continue;
            }
            let (method, host) = match self.kind {
                Kind::Push(_) => (Method::POST, self.outbound.host()),
                Kind::Mirror { .. } => (Method::PUT, self.outbound.host()),
            };
            let headers = [(header::CONTENT_TYPE.as_str(), text.media)];
            let sent = self.outbound.send(method, &text.path, &headers, text.body).await;
            let failure = match &sent {
                Ok(answer) if answer.status.is_success() => None,
                Ok(answer) => Some(refused(answer.status)),
                Err(reason) => Some(format!("{reason}; it is tried again")),
            };
            if let Some(failure) = failure {
                notices.put(&self.place, format!("{} does not reach {host}: {failure}", text.of));
                let is_limited =
                    sent.is_ok_and(|answer| answer.status == StatusCode::TOO_MANY_REQUESTS);
                return if is_limited { Outcome::TooOften } else { Outcome::Failed };
            }
            notices.settle(&self.place);
            if let (Kind::Push(_), Ok(answer)) = (&self.kind, &sent) {
                // The same text would be refused again: it is sent again once it has changed.
                match refused_games(answer) {
                    Some(games) => {
                        notices.put(&text.path, format!("{}: {host} refuses {games}", text.of))
                    }
                    None => notices.settle(&text.path),
                }
            }
            self.sent.insert(text.path, text.version);
        }
        Outcome::AllSent
    }

    /// The texts that the destination has to have.
    fn texts(&self, rounds: &[RoundFeed], notices: &BroadcastNotices) -> Vec<Text> {
        let of = |round: &RoundFeed| match (&round.section, round.round) {
            (Some(section), Some(number)) => format!("{section}, round {number}"),
            (Some(section), None) => section.clone(),
            _ => "the event".to_owned(),
        };
        let push = match &self.kind {
            Kind::Push(push) => push,
            Kind::Mirror { .. } => {
                let files = rounds.iter().flat_map(|round| {
                    round.files().into_iter().map(move |file| {
                        let media = match file.name.ends_with(".json") {
                            true => "application/json",
                            false => "application/x-chess-pgn",
                        };
                        let path = format!("{}/{}", round.path, file.name);
                        Text::new(path, media, file.text, of(round))
                    })
                });
                return files.collect();
            }
        };
        let mut texts = Vec::new();
        for round in rounds.iter().filter(|it| it.section.as_ref() == Some(&push.section)) {
            let Some(number) = round.round else { continue };
            let place = format!("{}:{number}", self.place);
            let Some(id) = push.rounds.get(usize::from(number).saturating_sub(1)) else {
                notices.put(
                    &place,
                    format!(
                        "{} is not pushed: push.rounds has no id for it; add one and restart",
                        of(round)
                    ),
                );
                continue;
            };
            if let Some(text) = round.file(ALL_GAMES) {
                let path = format!("api/broadcast/round/{id}/push");
                texts.push(Text::new(path, "text/plain; charset=utf-8", text, of(round)));
            }
        }
        texts
    }
}

/// The pages, for people.
const PAGES: &str = "the public pages";

impl Text {
    fn new(path: String, media: &str, text: String, of: String) -> Text {
        let version = Sha256::digest(&text).into();
        Text { path, media: media.to_owned(), body: text.into_bytes(), version, of }
    }

    /// A file of the pages without content.
    fn emptied(path: String) -> Text {
        Text::new(path, "application/octet-stream", String::new(), PAGES.to_owned())
    }

    fn of_pages(file: PageFile) -> Text {
        let PageFile { path, media, bytes, version } = file;
        let version = Sha256::digest(version).into();
        Text { path, media, body: bytes, version, of: PAGES.to_owned() }
    }
}

/// Whether a file of a mirror belongs to the pages, and not to the feed.
fn is_page(path: &str) -> bool {
    path.starts_with("api/v1/") || path.ends_with("index.html")
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
fn refused_games(answer: &Answer) -> Option<String> {
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
            refused_games(&Answer { status: StatusCode::OK, body: body.to_owned().into() })
        };
        assert_eq!(answer(r#"{"games":[{"tags":{"White":"A"},"moves":4}]}"#), None);
        assert_eq!(answer("no JSON"), None);
        let one = r#"{"tags":{"White":"A","Black":"B"},"error":"Cannot parse\nmove"}"#;
        let words = answer(&format!("{{\"games\":[{one},{one},{one},{one}]}}"));
        let shown = "A – B (Cannot parsemove)";
        assert_eq!(words, Some(format!("{shown}; {shown}; {shown}; and 1 more")));
    }
}
