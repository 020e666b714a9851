//! The hall's own authority: certificates by which hubs know the adjudicator and the adjudicator knows its hubs.
//!
//! A hall has no internet and no name that a public authority would vouch for, so it vouches for itself. All that the
//! adjudicator needs lies in one folder:
//!
//! | file | what |
//! |---|---|
//! | `authority.pem`, `authority.key` | the authority; its key is needed to enroll, not to serve |
//! | `server.pem`, `server.key` | the adjudicator |
//! | `hubs/{id}.pem` | the certificate that a hub has now: a hub without one is refused |
//!
//! A hub's bundle is a folder with `authority.pem`, `hub.pem` and `hub.key`; its certificate names the hub's id.

mod certificate;

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, PublicKeyData, SubjectPublicKeyInfo,
};

pub use self::certificate::{About, about, read_chain, read_key};
use crate::{
    config::check_hub_id,
    pki::secrets::{self, SecretError},
};

/// The authority's certificate, and in a bundle, too.
pub const AUTHORITY: &str = "authority.pem";
const AUTHORITY_KEY: &str = "authority.key";
/// The adjudicator's certificate.
pub const SERVER: &str = "server.pem";
/// The adjudicator's key.
pub const SERVER_KEY: &str = "server.key";
/// A hub's certificate, in its bundle.
pub const HUB: &str = "hub.pem";
/// A hub's key, in its bundle.
pub const HUB_KEY: &str = "hub.key";
const HUBS: &str = "hubs";

/// Start of each certificate's validity: clocks of machines without a battery may be years behind when they start.
const VALID_FROM: (i32, u8, u8) = (2020, 1, 1);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Validity of the authority, days.
const AUTHORITY_DAYS: u32 = 3650;
/// Validity of the certificates that it issues, days: browsers accept at most 825.
const ISSUED_DAYS: u32 = 730;

/// A certificate that cannot be made, read or used.
#[derive(Debug, thiserror::Error)]
pub enum AuthorityError {
    /// A file.
    #[error(transparent)]
    File(#[from] SecretError),
    /// There is an authority already.
    #[error("{} is there already: hubs that know it would not know another one", .0.display())]
    Exists(PathBuf),
    /// There is none yet.
    #[error("{} is not there; `twinboard enroll adjudicator NAME` makes an authority", .0.display())]
    Missing(PathBuf),
    /// A name that cannot be certified.
    #[error("{0}")]
    Name(String),
    /// A certificate and a key are not of one pair.
    #[error("{}: does not belong to the key {}", certificate.display(), key.display())]
    OtherKey {
        /// The certificate's file.
        certificate: PathBuf,
        /// The key's.
        key: PathBuf,
    },
    /// The file holds no certificate or key.
    #[error("{}: {reason}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// The problem.
        reason: String,
    },
}

fn unusable(path: &Path, reason: impl ToString) -> AuthorityError {
    AuthorityError::Unusable { path: path.to_owned(), reason: reason.to_string() }
}

