//! Encryption of the hub's connection: the authority that it trusts, and the certificate that it presents.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use rustls::{
    ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime, pem::PemObject as _},
};

use super::check::{Problems, private, shown};

/// Certificate of the authority that vouches for the broker.
pub(crate) const AUTHORITY: &str = "authority.pem";
/// The hub's certificate.
pub(crate) const HUB: &str = "hub.pem";
/// The hub's key.
pub(crate) const HUB_KEY: &str = "hub.key";

/// Folder that `twinboard enroll hub` made for this hub; or an authority alone, for a broker that asks for a password.
#[derive(Clone)]
pub struct Encryption {
    folder: PathBuf,
    config: Arc<ClientConfig>,
}

impl Encryption {
    /// TLS configuration of the MQTT client.
    pub fn client_config(&self) -> Arc<ClientConfig> {
        self.config.clone()
    }
}

impl PartialEq for Encryption {
    fn eq(&self, other: &Self) -> bool {
        self.folder == other.folder
    }
}

impl fmt::Debug for Encryption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Encryption({})", self.folder.display())
    }
}

/// Reads a hub's bundle; what is wrong with it is a problem of `broker.tls_folder`. `host`: the name that the broker's certificate must have; none: the
/// name or address at which it is reached.
pub(super) fn read_bundle(
    folder: &Path,
    host: Option<&str>,
    problems: &mut Problems,
) -> Option<Encryption> {
    match client_config(folder, host, problems) {
        Ok(config) => Some(Encryption { folder: folder.to_owned(), config: Arc::new(config?) }),
        Err((file, reason)) => {
            let todo = "take the folder that `twinboard enroll hub` made at the adjudicator";
            problems.add("broker.tls_folder", shown(&file), reason, todo);
            None
        }
    }
}

type Refusal = (PathBuf, String);

/// None: the problem was noted already.
fn client_config(
    folder: &Path,
    host: Option<&str>,
    problems: &mut Problems,
) -> Result<Option<ClientConfig>, Refusal> {
    let authority = folder.join(AUTHORITY);
    let refuse = |reason: rustls::Error| (authority.clone(), reason.to_string());
    let mut roots = RootCertStore::empty();
    for certificate in certificates(&authority)? {
        roots.add(certificate).map_err(refuse)?;
    }
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(refuse)?;
    let builder = match host {
        None => builder.with_root_certificates(roots),
        Some(host) => {
            let unusable = |reason: String| (authority.clone(), reason);
            let inner = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider)
                .build()
                .map_err(|error| unusable(error.to_string()))?;
            let host = ServerName::try_from(host.to_owned())
                .map_err(|error| unusable(error.to_string()))?;
            builder.dangerous().with_custom_certificate_verifier(Arc::new(Named { inner, host }))
        }
    };
    let (hub, key) = (folder.join(HUB), folder.join(HUB_KEY));
    if !hub.exists() {
        return Ok(Some(builder.with_no_client_auth()));
    }
    let Some(key) = private("broker.tls_folder", &key, problems) else { return Ok(None) };
    let secret = PrivateKeyDer::from_pem_file(&key)
        .map_err(|error| (key.clone(), format!("holds no private key (PEM): {error}")))?;
    let config = builder
        .with_client_auth_cert(certificates(&hub)?, secret)
        .map_err(|error| (hub, error.to_string()))?;
    Ok(Some(config))
}

fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, Refusal> {
    let refuse = |error: rustls::pki_types::pem::Error| (file.to_owned(), error.to_string());
    let found = CertificateDer::pem_file_iter(file).map_err(refuse)?;
    let found: Vec<_> = found.collect::<Result<_, _>>().map_err(refuse)?;
    match found.is_empty() {
        true => Err((file.to_owned(), "holds no certificate (PEM)".to_owned())),
        false => Ok(found),
    }
}

/// Verifier of a certificate of the authority with a fixed name. A hub that was accepted at the desk reaches the adjudicator at an address that may change; what
/// stays is the name in the certificate.
#[derive(Debug)]
struct Named {
    inner: Arc<WebPkiServerVerifier>,
    host: ServerName<'static>,
}

impl ServerCertVerifier for Named {
    fn verify_server_cert(
        &self,
        leaf: &CertificateDer<'_>,
        chain: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.inner.verify_server_cert(leaf, chain, &self.host, ocsp, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.inner.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.inner.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.inner.supported_verify_schemes()
    }
}
