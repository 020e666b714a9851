//! The MQTT broker between hubs and adjudicator: one in this process, or one that the organiser runs.
//!
//! Small events need no second program, so the default broker is embedded. Whichever it is, the
//! adjudicator connects to it as an ordinary MQTT client over TCP, so that both kinds are one path
//! through the code; a [`Broker`] only has the address and the login, and stops what it started.

mod acl;
mod certificates;
mod embedded;
mod external;
mod log_throttle;
mod password_check;
mod tcp_front;
mod tls_front;

use std::{net::SocketAddr, sync::Arc};

use async_trait::async_trait;

use crate::{
    config::{self, BrokerMode, ConfigError},
    machine::{open_files::Shares, tasks::Tasks},
    pki::{authority::AuthorityError, notices::CertificateNotices, secrets::SecretError},
};

/// User name and password of an MQTT connection. Prints without the password.
#[derive(Clone)]
pub struct Credentials {
    /// User name.
    pub username: String,
    /// Password.
    pub password: String,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Credentials({}, hidden)", self.username)
    }
}

/// Address and login of the adjudicator's client.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// Host name or address.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// The login; none for a broker without accounts.
    pub credentials: Option<Credentials>,
    /// The authority to trust, if the connection is to be encrypted.
    pub encryption: Option<Arc<rustls::ClientConfig>>,
}

/// A broker that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BrokerError {
    /// The address is in use or not this machine's.
    #[error(
        "the MQTT broker cannot listen on {address}: {reason}; stop the program that uses this port (such as another broker). Or set broker.address \
         to a free one, or use the running broker with broker.mode = \"external\""
    )]
    Listen {
        /// The address that was asked for.
        address: SocketAddr,
        /// The system's reason.
        reason: String,
    },
    /// The broker library refused to start for another reason.
    #[error("the embedded MQTT broker did not start: {0}")]
    Start(String),
    /// A file with passwords cannot be used.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// The hall's authority or a certificate cannot be used.
    #[error(transparent)]
    Authority(#[from] AuthorityError),
    /// The address in the configuration is none.
    #[error(transparent)]
    Config(#[from] ConfigError),
}

/// A broker in use.
#[async_trait]
pub trait Broker: Send + Sync {
    /// Address and login of the adjudicator's own client.
    fn endpoint(&self) -> Endpoint;

    /// The address that hubs can connect to, if this process listens on one.
    fn listens_on(&self) -> Option<SocketAddr>;

    /// The address at which hubs connect encrypted, if this process listens on one.
    fn gate(&self) -> Option<SocketAddr>;

    /// Stops what was started, gracefully.
    async fn stop(&self);
}

/// Starts or finds the broker that the configuration asks for. `shares`: how many connections one in this process accepts; `notices` gets
/// notices about its certificate.
///
/// # Errors
///
/// The address is in use or none, or a credentials file cannot be used.
pub(crate) async fn open(
    config: &config::Config,
    shares: Shares,
    tasks: &Tasks,
    notices: &CertificateNotices,
) -> Result<Box<dyn Broker>, BrokerError> {
    Ok(match config.broker.mode {
        BrokerMode::Embedded => {
            Box::new(embedded::Embedded::start(config, shares, tasks, notices).await?)
        }
        BrokerMode::External => Box::new(external::External::new(&config.broker)?),
    })
}
