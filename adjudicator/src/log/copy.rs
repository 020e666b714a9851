//! Copies of a log from one place to another, of whichever kind they are: what was recorded is the same, and the copy is another log.

use std::{fs, io, path::Path};

use tokio_util::sync::CancellationToken;

use super::{
    Place, Store, StoreError,
    shard_log::{Filling, ShardLog},
    sqlite::{self, Sqlite},
};

/// Copies the log of an event without a writer into an empty place, all of it or nothing. Returns the number of inputs.
///
/// # Errors
///
/// An adjudicator has one of them, the destination is not empty, an input is damaged, or one of them cannot be read or written.
pub async fn copy(
    from: &Place,
    to: &Place,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<u64, StoreError> {
    if let Place::File(path) = from
        && !path.exists()
    {
        return Err(database_file::CopyError::Missing(path.clone()).into());
    }
    let _lock = from.lock()?;
    // The same steps as at a start: damaged rows are set aside, and a lease is acquired.
    let source = Store::open(from).await?;
    let copied = kept(&source, copy_opened(&source, to, progress)).await;
    source.close().await;
    copied
}

/// Does something with a log, whose lease is extended meanwhile.
async fn kept<T>(
    store: &Store,
    work: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    tokio::select! {
        done = work => done,
        lost = store.keep(CancellationToken::new()) => lost.and(Err(StoreError::Moved)),
    }
}

/// Copies a log as it is now into a new file, whole or not at all, while an adjudicator goes on writing it. Returns how many inputs the
/// copy has.
///
/// # Errors
///
/// There is no log, the file exists already, or it cannot be written; then nothing of it is left.
pub async fn back_up(from: &Place, to: &Path) -> Result<u64, StoreError> {
    match from {
        Place::File(path) => Ok(sqlite::back_up(path, to).await?.content),
        Place::Server(_) => {
            let source = Store::open_existing(from).await?;
            let copied = copy_opened(&source, &to.into(), &|_| {}).await;
            source.close().await;
            copied
        }
    }
}

async fn copy_opened(
    source: &Store,
    to: &Place,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<u64, StoreError> {
    let inputs = source.last_id().await?;
    let mut filling = Filling::new(&*source.log, inputs, progress);
    match to {
        Place::File(path) => fill_file(path, &mut filling).await?,
        Place::Server(_) => {
            let destination = Store::open(to).await?;
            let filled = kept(&destination, fill(&destination, &mut filling)).await;
            destination.close().await;
            filled?;
        }
    }
    Ok(inputs)
}

async fn fill(destination: &Store, from: &mut Filling<'_>) -> Result<(), StoreError> {
    let inputs = destination.last_id().await?;
    if inputs > 0 {
        return Err(StoreError::NotEmpty { place: destination.place.clone(), inputs });
    }
    destination.log.fill(from).await
}

/// Fills a file beside the new one, of which a copy is checked and gets the name.
async fn fill_file(to: &Path, from: &mut Filling<'_>) -> Result<(), StoreError> {
    if to.exists() {
        return Err(database_file::CopyError::Exists(to.to_owned()).into());
    }
    let mut name = to.as_os_str().to_owned();
    name.push(".copying");
    let beside = Path::new(&name);
    remove(beside)?;
    let copied = async {
        let file = Sqlite::open(beside).await?;
        let filled = file.fill(from).await;
        file.close().await;
        filled?;
        sqlite::back_up(beside, to).await?;
        Ok(())
    };
    let copied = copied.await;
    remove(beside)?;
    copied
}

fn remove(database: &Path) -> Result<(), StoreError> {
    for ending in ["", "-wal", "-shm"] {
        let mut name = database.as_os_str().to_owned();
        name.push(ending);
        match fs::remove_file(&name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(StoreError::Statement(error.into()));
            }
            _ => {}
        }
    }
    Ok(())
}
