//! Waiting for what must happen, and saying what never did.
#![allow(dead_code, reason = "each test binary uses its part")]

use std::{
    future::Future,
    time::{Duration, Instant},
};

/// How long anything may take that takes a second on an idle machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(45);
/// How often it is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Waits until `look` finds something; what it saw last is told when it never does.
///
/// # Panics
///
/// When nothing was found in time.
pub(crate) async fn eventually<T, F>(what: &str, look: impl FnMut() -> F) -> T
where
    F: Future<Output = Result<T, String>>,
{
    within(PATIENCE, what, look).await
}

/// As [`eventually`], for what may take longer.
pub(crate) async fn within<T, F>(patience: Duration, what: &str, mut look: impl FnMut() -> F) -> T
where
    F: Future<Output = Result<T, String>>,
{
    let end = Instant::now() + patience;
    loop {
        match look().await {
            Ok(found) => return found,
            Err(seen) if Instant::now() >= end => {
                panic!("not within {patience:?}: {what}; last seen: {seen}")
            }
            Err(_) => tokio::time::sleep(LOOK_EVERY).await,
        }
    }
}
