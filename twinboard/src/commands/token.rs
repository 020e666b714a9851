//! `twinboard token`: the secret with which tournament directors see their alerts.

use std::path::PathBuf;

use adjudicator::pki::secrets;
use anyhow::{Result, bail};

use crate::stdout;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The file to write; only its owner will be able to read it. Name it as http.td_token_file.
    file: PathBuf,
    /// Replace an existing token; its holders need the new one.
    #[arg(long)]
    replace: bool,
}

/// Writes a new token.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let file = &arguments.file;
    if file.exists() && !arguments.replace {
        bail!("{} is there already; --replace makes a new token", file.display());
    }
    secrets::write(file, &format!("{}\n", secrets::generate()))?;
    stdout::print_line(format_args!("wrote {}", file.display()))
}
