//! Limit of the files and connections that this process may have open, and its division among listeners.
//!
//! Systems give a process 1,024 unless it asks for more, and broker, pages and database share them. A process that may have more only
//! has to ask. One that may not accepts fewer connections, so that files never run out below the database or inside the broker.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::limits::{DIRECTORS_STREAMS_MAX, Limits, METRICS_MAX};

/// Limit that systems give without being asked.
const USUAL: u64 = 1_024;

/// Files that are kept for the database, listeners and the log.
const OWN: u64 = 128;
/// Ways in for hubs: plain and encrypted.
const HUB_LISTENERS: u64 = 2;
/// Files that a hub's connection takes: the hub's, and both ends of the one to the broker.
const FILES_OF_A_HUB: u64 = 3;

/// Divisor of the pages' half: the part of it that metrics may have when files are few.
const METRICS_PART: u64 = 16;

/// Maximum numbers of connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shares {
    /// Connections of one listener for pages.
    pub(crate) pages: usize,
    /// Event streams of everybody.
    pub(crate) streams: usize,
    /// Event streams of directors.
    pub(crate) directors_streams: usize,
    /// Connections of the listener for metrics.
    pub(crate) metrics: usize,
    /// Connections of one listener for hubs.
    pub(crate) hubs: usize,
}

impl Shares {
    /// Half of the files for pages and metrics, half for hubs; what one half does not need is the other's. `listeners`: for pages.
    fn of(limit: u64, limits: &Limits, listeners: u64) -> Shares {
        let files = limit.saturating_sub(OWN);
        let of_hubs = files.saturating_sub(of_pages(limits, listeners)).max(files / 2);
        let of_hubs = of_hubs.min(of_hubs_max(limits));
        let of_pages = files - of_hubs;
        let share = |files: u64, most: u64| usize::try_from(files.clamp(1, most)).unwrap_or(1);
        let metrics = (of_pages / METRICS_PART).min(METRICS_MAX);
        let (pages_max, hubs_max) = (pages_max(limits), limits.hubs as u64);
        let pages = ((of_pages - metrics) / listeners).min(pages_max);
        Shares {
            pages: share(pages, pages_max),
            // With few connections three quarters of them, so that a quarter is left to ask for anything else.
            streams: share(pages * 3 / 4, limits.streams as u64),
            // With few connections an eighth of them.
            directors_streams: share(pages / 8, DIRECTORS_STREAMS_MAX),
            metrics: share(metrics, METRICS_MAX),
            hubs: share(of_hubs / (HUB_LISTENERS * FILES_OF_A_HUB), hubs_max),
        }
    }

    /// Files with which as many are let in at every address as these limits allow.
    fn wanted(limits: &Limits, listeners: u64) -> u64 {
        OWN + of_pages(limits, listeners).max(METRICS_MAX * METRICS_PART) + of_hubs_max(limits)
    }

    /// Files with which all live streams fit.
    fn enough(limits: &Limits, listeners: u64) -> u64 {
        let pages = (limits.streams as u64 * 4).div_ceil(3) * listeners + METRICS_MAX;
        Shares::wanted(limits, listeners).min(OWN + pages + of_hubs_max(limits))
    }
}

/// Maximum number of connections of one listener for pages: twice the live streams, as half of the open pages may have one.
fn pages_max(limits: &Limits) -> u64 {
    2 * limits.streams as u64
}

/// Files of all pages and metrics.
fn of_pages(limits: &Limits, listeners: u64) -> u64 {
    pages_max(limits) * listeners + METRICS_MAX
}

/// Files of all hubs.
fn of_hubs_max(limits: &Limits) -> u64 {
    limits.hubs as u64 * HUB_LISTENERS * FILES_OF_A_HUB
}

/// Asks for as many files as the system gives, says so if those are few, and shares them out.
pub(crate) fn raise_limit(limits: &Limits, listeners: u64) -> Shares {
    let enough = Shares::enough(limits, listeners);
    let raised = getrlimit(Resource::RLIMIT_NOFILE).and_then(|(soft, hard)| {
        let wanted = Shares::wanted(limits, listeners).min(hard);
        if soft < wanted {
            setrlimit(Resource::RLIMIT_NOFILE, wanted, hard)?;
        }
        Ok(soft.max(wanted))
    });
    match raised {
        Ok(limit) => {
            let shares = Shares::of(limit, limits, listeners);
            if limit < enough {
                tracing::warn!(
                    "this process may open {limit} files and connections: a full hall needs {enough}. At most {} pages ({} of them live) and {} \
                     hubs are admitted at an address; raise LimitNOFILE in its unit, or ulimit -Hn",
                    shares.pages,
                    shares.streams,
                    shares.hubs
                );
            }
            shares
        }
        Err(error) => {
            tracing::warn!(%error, "the limit of open files cannot be read or raised");
            Shares::of(USUAL, limits, listeners)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_let_in_leaves_files_for_the_database() {
        let large = Limits { streams: 20_000, hubs: 8_192, ..Limits::default() };
        let halls = [Limits::default(), large, Limits { streams: 1, hubs: 1, ..large }];
        for (limits, listeners) in halls.into_iter().flat_map(|it| [(it, 1), (it, 3)]) {
            let enough = Shares::enough(&limits, listeners);
            let wanted = Shares::wanted(&limits, listeners);
            for limit in [256, USUAL, 16_384, enough, wanted, u64::MAX] {
                let shares = Shares::of(limit, &limits, listeners);
                let Shares { pages, metrics, hubs, streams, directors_streams } = shares;
                assert!(
                    streams + directors_streams <= pages.max(2),
                    "{limit}: streams take all connections"
                );
                assert!(limit < enough || streams == limits.streams, "{limit} is enough");
                let taken = pages as u64 * listeners
                    + metrics as u64
                    + hubs as u64 * HUB_LISTENERS * FILES_OF_A_HUB;
                assert!(taken + OWN <= limit, "{limit}: {pages}, {metrics} and {hubs}");
            }
        }
        let (limits, one) = (Limits::default(), 1);
        let all = Shares {
            pages: 8_192,
            streams: 4_096,
            directors_streams: 256,
            metrics: 64,
            hubs: 1_024,
        };
        assert_eq!(Shares::of(Shares::wanted(&limits, 3), &limits, 3), all);
        let ones =
            Shares { pages: one, streams: one, directors_streams: one, metrics: one, hubs: one };
        assert_eq!(Shares::of(0, &limits, 3), ones);
    }
}
