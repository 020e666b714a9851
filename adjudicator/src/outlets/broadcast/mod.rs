//! Sends what is public to other sites: rounds of chess to a broadcast of Lichess, pages and rounds as files to a web host.
//!
//! The public feed is sent, behind the public's delay ([`feed`]). A text is sent again when it has changed. While
//! a destination does not answer, only the newest state waits, so it has everything once it answers again. A refusal is
//! on the directors' list until the destination accepts.

mod host;
mod mirror;
mod public_pages;
mod push;
mod sftp;

use std::{sync::Arc, time::Duration};

use tokio::{
    task,
    time::{Instant, MissedTickBehavior, interval},
};
use tokio_util::sync::CancellationToken;

pub(crate) use self::host::HostError;
use self::{
    mirror::{Mirror, MirrorFile},
    public_pages::{PageFiles, PublicPages},
    push::Push,
};
use crate::{
    config::Config,
    front::audience::Audience,
    machine::broadcast_notices::BroadcastNotices,
    owner::follower::Stage,
    time::now_ms,
    views::{read_view::Sight, records::feed},
};

/// Interval between two checks for changes.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Pause after a refusal, doubled each time, and the longest.
const PAUSE: Duration = Duration::from_secs(2);
const PAUSE_MAX: Duration = Duration::from_secs(60);
/// Pause where nobody answers: a line that was cut is used again within seconds, however long the cut was.
const AWAY_PAUSE: Duration = Duration::from_secs(3);
/// Time after which everything public is written again, whatever is known to be unchanged.
const WRITE_ALL_EVERY: Duration = Duration::from_secs(600);

/// Result of sending the changes that one check found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// The destination has every text, but for single ones that it refuses.
    AllSent,
    /// The destination refuses what is sent.
    Refused,
    /// The destination does not answer.
    Away,
    /// The destination asks for a pause.
    TooOften,
}

impl Outcome {
    /// Time until the next attempt, and the pause after a further refusal; none: nothing waits.
    fn pause(self, pause: &mut Duration) -> Option<Duration> {
        match self {
            Outcome::AllSent => {
                *pause = PAUSE;
                None
            }
            Outcome::Away => Some(AWAY_PAUSE),
            Outcome::Refused => {
                let now = *pause;
                *pause = (now * 2).min(PAUSE_MAX);
                Some(now)
            }
            Outcome::TooOften => Some(PAUSE_MAX),
        }
    }
}

/// A place outside.
#[derive(Debug)]
pub(crate) enum Destination {
    Push(Box<Push>),
    Mirror(Box<Mirror>),
}

impl Destination {
    /// The destinations that the configuration names.
    ///
    /// # Errors
    ///
    /// A text is no address, or its token cannot be read.
    pub(crate) fn all(config: &Config) -> Result<Vec<Destination>, HostError> {
        let pushes =
            config.pushes.iter().map(|push| Ok(Destination::Push(Box::new(Push::new(push)?))));
        let mirrors = config
            .mirrors
            .iter()
            .map(|mirror| Ok(Destination::Mirror(Box::new(Mirror::new(config, mirror)?))));
        pushes.chain(mirrors).collect()
    }

    /// Whether it gets the pages.
    fn has_pages(&self) -> bool {
        matches!(self, Destination::Mirror(mirror) if mirror.with_pages)
    }

    /// Whether something is to be sent although nothing has changed.
    fn is_due(&self) -> bool {
        matches!(self, Destination::Mirror(mirror) if mirror.is_due())
    }
}

/// The hall, as a task sees it.
struct HallSource {
    config: Arc<Config>,
    public: Arc<Audience>,
    floor: Arc<Stage>,
    notices: BroadcastNotices,
}

