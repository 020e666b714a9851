//! How the adjudicator is, for Prometheus: numbers of the whole hall, at an address of their own, and nothing of a person.

use std::{fmt::Write as _, sync::Arc, time::SystemTime};

use axum::{Router, extract::State, http::header, response::IntoResponse, routing::get};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::{
    config::Td,
    hall::Hall,
    owner::follower::Stage,
    time::now_ms,
    views::needs::{self, Urgency, machine::Machine},
};

/// Text format of Prometheus, version 0.0.4.
const MEDIA_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Where the numbers come from.
#[derive(Clone)]
pub(crate) struct Metrics {
    pub(crate) floor: Arc<Stage>,
    pub(crate) machine: Machine,
    pub(crate) td: Td,
    pub(crate) clock_rate: f64,
}

/// Serves the numbers until shutdown, over at most so many connections: the address may be one that others reach.
pub(crate) async fn serve(
    listener: TcpListener,
    metrics: Metrics,
    connections: usize,
    shutdown: CancellationToken,
) {
    let router = Router::new().route("/metrics", get(all)).with_state(metrics);
    let whom = "programs that measure";
    crate::http::serve_beside(listener, router, whom, connections, shutdown).await;
}

async fn all(State(metrics): State<Metrics>) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, MEDIA_TYPE)], metrics.text())
}

/// Seconds of a day: Prometheus counts time in seconds.
const SECONDS_OF_A_DAY: f64 = 86_400.0;

/// Name, type, meaning and value of a number.
type Number = (&'static str, &'static str, &'static str, f64);

impl Metrics {
    fn text(&self) -> String {
        let mut text = String::new();
        for (name, kind, help, value) in self.numbers() {
            // Writing into a string does not fail.
            let _ = write!(
                text,
                "# HELP twinboard_{name} {help}\n# TYPE twinboard_{name} {kind}\ntwinboard_{name} {value}\n"
            );
        }
        text
    }

    fn numbers(&self) -> Vec<Number> {
        let hall = self.floor.hall();
        let mut numbers = of_hall(&hall).to_vec();
        numbers.extend(self.of_machine());
        numbers.extend(self.of_needs(&hall));
        numbers
    }

    fn of_machine(&self) -> [Number; 3] {
        let free = self.machine.state().room.free_bytes.map_or(f64::NAN, |bytes| bytes as f64);
        let certificates = self.machine.certificates.days_left(SystemTime::now());
        let certificates = certificates.unwrap_or(f64::NAN);
        [
            ("disk_free_bytes", "gauge", "Room on the log's disk.", free),
            (
                "certificate_left_seconds",
                "gauge",
                "Time until the first of the hall's certificates ends.",
                certificates * SECONDS_OF_A_DAY,
            ),
            // Under the name that it had before, for alarms that somebody has set.
            (
                "certificate_days_left",
                "gauge",
                "Days until the first of the hall's certificates ends; use certificate_left_seconds.",
                certificates,
            ),
        ]
    }

    fn of_needs(&self, hall: &Hall) -> [Number; 2] {
        let needs = needs::needs(hall, self.machine.state(), &self.td, self.clock_rate, now_ms());
        let urgent = || needs.iter().filter(|need| need.urgency < Urgency::Silent);
        let waiting = urgent().filter(|need| need.taken.is_none()).count();
        let urgent = urgent().count();
        [
            ("needs", "gauge", "Open items of directors, without silent ones.", urgent as f64),
            ("needs_waiting", "gauge", "Open items that no director has taken.", waiting as f64),
        ]
    }
}

fn of_hall(hall: &Hall) -> [Number; 11] {
    let (hubs, online) = hall.hubs_online();
    let live = hall.tables().iter().filter(|table| table.is_live()).count();
    let games = hall.games();
    let playing =
        games.iter().filter(|game| game.referee().phase() == referee::Phase::Playing).count();
    let plies: usize = games.iter().map(|game| game.referee().timeline().plies().len()).sum();
    [
        ("inputs_total", "counter", "Inputs in the log.", hall.last_input() as f64),
        ("inputs_refused_total", "counter", "Inputs refused as invalid.", hall.refused() as f64),
        (
            "broker_connected",
            "gauge",
            "Whether the broker is connected.",
            f64::from(u8::from(hall.is_linked())),
        ),
        ("hubs", "gauge", "Hubs known from the log.", hubs as f64),
        ("hubs_online", "gauge", "Hubs online.", online as f64),
        ("tables", "gauge", "Tables.", hall.tables().len() as f64),
        ("tables_live", "gauge", "Tables whose readings reach us.", live as f64),
        ("matches", "gauge", "Matches of the event so far.", games.len() as f64),
        ("matches_playing", "gauge", "Matches in play.", playing as f64),
        ("plies", "gauge", "Plies of all matches.", plies as f64),
        (
            "orders_unanswered",
            "gauge",
            "Orders that no hub has answered.",
            hall.unanswered().len() as f64,
        ),
    ]
}
