//! The directors' desk at this hub: publishes the nodes that the hub sees, and keeps the places that the desk gives them.

use std::cmp::Ordering;
use std::sync::Arc;
use std::time::Duration;

use hub_core::hub::TableAtWork;
use hub_core::port::SeenNode;
use hub_core::session::sensor_name;
use hub_core::update::compare_releases;
use proto::mqtt::message::{self, PlaceNodes};
use rules::BoardId;
use tokio::sync::mpsc;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use tracing::warn;

use crate::SharedHub;
use crate::config::Config;
use crate::config::placed::Placed;
use crate::troubles::Troubles;

/// Maximum number of published nodes: more than a hub has sockets for.
const NODES_MAX: usize = 64;
/// Interval at which the nodes are checked.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Longest published name of a port, in characters.
const PORT_CHARS_MAX: usize = 64;

/// The desk's task.
pub(crate) struct Desk {
    pub(crate) config: Arc<Config>,
    pub(crate) hub: SharedHub,
    pub(crate) troubles: Troubles,
    /// Takes the configuration with the desk's tables, when there is another one.
    pub(crate) places: mpsc::Sender<Config>,
}

impl Desk {
    /// Publishes nodes and carries out requests until `shutdown`.
    pub(crate) async fn run(
        self,
        mut requests: mpsc::Receiver<PlaceNodes>,
        shutdown: CancellationToken,
    ) {
        let placing = &self.config.placing;
        if !placing.refused.is_empty() {
            warn!("{}", placing.refused);
        }
        let mut ended = placing.request;
        self.troubles.tell_of_placing(ended, placing.refused.clone());
        let mut look = interval(LOOK_EVERY);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = shutdown.cancelled() => return,
                _ = look.tick() => self.troubles.tell_of_places(self.nodes()),
                request = requests.recv() => {
                    // The uplink has ended: the hub stops.
                    let Some(request) = request else { return shutdown.cancelled().await };
                    if request.request == ended {
                        continue;
                    }
                    let number = request.request;
                    match self.place(request) {
                        // It comes again.
                        None => {}
                        Some(Ok(config)) => {
                            // The hub starts its tables again, and publishes the end then.
                            let _ = self.places.send(config).await;
                            return shutdown.cancelled().await;
                        }
                        Some(Err(words)) => {
                            warn!("nodes are not placed: {words}");
                            ended = number;
                            self.troubles.tell_of_placing(number, words);
                        }
                    }
                }
            }
        }
    }

    /// The configuration with the places of a request, or the reason of the refusal. `None`: a table is at work, the request is to come again.
    fn place(&self, request: PlaceNodes) -> Option<Result<Config, String>> {
        let playing =
            self.hub.with(|hub| hub.table_in_play().map(|table| table.map(str::to_owned)));
        match playing {
            Err(TableAtWork) => return None,
            Ok(Some(table)) => {
                return Some(Err(format!(
                    "no node was placed, because a match is played at table {table}: end it, reset its clocks, and place the nodes again"
                )));
            }
            Ok(None) => {}
        }
        let kept = Placed::of(request).and_then(|placed| placed.keep(&self.config));
        Some(kept.map_err(|error| error.to_string()))
    }

    fn nodes(&self) -> Vec<message::SeenNode> {
        let mut nodes: Vec<SeenNode> = self.hub.with(|hub| hub.nodes().collect());
        nodes.sort_by(|one, other| (&one.port, &one.id).cmp(&(&other.port, &other.id)));
        nodes.into_iter().take(NODES_MAX).map(|node| self.published(node)).collect()
    }

    fn published(&self, node: SeenNode) -> message::SeenNode {
        let (table, board) = match node.place {
            Some((table, BoardId::A)) => (table, message::Board::A),
            Some((table, BoardId::B)) => (table, message::Board::B),
            None => (String::new(), message::Board::Unspecified),
        };
        let port = node.port.unwrap_or_default();
        let port = port.file_name().unwrap_or_default().to_string_lossy();
        message::SeenNode {
            sensor: node.board.map_or_else(String::new, |it| sensor_name(it.sensor).to_owned()),
            trays: node.board.is_some_and(|it| it.trays),
            present: node.is_present,
            by_file: !table.is_empty() && !self.config.placing.tables.contains(&table),
            table,
            board: board.into(),
            port: port.chars().take(PORT_CHARS_MAX).collect(),
            node_id: node.id,
            outdated: compare_releases(&node.firmware.version, env!("CARGO_PKG_VERSION"))
                == Some(Ordering::Less),
            firmware: node.firmware.version,
            image: node.firmware.image,
        }
    }
}
