//! The adjudicator that the hall plays for: one of the demonstration's own, or one that is served already and is rehearsed with.

use std::{net::SocketAddr, path::Path, time::Duration};

use adjudicator::{
    Running,
    config::{BrokerMode, Config},
    secrets,
};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::settings::Settings;

/// Maximum time of another adjudicator's answer.
const ANSWER_MAX: Duration = Duration::from_secs(5);

/// The adjudicator that the hall plays for.
pub(super) struct Served {
    pub(super) config: Config,
    pub(super) http: SocketAddr,
    /// Host and port.
    pub(super) broker: (String, u16),
    /// The directors'.
    pub(super) token: String,
    own: Option<(Running, CancellationToken)>,
}

impl Served {
    /// Starts an adjudicator of the demonstration's own, in this process.
    ///
    /// # Errors
    ///
    /// It cannot start.
    pub(super) async fn start(settings: &Settings) -> Result<Served> {
        let token = secrets::generate();
        secrets::write(&settings.token_file(), &format!("{token}\n"))?;
        let (config, stop) = (settings.adjudicator(), CancellationToken::new());
        let running = adjudicator::start(config.clone(), stop.clone())
            .await
            .context("the adjudicator did not start; --http chooses another address")?;
        let broker = running.mqtt_address.context("the embedded broker has no address")?;
        let (http, broker) = (running.http_address, (broker.ip().to_string(), broker.port()));
        Ok(Served { config, http, broker, token, own: Some((running, stop)) })
    }

    /// Finds the one that `twinboard serve --config FILE` runs on this machine.
    ///
    /// # Errors
    ///
    /// It is not running, a hall without an account cannot play there at this speed, or it has matches already.
    pub(super) async fn find(file: &Path, speed: f64) -> Result<Served> {
        let config = Config::load(file)?;
        let name = file.display();
        let token_file = config.http.td_token_file.as_ref().with_context(|| {
            format!("{name}: name a file in http.td_token_file; `twinboard token FILE` makes it")
        })?;
        let token = secrets::read(token_file)?;
        let broker = &config.broker;
        let is_open = broker.credentials_file.is_none() && broker.username.is_none();
        ensure!(
            is_open && broker.authority_file.is_none() && config.tls.folder.is_none(),
            "{name}: the broker admits hubs with an account or a certificate only, and the simulated hall has none: rehearse with a copy \
             of the file without credentials_file, username, authority_file and tls.folder"
        );
        ensure!(
            (config.http.clock_rate - speed).abs() < f64::EPSILON,
            "{name}: http.clock_rate is {}, and --speed {speed}: give both the same",
            config.http.clock_rate
        );
        let (host, port) = broker.address.rsplit_once(':').context("broker.address has no port")?;
        let port: u16 = port.parse().context("broker.address has no port")?;
        ensure!(
            port != 0 && config.http.address.port() != 0,
            "{name}: port 0 takes any free port, and the demonstration cannot know which: give broker.address and http.address ports"
        );
        let host = match (broker.mode, host) {
            (BrokerMode::Embedded, "0.0.0.0") => "127.0.0.1",
            (_, host) => host,
        };
        let http = match config.http.address {
            address if address.ip().is_unspecified() => ([127, 0, 0, 1], address.port()).into(),
            address => address,
        };
        let broker = (host.to_owned(), port);
        let served = Served { config, http, broker, token, own: None };
        let matches = served.ask("/api/v1/matches").await.with_context(|| {
            format!(
                "no adjudicator answers at {http}: start `twinboard serve --config {name}` first"
            )
        })?;
        ensure!(
            matches["matches"].as_array().is_some_and(Vec::is_empty),
            "{name}: matches have been played there already; rehearse with a new database (store.path)"
        );
        Ok(served)
    }

    /// Delay of the list of matches.
    pub(super) fn delay(&self) -> Duration {
        Duration::from_secs(self.config.http.public_delay_s.into())
    }

    /// Number of finished matches; 0 without an answer.
    pub(super) async fn matches_over(&self) -> usize {
        if let Some((running, _)) = &self.own {
            return running.matches_over();
        }
        let Ok(list) = self.ask("/api/v1/matches").await else { return 0 };
        let lines = list["matches"].as_array().map(Vec::as_slice).unwrap_or_default();
        let mut over = 0;
        for id in lines.iter().filter_map(|line| line["match"].as_str()) {
            let shown = self.ask(&format!("/api/v1/td/matches/{id}")).await;
            over += usize::from(shown.is_ok_and(|shown| shown["is_over"] == true));
        }
        over
    }

    async fn ask(&self, path: &str) -> Result<Value> {
        let client = reqwest::Client::builder().timeout(ANSWER_MAX).build()?;
        let asked = client.get(format!("http://{}{path}", self.http)).bearer_auth(&self.token);
        Ok(asked.send().await?.error_for_status()?.json().await?)
    }

    /// Stops it, if it is the demonstration's own.
    pub(super) async fn stop(self) -> Result<()> {
        if let Some((running, stop)) = self.own {
            stop.cancel();
            running.wait().await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Error for a configuration with these lines, without a running adjudicator.
    async fn refusal(lines: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        secrets::write(&folder.path().join("token"), "a-token-of-the-organiser\n").unwrap();
        let file = folder.path().join("event.toml");
        std::fs::write(&file, lines).unwrap();
        match Served::find(&file, 4.0).await {
            Ok(_) => panic!("{lines} was accepted"),
            Err(error) => format!("{error:#}"),
        }
    }

    #[tokio::test]
    async fn a_configuration_that_no_hall_can_play_at_is_refused_with_what_to_do() {
        let http = "[http]\naddress = \"127.0.0.1:9\"\ntd_token_file = \"token\"\n";
        for (lines, words) in [
            (String::new(), "twinboard token FILE"),
            (http.to_owned(), "give both the same"),
            (format!("{http}clock_rate = 4.0\n[broker]\naddress = \"127.0.0.1:0\"\n"), "port 0"),
            (format!("{http}clock_rate = 4.0\n"), "twinboard serve --config"),
        ] {
            let said = refusal(&lines).await;
            assert!(said.contains(words), "{lines}: {said}");
        }
    }
}
