//! `twinboard hub`: the hub of one or more tables, until a signal stops it.

mod update;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use hub::{Config, HubClock};

use crate::{diagnostics, shell};

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    task: Option<HubTask>,
    /// Configuration: tables, nodes, broker, journal.
    #[arg(long, default_value = "hub.toml")]
    config: PathBuf,
}

#[derive(clap::Subcommand)]
enum HubTask {
    /// Update the firmware of all nodes over their lines, with the hub stopped; a node in play refuses.
    Update(update::Arguments),
}

/// Runs until a signal asks it to stop.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    if let Some(HubTask::Update(update)) = &arguments.task {
        return update::run(update);
    }
    diagnostics::start("info");
    let config = Config::load(&arguments.config).context("the hub did not start")?;
    shell::run(|shutdown| async move {
        hub::run(config, HubClock::real(), shutdown).await.context("the hub stopped")
    })?;
    Ok(ExitCode::SUCCESS)
}
