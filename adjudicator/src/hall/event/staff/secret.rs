//! Digests of secrets, for the log.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// SHA-256 of a secret that was made here, of more than 200 bits: nothing can be guessed from it.
#[derive(Clone, Copy, Debug, Default, Eq)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Digest of a secret.
    #[must_use]
    pub fn of(secret: &str) -> Digest {
        Digest(Sha256::digest(secret.as_bytes()).into())
    }

    /// In hexadecimal digits.
    #[must_use]
    pub fn hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Digest of a PIN. The token goes in, so that the few digits cannot be tried against the digest.
#[must_use]
pub fn pin_digest(token: &str, pin: &str) -> Digest {
    Digest::of(&format!("{token}\n{pin}"))
}

/// In constant time.
impl PartialEq for Digest {
    fn eq(&self, other: &Digest) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.hex())
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Digest, D::Error> {
        let hex = String::deserialize(from)?;
        let mut bytes = [0; 32];
        if hex.len() != 2 * bytes.len() || !hex.is_ascii() {
            return Err(D::Error::custom("a digest has 64 hexadecimal digits"));
        }
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte =
                u8::from_str_radix(&hex[2 * index..2 * index + 2], 16).map_err(D::Error::custom)?;
        }
        Ok(Digest(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_written_and_read_alike() {
        let digest = Digest::of("secret");
        let text = serde_json::to_string(&digest).unwrap();
        assert_eq!(text.len(), 66);
        assert_eq!(serde_json::from_str::<Digest>(&text).unwrap(), digest);
        assert!(serde_json::from_str::<Digest>("\"ab\"").is_err());
        assert!(serde_json::from_str::<Digest>(&text.replace(['a', 'b', 'c', 'd'], "x")).is_err());
    }
}
