//! The certificate that the adjudicator presents to hubs and browsers, and the one that it requires of hubs (rustls).
//!
//! The files are checked every minute. A renewed certificate comes into use without a restart if its key is the old one,
//! or the new key can be read. A key that systemd hands over is a copy made at the start: a certificate with another key waits for the
//! next start, and directors get a notice. Hubs must have a certificate of the hall's authority; browsers need none.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
    time::{Duration, SystemTime},
};

use rustls::{
    ClientConfig, RootCertStore, ServerConfig,
    crypto::{CryptoProvider, ring},
    server::{ClientHello, ResolvesServerCert, WebPkiClientVerifier},
    sign::CertifiedKey,
};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use crate::{
    config,
    pki::{
        authority::{self, About, AuthorityError},
        notices::{CertificateNotices, Holder, LOOK_EVERY},
        secrets,
    },
};

/// Interval between two log lines about the certificate's remaining validity.
const SAY_EVERY: Duration = Duration::from_secs(24 * 60 * 60);

/// The adjudicator's certificate and key, as the files have them.
#[derive(Debug)]
pub struct Identity {
    certificate: PathBuf,
    key: PathBuf,
    /// Whether the key is a copy that stays as it is until the next start.
    is_key_fixed: bool,
    shown: RwLock<(Arc<CertifiedKey>, Stamp)>,
    about: RwLock<About>,
}

/// Times at which the two files were written.
type Stamp = [Option<SystemTime>; 2];

/// Result of a check of the files.
#[derive(Debug, PartialEq, Eq)]
enum FileCheck {
    /// The files are as before.
    Same,
    /// The files changed, and are in use from now on.
    Renewed,
    /// The files changed and cannot be used; the reason, and the remedy.
    Waits(String),
}

impl Identity {
    /// Reads certificate and key.
    ///
    /// # Errors
    ///
    /// They cannot be read, do not belong together, or others can read the key.
    pub fn load(certificate: &Path, key: &Path) -> Result<Arc<Identity>, AuthorityError> {
        let key = secrets::place(key);
        let is_key_fixed = secrets::is_handed_over(&key);
        Identity::of(certificate.to_owned(), key, is_key_fixed)
    }

    fn of(
        certificate: PathBuf,
        key: PathBuf,
        is_key_fixed: bool,
    ) -> Result<Arc<Identity>, AuthorityError> {
        let stamp = stamp(&certificate, &key);
        let (loaded, about) = read(&certificate, &key)?;
        let identity = Identity {
            certificate,
            key,
            is_key_fixed,
            shown: RwLock::new((loaded, stamp)),
            about: RwLock::new(about),
        };
        identity.say();
        Ok(Arc::new(identity))
    }

    /// A name or an address that the certificate is for; none if it is for patterns of names only.
    pub fn host(&self) -> Option<String> {
        self.about.read().unwrap_or_else(PoisonError::into_inner).host.clone()
    }

    /// Follows the files, reports to `notices` what waits or ends, and logs once a day how long the certificate is valid.
    pub(crate) async fn watch(
        self: Arc<Identity>,
        notices: CertificateNotices,
        shutdown: CancellationToken,
    ) {
        let mut said = tokio::time::Instant::now();
        self.look_at_end(&notices);
        while shutdown.run_until_cancelled(tokio::time::sleep(LOOK_EVERY)).await.is_some() {
            let look = self.look();
            self.look_at_end(&notices);
            if look == FileCheck::Renewed || said.elapsed() >= SAY_EVERY {
                said = tokio::time::Instant::now();
                self.say();
            }
            match look {
                FileCheck::Waits(words) => notices.wait(&self.certificate, words),
                FileCheck::Same | FileCheck::Renewed => notices.settle(&self.certificate),
            }
        }
    }

