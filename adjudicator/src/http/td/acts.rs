//! One act of a device: may it? committed, applied, answered.

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};

use super::{
    super::{Desk, JsonBody, Problem},
    authorization::{May, SeeTo},
    read::list,
    session::{self, Session},
};
use crate::{
    hall::{
        MATCH_TIME_MAX_US, TIME_AHEAD_MAX_US,
        acts::{ActDeed, Answer, Decided, KEY_CHARS_MAX, PersonAct, Source},
    },
    owner::commit::CommitError,
    time::now_ms,
};

/// An act as a page sends it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Sent {
    /// By which it is known when it comes again; a program with the token may leave it out.
    key: Option<String>,
    /// How long it waited at the device before it was sent, milliseconds by the device's own clock: a claim counts from when it
    /// was made.
    #[serde(default)]
    waited_ms: u64,
    /// The deed. The server fills in its own fields, such as the match time of a decision.
    deed: ActDeed,
}

/// Longest wait that is believed, milliseconds: the clock of a device may have been set meanwhile.
const WAITED_MAX_MS: u64 = 3_600_000;

pub(in crate::http) async fn act(
    State(desk): State<Desk>,
    headers: HeaderMap,
    body: Result<JsonBody<Sent>, Problem>,
) -> Result<Response, Problem> {
    let session = session::to_change(&desk, &headers)?;
    let JsonBody(sent) = body?;
    // An act that was committed before is answered as it was, whatever the person may do by now.
    let source = source(&session, sent.key)?;
    let known = desk.floor.hall().answers().of(&source);
    if let Some(answer) = known {
        return Ok(answered(&answer));
    }
    if let Err(reason) = may(&desk, &session, &sent.deed) {
        return Err(Problem::new(StatusCode::FORBIDDEN, reason));
    }
    let made_ms = now_ms().saturating_sub(sent.waited_ms.min(WAITED_MAX_MS));
    if let Err(reason) = check_times(&desk, &sent.deed) {
        return Err(Problem::new(StatusCode::CONFLICT, reason));
    }
    let deed = completed(&desk, sent.deed, made_ms)?;
    commit(&desk, &session, source, deed).await
}

/// Refuses a claim whose clocks were stopped at a time that has not been: a time of a person has the bounds of a hub's.
fn check_times(desk: &Desk, deed: &ActDeed) -> May {
    let ActDeed::Match {
        match_id, decided: Decided::Claim { stopped_us: Some(at_us), .. }, ..
    } = deed
    else {
        return Ok(());
    };
    let hall = desk.floor.hall();
    let Some(game) = hall.game(match_id) else { return Ok(()) };
    let passed_us = game.match_time_us(now_ms(), desk.config.http.clock_rate);
    match *at_us <= passed_us.saturating_add(TIME_AHEAD_MAX_US).min(MATCH_TIME_MAX_US) {
        true => Ok(()),
        false => Err(format!(
            "the clocks cannot have been stopped at match time {at_us} µs: {passed_us} µs have passed"
        )),
    }
}

fn source(session: &Session, key: Option<String>) -> Result<Source, Problem> {
    let Some(key) = key else { return Ok(Source::fresh(session.device)) };
    check_key(&key)?;
    Ok(Source { device: session.device, key })
}

/// Refuses a key that no act can have.
pub(in crate::http) fn check_key(key: &str) -> Result<(), Problem> {
    if (1..=KEY_CHARS_MAX).contains(&key.chars().count()) {
        return Ok(());
    }
    let reason = format!("the act's key has 1 to {KEY_CHARS_MAX} characters");
    Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, reason))
}

/// Commits a deed of somebody who may do it, and answers.
pub(super) async fn commit(
    desk: &Desk,
    session: &Session,
    source: Source,
    deed: ActDeed,
) -> Result<Response, Problem> {
    let act = PersonAct { source, by: session.actor.clone(), deed };
    let answer = desk.commits.commit(&act).await.map_err(|error| not_committed(&error))?;
    Ok(answered(&answer))
}

