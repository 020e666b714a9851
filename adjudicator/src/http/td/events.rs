//! The event that directors run: what it is now, and organisers' files with everything that is wrong in them.

use std::net::IpAddr;

use axum::{
    Extension, Json,
    body::Bytes,
    extract::{Query, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use event::{
    Author,
    import::{FileKind, Mapping, Options, Preview, preview as preview_of},
};
use rules::rulebook::BookId;
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tokio::task;

use super::{
    super::{Desk, Problem, problem, server::Peer},
    acts,
    session::{self, Session},
};
use crate::{
    hall::acts::{ActDeed, Source, event_role},
    views::EventSheet,
};

/// What a file is, beside its bytes.
#[derive(Deserialize)]
pub(in crate::http) struct FileParameters {
    /// `teams`, `players`, `pairings`, `results`, `wintd`, `trf`, `deeds`.
    kind: String,
    /// The section of rows without one.
    section: Option<String>,
    /// The rulebook of sections that the event does not know yet.
    rulebook: Option<String>,
    /// How many rounds such a section has.
    rounds: Option<u8>,
    /// Which column is what, as JSON; guessed without it.
    mapping: Option<String>,
    /// The round of rows without one.
    round: Option<u8>,
    /// The first table for pairings of a file that has none.
    first_table: Option<u16>,
    /// Why what is known is changed, such as a confirmed result.
    note: Option<String>,
    /// How many acts the preview had: an import of something else is refused.
    acts: Option<usize>,
    /// The digest of those acts.
    digest: Option<String>,
}

pub(in crate::http) async fn preview(
    State(desk): State<Desk>,
    Extension(Peer(address)): Extension<Peer>,
    headers: HeaderMap,
    Query(about): Query<FileParameters>,
    body: Bytes,
) -> Result<Response, Problem> {
    let (_, preview) = looked_at(&desk, address, &headers, &about, body).await?;
    Ok(Json(described(&preview)).into_response())
}

pub(in crate::http) async fn import(
    State(desk): State<Desk>,
    Extension(Peer(address)): Extension<Peer>,
    headers: HeaderMap,
    Query(about): Query<FileParameters>,
    body: Bytes,
) -> Result<Response, Problem> {
    let (session, preview) = looked_at(&desk, address, &headers, &about, body).await?;
    if !preview.is_sound() {
        let mut described = described(&preview);
        described["error"] = json!("nothing was changed: put right what `problems` lists");
        return Ok((StatusCode::CONFLICT, Json(described)).into_response());
    }
    let is_other = about.acts.is_some_and(|acts| acts != preview.acts.len());
    if is_other || about.digest.as_ref().is_some_and(|of| *of != digest(&preview)) {
        let reason = "the event has changed since the preview, and nothing was changed: look again";
        return Err(Problem::new(StatusCode::CONFLICT, reason));
    }
    if preview.acts.is_empty() {
        let reason = match preview.differences.is_empty() {
            true => "there is nothing new in this file",
            false => "what this file changes needs a reason: write a note, and look again",
        };
        return Err(Problem::new(StatusCode::CONFLICT, reason));
    }
    let deeds = preview.acts.into_iter().map(|act| act.deed).collect();
    let source = Source::fresh(session.device);
    acts::commit(&desk, &session, source, ActDeed::Event { deeds }).await
}

/// Reads a file against the event: on a thread for long work, one file at a time, since its size is the organiser's.
async fn looked_at(
    desk: &Desk,
    address: IpAddr,
    headers: &HeaderMap,
    about: &FileParameters,
    body: Bytes,
) -> Result<(Session, Preview), Problem> {
    let session = session::to_change(desk, headers)?;
    if let Err(reason) = session.may_import() {
        return Err(Problem::new(StatusCode::FORBIDDEN, reason));
    }
    let (kind, options) = options(&session, about)?;
    let Some(turn) = desk.files.turn(address).await else {
        let reason = "too many files are read at once: send this one again in some seconds";
        return Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, reason));
    };
    let event = desk.floor.hall().event().clone();
    let read = task::spawn_blocking(move || {
        let preview = preview_of(&event, kind, &body, &options);
        // Not before: the sender may be gone, and the file is read to its end all the same.
        drop(turn);
        preview
    });
    let preview = read.await.map_err(|error| {
        tracing::error!(%error, "a file of an organiser was not read to its end");
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "the file could not be read")
    })?;
    let deeds: Vec<_> = preview.acts.iter().map(|act| act.deed.clone()).collect();
    let hall = desk.floor.hall();
    let may = session.may_change_event(&hall, &deeds);
    if let Err(reason) = may.and_then(|()| hall.keeps_delays_apart(&deeds)) {
        return Err(Problem::new(StatusCode::FORBIDDEN, reason));
    }
    drop(hall);
    Ok((session, preview))
}

