//! New hubs that ask to be accepted: in memory until the chief director types the code of one of them.
//!
//! A request proves nothing by itself. Its claim is checked with the typed code, and only then is its key certified ([`proto::join`]).

use std::{
    net::IpAddr,
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
};

use proto::join::{
    Accepted, CODE_VALID_S, FIELD_BYTES_MAX, Hall, JoinAnswer, JoinCode, JoinRequest, JoinSecret,
    hub_id,
};

use super::{
    authority::{self, Authority, AuthorityError},
    tls,
};
use crate::config::Config;

/// Maximum number of requests that wait, and of those from one address.
const WAITING_MAX: usize = 64;
const WAITING_OF_ONE_ADDRESS_MAX: usize = 16;
/// Silence after which a request is forgotten, milliseconds: hubs repeat it every few seconds.
const FORGOTTEN_AFTER_MS: u64 = 30_000;
/// Wrong codes after which no code counts for [`WRONG_CODES_MS`].
const WRONG_CODES_MAX: usize = 8;
const WRONG_CODES_MS: u64 = 60_000;
/// Name in a certificate that is made here. Hubs that are accepted know the adjudicator by it, at any address.
const HOST: &str = "adjudicator.local";
/// Longest shown name of a hub's machine, in characters.
const MACHINE_CHARS_MAX: usize = 40;

/// Reason of a refusal.
#[derive(Debug, thiserror::Error)]
pub(crate) enum JoinRefusal {
    /// A field of a request is too long.
    #[error("the request has a field of more than {FIELD_BYTES_MAX} bytes")]
    TooLong,
    /// Too many hubs ask.
    #[error(
        "too many hubs ask to be accepted: wait until some of them have been accepted, or have stopped asking"
    )]
    TooMany,
    /// No hub that asks has this code.
    #[error(
        "no hub that asks has this code: copy it again from the hub's console; a code is valid for a quarter of an hour"
    )]
    WrongCode,
    /// Too many wrong codes.
    #[error("too many wrong codes: wait a minute")]
    TooManyCodes,
    /// The certificate cannot be made.
    #[error(transparent)]
    Authority(#[from] AuthorityError),
}

/// A hub that asks.
#[derive(Clone, Debug)]
struct Waiting {
    request: JoinRequest,
    address: IpAddr,
    since_ms: u64,
    asked_ms: u64,
    accepted: Option<JoinAnswer>,
}

/// A hub that asks, for the desk.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub(crate) struct AskingHub {
    /// Its id.
    pub(crate) hub: String,
    /// The name of its machine, as it says.
    pub(crate) machine: String,
    /// Its address.
    pub(crate) address: IpAddr,
    /// Time since which it asks, Unix milliseconds.
    pub(crate) since_ms: u64,
}

/// Hubs that ask, and the authority that certifies those that are accepted.
#[derive(Debug)]
pub(crate) struct Joining {
    folder: PathBuf,
    authority: String,
    host: String,
    port: u16,
    shard: String,
    waiting: Mutex<Vec<Waiting>>,
    /// Times of the latest wrong codes.
    wrong_ms: Mutex<Vec<u64>>,
}

/// Makes the authority and the adjudicator's certificate in the configured folder, if new hubs may ask and there is none yet.
///
/// # Errors
///
/// The folder cannot be written.
pub(crate) fn prepare(config: &Config) -> Result<(), AuthorityError> {
    let Some(folder) = config.tls.folder.as_ref().filter(|_| config.hubs.accept) else {
        return Ok(());
    };
    if folder.join(authority::SERVER).exists() {
        return Ok(());
    }
    let authority = match Authority::open(folder) {
        Err(AuthorityError::Missing(_)) => Authority::make(folder)?,
        opened => opened?,
    };
    tracing::info!(folder = %folder.display(), "the adjudicator made an authority that certifies the hubs of this hall");
    authority.certify_adjudicator(&[HOST.to_owned(), "localhost".to_owned()])
}

