//! How many files and connections this process may have open.
//!
//! Systems give a process 1,024 unless it asks for more, and broker, pages and database share them. A process that may have more only
//! has to ask.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// As many as broker and pages take at the most, and some for the database.
const WANTED: u64 = 16_384;
/// With fewer, a full hall can run out of them.
const ENOUGH: u64 = 8_192;

/// Asks for as many as the system gives, and says so if those are few.
pub(crate) fn raise_limit() {
    let raised = getrlimit(Resource::RLIMIT_NOFILE).and_then(|(soft, hard)| {
        let wanted = WANTED.min(hard);
        if soft < wanted {
            setrlimit(Resource::RLIMIT_NOFILE, wanted, hard)?;
        }
        Ok(soft.max(wanted))
    });
    match raised {
        Ok(limit) if limit < ENOUGH => tracing::warn!(
            "this process may have {limit} files and connections open: a full hall needs {ENOUGH}; raise LimitNOFILE in its unit, or \
             ulimit -Hn"
        ),
        Ok(_) => {}
        Err(error) => tracing::warn!(%error, "the limit of open files cannot be read or raised"),
    }
}
