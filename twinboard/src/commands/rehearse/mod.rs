//! `twinboard rehearse`: a rehearsal through the event's own hubs, broker, phones and screens, on a copy of its database.

mod copy;
mod protocol;

use std::{
    collections::BTreeSet,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::PathBuf,
    time::{Duration, Instant},
};

use adjudicator::{Config, Running, outlets::event_log, pki::secrets};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use crate::{diagnostics, files, shell, stdout};
use copy::EventCopy;
use protocol::Protocol;

/// Maximum time of an answer of the rehearsal's own pages.
const ANSWER_MAX: Duration = Duration::from_secs(5);
/// Interval at which the answers are checked.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Announcement on all pages and screens.
const ANNOUNCEMENT: &str = "Rehearsal: recorded games are shown. Nothing of it counts.";

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The event's configuration, as for `twinboard serve`, which must not run meanwhile: the rehearsal has its addresses.
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// Seconds for which hubs, phones and screens are waited for.
    #[arg(long, value_name = "S", default_value_t = 120, value_parser = clap::value_parser!(u64).range(5..=840))]
    wait_s: u64,
    /// Goes on until Ctrl-C, also when everything has answered: to practise with phones and screens.
    #[arg(long)]
    stay: bool,
    /// File for the protocol as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Rehearses, prints the protocol, and leaves the event as it was.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    diagnostics::start("warn");
    let name = arguments.config.display();
    let config = Config::load(&arguments.config)?;
    ensure!(
        config.cluster.is_none(),
        "{name}: one adjudicator rehearses, and this file is of several: rehearse with a copy of the file without [cluster]"
    );
    let token_file = config.http.td_token_file.as_ref().with_context(|| {
        format!("{name}: name a file in http.td_token_file; `twinboard token FILE` makes it")
    })?;
    let token = secrets::read(token_file)?;
    let protocol =
        shell::run(|shutdown| async move { rehearse(arguments, config, token, shutdown).await })?;
    stdout::print(&protocol)?;
    if let Some(file) = &arguments.json {
        let mut text = serde_json::to_string_pretty(&protocol)?;
        text.push('\n');
        files::write(file, text.as_bytes())?;
    }
    Ok(())
}

async fn rehearse(
    arguments: &Arguments,
    config: Config,
    token: String,
    shutdown: CancellationToken,
) -> Result<Protocol> {
    let event = EventCopy::of(&config).await?;
    let config = config.rehearsing(event.path());
    let announced = event::Deed::Announced { text: ANNOUNCEMENT.to_owned(), section: None };
    if let Err(error) = event_log::append(&config, vec![announced]).await {
        tracing::warn!("pages do not announce the rehearsal: {error}");
    }
    let stop = CancellationToken::new();
    let hint = "the rehearsal did not start; stop `twinboard serve` first, whose addresses it has";
    let running = adjudicator::start(config, stop.clone()).await.context(hint)?;
    let desk = Desk { address: local(running.http_address), token };
    stdout::print_line(format_args!(
        "rehearsal at http://{}; Ctrl-C ends it",
        running.http_address
    ))?;
    let mut protocol = Protocol::default();
    let earlier: BTreeSet<String> = desk.results_to_confirm().await?.into_keys().collect();
    let began = Instant::now();
    let mut look = interval(LOOK_EVERY);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while shutdown.run_until_cancelled(look.tick()).await.is_some() {
        desk.look(&running, &earlier, began, &mut protocol).await?;
        let is_late = began.elapsed() >= Duration::from_secs(arguments.wait_s);
        if !arguments.stay && (is_late || protocol.is_complete()) {
            break;
        }
    }
    stop.cancel();
    running.wait().await?;
    protocol.event_unchanged = event.end()?;
    Ok(protocol)
}

/// The rehearsal's own pages, as a chief sees them.
struct Desk {
    address: SocketAddr,
    token: String,
}

impl Desk {
    async fn ask(&self, path: &str) -> Result<Value> {
        let client = reqwest::Client::builder().timeout(ANSWER_MAX).build()?;
        let asked = client.get(format!("http://{}{path}", self.address)).bearer_auth(&self.token);
        Ok(asked.send().await?.error_for_status()?.json().await?)
    }

    /// Results that wait to be confirmed: the item's id, and the table.
    async fn results_to_confirm(&self) -> Result<std::collections::BTreeMap<String, String>> {
        let list = self.ask("/api/v1/td/needs").await?;
        let is_result = |need: &&Value| need["urgency"] == "result";
        let needs = list["needs"].as_array().map(Vec::as_slice).unwrap_or_default();
        let needs = needs.iter().filter(is_result);
        let known = |need: &Value| {
            Some((need["id"].as_str()?.to_owned(), need["table"].as_str()?.to_owned()))
        };
        Ok(needs.filter_map(known).collect())
    }

    /// Brings the protocol up to date.
    async fn look(
        &self,
        running: &Running,
        earlier: &BTreeSet<String>,
        began: Instant,
        protocol: &mut Protocol,
    ) -> Result<()> {
        let mut results = self.results_to_confirm().await?;
        results.retain(|id, _| !earlier.contains(id));
        let tables: BTreeSet<String> = results.into_values().collect();
        let elapsed_s = began.elapsed().as_secs_f64();
        for hub in running.rehearsed_hubs() {
            protocol.note_hub(hub, &tables, elapsed_s);
        }
        protocol.note_phones(&self.ask("/api/v1/td/staff").await?);
        protocol.note_screens(&self.ask("/api/v1/td/screens").await?);
        protocol.conclude(elapsed_s);
        Ok(())
    }
}

/// An address of this machine for one of the whole network.
const fn local(at: SocketAddr) -> SocketAddr {
    let ip = if at.ip().is_unspecified() { IpAddr::V4(Ipv4Addr::LOCALHOST) } else { at.ip() };
    SocketAddr::new(ip, at.port())
}

#[cfg(test)]
mod tests {
    use super::ANNOUNCEMENT;

    #[test]
    fn the_announcement_is_in_the_catalogue_of_each_language() {
        let catalogues = [
            include_str!("../../../../adjudicator/web/src/language/es.ts"),
            include_str!("../../../../adjudicator/web/src/language/de.ts"),
        ];
        assert!(catalogues.iter().all(|it| it.contains(&format!("'{ANNOUNCEMENT}': "))));
    }
}