impl Joining {
    /// Opens the authority, if new hubs may ask. `port`: that of hubs with certificates.
    ///
    /// # Errors
    ///
    /// The authority's key or the adjudicator's certificate cannot be used.
    pub(crate) fn open(
        config: &Config,
        port: Option<u16>,
    ) -> Result<Option<Joining>, AuthorityError> {
        let (Some(folder), Some(port), true) = (&config.tls.folder, port, config.hubs.accept)
        else {
            return Ok(None);
        };
        let authority = Authority::open(folder)?.pem().to_owned();
        let host = tls::of_adjudicator(config)?.host().unwrap_or_else(|| HOST.to_owned());
        Ok(Some(Joining {
            folder: folder.clone(),
            authority,
            host,
            port,
            shard: config.broker.shard.clone(),
            waiting: Mutex::default(),
            wrong_ms: Mutex::default(),
        }))
    }

    /// The hall, for a hub that asks.
    pub(crate) fn hall(&self) -> Hall {
        Hall { authority: self.authority.clone() }
    }

    fn waiting(&self, now_ms: u64) -> MutexGuard<'_, Vec<Waiting>> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|it| {
            now_ms.saturating_sub(it.asked_ms) < FORGOTTEN_AFTER_MS
                && now_ms.saturating_sub(it.since_ms) < 2 * CODE_VALID_S * 1_000
        });
        waiting
    }

    /// Takes a request. The same one again gets the state of it.
    ///
    /// # Errors
    ///
    /// The request is too long, or too many wait.
    pub(crate) fn ask(
        &self,
        request: JoinRequest,
        address: IpAddr,
        now_ms: u64,
    ) -> Result<JoinAnswer, JoinRefusal> {
        let JoinRequest { key, proof, machine } = &request;
        if [key, proof, machine].iter().any(|field| field.len() > FIELD_BYTES_MAX) {
            return Err(JoinRefusal::TooLong);
        }
        let mut waiting = self.waiting(now_ms);
        // A key alone is no secret: a request with another proof is another request.
        let known =
            waiting.iter_mut().find(|it| it.request.key == *key && it.request.proof == *proof);
        if let Some(known) = known {
            known.asked_ms = now_ms;
            return Ok(known.accepted.clone().unwrap_or(JoinAnswer::Waiting));
        }
        let of_address = waiting.iter().filter(|it| it.address == address).count();
        if waiting.len() >= WAITING_MAX || of_address >= WAITING_OF_ONE_ADDRESS_MAX {
            return Err(JoinRefusal::TooMany);
        }
        let (since_ms, asked_ms) = (now_ms, now_ms);
        waiting.push(Waiting { request, address, since_ms, asked_ms, accepted: None });
        Ok(JoinAnswer::Waiting)
    }

    /// The hubs that ask, those that asked first before the others.
    pub(crate) fn asking(&self, now_ms: u64) -> Vec<AskingHub> {
        let shown = |it: &Waiting| AskingHub {
            hub: hub_id(&it.request.key),
            machine: it
                .request
                .machine
                .chars()
                .filter(|it| !it.is_control())
                .take(MACHINE_CHARS_MAX)
                .collect(),
            address: it.address,
            since_ms: it.since_ms,
        };
        self.waiting(now_ms).iter().filter(|it| it.accepted.is_none()).map(shown).collect()
    }

    /// The id of the hub that asks with a code. This takes some milliseconds for each hub that asks.
    ///
    /// # Errors
    ///
    /// None asks with it, or there were too many wrong codes.
    pub(crate) fn find(&self, code: &JoinCode, now_ms: u64) -> Result<Found, JoinRefusal> {
        let mut wrong_ms = self.wrong_ms.lock().unwrap_or_else(PoisonError::into_inner);
        wrong_ms.retain(|at| now_ms.saturating_sub(*at) < WRONG_CODES_MS);
        if wrong_ms.len() >= WRONG_CODES_MAX {
            return Err(JoinRefusal::TooManyCodes);
        }
        let asking: Vec<JoinRequest> =
            self.waiting(now_ms).iter().map(|it| it.request.clone()).collect();
        let with_code = asking.into_iter().find_map(|request| {
            let secret = JoinSecret::of(code, &request.key, &self.authority);
            secret.is_hub_proof(&request.proof).then_some(Found { secret, request })
        });
        with_code.ok_or_else(|| {
            wrong_ms.push(now_ms);
            JoinRefusal::WrongCode
        })
    }

    /// Certifies a hub whose code was typed. Its next request gets the answer.
    ///
    /// # Errors
    ///
    /// The certificate cannot be made or written.
    pub(crate) fn accept(&self, found: &Found, now_ms: u64) -> Result<(), JoinRefusal> {
        let Found { secret, request } = found;
        let authority = Authority::open(&self.folder)?;
        let certificate = authority.certify_hub(&found.hub(), &request.key)?;
        let (host, port, shard) = (self.host.clone(), self.port, self.shard.clone());
        let accepted = Accepted { certificate, host, port, shard };
        let proof = secret.adjudicator_proof(&accepted);
        let mut waiting = self.waiting(now_ms);
        if let Some(it) = waiting.iter_mut().find(|it| it.request == *request) {
            it.accepted = Some(JoinAnswer::Accepted { accepted, proof });
        }
        Ok(())
    }
}

