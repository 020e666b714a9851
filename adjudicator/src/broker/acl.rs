//! Access rules of the embedded broker: the topics that each client may publish to and read.
//!
//! A hub may publish its own rows and state and read its own acknowledgements and commands; nobody but
//! the adjudicator may acknowledge, command or publish as the adjudicator. With a credentials file the
//! user name is the hub's id and "its own" is enforced; without one (this machine only) any
//! connection may publish as a hub, and still never as the adjudicator.
//!
//! A broker ends the older of two connections with one client id (MQTT 3.1.1, MQTT-3.1.4-2). So client ids are
//! bound to accounts, too: otherwise one hub's account could keep the adjudicator, or another hub, off the broker.

use std::{future::Future, net::SocketAddr, pin::Pin};

use mqtt5::{
    broker::auth::{AuthProvider, AuthResult, PasswordAuthProvider},
    error::Result,
    packet::connect::ConnectPacket,
    protocol::v5::reason_codes::ReasonCode,
};
use proto::mqtt::{
    ADJUDICATOR_CLIENT_PREFIX, MAX_SEGMENT_BYTES, Segment, hub_client_id, hub_rehearsal_client_id,
};
use subtle::ConstantTimeEq;

use super::{
    password_check::{Admission, Door},
    tcp_front::Callers,
};
use crate::config::{self, ADJUDICATOR};

type AclFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Longest client id that is compared, bytes: hubs' ids are shorter, and so are those of usual programs.
const CLIENT_ID_BYTES_MAX: usize = 128;

/// The secrets by which the broker recognises connections of this process.
pub(super) struct Secrets {
    /// Password of the adjudicator's own connection.
    pub(super) adjudicator: String,
    /// Password of connections that came through the gate, whose hub is known by its certificate.
    pub(super) gate: String,
}

/// The embedded broker's authentication and topic rules.
pub(super) struct Access {
    /// `twinboard/1/{shard}/hub/`, in a rehearsal of the event's shard, too: hubs stay connected there.
    hubs_prefixes: Vec<String>,
    /// Topic of the adjudicator's state; and the filter of all adjudicators' states, to which hubs subscribe.
    adjudicator_states: [String; 2],
    secrets: Secrets,
    hubs: Option<Door<PasswordAuthProvider>>,
    /// Clients of the connections that the broker sees.
    callers: Callers,
}

/// Purpose of a topic.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Publish,
    Subscribe,
}

impl Access {
    pub(super) fn new(
        config: &config::Config,
        secrets: Secrets,
        hubs: Option<PasswordAuthProvider>,
        callers: Callers,
    ) -> Access {
        let broker = &config.broker;
        let shards = [&broker.shard].into_iter().chain(&config.rehearsal_of);
        Access {
            hubs_prefixes: shards.map(|shard| format!("twinboard/1/{shard}/hub/")).collect(),
            adjudicator_states: [&broker.id, "+"]
                .map(|id| format!("twinboard/1/adjudicator/{id}/state")),
            secrets,
            hubs: hubs.map(Door::new),
            callers,
        }
    }

    fn is_adjudicator(&self, connect: &ConnectPacket) -> bool {
        let password = connect.password.as_deref().unwrap_or_default();
        connect.username.as_deref() == Some(ADJUDICATOR)
            && bool::from(password.ct_eq(self.secrets.adjudicator.as_bytes()))
    }

    /// Whether a connection came through the gate: then its account is that of its certificate.
    fn is_from_gate(&self, connect: &ConnectPacket) -> bool {
        let password = connect.password.as_deref().unwrap_or_default();
        bool::from(password.ct_eq(self.secrets.gate.as_bytes()))
    }

