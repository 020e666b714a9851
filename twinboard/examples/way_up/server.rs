//! An adjudicator in this process.

use std::path::Path;

use adjudicator::{Config, config::BrokerMode};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::Outcome;

/// A running adjudicator.
pub(crate) struct Server {
    pub(crate) http: String,
    /// Port of the broker.
    pub(crate) port: u16,
    shutdown: CancellationToken,
    task: JoinHandle<Result<(), adjudicator::TaskEnded>>,
}

impl Server {
    /// With its own broker, or one that listens at a port of this machine.
    pub(crate) async fn start(folder: &Path, broker: Option<u16>) -> Outcome<Server> {
        let mut config = Config::default();
        config.http.address = "127.0.0.1:0".parse()?;
        config.broker.address = format!("127.0.0.1:{}", broker.unwrap_or(0));
        if broker.is_some() {
            config.broker.mode = BrokerMode::External;
        }
        let name = if broker.is_some() { "external.sqlite" } else { "embedded.sqlite" };
        config.store.path = folder.join(name);
        let shutdown = CancellationToken::new();
        let running = adjudicator::start(config, shutdown.clone()).await?;
        let port = broker.or_else(|| Some(running.mqtt_address?.port())).ok_or("no broker")?;
        let http = format!("http://{}", running.http_address);
        Ok(Server { http, port, shutdown, task: tokio::spawn(running.wait()) })
    }

    pub(crate) async fn stop(self) -> Outcome<()> {
        self.shutdown.cancel();
        Ok(self.task.await??)
    }
}
