//! How many files and connections this process may have open, and how they are shared out.
//!
//! Systems give a process 1,024 unless it asks for more, and broker, pages and database share them. A process that may have more only
//! has to ask. One that may not lets fewer connections in, so that files never run out below the database or inside the broker.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// As many as all that can be taken in at the most, with room to spare.
const WANTED: u64 = 65_536;
/// With fewer, not all of [`STREAMS_MAX`] fit.
const ENOUGH: u64 = 36_864;
/// What systems give without being asked.
const USUAL: u64 = 1_024;

/// Kept back for the database, listeners and the log.
const OWN: u64 = 128;
/// Listeners for pages: plain, encrypted and of the hall.
const PAGE_LISTENERS: u64 = 3;
/// Ways in for hubs: plain and encrypted.
const HUB_LISTENERS: u64 = 2;
/// Files that a hub's connection takes: the hub's, and both ends of the one to the broker.
const FILES_OF_A_HUB: u64 = 3;

/// Most connections of one listener for pages: every spectator has a page open.
const PAGES_MAX: u64 = 8_192;
/// Most event streams of everybody; with few connections three quarters of them, so that a quarter is left to ask for anything else.
const STREAMS_MAX: u64 = 4_096;
/// Most event streams of directors; with few connections an eighth of them.
const DIRECTORS_STREAMS_MAX: u64 = 256;
/// Most connections for the metrics: a program or two that measure.
const METRICS_MAX: u64 = 64;
/// And the part of the half for pages that they may have of few files.
const METRICS_PART: u64 = 16;
/// Most connections of one way in for hubs: far above any hall's hubs.
const HUBS_MAX: u64 = 2_048;

/// How many connections may be taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shares {
    /// Of one listener for pages.
    pub(crate) pages: usize,
    /// Event streams of everybody.
    pub(crate) streams: usize,
    /// Event streams of directors.
    pub(crate) directors_streams: usize,
    /// Of the listener for metrics.
    pub(crate) metrics: usize,
    /// Of one way in for hubs.
    pub(crate) hubs: usize,
}

impl Shares {
    /// Half of the files for pages and metrics, half for hubs.
    fn of(limit: u64) -> Shares {
        let half = limit.saturating_sub(OWN) / 2;
        let share = |files: u64, most: u64| usize::try_from(files.clamp(1, most)).unwrap_or(1);
        let metrics = (half / METRICS_PART).min(METRICS_MAX);
        let pages = ((half - metrics) / PAGE_LISTENERS).min(PAGES_MAX);
        Shares {
            pages: share(pages, PAGES_MAX),
            streams: share(pages * 3 / 4, STREAMS_MAX),
            directors_streams: share(pages / 8, DIRECTORS_STREAMS_MAX),
            metrics: share(metrics, METRICS_MAX),
            hubs: share(half / (HUB_LISTENERS * FILES_OF_A_HUB), HUBS_MAX),
        }
    }
}

/// Asks for as many files as the system gives, says so if those are few, and shares them out.
pub(crate) fn raise_limit() -> Shares {
    let raised = getrlimit(Resource::RLIMIT_NOFILE).and_then(|(soft, hard)| {
        let wanted = WANTED.min(hard);
        if soft < wanted {
            setrlimit(Resource::RLIMIT_NOFILE, wanted, hard)?;
        }
        Ok(soft.max(wanted))
    });
    match raised {
        Ok(limit) => {
            let shares = Shares::of(limit);
            if limit < ENOUGH {
                tracing::warn!(
                    "this process may have {limit} files and connections open: a full hall needs {ENOUGH}, and at most {} pages ({} of them \
                     live) and {} hubs are let in at an address; raise LimitNOFILE in its unit, or ulimit -Hn",
                    shares.pages,
                    shares.streams,
                    shares.hubs
                );
            }
            shares
        }
        Err(error) => {
            tracing::warn!(%error, "the limit of open files cannot be read or raised");
            Shares::of(USUAL)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_let_in_leaves_files_for_the_database() {
        for limit in [256, USUAL, ENOUGH, 16_384, WANTED, u64::MAX] {
            let Shares { pages, metrics, hubs, streams, directors_streams } = Shares::of(limit);
            assert!(
                streams + directors_streams <= pages.max(2),
                "{limit}: streams take all connections"
            );
            assert!(limit < ENOUGH || streams as u64 == STREAMS_MAX, "{limit} is enough");
            let taken = pages as u64 * PAGE_LISTENERS
                + metrics as u64
                + hubs as u64 * HUB_LISTENERS * FILES_OF_A_HUB;
            assert!(taken + OWN <= limit, "{limit}: {pages}, {metrics} and {hubs}");
        }
        let all = Shares {
            pages: 8_192,
            streams: 4_096,
            directors_streams: 256,
            metrics: 64,
            hubs: 2_048,
        };
        assert_eq!(Shares::of(WANTED), all);
        let one = Shares { pages: 1, streams: 1, directors_streams: 1, metrics: 1, hubs: 1 };
        assert_eq!(Shares::of(0), one);
    }
}
