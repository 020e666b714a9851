//! The place of this process among several machines: an owner of halls, or a front of one.

use std::path::PathBuf;

use serde::Deserialize;

use super::{
    BrokerMode, Config, ConfigError,
    check::{check_segment, refuse},
};

/// Most halls of one owner's process.
const HALLS_MAX: usize = 16;

/// Part of a process in a cluster.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// It writes the logs of halls and renders their views.
    #[default]
    Owner,
    /// It serves rendered views of a hall, and hands acts to the owner.
    Front,
}

/// Several processes that follow one event, connected by NATS.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cluster {
    /// Segment of every subject; separates events on one NATS.
    pub event: String,
    /// Owner or front.
    #[serde(default)]
    pub role: Role,
    /// Addresses of the NATS servers, `nats://HOST:4222` or `tls://HOST:4222`.
    pub nats: Vec<String>,
    /// Certificate of the authority (PEM) that vouches for the NATS servers.
    pub authority_file: Option<PathBuf>,
    /// User name of this process's NATS account.
    pub username: Option<String>,
    /// File with its password.
    pub password_file: Option<PathBuf>,
    /// Owners only: the halls whose logs this process may own, each with a configuration file of its own.
    #[serde(default, rename = "hall")]
    pub halls: Vec<ClusterHall>,
}

/// A hall that an owner may own.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClusterHall {
    /// Its configuration, as `twinboard serve` takes it for one hall.
    pub config: PathBuf,
    /// Whether another owner is to have it while that one lives.
    #[serde(default)]
    pub standby: bool,
}

impl Cluster {
    /// Paths, relative to the configuration's folder.
    pub(super) fn paths_mut(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        let files = [&mut self.authority_file, &mut self.password_file].into_iter().flatten();
        files.chain(self.halls.iter_mut().map(|hall| &mut hall.config))
    }
}

/// Checks the values of a cluster.
///
/// # Errors
///
/// A value cannot work, or belongs to the other role.
pub(super) fn check_cluster(config: &Config) -> Result<(), ConfigError> {
    let Some(cluster) = &config.cluster else { return Ok(()) };
    check_segment("cluster.event", &cluster.event)?;
    if cluster.nats.is_empty() {
        return Err(refuse("cluster.nats", "is empty: write [\"nats://HOST:4222\"]"));
    }
    for address in &cluster.nats {
        if address.contains('@') {
            let problem = "an account stands in the address, where logs show it: use cluster.username and cluster.password_file";
            return Err(refuse("cluster.nats", problem));
        }
        if let Err(error) = address.parse::<async_nats::ServerAddr>() {
            let problem = format!("{address:?} is no address: {error}; write nats://HOST:4222");
            return Err(refuse("cluster.nats", problem));
        }
    }
    if cluster.username.is_some() != cluster.password_file.is_some() {
        let problem = "user name and password file go together: give both or none";
        return Err(refuse("cluster.username", problem));
    }
    if cluster.role == Role::Front && !cluster.halls.is_empty() {
        return Err(refuse("cluster.hall", "is for an owner; a front serves broker.shard"));
    }
    if cluster.halls.len() > HALLS_MAX {
        let problem =
            format!("{} halls; one process owns {HALLS_MAX} at most", cluster.halls.len());
        return Err(refuse("cluster.hall", problem));
    }
    Ok(())
}

impl Config {
    /// The configurations of the halls that this process may own, each with whether another owner comes first.
    ///
    /// # Errors
    ///
    /// A file cannot be used, or names a place that no other owner could reach.
    pub fn halls(&self) -> Result<Vec<(Config, bool)>, ConfigError> {
        let Some(cluster) = &self.cluster else { return Ok(Vec::new()) };
        let mut halls: Vec<(Config, bool)> = Vec::new();
        for hall in &cluster.halls {
            let mut config = Config::load(&hall.config)?;
            let shard = &config.broker.shard;
            let wrong = if config.cluster.is_some() {
                Some((
                    "cluster",
                    "stands in the owner's configuration: leave it out here".to_owned(),
                ))
            } else if config.store.url.is_none() {
                let problem =
                    "is missing: a hall that moves between owners has its log on PostgreSQL";
                Some(("store.url", problem.to_owned()))
            } else if config.broker.mode == BrokerMode::Embedded {
                let problem = "is \"embedded\": hubs could not reach another owner; run Mosquitto in the hall and write \"external\"";
                Some(("broker.mode", problem.to_owned()))
            } else if halls.iter().any(|(other, _)| other.broker.shard == *shard) {
                Some((
                    "broker.shard",
                    format!("{shard:?} is another hall's, too: give each its own"),
                ))
            } else {
                None
            };
            if let Some((name, problem)) = wrong {
                return Err(refuse(name, problem).in_file(&hall.config));
            }
            config.cluster = Some(Cluster { halls: Vec::new(), ..cluster.clone() });
            halls.push((config, hall.standby));
        }
        Ok(halls)
    }
}
