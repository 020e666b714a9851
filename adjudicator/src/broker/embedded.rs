//! The broker in this process: `mqtt5`, kept in memory.
//!
//! It stores nothing on disk. What must survive a crash is in the hubs' journals and in the
//! adjudicator's database; hubs resend whatever was not acknowledged, and the adjudicator publishes
//! its retained acknowledgements again when it connects.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use async_trait::async_trait;
use mqtt5::broker::{
    BrokerConfig, BrokerShutdownHandle, MqttBroker,
    auth::PasswordAuthProvider,
    config::{StorageBackend, StorageConfig},
};
use tokio::{net::TcpListener, sync::Mutex, task::JoinHandle};

use super::{Broker, BrokerError, Credentials, Endpoint, access::Access};
use crate::{
    config,
    secrets::{self, SecretError},
};

/// Most connections at a time: far above any hall's hubs, far below what hurts.
const MAX_CLIENTS: usize = 1024;

/// Largest MQTT packet: a full batch of rows with room to spare.
const MAX_PACKET_BYTES: usize = 1 << 20;

/// Most messages queued for one slow client.
const MAX_QUEUED_MESSAGES: usize = 10_000;

/// Longest wait for connections to close when stopping.
const STOP_TIMEOUT: Duration = Duration::from_secs(3);

/// User name of the adjudicator's own connection; no hub may use it.
pub(super) const ADJUDICATOR: &str = "adjudicator";

/// A running broker.
pub(super) struct Embedded {
    address: SocketAddr,
    /// Of the adjudicator, made anew at every start.
    password: String,
    shutdown: BrokerShutdownHandle,
    task: Mutex<Option<JoinHandle<()>>>,
}

impl Embedded {
    pub(super) async fn start(config: &config::Broker) -> Result<Embedded, BrokerError> {
        let address = config::listen_address(&config.address)?;
        probe(address).await?;
        let hubs = match &config.credentials_file {
            Some(path) => {
                let path = secrets::place(path);
                secrets::check(&path)?;
                let refuse = |error: mqtt5::error::MqttError| SecretError {
                    path: path.clone(),
                    reason: error.to_string(),
                };
                Some(PasswordAuthProvider::from_file(&path).await.map_err(refuse)?)
            }
            None => None,
        };
        let password = secrets::generate();
        let access = Access::new(&config.shard, &password, hubs);
        let mut broker = MqttBroker::with_config(broker_config(address))
            .await
            .map_err(|error| BrokerError::Start(error.to_string()))?
            .with_auth_provider(Arc::new(access));
        let address = broker
            .local_addr()
            .ok_or_else(|| BrokerError::Start(format!("it does not listen on {address}")))?;
        let shutdown = broker.shutdown_handle();
        let mut ready = broker.ready_receiver();
        let task = tokio::spawn(async move {
            if let Err(error) = broker.run().await {
                tracing::error!(%error, "the embedded MQTT broker stopped by itself");
            }
        });
        let started = ready.wait_for(|&ready| ready).await.map(drop);
        started.map_err(|_| BrokerError::Start("it stopped while starting".to_owned()))?;
        tracing::info!(%address, "MQTT broker listens");
        Ok(Embedded { address, password, shutdown, task: Mutex::new(Some(task)) })
    }
}

/// Finds out whether the address can be had, with the system's own reason when not.
async fn probe(address: SocketAddr) -> Result<(), BrokerError> {
    let listen = |error: std::io::Error| BrokerError::Listen { address, reason: error.to_string() };
    TcpListener::bind(address).await.map(drop).map_err(listen)
}

fn broker_config(address: SocketAddr) -> BrokerConfig {
    let mut storage = StorageConfig::new().with_backend(StorageBackend::Memory);
    storage.max_queued_messages_per_client = MAX_QUEUED_MESSAGES;
    let mut config = BrokerConfig::default()
        .with_bind_address(address)
        .with_max_clients(MAX_CLIENTS)
        .with_max_packet_size(MAX_PACKET_BYTES)
        .with_maximum_qos(1)
        .with_storage(storage)
        .with_sys_topics_enabled(false);
    // Hubs that come back after a power cut share one address behind a switch: the limiter would lock
    // the whole hall out for one wrong password.
    config.auth_config.rate_limit.enabled = false;
    config
}

#[async_trait]
impl Broker for Embedded {
    fn endpoint(&self) -> Endpoint {
        let host = if self.address.ip().is_unspecified() {
            match self.address {
                SocketAddr::V4(_) => "127.0.0.1".to_owned(),
                SocketAddr::V6(_) => "::1".to_owned(),
            }
        } else {
            self.address.ip().to_string()
        };
        let credentials =
            Credentials { username: ADJUDICATOR.to_owned(), password: self.password.clone() };
        Endpoint { host, port: self.address.port(), credentials: Some(credentials) }
    }

    fn listens_on(&self) -> Option<SocketAddr> {
        Some(self.address)
    }

    async fn stop(&self) {
        self.shutdown.shutdown();
        if let Some(task) = self.task.lock().await.take()
            && tokio::time::timeout(STOP_TIMEOUT, task).await.is_err()
        {
            tracing::warn!("the MQTT broker did not stop in time; its connections are dropped");
        }
    }
}
