//! Request of a new hub to be accepted into a hall, over HTTP, and the proofs that protect both ends of it.
//!
//! The hub shows a [`JoinCode`], which a person types at the adjudicator. Both ends derive a [`JoinSecret`] from the code, the hub's public key and the
//! certificate of the hall's authority, as each end has them. A proof of one end convinces the other one only if all three are the same at
//! both: a false adjudicator between them would have to know the code.
//!
//! | address | body | answer |
//! |---|---|---|
//! | `GET` [`JOIN_PATH`] | | [`Hall`] |
//! | `POST` [`JOIN_PATH`] | [`JoinRequest`], repeated every few seconds | [`JoinAnswer`] |

use std::{fmt, num::NonZeroU32, str::FromStr};

use ring::{digest, hmac, pbkdf2};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Address of the adjudicator at which hubs ask.
pub const JOIN_PATH: &str = "/api/v1/hubs/join";
/// Kind of the service that an adjudicator announces by mDNS.
pub const SERVICE: &str = "_twinboard._tcp.local.";
/// Time for which a code is valid, seconds.
pub const CODE_VALID_S: u64 = 15 * 60;
/// Interval between two requests of a hub, seconds.
pub const ASK_EVERY_S: u64 = 2;
/// Longest public key, name of a machine, or proof in a request, bytes.
pub const FIELD_BYTES_MAX: usize = 512;

/// Characters of a code: digits and letters that no two of which look alike (Crockford's base 32).
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// Characters of a code: 50 bits.
const CODE_CHARS: usize = 10;
/// Rounds of PBKDF2: some milliseconds of one guess at a code.
const ROUNDS: NonZeroU32 = NonZeroU32::new(20_000).unwrap();
/// Digits of a key's digest in a hub's id.
const ID_DIGITS: usize = 8;

/// Code of a hub that asks, shown on its console: `7K3Q9-MWT4X`.
#[derive(Clone, PartialEq, Eq)]
pub struct JoinCode([u8; CODE_CHARS]);

/// A text that is no code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "a hub's code has ten letters and digits, as 7K3Q9-MWT4X: copy it from the hub's console or log"
)]
pub struct NoCode;

impl JoinCode {
    /// The code of random bytes.
    #[must_use]
    pub fn from_random(bytes: [u8; CODE_CHARS]) -> JoinCode {
        JoinCode(bytes.map(|byte| ALPHABET[usize::from(byte) % ALPHABET.len()]))
    }
}

impl FromStr for JoinCode {
    type Err = NoCode;

    /// Reads a code as people type it: in any case, with or without separators, `O` for 0, `I` and `L` for 1.
    fn from_str(text: &str) -> Result<JoinCode, NoCode> {
        let typed = text.chars().filter(|it| !it.is_whitespace() && *it != '-');
        let plain = typed.map(|it| match it.to_ascii_uppercase() {
            'O' => '0',
            'I' | 'L' => '1',
            other => other,
        });
        let bytes: Vec<u8> =
            plain.map(|it| u8::try_from(it).unwrap_or(0)).take(CODE_CHARS + 1).collect();
        let code: [u8; CODE_CHARS] = bytes.try_into().map_err(|_| NoCode)?;
        match code.iter().all(|byte| ALPHABET.contains(byte)) {
            true => Ok(JoinCode(code)),
            false => Err(NoCode),
        }
    }
}

impl fmt::Display for JoinCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = String::from_utf8_lossy(&self.0);
        let (first, second) = text.split_at(CODE_CHARS / 2);
        write!(f, "{first}-{second}")
    }
}

impl fmt::Debug for JoinCode {
    /// Without the code.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JoinCode(hidden)")
    }
}

/// Secret of both ends of a request.
pub struct JoinSecret(hmac::Key);

impl JoinSecret {
    /// Derives the secret of a code for a hub's public key and an authority's certificate, both as PEM.
    #[must_use]
    pub fn of(code: &JoinCode, public_key: &str, authority: &str) -> JoinSecret {
        let mut salt = digest::Context::new(&digest::SHA256);
        salt.update(b"twinboard join 1");
        for part in [public_key, authority] {
            salt.update(&(part.len() as u64).to_be_bytes());
            salt.update(part.as_bytes());
        }
        let mut secret = [0; digest::SHA256_OUTPUT_LEN];
        pbkdf2::derive(
            pbkdf2::PBKDF2_HMAC_SHA256,
            ROUNDS,
            salt.finish().as_ref(),
            &code.0,
            &mut secret,
        );
        JoinSecret(hmac::Key::new(hmac::HMAC_SHA256, &secret))
    }

    /// Proof of the hub that it has the code.
    #[must_use]
    pub fn hub_proof(&self) -> String {
        hex(hmac::sign(&self.0, b"hub").as_ref())
    }

    /// Whether a hub's proof is of this secret.
    #[must_use]
    pub fn is_hub_proof(&self, proof: &str) -> bool {
        bytes(proof).is_some_and(|proof| hmac::verify(&self.0, b"hub", &proof).is_ok())
    }

    /// Proof of the adjudicator that it has the code, and that the answer is its own.
    #[must_use]
    pub fn adjudicator_proof(&self, accepted: &Accepted) -> String {
        hex(hmac::sign(&self.0, &accepted.signed()).as_ref())
    }