/// The authority, with its key.
pub struct Authority {
    folder: PathBuf,
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Authority {
    /// Makes an authority in a folder that has none.
    ///
    /// # Errors
    ///
    /// There is one, or the folder cannot be written.
    pub fn make(folder: &Path) -> Result<Authority, AuthorityError> {
        let (certificate, key) = (folder.join(AUTHORITY), folder.join(AUTHORITY_KEY));
        if let Some(there) = [&certificate, &key].into_iter().find(|path| path.exists()) {
            return Err(AuthorityError::Exists(there.clone()));
        }
        make_folder(&folder.join(HUBS))?;
        let mut params = params("Twinboard hall", AUTHORITY_DAYS, Vec::new())?;
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let pair = KeyPair::generate().map_err(|error| unusable(&key, error))?;
        let made = params.self_signed(&pair).map_err(|error| unusable(&certificate, error))?;
        secrets::write(&key, &pair.serialize_pem())?;
        publish(&certificate, &made.pem())?;
        Authority::open(folder)
    }

    /// Opens the authority of a folder.
    ///
    /// # Errors
    ///
    /// There is none, or its key can be read by others.
    pub fn open(folder: &Path) -> Result<Authority, AuthorityError> {
        let (certificate, key) = (folder.join(AUTHORITY), folder.join(AUTHORITY_KEY));
        if !key.exists() {
            return Err(AuthorityError::Missing(key));
        }
        let pair =
            KeyPair::from_pem(&secrets::read(&key)?).map_err(|error| unusable(&key, error))?;
        let pem =
            fs::read_to_string(&certificate).map_err(|error| unusable(&certificate, error))?;
        let issuer =
            Issuer::from_ca_cert_pem(&pem, pair).map_err(|error| unusable(&certificate, error))?;
        Ok(Authority { folder: folder.to_owned(), issuer, pem })
    }

    /// Makes the adjudicator's certificate, for the names and addresses under which hubs and browsers reach it.
    ///
    /// # Errors
    ///
    /// A name cannot stand in a certificate, or the folder cannot be written.
    pub fn certify_adjudicator(&self, names: &[String]) -> Result<(), AuthorityError> {
        let Some(first) = names.first() else {
            return Err(AuthorityError::Name("the adjudicator needs a name or address".to_owned()));
        };
        let mut params = params(first, ISSUED_DAYS, names.to_vec())?;
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let (pem, key) = self.issue(&params)?;
        secrets::write(&self.folder.join(SERVER_KEY), &key)?;
        publish(&self.folder.join(SERVER), &pem)
    }

    /// Makes a hub's certificate and its bundle. The hub's former certificate is refused from now on.
    ///
    /// # Errors
    ///
    /// The name is no hub id, or a folder cannot be written.
    pub fn enroll_hub(&self, hub: &str, bundle: &Path) -> Result<(), AuthorityError> {
        let mut params = params(check_hub(hub)?, ISSUED_DAYS, Vec::new())?;
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        let (pem, key) = self.issue(&params)?;
        make_folder(bundle)?;
        secrets::write(&bundle.join(HUB_KEY), &key)?;
        publish(&bundle.join(HUB), &pem)?;
        publish(&bundle.join(AUTHORITY), &self.pem)?;
        publish(&hub_file(&self.folder, hub), &pem)
    }

    /// Certifies a hub's own public key (PEM), and returns the certificate. A hub that has one for this key keeps it.
    ///
    /// # Errors
    ///
    /// The key is none, the hub is enrolled with another key, or the folder cannot be written.
    pub fn certify_hub(&self, hub: &str, key: &str) -> Result<String, AuthorityError> {
        let file = hub_file(&self.folder, check_hub(hub)?);
        let key = SubjectPublicKeyInfo::from_pem(key).map_err(|error| {
            AuthorityError::Name(format!("hub {hub} sent no public key: {error}"))
        })?;
        if file.exists() {
            if !certificate::is_of_key(&file, key.der_bytes())? {
                let words = format!(
                    "hub {hub} is enrolled with another key: revoke it first (twinboard enroll revoke {hub})"
                );
                return Err(AuthorityError::Name(words));
            }
            return fs::read_to_string(&file).map_err(|error| unusable(&file, error));
        }
        let mut params = params(hub, ISSUED_DAYS, Vec::new())?;
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        let pem = self.sign(&params, &key)?;
        publish(&file, &pem)?;
        Ok(pem)
    }

    /// The authority's certificate, PEM.
    #[must_use]
    pub fn pem(&self) -> &str {
        &self.pem
    }

    fn issue(&self, params: &CertificateParams) -> Result<(String, String), AuthorityError> {
        let pair = KeyPair::generate().map_err(|error| self.refuse(error))?;
        Ok((self.sign(params, &pair)?, pair.serialize_pem()))
    }

    fn sign(
        &self,
        params: &CertificateParams,
        key: &impl PublicKeyData,
    ) -> Result<String, AuthorityError> {
        let made = params.signed_by(key, &self.issuer).map_err(|error| self.refuse(error))?;
        Ok(made.pem())
    }

    fn refuse(&self, error: rcgen::Error) -> AuthorityError {
        unusable(&self.folder.join(AUTHORITY), error)
    }
}

/// Path of the certificate of a hub that may connect.
#[must_use]
pub fn hub_file(folder: &Path, hub: &str) -> PathBuf {
    folder.join(HUBS).join(format!("{hub}.pem"))
}

/// Shuts a hub out: at once for connections that are made from now on, within a minute or so where it is connected.
///
/// # Errors
///
/// It is not enrolled.
pub fn revoke_hub(folder: &Path, hub: &str) -> Result<(), AuthorityError> {
    let file = hub_file(folder, check_hub(hub)?);
    fs::remove_file(&file).map_err(|error| unusable(&file, error))
}

/// Certificates of a folder: the authority, the adjudicator, the hubs in the order of their names.
///
/// # Errors
///
/// There is no authority, or a certificate cannot be read.
pub fn list(folder: &Path) -> Result<Vec<(String, About)>, AuthorityError> {
    let mut found = vec![("authority".to_owned(), about(&folder.join(AUTHORITY))?)];
    if folder.join(SERVER).exists() {
        found.push(("adjudicator".to_owned(), about(&folder.join(SERVER))?));
    }
    for hub in hubs(folder)? {
        found.push((format!("hub {hub}"), about(&hub_file(folder, &hub))?));
    }
    Ok(found)
}

/// The hubs that have a certificate in a folder, in the order of their names.
///
/// # Errors
///
/// It cannot be read.
pub fn hubs(folder: &Path) -> Result<Vec<String>, AuthorityError> {
    let hubs = folder.join(HUBS);
    let mut names: Vec<String> = fs::read_dir(&hubs)
        .map_err(|error| unusable(&hubs, error))?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".pem").map(str::to_owned))
        .collect();
    names.sort();
    Ok(names)
}

