//! The adjudicator that the hall plays for: one of the demonstration's own, or one that is served already and is rehearsed with.

use std::{
    collections::HashSet,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::Path,
    time::Duration,
};

use adjudicator::{
    Running,
    config::{BrokerMode, Config},
    log::{Place, copy},
    pki::secrets,
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
    /// Matches that were there before.
    earlier: HashSet<String>,
    own: Option<(Running, CancellationToken)>,
}

impl Served {
    /// Starts an adjudicator of the demonstration's own, in this process.
    ///
    /// # Errors
    ///
    /// It cannot start.
    pub(super) async fn start(settings: &Settings) -> Result<Served> {
        let hint = "the adjudicator did not start; --http chooses another address";
        Served::own(settings, settings.adjudicator(), hint).await
    }

    /// Starts the event's adjudicator in this process, on a copy of its database: whatever is rehearsed, the event stays as it is.
    ///
    /// # Errors
    ///
    /// The configuration or the database cannot be read, or the adjudicator cannot start.
    pub(super) async fn start_on_copy(file: &Path, settings: &Settings) -> Result<Served> {
        let config = settings.rehearsing(Config::load(file)?);
        let original = Config::load(file)?.log_place()?;
        if !matches!(&original, Place::File(path) if !path.exists()) {
            copy::back_up(&original, &config.store.path).await?;
        }
        let hint = "the adjudicator did not start on the copy: stop `twinboard serve` first, whose addresses it takes";
        Served::own(settings, config, hint).await
    }

    async fn own(settings: &Settings, mut config: Config, hint: &'static str) -> Result<Served> {
        let token_file = config.http.td_token_file.get_or_insert_with(|| settings.token_file());
        let token = match token_file.exists() {
            true => secrets::read(token_file)?,
            false => {
                let token = secrets::generate();
                secrets::write(token_file, &format!("{token}\n"))?;
                token
            }
        };
        let stop = CancellationToken::new();
        let running = adjudicator::start(config.clone(), stop.clone()).await.context(hint)?;
        let broker = running.mqtt_address.context("the embedded broker has no address")?;
        let broker = (local(broker.ip()).to_string(), broker.port());
        let http = SocketAddr::new(local(running.http_address.ip()), running.http_address.port());
        let own = Some((running, stop));
        let mut served = Served { config, http, broker, token, earlier: HashSet::new(), own };
        served.earlier = served.matches().await?.into_iter().collect();
        Ok(served)
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
        let earlier = HashSet::new();
        let served = Served { config, http, broker, token, earlier, own: None };
        let matches = served.matches().await.with_context(|| {
            format!(
                "no adjudicator answers at {http}: start `twinboard serve --config {name}` first"
            )
        })?;
        ensure!(
            matches.is_empty(),
            "{name}: matches have been played there already; stop `twinboard serve` and rehearse with --copy, on a copy of its database, as \
             often as you like"
        );
        Ok(served)
    }

    /// Delay of the list of matches.
    pub(super) fn delay(&self) -> Duration {
        Duration::from_secs(self.config.http.public_delay_s.into())
    }

    /// The matches that there are.
    async fn matches(&self) -> Result<Vec<String>> {
        let list = self.ask("/api/v1/matches").await?;
        let lines = list["matches"].as_array().map(Vec::as_slice).unwrap_or_default();
        Ok(lines.iter().filter_map(|line| Some(line["match"].as_str()?.to_owned())).collect())
    }

    /// Whether a match was there before the demonstration.
    pub(super) fn is_earlier(&self, match_id: &str) -> bool {
        self.earlier.contains(match_id)
    }

    /// Number of matches of the demonstration that are over, decided or not; as many as are known if the adjudicator does not answer.
    pub(super) async fn matches_over(&self) -> usize {
        if let Some((running, _)) = self.own.as_ref().filter(|_| self.earlier.is_empty()) {
            return running.matches_over();
        }
        let mut over = 0;
        for id in self.matches().await.unwrap_or_default() {
            if self.is_earlier(&id) {
                continue;
            }
            let shown = self.ask(&format!("/api/v1/td/matches/{id}")).await;
            over += usize::from(shown.is_ok_and(|shown| {
                shown["is_over"] == true || shown["shown"]["table"]["state"] == "ended"
            }));
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

/// An address of this machine for one of the whole network.
const fn local(ip: IpAddr) -> IpAddr {
    if ip.is_unspecified() { IpAddr::V4(Ipv4Addr::LOCALHOST) } else { ip }
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

    #[tokio::test]
    async fn a_rehearsal_on_a_copy_leaves_the_events_database_as_it_was_however_often() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("event.toml");
        let lines = "[http]\naddress = \"127.0.0.1:0\"\n[broker]\naddress = \"127.0.0.1:0\"\n\
             [store]\npath = \"event.sqlite\"\n";
        std::fs::write(&file, lines).unwrap();
        let config = Config::load(&file).unwrap();
        let named = vec![event::Deed::Named { name: "Spring".to_owned() }];
        adjudicator::outlets::event_log::append(&config, named).await.unwrap();
        let before = std::fs::read(&config.store.path).unwrap();
        for out in ["first", "second"] {
            let out = Some(folder.path().join(out));
            let settings = Settings::prepare(out, ([127, 0, 0, 1], 0).into(), 4.0).unwrap();
            let served = Served::start_on_copy(&file, &settings).await.unwrap();
            assert_eq!(served.ask("/api/v1/event").await.unwrap()["name"], "Spring");
            served.stop().await.unwrap();
            assert!(std::fs::read(&config.store.path).unwrap() == before, "the event is another");
        }
    }
}
