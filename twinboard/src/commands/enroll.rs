//! `twinboard enroll`: the hall's own authority, the adjudicator's certificate, a bundle for each hub.

use std::{
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

use adjudicator::pki::authority::{self, Authority, AuthorityError};
use anyhow::{Context, Result};
use clap::{Args, Subcommand};

use crate::stdout;

/// From how many days before its end on a certificate is marked.
const SOON_DAYS: u32 = 30;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The folder of the authority, created if it is missing. Name it as tls.folder.
    #[arg(long, global = true, value_name = "DIR", default_value = "/etc/twinboard/tls")]
    folder: PathBuf,
    #[command(subcommand)]
    what: EnrollTask,
}

#[derive(Subcommand)]
enum EnrollTask {
    /// Certify the adjudicator, for every name and address under which hubs and browsers reach it.
    Adjudicator {
        /// Names and addresses, the usual one first, such as adjudicator.local 192.168.1.10.
        #[arg(required = true)]
        names: Vec<String>,
    },
    /// Certify hubs and write a bundle for each. A hub that is enrolled again needs its new bundle.
    Hub {
        /// The hubs' ids.
        #[arg(required = true)]
        hubs: Vec<String>,
        /// The folder of the bundles, a folder a hub; each belongs onto its hub and nowhere else.
        #[arg(long, value_name = "DIR", default_value = ".")]
        bundles: PathBuf,
        /// The port of broker.tls_address.
        #[arg(long, default_value_t = 8883)]
        port: u16,
    },
    /// Shut hubs out: at once, and within about a minute where they are connected.
    Revoke {
        /// The hubs' ids.
        #[arg(required = true)]
        hubs: Vec<String>,
    },
    /// Show who is certified, and for how many days still.
    Status,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let folder = &arguments.folder;
    match &arguments.what {
        EnrollTask::Adjudicator { names } => certify(folder, names),
        EnrollTask::Hub { hubs, bundles, port } => {
            let authority = Authority::open(folder)?;
            hubs.iter().try_for_each(|hub| enroll(folder, &authority, hub, bundles, *port))
        }
        EnrollTask::Revoke { hubs } => hubs.iter().try_for_each(|hub| {
            authority::revoke_hub(folder, hub)?;
            stdout::print_line(format_args!("hub {hub} is revoked: it is not admitted any longer"))
        }),
        EnrollTask::Status => status(folder),
    }
}

fn certify(folder: &Path, names: &[String]) -> Result<()> {
    let authority = match Authority::open(folder) {
        Err(AuthorityError::Missing(_)) => Authority::make(folder)?,
        opened => opened?,
    };
    let is_renewed = folder.join(authority::SERVER).exists();
    authority.certify_adjudicator(names)?;
    stdout::print_line(format_args!(
        "certified {} in {}: set tls.folder to it, and broker.tls_address and http.tls_address",
        names.join(", "),
        folder.display()
    ))?;
    if is_renewed {
        stdout::print_line(format_args!(
            "the key is a new one: an adjudicator that runs under systemd shows its old certificate until \
             `systemctl restart twinboard-adjudicator`"
        ))?;
    }
    Ok(())
}

fn enroll(
    folder: &Path,
    authority: &Authority,
    hub: &str,
    bundles: &Path,
    port: u16,
) -> Result<()> {
    let adjudicator = authority::about(&folder.join(authority::SERVER))
        .context("certify the adjudicator first: twinboard enroll adjudicator NAME")?;
    let bundle = bundles.join(hub);
    authority.enroll_hub(hub, &bundle)?;
    let stub = format!(
        "# For the hub {hub}: these lines belong into its /etc/twinboard/hub.toml.\n\
         [hub]\nid = \"{hub}\"\njournal = \"/var/lib/twinboard-hub/{hub}.sqlite\"\n\n\
         [broker]\nhost = \"{}\"\nport = {port}\ntls_folder = \"/etc/twinboard/tls\"\n",
        adjudicator.name
    );
    let file = bundle.join("hub.toml");
    fs::write(&file, stub).with_context(|| format!("cannot write {}", file.display()))?;
    stdout::print_line(format_args!(
        "hub {hub}: take {} to the hub as /etc/twinboard/tls, and delete it here; where the hub runs, `systemctl restart twinboard-hub`",
        bundle.display()
    ))
}

fn status(folder: &Path) -> Result<()> {
    let now = SystemTime::now();
    for (who, about) in authority::list(folder)? {
        let days = about.days_left(now);
        let mark = match days {
            0 => "  ENDED",
            1..=SOON_DAYS => "  ends soon",
            _ => "",
        };
        stdout::print_line(format_args!("{who:<24} {days:>5} days  {}{mark}", about.name))?;
    }
    Ok(())
}
