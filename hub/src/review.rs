//! A table's look-ups in the journal beside its work: read here, decided by [`hub_core::review`].

use hub_core::review::{evidence, review};
use hub_core::table::{Job, Reviewed};
use tokio::task::{JoinHandle, spawn_blocking};
use tracing::warn;

use crate::journal::{Journal, JournalError, Reader};

/// Looks something up beside the table.
pub(crate) fn start(journal: &Journal, reader: &Reader, job: Job) -> JoinHandle<Reviewed> {
    let (journal, reader) = (journal.clone(), reader.clone());
    tokio::spawn(async move {
        look(&journal, &reader, &job).await.unwrap_or_else(|error| {
            warn!(?job, "the journal cannot be read: {error}; trying again");
            Reviewed { again: Some(job.clone()), ..Reviewed::default() }
        })
    })
}

async fn look(journal: &Journal, reader: &Reader, job: &Job) -> Result<Reviewed, JournalError> {
    // The rows that led here are in the queue of the journal.
    journal.flush().await?;
    match job {
        Job::Review(match_id) => {
            let (known, told) = (reader.facts(match_id).await?, reader.told(match_id).await?);
            let (trace, match_id) = (reader.trace(match_id).await?, match_id.clone());
            let work = move || review(&match_id, &known, &told, trace.as_ref());
            Ok(spawn_blocking(work).await.unwrap_or_default())
        }
        Job::Evidence(wanted) => {
            let trace = reader.trace(&wanted.match_id).await?;
            let events = evidence(wanted, trace.as_ref());
            Ok(Reviewed { events, ..Reviewed::default() })
        }
    }
}
