//! Writing to the file, and what is done after it failed: a connection on which nothing has failed.

use sqlx::{SqliteConnection, pool::PoolConnection};

use super::{Sqlite, StoreError, meta};

/// A connection that is written on. It is closed unless what was written is done: after a failed commit, or a failed rolling back, a
/// transaction may stay open there, and what is committed within it is not on the disk.
pub(super) struct Writing {
    connection: PoolConnection<sqlx::Sqlite>,
    is_done: bool,
}

impl std::ops::Deref for Writing {
    type Target = SqliteConnection;

    fn deref(&self) -> &SqliteConnection {
        &self.connection
    }
}

impl std::ops::DerefMut for Writing {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        &mut self.connection
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        if !self.is_done {
            self.connection.close_on_drop();
        }
    }
}

impl Sqlite {
    /// A connection to write with.
    pub(super) async fn write(&self) -> Result<Writing, sqlx::Error> {
        Ok(Writing { connection: self.writer.acquire().await?, is_done: false })
    }

    /// Gives a connection back, or closes it if what was written on it is not done.
    pub(super) async fn end<T>(
        &self,
        mut writing: Writing,
        done: Result<T, sqlx::Error>,
    ) -> Result<T, StoreError> {
        writing.is_done = done.is_ok();
        drop(writing);
        if done.is_err() {
            // Now, if it can be done now: the last connection that closes carries the log over into the main file.
            drop(database_file::write_ahead_log::rewrite(&self.path).await);
        }
        done.map_err(StoreError::Statement)
    }

    /// The same error, or that another opening has the log now.
    pub(super) async fn named(&self, error: StoreError) -> StoreError {
        let Ok(mut connection) = self.writer.acquire().await else { return error };
        match meta(&mut connection, "epoch").await {
            Ok(now) if now != self.epoch && self.epoch != 0 => StoreError::Stale {
                place: self.path.as_path().into(),
                epoch: self.epoch,
                holder: format!("{now} now, of another program on this machine"),
            },
            _ => error,
        }
    }
}
