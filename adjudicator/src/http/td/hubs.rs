//! The desk's side of hubs: new ones that ask, and the places of nodes.

use axum::{
    Json,
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use proto::join::JoinCode;
use rules::BoardId;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    super::{Desk, JsonBody, Problem, hubs},
    acts,
    session::{self, Session},
};
use crate::{
    hall::{
        Hall, HubNode, HubNodes,
        acts::{ActDeed, Answer, PersonAct, Source},
    },
    time::run_ms,
};

/// Answer about all hubs, for the chief.
pub(in crate::http) async fn list(
    State(desk): State<Desk>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    chief(session::of(&desk, &headers)?)?;
    let hall = desk.floor.hall();
    let asking = desk.joining.as_ref().map(|joining| joining.asking(run_ms()));
    let sections: Vec<&String> = hall.event().sections().keys().collect();
    Ok(Json(json!({
        "accepts": desk.joining.is_some(),
        "asking": asking.unwrap_or_default(),
        "free_tables": hall.free_tables(),
        "sections": sections,
        "swapped": hall.swaps().into_iter().map(|(_, words)| words).collect::<Vec<_>>(),
        "hubs": hall.hub_nodes().map(|hub| shown(&hall, &hub)).collect::<Vec<_>>(),
    }))
    .into_response())
}

fn shown(hall: &Hall, about: &HubNodes<'_>) -> Value {
    let guess = hall.guess(about.hub);
    let node = |node: &HubNode| {
        let guessed = guess.nodes.iter().find(|(id, _)| *id == node.id).map(|(_, board)| *board);
        json!({
            "node": node.id,
            "kind": if node.sensor.is_some() { "board" } else { "clock" },
            "is_present": node.is_present,
            "table": node.place.as_ref().map(|(table, _)| table),
            "board": node.place.as_ref().map(|(_, board)| *board).or(guessed),
            "by_file": node.by_file,
            "firmware": node.firmware,
            "image": node.image,
            "is_outdated": node.is_outdated,
        })
    };
    json!({
        "hub": about.hub,
        "is_online": about.is_online,
        "is_waited_for": about.is_waited_for,
        "refused": about.refused,
        "guessed_table": guess.table,
        "nodes": about.nodes.iter().map(node).collect::<Vec<_>>(),
    })
}

/// A code that the chief has typed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Typed {
    code: String,
}

pub(in crate::http) async fn accept(
    State(desk): State<Desk>,
    headers: HeaderMap,
    body: Result<JsonBody<Typed>, Problem>,
) -> Result<Response, Problem> {
    let session = chief(session::to_change(&desk, &headers)?)?;
    hubs::of(&desk)?;
    let JsonBody(Typed { code }) = body?;
    let code: JoinCode = code
        .parse()
        .map_err(|error| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, format!("{error}")))?;
    let found = in_the_background(&desk, move |desk| {
        hubs::of(desk)?.find(&code, run_ms()).map_err(Problem::from)
    })
    .await?;
    let hub = found.hub();
    // In the log before it has an effect, as every act.
    let deed = ActDeed::AcceptHub { hub: hub.clone() };
    let act = PersonAct { source: Source::fresh(session.device), by: session.actor.clone(), deed };
    let answer = desk.commits.commit(&act).await.map_err(|error| acts::not_committed(&error))?;
    if let Answer::Refused { .. } = answer {
        return Ok(acts::answered(&answer));
    }
    in_the_background(&desk, move |desk| {
        hubs::of(desk)?.accept(&found, run_ms()).map_err(Problem::from)
    })
    .await?;
    tracing::info!(hub, by = session.actor.person, "a new hub is accepted");
    Ok(Json(json!({ "hub": hub })).into_response())
}

/// Does what takes a while where it delays no other request.
async fn in_the_background<T: Send + 'static>(
    desk: &Desk,
    work: impl FnOnce(&Desk) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let desk = desk.clone();
    let done = tokio::task::spawn_blocking(move || work(&desk)).await;
    done.map_err(|error| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?
}

/// Nodes of a table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct NodePlaces {
    /// The table.
    table: String,
    /// Its nodes with their boards; without any the table is not the hub's any more.
    nodes: Vec<(String, BoardId)>,
    /// The section whose terms are played there, where the event has several.
    #[serde(default)]
    section: Option<String>,
}

pub(in crate::http) async fn place(
    State(desk): State<Desk>,
    headers: HeaderMap,
    Path(hub): Path<String>,
    body: Result<JsonBody<NodePlaces>, Problem>,
) -> Result<Response, Problem> {
    let session = chief(session::to_change(&desk, &headers)?)?;
    let JsonBody(NodePlaces { table, nodes, section }) = body?;
    if !crate::config::is_segment(&table) {
        let reason = format!("{table:?} is no table name");
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, reason));
    }
    let tables = desk.floor.hall().placing(&hub, &table, &nodes, section.as_deref());
    let tables = tables.map_err(|reason| Problem::new(StatusCode::CONFLICT, reason))?;
    let deed = ActDeed::PlaceNodes { hub, tables };
    acts::commit(&desk, &session, Source::fresh(session.device), deed).await
}

fn chief(session: Session) -> Result<Session, Problem> {
    session.may_set_up_hubs().map_err(|reason| Problem::new(StatusCode::FORBIDDEN, reason))?;
    Ok(session)
}