    /// Reads the files again if they changed.
    fn look(&self) -> FileCheck {
        let now = stamp(&self.certificate, &self.key);
        if self.shown.read().unwrap_or_else(PoisonError::into_inner).1 == now {
            return FileCheck::Same;
        }
        match read(&self.certificate, &self.key) {
            Ok((loaded, about)) => {
                *self.shown.write().unwrap_or_else(PoisonError::into_inner) = (loaded, now);
                *self.about.write().unwrap_or_else(PoisonError::into_inner) = about;
                FileCheck::Renewed
            }
            Err(AuthorityError::OtherKey { certificate, .. }) if self.is_key_fixed => {
                FileCheck::Waits(format!(
                    "{} was renewed with another key, which the adjudicator is given when it starts: between two rounds, \
                     `systemctl restart twinboard-adjudicator`. Until then the old certificate is shown.",
                    certificate.display()
                ))
            }
            // The files may be half written: the old ones stay in use until the new ones are whole.
            Err(error) => FileCheck::Waits(format!(
                "A renewed certificate cannot be used: {error}. The old one is shown."
            )),
        }
    }

    fn look_at_end(&self, notices: &CertificateNotices) {
        let until = self.about.read().unwrap_or_else(PoisonError::into_inner).until;
        notices.look_at_end(Holder::Adjudicator(&self.certificate), until, SystemTime::now());
    }

    fn say(&self) {
        let about = self.about.read().unwrap_or_else(PoisonError::into_inner);
        let days = about.days_left(SystemTime::now());
        tracing::info!(file = %self.certificate.display(), days, "how long a certificate is valid");
    }

    /// Configuration for browsers.
    ///
    /// # Errors
    ///
    /// rustls refuses.
    pub fn for_browsers(self: &Arc<Identity>) -> Result<TlsAcceptor, AuthorityError> {
        let builder = ServerConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .map_err(|error| self.refuse(&error))?;
        let mut config = builder
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(CurrentCertificate(self.clone())));
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(TlsAcceptor::from(Arc::new(config)))
    }

    /// Configuration for hubs, which must have a certificate of the authority.
    ///
    /// # Errors
    ///
    /// The authority's certificate cannot be used.
    pub fn for_hubs(self: &Arc<Identity>, authority: &Path) -> Result<TlsAcceptor, AuthorityError> {
        let mut roots = RootCertStore::empty();
        for certificate in authority::read_chain(authority)? {
            roots.add(certificate).map_err(|error| self.refuse(&error))?;
        }
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider())
            .build()
            .map_err(|error| self.refuse(&error))?;
        let config = ServerConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .map_err(|error| self.refuse(&error))?
            .with_client_cert_verifier(verifier)
            .with_cert_resolver(Arc::new(CurrentCertificate(self.clone())));
        Ok(TlsAcceptor::from(Arc::new(config)))
    }

    fn refuse(&self, error: &dyn std::error::Error) -> AuthorityError {
        AuthorityError::Unusable { path: self.certificate.clone(), reason: error.to_string() }
    }
}

/// The certificate in use at the time of a connection.
#[derive(Debug)]
struct CurrentCertificate(Arc<Identity>);

impl ResolvesServerCert for CurrentCertificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.shown.read().unwrap_or_else(PoisonError::into_inner).0.clone())
    }
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

fn stamp(certificate: &Path, key: &Path) -> Stamp {
    [certificate, key].map(|path| path.metadata().and_then(|about| about.modified()).ok())
}

fn read(certificate: &Path, key: &Path) -> Result<(Arc<CertifiedKey>, About), AuthorityError> {
    let chain = authority::read_chain(certificate)?;
    let about = authority::about(certificate)?;
    let pair = CertifiedKey::from_der(chain, authority::read_key(key)?, &provider());
    let refuse = |error: rustls::Error| match error {
        rustls::Error::InconsistentKeys(_) => {
            AuthorityError::OtherKey { certificate: certificate.to_owned(), key: key.to_owned() }
        }
        error => AuthorityError::Unusable { path: key.to_owned(), reason: error.to_string() },
    };
    Ok((Arc::new(pair.map_err(refuse)?), about))
}

