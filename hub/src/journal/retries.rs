//! Handling of a disk that refuses writes: reported once a minute, the ballast released, tried again after a pause.

use std::path::Path;
use std::time::Duration;

use tokio::time::{Instant, sleep};
use tracing::{error, info};

use super::{Ballast, JournalError};
use crate::liveness::{Health, Heartbeat};

/// First pause after a failure; doubled until [`PAUSE_MAX`].
const PAUSE_MIN: Duration = Duration::from_millis(250);
/// Longest pause, and so how long the hub may take to see that there is room.
const PAUSE_MAX: Duration = Duration::from_secs(5);
/// Interval between two reports of a lasting problem.
const REPORT_EVERY: Duration = Duration::from_secs(60);

/// Failures in a row.
#[derive(Debug)]
pub(super) struct Retries {
    pause: Duration,
    reported: Option<Instant>,
}

impl Default for Retries {
    fn default() -> Self {
        Retries { pause: PAUSE_MIN, reported: None }
    }
}

impl Retries {
    /// Reports the problem, unless that was reported a moment ago, and shows it.
    pub(super) fn report(&mut self, problem: &JournalError, heartbeat: &Heartbeat) {
        heartbeat.set_health(Health::Halted);
        if self.reported.is_none_or(|at| at.elapsed() >= REPORT_EVERY) {
            error!("{problem}");
            self.reported = Some(Instant::now());
        }
    }

    /// Waits a little, longer after each failure.
    pub(super) async fn pause(&mut self) {
        sleep(self.pause).await;
        self.pause = (self.pause * 2).min(PAUSE_MAX);
    }

    /// The steps of a caller that can only wait for room on a full disk: [`Self::report`], then the ballast, then
    /// [`Self::pause`].
    pub(super) async fn rest(&mut self, problem: JournalError, file: &Path, heartbeat: &Heartbeat) {
        heartbeat.beat();
        self.report(&problem, heartbeat);
        if !Ballast::beside(file).give_up() {
            self.pause().await;
        }
    }

    /// Ends the problem: the disk works. Logs it if anything was reported.
    pub(super) fn over(&self, file: &Path, heartbeat: &Heartbeat) {
        if self.reported.is_some() {
            heartbeat.set_health(Health::Well);
            info!(journal = %file.display(), "the journal can be written again");
        }
    }
}
