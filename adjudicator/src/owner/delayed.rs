//! The hall as delayed viewers see it: a snapshot of then, and no second fold.
//!
//! A withdrawn name has no delay: a delayed snapshot shows no more of a player than the family allows now.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use event::{Consent, Event, Names, PlayerId};

use super::{
    delay_gate::{DelayGate, step_ms},
    snapshots::Snapshots,
};
use crate::hall::{Hall, shared::Shared};

/// A view of the hall that lags behind it.
pub(super) struct Delayed {
    delay_ms: u64,
    /// Number of delays of the hall, among which the memory is shared.
    delays: usize,
    state: Mutex<DelayedState>,
    snapshots: Arc<Snapshots>,
}

struct DelayedState {
    gate: DelayGate<Arc<Hall>>,
    /// The state that is shown, with the names of then.
    shown: Arc<Hall>,
    /// Players who have less consent now than then.
    narrowed: BTreeMap<PlayerId, Consent>,
    /// The event by now, for which that was found.
    event: Shared<Event>,
}

impl Delayed {
    /// A view that begins with a hall; one of so many.
    pub(super) fn new(hall: &Arc<Hall>, delay: Duration, delays: usize) -> Delayed {
        let delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        let snapshots = Snapshots::new(hall.late(delay_ms, &BTreeMap::new()));
        let (gate, event) = (DelayGate::new(delay_ms), hall.shared_event());
        let state = DelayedState { gate, shown: hall.clone(), narrowed: BTreeMap::new(), event };
        Delayed { delay_ms, delays, state: Mutex::new(state), snapshots }
    }

    pub(super) fn delay_ms(&self) -> u64 {
        self.delay_ms
    }

    /// Snapshots for readers.
    pub(super) fn snapshots(&self) -> &Arc<Snapshots> {
        &self.snapshots
    }

    /// Holds a state of the hall, whose last input had arrived at a time of the run's clock.
    pub(super) fn hold(&self, arrived_ms: u64, hall: &Arc<Hall>, now_ms: u64) {
        let step_ms = step_ms(self.delay_ms, hall.tables().len(), self.delays);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.gate.hold(arrived_ms, hall.clone(), step_ms, now_ms);
    }

    /// Shows what is due by now, with no more of each name than the hall shows by now.
    pub(super) fn release(&self, now_ms: u64, hall: &Hall) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let released = state.gate.release(now_ms);
        if released.is_none() && hall.is_of_event(&state.event) {
            return;
        }
        let is_released = released.is_some();
        state.shown = released.unwrap_or_else(|| state.shown.clone());
        state.event = hall.shared_event();
        let narrowed = narrowed(&state.shown, hall);
        let is_known = |(player, consent)| state.narrowed.get(player) == Some(consent);
        let is_hidden_now = !narrowed.iter().all(is_known);
        if is_released || is_hidden_now {
            state.narrowed = narrowed;
            let late = Arc::new(state.shown.late(self.delay_ms, &state.narrowed));
            match is_hidden_now {
                true => self.snapshots.reset(late),
                false => self.snapshots.publish(late),
            }
        }
    }
}

/// Players with less consent now than the hall had then.
fn narrowed(then: &Hall, now: &Hall) -> BTreeMap<PlayerId, Consent> {
    match now.disclosure().names() {
        Names::Consented { otherwise } => then.event().narrowed_by(now.event(), otherwise),
        Names::Hidden | Names::Shown => BTreeMap::new(),
    }
}
