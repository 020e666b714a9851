//! A hub that no configuration gives an adjudicator: it finds one, asks to be accepted, and keeps what it gets in its state folder.
//!
//! An answer from the hall's network is believed only with a proof that its sender has the code ([`proto::join`]). The hub shows the code on its
//! console, and the chief director types it at the desk. So the hub asks every adjudicator that it finds, and a false one gains nothing.

mod find;

use std::collections::{BTreeMap, btree_map::Entry};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use proto::join::{
    ASK_EVERY_S, Accepted, CODE_VALID_S, Hall, JOIN_PATH, JoinAnswer, JoinCode, JoinRequest,
    JoinSecret, hub_id,
};
use rand::RngExt as _;
use rcgen::KeyPair;
use tokio::net::lookup_host;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::config::{Config, Joined, Source, encryption, joined};
use crate::liveness::{Health, Heartbeat, Liveness};
use crate::ports::write_whole;
use crate::systemd;
use find::Finder;

/// Longest time of one request.
const REQUEST_MAX: Duration = Duration::from_secs(5);
/// Largest answer of an adjudicator, bytes.
const ANSWER_BYTES_MAX: usize = 65_536;
/// Time without its adjudicator after which an accepted hub searches again.
const REJOIN_AFTER: Duration = Duration::from_secs(60);
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Name of this machine.
const HOST_NAME: &str = "/proc/sys/kernel/hostname";
/// Interval at which the code is shown again.
const SHOW_EVERY: Duration = Duration::from_secs(60);

/// A hub that wants to be accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joining {
    /// Folder of the hub's own files.
    pub state: PathBuf,
    /// Address of the adjudicator's pages (`host:port`); none: it is searched by mDNS.
    pub address: Option<String>,
}

/// A hub cannot ask.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    /// The state folder.
    #[error("{}: {source}; let it belong to the user who runs the hub, or name another folder with --state", path.display())]
    State {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The key.
    #[error("{}: {reason}; delete it: the hub makes another key, and has to be accepted again", path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// The cause.
        reason: String,
    },
    /// The client of HTTP.
    #[error("the hub cannot send requests: {0}")]
    Client(#[from] reqwest::Error),
}

/// An adjudicator that is asked.
struct Asked {
    authority: String,
    secret: JoinSecret,
}

/// The adjudicator that accepted this hub before.
struct Home {
    authority: String,
    address: IpAddr,
}

/// Reply of an adjudicator.
enum Reply {
    /// The code was not typed there yet.
    Waiting,
    /// The hub is accepted, and the adjudicator knows its code.
    Accepted(Box<Accepted>),
    /// The adjudicator has the authority of the one that accepted the hub, at another address. Its certificate is checked at the connection.
    Moved,
}

/// Asks until the hub is accepted, and keeps the answer. `false`: `shutdown` came before.
///
/// # Errors
///
/// The hub's own files cannot be read or written.
pub async fn join(joining: &Joining, shutdown: CancellationToken) -> Result<bool, JoinError> {
    let stop = shutdown.child_token();
    let _ends = stop.clone().drop_guard();
    systemd::start_watchdog(Liveness::default(), stop);
    systemd::ready("asks the adjudicator to be accepted");
    tokio::select! {
        asked = ask(joining, None) => asked.map(|_| true),
        () = shutdown.cancelled() => Ok(false),
    }
}

/// Watches a hub that was accepted: while it does not reach its adjudicator for long, it searches for that one elsewhere, and asks others. Sends the
/// configuration with the one that it found, and ends.
pub(crate) async fn rejoin(
    source: Source,
    uplink: Heartbeat,
    places: mpsc::Sender<Config>,
    shutdown: CancellationToken,
) {
    let Some((joined, joining)) = source.joined() else { return shutdown.cancelled().await };
    let mut offline = None::<Instant>;
    let found = loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = sleep(LOOK_EVERY) => {}
        }
        if !uplink.is(Health::Offline) {
            offline = None;
            continue;
        }
        if offline.get_or_insert_with(Instant::now).elapsed() < REJOIN_AFTER {
            continue;
        }
        let back = async {
            while uplink.is(Health::Offline) {
                sleep(LOOK_EVERY).await;
            }
        };
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = back => {}
            asked = ask(joining, Some(joined)) => match asked {
                Ok(found) => break found,
                Err(error) => warn!("{error}"),
            },
        }
        offline = None;
    };
    match Config::of(source.with(found)) {
        Ok(config) => drop(places.send(config).await),
        Err(error) => warn!("{error}"),
    }
    shutdown.cancelled().await;
}

