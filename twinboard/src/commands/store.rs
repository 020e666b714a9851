//! `twinboard store`: the log of an event moved from one database to another, of whichever kind.

use std::path::{Path, PathBuf};

use adjudicator::{
    log::{Place, copy, postgres::Server},
    pki::secrets,
};
use anyhow::Result;
use indicatif::{ProgressBar, ProgressDrawTarget};

use crate::{shell, stdout};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Copy the log of an event into an empty database: a SQLite file, or one of PostgreSQL.
    Copy(Copy),
}

#[derive(clap::Args)]
struct Copy {
    /// The log: a file, or postgres://USER@HOST/DATABASE. No adjudicator may have it open.
    from: String,
    /// The copy: a file that is not there yet, or a database in which this shard has no log. Its records are those of the original.
    to: String,
    /// Shard in a PostgreSQL database: `broker.shard` of the configuration.
    #[arg(long, default_value = "hall")]
    shard: String,
    /// File with the password of a PostgreSQL database; without it, PGPASSWORD or ~/.pgpass.
    #[arg(long)]
    password_file: Option<PathBuf>,
}

/// Copies, and says how many inputs there are.
pub(crate) fn run(Arguments { command: Command::Copy(arguments) }: &Arguments) -> Result<()> {
    let (from, to) = (place(&arguments.from, arguments)?, place(&arguments.to, arguments)?);
    // indicatif draws nothing when stderr is no terminal.
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    shell::run(|_| async move {
        let inputs = copy::copy(&from, &to, &|more| bar.inc(more)).await;
        bar.finish_and_clear();
        stdout::print_line(format_args!("copied {} inputs from {from} to {to}", inputs?))
    })
}

fn place(name: &str, arguments: &Copy) -> Result<Place> {
    if !Server::is_address(name) {
        return Ok(Place::from(Path::new(name)));
    }
    let password = arguments.password_file.as_deref().map(secrets::read).transpose()?;
    Ok(Place::Server(Server::new(name, password.as_deref(), &arguments.shard)?))
}
