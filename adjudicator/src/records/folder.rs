//! A folder of PGN files that is kept current while games are played, a file a game: programs that broadcast chess look into such a folder.
//!
//! What stands there is what everybody may see, behind the public's delay. A file is replaced as a whole, so nobody reads half a game.

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

use super::{Format, Reader, write_match};
use crate::{
    audience::{Audience, Shown, Sight},
    config::Config,
};

/// How often it is looked for something new.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How often it is said that nothing can be written.
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

/// The games of chess that have begun, by their ids.
fn games(config: &Config, sight: &Sight) -> Vec<(String, String)> {
    let begun = sight.games().into_iter().filter(|Shown { game, .. }| {
        game.game == rules::Game::Chess && !game.referee().timeline().plies().is_empty()
    });
    let record = |shown| write_match(config, shown, Format::Pgn, Reader::Public);
    begun.map(|shown| (shown.game.id.clone(), record(shown))).collect()
}

/// Makes a folder that a key of the configuration names, if its own is there, and sees that files can be written in it.
pub(super) fn open(key: &'static str, path: &Path) -> Result<(), FolderError> {
    let refuse = |reason| FolderError { key, path: path.to_owned(), reason };
    match std::fs::create_dir(path) {
        Err(reason) if reason.kind() != std::io::ErrorKind::AlreadyExists => {
            return Err(refuse(reason));
        }
        _ => {}
    }
    let probe = path.join(format!("probe.{UNFINISHED}"));
    std::fs::write(&probe, b"").map_err(refuse)?;
    std::fs::remove_file(&probe).map_err(refuse)
}

/// A folder that can be written to.
#[derive(Debug)]
pub struct PgnFolder {
    path: PathBuf,
    /// What stands in each game's file.
    written: HashMap<String, String>,
    reported: Option<Instant>,
}

impl PgnFolder {
    /// Makes the folder, if its own is there, and sees that files can be written in it.
    ///
    /// # Errors
    ///
    /// They cannot.
    pub fn open(path: &Path) -> Result<PgnFolder, FolderError> {
        open("records.pgn_folder", path)?;
        Ok(PgnFolder { path: path.to_owned(), written: HashMap::new(), reported: None })
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
            if seen.replace(last.clone()) == Some(last) {
                continue;
            }
            // Every game may be written: that is no work for the threads that serve the hall.
            let config = config.clone();
            let Ok(all) = task::spawn_blocking(move || games(&config, &sight)).await else {
                continue;
            };
            for (id, text) in all {
                if self.written.get(&id) != Some(&text) {
                    self.write(&id, text).await;
                }
            }
        }
    }

    async fn write(&mut self, id: &str, text: String) {
        // Ids hold letters, digits and - _ . : alone; a colon is no part of a name everywhere.
        let name = id.replace(':', "-");
        let (part, whole) = (format!("{name}.{UNFINISHED}"), format!("{name}.pgn"));
        let (part, whole) = (self.path.join(part), self.path.join(whole));
        let written = async {
            tokio::fs::write(&part, &text).await?;
            tokio::fs::rename(&part, &whole).await
        };
        match written.await {
            Ok(()) => {
                self.written.insert(id.to_owned(), text);
            }
            Err(error) => {
                if self.reported.is_none_or(|at| at.elapsed() >= REPORT_EVERY) {
                    tracing::warn!(file = %whole.display(), %error, "a game's PGN cannot be written; it is tried again");
                    self.reported = Some(Instant::now());
                }
            }
        }
    }
}
