//! Readiness of the directors' phones: which have a page open, and which of those sound when they are called.
//!
//! Pages report it again and again. It is kept in memory alone: it is as true as the last report.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use axum::{
    Json,
    extract::State,
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};

use super::{
    super::{Desk, JsonBody, Problem},
    session,
};
use crate::{hall::event::staff::DeviceId, time::run_ms};

/// Silence after which a phone counts as disconnected, milliseconds: pages report every 20 s.
const CONNECTED_MS: u64 = 45_000;

/// A page's report on its phone.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct PhoneReport {
    sound: bool,
}

/// Readiness of a phone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Ready {
    is_connected: bool,
    sounds: bool,
}

/// Latest reports, by device.
#[derive(Debug, Default)]
pub(in crate::http) struct Readiness(Mutex<HashMap<DeviceId, (u64, PhoneReport)>>);

impl Readiness {
    fn note(&self, device: DeviceId, report: PhoneReport, at_ms: u64) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(device, (at_ms, report));
    }

    pub(super) fn of(&self, device: DeviceId, now_ms: u64) -> Ready {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.get(&device);
        let known = known.filter(|(at_ms, _)| now_ms.saturating_sub(*at_ms) < CONNECTED_MS);
        known.map_or_else(Ready::default, |(_, report)| Ready {
            is_connected: true,
            sounds: report.sound,
        })
    }
}

/// A page says how ready its phone is.
pub(in crate::http) async fn ready(
    State(desk): State<Desk>,
    headers: HeaderMap,
    body: Result<JsonBody<PhoneReport>, Problem>,
) -> Result<Response, Problem> {
    let session = session::to_change(&desk, &headers)?;
    let JsonBody(report) = body?;
    desk.readiness.note(session.device, report, run_ms());
    Ok(Json(serde_json::json!({})).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phone_is_ready_as_long_as_it_reports() {
        let (readiness, phone) = (Readiness::default(), DeviceId(3));
        assert_eq!(readiness.of(phone, 0), Ready::default());
        readiness.note(phone, PhoneReport { sound: true }, 1_000);
        assert_eq!(readiness.of(phone, 2_000), Ready { is_connected: true, sounds: true });
        readiness.note(phone, PhoneReport { sound: false }, 3_000);
        assert_eq!(readiness.of(phone, 4_000), Ready { is_connected: true, sounds: false });
        assert_eq!(readiness.of(phone, 3_000 + CONNECTED_MS), Ready::default());
    }
}
