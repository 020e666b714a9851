//! The log's place by a configuration. It is a module of the root because it joins configuration, secrets and log.

use crate::{
    config::{Config, StoreSettings},
    log::{Place, StoreError, postgres::Server},
    pki::secrets,
};

impl Config {
    /// Place of the log.
    ///
    /// # Errors
    ///
    /// The address or the file with the password cannot be used.
    pub fn log_place(&self) -> Result<Place, StoreError> {
        let StoreSettings { path, url, password_file, .. } = &self.store;
        let Some(url) = url else { return Ok(Place::File(path.clone())) };
        let password = password_file.as_deref().map(secrets::read).transpose();
        let password = password.map_err(|error| StoreError::Password(error.to_string()))?;
        Server::new(url, password.as_deref(), &self.broker.shard).map(Place::Server)
    }
}
