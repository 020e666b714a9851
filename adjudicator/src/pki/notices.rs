//! Notices about the hall's certificates: a renewed one that is not in use yet, one that ends soon, one that has ended.
//! Each is logged once, and stays on the directors' list until it is settled.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock, RwLockWriteGuard},
    time::{Duration, SystemTime},
};

use tokio_util::sync::CancellationToken;

use crate::{
    pki::authority::{self, About},
    time::now_ms,
};

/// Interval between two checks of the certificates.
pub(crate) const LOOK_EVERY: Duration = Duration::from_secs(60);
/// Days before its end at which a certificate gets a notice. No event is longer (`td.device_hours` is at most as much).
const WARN_DAYS: u64 = 14;
const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A notice about a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CertificateNotice {
    /// In a few words.
    pub(crate) what: &'static str,
    /// The certificate, the problem, and the remedy.
    pub(crate) words: String,
    /// Time of its first occurrence, Unix milliseconds.
    pub(crate) since_ms: u64,
}

/// Holder of a certificate, which decides how it is renewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holder<'a> {
    /// The hall's authority, whose certificate every hub has.
    Authority,
    /// The adjudicator: its certificate is in this file.
    Adjudicator(&'a Path),
    /// A hub.
    Hub(&'a str),
}

/// The notices of this adjudicator: for each certificate at most one about a renewal and one about its end.
#[derive(Clone, Debug)]
pub(crate) struct CertificateNotices {
    /// Remaining time of the longest event.
    event: Duration,
    known: Arc<RwLock<KnownCertificate>>,
}

#[derive(Debug, Default)]
struct KnownCertificate {
    renewals: BTreeMap<PathBuf, CertificateNotice>,
    ends: BTreeMap<String, CertificateNotice>,
    until: BTreeMap<String, SystemTime>,
}

impl CertificateNotices {
    /// The notices of an event of at most this many hours (`td.device_hours`).
    pub(crate) fn of_events(hours: u32) -> CertificateNotices {
        CertificateNotices { event: HOUR * hours, known: Arc::default() }
    }

    /// Adds the notice that a renewed certificate waits, with the reason.
    pub(crate) fn wait(&self, certificate: &Path, words: String) {
        let what = "A renewed certificate is not shown yet";
        put(&mut self.known().renewals, certificate.to_owned(), what, words);
    }

    /// Removes that notice: the certificate in use is the file's.
    pub(crate) fn settle(&self, certificate: &Path) {
        self.known().renewals.remove(certificate);
    }

    /// Records the end of a certificate's validity.
    pub(crate) fn look_at_end(&self, holder: Holder<'_>, until: SystemTime, now: SystemTime) {
        let mut known = self.known();
        let name = holder.name();
        known.until.insert(name.clone(), until);
        match self.end(holder, until, now) {
            Some((what, words)) => put(&mut known.ends, name, what, words),
            None => drop(known.ends.remove(&name)),
        }
    }

    fn end(
        &self,
        holder: Holder<'_>,
        until: SystemTime,
        now: SystemTime,
    ) -> Option<(&'static str, String)> {
        let (name, cure) = (holder.name(), holder.cure());
        let Ok(left) = until.duration_since(now) else {
            return Some(("A certificate has ended", format!("{name} has ended. {cure}")));
        };
        let days = left.as_secs() / DAY.as_secs();
        let when = match days {
            WARN_DAYS.. => return None,
            0 => "in less than a day".to_owned(),
            1 => "in one day".to_owned(),
            days => format!("in {days} days"),
        };
        let before = if left < self.event { ", before the event may be over" } else { "" };
        Some(("A certificate ends soon", format!("{name} ends {when}{before}. {cure}")))
    }

    /// All notices.
    pub(crate) fn all(&self) -> Vec<CertificateNotice> {
        let known = self.known();
        known.renewals.values().chain(known.ends.values()).cloned().collect()
    }

    /// Days until the first of the certificates ends, below zero once it has; none if there are none.
    pub(crate) fn days_left(&self, now: SystemTime) -> Option<f64> {
        let first = *self.known().until.values().min()?;
        let days = |duration: Duration| duration.as_secs_f64() / DAY.as_secs_f64();
        Some(match first.duration_since(now) {
            Ok(left) => days(left),
            Err(over) => -days(over.duration()),
        })
    }

    /// Follows the certificates of the authority and of the hubs in a folder.
    pub(crate) async fn watch(self, folder: PathBuf, shutdown: CancellationToken) {
        loop {
            self.look_at_folder(&folder, SystemTime::now());
            let wait = tokio::time::sleep(LOOK_EVERY);
            if shutdown.run_until_cancelled(wait).await.is_none() {
                return;
            }
        }
    }

    /// An unreadable file gives no notice here: the refusal of its hub is logged where hubs connect.
    fn look_at_folder(&self, folder: &Path, now: SystemTime) {
        if let Ok(About { until, .. }) = authority::about(&folder.join(authority::AUTHORITY)) {
            self.look_at_end(Holder::Authority, until, now);
        }
        let Ok(hubs) = authority::hubs(folder) else { return };
        for hub in &hubs {
            if let Ok(About { until, .. }) = authority::about(&authority::hub_file(folder, hub)) {
                self.look_at_end(Holder::Hub(hub), until, now);
            }
        }
        let is_revoked = |name: &String| {
            name.starts_with(HUB_NAME) && !hubs.iter().any(|hub| Holder::Hub(hub).name() == *name)
        };
        let mut known = self.known();
        known.until.retain(|name, _| !is_revoked(name));
        known.ends.retain(|name, _| !is_revoked(name));
    }

    fn known(&self) -> RwLockWriteGuard<'_, KnownCertificate> {
        self.known.write().unwrap_or_else(PoisonError::into_inner)
    }
}

