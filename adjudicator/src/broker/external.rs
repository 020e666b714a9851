//! A broker of the organiser's own: nothing is started, nothing is stopped.

use std::net::SocketAddr;

use async_trait::async_trait;

use super::{Broker, BrokerError, Credentials, Endpoint};
use crate::{
    config,
    pki::{secrets, tls},
};

/// The address and account of an existing broker.
pub(super) struct External {
    endpoint: Endpoint,
}

impl External {
    pub(super) fn new(config: &config::BrokerSettings) -> Result<External, BrokerError> {
        let (host, port) = config::external_address(&config.address)?;
        let credentials = match (&config.username, &config.password_file) {
            (Some(username), Some(path)) => {
                Some(Credentials { username: username.clone(), password: secrets::read(path)? })
            }
            _ => None,
        };
        let encryption =
            config.authority_file.as_ref().map(|file| tls::trusting(file)).transpose()?;
        Ok(External { endpoint: Endpoint { host, port, credentials, encryption } })
    }
}

#[async_trait]
impl Broker for External {
    fn endpoint(&self) -> Endpoint {
        self.endpoint.clone()
    }

    fn listens_on(&self) -> Option<SocketAddr> {
        None
    }

    fn gate(&self) -> Option<SocketAddr> {
        None
    }

    async fn stop(&self) {}
}
