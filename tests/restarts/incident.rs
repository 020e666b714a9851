//! Incidents in the hall, and their times.

use std::time::Duration;

use crate::moments::Moments;

/// Program that is killed or frozen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Victim {
    Hub,
    Adjudicator,
    Broker,
}

/// Incident in the hall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Incident {
    /// These are killed at once, and started again after a while.
    Kill(&'static [Victim]),
    /// The same, and a broker among them loses its data.
    KillAndWipe(&'static [Victim]),
    /// The program is frozen for this time, and goes on.
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

/// Incidents spread over the play, each somewhere in its own part of it, unless the one before lasts longer.
pub(crate) fn plan(moments: &mut Moments, incidents: &[Incident]) -> Vec<Planned> {
    let part = 0.9 / incidents.len() as f64;
    let planned = |(index, what): (usize, &Incident)| Planned {
        at: 0.05 + part * (index as f64 + 0.6 * moments.draw()),
        what: *what,
        away: Duration::from_millis(100 + (moments.draw() * 900.0) as u64),
    };
    incidents.iter().enumerate().map(planned).collect()
}
