//! Who sees the hall how much later than it happened.
//!
//! The hall's screens, the broadcast and the directors read one log, each at `now − delay`, and a section may have a delay of its
//! own. An audience has a [`Stage`] for each delay that occurs in it. What belongs to a section is looked up on the stage with the
//! section's delay, and nowhere else: a sight answers for tables, matches, pairings and standings, so that no path of the web server,
//! no record and no webhook can get around the delay.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    sync::Arc,
    time::Duration,
};

use tokio::sync::watch;

use crate::{
    config::{self, Config},
    log::{Store, StoreError},
    owner::follower::Stage,
    views::{delays::Delays, read_view::Sight},
};

use super::fan_out::FanOut;

/// Everybody who sees the hall with the same delays.
pub struct Audience {
    delays: Arc<Delays>,
    /// One for each delay, the shortest first; never empty.
    stages: Vec<Arc<Stage>>,
    epoch: u32,
    /// Events for its streams.
    fan_out: FanOut,
}

impl Audience {
    /// An audience that finds the stages of its delays among these. `others`: by whose delays changes are counted apart, too.
    /// `counting`: names what changes are counted of, and by what.
    fn new(
        delays: Delays,
        others: &[&Delays],
        counting: &[u8],
        stages: &BTreeMap<Duration, Arc<Stage>>,
    ) -> Arc<Audience> {
        let epoch = delays.digest(others, counting);
        let of_delay = |delay: &Duration| stages.get(delay).cloned();
        let stages: Vec<Arc<Stage>> = delays.all().iter().filter_map(of_delay).collect();
        let delays = Arc::new(delays);
        let fan_out = FanOut::new(sight(&delays, &stages, epoch).into());
        Arc::new(Audience { delays, stages, epoch, fan_out })
    }

    /// Everybody who sees one stage, whatever the section.
    pub fn of_stage(stage: Arc<Stage>) -> Arc<Audience> {
        let delays = Delays::alike(stage.delay());
        Audience::new(delays, &[], &[], &BTreeMap::from([(stage.delay(), stage)]))
    }

    /// A snapshot of what it sees now.
    pub fn look(&self) -> Sight {
        sight(&self.delays, &self.stages, self.epoch)
    }

    /// Events for its streams.
    pub(crate) fn fan_out(&self) -> &FanOut {
        &self.fan_out
    }

    /// Tells that something changed, of each stage by itself.
    pub fn watch(&self) -> Vec<watch::Receiver<u64>> {
        self.stages.iter().map(|stage| stage.watch()).collect()
    }
}

fn sight(delays: &Arc<Delays>, stages: &[Arc<Stage>], epoch: u32) -> Sight {
    let halls = stages.iter().map(|stage| stage.hall()).collect();
    Sight::new(delays.clone(), halls, epoch)
}

/// Names the log, the release and the configuration: under others the same inputs may be counted as other changes. The ways to the log
/// and to fronts are left out: each owner of a hall may have its own.
fn counting(config: &Config, generation: u32) -> Vec<u8> {
    let config = Config { store: config::StoreSettings::default(), cluster: None, ..config.clone() };
    format!("{generation} {} {config:?}", env!("CARGO_PKG_VERSION")).into_bytes()
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
        let counting = counting(config, store.generation());
        let of = |delays: &Delays| Audience::new(delays.clone(), &all, &counting, &stages);
        let everybody = of(&broadcast);
        let in_hall = if is_open { of(&hall) } else { everybody.clone() };
        Ok(Audiences { broadcast: everybody, hall: in_hall, delayed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_cursor_of_another_configuration_is_not_resumed() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("event.sqlite")).await.unwrap();
        let epoch = async |text: &str| {
            let config: Config = toml::from_str(text).unwrap();
            let floor = Stage::new(&config, Duration::ZERO);
            Audiences::open(&config, &floor, &store).await.unwrap().broadcast.look().cursor().epoch
        };
        let first = epoch("").await;
        assert_eq!(first, epoch("").await, "the same is resumed");
        let other_way = "[store]\nurl = \"postgres://me@localhost/event\"\n[cluster]\nevent = \"open\"\nnats = [\"nats://other\"]";
        assert_eq!(first, epoch(other_way).await, "another owner of the same hall goes on");
        assert_ne!(first, epoch("[[table]]\nname = \"1\"\nsection = \"K-3\"").await);
    }
}
