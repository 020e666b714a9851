//! Writes the records of an event from its database, also beside a running adjudicator.

use std::sync::Arc;

use crate::{
    config::{Config, ConfigError},
    front::audience::Audience,
    log::{Place, Store, StoreError},
    owner::follower::Stage,
    views::records::{self, Format, Reader, Which},
};

/// Reason why nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A value in the configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// BPGN has no place for games of chess.
    #[error(
        "the event has no match of bughouse: write its {chess} games of chess with --format pgn"
    )]
    NoBughouse {
        /// Number of games of chess.
        chess: usize,
    },
    /// The matches do not fit into an archive.
    #[error("the records cannot be put into an archive: {0}; write one section or round at a time")]
    Archive(#[from] zip::result::ZipError),
    /// Nothing has been played.
    #[error("the database {place} holds no match yet")]
    Empty {
        /// The database.
        place: Place,
    },
}

/// All matches of the event's database that have begun, with all that the records hold. Names
/// only where the organiser opted in.
///
/// # Errors
///
/// The database cannot be read or holds no match that the format can express.
pub async fn export(config: &Config, which: &Which, format: Format) -> Result<String, ExportError> {
    let event = played(config).await?;
    let sight = event.look();
    let games = sight.games();
    let chess = games.iter().filter(|shown| shown.game.game == rules::Game::Chess).count();
    let is_bpgn = matches!(format, Format::Bpgn | Format::PortableBpgn);
    if is_bpgn && chess == games.len() {
        return Err(ExportError::NoBughouse { chess });
    }
    if is_bpgn && chess > 0 {
        tracing::warn!("{chess} games of chess are left out of BPGN: write them with --format pgn");
    }
    Ok(records::write(config, &games, which, format, Reader::Organiser))
}

/// The same matches in every format, as a zip.
///
/// # Errors
///
/// The database cannot be read or holds no match, or the archive grows too large.
pub async fn export_archive(config: &Config, which: &Which) -> Result<Vec<u8>, ExportError> {
    let event = played(config).await?;
    Ok(records::archive(config, &event.look().games(), which, Reader::Organiser)?)
}

/// The event of the database, with at least one match.
async fn played(config: &Config) -> Result<Arc<Audience>, ExportError> {
    config.check()?;
    let place = config.log_place()?;
    let store = Store::open_existing(&place).await?;
    let stage = Stage::new(config);
    stage.catch_up(&store).await?;
    store.close().await;
    if stage.hall().games().is_empty() {
        return Err(ExportError::Empty { place });
    }
    Ok(Audience::of_stage(&stage))
}
