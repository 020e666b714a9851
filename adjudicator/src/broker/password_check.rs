//! Passwords of hubs: verified off the runtime, one at a time, with a limit for guesses.
//!
//! A password's hash is slow to compute on purpose. A client that may cause it without a limit stops the hall
//! without knowing any password. So a password that was right once is recognised by a quick digest, and a wrong one costs its sender
//! the next tries. They count for that account from that address alone (of IPv6 the network: one machine may use all its addresses), because
//! all hubs of a hall may share one address.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use mqtt5::broker::auth::PasswordAuthProvider;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use tokio::sync::Semaphore;

use crate::machine::connection_limit::household;

/// Tries that an account has from one address before it must wait.
const TRIES: u32 = 5;
/// Time after which an account gets one more try.
const TRY_EVERY: Duration = Duration::from_secs(10);
/// Maximum number of counted pairs of account and address; beyond it no new pair is verified until some have been forgotten.
const COUNTED_MAX: usize = 4096;
/// Verifications of one account that may wait for their turn.
const WAITING_MAX: usize = 32;

/// The verification of a password against an account. Slow.
pub(super) trait Verify: Send + Sync + 'static {
    /// Whether the account exists. Quick.
    fn has(&self, account: &str) -> bool;
    /// Whether this is its password.
    fn verify(&self, account: &str, password: &str) -> bool;
}

impl Verify for PasswordAuthProvider {
    fn has(&self, account: &str) -> bool {
        self.has_user(account)
    }

    fn verify(&self, account: &str, password: &str) -> bool {
        self.verify_user_password(account, password)
    }
}

/// Result of a login.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    /// The password is right.
    Granted,
    /// There is no such account, or the password is another.
    Refused,
    /// The pair had too many tries: nothing was verified.
    TooMany,
}

/// The login of a broker with accounts.
pub(super) struct Door<V> {
    accounts: Arc<V>,
    /// Salt of every digest: none can be prepared.
    key: [u8; 32],
    /// Digests of passwords that were right.
    known: Mutex<HashMap<String, [u8; 32]>>,
    tries: Mutex<HashMap<(String, IpAddr), Tries>>,
    /// The turn to verify: each account has at most one in this queue, so that accounts take turns.
    verifying: Semaphore,
    /// The verifications of each account.
    lines: Mutex<HashMap<String, Arc<LoginQueue>>>,
}

/// Logins that wait for one account's verification.
struct LoginQueue {
    places: Semaphore,
    first: Semaphore,
}

impl Default for LoginQueue {
    fn default() -> LoginQueue {
        LoginQueue { places: Semaphore::new(WAITING_MAX), first: Semaphore::new(1) }
    }
}

/// Remaining tries, and the time at which they were counted.
#[derive(Clone, Copy, Debug)]
struct Tries {
    left: u32,
    since: Instant,
}

impl Tries {
    fn refill(&mut self, now: Instant) {
        let back = now.saturating_duration_since(self.since).as_secs() / TRY_EVERY.as_secs();
        let back = u32::try_from(back).unwrap_or(TRIES);
        if back > 0 {
            self.left = self.left.saturating_add(back).min(TRIES);
            self.since = now;
        }
    }
}

impl<V: Verify> Door<V> {
    pub(super) fn new(accounts: V) -> Door<V> {
        Door {
            accounts: Arc::new(accounts),
            key: rand::random(),
            known: Mutex::default(),
            tries: Mutex::default(),
            verifying: Semaphore::new(1),
            lines: Mutex::default(),
        }
    }

    /// Checks an account and its password, which came from an address.
    pub(super) async fn admit(&self, account: &str, password: &[u8], from: IpAddr) -> Admission {
        if !self.accounts.has(account) {
            return Admission::Refused;
        }
        let digest = self.digest(account, password);
        if self.is_known(account, &digest) {
            return Admission::Granted;
        }
        if !self.take_try(account, from, Instant::now()) {
            return Admission::TooMany;
        }
        let line = self.line(account);
        let Ok(_place) = line.places.try_acquire() else { return Admission::TooMany };
        let Ok(_first) = line.first.acquire().await else { return Admission::TooMany };
        let Ok(_turn) = self.verifying.acquire().await else { return Admission::TooMany };
        let (accounts, name) = (self.accounts.clone(), account.to_owned());
        let password = String::from_utf8_lossy(password).into_owned();
        let verified = tokio::task::spawn_blocking(move || accounts.verify(&name, &password)).await;
        if !verified.unwrap_or(false) {
            return Admission::Refused;
        }
        self.known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(account.to_owned(), digest);
        self.forgive(account, from);
        Admission::Granted
    }

