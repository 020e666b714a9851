//! `twinboard hub`: the hub of one or more tables, until a signal stops it.

use std::path::PathBuf;

use anyhow::{Context, Result};
use hub::{Config, HubClock};

use crate::{diagnostics, shell};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Configuration: tables, nodes, broker, journal.
    #[arg(long, default_value = "hub.toml")]
    config: PathBuf,
}

/// Runs until a signal asks it to stop.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    diagnostics::start("info");
    let config = Config::load(&arguments.config).context("the hub did not start")?;
    shell::run(|shutdown| async move {
        hub::run(config, HubClock::real(), shutdown).await.context("the hub stopped")
    })
}
