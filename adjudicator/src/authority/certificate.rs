//! Certificates and keys in PEM files.

use std::{
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _};
use x509_parser::prelude::{FromDer as _, X509Certificate};

use super::{AuthorityError, unusable};
use crate::secrets;

/// What a certificate says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Its common name: of a hub its id.
    pub name: String,
    /// Until when it is valid.
    pub until: SystemTime,
}

impl About {
    /// Reads a certificate.
    ///
    /// # Errors
    ///
    /// It is none; says why.
    pub fn of(certificate: &CertificateDer<'_>) -> Result<About, String> {
        let (_, parsed) =
            X509Certificate::from_der(certificate).map_err(|error| error.to_string())?;
        let mut names = parsed.subject().iter_common_name();
        let name = names.next().and_then(|name| name.as_str().ok()).unwrap_or_default().to_owned();
        let until_s = u64::try_from(parsed.validity().not_after.timestamp()).unwrap_or(0);
        Ok(About { name, until: UNIX_EPOCH + Duration::from_secs(until_s) })
    }

    /// Whole days for which it is valid still; 0 once it is not.
    #[must_use]
    pub fn days_left(&self, now: SystemTime) -> u32 {
        let left = self.until.duration_since(now).unwrap_or_default();
        u32::try_from(left.as_secs() / (24 * 60 * 60)).unwrap_or(u32::MAX)
    }
}

/// What the first certificate of a file says of itself.
///
/// # Errors
///
/// The file holds none.
pub fn about(path: &Path) -> Result<About, AuthorityError> {
    let chain = read_chain(path)?;
    let first = chain.first().ok_or_else(|| unusable(path, "holds no certificate"))?;
    About::of(first).map_err(|reason| unusable(path, reason))
}

/// Reads the certificates of a file, the one that is vouched for first.
///
/// # Errors
///
/// It cannot be read, or holds none.
pub fn read_chain(path: &Path) -> Result<Vec<CertificateDer<'static>>, AuthorityError> {
    let pem = std::fs::read(path).map_err(|error| unusable(path, error))?;
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    let chain = chain.map_err(|error| unusable(path, error))?;
    match chain.is_empty() {
        true => Err(unusable(path, "holds no certificate (PEM)")),
        false => Ok(chain),
    }
}

/// Reads a private key; one that others can read is refused.
///
/// # Errors
///
/// It cannot be read, is none, or others can read it.
pub fn read_key(path: &Path) -> Result<PrivateKeyDer<'static>, AuthorityError> {
    let pem = secrets::read(path)?;
    PrivateKeyDer::from_pem_slice(pem.as_bytes())
        .map_err(|error| unusable(path, format!("holds no private key (PEM): {error}")))
}