fn check_hub(hub: &str) -> Result<&str, AuthorityError> {
    check_hub_id(hub).map_err(AuthorityError::Name)
}

fn params(name: &str, days: u32, names: Vec<String>) -> Result<CertificateParams, AuthorityError> {
    let refuse = |error: rcgen::Error| AuthorityError::Name(format!("{names:?}: {error}"));
    let mut params = CertificateParams::new(names.clone()).map_err(refuse)?;
    params.distinguished_name.push(DnType::CommonName, name);
    let (year, month, day) = VALID_FROM;
    params.not_before = rcgen::date_time_ymd(year, month, day);
    params.not_after = (SystemTime::now() + DAY * days).into();
    params.use_authority_key_identifier_extension = true;
    Ok(params)
}

/// Writes what everybody may read; whole or not at all.
fn publish(path: &Path, text: &str) -> Result<(), AuthorityError> {
    use std::os::unix::fs::PermissionsExt as _;
    secrets::write(path, text)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o644))
        .map_err(|error| unusable(path, error))
}

fn make_folder(folder: &Path) -> Result<(), AuthorityError> {
    fs::create_dir_all(folder).map_err(|error| unusable(folder, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_authority_is_made_once_and_enrolls_hubs_by_their_ids() {
        let folder = tempfile::tempdir().unwrap();
        let hall = folder.path().join("tls");
        assert!(matches!(Authority::open(&hall), Err(AuthorityError::Missing(_))));
        let authority = Authority::make(&hall).unwrap();
        assert!(matches!(Authority::make(&hall), Err(AuthorityError::Exists(_))));
        authority.certify_adjudicator(&["hall.example".to_owned(), "10.0.0.1".to_owned()]).unwrap();
        let bundle = folder.path().join("hub-1");
        Authority::open(&hall).unwrap().enroll_hub("hub-1", &bundle).unwrap();
        let found = list(&hall).unwrap();
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["authority", "adjudicator", "hub hub-1"]);
        assert_eq!(found[2].1.name, "hub-1");
        assert!((ISSUED_DAYS - 1..=ISSUED_DAYS).contains(&found[2].1.days_left(SystemTime::now())));
        let hub = read_chain(&bundle.join(HUB)).unwrap();
        assert_eq!(hub, read_chain(&hub_file(&hall, "hub-1")).unwrap());
        assert!(secrets::check(&bundle.join(HUB_KEY)).is_ok());
        assert!(secrets::check(&hall.join(AUTHORITY_KEY)).is_ok());
        revoke_hub(&hall, "hub-1").unwrap();
        assert!(revoke_hub(&hall, "hub-1").is_err());
        for no_hub in ["../etc", "..", "adjudicator"] {
            assert!(authority.enroll_hub(no_hub, &bundle).is_err(), "{no_hub}");
        }
    }

    #[test]
    fn a_hub_that_is_enrolled_again_has_another_certificate() {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::make(folder.path()).unwrap();
        let certificate = || {
            authority.enroll_hub("a", &folder.path().join("bundle")).unwrap();
            read_chain(&hub_file(folder.path(), "a")).unwrap()
        };
        assert_ne!(certificate(), certificate());
    }
}