/// What a file is and how it is to be read, as the address of the request says it.
fn options(session: &Session, about: &FileParameters) -> Result<(FileKind, Options), Problem> {
    let wrong = |reason: &str| Problem::new(StatusCode::BAD_REQUEST, reason);
    let kind = match about.kind.as_str() {
        "teams" => FileKind::Teams,
        "players" => FileKind::Players,
        "pairings" => FileKind::Pairings,
        "results" => FileKind::Results,
        "wintd" => FileKind::WinTd,
        "trf" => FileKind::Trf,
        "deeds" => FileKind::Deeds,
        _ => return Err(wrong("kind is teams, players, pairings, results, wintd, trf or deeds")),
    };
    let rulebook = about.rulebook.as_deref().filter(|id| !id.is_empty());
    let rulebook = rulebook.map(str::parse::<BookId>).transpose();
    let rulebook = rulebook.map_err(|error| wrong(&error.to_string()))?;
    let mapping = about.mapping.as_deref().filter(|it| !it.trim().is_empty());
    let mapping = mapping.map(serde_json::from_str::<Mapping>).transpose();
    let mapping = mapping.map_err(|error| wrong(&format!("the mapping: {error}")))?;
    let author =
        Author { name: session.actor.person.clone(), role: event_role(session.actor.rank) };
    let section = about.section.clone().filter(|section| !section.is_empty());
    let note = about.note.as_deref().map(str::trim).filter(|note| !note.is_empty());
    let options = Options {
        mapping,
        rulebook,
        rounds: about.rounds,
        section,
        round: about.round,
        first_table: about.first_table,
        note: note.map(ToOwned::to_owned),
        ..Options::new(author)
    };
    Ok((kind, options))
}

/// Names the acts of a preview: what they do, in their order.
fn digest(preview: &Preview) -> String {
    let mut hash = Sha256::new();
    for act in &preview.acts {
        // What cannot be written as JSON cannot be logged either, and is no act of a file.
        let deed = serde_json::to_vec(&act.deed).unwrap_or_default();
        hash.update((deed.len() as u64).to_le_bytes());
        hash.update(&deed);
    }
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

fn described(preview: &Preview) -> serde_json::Value {
    json!({
        "sound": preview.is_sound(),
        "acts": preview.acts.len(),
        "digest": digest(preview),
        "encoding": preview.encoding,
        "delimiter": preview.delimiter,
        "header": preview.header,
        "mapping": preview.mapping,
        "problems": preview.problems,
        "changes": preview.differences,
        "outlook": preview.outlook,
    })
}

/// The event with its people, for directors.
pub(in crate::http) async fn event(
    State(desk): State<Desk>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let session = session::of(&desk, &headers)?;
    let names = |section: &str, table: Option<&str>| session.names_of(section, table);
    Ok(Json(EventSheet::of(&desk.floor.hall(), &names)).into_response())
}

/// Results as a pairing programme takes them back.
pub(in crate::http) async fn results(
    State(desk): State<Desk>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    session::of(&desk, &headers)?;
    let written = desk.floor.hall().event().results_csv(None, None);
    Ok(match written {
        Ok(csv) => ([(header::CONTENT_TYPE, "text/csv; charset=utf-8")], csv).into_response(),
        Err(refusal) => problem(StatusCode::INTERNAL_SERVER_ERROR, &refusal.to_string()),
    })
}

/// The whole event as its acts, one a line, as `twinboard event` and *An event as its acts* read it again: for who may see everybody.
pub(in crate::http) async fn acts_of_event(
    State(desk): State<Desk>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let session = session::of(&desk, &headers)?;
    session.may_import().map_err(|reason| Problem::new(StatusCode::FORBIDDEN, reason))?;
    if !session.scope.is_everything() {
        let reason = "the whole event is for directors of all its sections";
        return Err(Problem::new(StatusCode::FORBIDDEN, reason));
    }
    let hall = desk.floor.hall();
    let lines = hall.event().acts().iter().filter_map(|act| serde_json::to_string(act).ok());
    let text: String = lines.flat_map(|line| [line, "\n".to_owned()]).collect();
    Ok(([(header::CONTENT_TYPE, "application/jsonl; charset=utf-8")], text).into_response())
}
