//! Asking a running adjudicator for an invitation, and showing it so that a phone can take it.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};

use anyhow::{Context, Result, bail};
use fast_qr::QRBuilder;
use serde::Deserialize;
use serde_json::json;

/// An unused address: the route to it shows which of our own addresses the network sees. Nothing is sent.
const ELSEWHERE: (Ipv4Addr, u16) = (Ipv4Addr::new(192, 0, 2, 1), 9);

/// An invitation.
#[derive(Deserialize)]
pub(crate) struct Invitation {
    path: String,
    pin: String,
}

/// The invited person.
pub(crate) struct Whom {
    pub(crate) person: String,
    /// Rank, as the adjudicator names it.
    pub(crate) rank: &'static str,
    pub(crate) sections: Vec<String>,
    pub(crate) tables: Vec<String>,
}

impl Invitation {
    /// Asks the adjudicator that listens at `server`.
    ///
    /// # Errors
    ///
    /// It is not running, or refuses.
    pub(crate) async fn ask(server: SocketAddr, token: &str, whom: &Whom) -> Result<Invitation> {
        let url = format!("http://{}/api/v1/td/invitations", reachable(server));
        let scope = json!({ "sections": whom.sections, "tables": whom.tables });
        let wish = json!({ "person": whom.person, "rank": whom.rank, "scope": scope });
        let request = reqwest::Client::new().post(&url).bearer_auth(token).json(&wish);
        let answer = request.send().await.with_context(|| {
            format!("no adjudicator answers at {server}: start it with `twinboard serve` first")
        })?;
        if !answer.status().is_success() {
            let said: serde_json::Value = answer.json().await.unwrap_or_default();
            let reason = said["error"].as_str().or(said["reason"].as_str()).unwrap_or("no reason");
            bail!("the adjudicator refuses: {reason}");
        }
        answer.json().await.context("the adjudicator's answer is invalid")
    }

    /// The page to open, for phones in the network of `server`.
    pub(crate) fn url(&self, server: SocketAddr) -> String {
        format!("http://{}{}", seen_by_others(server), self.path)
    }

    /// The page to open, for phones that reach the adjudicator at this address.
    pub(crate) fn url_at(&self, address: &str) -> String {
        format!("{}{}", address.trim_end_matches('/'), self.path)
    }

    /// Text to show: the address as text and as a QR code, and the PIN.
    pub(crate) fn text(&self, url: &str) -> Result<String> {
        let code = QRBuilder::new(url).build().context("the address is too long for a QR code")?;
        Ok(format!("{}\n{url}\nPIN {}  (works once, for 15 minutes)", code.to_str(), self.pin))
    }
}

/// An address that this machine can connect to.
pub(crate) fn reachable(server: SocketAddr) -> SocketAddr {
    match server.ip() {
        ip if ip.is_unspecified() => SocketAddr::new(Ipv4Addr::LOCALHOST.into(), server.port()),
        _ => server,
    }
}

/// An address under which others of the network reach this machine.
fn seen_by_others(server: SocketAddr) -> SocketAddr {
    if !server.ip().is_unspecified() {
        return server;
    }
    let own = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))
        .and_then(|socket| socket.connect(ELSEWHERE).and_then(|()| socket.local_addr()))
        .map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |address| address.ip());
    SocketAddr::new(own, server.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invitation_is_shown_with_its_code_and_its_pin() {
        let invitation = Invitation { path: "/td#abc".to_owned(), pin: "0420".to_owned() };
        let url = invitation.url("10.0.0.5:8080".parse().unwrap());
        assert_eq!(url, "http://10.0.0.5:8080/td#abc");
        let text = invitation.text(&url).unwrap();
        assert!(text.contains("PIN 0420") && text.contains(&url) && text.contains('█'), "{text}");
    }

    #[test]
    fn an_address_of_the_whole_network_is_replaced_by_one_that_can_be_reached() {
        let everywhere: SocketAddr = "0.0.0.0:8080".parse().unwrap();
        assert_eq!(reachable(everywhere), "127.0.0.1:8080".parse().unwrap());
        assert!(!seen_by_others(everywhere).ip().is_unspecified());
    }
}
