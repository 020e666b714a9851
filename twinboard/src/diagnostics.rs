//! Diagnostics on stderr, filtered by `TWINBOARD_LOG`, so that stdout stays a result.

mod short_lines;
mod throttle;

use std::io::IsTerminal;

use short_lines::ShortLines;
use throttle::Throttle;
use tracing_subscriber::{EnvFilter, layer::SubscriberExt as _, util::SubscriberInitExt as _};

/// Starts printing diagnostics. `default` is a filter such as `info`, used unless `TWINBOARD_LOG` says
/// otherwise; an invalid filter is reported and replaced by the default.
pub(crate) fn start(default: &str) {
    let filter = match std::env::var("TWINBOARD_LOG") {
        Ok(wanted) => EnvFilter::try_new(&wanted).unwrap_or_else(|error| {
            eprintln!(
                "twinboard: TWINBOARD_LOG={wanted:?} is no filter ({error}); using {default:?}"
            );
            EnvFilter::new(default)
        }),
        Err(_) => EnvFilter::new(default),
    };
    // A second start, as in tests, keeps the first.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| ShortLines(std::io::stderr()))
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        .finish()
        .with(Throttle::default())
        .try_init();
}
