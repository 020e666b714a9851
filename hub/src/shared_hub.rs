//! The hub's core as its tasks share it: one state behind a lock, and one wake-up call for each port and table.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hub_core::hub::{Hub, HubInput, Id};
use hub_core::input::NodeInput;
use hub_core::request::NodeRequest;
use tokio::sync::{Notify, mpsc};

use crate::HubClock;

/// The hub's core. Cheap to clone.
#[derive(Clone, Debug)]
pub struct SharedHub {
    clock: HubClock,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    hub: Hub,
    wakes: BTreeMap<Id, Arc<Notify>>,
}

/// Queues of levers' and directors' inputs for each table, by its name.
pub type TableInputs = BTreeMap<String, mpsc::Sender<NodeInput>>;

impl SharedHub {
    /// A hub without ports and tables.
    #[must_use]
    pub fn new(clock: HubClock) -> SharedHub {
        SharedHub { clock, state: Arc::default() }
    }

    /// Hub time.
    #[must_use]
    pub fn clock(&self) -> HubClock {
        self.clock
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls the core, and wakes who has something to do by it.
    pub fn with<T>(&self, act: impl FnOnce(&mut Hub) -> T) -> T {
        let State { hub, wakes } = &mut *self.lock();
        let done = act(hub);
        while let Some(id) = hub.poll_wake() {
            if let Some(wake) = wakes.get(&id) {
                wake.notify_one();
            }
        }
        done
    }

    /// Gives the core an input.
    pub fn handle(&self, input: HubInput<'_>) {
        self.with(|hub| hub.handle(self.clock.now(), input));
    }

    /// Asks a node, if it is anywhere; the caller asks again.
    pub fn ask(&self, request: NodeRequest) {
        self.handle(HubInput::Request(request));
    }

    /// The wake-up call of a port or a table that has a task from now on.
    pub fn join(&self, id: Id) -> Arc<Notify> {
        Arc::clone(self.lock().wakes.entry(id).or_default())
    }

    /// The task has ended.
    pub(crate) fn leave(&self, id: Id) {
        self.lock().wakes.remove(&id);
    }
}