/// Sends changes to one destination until shutdown.
pub(crate) async fn run(
    mut destination: Destination,
    config: Arc<Config>,
    (public, floor): (Arc<Audience>, Arc<Stage>),
    notices: BroadcastNotices,
    shutdown: CancellationToken,
) {
    let source = HallSource { config, public, floor, notices };
    let mut look = interval(LOOK_EVERY);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut seen, mut pause, mut paused_until) = (None, PAUSE, None);
    let mut pages = PublicPages::default();
    let mut written_at = Instant::now();
    // Whether nobody answered the last time: then one small file is tried before everything is written.
    let mut is_away = false;
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            _ = look.tick() => {}
        }
        if paused_until.is_some_and(|until| Instant::now() < until) {
            continue;
        }
        let (sight, now_ms) = (source.public.look(), now_ms());
        // A reader of pages has to see that the hall is there.
        let beat = if destination.has_pages() { now_ms / public_pages::BEAT_MS } else { 0 };
        let (cursor, is_due) = (sight.cursor(), destination.is_due());
        let known = seen.take().filter(|_| !is_due);
        let is_same = known.as_ref().is_some_and(|(of, _)| *of == cursor);
        let is_beat = is_same && known.as_ref().is_some_and(|(_, of)| *of != beat);
        if is_same && !is_beat {
            seen = known;
            continue;
        }
        if is_due || written_at.elapsed() >= WRITE_ALL_EVERY {
            pages.forget();
            written_at = Instant::now();
        }
        let is_probe = is_away && destination.has_pages();
        let sent = tokio::select! {
            () = shutdown.cancelled() => return,
            sent = source.send(&mut destination, &mut pages, sight, now_ms, is_beat || is_probe) => sent,
        };
        match sent {
            Some(Outcome::AllSent) if is_probe => {}
            Some(Outcome::AllSent) => seen = Some((cursor, beat)),
            _ => pages.forget(),
        }
        is_away = sent == Some(Outcome::Away);
        paused_until = sent.and_then(|it| Some(Instant::now() + it.pause(&mut pause)?));
    }
}

impl HallSource {
    /// Writes what may have changed, and sends it. None: nothing could be written.
    async fn send(
        &self,
        destination: &mut Destination,
        pages: &mut PublicPages,
        sight: Sight,
        now_ms: u64,
        is_beat: bool,
    ) -> Option<Outcome> {
        let (config, hall, has_pages) =
            (self.config.clone(), self.floor.hall(), destination.has_pages());
        let mut writer = std::mem::take(pages);
        // Every game may be written: that is no work for the threads that serve the hall.
        let written = task::spawn_blocking(move || {
            if is_beat {
                return (writer, Vec::new(), PublicPages::beat(&config, &sight, now_ms), None);
            }
            let looked = has_pages.then(|| writer.look(&config, &hall, &sight, now_ms));
            let PageFiles { shown, files } = looked.unwrap_or_default();
            (writer, feed::rounds(&config, &sight), files, Some(shown))
        });
        let (writer, rounds, mut files, mut shown) = written.await.ok()?;
        *pages = writer;
        Some(match destination {
            Destination::Push(push) => push.send(&rounds, &self.notices).await,
            Destination::Mirror(mirror) => {
                for file in rounds.iter().flat_map(of_round) {
                    shown.as_mut().map(|shown| shown.insert(file.path.clone()));
                    files.push(file);
                }
                mirror.send(files, shown.as_ref(), &self.notices).await
            }
        })
    }
}

/// The files of a round of the feed.
fn of_round(round: &feed::RoundFeed) -> Vec<MirrorFile> {
    let files = round.files().into_iter().map(|file| {
        let media = match file.name.ends_with(".json") {
            true => "application/json",
            false => "application/x-chess-pgn",
        };
        MirrorFile::new(format!("{}/{}", round.path, file.name), media, file.text.into_bytes())
    });
    files.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_line_is_tried_every_few_seconds_however_long_the_cut_is() {
        let mut pause = PAUSE;
        let tries = std::iter::repeat_with(|| Outcome::Away.pause(&mut pause));
        assert!(tries.take(200).flatten().all(|it| it <= Duration::from_secs(3)));
        let refusals: Vec<_> = std::iter::repeat_with(|| Outcome::Refused.pause(&mut pause))
            .take(7)
            .flatten()
            .collect();
        assert_eq!((refusals[0], refusals[6]), (PAUSE, PAUSE_MAX), "a refusal is no cut");
        assert_eq!((Outcome::AllSent.pause(&mut pause), pause), (None, PAUSE));
    }
}
