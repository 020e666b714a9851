//! `twinboard serve`: the adjudicator of an event, or its part in a cluster, until a signal stops it.

use std::path::PathBuf;

use adjudicator::{
    config::{Config, Role},
    halls, run_front,
};
use anyhow::{Context, Result};

use crate::{diagnostics, shell};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Configuration: event, addresses, database, broker, tables. Without it, everything has its
    /// default: pages at http://127.0.0.1:8080, broker at 127.0.0.1:1883, records in ./twinboard.sqlite.
    #[arg(long)]
    config: Option<PathBuf>,
}

/// Runs until a signal asks it to stop.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    diagnostics::start("info");
    let config = match &arguments.config {
        Some(path) => Config::load(path).context("the adjudicator did not start")?,
        None => Config::default(),
    };
    let (role, owned) = match &config.cluster {
        Some(cluster) => (cluster.role, cluster.halls.len()),
        None => (Role::Owner, 0),
    };
    if role == Role::Front {
        return shell::run(|shutdown| async move {
            let running =
                run_front::start(config, shutdown).await.context("the front did not start")?;
            crate::stdout::print_line(format_args!("pages at http://{}", running.http_address))?;
            Ok(running.wait().await?)
        });
    }
    if owned > 0 {
        return shell::run(|shutdown| async move {
            halls::serve(config, shutdown).await.context("the owner did not start")
        });
    }
    shell::run(|shutdown| async move {
        let running =
            adjudicator::start(config, shutdown).await.context("the adjudicator did not start")?;
        crate::stdout::print_line(format_args!("pages at http://{}", running.http_address))?;
        Ok(running.wait().await?)
    })
}
