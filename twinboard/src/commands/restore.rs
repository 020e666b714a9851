//! `twinboard restore`: a copy in the place of the adjudicator's database or of a hub's journal.

use std::path::{Path, PathBuf};

use adjudicator::{Config, log::sqlite, time::now_ms};
use anyhow::{Result, bail};
use hub::journal;

use crate::{shell, stdout};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The adjudicator's configuration; without it, its defaults.
    #[arg(long, conflicts_with = "journal")]
    config: Option<PathBuf>,
    /// A hub's journal, in whose place the copy is to be, and not in that of the adjudicator's database.
    #[arg(long)]
    journal: Option<PathBuf>,
    /// The copy that `twinboard backup` made.
    from: PathBuf,
}

/// Restores the copy, and prints the name of the replaced database.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let from = arguments.from.clone();
    if let Some(file) = arguments.journal.clone() {
        return shell::run(|_| async move {
            let (copied, kept) = journal::restore(&file, &from, now_ms()).await?;
            let copied = copied.content;
            let holds = format!(
                "the journal of {}, {} matches, {} rows",
                copied.hub_id, copied.matches, copied.rows
            );
            print_restored(&file, &from, &holds, kept.as_deref())?;
            stdout::print_line(
                "start the hub: it sends again what the copy does not know to be with the adjudicator",
            )
        });
    }
    let config = match &arguments.config {
        Some(path) => Config::load(path)?,
        None => Config::default(),
    };
    shell::run(|_| async move {
        if let Some(url) = &config.store.url {
            bail!(
                "{url} is on a server, where nothing is replaced. Make an empty database, fill it with `twinboard store copy {} URL`, and name \
                 it in store.url; the old one stays as it is",
                from.display()
            );
        }
        let path = &config.store.path;
        let (copied, kept) = sqlite::restore(path, &from, now_ms()).await?;
        print_restored(path, &from, &format!("{} inputs", copied.content), kept.as_deref())?;
        stdout::print_line(
            "start the adjudicator: the hubs give again what the copy lacks and they still have",
        )
    })
}

fn print_restored(path: &Path, from: &Path, holds: &str, kept: Option<&Path>) -> Result<()> {
    stdout::print_line(format_args!(
        "{} is the copy {} now, with {holds}",
        path.display(),
        from.display()
    ))?;
    match kept {
        Some(kept) => {
            stdout::print_line(format_args!("the replaced database is kept as {}", kept.display()))
        }
        None => Ok(()),
    }
}
