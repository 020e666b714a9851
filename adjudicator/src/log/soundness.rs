//! Soundness of the log: it is looked through at the start, and mended before anything is read from it.

use std::sync::PoisonError;

use super::{Damage, Store, StoreError, mending, survey::Survey};
use crate::time::now_ms;

impl Store {
    /// Looks through a log that is to be written, and mends what can be mended.
    pub(super) async fn look_through(&mut self) -> Result<(), StoreError> {
        let inspected = self.log.inspect().await?;
        let mut survey = Survey::of(&*self.log, inspected.counted).await?;
        if survey.unchecked > 0 {
            tracing::info!(
                inputs = survey.unchecked,
                "these inputs are of a release that wrote no checksums: damage of them is not noticed"
            );
        }
        let positions = self.log.positions().await?;
        let (mend, damage) = mending::mend(&mut survey, inspected, &positions);
        if !mend.is_empty() {
            self.log.mend(&mend).await?;
        }
        self.log.begin_acts(survey.newest_acts.into()).await;
        let damage = Damage { place: self.place.clone(), since_ms: now_ms(), ..damage };
        *self.damage.get_mut().unwrap_or_else(PoisonError::into_inner) = damage;
        for (_, words) in self.damage().notices() {
            tracing::error!("{words}");
        }
        let behind = survey.boots.into_iter().filter(|(_, boot)| boot.is_behind());
        self.rows.get_mut().behind = behind.collect();
        *self.last_id.get_mut() = self.log.last_id().await?;
        Ok(())
    }

    /// Detected damage of the log.
    #[must_use]
    pub fn damage(&self) -> Damage {
        let mut damage = self.damage.lock().unwrap_or_else(PoisonError::into_inner).clone();
        damage.copy_fails = self.log.copy_fails();
        damage
    }
}
