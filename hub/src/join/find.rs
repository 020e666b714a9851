//! Search for adjudicators: by mDNS, or at an address that was typed once.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use mdns_sd::{ResolvedService, ServiceDaemon, ServiceEvent};
use proto::join::SERVICE;
use tracing::warn;

/// Maximum number of adjudicators that are asked at a time.
const FOUND_MAX: usize = 8;
/// Characters of a reported reason.
const REASON_CHARS_MAX: usize = 300;

/// A search.
pub(super) enum Finder {
    /// One address.
    Typed(String, Failures),
    /// Adjudicators that announce themselves.
    Announced(Announced, Failures),
}

/// Last reported failure of each address.
type Failures = Mutex<BTreeMap<SocketAddr, String>>;

/// Adjudicators that announced themselves.
pub(super) struct Announced {
    daemon: Option<ServiceDaemon>,
    found: Arc<Mutex<BTreeSet<SocketAddr>>>,
}

impl Drop for Announced {
    fn drop(&mut self) {
        if let Some(daemon) = self.daemon.take() {
            // Fails when its thread has ended, which is as good.
            let _ = daemon.shutdown();
        }
    }
}

impl Finder {
    /// Starts a search; at an address, or by mDNS.
    pub(super) fn start(address: Option<String>) -> Finder {
        match address {
            Some(address) => Finder::Typed(address, Failures::default()),
            None => Finder::Announced(Announced::start(), Failures::default()),
        }
    }

    /// The addresses to ask now.
    pub(super) async fn found(&self) -> Vec<SocketAddr> {
        match self {
            Finder::Typed(address, _) => super::resolve(address).await.into_iter().collect(),
            Finder::Announced(announced, _) => {
                let found = announced.found.lock().unwrap_or_else(PoisonError::into_inner);
                found.iter().copied().collect()
            }
        }
    }

    /// Reports a failure of an address once, until there is another one. An announced address is searched again.
    pub(super) fn note_failure(&self, address: SocketAddr, reason: &str) {
        let (Finder::Typed(_, failures) | Finder::Announced(_, failures)) = self;
        let reason: String = reason.chars().take(REASON_CHARS_MAX).collect();
        let mut failures = failures.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.len() >= FOUND_MAX && !failures.contains_key(&address) {
            failures.clear();
        }
        if failures.insert(address, reason.clone()).as_ref() != Some(&reason) {
            warn!(%address, "this hub is not accepted there: {reason}");
        }
    }
}

impl Announced {
    fn start() -> Announced {
        let found = Arc::new(Mutex::new(BTreeSet::new()));
        let started = ServiceDaemon::new().and_then(|daemon| Ok((daemon.browse(SERVICE)?, daemon)));
        let (events, daemon) = match started {
            Ok(started) => started,
            Err(error) => {
                warn!(
                    "adjudicators cannot be searched: {error}; name one with --adjudicator HOST:PORT"
                );
                return Announced { daemon: None, found };
            }
        };
        let here = Arc::clone(&found);
        tokio::spawn(async move {
            while let Ok(event) = events.recv_async().await {
                let mut found = here.lock().unwrap_or_else(PoisonError::into_inner);
                match event {
                    ServiceEvent::ServiceResolved(service) => {
                        if let Some(address) = address_of(&service)
                            && found.len() < FOUND_MAX
                        {
                            found.insert(address);
                        }
                    }
                    // It is found again when it is announced again.
                    ServiceEvent::ServiceRemoved(..) => found.clear(),
                    _ => {}
                }
            }
        });
        Announced { daemon: Some(daemon), found }
    }
}

/// Address of an announced service: one of IPv4 first, which every network of a hall has.
fn address_of(service: &ResolvedService) -> Option<SocketAddr> {
    let mut addresses: Vec<IpAddr> =
        service.get_addresses().iter().map(mdns_sd::ScopedIp::to_ip_addr).collect();
    addresses.sort();
    let usable = |address: &&IpAddr| match address {
        IpAddr::V4(address) => !address.is_unspecified() && !address.is_multicast(),
        // An address of one link is of no use without the link's number.
        IpAddr::V6(address) => !address.is_unicast_link_local() && !address.is_unspecified(),
    };
    addresses.iter().find(usable).map(|address| SocketAddr::new(*address, service.get_port()))
}
