//! `twinboard hub`: the hub of one or more tables, until a signal stops it.

mod update;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

use anyhow::{Context, Result};
use hub::{
    Config, HubClock,
    join::{Joining, join},
};

use tokio_util::sync::CancellationToken;

use crate::{diagnostics, shell};

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    task: Option<HubTask>,
    /// Configuration: tables, nodes, broker, journal.
    #[arg(long, default_value = "hub.toml")]
    config: PathBuf,
    /// Find the adjudicator and ask it to accept this hub, where the configuration names none or there is none: the log shows the code that the
    /// chief director types.
    #[arg(long)]
    join: bool,
    /// Address of the adjudicator's pages, such as 192.168.1.10:8080, where it is not found by itself. It is needed once.
    #[arg(long, value_name = "HOST:PORT", requires = "join")]
    adjudicator: Option<String>,
    /// Folder of the hub's own files: journal, key, places of nodes. By default systemd's folder for state, or this one.
    #[arg(long, value_name = "DIR", requires = "join")]
    state: Option<PathBuf>,
    /// Pattern of the serial devices that may be nodes, where there is no configuration.
    #[arg(long, value_name = "PATTERN", requires = "join")]
    ports: Vec<String>,
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
    let config = match arguments.join {
        true => None,
        false => Some(Config::load(&arguments.config).context("the hub did not start")?),
    };
    let clock = HubClock::accelerated(arguments.clock_rate, SystemTime::now());
    shell::run(|shutdown| async move {
        let config = match config {
            Some(config) => Some(config),
            None => joined(arguments, &shutdown).await?,
        };
        match config {
            Some(config) => hub::run(config, clock, shutdown).await.context("the hub stopped"),
            None => Ok(()),
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The configuration of a hub that may have to be accepted first. `None`: a signal asked it to stop before.
async fn joined(arguments: &Arguments, shutdown: &CancellationToken) -> Result<Option<Config>> {
    let Arguments { config: file, adjudicator, state, ports, .. } = arguments;
    let of_systemd =
        || std::env::var_os("STATE_DIRECTORY").map_or_else(|| PathBuf::from("."), PathBuf::from);
    let state = state.clone().unwrap_or_else(of_systemd);
    let otherwise = match ports.as_slice() {
        [] => String::new(),
        patterns => format!("[hub]\nports = {patterns:?}\n"),
    };
    let joining = Joining { state, address: adjudicator.clone() };
    loop {
        let loaded =
            Config::load_in(file, &joining, &otherwise).context("the hub did not start")?;
        if loaded.is_some() {
            return Ok(loaded);
        }
        let is_accepted = join(&joining, shutdown.clone()).await;
        if !is_accepted.context("the hub cannot ask to be accepted")? {
            return Ok(None);
        }
    }
}