/// Asks until the hub is accepted, and keeps the answer. `known`: the adjudicator that has accepted it, and does not answer any more: at another address it needs no code.
async fn ask(joining: &Joining, known: Option<&Joined>) -> Result<Joined, JoinError> {
    let folder = joined::tls(&joining.state);
    let make = std::fs::create_dir_all(&folder);
    make.map_err(|source| JoinError::State { path: folder.clone(), source })?;
    let key = own_key(&folder.join(encryption::HUB_KEY))?;
    let hub = hub_id(&key);
    let home = known.and_then(|joined| {
        let authority = std::fs::read_to_string(folder.join(encryption::AUTHORITY)).ok()?;
        Some(Home { authority, address: joined.address })
    });
    let client = reqwest::Client::builder().no_proxy().timeout(REQUEST_MAX).build()?;
    let finder = Finder::start(joining.address.clone());
    loop {
        let code = JoinCode::from_random(rand::rng().random());
        let (begun, mut shown) = (Instant::now(), None::<Instant>);
        let mut asked = BTreeMap::<SocketAddr, Asked>::new();
        while begun.elapsed() < Duration::from_secs(CODE_VALID_S) {
            if shown.is_none_or(|at| at.elapsed() >= SHOW_EVERY) {
                shown = Some(Instant::now());
                show(&hub, &code, &asked);
            }
            for address in finder.found().await {
                match ask_one(&client, address, (&key, &code), home.as_ref(), &mut asked).await {
                    Ok(Reply::Accepted(accepted)) => {
                        let authority =
                            asked.remove(&address).map(|it| it.authority).unwrap_or_default();
                        return keep(&joining.state, &hub, address.ip(), &authority, *accepted);
                    }
                    Ok(Reply::Moved) => {
                        if let Some(known) = known {
                            let moved = Joined { address: address.ip(), ..known.clone() };
                            return written(moved, &joining.state);
                        }
                    }
                    Ok(Reply::Waiting) => {}
                    Err(reason) => {
                        asked.remove(&address);
                        finder.note_failure(address, &reason);
                    }
                }
            }
            sleep(Duration::from_secs(ASK_EVERY_S)).await;
        }
    }
}

fn show(hub: &str, code: &JoinCode, asked: &BTreeMap<SocketAddr, Asked>) {
    let at: Vec<String> = asked.keys().map(ToString::to_string).collect();
    let at = if at.is_empty() { "no adjudicator yet".to_owned() } else { at.join(", ") };
    info!(
        asks = at,
        "this hub is not accepted yet. On the directors' page Hubs, type its code: {code} (hub {hub})"
    );
}

