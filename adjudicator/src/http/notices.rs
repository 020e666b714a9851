//! Announcements and the times of the rounds, and what a family sees of its one child and asks for.

use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::get,
};
use event::{Deed, MessageLanguage, PlayerId};
use serde::Deserialize;

use super::{Desk, JsonBody, Problem, link, td};
use crate::{
    hall::{
        acts::{ActDeed, Actor, PersonAct, Source},
        event::staff::{DeviceId, Digest, Rank},
    },
    outlets::families,
    time::now_ms,
    views::{ChildMessages, ChildView, NoticesView},
};

/// Largest body, bytes.
const BODY_MAX: usize = 4 * 1024;

pub(super) fn routes() -> Router<Desk> {
    Router::new()
        .route("/api/v1/notices", get(notices))
        .route("/api/v1/child", get(child).post(act))
        .layer(DefaultBodyLimit::max(BODY_MAX))
}

async fn notices(State(desk): State<Desk>) -> Response {
    Json(noticed(&desk)).into_response()
}

fn noticed(desk: &Desk) -> NoticesView {
    let rate = desk.config.http.clock_rate;
    NoticesView::of(&desk.floor.hall(), &desk.public.look(), now_ms(), rate)
}

fn refuse() -> Problem {
    let reason = "this link is not valid, or not any more: ask the organiser for a new one";
    Problem::new(StatusCode::NOT_FOUND, reason)
}

/// The child of the link that comes in the header. Validity is asked of the hall as it is now: what is revoked has no delay.
fn linked(desk: &Desk, headers: &HeaderMap) -> Result<(PlayerId, Digest), Problem> {
    let digest = link::digest(headers)?;
    let player = desk.floor.hall().event().linked(&digest.hex()).ok_or_else(refuse)?;
    Ok((player, digest))
}

/// The child of the link, and nobody else.
async fn child(State(desk): State<Desk>, headers: HeaderMap) -> Result<Response, Problem> {
    let (player, digest) = linked(&desk, &headers)?;
    let (hall, notices) = (desk.floor.hall(), noticed(&desk));
    let seen = ChildView::of(&hall, &desk.public.look(), player, notices).ok_or_else(refuse)?;
    let messages = desk.config.families.ntfy.as_deref().map(|server| ChildMessages {
        address: format!("{}/{}", server.trim_end_matches('/'), families::topic(&digest.hex())),
        is_on: hall.event().is_followed(player),
    });
    Ok(Json(ChildView { messages, ..seen }).into_response())
}

/// An act of a family, with a key that identifies a repetition.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SentFamilyAct {
    key: String,
    deed: SentFamilyDeed,
}

#[derive(Deserialize)]
#[serde(tag = "of", rename_all = "kebab-case", deny_unknown_fields)]
enum SentFamilyDeed {
    /// Messages about the pairings, or none any more.
    Messages {
        #[serde(default)]
        language: Option<MessageLanguage>,
    },
}

async fn act(
    State(desk): State<Desk>,
    headers: HeaderMap,
    body: Result<JsonBody<SentFamilyAct>, Problem>,
) -> Result<Response, Problem> {
    let (player, _) = linked(&desk, &headers)?;
    let JsonBody(SentFamilyAct { key, deed: SentFamilyDeed::Messages { language } }) = body?;
    td::check_key(&key)?;
    if language.is_some() && desk.config.families.ntfy.is_none() {
        let reason = "this event sends no messages: look at this page for the next table";
        return Err(Problem::new(StatusCode::CONFLICT, reason));
    }
    let deed = ActDeed::Event { deeds: vec![Deed::PairingsFollowed { player, language }] };
    let by = Actor { person: "a family".to_owned(), rank: Rank::Scorekeeper };
    let source = Source { device: DeviceId::of_child(player), key };
    let answer = desk.commits.commit(&PersonAct { source, by, deed }).await;
    Ok(td::answered(&answer.map_err(|error| td::not_committed(&error))?))
}