/// A hub whose code was typed.
pub(crate) struct Found {
    secret: JoinSecret,
    request: JoinRequest,
}

impl Found {
    /// Its id.
    pub(crate) fn hub(&self) -> String {
        hub_id(&self.request.key)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use rcgen::KeyPair;

    use super::*;

    fn joining(folder: &std::path::Path) -> Joining {
        let mut config = Config::default();
        config.hubs.accept = true;
        config.tls.folder = Some(folder.join("tls"));
        prepare(&config).unwrap();
        prepare(&config).unwrap();
        Joining::open(&config, Some(8883)).unwrap().unwrap()
    }

    fn code(number: u8) -> JoinCode {
        JoinCode::from_random([number; 10])
    }

    fn request(joining: &Joining, code: &JoinCode) -> JoinRequest {
        let key = KeyPair::generate().unwrap().public_key_pem();
        let proof = JoinSecret::of(code, &key, &joining.hall().authority).hub_proof();
        JoinRequest { key, proof, machine: "a\u{7}pi".to_owned() }
    }

    fn address(number: usize) -> IpAddr {
        Ipv4Addr::from(0x0a00_0000 + u32::try_from(number).unwrap()).into()
    }

    #[test]
    fn a_hub_is_certified_when_its_code_is_typed_and_not_before() {
        let folder = tempfile::tempdir().unwrap();
        let joining = joining(folder.path());
        let sent = request(&joining, &code(1));
        let ask = || joining.ask(sent.clone(), address(1), 1_000).unwrap();
        assert_eq!(ask(), JoinAnswer::Waiting);
        assert_eq!(joining.asking(1_000)[0].machine, "api");
        assert!(matches!(joining.find(&code(2), 1_000), Err(JoinRefusal::WrongCode)));
        assert_eq!(ask(), JoinAnswer::Waiting, "a wrong code accepts nobody");
        let found = joining.find(&code(1), 1_000).unwrap();
        joining.accept(&found, 1_000).unwrap();
        let JoinAnswer::Accepted { accepted, proof } = ask() else { panic!("it waits") };
        let secret = JoinSecret::of(&code(1), &sent.key, &joining.hall().authority);
        assert!(secret.is_adjudicator_proof(&accepted, &proof));
        assert_eq!((accepted.host.as_str(), accepted.port), (HOST, 8883));
        assert!(joining.asking(1_000).is_empty());
        let file = authority::hub_file(&folder.path().join("tls"), &hub_id(&sent.key));
        assert_eq!(std::fs::read_to_string(file).unwrap(), accepted.certificate);
        // A request that is replayed with its code gets the same certificate, which is of no use without the key.
        joining.accept(&found, 1_000).unwrap();
        let again = ask();
        assert!(matches!(again, JoinAnswer::Accepted { accepted: it, .. } if it == accepted));
    }

    #[test]
    fn a_request_with_anothers_key_gains_nothing_and_hides_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let joining = joining(folder.path());
        let sent = request(&joining, &code(1));
        let forged = JoinRequest { proof: "00".repeat(32), ..sent.clone() };
        joining.ask(forged.clone(), address(9), 0).unwrap();
        joining.ask(sent.clone(), address(1), 0).unwrap();
        let found = joining.find(&code(1), 0).unwrap();
        joining.accept(&found, 0).unwrap();
        assert_eq!(joining.ask(forged, address(9), 0).unwrap(), JoinAnswer::Waiting);
        assert!(matches!(joining.ask(sent, address(1), 0).unwrap(), JoinAnswer::Accepted { .. }));
    }

