//! `twinboard backup`: a copy of the adjudicator's database or of a hub's journal, made while it is written.

use std::path::PathBuf;

use adjudicator::{Config, store};
use anyhow::{Result, bail};
use hub::journal::Reader;

use crate::{shell, stdout};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The adjudicator's configuration; without it, its defaults.
    #[arg(long, conflicts_with = "journal")]
    config: Option<PathBuf>,
    /// A hub's journal to be copied in place of the adjudicator's database.
    #[arg(long)]
    journal: Option<PathBuf>,
    /// The copy; it must not be there yet.
    to: PathBuf,
}

/// Makes the copy and says what it holds.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let to = arguments.to.clone();
    if let Some(journal) = arguments.journal.clone() {
        if to.exists() {
            bail!("{} is there already: choose another name, or remove it", to.display());
        }
        return shell::run(|_| async move {
            Reader::open(&journal).await?.copy_to(&to).await?;
            let copy = Reader::open(&to).await?.survey().await?;
            let rows: u64 = copy.boots.iter().map(|boot| boot.rows).sum();
            let matches = copy.matches.len();
            stdout::print_line(format_args!(
                "wrote {}: the journal of {}, {matches} matches, {rows} rows",
                to.display(),
                copy.hub_id
            ))
        });
    }
    let config = match &arguments.config {
        Some(path) => Config::load(path)?,
        None => Config::default(),
    };
    shell::run(|_| async move {
        let copied = store::back_up(&config.store.path, &to).await?;
        stdout::print_line(format_args!(
            "wrote {}: {} inputs, {} bytes",
            to.display(),
            copied.content,
            copied.bytes
        ))
    })
}
