//! `twinboard hub`: the hub of one or more tables, until a signal stops it.

mod update;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

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
    /// Seconds of hub time in a second, for simulated nodes that play faster than people.
    #[arg(long, hide = true, default_value_t = 1.0)]
    clock_rate: f64,
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
    let clock = HubClock::accelerated(arguments.clock_rate, SystemTime::now());
    shell::run(|shutdown| async move {
        hub::run(config, clock, shutdown).await.context("the hub stopped")
    })?;
    Ok(ExitCode::SUCCESS)
}
