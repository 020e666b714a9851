//! Reasons why the adjudicator does not start.

use std::net::SocketAddr;

use crate::{
    broker::BrokerError,
    config::ConfigError,
    limits::MIN_TOKEN_LENGTH,
    log::StoreError,
    outlets::{broadcast::HostError, outbound::OutboundError, pgn_folder::FolderError},
    pki::{authority::AuthorityError, secrets::SecretError},
};

/// Reason why the adjudicator did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A value in the configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The broker.
    #[error(transparent)]
    Broker(#[from] BrokerError),
    /// The web server's address.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// Threads for the pages.
    #[error("the system gives no threads for the pages: {0}")]
    Threads(std::io::Error),
    /// A file with a secret.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// A certificate.
    #[error(transparent)]
    Authority(#[from] AuthorityError),
    /// Shard or id.
    #[error("configuration value broker.shard or broker.id: {0}")]
    Segment(#[from] proto::mqtt::SegmentError),
    /// The folder of PGN files.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// An outside address to which the adjudicator sends.
    #[error(transparent)]
    Outbound(#[from] OutboundError),
    /// The line between owners and fronts.
    #[error(transparent)]
    Cluster(#[from] crate::bus::BusError),
    /// A front without a cluster.
    #[error("a front needs [cluster] in its configuration, with event and nats")]
    NoCluster,
    /// A mirror's address, or what is needed to send to it.
    #[error(transparent)]
    Mirror(#[from] HostError),
    /// The tournament directors' token.
    #[error("http.td_token_file: the token must have {MIN_TOKEN_LENGTH} characters or more")]
    WeakToken,
}

/// The address cannot be bound.
#[derive(Debug, thiserror::Error)]
#[error(
    "the web server cannot listen on {address}: {source}; stop the program that uses this port or set \
     http.address to a free one"
)]
pub struct ListenError {
    pub(crate) address: SocketAddr,
    pub(crate) source: std::io::Error,
}
