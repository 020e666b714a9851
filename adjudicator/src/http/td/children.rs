//! Links by which families follow their children: made here, given to them on paper, and known by their digests alone.

use axum::{
    Json,
    extract::{State, rejection::JsonRejection},
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use event::{Deed, PlayerId};
use serde::{Deserialize, Serialize};

use super::{
    super::{Desk, Problem},
    acts, session,
    staff::code,
};
use crate::{
    hall::{
        acts::{ActDeed, Answer, PersonAct, Source},
        event::staff::Digest,
    },
    pki::secrets,
};

/// Most links that are made at once: those of a large section.
const LINKS_MAX: usize = 500;

/// Whose links are to be made.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Wanted {
    players: Vec<u32>,
}

/// A link that was made: to be printed, since it is kept nowhere.
#[derive(Serialize)]
struct Made {
    player: u32,
    path: String,
    /// The rows of a QR code.
    code: Option<String>,
}

/// Makes links for these children; earlier ones of theirs are void.
pub(in crate::http) async fn links(
    State(desk): State<Desk>,
    headers: HeaderMap,
    body: Result<Json<Wanted>, JsonRejection>,
) -> Result<Response, Problem> {
    let session = session::to_change(&desk, &headers)?;
    let Json(Wanted { players }) =
        body.map_err(|error| Problem::new(error.status(), error.body_text()))?;
    let wrong = |reason: String| Problem::new(axum::http::StatusCode::UNPROCESSABLE_ENTITY, reason);
    if players.is_empty() || players.len() > LINKS_MAX {
        return Err(wrong(format!("ask for 1 to {LINKS_MAX} links at a time")));
    }
    let made: Vec<(u32, String)> =
        players.into_iter().map(|player| (player, secrets::generate())).collect();
    let deed = |(player, secret): &(u32, String)| Deed::LinkGiven {
        player: PlayerId(*player),
        digest: Digest::of(secret).hex(),
    };
    let deeds: Vec<Deed> = made.iter().map(deed).collect();
    let may = session.may_change_event(&desk.floor.hall(), &deeds);
    may.map_err(|reason| Problem::new(axum::http::StatusCode::FORBIDDEN, reason))?;
    let source = Source::fresh(session.device);
    let act = PersonAct { source, by: session.actor.clone(), deed: ActDeed::Event { deeds } };
    let answer = desk.commits.commit(&act).await.map_err(|error| acts::not_committed(&error))?;
    if let Answer::Refused { .. } = answer {
        return Ok(acts::answered(&answer));
    }
    let link = |(player, secret): (u32, String)| {
        let path = format!("/child#{secret}");
        Made { player, code: code(&headers, &path), path }
    };
    let links: Vec<Made> = made.into_iter().map(link).collect();
    Ok(Json(links).into_response())
}
