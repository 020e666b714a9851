//! Inviting people, pairing their devices, shutting devices out.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use axum::{
    Extension, Json,
    extract::{Path, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use fast_qr::QRBuilder;
use rand::RngExt as _;
use serde::Deserialize;
use serde_json::json;

use super::{
    super::{Desk, Encrypted, JsonBody, Problem},
    acts,
    session::{self, COOKIE, Session},
};
use crate::{
    hall::{
        acts::{ActDeed, Actor, Answer, PersonAct, Source},
        event::staff::{
            Device, DeviceId, Digest, PIN_TRIES_MAX, Rank, Scope, Staff, StaffDeed, pin_digest,
        },
    },
    pki::secrets,
    time::run_ms,
};

/// How long an invitation can be taken.
const INVITATION_MS: u64 = 15 * 60 * 1000;

/// Digits of a PIN.
const PIN_DIGITS: usize = 4;

const HOUR_MS: u64 = 60 * 60 * 1000;

/// Tries of PINs by invitation: those under way, beside those that are in the log.
#[derive(Debug, Default)]
pub(in crate::http) struct PinTries(Mutex<HashMap<u32, u32>>);

impl PinTries {
    /// Takes a try, before the PIN is looked at: a crowd that asks at once has no more than somebody who asks again and again. Returns how
    /// many are left then; none if none was left to take.
    fn take(&self, invitation: u32, logged: u32) -> Option<u32> {
        let mut tries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = tries.entry(invitation).or_default();
        *taken = (*taken).max(logged);
        let left = PIN_TRIES_MAX.checked_sub(*taken + 1)?;
        *taken += 1;
        Some(left)
    }
}

/// Who is invited.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Invite {
    person: String,
    rank: Rank,
    #[serde(default)]
    scope: Scope,
}

pub(in crate::http) async fn invite(
    State(desk): State<Desk>,
    headers: HeaderMap,
    body: Result<JsonBody<Invite>, Problem>,
) -> Result<Response, Problem> {
    let session = chief(&desk, &headers)?;
    let JsonBody(Invite { person, rank, scope }) = body?;
    let token = secrets::generate();
    let pin: String =
        (0..PIN_DIGITS).map(|_| char::from(b'0' + rand::rng().random_range(0..10_u8))).collect();
    let now_ms = run_ms();
    let deed = StaffDeed::Invited {
        person,
        rank,
        scope,
        token: Digest::of(&token),
        pin: pin_digest(&token, &pin),
        until_ms: now_ms + INVITATION_MS,
        device_until_ms: now_ms + u64::from(desk.config.td.device_hours) * HOUR_MS,
    };
    let answer = commit(&desk, &session, deed).await?;
    if let Answer::Refused { .. } = answer {
        return Ok(acts::answered(&answer));
    }
    // In the fragment: it is not sent to any server and stands in no log.
    let path = format!("/td#{token}");
    let code = code(&headers, &path);
    let body =
        json!({ "path": path, "pin": pin, "until_ms": now_ms + INVITATION_MS, "code": code });
    Ok(Json(body).into_response())
}

/// The rows of a QR code with the address at which the page that asks was opened, `1` for dark; with slashes between.
pub(super) fn code(headers: &HeaderMap, path: &str) -> Option<String> {
    let origin = headers.get(header::ORIGIN)?.to_str().ok()?;
    let code = QRBuilder::new(format!("{origin}{path}")).build().ok()?;
    let row = |y: usize| -> String {
        let dark = |x: usize| if code[y][x].value() { '1' } else { '0' };
        (0..code.size).map(dark).collect()
    };
    Some((0..code.size).map(row).collect::<Vec<_>>().join("/"))
}

/// What a device brings to be paired.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Pair {
    token: String,
    pin: String,
    #[serde(default)]
    label: String,
}

