//! Sends what is public to other sites: rounds of chess to a broadcast of Lichess, pages and rounds as files to a web host.
//!
//! The public feed is sent, behind the public's delay ([`feed`]). A text is sent again when it has changed. While
//! a destination does not answer, only the newest state waits, so it has everything once it answers again. A refusal is
//! on the directors' list until the destination accepts.

mod destination;
mod public_pages;

use std::{sync::Arc, time::Duration};

use tokio::{
    task,
    time::{Instant, MissedTickBehavior, interval},
};
use tokio_util::sync::CancellationToken;

pub(crate) use self::destination::Destination;
use self::destination::Outcome;
use crate::{
    config::Config, front::audience::Audience, machine::broadcast_notices::BroadcastNotices,
    owner::follower::Stage, time::now_ms, views::records::feed,
};

/// Interval between two checks for changes.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// First pause after a failure, doubled each time, and the longest.
const PAUSE: Duration = Duration::from_secs(2);
const PAUSE_MAX: Duration = Duration::from_secs(60);

/// Sends changes to one destination until shutdown.
pub(crate) async fn run(
    mut destination: Destination,
    config: Arc<Config>,
    (public, floor): (Arc<Audience>, Arc<Stage>),
    notices: BroadcastNotices,
    shutdown: CancellationToken,
) {
    let mut look = interval(LOOK_EVERY);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut seen, mut pause, mut paused_until) = (None, PAUSE, None);
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            _ = look.tick() => {}
        }
        if paused_until.is_some_and(|until| Instant::now() < until) {
            continue;
        }
        let sight = public.look();
        let now_ms = now_ms();
        let has_pages = destination.has_pages();
        // A reader of pages has to see that the hall is there.
        let beat = if has_pages { now_ms / public_pages::BEAT_MS } else { 0 };
        let last = (sight.cursor(), beat);
        if seen.as_ref() == Some(&last) {
            continue;
        }
        // Every game may be written: that is no work for the threads that serve the hall.
        let (of, hall) = (config.clone(), floor.hall());
        let written = task::spawn_blocking(move || {
            let pages = has_pages.then(|| public_pages::files(&of, &hall, &sight, now_ms));
            (feed::rounds(&of, &sight), pages.unwrap_or_default())
        });
        let Ok((rounds, pages)) = written.await else {
            continue;
        };
        let sent = tokio::select! {
            () = shutdown.cancelled() => return,
            sent = destination.send(&rounds, pages, &notices) => sent,
        };
        match sent {
            Outcome::AllSent => (seen, pause, paused_until) = (Some(last), PAUSE, None),
            Outcome::Failed => {
                (seen, paused_until) = (None, Some(Instant::now() + pause));
                pause = (pause * 2).min(PAUSE_MAX);
            }
            Outcome::TooOften => {
                (seen, paused_until) = (None, Some(Instant::now() + PAUSE_MAX));
            }
        }
    }
}