    /// Whether a client that is not the adjudicator may connect with its client id.
    fn owns_client_id(&self, connect: &ConnectPacket) -> bool {
        if self.hubs.is_none() {
            return !connect.client_id.starts_with(ADJUDICATOR_CLIENT_PREFIX);
        }
        let hub = connect.username.as_deref().and_then(|user| user.parse::<Segment>().ok());
        hub.is_some_and(|hub| {
            let own = [hub_client_id(&hub), hub_rehearsal_client_id(&hub)];
            own.contains(&connect.client_id)
        })
    }

    fn allows(&self, direction: Direction, user: Option<&str>, topic: &str) -> bool {
        if user == Some(ADJUDICATOR) {
            return true;
        }
        if direction == Direction::Subscribe
            && self.adjudicator_states.iter().any(|own| own == topic)
        {
            return true;
        }
        let Some((hub, leaf)) =
            self.hubs_prefixes.iter().find_map(|it| topic.strip_prefix(it)?.split_once('/'))
        else {
            return false;
        };
        let own = match (user, &self.hubs) {
            (Some(user), _) => user == hub,
            (None, Some(_)) => false,
            (None, None) => hub.parse::<Segment>().is_ok(),
        };
        let leaves: &[&str] = match direction {
            Direction::Publish => &["rows", "state"],
            Direction::Subscribe => &["ack", "command"],
        };
        own && leaves.contains(&leaf)
    }
}

/// The broker's answer to a hub with account and password.
async fn at_the_door(
    hubs: &Door<PasswordAuthProvider>,
    connect: &ConnectPacket,
    client_address: SocketAddr,
) -> AuthResult {
    let (Some(account), Some(password)) = (&connect.username, &connect.password) else {
        return AuthResult::fail(ReasonCode::BadUsernameOrPassword);
    };
    match hubs.admit(account, password, client_address.ip()).await {
        Admission::Granted => AuthResult::success_with_user(account.clone()),
        Admission::Refused => {
            tracing::warn!(%client_address, account, "refused a connection with a wrong password, or of no account");
            AuthResult::fail(ReasonCode::BadUsernameOrPassword)
        }
        // The first refusals log it.
        Admission::TooMany => AuthResult::fail(ReasonCode::ConnectionRateExceeded),
    }
}

/// Whether a client's name is longer than any of ours. Such a name is not even logged: the line would be as long.
fn has_long_name(connect: &ConnectPacket) -> bool {
    let user = connect.username.as_deref().unwrap_or_default();
    user.len() > MAX_SEGMENT_BYTES || connect.client_id.len() > CLIENT_ID_BYTES_MAX
}

