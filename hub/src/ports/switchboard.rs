//! Who of the ports has to know what: the [`Registry`] of all nodes, and how to reach the tasks of ports and tables.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hub_core::journal::NodeOffset;
use hub_core::port::Registry;
use proto::link::HubTime;
use tokio::sync::{Notify, mpsc};

use super::NodeRequest;

/// Requests that may wait for a port.
const REQUESTS_MAX: usize = 16;

/// Reaches ports from tables. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Switchboard(Arc<Mutex<Exchange>>);

#[derive(Debug, Default)]
struct Exchange {
    registry: Registry,
    ports: HashMap<PathBuf, PortEnd>,
}

/// A port as others reach it.
#[derive(Debug)]
struct PortEnd {
    changed: Arc<Notify>,
    requests: mpsc::Sender<NodeRequest>,
}

/// Where a port hears of it.
#[derive(Debug)]
pub(super) struct PortLine {
    /// The registry has news for a node that is there.
    pub(super) changed: Arc<Notify>,
    /// What nodes that are there are asked.
    pub(super) requests: mpsc::Receiver<NodeRequest>,
}

impl Switchboard {
    fn lock(&self) -> MutexGuard<'_, Exchange> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the registry.
    pub(super) fn with<T>(&self, act: impl FnOnce(&mut Registry) -> T) -> T {
        act(&mut self.lock().registry)
    }

    /// A port may be reached from now on.
    pub(super) fn join(&self, port: &Path) -> PortLine {
        let changed = Arc::new(Notify::new());
        let (sender, requests) = mpsc::channel(REQUESTS_MAX);
        let end = PortEnd { changed: Arc::clone(&changed), requests: sender };
        self.lock().ports.insert(port.to_owned(), end);
        PortLine { changed, requests }
    }

    /// A port is gone.
    pub(super) fn leave(&self, port: &Path) {
        self.lock().ports.remove(port);
    }

    /// The journal has a node's readings up to here.
    pub fn commit(&self, offset: &NodeOffset) {
        let Exchange { registry, ports } = &mut *self.lock();
        if let Some(end) = registry.commit(offset).and_then(|port| ports.get(port)) {
            end.changed.notify_one();
        }
    }

    /// A table wants to hear all of its nodes until a time.
    pub fn request_watermark(&self, table: &str, at: HubTime) {
        let Exchange { registry, ports } = &mut *self.lock();
        for port in registry.request_watermark(table, at) {
            if let Some(end) = ports.get(port) {
                end.changed.notify_one();
            }
        }
    }

    /// Asks a node, if it is anywhere and its port has room; whoever wants it asks again.
    pub(super) fn ask(&self, request: NodeRequest) {
        let exchange = self.lock();
        let port = exchange.registry.port_of(request.node_id());
        if let Some(end) = port.and_then(|port| exchange.ports.get(port)) {
            drop(end.requests.try_send(request));
        }
    }
}

/// Where the inputs of each table go, by its name.
pub type TableInputs = BTreeMap<String, mpsc::Sender<super::NodeInput>>;