const HUB_NAME: &str = "The certificate of hub ";

impl Holder<'_> {
    fn name(self) -> String {
        match self {
            Holder::Authority => "The certificate of the hall's authority".to_owned(),
            Holder::Adjudicator(file) => {
                format!("The adjudicator's certificate {}", file.display())
            }
            Holder::Hub(hub) => format!("{HUB_NAME}{hub}"),
        }
    }

    fn cure(self) -> String {
        match self {
            Holder::Authority => {
                "Make another authority in an empty folder, certify the adjudicator and enroll every hub: without, no hub connects."
                    .to_owned()
            }
            Holder::Adjudicator(_) => {
                "Renew it where you have it from (`twinboard enroll adjudicator NAME` if it is of the hall's authority): without, hubs and browsers turn away."
                    .to_owned()
            }
            Holder::Hub(hub) => format!(
                "`twinboard enroll hub {hub}`, and take the new bundle to the hub: without, it does not connect."
            ),
        }
    }
}

/// Adds a notice with the time of its first occurrence, and logs it if it is new.
fn put<K: Ord>(
    notices: &mut BTreeMap<K, CertificateNotice>,
    key: K,
    what: &'static str,
    words: String,
) {
    if notices.get(&key).is_none_or(|known| known.words != words) {
        tracing::warn!("{words}");
        notices.insert(key, CertificateNotice { what, words, since_ms: now_ms() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pki::authority::Authority;

    #[test]
    fn a_renewed_certificate_waits_since_it_was_first_seen_to_and_until_it_is_shown() {
        let (notices, file) = (CertificateNotices::of_events(18), Path::new("site.pem"));
        notices.wait(file, "restart".to_owned());
        let first = notices.all();
        notices.wait(file, "restart".to_owned());
        assert_eq!((first.len(), notices.all()), (1, first));
        notices.wait(file, "something else".to_owned());
        assert_eq!(notices.all()[0].words, "something else");
        notices.settle(file);
        assert_eq!(notices.all(), []);
    }

    #[test]
    fn directors_hear_two_weeks_before_a_certificate_ends_and_when_it_has_ended() {
        let notices = CertificateNotices::of_events(24);
        let folder = tempfile::tempdir().unwrap();
        let tls = folder.path().join("tls");
        let authority = Authority::make(&tls).unwrap();
        authority.enroll_hub("north", &folder.path().join("north")).unwrap();
        let issued = SystemTime::now();
        let at = |days: u64| {
            notices.look_at_folder(&tls, issued + DAY * u32::try_from(days).unwrap());
            notices.all().into_iter().map(|notice| notice.words).collect::<Vec<_>>()
        };
        assert_eq!(at(715), [""; 0], "15 days are left");
        assert!(at(720)[0].starts_with("The certificate of hub north ends in 9 days. `twinboard"));
        let last = at(729);
        assert!(last[0].contains("in less than a day, before the event may be over"), "{last:?}");
        assert!(at(731)[0].contains("hub north has ended"));
        authority::revoke_hub(&tls, "north").unwrap();
        assert_eq!(at(731), [""; 0], "a hub that is shut out needs no certificate");
        assert!(at(3651)[0].contains("authority has ended"));
    }

    #[test]
    fn the_days_left_are_those_of_the_certificate_that_ends_first() {
        let notices = CertificateNotices::of_events(18);
        let now = SystemTime::now();
        assert_eq!(notices.days_left(now), None);
        notices.look_at_end(Holder::Authority, now + DAY * 900, now);
        notices.look_at_end(Holder::Hub("north"), now + DAY * 9, now);
        assert_eq!(notices.days_left(now), Some(9.0));
        assert_eq!(notices.days_left(now + DAY * 10), Some(-1.0));
    }
}