/// Configuration of a connection to a server that an authority vouches for.
///
/// # Errors
///
/// The authority's certificate cannot be used.
pub fn trusting(authority: &Path) -> Result<Arc<ClientConfig>, AuthorityError> {
    let refuse = |error: rustls::Error| AuthorityError::Unusable {
        path: authority.to_owned(),
        reason: error.to_string(),
    };
    let mut roots = RootCertStore::empty();
    for certificate in authority::read_chain(authority)? {
        roots.add(certificate).map_err(refuse)?;
    }
    let builder = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(refuse)?;
    Ok(Arc::new(builder.with_root_certificates(roots).with_no_client_auth()))
}

/// The certificate for browsers: the configured one, or that of the hall's authority.
///
/// # Errors
///
/// The files cannot be used.
pub fn of_site(config: &config::Config) -> Result<Arc<Identity>, AuthorityError> {
    match (&config.http.certificate_file, &config.http.key_file) {
        (Some(certificate), Some(key)) => Identity::load(certificate, key),
        _ => of_adjudicator(config),
    }
}

/// The certificate that the hall's authority issued.
///
/// # Errors
///
/// The files cannot be used.
pub fn of_adjudicator(config: &config::Config) -> Result<Arc<Identity>, AuthorityError> {
    let folder = config.tls.folder.clone().unwrap_or_default();
    Identity::load(&folder.join(authority::SERVER), &folder.join(authority::SERVER_KEY))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pki::authority::{Authority, SERVER, SERVER_KEY};

    #[test]
    fn a_renewed_certificate_is_shown_and_a_half_written_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::make(folder.path()).unwrap();
        authority.certify_adjudicator(&["localhost".to_owned()]).unwrap();
        let (certificate, key) = (folder.path().join(SERVER), folder.path().join(SERVER_KEY));
        let identity = Identity::load(&certificate, &key).unwrap();
        let shown = || identity.shown.read().unwrap().0.cert.clone();
        let first = shown();
        assert_eq!(identity.look(), FileCheck::Same);
        std::fs::write(&certificate, "-----BEGIN").unwrap();
        assert!(matches!(identity.look(), FileCheck::Waits(_)));
        assert_eq!(shown(), first);
        authority.certify_adjudicator(&["localhost".to_owned()]).unwrap();
        assert_eq!(identity.look(), FileCheck::Renewed);
        assert_ne!(shown(), first);
    }

    #[test]
    fn a_certificate_whose_new_key_comes_with_the_next_start_waits_for_it_and_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::make(folder.path()).unwrap();
        authority.certify_adjudicator(&["localhost".to_owned()]).unwrap();
        let (certificate, copy) = (folder.path().join(SERVER), folder.path().join("copy.key"));
        std::fs::copy(folder.path().join(SERVER_KEY), &copy).unwrap();
        let identity = Identity::of(certificate.clone(), copy.clone(), true).unwrap();
        let shown = || identity.shown.read().unwrap().0.cert.clone();
        let first = shown();
        authority.certify_adjudicator(&["localhost".to_owned()]).unwrap();
        let FileCheck::Waits(words) = identity.look() else { panic!("the key is another one") };
        assert!(words.contains("systemctl restart twinboard-adjudicator"), "{words}");
        assert_eq!(identity.look(), FileCheck::Waits(words), "the same words at each look");
        assert_eq!(shown(), first, "hubs and browsers are not turned away meanwhile");
        std::fs::copy(folder.path().join(SERVER_KEY), &copy).unwrap();
        let started_again = Identity::of(certificate, copy, true).unwrap();
        assert_ne!(started_again.shown.read().unwrap().0.cert, first);
    }

    #[test]
    fn a_key_of_another_certificate_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::make(folder.path()).unwrap();
        authority.certify_adjudicator(&["localhost".to_owned()]).unwrap();
        let other = folder.path().join("bundle");
        authority.enroll_hub("north", &other).unwrap();
        let refused = Identity::load(&folder.path().join(SERVER), &other.join("hub.key"));
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("does not belong"), "{refused}");
    }
}
