//! Checks of the broker's address, accounts and certificates. An embedded and an external broker take different values, and a value of
//! the other kind is refused with the reason.

use std::net::{SocketAddr, ToSocketAddrs};

use super::{
    BrokerMode, Config, ConfigError,
    check::{check_segment, refuse},
};

/// Checks the broker's ids, address and accounts.
///
/// # Errors
///
/// A value cannot be used, or belongs to the other kind of broker.
pub(super) fn check_broker(config: &Config) -> Result<(), ConfigError> {
    let broker = &config.broker;
    check_segment("broker.shard", &broker.shard)?;
    check_segment("broker.id", &broker.id)?;
    if let Some(prefix) = &broker.home_assistant {
        check_segment("broker.home_assistant", prefix)?;
    }
    match broker.mode {
        BrokerMode::Embedded => {
            let address = listen_address(&broker.address)?;
            if broker.username.is_some() || broker.password_file.is_some() {
                let problem = "is for an external broker; the embedded one takes \
                    broker.credentials_file with the hubs' own passwords";
                return Err(refuse("broker.username", problem));
            }
            if !address.ip().is_loopback() && broker.credentials_file.is_none() {
                let problem = format!(
                    "{address} can be reached from other machines: set broker.credentials_file so \
                     that only the hall's own hubs can connect, or listen on 127.0.0.1"
                );
                return Err(refuse("broker.address", problem));
            }
            if broker.home_assistant.is_some() {
                let problem =
                    "is for an external broker; the embedded one lets no other programs in";
                return Err(refuse("broker.home_assistant", problem));
            }
        }
        BrokerMode::External => {
            external_address(&broker.address)?;
            if broker.credentials_file.is_some() {
                let problem = "is for the embedded broker; an external one keeps its own list";
                return Err(refuse("broker.credentials_file", problem));
            }
            if broker.username.is_some() != broker.password_file.is_some() {
                let problem = "user name and password file go together: give both or none";
                return Err(refuse("broker.username", problem));
            }
        }
    }
    Ok(())
}

/// Checks that certificates, keys and encrypted addresses go together.
///
/// # Errors
///
/// One is given without the other it needs, or for the other kind of broker.
pub(super) fn check_tls(config: &Config) -> Result<(), ConfigError> {
    let Config { http, broker, tls, .. } = config;
    if http.certificate_file.is_some() != http.key_file.is_some() {
        let problem = "certificate and key go together: give both or none";
        return Err(refuse("http.certificate_file", problem));
    }
    if config.hubs.accept && (broker.mode == BrokerMode::External || config.cluster.is_some()) {
        let problem = "is for the embedded broker of one machine; enroll hubs with `twinboard enroll` or the broker's own accounts";
        return Err(refuse("hubs.accept", problem));
    }
    let folder = "set tls.folder to the folder that `twinboard enroll` made";
    if broker.tls_address.is_some() && tls.folder.is_none() {
        return Err(refuse("broker.tls_address", format!("needs the hall's authority: {folder}")));
    }
    if http.tls_address.is_some() && http.certificate_file.is_none() && tls.folder.is_none() {
        let problem = format!("needs a certificate: {folder}, or give http.certificate_file");
        return Err(refuse("http.tls_address", problem));
    }
    match broker.mode {
        BrokerMode::Embedded if broker.authority_file.is_some() => {
            let problem =
                "is for an external broker; hubs reach the embedded one at broker.tls_address";
            Err(refuse("broker.authority_file", problem))
        }
        BrokerMode::External if broker.tls_address.is_some() => {
            let problem = "is for the embedded broker; an external one listens by itself";
            Err(refuse("broker.tls_address", problem))
        }
        _ => Ok(()),
    }
}

/// The address an embedded broker listens on.
pub(crate) fn listen_address(address: &str) -> Result<SocketAddr, ConfigError> {
    let name = "broker.address";
    if external_address(address).is_err() && address.parse::<SocketAddr>().is_err() {
        let problem = format!("{address:?} is no address to listen on; write 127.0.0.1:1883");
        return Err(refuse(name, problem));
    }
    let resolved = address.to_socket_addrs().ok().and_then(|mut addresses| addresses.next());
    resolved.ok_or_else(|| ConfigError::Unresolved {
        name: name.to_owned(),
        address: address.to_owned(),
    })
}

/// Host and port of an external broker.
pub(crate) fn external_address(address: &str) -> Result<(String, u16), ConfigError> {
    let parts = address.rsplit_once(':').and_then(|(host, port)| {
        let port = port.parse::<u16>().ok().filter(|&port| port != 0)?;
        let host = host.trim_start_matches('[').trim_end_matches(']');
        (!host.is_empty()).then(|| (host.to_owned(), port))
    });
    parts.ok_or_else(|| {
        let problem = format!("{address:?} is no host and port; write broker.example:1883");
        refuse("broker.address", problem)
    })
}
