//! Treatment of each kind of finding, for the event and for its sections, with its price in false findings.

use std::collections::BTreeMap;

use axum::{
    Json,
    extract::State,
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use rules::rulebook::Finding;
use serde::Serialize;

use super::{
    super::{Desk, Problem},
    session,
};
use crate::config::alerts::{Treatment, cost};

#[derive(Serialize)]
struct FindingLine<'a> {
    code: &'static str,
    about: &'static str,
    /// Its rate of false alarms, in words.
    cost: String,
    treatment: Treatment,
    /// Sections that treat it otherwise.
    sections: BTreeMap<&'a str, Treatment>,
}

pub(in crate::http) async fn findings(
    State(desk): State<Desk>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    session::of(&desk, &headers)?;
    let (hall, td) = (desk.floor.hall(), &desk.config.td);
    let lines = Finding::ALL.iter().map(|finding| {
        let code = finding.code();
        let own = |name| Some((name, hall.own_treatment(td, Some(name), code)?));
        let sections = hall.event().sections().keys().map(String::as_str).filter_map(own);
        FindingLine {
            code,
            about: finding.about(),
            cost: cost(code),
            treatment: hall.treatment(td, None, code),
            sections: sections.collect(),
        }
    });
    Ok(Json(lines.collect::<Vec<_>>()).into_response())
}
