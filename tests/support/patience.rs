//! Waits for conditions that must hold, and reports those that never did.
#![allow(dead_code, reason = "each test binary uses its part")]

use std::{
    future::Future,
    time::{Duration, Instant},
};

/// Maximum time of an operation that takes a second on an idle machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(45);
/// Time between two checks.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Waits until `look` returns a result; on a timeout the panic contains its last error.
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

/// Same as [`eventually`], for a longer operation.
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