impl AuthProvider for Access {
    fn authenticate<'a>(
        &'a self,
        connect: &'a ConnectPacket,
        client_address: SocketAddr,
    ) -> AclFuture<'a, Result<AuthResult>> {
        let client_address = self.callers.behind(client_address);
        Box::pin(async move {
            if self.is_adjudicator(connect) {
                return Ok(AuthResult::success_with_user(ADJUDICATOR));
            }
            if has_long_name(connect) {
                tracing::warn!(%client_address, "refused a connection with a user name or a client id that is too long");
                return Ok(AuthResult::fail(ReasonCode::ClientIdentifierNotValid));
            }
            if connect.username.as_deref() == Some(ADJUDICATOR) {
                tracing::warn!(%client_address, "refused a connection in the adjudicator's name");
                return Ok(AuthResult::fail(ReasonCode::BadUsernameOrPassword));
            }
            if !self.owns_client_id(connect) {
                tracing::warn!(
                    %client_address, client_id = connect.client_id, account = connect.username,
                    "refused a connection whose client id is not its account's: a hub's is twinboard-hub- and its id"
                );
                return Ok(AuthResult::fail(ReasonCode::ClientIdentifierNotValid));
            }
            if let (Some(hub), true) = (&connect.username, self.is_from_gate(connect)) {
                return Ok(AuthResult::success_with_user(hub.clone()));
            }
            match &self.hubs {
                Some(hubs) => Ok(at_the_door(hubs, connect, client_address).await),
                None => Ok(AuthResult::success()),
            }
        })
    }

    fn authorize_publish<'a>(
        &'a self,
        _client_id: &str,
        user_id: Option<&'a str>,
        topic: &'a str,
    ) -> AclFuture<'a, bool> {
        Box::pin(async move { self.allows(Direction::Publish, user_id, topic) })
    }

    fn authorize_subscribe<'a>(
        &'a self,
        _client_id: &str,
        user_id: Option<&'a str>,
        topic_filter: &'a str,
    ) -> AclFuture<'a, bool> {
        Box::pin(async move { self.allows(Direction::Subscribe, user_id, topic_filter) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(accounts: Option<PasswordAuthProvider>) -> Access {
        let secrets = Secrets { adjudicator: "secret".to_owned(), gate: "gate".to_owned() };
        Access::new(&config::Config::default(), secrets, accounts, Callers::default())
    }

    fn anonymous() -> Access {
        access(None)
    }

    fn with_accounts() -> Access {
        access(Some(PasswordAuthProvider::new()))
    }

    fn connect(client_id: &str, user: Option<&str>) -> ConnectPacket {
        ConnectPacket {
            protocol_version: 4,
            clean_start: true,
            keep_alive: 10,
            client_id: client_id.to_owned(),
            username: user.map(str::to_owned),
            password: None,
            will: None,
            properties: Default::default(),
            will_properties: Default::default(),
        }
    }

    #[test]
    fn a_client_id_belongs_to_one_account() {
        let (accounts, anonymous) = (with_accounts(), anonymous());
        let owns = |id, user| accounts.owns_client_id(&connect(id, user));
        assert!(owns("twinboard-hub-north", Some("north")));
        for id in ["twinboard-hub-south", "twinboard-adjudicator-hall-main", "north", ""] {
            assert!(!owns(id, Some("north")), "{id}");
        }
        assert!(!owns("twinboard-hub-north", None));
        let anyone = |id| anonymous.owns_client_id(&connect(id, None));
        assert!(anyone("twinboard-hub-north") && anyone("mosquitto_sub"));
        assert!(!anyone("twinboard-adjudicator-hall-main"));
    }

    #[test]
    fn a_hub_publishes_only_under_its_own_name() {
        let access = with_accounts();
        let publish = |user, topic| access.allows(Direction::Publish, user, topic);
        assert!(publish(Some("north"), "twinboard/1/hall/hub/north/rows"));
        assert!(publish(Some("north"), "twinboard/1/hall/hub/north/state"));
        assert!(!publish(Some("north"), "twinboard/1/hall/hub/south/rows"));
        assert!(!publish(None, "twinboard/1/hall/hub/north/rows"));
        assert!(!publish(Some("north"), "twinboard/1/other/hub/north/rows"));
    }

    #[test]
    fn nobody_but_the_adjudicator_acknowledges() {
        for access in [anonymous(), with_accounts()] {
            let topic = "twinboard/1/hall/hub/north/ack";
            assert!(!access.allows(Direction::Publish, Some("north"), topic));
            assert!(access.allows(Direction::Publish, Some(ADJUDICATOR), topic));
            let state = "twinboard/1/adjudicator/main/state";
            assert!(!access.allows(Direction::Publish, Some("north"), state));
            assert!(access.allows(Direction::Subscribe, Some("north"), state));
            let another = "twinboard/1/adjudicator/another/state";
            assert!(!access.allows(Direction::Subscribe, Some("north"), another));
        }
    }

    #[test]
    fn nobody_listens_to_another_hub() {
        let access = with_accounts();
        let subscribe = |topic| access.allows(Direction::Subscribe, Some("north"), topic);
        assert!(subscribe("twinboard/1/hall/hub/north/ack"));
        assert!(!subscribe("twinboard/1/hall/hub/+/rows"));
        assert!(!subscribe("twinboard/1/hall/hub/+/ack"));
        assert!(!subscribe("#"));
    }
}