/// The answer to an act that reached the log. A refusal has the shape of every other one, too.
pub(in crate::http) fn answered(answer: &Answer) -> Response {
    #[derive(Serialize)]
    struct Refused<'a> {
        #[serde(flatten)]
        answer: &'a Answer,
        error: &'a str,
    }
    match answer {
        Answer::Taken { .. } => Json(answer).into_response(),
        Answer::Refused { reason, .. } => {
            (StatusCode::CONFLICT, Json(Refused { answer, error: reason })).into_response()
        }
    }
}

pub(in crate::http) fn not_committed(error: &CommitError) -> Problem {
    let status = match error {
        CommitError::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        CommitError::TooFast => StatusCode::TOO_MANY_REQUESTS,
        CommitError::ShareFull => StatusCode::FORBIDDEN,
        CommitError::Store(_) => {
            tracing::error!(%error, "an act cannot be logged");
            let reason = "the act could not be kept: it will be tried again";
            return Problem::new(StatusCode::SERVICE_UNAVAILABLE, reason);
        }
    };
    Problem::new(status, error.to_string())
}

fn may(desk: &Desk, session: &Session, deed: &ActDeed) -> May {
    let hall = desk.floor.hall();
    let see_to = |item: &str, how: SeeTo| {
        let needs = list(desk, &hall);
        session.may_see_to(needs.iter().find(|need| need.id == item), how)
    };
    match deed {
        ActDeed::Event { deeds } if deeds.is_empty() => {
            Err("there is nothing in this act".to_owned())
        }
        ActDeed::Event { deeds } => {
            session.may_change_event(&hall, deeds)?;
            hall.keeps_delays_apart(deeds)
        }
        ActDeed::Match { match_id, team, decided, .. } => {
            session.may_decide(&hall, match_id, team.is_some(), decided)
        }
        ActDeed::Clock { match_id, .. }
        | ActDeed::ClockWithdrawn { match_id, .. }
        | ActDeed::ClockDone { match_id, .. }
        | ActDeed::Evidence { match_id, .. }
        | ActDeed::ZeroTest { match_id }
        | ActDeed::Baseline { match_id, .. } => session.may_order(&hall, match_id),
        ActDeed::Bind { match_id, pairing } => session.may_bind(&hall, match_id, *pairing),
        ActDeed::Treat { section, .. } => session.may_treat(section.as_deref()),
        ActDeed::Take { item } => see_to(item, SeeTo::Take),
        ActDeed::Release { item } => see_to(item, SeeTo::GiveBack),
        ActDeed::Dismiss { item } => see_to(item, SeeTo::PutAway),
        ActDeed::Staff { .. }
        | ActDeed::Call { .. }
        | ActDeed::CallEnded { .. }
        | ActDeed::AcceptHub { .. }
        | ActDeed::PlaceNodes { .. } => Err("this is done at another address".to_owned()),
        ActDeed::UpdateNodes {} => session.may_update_nodes(),
        ActDeed::Show { table } => session.may_show(&hall, table.as_deref()),
        ActDeed::Screen { .. } | ActDeed::ScreenForgotten { .. } => session.may_give_screens(),
    }
}

/// The logged form of a deed that was done at `made_at_ms`, Unix milliseconds of this machine, with the server's own fields.
fn completed(desk: &Desk, mut deed: ActDeed, made_at_ms: u64) -> Result<ActDeed, Problem> {
    let refuse = |fields: &str| {
        let reason = format!("{fields}: the server sets this itself, leave it out");
        Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, reason))
    };
    let hall = desk.floor.hall();
    match &mut deed {
        ActDeed::Match { t_us: 1.., .. } | ActDeed::Match { guarded: true, .. } => {
            return refuse("t_us, guarded");
        }
        ActDeed::Clock { made_ms: Some(_), .. } => return refuse("made_ms"),
        ActDeed::Match { match_id, t_us, guarded, .. } => {
            let rate = desk.config.http.clock_rate;
            *t_us = hall.game(match_id).map_or(0, |game| game.match_time_us(made_at_ms, rate));
            *guarded = true;
        }
        ActDeed::Clock { made_ms, .. } => *made_ms = Some(made_at_ms),
        ActDeed::Screen { screen, screen_key, .. } => {
            *screen_key = desk.screens.key(&hall, *screen).ok_or_else(|| {
                let reason = format!("there is no screen {screen}: open /screen on it");
                Problem::new(StatusCode::NOT_FOUND, reason)
            })?;
        }
        _ => {}
    }
    Ok(deed)
}
