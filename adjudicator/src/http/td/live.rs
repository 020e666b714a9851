//! The directors' own stream: the list whenever it changes, and a match that somebody looks at.
//!
//! Like the public stream it keeps no queue: it sends how things stand, when they are not as they were sent last.

use std::{collections::VecDeque, convert::Infallible, time::Duration};

use axum::{
    Extension,
    extract::{Query, State},
    http::{HeaderMap, HeaderName, StatusCode},
    response::{
        IntoResponse, Response,
        sse::{Event, Sse},
    },
};
use futures::stream;
use serde::Deserialize;
use serde_json::json;
use tokio::{
    sync::watch,
    time::{Instant, Interval},
};

use super::{
    super::{Desk, Problem, server::Peer},
    presence,
    session::{self, Session},
};
use crate::{
    machine::connection_limit,
    time::{now_ms, run_ms},
};

/// How often a stream says that it is alive; what waits for a director rises with time.
const BEAT_EVERY: Duration = Duration::from_secs(2);

/// Shortest time between two looks at the hall.
const LOOK_EVERY: Duration = Duration::from_millis(200);

#[derive(Deserialize)]
pub(in crate::http) struct DirectorLiveQuery {
    /// The match that is looked at.
    #[serde(rename = "match")]
    match_id: Option<String>,
}

pub(in crate::http) async fn live(
    State(desk): State<Desk>,
    Extension(Peer(address)): Extension<Peer>,
    Query(wish): Query<DirectorLiveQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let session = session::of(&desk, &headers)?;
    let Some(stream_place) = desk.directors_streams.admit(address) else {
        let reason = "too many watch already; the page will try again";
        return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, reason));
    };
    let mut beat = tokio::time::interval(BEAT_EVERY);
    beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let look = |id: &String| desk.presence.enter(id, session.device, &session.actor.person);
    let place = wish.match_id.as_ref().map(look);
    let follower = Follower {
        came: place.as_ref().map(presence::OpenPage::watch),
        place,
        changed: desk.floor.watch(),
        beat,
        desk,
        session,
        match_id: wish.match_id,
        sent_needs: None,
        sent_match: None,
        ready: VecDeque::new(),
        is_new: true,
        looked_at: Instant::now(),
        _stream_place: stream_place,
    };
    let events = stream::unfold(follower, async |mut follower| {
        let event = follower.next().await?;
        Some((Ok::<_, Infallible>(event), follower))
    });
    let no_buffering = [(HeaderName::from_static("x-accel-buffering"), "no")];
    Ok((no_buffering, Sse::new(events)).into_response())
}

struct Follower {
    changed: watch::Receiver<u64>,
    beat: Interval,
    desk: Desk,
    session: Session,
    match_id: Option<String>,
    /// This page, where others at the match see it.
    place: Option<presence::OpenPage>,
    came: Option<watch::Receiver<u64>>,
    /// The list as it was sent last, without the time.
    sent_needs: Option<String>,
    /// The input that last changed the match when it was sent.
    sent_match: Option<(u64, u64)>,
    ready: VecDeque<Event>,
    is_new: bool,
    looked_at: Instant,
    _stream_place: connection_limit::ConnectionSlot,
}

impl Follower {
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if std::mem::take(&mut self.is_new) {
                self.look();
                continue;
            }
            tokio::select! {
                () = self.desk.shutdown.cancelled() => return None,
                changed = self.changed.changed() => {
                    changed.ok()?;
                    // The first change after a while is sent at once.
                    tokio::time::sleep_until(self.looked_at + LOOK_EVERY).await;
                }
                () = somebody_came(&mut self.came) => self.beat(),
                _ = self.beat.tick() => self.beat(),
            }
            // A device that was shut out meanwhile sees nothing more.
            if !self.desk.floor.hall().staff().still_works(run_ms(), self.session.device) {
                return None;
            }
            self.look();
        }
    }

    /// Says that the line is up, and who else looks at the match.
    fn beat(&mut self) {
        let others = self.place.as_ref().map(presence::OpenPage::others).unwrap_or_default();
        self.ready.push_back(event("beat", &json!({ "now_ms": now_ms(), "others": others })));
    }

    fn look(&mut self) {
        self.changed.mark_unchanged();
        self.looked_at = Instant::now();
        let hall = self.desk.floor.hall();
        let list = self.desk.prepared.list(&self.desk, &hall);
        let told = list.iter().filter(|(need, _)| self.session.is_told_of(need));
        let needs = told.map(|(_, json)| json.as_str()).collect::<Vec<_>>().join(",");
        if self.sent_needs.as_ref() != Some(&needs) {
            let data = format!("{{\"now_ms\":{},\"needs\":[{needs}]}}", now_ms());
            self.sent_needs = Some(needs);
            self.ready.push_back(Event::default().event("needs").data(data));
        }
        let Some(game) = self.match_id.as_deref().and_then(|id| hall.game(id)) else { return };
        if self.session.may_look_at(&hall, game).is_err() {
            return;
        }
        let state = (game.changed_input, hall.partitions().event_changes());
        if self.sent_match != Some(state) {
            self.sent_match = Some(state);
            let json = self.desk.prepared.game(&self.desk, &hall, game, state);
            self.ready.push_back(Event::default().event("match").data(&*json));
        }
    }
}

/// Waits until somebody comes to a match or leaves one; for ever where no match is looked at.
async fn somebody_came(came: &mut Option<watch::Receiver<u64>>) {
    let Some(came) = came else { return std::future::pending().await };
    // The presence lives as long as the server.
    let _ = came.changed().await;
}

fn event(name: &str, data: &impl serde::Serialize) -> Event {
    Event::default()
        .event(name)
        .data(serde_json::to_string(data).unwrap_or_else(|_| "{}".to_owned()))
}
