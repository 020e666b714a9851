//! The games of each round at addresses where Lichess's relay looks for them: behind the public's delay, one game for each pairing.

use axum::{
    Json, Router,
    extract::{Path, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use serde::Serialize;
use tokio::task;

use super::{Desk, problem};
use crate::views::records::{
    Format,
    feed::{self, ALL_GAMES, RoundFeed},
};

pub(super) fn routes() -> Router<Desk> {
    Router::new()
        .route("/api/v1/feed", get(list))
        .route("/api/v1/feed/{section}/{round}", get(round))
        .route("/api/v1/feed/{section}/{round}/{file}", get(file))
}

/// The rounds, and where the games of each are.
#[derive(Serialize)]
struct FeedIndex {
    rounds: Vec<ListedRound>,
}

#[derive(Serialize)]
struct ListedRound {
    section: Option<String>,
    round: Option<u8>,
    /// The address to give to a program that polls one.
    games: String,
    /// Number of games.
    count: usize,
}

/// The rounds with their games, written off the threads that serve the hall; none if the program ends meanwhile.
async fn rounds(desk: &Desk) -> Vec<RoundFeed> {
    let (config, sight) = (desk.config.clone(), desk.public.look());
    task::spawn_blocking(move || feed::rounds(&config, &sight)).await.unwrap_or_default()
}

async fn list(State(desk): State<Desk>) -> Response {
    let rounds = rounds(&desk).await;
    let listed = rounds.into_iter().map(|round| ListedRound {
        games: format!("/api/v1/feed/{}/{ALL_GAMES}", round.path),
        count: round.games.len(),
        section: round.section,
        round: round.round,
    });
    Json(FeedIndex { rounds: listed.collect() }).into_response()
}

/// The address of a round is that of its games, too: relay follows no redirection.
async fn round(state: State<Desk>, Path((section, round)): Path<(String, String)>) -> Response {
    file(state, Path((section, round, ALL_GAMES.to_owned()))).await
}

async fn file(
    State(desk): State<Desk>,
    Path((section, round, name)): Path<(String, String, String)>,
) -> Response {
    let path = format!("{section}/{round}");
    let rounds = rounds(&desk).await;
    let found = rounds.iter().find(|round| round.path == path);
    let Some(text) = found.and_then(|round: &RoundFeed| round.file(&name)) else {
        let reason = "there is no such round or file; /api/v1/feed lists the rounds";
        return problem(StatusCode::NOT_FOUND, reason);
    };
    let media_type = match name.ends_with(".json") {
        true => Format::Json.media_type(),
        false => Format::Pgn.media_type(),
    };
    ([(header::CONTENT_TYPE, media_type)], text).into_response()
}
