//! The broker in this process: `mqtt5`, kept in memory.
//!
//! It stores nothing on disk. All that must survive a crash is in the hubs' journals and in the
//! adjudicator's database; hubs resend rows that were not acknowledged, and the adjudicator publishes
//! its retained acknowledgements again when it connects.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use mqtt5::broker::{
    BrokerConfig, BrokerShutdownHandle, MqttBroker,
    auth::PasswordAuthProvider,
    config::{StorageBackend, StorageConfig},
};
use proto::mqtt::{MAX_ROWS_BYTES, PACKET_OVERHEAD_BYTES};
use tokio::{net::TcpListener, sync::Mutex, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use super::{
    Broker, BrokerError, Credentials, Endpoint,
    acl::{Access, Secrets},
    certificates::Enrolled,
    log_throttle::ThrottledLines,
    tcp_front::{Callers, Entrance},
    tls_front::Gate,
};
use crate::{
    config::{self, ADJUDICATOR},
    machine::{open_files::Shares, tasks::Tasks},
    pki::{
        authority,
        notices::CertificateNotices,
        secrets::{self, SecretError},
        tls,
    },
};

/// Largest MQTT packet: a full batch of rows, its topic and header. The adjudicator's own client must accept as large a packet
/// ([`crate::ingest::mqtt_client`]): one larger packet of a hub would end the connection of the whole hall.
const MAX_PACKET_BYTES: usize = MAX_ROWS_BYTES + MAX_PACKET_BYTES_AROUND;
/// Room for the topic and the header: less than the adjudicator's client has.
const MAX_PACKET_BYTES_AROUND: usize = PACKET_OVERHEAD_BYTES / 2;

/// Clients that are no hubs: the adjudicator, and programs that read along for a while.
const OUR_CLIENTS: usize = 16;

/// Maximum number of subscriptions of one client: a hub has three, the adjudicator two.
const MAX_SUBSCRIPTIONS: usize = 16;

/// Maximum number of messages queued for one slow client.
const MAX_QUEUED_MESSAGES: usize = 10_000;

/// Longest wait for connections to close when stopping.
const STOP_TIMEOUT: Duration = Duration::from_secs(3);

/// A running broker.
pub(super) struct Embedded {
    /// Address to which hubs connect.
    address: SocketAddr,
    /// Address at which the library listens, on this machine only.
    inside: SocketAddr,
    gate: Option<SocketAddr>,
    /// The adjudicator's login, generated at every start.
    password: String,
    shutdown: BrokerShutdownHandle,
    /// Shutdown of the listeners and of the task that follows the certificate.
    doors_shutdown: CancellationToken,
    task: Mutex<Option<JoinHandle<()>>>,
}

impl Embedded {
    pub(super) async fn start(
        config: &config::Config,
        shares: Shares,
        tasks: &Tasks,
        notices: &CertificateNotices,
    ) -> Result<Embedded, BrokerError> {
        let listener = listen(config::listen_address(&config.broker.address)?).await?;
        let address = local(&listener)?;
        let hubs = accounts(&config.broker).await?;
        let (password, gate_secret) = (secrets::generate(), secrets::generate());
        let callers = Callers::default();
        let secrets = Secrets { adjudicator: password.clone(), gate: gate_secret.clone() };
        let access = Access::new(config, secrets, hubs, callers.clone());
        let mut broker = MqttBroker::with_config(broker_config(config.limits.hubs))
            .await
            .map_err(|error| BrokerError::Start(error.to_string()))?
            .with_auth_provider(Arc::new(access));
        let inside = broker
            .local_addr()
            .ok_or_else(|| BrokerError::Start("it does not listen on this machine".to_owned()))?;
        let shutdown = broker.shutdown_handle();
        let mut ready = broker.ready_receiver();
        let task = tasks.spawn("broker", async move {
            if let Err(error) = broker.run().await {
                tracing::error!(%error, "the embedded MQTT broker stopped by itself");
            }
        });
        let started = ready.wait_for(|&ready| ready).await.map(drop);
        started.map_err(|_| BrokerError::Start("it stopped while starting".to_owned()))?;
        let doors_shutdown = CancellationToken::new();
        let entrance = Entrance { broker: inside, callers };
        let entering = entrance.run(listener, shares.hubs, doors_shutdown.clone());
        tasks.spawn("way in for hubs", entering);
        tracing::info!(%address, "MQTT broker listens");
        let gate = match config.broker.tls_address {
            Some(at) => {
                let most = shares.hubs;
                let stop = doors_shutdown.clone();
                let watched = (tasks, notices, stop);
                Some(open_gate(config, at, inside, gate_secret, most, watched).await?)
            }
            None => None,
        };
        let task = Mutex::new(Some(task));
        Ok(Embedded { address, inside, gate, password, shutdown, doors_shutdown, task })
    }
}

async fn accounts(
    config: &config::BrokerSettings,
) -> Result<Option<PasswordAuthProvider>, BrokerError> {
    let Some(path) = &config.credentials_file else { return Ok(None) };
    let path = secrets::place(path);
    secrets::check(&path)?;
    let refuse = |error: mqtt5::error::MqttError| SecretError {
        path: path.clone(),
        reason: error.to_string(),
    };
    Ok(Some(PasswordAuthProvider::from_file(&path).await.map_err(refuse)?))
}

/// Begins to accept hubs that connect encrypted; returns the address.
async fn open_gate(
    config: &config::Config,
    at: SocketAddr,
    broker: SocketAddr,
    secret: String,
    most: usize,
    (tasks, notices, shutdown): (&Tasks, &CertificateNotices, CancellationToken),
) -> Result<SocketAddr, BrokerError> {
    let folder = config.tls.folder.clone().unwrap_or_default();
    let identity = tls::of_adjudicator(config)?;
    let acceptor = identity.for_hubs(&folder.join(authority::AUTHORITY))?;
    let listener = listen(at).await?;
    let at = local(&listener)?;
    let enrolled = Enrolled::of(folder.clone());
    let gate = Gate { acceptor, enrolled, broker, secret, refused: ThrottledLines::default() };
    tasks.spawn("way in for hubs with certificates", gate.run(listener, most, shutdown.clone()));
    let watching = identity.watch(notices.clone(), shutdown.clone());
    tasks.spawn("certificate of the adjudicator", watching);
    tasks.spawn("certificates of hubs", notices.clone().watch(folder, shutdown));
    tracing::info!(address = %at, "hubs are authenticated by certificates");
    Ok(at)
}

/// Binds an address; an error has the system's own reason.
async fn listen(address: SocketAddr) -> Result<TcpListener, BrokerError> {
    let refused =
        |error: std::io::Error| BrokerError::Listen { address, reason: error.to_string() };
    TcpListener::bind(address).await.map_err(refused)
}

fn local(listener: &TcpListener) -> Result<SocketAddr, BrokerError> {
    listener.local_addr().map_err(|error| BrokerError::Start(error.to_string()))
}

fn broker_config(hubs_max: usize) -> BrokerConfig {
    let mut storage = StorageConfig::new().with_backend(StorageBackend::Memory);
    storage.max_queued_messages_per_client = MAX_QUEUED_MESSAGES;
    let mut config = BrokerConfig::default()
        .with_bind_address((Ipv4Addr::LOCALHOST, 0))
        .with_max_clients(hubs_max + OUR_CLIENTS)
        .with_max_packet_size(MAX_PACKET_BYTES)
        .with_maximum_qos(1)
        .with_max_subscriptions_per_client(MAX_SUBSCRIPTIONS)
        .with_storage(storage)
        .with_sys_topics_enabled(false);
    // The broker keeps a name for a topic before it asks who may publish there. No client of ours has any.
    config.topic_alias_maximum = 0;
    // Hubs that come back after a power cut share one address behind a switch: the limiter would lock
    // the whole hall out for one wrong password.
    config.auth_config.rate_limit.enabled = false;
    config
}

#[async_trait]
impl Broker for Embedded {
    fn endpoint(&self) -> Endpoint {
        let credentials =
            Credentials { username: ADJUDICATOR.to_owned(), password: self.password.clone() };
        Endpoint {
            host: self.inside.ip().to_string(),
            port: self.inside.port(),
            credentials: Some(credentials),
            encryption: None,
        }
    }

    fn listens_on(&self) -> Option<SocketAddr> {
        Some(self.address)
    }

    fn gate(&self) -> Option<SocketAddr> {
        self.gate
    }

    async fn stop(&self) {
        self.doors_shutdown.cancel();
        self.shutdown.shutdown();
        if let Some(task) = self.task.lock().await.take()
            && tokio::time::timeout(STOP_TIMEOUT, task).await.is_err()
        {
            tracing::warn!("the MQTT broker did not stop in time; its connections are dropped");
        }
    }
}