    /// The queue of an existing account.
    fn line(&self, account: &str) -> Arc<LoginQueue> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.entry(account.to_owned()).or_default().clone()
    }

    fn digest(&self, account: &str, password: &[u8]) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(self.key);
        hash.update((account.len() as u64).to_le_bytes());
        hash.update(account);
        hash.update(password);
        hash.finalize().into()
    }

    fn is_known(&self, account: &str, digest: &[u8; 32]) -> bool {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(account).is_some_and(|known| bool::from(known.ct_eq(digest)))
    }

    fn take_try(&self, account: &str, from: IpAddr, now: Instant) -> bool {
        let mut tries = self.tries.lock().unwrap_or_else(PoisonError::into_inner);
        if tries.len() >= COUNTED_MAX {
            tries.retain(|_, tries| {
                tries.refill(now);
                tries.left < TRIES
            });
        }
        let is_full = tries.len() >= COUNTED_MAX;
        let key = (account.to_owned(), household(from));
        if is_full && !tries.contains_key(&key) {
            return false;
        }
        let tries = tries.entry(key).or_insert(Tries { left: TRIES, since: now });
        tries.refill(now);
        let may_try = tries.left > 0;
        tries.left = tries.left.saturating_sub(1);
        may_try
    }

    fn forgive(&self, account: &str, from: IpAddr) {
        let mut tries = self.tries.lock().unwrap_or_else(PoisonError::into_inner);
        tries.remove(&(account.to_owned(), household(from)));
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicUsize, Ordering},
        thread::{self, ThreadId},
    };

    use super::*;

    /// One account, whose running verifications are counted.
    #[derive(Default)]
    struct Counted {
        verified: AtomicUsize,
        threads: Mutex<Vec<ThreadId>>,
    }

    impl Verify for Arc<Counted> {
        fn has(&self, account: &str) -> bool {
            account == "north" || account == "south"
        }

        fn verify(&self, _account: &str, password: &str) -> bool {
            self.verified.fetch_add(1, Ordering::Relaxed);
            self.threads.lock().unwrap().push(thread::current().id());
            password == "right"
        }
    }

    fn door() -> (Door<Arc<Counted>>, Arc<Counted>) {
        let counted = Arc::new(Counted::default());
        (Door::new(counted.clone()), counted)
    }

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
    const THERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2));

    #[tokio::test]
    async fn whoever_guesses_is_not_verified_again_and_again_and_keeps_nobody_out() {
        let (door, counted) = door();
        let mut admissions = Vec::new();
        for _ in 0..100 {
            admissions.push(door.admit("north", b"guess", THERE).await);
        }
        let tries = TRIES as usize;
        assert!(admissions[..tries].iter().all(|&one| one == Admission::Refused));
        assert!(admissions[tries..].iter().all(|&one| one == Admission::TooMany));
        assert_eq!(counted.verified.load(Ordering::Relaxed), tries);
        assert_eq!(door.admit("north", b"right", HERE).await, Admission::Granted);
        // A known password is accepted even from there.
        assert_eq!(door.admit("north", b"right", THERE).await, Admission::Granted);
        assert_eq!(door.admit("north", b"guess", HERE).await, Admission::Refused);
    }

    #[tokio::test]
    async fn a_password_that_was_right_is_not_verified_again_and_no_account_costs_nothing() {
        let (door, counted) = door();
        for _ in 0..50 {
            assert_eq!(door.admit("north", b"right", HERE).await, Admission::Granted);
            assert_eq!(door.admit("east", b"right", HERE).await, Admission::Refused);
        }
        assert_eq!(counted.verified.load(Ordering::Relaxed), 1);
    }

    #[tokio::test]
    async fn guesses_of_one_account_from_many_addresses_leave_another_its_turn() {
        let (door, _) = door();
        let door = Arc::new(door);
        let mut guesses = Vec::new();
        for number in 0..600_u32 {
            let door = door.clone();
            let from = IpAddr::from(std::net::Ipv4Addr::from_bits(0x0a00_0000 + number));
            guesses.push(tokio::spawn(async move { door.admit("north", b"guess", from).await }));
        }
        tokio::task::yield_now().await;
        assert_eq!(door.admit("south", b"right", HERE).await, Admission::Granted);
        let waiting = guesses.iter().filter(|guess| !guess.is_finished()).count();
        assert!(waiting > 0, "it did not wait for all of the others");
        for guess in guesses {
            assert_ne!(guess.await.unwrap(), Admission::Granted);
        }
    }

    #[tokio::test]
    async fn passwords_are_verified_off_the_threads_that_serve_the_hall() {
        let (door, counted) = door();
        door.admit("north", b"right", HERE).await;
        assert!(!counted.threads.lock().unwrap().contains(&thread::current().id()));
    }

    #[test]
    fn tries_come_back_one_by_one_and_the_count_is_bounded() {
        let (door, _) = door();
        let begin = Instant::now();
        for _ in 0..TRIES {
            assert!(door.take_try("north", HERE, begin));
        }
        assert!(!door.take_try("north", HERE, begin));
        assert!(door.take_try("north", HERE, begin + TRY_EVERY));
        assert!(!door.take_try("north", HERE, begin + TRY_EVERY));
        for number in 0..2 * COUNTED_MAX {
            let address = IpAddr::V6(((number as u128 + 1) << 64).into());
            door.take_try("north", address, begin + TRY_EVERY);
        }
        assert!(door.tries.lock().unwrap().len() <= COUNTED_MAX);
        assert!(
            door.take_try("north", THERE, begin + 20 * TRY_EVERY),
            "all others are forgotten by then"
        );
    }

    #[test]
    fn whoever_has_a_whole_network_has_no_more_tries_than_who_has_one_address() {
        let (door, _) = door();
        let begin = Instant::now();
        let may = |address: &str| door.take_try("north", address.parse().unwrap(), begin);
        let tried = (0..2 * TRIES).filter(|host| may(&format!("2001:db8::{host}"))).count();
        assert_eq!(tried, TRIES as usize);
        assert!(may("2001:db8:0:1::1"), "another network");
        door.forgive("north", "2001:db8::ffff".parse().unwrap());
        assert!(may("2001:db8::1"), "whoever knows the password clears the network");
    }
}
