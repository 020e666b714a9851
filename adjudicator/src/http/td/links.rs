//! Links on paper: one for the family of a child, one for the players at a table. They are made here, printed once, and known by their
//! digests alone.

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use event::{Deed, PlayerId};
use serde::{Deserialize, Serialize};

use super::{
    super::{Desk, JsonBody, Problem},
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

/// Maximum number of links that are made at once: those of a large section.
const LINKS_MAX: usize = 500;

/// Children whose families get links.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Children {
    players: Vec<u32>,
}

/// Tables that get links.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct LinkedTables {
    tables: Vec<String>,
}

/// A link that was made: to be printed, since it is kept nowhere.
#[derive(Serialize)]
struct Made<S> {
    #[serde(flatten)]
    of: S,
    path: String,
    /// The rows of a QR code.
    code: Option<String>,
}

#[derive(Serialize)]
struct OfChild {
    player: u32,
}

#[derive(Serialize)]
struct OfTable {
    table: String,
}

/// Makes links for these children; earlier ones of theirs are void.
pub(in crate::http) async fn of_children(
    State(desk): State<Desk>,
    headers: HeaderMap,
    body: Result<JsonBody<Children>, Problem>,
) -> Result<Response, Problem> {
    let wanted = body?.0.players.into_iter().map(|player| OfChild { player });
    make(&desk, &headers, "/child", wanted.collect(), |of, digest| Deed::LinkGiven {
        player: PlayerId(of.player),
        digest,
    })
    .await
}

/// Makes links for these tables; earlier ones of theirs are void.
pub(in crate::http) async fn of_tables(
    State(desk): State<Desk>,
    headers: HeaderMap,
    body: Result<JsonBody<LinkedTables>, Problem>,
) -> Result<Response, Problem> {
    let wanted = body?.0.tables.into_iter().map(|table| OfTable { table });
    make(&desk, &headers, "/at-table", wanted.collect(), |of, digest| Deed::TableLinkGiven {
        table: of.table.clone(),
        digest,
    })
    .await
}

async fn make<S: Serialize>(
    desk: &Desk,
    headers: &HeaderMap,
    page: &str,
    wanted: Vec<S>,
    deed: impl Fn(&S, String) -> Deed,
) -> Result<Response, Problem> {
    let session = session::to_change(desk, headers)?;
    if wanted.is_empty() || wanted.len() > LINKS_MAX {
        let reason = format!("ask for 1 to {LINKS_MAX} links at a time");
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, reason));
    }
    let made: Vec<(S, String)> = wanted.into_iter().map(|of| (of, secrets::generate())).collect();
    let deeds: Vec<Deed> =
        made.iter().map(|(of, secret)| deed(of, Digest::of(secret).hex())).collect();
    let may = session.may_change_event(&desk.floor.hall(), &deeds);
    may.map_err(|reason| Problem::new(StatusCode::FORBIDDEN, reason))?;
    let source = Source::fresh(session.device);
    let act = PersonAct { source, by: session.actor.clone(), deed: ActDeed::Event { deeds } };
    let answer = desk.commits.commit(&act).await.map_err(|error| acts::not_committed(&error))?;
    if let Answer::Refused { .. } = answer {
        return Ok(acts::answered(&answer));
    }
    let link = |(of, secret): (S, String)| {
        let path = format!("{page}#{secret}");
        Made { of, code: code(headers, &path), path }
    };
    let links: Vec<Made<S>> = made.into_iter().map(link).collect();
    Ok(Json(links).into_response())
}
