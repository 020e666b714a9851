//! All halls of the event, as their owners' signs of life summarise them.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use futures::StreamExt as _;
use tokio_util::sync::CancellationToken;

use super::{
    super::message::{Beat, decode},
    Front,
    stream::Heard,
};
use crate::{
    bus::Bus,
    views::halls::{HallLine, HallSummary, HallsView, connected},
};

/// Maximum number of halls of an event.
const HALLS_MAX: usize = 256;

/// The halls, by their names.
#[derive(Debug, Default)]
pub(super) struct Halls(Mutex<BTreeMap<String, (Heard, HallSummary)>>);

impl Halls {
    /// Receives an owner's beat. An owner of an earlier epoch has lost the hall.
    fn receive(&self, hall: String, beat: Beat) {
        let Some(summary) = beat.hall else { return };
        let mut halls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = halls.get(&hall).map(|(heard, _)| heard.epoch);
        if known.map_or(halls.len() < HALLS_MAX, |epoch| epoch <= beat.epoch) {
            halls.insert(hall, (Heard::now(beat.epoch), summary));
        }
    }

    fn view(&self) -> HallsView {
        let halls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let line = |(hall, (heard, summary)): (&String, &(Heard, HallSummary))| HallLine {
            hall: hall.clone(),
            owner: connected(heard.is_there()),
            age_s: heard.at.elapsed().as_secs(),
            summary: summary.clone(),
        };
        HallsView { halls: halls.iter().map(line).collect() }
    }
}

/// Follows the owners of all halls until shutdown.
pub(super) async fn follow(bus: Bus, halls: Arc<Halls>, shutdown: CancellationToken) {
    let mut beats = match bus.subscribe(bus.of_all_halls("owner")).await {
        Ok(beats) => beats,
        Err(error) => return tracing::error!(%error, "the other halls cannot be followed"),
    };
    while let Some(Some(message)) = shutdown.run_until_cancelled(beats.next()).await {
        let Some(hall) = Bus::hall_of(&message.subject) else { continue };
        // One that cannot be read is reported where its own hall is followed.
        if let Ok((beat, _)) = decode::<Beat>(message.payload) {
            halls.receive(hall, beat);
        }
    }
}

pub(super) async fn overview(State(front): State<Front>) -> Response {
    Json(front.halls.view()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_that_lost_its_hall_says_nothing_of_it_any_more() {
        let halls = Halls::default();
        let beat = |epoch, hall| Beat { epoch, newest: Vec::new(), hall };
        let summary: HallSummary = serde_json::from_str(r#"{ "event": "new" }"#).unwrap();
        halls.receive("north".to_owned(), beat(7, Some(summary.clone())));
        halls.receive("north".to_owned(), beat(6, Some(HallSummary::default())));
        halls.receive("south".to_owned(), beat(1, None));
        let [north] = &halls.view().halls[..] else { panic!("{halls:?}") };
        assert_eq!((&north.summary, north.owner, &*north.hall), (&summary, "connected", "north"));
    }
}
