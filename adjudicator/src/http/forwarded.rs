//! Address behind a proxy: the proxy's word counts where the configuration names it, and nowhere else.
//!
//! Connections, streams and records are counted by address. Behind a proxy that nobody has named all visitors are one address, and on this machine
//! that one is exempt from every count: so what such a proxy hands on is refused, with what to write.

use std::{net::IpAddr, sync::Arc};

use axum::http::{HeaderMap, HeaderName, StatusCode};

use super::Problem;
use crate::machine::connection_limit::is_this_machine;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED: HeaderName = HeaderName::from_static("forwarded");

/// Proxies that the configuration names.
#[derive(Clone, Debug, Default)]
pub(super) struct Proxies(Arc<[IpAddr]>);

impl Proxies {
    pub(super) fn new(addresses: &[IpAddr]) -> Proxies {
        Proxies(addresses.iter().map(IpAddr::to_canonical).collect())
    }

    /// From where a request comes that came over a connection from `address`.
    ///
    /// # Errors
    ///
    /// The refusal to answer with: nobody has named this proxy, or it does not say for whom it asks.
    pub(super) fn asked_by(&self, address: IpAddr, headers: &HeaderMap) -> Result<IpAddr, Problem> {
        let address = address.to_canonical();
        let is_named = self.0.contains(&address);
        let says = headers.contains_key(&FORWARDED_FOR) || headers.contains_key(&FORWARDED);
        if !is_named && says && is_this_machine(address) {
            let reason = "this comes through a proxy that the adjudicator's configuration does not name: write http.trusted_proxies = [\"127.0.0.1\"] \
                          there, and have the proxy set X-Forwarded-For";
            return Err(Problem::new(StatusCode::FORBIDDEN, reason));
        }
        if !is_named {
            // Anybody can write such a header.
            return Ok(address);
        }
        let lines = headers.get_all(&FORWARDED_FOR).iter().map(|line| line.to_str().unwrap_or("?"));
        let named: Vec<&str> = lines.flat_map(|line| line.split(',')).map(str::trim).collect();
        // The last one is what the proxy itself has seen; before it stands what it was told.
        for name in named.into_iter().rev() {
            let Ok(from) = name.parse::<IpAddr>() else {
                let reason = "the proxy's X-Forwarded-For has something that is no address";
                return Err(Problem::new(StatusCode::BAD_REQUEST, reason));
            };
            if !self.0.contains(&from.to_canonical()) {
                return Ok(from.to_canonical());
            }
        }
        Ok(address)
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn asked_by(named: &[&str], from: &str, lines: &[&'static str]) -> Option<String> {
        let named: Vec<IpAddr> = named.iter().map(|name| name.parse().unwrap()).collect();
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(FORWARDED_FOR, HeaderValue::from_static(line));
        }
        let asked = Proxies::new(&named).asked_by(from.parse().unwrap(), &headers);
        asked.ok().map(|address| address.to_string())
    }

    #[test]
    fn a_named_proxy_says_for_whom_it_asks_and_nobody_else_does() {
        let local: &[&str] = &["127.0.0.1"];
        let is = |address: &str| Some(address.to_owned());
        assert_eq!(asked_by(local, "127.0.0.1", &["203.0.113.7"]), is("203.0.113.7"));
        assert_eq!(
            asked_by(local, "127.0.0.1", &["10.9.9.9, 203.0.113.7"]),
            is("203.0.113.7"),
            "what a visitor wrote"
        );
        assert_eq!(
            asked_by(local, "127.0.0.1", &["127.0.0.1", "203.0.113.7, 127.0.0.1"]),
            is("203.0.113.7")
        );
        assert_eq!(asked_by(local, "::ffff:127.0.0.1", &["2001:db8::7"]), is("2001:db8::7"));
        assert_eq!(asked_by(local, "127.0.0.1", &[]), is("127.0.0.1"), "itself");
        assert_eq!(asked_by(local, "127.0.0.1", &["somebody"]), None);
        assert_eq!(
            asked_by(local, "192.0.2.1", &["203.0.113.7"]),
            is("192.0.2.1"),
            "anybody can write it"
        );
        assert_eq!(asked_by(&[], "127.0.0.1", &["203.0.113.7"]), None, "nobody has named it");
        assert_eq!(asked_by(&[], "127.0.0.1", &[]), is("127.0.0.1"));
    }
}