/// Sends one request.
async fn ask_one(
    client: &reqwest::Client,
    address: SocketAddr,
    (key, code): (&str, &JoinCode),
    home: Option<&Home>,
    asked: &mut BTreeMap<SocketAddr, Asked>,
) -> Result<Reply, String> {
    let url = format!("http://{address}{JOIN_PATH}");
    if let Entry::Vacant(place) = asked.entry(address) {
        let hall: Hall = answer(client.get(&url)).await?;
        if home.is_some_and(|it| it.authority == hall.authority && it.address != address.ip()) {
            return Ok(Reply::Moved);
        }
        let (of, code, authority) = (key.to_owned(), code.clone(), hall.authority.clone());
        let derive = move || JoinSecret::of(&code, &of, &authority);
        let secret =
            tokio::task::spawn_blocking(derive).await.map_err(|error| error.to_string())?;
        place.insert(Asked { authority: hall.authority, secret });
        info!(%address, "asks an adjudicator to be accepted");
    }
    let Some(Asked { secret, .. }) = asked.get(&address) else { return Ok(Reply::Waiting) };
    let machine = std::fs::read_to_string(HOST_NAME).unwrap_or_default().trim().to_owned();
    let request = JoinRequest { key: key.to_owned(), proof: secret.hub_proof(), machine };
    match answer(client.post(&url).json(&request)).await? {
        JoinAnswer::Waiting => Ok(Reply::Waiting),
        JoinAnswer::Accepted { accepted, proof } => match secret
            .is_adjudicator_proof(&accepted, &proof)
        {
            true => Ok(Reply::Accepted(Box::new(accepted))),
            false => Err(
                "it says that this hub is accepted, and does not know its code: it is not believed"
                    .to_owned(),
            ),
        },
    }
}

/// Reads an answer of bounded size.
async fn answer<T: serde::de::DeserializeOwned>(
    request: reqwest::RequestBuilder,
) -> Result<T, String> {
    let mut response = request.send().await.map_err(|error| error.to_string())?;
    let status = response.status();
    let mut body = Vec::new();
    while let Some(part) = response.chunk().await.map_err(|error| error.to_string())? {
        body.extend_from_slice(&part);
        if body.len() > ANSWER_BYTES_MAX {
            return Err("its answer is too large".to_owned());
        }
    }
    if !status.is_success() {
        let said: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
        let reason = said["error"].as_str().unwrap_or("it gives no reason");
        return Err(format!("{status}: {reason}"));
    }
    serde_json::from_slice(&body).map_err(|error| format!("its answer is invalid: {error}"))
}

/// The hub's public key (PEM); the key is made if there is none.
fn own_key(file: &Path) -> Result<String, JoinError> {
    let unusable =
        |reason: rcgen::Error| JoinError::Key { path: file.to_owned(), reason: reason.to_string() };
    let state = |source| JoinError::State { path: file.to_owned(), source };
    let pair = match std::fs::read_to_string(file) {
        Ok(text) => KeyPair::from_pem(&text).map_err(unusable)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let pair = KeyPair::generate().map_err(unusable)?;
            write_whole(file, &pair.serialize_pem()).map_err(state)?;
            pair
        }
        Err(error) => return Err(state(error)),
    };
    Ok(pair.public_key_pem())
}

/// Keeps the answer of the adjudicator, the name of it last: with that the hub is accepted.
fn keep(
    state: &Path,
    hub: &str,
    address: IpAddr,
    authority: &str,
    accepted: Accepted,
) -> Result<Joined, JoinError> {
    let folder = joined::tls(state);
    let refuse = |path: PathBuf| move |source| JoinError::State { path, source };
    for (name, text) in
        [(encryption::AUTHORITY, authority), (encryption::HUB, &accepted.certificate)]
    {
        let file = folder.join(name);
        write_whole(&file, text).map_err(refuse(file))?;
    }
    let Accepted { host, port, shard, .. } = accepted;
    written(Joined { hub_id: hub.to_owned(), address, port, host, shard }, state)
}

/// Writes down who has accepted this hub.
fn written(joined: Joined, state: &Path) -> Result<Joined, JoinError> {
    let write = joined.write(state);
    write.map_err(|source| JoinError::State { path: state.to_owned(), source })?;
    info!(hub = joined.hub_id, address = %joined.address, "this hub is accepted");
    Ok(joined)
}

/// The address of a name, as it is typed: `host:port`.
async fn resolve(address: &str) -> Option<SocketAddr> {
    let found = lookup_host(address).await;
    match found {
        Ok(mut addresses) => addresses.next(),
        Err(reason) => {
            warn!(
                "{address:?}: {reason}; give the address of the adjudicator's pages as 192.168.1.10:8080"
            );
            None
        }
    }
}

#[cfg(test)]
mod tests;
