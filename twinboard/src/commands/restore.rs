//! `twinboard restore`: a copy in the place of the adjudicator's database.

use std::path::PathBuf;

use adjudicator::{Config, stage, store};
use anyhow::Result;

use crate::{shell, stdout};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The adjudicator's configuration; without it, its defaults.
    #[arg(long)]
    config: Option<PathBuf>,
    /// The copy that `twinboard backup` made.
    from: PathBuf,
}

/// Puts the copy in place and says what became of the database that was there.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let config = match &arguments.config {
        Some(path) => Config::load(path)?,
        None => Config::default(),
    };
    let from = arguments.from.clone();
    shell::run(|_| async move {
        let path = &config.store.path;
        let (copied, kept) = store::restore(path, &from, stage::now_ms()).await?;
        stdout::print_line(format_args!(
            "{} is the copy {} now, with {} inputs",
            path.display(),
            from.display(),
            copied.content
        ))?;
        if let Some(kept) = kept {
            stdout::print_line(format_args!("what was there is kept as {}", kept.display()))?;
        }
        stdout::print_line(
            "start the adjudicator: the hubs give again what the copy lacks and they still have",
        )
    })
}
