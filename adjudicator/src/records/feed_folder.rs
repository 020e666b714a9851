//! A folder for each round of each section, kept current while games are played: what Lichess's Broadcaster watches.
//!
//! A file is replaced as a whole, so nobody reads half a game. The games of a round stay as they are when the next round is played.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use tokio::{
    task,
    time::{Instant, MissedTickBehavior, interval},
};
use tokio_util::sync::CancellationToken;

use super::{FolderError, feed, folder::open};
use crate::{audience::Audience, config::Config};

/// Interval at which news are looked for.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Minimum time between two reports that nothing can be written.
const REPORT_EVERY: Duration = Duration::from_secs(60);
/// Ending of a file that is being written.
const UNFINISHED: &str = "part";

/// A folder with the games of each round that can be written to.
#[derive(Debug)]
pub struct FeedFolder {
    path: PathBuf,
    /// The content of each file, by its path below the folder.
    written: HashMap<String, String>,
    reported: Option<Instant>,
}

impl FeedFolder {
    /// Makes the folder, if its own is there, and sees that files can be written in it.
    ///
    /// # Errors
    ///
    /// They cannot.
    pub fn open(path: &Path) -> Result<FeedFolder, FolderError> {
        open("records.feed_folder", path)?;
        Ok(FeedFolder { path: path.to_owned(), written: HashMap::new(), reported: None })
    }

    /// Keeps it current until shutdown.
    pub async fn keep(
        mut self,
        config: Arc<Config>,
        public: Arc<Audience>,
        shutdown: CancellationToken,
    ) {
        let mut look = interval(LOOK_EVERY);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut seen = None;
        loop {
            tokio::select! {
                () = shutdown.cancelled() => return,
                _ = look.tick() => {}
            }
            let sight = public.look();
            let last = sight.cursor();
            if seen.as_ref() == Some(&last) {
                continue;
            }
            // Every game may be written: that is no work for the threads that serve the hall.
            let config = config.clone();
            let rounds = task::spawn_blocking(move || feed::rounds(&config, &sight)).await;
            let Ok(rounds) = rounds else { continue };
            seen = Some(last);
            let changed = self.changed(&rounds);
            for (path, text) in changed {
                if !self.write(&path, text).await {
                    // The next look tries again, although nothing has changed.
                    seen = None;
                }
            }
        }
    }

    /// The files that are not as they should be.
    fn changed(&self, rounds: &[feed::RoundFeed]) -> Vec<(String, String)> {
        let files = rounds.iter().flat_map(|round| {
            let at = |file: feed::FeedFile| (format!("{}/{}", round.path, file.name), file.text);
            round.files().into_iter().map(at)
        });
        files.filter(|(path, text)| self.written.get(path) != Some(text)).collect()
    }

    async fn write(&mut self, path: &str, text: String) -> bool {
        let whole = self.path.join(path);
        let part = self.path.join(format!("{path}.{UNFINISHED}"));
        let written = async {
            if let Some(folder) = whole.parent() {
                tokio::fs::create_dir_all(folder).await?;
            }
            tokio::fs::write(&part, &text).await?;
            tokio::fs::rename(&part, &whole).await
        };
        match written.await {
            Ok(()) => {
                self.written.insert(path.to_owned(), text);
                true
            }
            Err(error) => {
                if self.reported.is_none_or(|at| at.elapsed() >= REPORT_EVERY) {
                    tracing::warn!(file = %whole.display(), %error, "a round's games cannot be written; it is tried again");
                    self.reported = Some(Instant::now());
                }
                false
            }
        }
    }
}
