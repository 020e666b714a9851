//! Who sees the hall how much later than it happened.
//!
//! The hall's screens, the broadcast and the directors read one log, each at `now − delay`, and a section may have a delay of its
//! own. An audience has a [`Stage`] for each delay that occurs in it. What belongs to a section is looked up on the stage with the
//! section's delay, and nowhere else: a sight answers for tables, matches, pairings and standings, so that no path of the web server,
//! no record and no webhook can get around the delay.

mod cursor;
mod delays;
mod sight;

use std::{
    collections::{BTreeMap, btree_map::Entry},
    sync::Arc,
    time::Duration,
};

pub use cursor::{Cursor, ParseCursorError};
pub use delays::Delays;
pub use sight::{Shown, Sight};
use tokio::sync::watch;

use crate::{
    config::Config,
    stage::Stage,
    store::{Store, StoreError},
};

/// Most delays that an event may have: each costs the memory of a whole hall.
pub const DELAYS_MAX: usize = 8;

/// Everybody who sees the hall with the same delays.
pub struct Audience {
    delays: Delays,
    /// One for each delay, the shortest first; never empty.
    stages: Vec<Arc<Stage>>,
    epoch: u32,
}

impl Audience {
    /// An audience that finds the stages of its delays among these. `others`: by whose delays changes are counted apart, too.
    /// `generation`: of the log whose changes are counted.
    fn new(
        delays: Delays,
        others: &[&Delays],
        generation: u32,
        stages: &BTreeMap<Duration, Arc<Stage>>,
    ) -> Arc<Audience> {
        let epoch = delays.digest(others, generation);
        let of_delay = |delay: &Duration| stages.get(delay).cloned();
        let stages = delays.all().iter().filter_map(of_delay).collect();
        Arc::new(Audience { delays, stages, epoch })
    }

    /// Everybody who sees one stage, whatever the section.
    pub fn of_stage(stage: Arc<Stage>) -> Arc<Audience> {
        let delays = Delays::alike(stage.delay());
        Audience::new(delays, &[], 0, &BTreeMap::from([(stage.delay(), stage)]))
    }

    /// What it sees now. Nobody may hold it across an await.
    pub fn look(&self) -> Sight<'_> {
        let halls = self.stages.iter().map(|stage| stage.hall()).collect();
        Sight::new(&self.delays, halls, self.epoch)
    }

    /// Tells that something changed, of each stage by itself.
    pub fn watch(&self) -> Vec<watch::Receiver<u64>> {
        self.stages.iter().map(|stage| stage.watch()).collect()
    }
}

/// The audiences of an event, and the stages that have to be kept behind the floor for them.
pub struct Audiences {
    /// Everybody.
    pub broadcast: Arc<Audience>,
    /// Screens in the hall.
    pub hall: Arc<Audience>,
    /// Stages that lag behind.
    pub delayed: Vec<Arc<Stage>>,
}

impl Audiences {
    /// The audiences that the organiser wants. The floor serves those that see everything at once; every other stage catches up with
    /// the log.
    ///
    /// # Errors
    ///
    /// The database refuses.
    pub async fn open(
        config: &Config,
        floor: &Arc<Stage>,
        store: &Store,
    ) -> Result<Audiences, StoreError> {
        let (broadcast, hall) = (Delays::of_broadcast(config), Delays::of_hall(config));
        let mut stages = BTreeMap::from([(Duration::ZERO, floor.clone())]);
        let is_open = config.http.hall_address.is_some();
        let of_hall = hall.all().into_iter().filter(|_| is_open);
        for delay in broadcast.all().into_iter().chain(of_hall) {
            if let Entry::Vacant(place) = stages.entry(delay) {
                let stage = Stage::new(config, delay);
                stage.rebuild(store).await?;
                place.insert(stage);
            }
        }
        let delayed = stages.values().skip(1).cloned().collect();
        let all = [&broadcast, &hall];
        let of = |delays: &Delays| Audience::new(delays.clone(), &all, store.generation(), &stages);
        let everybody = of(&broadcast);
        let in_hall = if is_open { of(&hall) } else { everybody.clone() };
        Ok(Audiences { broadcast: everybody, hall: in_hall, delayed })
    }
}
