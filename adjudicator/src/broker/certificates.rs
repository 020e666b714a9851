//! The check that a hub's certificate is its current one: when it connects, and as long as it is connected.
//!
//! A file that is missing, or holds another certificate, excludes a hub. A file that cannot be read decides nothing: the system may have
//! no open files left, for example. Then the certificate that was read last counts, and a warning is logged.

use std::{
    collections::HashMap,
    fs, io,
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use rustls::pki_types::{CertificateDer, pem::PemObject as _};

use super::log_throttle::ThrottledLines;
use crate::pki::authority::{self, About};

/// Interval between two checks of a connected hub's certificate.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// The certificates of a folder.
pub(super) struct Enrolled {
    folder: PathBuf,
    look_every: Duration,
    /// The certificate of each hub when its file could last be read. As many as the folder has files.
    last_read: Mutex<HashMap<String, CertificateDer<'static>>>,
    unreadable: ThrottledLines,
}

/// A hub may not be connected with the certificate that it shows.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the certificate of hub {0:?} is not the one that it has now: it was revoked, or the hub was enrolled again"
)]
pub(super) struct ShutOut(String);

impl Enrolled {
    /// The certificates of a folder, all of which are read now: later the system may have no more files to give.
    pub(super) fn of(folder: PathBuf) -> Enrolled {
        let names = authority::hubs(&folder).unwrap_or_else(|error| {
            tracing::warn!(%error, "the certificates of hubs cannot be read");
            Vec::new()
        });
        let enrolled = Enrolled {
            folder,
            look_every: LOOK_EVERY,
            last_read: Mutex::default(),
            unreadable: ThrottledLines::default(),
        };
        for name in names {
            enrolled.current(&name);
        }
        enrolled
    }

    /// Checks that a certificate is the current one of the hub of this name.
    ///
    /// # Errors
    ///
    /// The hub has another certificate, or none.
    pub(super) fn check(&self, name: &str, leaf: &CertificateDer<'_>) -> Result<(), ShutOut> {
        match self.current(name).is_some_and(|current| current == *leaf) {
            true => Ok(()),
            false => Err(ShutOut(name.to_owned())),
        }
    }

    /// A hub's current certificate, as far as it can be read.
    fn current(&self, name: &str) -> Option<CertificateDer<'static>> {
        let file = authority::hub_file(&self.folder, name);
        let read = fs::read(&file);
        let mut last_read = self.last_read();
        let found = match read {
            // A file without a certificate excludes the hub as a missing file does.
            Ok(pem) => CertificateDer::from_pem_slice(&pem).ok(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                if let Some(unsaid) = self.unreadable.is_due() {
                    tracing::error!(
                        %error, file = %file.display(), unsaid,
                        "a hub's certificate cannot be read, so the last one read still counts and a revocation has no effect: check the file"
                    );
                }
                return last_read.get(name).cloned();
            }
        };
        match &found {
            Some(certificate) => last_read.insert(name.to_owned(), certificate.clone()),
            None => last_read.remove(name),
        };
        found
    }

    fn last_read(&self) -> MutexGuard<'_, HashMap<String, CertificateDer<'static>>> {
        self.last_read.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until two checks in a row find that a connected hub's certificate is not its current one. A single check may meet a
    /// half-written file.
    pub(super) async fn until_shut_out(&self, leaf: Option<&CertificateDer<'_>>) -> ShutOut {
        let about = leaf.and_then(|leaf| Some((leaf, About::of(leaf).ok()?)));
        // Each connected hub has shown a certificate.
        let Some((leaf, About { name, .. })) = about else { return std::future::pending().await };
        let mut was_shut_out = false;
        loop {
            tokio::time::sleep(self.look_every).await;
            match self.check(&name, leaf) {
                Err(reason) if was_shut_out => return reason,
                looked => was_shut_out = looked.is_err(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pki::authority::Authority;

    #[tokio::test]
    async fn a_hub_that_is_shut_out_while_it_is_connected_does_not_stay() {
        let folder = tempfile::tempdir().unwrap();
        let (tls, bundle) = (folder.path().join("tls"), folder.path().join("north"));
        let authority = Authority::make(&tls).unwrap();
        authority.enroll_hub("north", &bundle).unwrap();
        let leaf = CertificateDer::from_pem_file(bundle.join("hub.pem")).unwrap();
        let look_every = Duration::from_millis(1);
        let enrolled = Enrolled { look_every, ..Enrolled::of(tls.clone()) };
        assert_eq!(enrolled.check("north", &leaf), Ok(()));
        let stays = enrolled.until_shut_out(Some(&leaf));
        tokio::pin!(stays);
        let looked = tokio::time::timeout(Duration::from_millis(100), stays.as_mut()).await;
        assert!(looked.is_err(), "it may be here");
        authority::revoke_hub(&tls, "north").unwrap();
        let ended = tokio::time::timeout(Duration::from_secs(20), stays).await;
        assert_eq!(ended, Ok(ShutOut("north".to_owned())));
    }
}
