//! Whether a hub's certificate is the one that it has now: when it comes, and as long as it stays.

use std::{path::PathBuf, time::Duration};

use rustls::pki_types::CertificateDer;

use crate::authority::{self, About};

/// How often it is looked whether a hub that is connected may still be.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// The certificates of a folder.
pub(super) struct Enrolled {
    folder: PathBuf,
    look_every: Duration,
}

/// A hub may not be here with the certificate that it shows.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the certificate of hub {0:?} is not the one that it has now: it was revoked, or the hub was enrolled again"
)]
pub(super) struct ShutOut(String);

impl Enrolled {
    pub(super) fn of(folder: PathBuf) -> Enrolled {
        Enrolled { folder, look_every: LOOK_EVERY }
    }

    /// Whether a certificate is the one that the hub of this name has now.
    ///
    /// # Errors
    ///
    /// It is another, or the hub has none.
    pub(super) fn check(&self, name: &str, leaf: &CertificateDer<'_>) -> Result<(), ShutOut> {
        let current = authority::read_chain(&authority::hub_file(&self.folder, name));
        match current.is_ok_and(|chain| chain.first().is_some_and(|current| current == leaf)) {
            true => Ok(()),
            false => Err(ShutOut(name.to_owned())),
        }
    }

    /// Waits until the certificate of a hub that is connected is not its own any more, twice in a row: a file may be written just now.
    pub(super) async fn until_shut_out(&self, leaf: Option<&CertificateDer<'_>>) -> ShutOut {
        let about = leaf.and_then(|leaf| Some((leaf, About::of(leaf).ok()?)));
        // Whoever was let in has shown one.
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
    use rustls::pki_types::pem::PemObject as _;

    use super::*;
    use crate::authority::Authority;

    #[tokio::test]
    async fn a_hub_that_is_shut_out_while_it_is_connected_does_not_stay() {
        let folder = tempfile::tempdir().unwrap();
        let (tls, bundle) = (folder.path().join("tls"), folder.path().join("north"));
        let authority = Authority::make(&tls).unwrap();
        authority.enroll_hub("north", &bundle).unwrap();
        let leaf = CertificateDer::from_pem_file(bundle.join("hub.pem")).unwrap();
        let enrolled = Enrolled { folder: tls.clone(), look_every: Duration::from_millis(1) };
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