pub(in crate::http) async fn pair(
    State(desk): State<Desk>,
    encrypted: Option<Extension<Encrypted>>,
    headers: HeaderMap,
    body: Result<JsonBody<Pair>, Problem>,
) -> Result<Response, Problem> {
    session::same_site(&headers)?;
    let JsonBody(Pair { token, pin, label }) = body?;
    let (invitation, missed, actor, is_right) = {
        let hall = desk.floor.hall();
        let Some((id, open)) = hall.staff().invitation(run_ms(), &token) else {
            let reason = "this invitation was used, is void or has expired: ask for a new one";
            return Err(Problem::new(StatusCode::NOT_FOUND, reason));
        };
        let actor = Actor { person: open.person.clone(), rank: open.rank };
        (id, open.missed, actor, Staff::has_pin(open, &token, &pin))
    };
    let session =
        Session { device: DeviceId::default(), actor, scope: Scope::default(), until_ms: u64::MAX };
    let too_many = || {
        let reason = "too many wrong PINs: this invitation is void, ask for a new one";
        Problem::new(StatusCode::NOT_FOUND, reason)
    };
    let left = desk.pin_tries.take(invitation, missed).ok_or_else(too_many)?;
    if !is_right {
        commit(&desk, &session, StaffDeed::Missed { invitation }).await?;
        if left == 0 {
            return Err(too_many());
        }
        return Err(Problem::new(
            StatusCode::FORBIDDEN,
            "the PIN is another one: ask who invited you",
        ));
    }
    let (secret, key) = (secrets::generate(), secrets::generate());
    let deed = StaffDeed::Paired {
        invitation,
        cookie: Digest::of(&secret),
        key: Digest::of(&key),
        label: if label.trim().is_empty() { "a device".to_owned() } else { label },
    };
    match commit(&desk, &session, deed).await {
        Ok(Answer::Taken { .. }) => {}
        Ok(refused) => return Ok(acts::answered(&refused)),
        Err(refusal) => return Err(refusal),
    }
    let hall = desk.floor.hall();
    let Some((device, paired)) = hall.staff().paired(&secret, &key) else {
        return Err(Problem::new(
            StatusCode::CONFLICT,
            "the invitation was used meanwhile: ask for a new one",
        ));
    };
    let about = about(device, paired);
    let mut response = Json(json!({ "key": key, "me": about })).into_response();
    let cookie = format!(
        "{COOKIE}={}.{secret}; Path=/api/v1/td; HttpOnly; SameSite=Strict; Max-Age={}{}",
        device.0,
        paired.until_ms.saturating_sub(run_ms()) / 1000,
        if encrypted.is_some() { "; Secure" } else { "" },
    );
    if let Ok(value) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, value);
    }
    Ok(response)
}

pub(in crate::http) async fn me(
    State(desk): State<Desk>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let session = session::of(&desk, &headers)?;
    Ok(Json(json!({
        "device": session.device,
        "person": session.actor.person,
        "rank": session.actor.rank,
        "scope": session.scope,
        "until_ms": session.until_ms,
    }))
    .into_response())
}

/// Everybody, for the chief.
pub(in crate::http) async fn staff(
    State(desk): State<Desk>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let session = session::of(&desk, &headers).and_then(allowed);
    session?;
    let hall = desk.floor.hall();
    let device = |(id, device): (DeviceId, &Device)| {
        let mut about = about(id, device);
        about["ready"] = json!(desk.readiness.of(id, run_ms()));
        about
    };
    let devices: Vec<_> = hall.staff().devices().map(device).collect();
    let invitations: Vec<_> = hall
        .staff()
        .open_invitations(run_ms())
        .map(|(id, it)| {
            json!({ "invitation": id, "person": it.person, "rank": it.rank, "scope": it.scope, "until_ms": it.until_ms })
        })
        .collect();
    Ok(Json(json!({ "devices": devices, "invitations": invitations })).into_response())
}

pub(in crate::http) async fn revoke(
    State(desk): State<Desk>,
    headers: HeaderMap,
    Path(device): Path<u32>,
) -> Result<Response, Problem> {
    let deed = StaffDeed::Revoked { device: DeviceId(device) };
    change(&desk, &headers, deed).await
}

pub(in crate::http) async fn void(
    State(desk): State<Desk>,
    headers: HeaderMap,
    Path(invitation): Path<u32>,
) -> Result<Response, Problem> {
    change(&desk, &headers, StaffDeed::Voided { invitation }).await
}

async fn change(desk: &Desk, headers: &HeaderMap, deed: StaffDeed) -> Result<Response, Problem> {
    let session = chief(desk, headers)?;
    Ok(acts::answered(&commit(desk, &session, deed).await?))
}

fn chief(desk: &Desk, headers: &HeaderMap) -> Result<Session, Problem> {
    allowed(session::to_change(desk, headers)?)
}

fn allowed(session: Session) -> Result<Session, Problem> {
    match session.may_manage_staff() {
        Ok(()) => Ok(session),
        Err(reason) => Err(Problem::new(StatusCode::FORBIDDEN, reason)),
    }
}

async fn commit(desk: &Desk, session: &Session, deed: StaffDeed) -> Result<Answer, Problem> {
    let act = PersonAct {
        source: Source::fresh(session.device),
        by: session.actor.clone(),
        deed: ActDeed::Staff { deed },
    };
    desk.commits.commit(&act).await.map_err(|error| acts::not_committed(&error))
}

fn about(id: DeviceId, device: &Device) -> serde_json::Value {
    json!({
        "device": id,
        "person": device.person,
        "rank": device.rank,
        "scope": device.scope,
        "label": device.label,
        "paired_ms": device.paired_ms,
        "until_ms": device.until_ms,
        "works": device.works(run_ms()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invitation_has_five_tries_and_not_one_more_before_it_is_void() {
        let tries = PinTries::default();
        let left: Vec<_> = (0..7).map(|_| tries.take(1, 0)).collect();
        assert_eq!(left, [Some(4), Some(3), Some(2), Some(1), Some(0), None, None]);
        assert_eq!(tries.take(2, 0), Some(4), "another invitation has its own");
        assert_eq!(PinTries::default().take(1, 4), Some(0), "those of before a restart count");
        assert_eq!(PinTries::default().take(1, 5), None);
    }
}
