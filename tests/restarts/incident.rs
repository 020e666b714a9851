//! What befalls the hall, and when.

use std::time::Duration;

/// Environment variable with the seed of the moments; a failure prints the one that was used.
const SEED: &str = "TWINBOARD_TEST_SEED";

/// Something that is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Victim {
    Hub,
    Adjudicator,
    Broker,
}

/// Something that befalls the hall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Incident {
    /// These are killed at once, and started again after a while.
    Kill(&'static [Victim]),
    /// The same, and a broker among them finds its data gone.
    KillAndWipe(&'static [Victim]),
    /// One of them stands still for so long, and goes on.
    Freeze(Victim, Duration),
    /// The database is copied.
    BackUp,
    /// The adjudicator is killed, and the copy put in the place of its database.
    Restore,
}

/// An incident: when, as a part of the play, and how long those that it kills stay away.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planned {
    pub(crate) at: f64,
    pub(crate) what: Incident,
    pub(crate) away: Duration,
}

/// SplitMix64: a moment from a seed.
pub(crate) struct Moments(u64);

impl Moments {
    /// From the seed of the environment; says it, so that a run that failed can be run again.
    pub(crate) fn from_environment() -> Moments {
        let seed = std::env::var(SEED).ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
        println!("{SEED}={seed}");
        Moments(seed)
    }

    /// From 0 to 1.
    fn draw(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Incidents spread over the play, each somewhere in its own part of it, unless the one before lasts longer.
    pub(crate) fn plan(&mut self, incidents: &[Incident]) -> Vec<Planned> {
        let part = 0.9 / incidents.len() as f64;
        let planned = |(index, what): (usize, &Incident)| Planned {
            at: 0.05 + part * (index as f64 + 0.6 * self.draw()),
            what: *what,
            away: Duration::from_millis(100 + (self.draw() * 900.0) as u64),
        };
        incidents.iter().enumerate().map(planned).collect()
    }
}
