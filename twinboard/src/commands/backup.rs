//! `twinboard backup`: a copy of the adjudicator's database or of a hub's journal, made while it is written. It is a SQLite file, also where
//! the database is on a server.

use std::path::PathBuf;

use adjudicator::{Config, log::copy};
use anyhow::Result;
use hub::journal;

use crate::{shell, stdout};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The adjudicator's configuration; without it, its defaults.
    #[arg(long, conflicts_with = "journal")]
    config: Option<PathBuf>,
    /// A hub's journal to be copied in place of the adjudicator's database.
    #[arg(long)]
    journal: Option<PathBuf>,
    /// The copy; it must not be there yet. Its owner alone can read it.
    to: PathBuf,
}

/// Makes the copy and says what it holds.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let to = arguments.to.clone();
    if let Some(file) = arguments.journal.clone() {
        return shell::run(|_| async move {
            let copied = journal::back_up(&file, &to).await?.content;
            stdout::print_line(format_args!(
                "wrote {}: the journal of {}, {} matches, {} rows",
                to.display(),
                copied.hub_id,
                copied.matches,
                copied.rows
            ))
        });
    }
    let config = match &arguments.config {
        Some(path) => Config::load(path)?,
        None => Config::default(),
    };
    shell::run(|_| async move {
        let inputs = copy::back_up(&config.log_place()?, &to).await?;
        let bytes = std::fs::metadata(&to)?.len();
        stdout::print_line(format_args!("wrote {}: {inputs} inputs, {bytes} bytes", to.display()))
    })
}
