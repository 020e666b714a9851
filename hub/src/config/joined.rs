//! The adjudicator that accepted this hub at its desk, as the hub keeps it in its state folder.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::check::Problems;
use super::{Broker, encryption};

/// The file, in the state folder.
const FILE: &str = "adjudicator.json";
/// The folder of the hub's key and certificates, in the state folder.
const TLS: &str = "tls";
/// The journal of a hub whose configuration names none, in the state folder.
const JOURNAL: &str = "hub.sqlite";

/// The adjudicator that accepted this hub.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Joined {
    /// Id under which the hub was accepted.
    pub hub_id: String,
    /// Address of the adjudicator when it was reached last.
    pub address: IpAddr,
    /// Port for hubs with certificates.
    pub port: u16,
    /// Name in the adjudicator's certificate.
    pub host: String,
    /// Shard of the topics.
    pub shard: String,
}

impl Joined {
    /// Reads the file of a state folder. `None`: the hub was not accepted yet, or the file is no such file.
    pub fn read(state: &Path) -> Option<Joined> {
        let text = std::fs::read_to_string(state.join(FILE)).ok()?;
        serde_json::from_str(&text)
            .inspect_err(|error| {
                tracing::error!("{}: {error}: the hub asks again", state.join(FILE).display())
            })
            .ok()
    }

    /// Writes the file; whole or not at all.
    ///
    /// # Errors
    ///
    /// The folder cannot be written.
    pub fn write(&self, state: &Path) -> std::io::Result<()> {
        crate::ports::write_whole(&state.join(FILE), &serde_json::to_string_pretty(self)?)
    }

    /// The broker of this adjudicator.
    pub(super) fn broker(&self, state: &Path, problems: &mut Problems) -> Option<Broker> {
        let encryption = encryption::read_bundle(&tls(state), Some(&self.host), problems)?;
        Some(Broker {
            host: self.address.to_string(),
            port: self.port,
            shard: self.shard.clone(),
            login: None,
            encryption: Some(encryption),
        })
    }
}

/// The folder of the hub's key and certificates.
pub(crate) fn tls(state: &Path) -> PathBuf {
    state.join(TLS)
}

/// The journal of a hub whose configuration names none.
pub(super) fn journal(state: &Path) -> PathBuf {
    state.join(JOURNAL)
}