    /// Whether an adjudicator's proof is of this secret and answer.
    #[must_use]
    pub fn is_adjudicator_proof(&self, accepted: &Accepted, proof: &str) -> bool {
        bytes(proof).is_some_and(|proof| hmac::verify(&self.0, &accepted.signed(), &proof).is_ok())
    }
}

/// Id of the hub that has a public key (PEM).
#[must_use]
pub fn hub_id(public_key: &str) -> String {
    let digest = hex(digest::digest(&digest::SHA256, public_key.as_bytes()).as_ref());
    format!("hub-{}", &digest[..ID_DIGITS])
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digits = hex.as_bytes();
    let is_hex = digits.len().is_multiple_of(2) && digits.iter().all(u8::is_ascii_hexdigit);
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    is_hex.then(|| digits.chunks(2).map(byte).collect()).flatten()
}

/// The hall that a hub asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hall {
    /// Certificate of the hall's authority, PEM.
    pub authority: String,
}

/// Request of a hub.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JoinRequest {
    /// Public key of the hub, PEM.
    pub key: String,
    /// [`JoinSecret::hub_proof`].
    pub proof: String,
    /// Name of its machine, for people; it proves nothing.
    #[serde(default)]
    pub machine: String,
}

/// Answer to a hub.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum JoinAnswer {
    /// The chief director has not typed the code yet.
    Waiting,
    /// The hub is accepted.
    Accepted {
        /// The hub's certificate and where it connects.
        #[serde(flatten)]
        accepted: Accepted,
        /// [`JoinSecret::adjudicator_proof`].
        proof: String,
    },
}

/// Credentials that an accepted hub needs to connect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accepted {
    /// Certificate of the hub, PEM.
    pub certificate: String,
    /// Name in the adjudicator's certificate.
    pub host: String,
    /// Port for hubs with certificates.
    pub port: u16,
    /// Shard of the topics.
    pub shard: String,
}

impl Accepted {
    /// The signed form: each part with its length, so that no two answers have the same one.
    fn signed(&self) -> Vec<u8> {
        let port = self.port.to_string();
        let parts = ["adjudicator", &self.certificate, &self.host, &port, &self.shard];
        parts
            .iter()
            .flat_map(|part| [part.len().to_string().as_str(), ":", part].concat().into_bytes())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted() -> Accepted {
        Accepted {
            certificate: "c".to_owned(),
            host: "h".to_owned(),
            port: 8883,
            shard: "hall".to_owned(),
        }
    }

    #[test]
    fn a_code_is_read_as_people_type_it() {
        let code = JoinCode::from_random([0, 1, 31, 32, 64, 255, 7, 8, 9, 10]);
        let shown = code.to_string();
        assert_eq!(shown, "01Z00-Z789A");
        for typed in [shown.as_str(), "o1z oo z789a", " OIZ00Z789A "] {
            assert_eq!(typed.parse(), Ok(code.clone()), "{typed}");
        }
        for wrong in ["", "01Z00-Z789", "01Z00-Z789AA", "01Z00-Z789U", "01Z00-Z78é9"] {
            assert_eq!(wrong.parse::<JoinCode>(), Err(NoCode), "{wrong}");
        }
        assert!(!format!("{code:?}").contains('Z'));
    }

    #[test]
    fn a_proof_is_of_one_code_one_key_and_one_authority() {
        let code: JoinCode = "7K3Q9-MWT4X".parse().unwrap();
        let secret = JoinSecret::of(&code, "key", "authority");
        let proof = secret.hub_proof();
        assert!(JoinSecret::of(&code, "key", "authority").is_hub_proof(&proof));
        let other: JoinCode = "7K3Q9-MWT4Y".parse().unwrap();
        for wrong in [
            JoinSecret::of(&other, "key", "authority"),
            JoinSecret::of(&code, "another key", "authority"),
            JoinSecret::of(&code, "key", "a false authority"),
            JoinSecret::of(&code, "keya", "uthority"),
        ] {
            assert!(!wrong.is_hub_proof(&proof));
        }
        for senseless in ["", "0", "zz", &proof[2..], &format!("{proof}00")] {
            assert!(!secret.is_hub_proof(senseless), "{senseless}");
        }
    }

    #[test]
    fn an_adjudicators_proof_covers_its_whole_answer_and_is_no_hubs() {
        let code: JoinCode = "7K3Q9-MWT4X".parse().unwrap();
        let secret = JoinSecret::of(&code, "key", "authority");
        let proof = secret.adjudicator_proof(&accepted());
        assert!(secret.is_adjudicator_proof(&accepted(), &proof));
        for changed in [
            Accepted { certificate: "d".to_owned(), ..accepted() },
            Accepted { host: "evil".to_owned(), ..accepted() },
            Accepted { port: 1, ..accepted() },
            Accepted { shard: "other".to_owned(), ..accepted() },
        ] {
            assert!(!secret.is_adjudicator_proof(&changed, &proof), "{changed:?}");
        }
        assert!(
            !secret.is_adjudicator_proof(&accepted(), &secret.hub_proof()),
            "a reflected proof"
        );
        assert!(!secret.is_hub_proof(&proof));
    }

    #[test]
    fn a_hub_is_named_by_its_key() {
        assert_eq!(hub_id("key"), hub_id("key"));
        assert_ne!(hub_id("key"), hub_id("another"));
        assert_eq!(hub_id("key").len(), "hub-".len() + ID_DIGITS);
    }
}
