//! Who sees the hall how much later than it happened.
//!
//! The hall's screens, the broadcast and the directors read one log, each at `now − delay`, and a section may have a delay of its
//! own. An audience has [`Snapshots`] for each delay that occurs in it. A section is read only from those
//! with the section's delay: a sight answers for tables, matches, pairings and standings. So no path of the web server, no record and
//! no webhook can get around the delay.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use tokio::sync::watch;

use crate::{
    config::{self, Config},
    owner::{follower::Stage, snapshots::Snapshots},
    views::{delays::Delays, read_view::Sight},
};

use super::{fan_out::FanOut, round::RenderedRound};

/// Everybody who sees the hall with the same delays.
pub struct Audience {
    delays: Arc<Delays>,
    /// One for each delay, the shortest first; never empty.
    halls: Vec<Arc<Snapshots>>,
    epoch: u32,
    /// Events for its streams.
    fan_out: FanOut,
    round: RenderedRound,
}

impl Audience {
    /// An audience that finds the snapshots of its delays among these. `others`: further delays whose changes are counted apart.
    /// `counting`: name of the log, release and configuration by which changes are counted.
    fn new(
        delays: Delays,
        others: &[&Delays],
        counting: &[u8],
        halls: &BTreeMap<Duration, Arc<Snapshots>>,
    ) -> Arc<Audience> {
        let epoch = delays.digest(others, counting);
        let of_delay = |delay: &Duration| halls.get(delay).cloned();
        let halls: Vec<Arc<Snapshots>> = delays.all().iter().filter_map(of_delay).collect();
        let delays = Arc::new(delays);
        let fan_out = FanOut::new(sight(&delays, &halls, epoch).into());
        Arc::new(Audience { delays, halls, epoch, fan_out, round: RenderedRound::default() })
    }

    /// The audience of a stage without delay in any section.
    pub fn of_stage(stage: &Stage) -> Arc<Audience> {
        let halls = BTreeMap::from([(Duration::ZERO, stage.snapshots().clone())]);
        Audience::new(Delays::alike(Duration::ZERO), &[], &[], &halls)
    }

    /// A snapshot of what it sees now.
    pub fn look(&self) -> Sight {
        sight(&self.delays, &self.halls, self.epoch)
    }

    /// Events for its streams.
    pub(crate) fn fan_out(&self) -> &FanOut {
        &self.fan_out
    }

    /// The audience's view, as JSON.
    pub(crate) fn round(&self, config: &Config, now_ms: u64) -> Vec<u8> {
        self.round.json(config, &self.look(), now_ms)
    }

    /// Tells that something changed, of each delay by itself.
    pub fn watch(&self) -> Vec<watch::Receiver<u64>> {
        self.halls.iter().map(|halls| halls.watch()).collect()
    }
}

/// The present sight. A position in the stream from before a reset is not of its epoch.
fn sight(delays: &Arc<Delays>, halls: &[Arc<Snapshots>], epoch: u32) -> Sight {
    // Counted first: what is seen is then as new as the epoch says.
    let epoch = halls.iter().map(|halls| halls.resets()).fold(epoch, u32::wrapping_add);
    let seen = halls.iter().map(|halls| halls.hall()).collect();
    Sight::new(delays.clone(), seen, epoch)
}

/// Names the log, the release and the configuration: under others the same inputs may be counted as other changes. The ways to the log
/// and to fronts are left out: each owner of a hall may have its own.
fn counting(config: &Config, generation: u32) -> Vec<u8> {
    let config =
        Config { store: config::StoreSettings::default(), cluster: None, ..config.clone() };
    format!("{generation} {} {config:?}", env!("CARGO_PKG_VERSION")).into_bytes()
}

/// The audiences of an event.
pub struct Audiences {
    /// Everybody.
    pub broadcast: Arc<Audience>,
    /// Screens in the hall.
    pub hall: Arc<Audience>,
}

impl Audiences {
    /// The audiences that the organiser wants, of a floor that has their delays. `generation`: of the log.
    pub fn new(config: &Config, floor: &Stage, generation: u32) -> Audiences {
        let (broadcast, hall) = (Delays::of_broadcast(config), Delays::of_hall(config));
        let halls = [floor.snapshots()].into_iter().chain(floor.delayed());
        let halls = halls.map(|halls| (halls.hall().delay(), halls.clone())).collect();
        let all = [&broadcast, &hall];
        let counting = counting(config, generation);
        let of = |delays: &Delays| Audience::new(delays.clone(), &all, &counting, &halls);
        let everybody = of(&broadcast);
        let has_screens = config.http.hall_address.is_some();
        let in_hall = if has_screens { of(&hall) } else { everybody.clone() };
        Audiences { broadcast: everybody, hall: in_hall }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_of_another_configuration_is_not_resumed() {
        let epoch = |text: &str| {
            let config: Config = toml::from_str(text).unwrap();
            Audiences::new(&config, &Stage::new(&config), 0).broadcast.look().cursor().epoch
        };
        let first = epoch("");
        assert_eq!(first, epoch(""), "the same is resumed");
        let other_way = "[store]\nurl = \"postgres://me@localhost/event\"\n[cluster]\nevent = \"open\"\nnats = [\"nats://other\"]";
        assert_eq!(first, epoch(other_way), "another owner of the same hall goes on");
        assert_ne!(first, epoch("[[table]]\nname = \"1\"\nsection = \"K-3\""));
    }
}
