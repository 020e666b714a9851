//! Certificates and keys in PEM files.

use std::{
    net::{Ipv4Addr, Ipv6Addr},
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _};
use x509_parser::prelude::{FromDer as _, GeneralName, X509Certificate};

use super::{AuthorityError, unusable};
use crate::pki::secrets;

/// Names and validity of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Common name: of a hub its id. Public authorities leave it out.
    pub name: String,
    /// A host that the certificate names: the common name, or the first alternative name or address that is no pattern.
    pub host: Option<String>,
    /// End of its validity.
    pub until: SystemTime,
}

impl About {
    /// Reads a certificate.
    ///
    /// # Errors
    ///
    /// The bytes are no certificate; the error says why.
    pub fn of(certificate: &CertificateDer<'_>) -> Result<About, String> {
        let (_, parsed) =
            X509Certificate::from_der(certificate).map_err(|error| error.to_string())?;
        let mut names = parsed.subject().iter_common_name();
        let name = names.next().and_then(|name| name.as_str().ok()).unwrap_or_default().to_owned();
        let until_s = u64::try_from(parsed.validity().not_after.timestamp()).unwrap_or(0);
        let host = match name.is_empty() {
            true => alternative_name(&parsed),
            false => Some(name.clone()),
        };
        Ok(About { name, host, until: UNIX_EPOCH + Duration::from_secs(until_s) })
    }

    /// Whole days until its end; 0 afterwards.
    #[must_use]
    pub fn days_left(&self, now: SystemTime) -> u32 {
        let left = self.until.duration_since(now).unwrap_or_default();
        u32::try_from(left.as_secs() / (24 * 60 * 60)).unwrap_or(u32::MAX)
    }
}

/// The first name or address of the certificate's alternative names (RFC 5280, 4.2.1.6) that is no pattern.
fn alternative_name(certificate: &X509Certificate<'_>) -> Option<String> {
    let names = certificate.subject_alternative_name().ok()??;
    names.value.general_names.iter().find_map(|name| match name {
        GeneralName::DNSName(name) if !name.starts_with('*') => Some((*name).to_owned()),
        GeneralName::IPAddress(bytes) => match *bytes {
            [_, _, _, _] => {
                <[u8; 4]>::try_from(*bytes).ok().map(|it| Ipv4Addr::from(it).to_string())
            }
            _ => <[u8; 16]>::try_from(*bytes).ok().map(|it| format!("[{}]", Ipv6Addr::from(it))),
        },
        _ => None,
    })
}

/// Whether a file's first certificate is of this public key.
///
/// # Errors
///
/// The file holds none.
pub(super) fn is_of_key(path: &Path, key: &[u8]) -> Result<bool, AuthorityError> {
    let chain = read_chain(path)?;
    let first = chain.first().ok_or_else(|| unusable(path, "holds no certificate"))?;
    let (_, parsed) = X509Certificate::from_der(first).map_err(|error| unusable(path, error))?;
    Ok(*parsed.public_key().subject_public_key.data == *key)
}

/// Names and validity of a file's first certificate.
///
/// # Errors
///
/// The file holds none.
pub fn about(path: &Path) -> Result<About, AuthorityError> {
    let chain = read_chain(path)?;
    let first = chain.first().ok_or_else(|| unusable(path, "holds no certificate"))?;
    About::of(first).map_err(|reason| unusable(path, reason))
}

/// Reads the certificates of a file, the holder's own first.
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

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair};

    use super::*;

    fn host(common_name: &str, names: &[&str]) -> Option<String> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        params.distinguished_name = DistinguishedName::new();
        if !common_name.is_empty() {
            params.distinguished_name.push(DnType::CommonName, common_name);
        }
        let made = params.self_signed(&KeyPair::generate().unwrap()).unwrap();
        About::of(made.der()).unwrap().host
    }

    #[test]
    fn a_certificate_without_a_common_name_is_for_its_first_name_that_is_no_pattern() {
        assert_eq!(host("hall.example", &["other.example"]).as_deref(), Some("hall.example"));
        assert_eq!(host("", &["*.club.example", "club.example"]).as_deref(), Some("club.example"));
        assert_eq!(host("", &["192.168.1.10"]).as_deref(), Some("192.168.1.10"));
        assert_eq!(host("", &["fd00::10"]).as_deref(), Some("[fd00::10]"));
        assert_eq!(host("", &["*.club.example"]), None);
    }
}
