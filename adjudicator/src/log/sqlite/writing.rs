//! Writing to the database, and what is done after it failed: a connection on which nothing has failed, and a log that is on the disk
//! before anybody relies on it.

use std::sync::atomic::{AtomicBool, Ordering};

use sqlx::{Sqlite, SqliteConnection, pool::PoolConnection};

use super::{Store, StoreError};

/// A connection that is written on. It is closed unless what was written is done: after a failed commit, or a failed rolling back, a
/// transaction may stay open there, and what is committed within it is not on the disk.
pub(super) struct Writing<'a> {
    connection: PoolConnection<Sqlite>,
    is_done: bool,
    is_unsettled: &'a AtomicBool,
}

impl Writing<'_> {
    /// Others may have the connection again.
    fn done(mut self) {
        self.is_done = true;
    }
}

impl std::ops::Deref for Writing<'_> {
    type Target = SqliteConnection;

    fn deref(&self) -> &SqliteConnection {
        &self.connection
    }
}

impl std::ops::DerefMut for Writing<'_> {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        &mut self.connection
    }
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        if !self.is_done {
            self.is_unsettled.store(true, Ordering::Release);
            self.connection.close_on_drop();
        }
    }
}

impl Store {
    /// A connection to write with.
    pub(super) async fn write(&self) -> Result<Writing<'_>, sqlx::Error> {
        let (connection, is_unsettled) = (self.writer.acquire().await?, &self.is_unsettled);
        Ok(Writing { connection, is_done: false, is_unsettled })
    }

    /// Gives a connection back, or closes it if what was written on it is not done.
    pub(super) async fn end<T>(
        &self,
        writing: Writing<'_>,
        done: Result<T, sqlx::Error>,
    ) -> Result<T, StoreError> {
        match done {
            Ok(_) => writing.done(),
            // Now, if it can be done now: the last connection that closes carries the log over into the main file.
            Err(_) => drop(database_file::write_ahead_log::rewrite(&self.path).await),
        }
        done.map_err(StoreError::Statement)
    }

    /// After a failure, makes sure of all that is in the database, before anybody is told of it, or anything is written behind it.
    pub(super) async fn settle(&self, last_id: &mut u64) -> Result<(), StoreError> {
        if self.is_unsettled.load(Ordering::Acquire) {
            database_file::write_ahead_log::rewrite(&self.path).await.map_err(sqlx::Error::Io)?;
            *last_id = super::last_id(&self.writer).await?;
            self.is_unsettled.store(false, Ordering::Release);
        }
        Ok(())
    }
}
