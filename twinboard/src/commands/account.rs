//! `twinboard account`: accounts with which hubs connect to the adjudicator's broker.

use std::path::{Path, PathBuf};

use adjudicator::pki::secrets;
use anyhow::Result;

use crate::stdout;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The hubs' ids, as in their configurations. A hub that has an account gets a new password.
    #[arg(required = true)]
    hubs: Vec<String>,
    /// Take their accounts away instead.
    #[arg(long)]
    revoke: bool,
    /// The file of accounts, created if it is missing. Name it as broker.credentials_file.
    #[arg(long, default_value = "/etc/twinboard/hubs.passwd")]
    file: PathBuf,
    /// Folder for the passwords, one file a hub; each belongs onto its hub and nowhere else.
    #[arg(long, default_value = ".")]
    passwords: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    match arguments.revoke {
        true => revoke(arguments),
        false => give(arguments),
    }
}

fn revoke(arguments: &Arguments) -> Result<()> {
    for hub in &arguments.hubs {
        secrets::remove_account(&arguments.file, hub)?;
        stdout::print_line(format_args!(
            "hub {hub} has no account in {} any more",
            arguments.file.display()
        ))?;
    }
    stdout::print_line(format_args!(
        "hubs that are connected stay so until the adjudicator starts again: `systemctl restart twinboard-adjudicator`"
    ))
}

/// Writes the accounts and a password for each.
fn give(arguments: &Arguments) -> Result<()> {
    for hub in &arguments.hubs {
        let password = secrets::generate();
        secrets::write_account(&arguments.file, hub, &password)?;
        let file = password_file(&arguments.passwords, hub);
        secrets::write(&file, &format!("{password}\n"))?;
        stdout::print_line(format_args!(
            "hub {hub}: take {} to the hub as /etc/twinboard/hub.password, set broker.username = \"{hub}\" there, and delete it here",
            file.display()
        ))?;
    }
    stdout::print_line(format_args!(
        "{} accounts in {}; the adjudicator takes them when it starts: where it runs, `systemctl restart twinboard-adjudicator`",
        arguments.hubs.len(),
        arguments.file.display()
    ))
}

fn password_file(folder: &Path, hub: &str) -> PathBuf {
    folder.join(format!("{hub}.password"))
}
