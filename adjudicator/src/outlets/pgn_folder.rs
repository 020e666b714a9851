//! Folders of records that are kept current while games are played: programs that broadcast chess read such folders.
//!
//! A folder holds public games, behind the public's delay: a PGN file for each game, or a folder for each round of each section,
//! as Lichess's Broadcaster reads it. A file is replaced as a whole, so no program reads half a game.

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

use crate::{
    config::Config,
    front::audience::Audience,
    views::{
        read_view::{Shown, Sight},
        records::{Format, KeptRecords, feed},
    },
};

/// Interval between two checks for changes.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Minimum time between two reports that nothing can be written.
const REPORT_EVERY: Duration = Duration::from_secs(60);
/// Ending of a file that is being written.
const UNFINISHED: &str = "part";

/// The folder cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{key} {path}: {reason}; name a folder into which this program may write, as /var/lib/twinboard/pgn with systemd", path = path.display())]
pub struct FolderError {
    key: &'static str,
    path: PathBuf,
    reason: std::io::Error,
}

/// Records by their paths below a folder.
type RecordFiles = Vec<(String, String)>;

/// Writes the records of a folder.
type WriteRecords = fn(&Config, &Sight, &KeptRecords) -> RecordFiles;

/// The games of chess that have begun, a file a game.
fn games(config: &Config, sight: &Sight, kept: &KeptRecords) -> RecordFiles {
    let begun = sight.games().into_iter().filter(|Shown { game, .. }| {
        game.game == rules::Game::Chess && !game.referee().timeline().plies().is_empty()
    });
    // Ids hold letters, digits and - _ . : alone; not every file system allows a colon.
    let path = |shown: &Shown<'_>| format!("{}.pgn", shown.game.id.replace(':', "-"));
    let record = |shown| kept.one(config, shown, Format::Pgn);
    begun.map(|shown| (path(&shown), record(shown))).collect()
}

/// The games of chess, a folder a round. A round's folder stays as it is when the next round is played.
fn rounds(config: &Config, sight: &Sight, _: &KeptRecords) -> RecordFiles {
    let rounds = feed::rounds(config, sight);
    let files = rounds.iter().flat_map(|round| {
        let at = |file: feed::FeedFile| (format!("{}/{}", round.path, file.name), file.text);
        round.files().into_iter().map(at)
    });
    files.collect()
}

/// A folder of records that can be written to.
#[derive(Debug)]
pub(crate) struct RecordFolder {
    path: PathBuf,
    records: WriteRecords,
    /// Games that are over.
    kept: Arc<KeptRecords>,
    /// The content of each file, by its path below the folder.
    written: HashMap<String, String>,
    reported: Option<Instant>,
}

impl RecordFolder {
    /// Opens the folders that the configuration names. Each is made if its parent exists, and must be writable.
    ///
    /// # Errors
    ///
    /// A folder is not writable.
    pub(crate) fn open_all(config: &Config) -> Result<Vec<RecordFolder>, FolderError> {
        let named = &config.records;
        let folders = [
            ("records.pgn_folder", &named.pgn_folder, games as WriteRecords),
            ("records.feed_folder", &named.feed_folder, rounds),
        ];
        let folders = folders.into_iter().filter_map(|(key, path, records)| {
            path.as_deref().map(|path| RecordFolder::open(key, path, records))
        });
        folders.collect()
    }

    fn open(
        key: &'static str,
        path: &Path,
        records: WriteRecords,
    ) -> Result<RecordFolder, FolderError> {
        let refuse = |reason| FolderError { key, path: path.to_owned(), reason };
        match std::fs::create_dir(path) {
            Err(reason) if reason.kind() != std::io::ErrorKind::AlreadyExists => {
                return Err(refuse(reason));
            }
            _ => {}
        }
        let probe = path.join(format!("probe.{UNFINISHED}"));
        std::fs::write(&probe, b"").map_err(refuse)?;
        std::fs::remove_file(&probe).map_err(refuse)?;
        let (path, written) = (path.to_owned(), HashMap::new());
        Ok(RecordFolder { path, records, kept: Arc::default(), written, reported: None })
    }

    /// Keeps the folder current until shutdown.
    pub(crate) async fn keep(
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
            let (config, records, kept) = (config.clone(), self.records, self.kept.clone());
            let all = task::spawn_blocking(move || records(&config, &sight, &kept)).await;
            let Ok(all) = all else { continue };
            seen = Some(last);
            for (path, text) in all {
                if self.written.get(&path) != Some(&text) && !self.write(&path, text).await {
                    // The next check tries again, although nothing has changed.
                    seen = None;
                }
            }
        }
    }

    /// Writes a record; false when that fails.
    async fn write(&mut self, path: &str, text: String) -> bool {
        let whole = self.path.join(path);
        let part = self.path.join(format!("{path}.{UNFINISHED}"));
        let written = async {
            if let Some(folder) = whole.parent().filter(|folder| *folder != self.path) {
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
                    tracing::warn!(file = %whole.display(), %error, "a record of games cannot be written; it is tried again");
                    self.reported = Some(Instant::now());
                }
                false
            }
        }
    }
}
