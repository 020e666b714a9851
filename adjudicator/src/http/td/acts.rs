//! One act of a device: may it? committed, applied, answered.

use axum::{
    Json,
    extract::{State, rejection::JsonRejection},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use event::{Deed, PairingId};
use rules::BoardId;
use serde::Deserialize;

use super::{
    super::{Desk, Problem},
    authorization::{May, SeeTo},
    read::list,
    session::{self, Session},
};
use crate::{
    config::alerts::Treatment,
    hall::{
        ClockForm, MATCH_TIME_MAX_US, TIME_AHEAD_MAX_US,
        acts::{ActDeed, Answer, Decided, KEY_BYTES_MAX, PersonAct, Source, TeamName},
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
    deed: SentDeed,
}

#[derive(Deserialize)]
#[serde(tag = "of", rename_all = "kebab-case", deny_unknown_fields)]
enum SentDeed {
    Event {
        deeds: Vec<Deed>,
    },
    Match {
        #[serde(rename = "match")]
        match_id: String,
        seen: u64,
        #[serde(default)]
        team: Option<TeamName>,
        decided: Decided,
    },
    Clock {
        #[serde(rename = "match")]
        match_id: String,
        board: BoardId,
        change: ClockForm,
        #[serde(default)]
        because: Option<u64>,
    },
    ClockWithdrawn {
        #[serde(rename = "match")]
        match_id: String,
        order: u64,
    },
    ClockDone {
        #[serde(rename = "match")]
        match_id: String,
        order: u64,
    },
    Evidence {
        #[serde(rename = "match")]
        match_id: String,
        from_us: u64,
        to_us: u64,
    },
    Bind {
        #[serde(rename = "match")]
        match_id: String,
        pairing: Option<PairingId>,
    },
    Treat {
        section: Option<String>,
        finding: String,
        treatment: Option<Treatment>,
    },
    Take {
        item: String,
    },
    Release {
        item: String,
    },
    Dismiss {
        item: String,
    },
    Show {
        table: Option<String>,
    },
}

/// Longest wait that is believed, milliseconds: the clock of a device may have been set meanwhile.
const WAITED_MAX_MS: u64 = 3_600_000;

pub(in crate::http) async fn act(
    State(desk): State<Desk>,
    headers: HeaderMap,
    body: Result<Json<Sent>, JsonRejection>,
) -> Result<Response, Problem> {
    let session = session::to_change(&desk, &headers)?;
    let Json(sent) = match body {
        Ok(sent) => sent,
        Err(error) => return Err(Problem::new(error.status(), error.body_text())),
    };
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
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, reason));
    }
    let deed = deed(&desk, sent.deed, made_ms);
    commit(&desk, &session, source, deed).await
}

/// Refuses a claim whose clocks were stopped at a time that has not been: a time of a person has the bounds of a hub's.
fn check_times(desk: &Desk, deed: &SentDeed) -> May {
    let SentDeed::Match {
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
    match key.len() {
        1..=KEY_BYTES_MAX => Ok(Source { device: session.device, key }),
        _ => {
            let reason = format!("the act's key has 1 to {KEY_BYTES_MAX} bytes");
            Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, reason))
        }
    }
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

pub(super) fn answered(answer: &Answer) -> Response {
    let status = match answer {
        Answer::Taken { .. } => StatusCode::OK,
        Answer::Refused { .. } => StatusCode::CONFLICT,
    };
    (status, Json(answer)).into_response()
}

pub(super) fn not_committed(error: &CommitError) -> Problem {
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

fn may(desk: &Desk, session: &Session, deed: &SentDeed) -> May {
    let hall = desk.floor.hall();
    let see_to = |item: &str, how: SeeTo| {
        let needs = list(desk, &hall);
        session.may_see_to(needs.iter().find(|need| need.id == item), how)
    };
    match deed {
        SentDeed::Event { deeds } if deeds.is_empty() => {
            Err("there is nothing in this act".to_owned())
        }
        SentDeed::Event { deeds } => {
            session.may_change_event(&hall, deeds)?;
            hall.keeps_delays_apart(deeds)
        }
        SentDeed::Match { match_id, team, decided, .. } => {
            session.may_decide(&hall, match_id, team.is_some(), decided)
        }
        SentDeed::Clock { match_id, .. }
        | SentDeed::ClockWithdrawn { match_id, .. }
        | SentDeed::ClockDone { match_id, .. }
        | SentDeed::Evidence { match_id, .. } => session.may_order(&hall, match_id),
        SentDeed::Bind { match_id, pairing } => session.may_bind(&hall, match_id, *pairing),
        SentDeed::Treat { section, .. } => session.may_treat(section.as_deref()),
        SentDeed::Take { item } => see_to(item, SeeTo::Take),
        SentDeed::Release { item } => see_to(item, SeeTo::GiveBack),
        SentDeed::Dismiss { item } => see_to(item, SeeTo::PutAway),
        SentDeed::Show { table } => session.may_show(&hall, table.as_deref()),
    }
}

/// What is logged of a deed that was done at `made_ms`, Unix milliseconds of this machine.
fn deed(desk: &Desk, sent: SentDeed, made_ms: u64) -> ActDeed {
    match sent {
        SentDeed::Event { deeds } => ActDeed::Event { deeds },
        SentDeed::Match { match_id, seen, team, decided } => {
            let hall = desk.floor.hall();
            let rate = desk.config.http.clock_rate;
            let t_us = hall.game(&match_id).map_or(0, |game| game.match_time_us(made_ms, rate));
            ActDeed::Match { match_id, t_us, seen, team, decided, guarded: true }
        }
        SentDeed::Clock { match_id, board, change, because } => {
            ActDeed::Clock { match_id, board, change, because, made_ms: Some(made_ms) }
        }
        SentDeed::ClockWithdrawn { match_id, order } => ActDeed::ClockWithdrawn { match_id, order },
        SentDeed::ClockDone { match_id, order } => ActDeed::ClockDone { match_id, order },
        SentDeed::Evidence { match_id, from_us, to_us } => {
            ActDeed::Evidence { match_id, from_us, to_us }
        }
        SentDeed::Bind { match_id, pairing } => ActDeed::Bind { match_id, pairing },
        SentDeed::Treat { section, finding, treatment } => {
            ActDeed::Treat { section, finding, treatment }
        }
        SentDeed::Take { item } => ActDeed::Take { item },
        SentDeed::Release { item } => ActDeed::Release { item },
        SentDeed::Dismiss { item } => ActDeed::Dismiss { item },
        SentDeed::Show { table } => ActDeed::Show { table },
    }
}
