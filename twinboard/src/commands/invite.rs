//! `twinboard invite`: invites a director or scorekeeper.

use std::{net::SocketAddr, path::PathBuf};

use adjudicator::{
    Config,
    pki::{secrets, tls},
};
use anyhow::{Context, Result};
use clap::ValueEnum;

use crate::{
    invite::{Invitation, Whom},
    stdout,
};

/// Capacity of the person.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Rank {
    /// Hears the last appeal, and invites the others.
    Chief,
    /// Hears appeals of a section.
    SectionChief,
    /// Rules at the tables.
    Floor,
    /// Enters seats and results, and lets teams sign.
    Scorekeeper,
}

impl Rank {
    const fn name(self) -> &'static str {
        match self {
            Rank::Chief => "chief",
            Rank::SectionChief => "section-chief",
            Rank::Floor => "floor",
            Rank::Scorekeeper => "scorekeeper",
        }
    }
}

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The name under which the person acts, for the ledger.
    person: String,
    /// Capacity of the person. The chief can invite the others on their own pages.
    #[arg(long, value_enum, default_value_t = Rank::Chief)]
    rank: Rank,
    /// A section that is theirs; may be given several times. Without sections and tables the whole hall is.
    #[arg(long, value_name = "NAME")]
    section: Vec<String>,
    /// A table that is theirs; may be given several times.
    #[arg(long, value_name = "NAME")]
    table: Vec<String>,
    /// The running adjudicator's configuration: it names the address and the file with the directors' token.
    #[arg(long, value_name = "FILE", default_value = "adjudicator.toml")]
    config: PathBuf,
    /// Address for phones in place of the adjudicator's own, such as http://hall.example:8080.
    #[arg(long, value_name = "URL")]
    public: Option<String>,
}

/// Asks the running adjudicator, and shows the invitation.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let config = Config::load(&arguments.config)?;
    let file = config.http.td_token_file.as_ref().context(
        "http.td_token_file is not configured: `twinboard token FILE` makes one; name it there and start the adjudicator again",
    )?;
    let token = secrets::read(file)?;
    let whom = Whom {
        person: arguments.person.clone(),
        rank: arguments.rank.name(),
        sections: arguments.section.clone(),
        tables: arguments.table.clone(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let server = config.http.address;
    let invitation = runtime.block_on(Invitation::ask(server, &token, &whom))?;
    let url = match (&arguments.public, config.http.tls_address) {
        (Some(public), _) => invitation.url_at(public),
        (None, Some(at)) => invitation.url_at(&encrypted(&config, at)?),
        (None, None) => invitation.url(server),
    };
    stdout::print_line(invitation.text(&url)?)
}

/// The address of the pages over HTTPS, under the name that the certificate has.
fn encrypted(config: &Config, at: SocketAddr) -> Result<String> {
    let unknown = "phones are to open the encrypted pages (http.tls_address), and their certificate does not say under which name: say it with --public https://NAME";
    let host = tls::of_site(config).context(unknown)?.host().context(unknown)?;
    Ok(format!("https://{host}:{}", at.port()))
}
