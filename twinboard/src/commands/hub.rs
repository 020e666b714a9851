//! `twinboard hub`: the hub of one or more tables, until a signal stops it.

use std::{path::PathBuf, time::SystemTime};

use anyhow::{Context, Result};
use hub::{Config, HubClock};

use crate::{diagnostics, shell};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Configuration: tables, nodes, broker, journal.
    #[arg(long, default_value = "hub.toml")]
    config: PathBuf,
    /// Seconds of hub time in a second, for simulated nodes that play faster than people.
    #[arg(long, hide = true, default_value_t = 1.0)]
    clock_rate: f64,
}

/// Runs until a signal asks it to stop.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    diagnostics::start("info");
    let config = Config::load(&arguments.config).context("the hub did not start")?;
    let clock = HubClock::accelerated(arguments.clock_rate, SystemTime::now());
    shell::run(|shutdown| async move {
        hub::run(config, clock, shutdown).await.context("the hub stopped")
    })
}