    #[test]
    fn a_flood_of_requests_is_bounded_and_passes() {
        let folder = tempfile::tempdir().unwrap();
        let joining = joining(folder.path());
        let ask = |number: usize, at: usize, now_ms| {
            let request = JoinRequest {
                key: number.to_string(),
                proof: String::new(),
                machine: String::new(),
            };
            joining.ask(request, address(at), now_ms)
        };
        let taken = (0..1_000).filter(|&number| ask(number, 1, 0).is_ok()).count();
        assert_eq!(taken, WAITING_OF_ONE_ADDRESS_MAX);
        assert!(ask(2_000, 2, 0).is_ok(), "another address has places of its own");
        let taken = (3_000..4_000).filter(|&number| ask(number, number, 0).is_ok()).count();
        assert_eq!(taken + WAITING_OF_ONE_ADDRESS_MAX + 1, WAITING_MAX);
        assert!(matches!(ask(5_000, 5_000, 0), Err(JoinRefusal::TooMany)));
        assert!(
            ask(5_000, 5_000, FORGOTTEN_AFTER_MS).is_ok(),
            "those that ask no more are forgotten"
        );
        let long = JoinRequest {
            key: "k".repeat(FIELD_BYTES_MAX + 1),
            proof: String::new(),
            machine: String::new(),
        };
        assert!(matches!(joining.ask(long, address(1), 0), Err(JoinRefusal::TooLong)));
    }

    #[test]
    fn wrong_codes_are_bounded_and_no_key_is_no_certificate() {
        let folder = tempfile::tempdir().unwrap();
        let joining = joining(folder.path());
        let sent = request(&joining, &code(1));
        joining.ask(sent, address(1), 0).unwrap();
        let proof = JoinSecret::of(&code(3), "no key", &joining.hall().authority).hub_proof();
        let no_key = JoinRequest { key: "no key".to_owned(), proof, machine: String::new() };
        joining.ask(no_key, address(1), 0).unwrap();
        let found = joining.find(&code(3), 0).unwrap();
        assert!(matches!(joining.accept(&found, 0), Err(JoinRefusal::Authority(_))));
        for number in 0..WRONG_CODES_MAX {
            let wrong = code(u8::try_from(number).unwrap() + 10);
            assert!(matches!(joining.find(&wrong, 0), Err(JoinRefusal::WrongCode)), "{number}");
        }
        assert!(matches!(joining.find(&code(1), 0), Err(JoinRefusal::TooManyCodes)));
        assert!(
            matches!(joining.find(&code(1), WRONG_CODES_MS), Err(JoinRefusal::WrongCode)),
            "it asks no more"
        );
    }

    #[test]
    fn an_enrolled_hub_is_not_replaced_by_another_key() {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::make(folder.path()).unwrap();
        let [one, other] = [0, 1].map(|_| KeyPair::generate().unwrap().public_key_pem());
        let first = authority.certify_hub("hub-1", &one).unwrap();
        assert_eq!(authority.certify_hub("hub-1", &one).unwrap(), first);
        let refused = authority.certify_hub("hub-1", &other).unwrap_err().to_string();
        assert!(refused.contains("another key") && refused.contains("revoke"), "{refused}");
    }
}
