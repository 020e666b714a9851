//! Soundness of the log: it is looked through at the start, and acts are written a second time beside it.

use std::sync::PoisonError;

use super::{
    Damage, Store, StoreError,
    acts_copy::{self, ActsCopy},
    last_id, mending,
    survey::{self, LoggedAct, Survey},
};
use crate::time::now_ms;

impl Store {
    /// Looks through a log that is to be written, and mends what can be mended.
    pub(super) async fn look_through(&mut self) -> Result<(), StoreError> {
        let mut database = self.writer.acquire().await?;
        let file = survey::check_file(&mut database).await?;
        if file.is_some() {
            // What is found may be an index, which can be made again from its table; where it is not, the table is still read.
            let made = sqlx::query("REINDEX").execute(&mut *database).await;
            drop(made.inspect_err(
                |error| tracing::error!(%error, "the database's indices cannot be made again"),
            ));
        }
        let survey = Survey::of(&mut database, self.unchecked_until).await?;
        if survey.unchecked > 0 {
            tracing::info!(
                inputs = survey.unchecked,
                "these inputs are of a release that wrote no checksums: damage of them is not noticed"
            );
        }
        let (path, generation) = (self.path.clone(), self.generation);
        let found = tokio::task::spawn_blocking(move || acts_copy::read(&path, generation)).await;
        let found = match found.map_err(std::io::Error::other).flatten() {
            Ok(found) => found,
            Err(error) => {
                tracing::error!(%error, "the copy of the last acts beside the database cannot be read");
                acts_copy::FoundActs { is_damaged: true, ..Default::default() }
            }
        };
        let mended =
            mending::mend(&mut database, &self.path, self.generation, survey, found).await?;
        let damage = Damage { path: self.path.clone(), since_ms: now_ms(), file, ..mended.damage };
        for (_, words) in damage.notices() {
            tracing::error!("{words}");
        }
        *self.damage.get_mut().unwrap_or_else(PoisonError::into_inner) = damage;
        self.rows.get_mut().behind = mended.behind;
        *self.acts.get_mut() = mended.copy;
        drop(database);
        *self.last_id.get_mut() = last_id(&self.writer).await?;
        Ok(())
    }

    /// What is wrong with the log, as far as it was noticed.
    #[must_use]
    pub fn damage(&self) -> Damage {
        self.damage.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Writes an act that is in the log a second time, so that it is not gone with the end of the log.
    pub(super) async fn copy_act(&self, act: LoggedAct) {
        let mut open = self.acts.lock().await;
        let Some(mut copy) = open.take() else { return };
        let (path, generation) = (self.path.clone(), self.generation);
        let written = tokio::task::spawn_blocking(move || {
            if copy.is_full() {
                copy = ActsCopy::begin(&path, generation, std::iter::empty())?;
            }
            copy.add(&act)?;
            Ok(copy)
        });
        match written.await.map_err(std::io::Error::other).flatten() {
            Ok(copy) => *open = Some(copy),
            Err(error) => {
                tracing::error!(%error, "the copy of the last acts beside the database cannot be written");
                let mut damage = self.damage.lock().unwrap_or_else(PoisonError::into_inner);
                damage.copy_fails = Some(error.to_string());
            }
        }
    }
}
