//! `twinboard export`: the records of an event, from the adjudicator's database.

use std::path::PathBuf;

use adjudicator::{
    config::Config,
    views::records::{Format, Which},
};
use anyhow::{Context as _, Result, bail};
use clap::ValueEnum;

use crate::{shell, stdout};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Name of the event, as its configuration says; a check that the right database is read.
    #[arg(long)]
    event: Option<String>,
    /// Format to write.
    #[arg(long, value_enum, default_value_t = RecordFormat::Bpgn)]
    format: RecordFormat,
    /// Matches of this section alone.
    #[arg(long, value_name = "NAME")]
    section: Option<String>,
    /// Matches at this table alone.
    #[arg(long, value_name = "NAME")]
    table: Option<String>,
    /// Matches of this team alone, or of this player where players meet; as it is called in the standings.
    #[arg(long, value_name = "NAME")]
    team: Option<String>,
    /// Matches of this round alone.
    #[arg(long)]
    round: Option<u8>,
    /// Write to this file instead of stdout; a zip is always written to a file.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The adjudicator's configuration; without it, its defaults.
    #[arg(long)]
    config: Option<PathBuf>,
}

/// The formats of a record.
#[derive(Clone, Copy, ValueEnum)]
enum RecordFormat {
    /// Both boards in one game each match, with clock times.
    Bpgn,
    /// One game a board.
    Pgn,
    /// All details, with probabilities.
    Json,
    /// One line a ply.
    Csv,
    /// BPGN that other programs open: a further game begins after an illegal ply.
    PortableBpgn,
    /// PGN that other programs open: so, and each board of bughouse as crazyhouse.
    PortablePgn,
    /// All of these, together and match by match, in one archive.
    Zip,
}

impl RecordFormat {
    /// The adjudicator's format; `None` for the archive.
    const fn format(self) -> Option<Format> {
        Some(match self {
            RecordFormat::Bpgn => Format::Bpgn,
            RecordFormat::Pgn => Format::Pgn,
            RecordFormat::Json => Format::Json,
            RecordFormat::Csv => Format::Csv,
            RecordFormat::PortableBpgn => Format::PortableBpgn,
            RecordFormat::PortablePgn => Format::PortablePgn,
            RecordFormat::Zip => return None,
        })
    }
}

/// Prints the records to stdout, or writes them to a file.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let config = match &arguments.config {
        Some(path) => Config::load(path)?,
        None => Config::default(),
    };
    if let Some(wanted) = arguments.event.as_ref().filter(|wanted| **wanted != config.event.name) {
        bail!(
            "the configuration belongs to the event {:?}, not to {wanted:?}: give its file with --config",
            config.event.name
        );
    }
    let format = arguments.format.format();
    if format.is_none() && arguments.out.is_none() {
        bail!("a zip is no text: say with --out FILE where it is to be written");
    }
    let which = Which {
        section: arguments.section.clone(),
        table: arguments.table.clone(),
        team: arguments.team.clone(),
        round: arguments.round,
        confirmed: false,
    };
    shell::run(|_| async move {
        let bytes = match format {
            Some(format) => adjudicator::export(&config, &which, format).await?.into_bytes(),
            None => adjudicator::export_archive(&config, &which).await?,
        };
        match &arguments.out {
            Some(path) => std::fs::write(path, bytes)
                .with_context(|| format!("cannot write {}", path.display())),
            None => stdout::print(String::from_utf8_lossy(&bytes)),
        }
    })
}
