//! An organiser's configuration: one TOML file, checked before anything is opened.
//!
//! Every value has a default except those that name the event's own things, so that a small event
//! needs a handful of lines. Every refusal says which value, what is wrong and what to write instead.

pub mod alerts;
mod broadcast;
mod broker;
mod check;
mod cluster;
mod disclosure;
mod families;
mod judging;
mod names;
mod webhook;

use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
};

use alerts::{Treatment, Treatments};
pub use broadcast::{MirrorSettings, PushSettings, S3};
pub(crate) use broker::{external_address, listen_address};
pub use check::ConfigError;
pub use cluster::{Cluster, ClusterHall, Role};
pub use disclosure::{Disclosure, PlayerName, Players};
pub use families::FamilySettings;
pub use judging::{Judged, Judging};
pub(crate) use names::{ADJUDICATOR, check_hub_id, is_segment};
use referee::{Alert, ClaimState};
use serde::Deserialize;
pub use webhook::{Told, Webhook, WebhookFormat};

use crate::limits::Limits;

/// Configuration of `twinboard serve`.
#[derive(Clone, Debug, Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The book by which everything is judged, whatever the file and the event's sections say: to judge a match again by another.
    #[serde(skip)]
    pub one_book: Option<rules::rulebook::BookId>,
    /// The event's shard, if this is a rehearsal of it.
    #[serde(skip)]
    pub rehearsal_of: Option<String>,
    /// The event and its rules.
    #[serde(default)]
    pub event: Event,
    /// The web server.
    #[serde(default)]
    pub http: Http,
    /// Views of directors.
    #[serde(default)]
    pub td: Td,
    /// The database.
    #[serde(default)]
    pub store: StoreSettings,
    /// The MQTT broker, in this process or elsewhere.
    #[serde(default)]
    pub broker: BrokerSettings,
    /// Encryption, for hubs and browsers.
    #[serde(default)]
    pub tls: Tls,
    /// New hubs.
    #[serde(default)]
    pub hubs: HubSettings,
    /// Labels, teams and (only if opted in) names, by table. Tables that a hub reports and that are
    /// not listed here appear with a plain label.
    #[serde(default, rename = "table")]
    pub tables: Vec<TableSettings>,
    /// Sections that have rules of their own; others need no entry.
    #[serde(default, rename = "section")]
    pub sections: Vec<Section>,
    /// Records that are kept current.
    #[serde(default)]
    pub records: Records,
    /// Limits of the hall.
    #[serde(default)]
    pub limits: Limits,
    /// Place among several machines; without it this process is alone.
    #[serde(default)]
    pub cluster: Option<Cluster>,
    /// Webhooks.
    #[serde(default, rename = "webhook")]
    pub webhooks: Vec<Webhook>,
    /// Messages to families.
    #[serde(default)]
    pub families: FamilySettings,
    /// Broadcasts that games of chess are pushed to.
    #[serde(default, rename = "push")]
    pub pushes: Vec<PushSettings>,
    /// Web hosts that mirror the feed of games of chess.
    #[serde(default, rename = "mirror")]
    pub mirrors: Vec<MirrorSettings>,
}

/// The event and its rules.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Event {
    /// Shown on every page and written into every record.
    pub name: String,
    /// Written into records as the place; `?` in the record when absent.
    pub site: Option<String>,
    /// Id of the rulebook, such as `us-chess-bughouse-2018`, for all tables that play its game. Without it each
    /// match is judged by the book that its hub names.
    pub rulebook: Option<String>,
    /// Whether it was agreed with the players that directors call illegal plies and flags. It holds at tables whose
    /// book knows such an agreement.
    pub td_calls: Option<bool>,
    /// Whether it was announced that claims of insufficient losing chances are heard. It holds at tables whose book hears
    /// them when they are announced.
    pub losing_chances: Option<bool>,
    /// Whether players' names may appear on public pages and in records. Children play here: false
    /// unless the organiser has the consents.
    pub show_player_names: bool,
}

impl Default for Event {
    fn default() -> Self {
        Event {
            name: "Bughouse".to_owned(),
            site: None,
            rulebook: None,
            td_calls: None,
            losing_chances: None,
            show_player_names: false,
        }
    }
}

/// Records that are kept current while matches are played.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Records {
    /// Folder for the PGN of each game of chess, for programs that broadcast chess from files.
    pub pgn_folder: Option<PathBuf>,
    /// Folder with a folder for each round of each section, laid out as Lichess's Broadcaster and relay look for games.
    pub feed_folder: Option<PathBuf>,
}

/// The web server.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Http {
    /// Address and port to listen on. Port 0 takes any free port.
    pub address: SocketAddr,
    /// Address and port on which the same pages are served encrypted (HTTPS).
    pub tls_address: Option<SocketAddr>,
    /// Certificate (with its chain, PEM) to show to browsers in place of that of the hall's authority.
    pub certificate_file: Option<PathBuf>,
    /// Its key (PEM).
    pub key_file: Option<PathBuf>,
    /// File with the tournament directors' token; without it the alerts are served to nobody.
    pub td_token_file: Option<PathBuf>,
    /// Seconds by which everything public lags behind the boards.
    pub public_delay_s: u32,
    /// Address and port of the same pages for screens in the hall, which see it after `hall_delay_s` instead; without it there is none.
    pub hall_address: Option<SocketAddr>,
    /// Seconds by which the hall's screens lag behind the boards.
    pub hall_delay_s: u32,
    /// Sites that may show `/embed/…` in a frame, such as `https://club.example`; without any none may.
    pub embed_sites: Vec<String>,
    /// Addresses of proxies before the pages, whose `X-Forwarded-For` counts; what an unnamed one on this machine hands on is refused.
    pub trusted_proxies: Vec<IpAddr>,
    /// Address and port of numbers for Prometheus (`/metrics`); without it there are none.
    pub metrics_address: Option<SocketAddr>,
    /// Seconds of match time that pass in a second; 1 except in a sped-up demonstration.
    pub clock_rate: f64,
}

impl Default for Http {
    fn default() -> Self {
        Http {
            address: SocketAddr::from(([127, 0, 0, 1], 8080)),
            tls_address: None,
            certificate_file: None,
            key_file: None,
            td_token_file: None,
            public_delay_s: 0,
            hall_address: None,
            hall_delay_s: 0,
            embed_sites: Vec::new(),
            trusted_proxies: Vec::new(),
            metrics_address: None,
            clock_rate: 1.0,
        }
    }
}

/// Whether directors are shown what only players may claim.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum SilentAlerts {
    /// Directors see it, marked so that they do not call it.
    #[default]
    Shown,
    /// Directors see it once a player has claimed.
    AfterClaim,
}

/// Views of directors.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Td {
    /// Whether directors are shown what only players may claim.
    pub silent_alerts: SilentAlerts,
    /// Whether a director decides a claim before seeing what the evidence says about it.
    pub decide_first: bool,
    /// Seconds after which an untaken item goes to the section chief, and after as many again to the chief.
    pub escalate_after_s: u32,
    /// Hours for which a device works after it was invited: until the end of the event.
    pub device_hours: u32,
    /// Handling of each kind of finding.
    pub alerts: Treatments,
    /// The same in single sections, by their names.
    pub section_alerts: BTreeMap<String, Treatments>,
}

impl Td {
    /// All configured kinds of findings: section, kind, and handling.
    pub(crate) fn treatments(&self) -> impl Iterator<Item = (String, &str, Treatment)> {
        let of_event = self.alerts.iter().map(|(code, it)| ("td.alerts".to_owned(), code, it));
        let of_sections = self.section_alerts.iter().flat_map(|(name, kinds)| {
            kinds.iter().map(move |(code, it)| (format!("td.section_alerts.{name:?}"), code, it))
        });
        of_event.chain(of_sections).map(|(place, code, it)| (place, code.as_str(), *it))
    }

    /// Treatment that the file names for a kind of finding: in a section, or in the whole event.
    pub(crate) fn treatment(&self, section: Option<&str>, code: &str) -> Option<Treatment> {
        let named = match section {
            Some(name) => self.section_alerts.get(name)?,
            None => &self.alerts,
        };
        named.get(code).copied()
    }

    /// Whether directors are shown an alert. One that can no longer be claimed is shown to nobody.
    pub(crate) fn shows(&self, alert: &Alert) -> bool {
        match alert.claim {
            ClaimState::Closed => false,
            ClaimState::Open if alert.silent => self.silent_alerts == SilentAlerts::Shown,
            ClaimState::Open | ClaimState::Claimed | ClaimState::NotClaimable => true,
        }
    }

    /// Whether what only players may claim is kept from directors until somebody has claimed it.
    pub(crate) fn keeps_silent(&self, alert: &Alert) -> bool {
        alert.claim == ClaimState::Open && !self.shows(alert)
    }
}

impl Default for Td {
    fn default() -> Self {
        Td {
            silent_alerts: SilentAlerts::default(),
            decide_first: false,
            escalate_after_s: 60,
            device_hours: 18,
            alerts: Treatments::new(),
            section_alerts: BTreeMap::new(),
        }
    }
}

/// Room for an evening's log of a hall of fifty tables, with some to spare, megabytes.
const WARN_BELOW_MB: u64 = 500;

/// The database.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StoreSettings {
    /// SQLite file; made when it does not exist. Its folder must exist.
    pub path: PathBuf,
    /// Address of a PostgreSQL database that has the log in place of the file, `postgres://USER@HOST/DATABASE`; the shard is `broker.shard`.
    pub url: Option<String>,
    /// File with the password of that database, as `twinboard token` writes one.
    pub password_file: Option<PathBuf>,
    /// With less room than this on its disk directors are warned, megabytes.
    pub warn_below_mb: u64,
}

impl Default for StoreSettings {
    fn default() -> Self {
        let path = PathBuf::from("twinboard.sqlite");
        StoreSettings { path, url: None, password_file: None, warn_below_mb: WARN_BELOW_MB }
    }
}

/// Kind of MQTT broker.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum BrokerMode {
    /// The adjudicator, in its own process.
    Embedded,
    /// An external one: Mosquitto, NATS, RabbitMQ …
    External,
}

/// The MQTT broker.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BrokerSettings {
    /// Embedded or external.
    pub mode: BrokerMode,
    /// `host:port`. Embedded: where to listen (port 0 takes any free port). External: where it is.
    pub address: String,
    /// Embedded only: address and port on which hubs connect encrypted, each with its certificate.
    pub tls_address: Option<SocketAddr>,
    /// External only: certificate of the authority (PEM) that vouches for the broker; with it the connection is encrypted.
    pub authority_file: Option<PathBuf>,
    /// Segment of every topic; separates events and adjudicators on one broker.
    pub shard: String,
    /// This adjudicator's name in its own topic.
    pub id: String,
    /// Embedded only: file of `hub:hash` lines (argon2id) naming the hubs that may connect. Needed
    /// when the broker listens on anything but this machine.
    pub credentials_file: Option<PathBuf>,
    /// External only: user name.
    pub username: Option<String>,
    /// External only: file holding the password.
    pub password_file: Option<PathBuf>,
    /// External only: prefix of Home Assistant's discovery (`homeassistant`), to have each hub as a device there.
    pub home_assistant: Option<String>,
}

impl Default for BrokerSettings {
    fn default() -> Self {
        BrokerSettings {
            mode: BrokerMode::Embedded,
            address: "127.0.0.1:1883".to_owned(),
            tls_address: None,
            authority_file: None,
            shard: "hall".to_owned(),
            id: "main".to_owned(),
            credentials_file: None,
            username: None,
            password_file: None,
            home_assistant: None,
        }
    }
}

/// Encryption, for hubs and browsers.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Tls {
    /// Folder that `twinboard enroll` made: the hall's authority, the adjudicator's certificate, the hubs that may connect.
    pub folder: Option<PathBuf>,
}

/// New hubs.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HubSettings {
    /// Whether hubs may ask to be accepted; the chief director accepts each by its code. The adjudicator then announces itself in the network; without
    /// `tls.folder` it makes an authority beside its database, and without `broker.tls_address` hubs connect at port 8883.
    pub accept: bool,
}

/// Port of hubs with certificates where new hubs may ask and no other one is configured.
const HUBS_PORT: u16 = 8883;

/// A section of the event that has rules of its own.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Section {
    /// Name that the tables use for it.
    pub name: String,
    /// In place of `event.rulebook`.
    pub rulebook: Option<String>,
    /// In place of `event.td_calls`.
    pub td_calls: Option<bool>,
    /// In place of `event.losing_chances`.
    pub losing_chances: Option<bool>,
    /// In place of `http.public_delay_s`.
    pub public_delay_s: Option<u32>,
    /// In place of `http.hall_delay_s`.
    pub hall_delay_s: Option<u32>,
}

/// One table of the hall, as the public sees it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableSettings {
    /// The name the hub uses.
    pub name: String,
    /// Name for people; `Table <name>` when absent.
    pub label: Option<String>,
    /// Section of the event, for grouping.
    pub section: Option<String>,
    /// The hub that serves it. Without it the table belongs to the first hub that reports it, until that sends its farewell.
    pub hub: Option<String>,
    /// Labels of team 1 (White at A, Black at B) and team 2.
    pub teams: Option<[String; 2]>,
    /// In place of its section's rulebook and the event's.
    pub rulebook: Option<String>,
    /// In place of its section's `td_calls` and the event's.
    pub td_calls: Option<bool>,
    /// In place of its section's `losing_chances` and the event's.
    pub losing_chances: Option<bool>,
    /// The four players. Never shown unless `event.show_player_names` is true.
    #[serde(default)]
    pub players: Players,
}

impl Config {
    /// Reads and checks a configuration file. Paths in it are relative to the file's folder; those of what is
    /// written to the folder for state that systemd gives a service, if there is one.
    ///
    /// # Errors
    ///
    /// The file cannot be read, is no TOML, or holds a value that cannot work.
    pub fn load(path: &Path) -> Result<Config, ConfigError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ConfigError::Unreadable { path: path.to_owned(), source })?;
        let mut config: Config = toml::from_str(&text).map_err(|source| ConfigError::Syntax {
            path: path.to_owned(),
            source: Box::new(source),
        })?;
        let state = std::env::var_os("STATE_DIRECTORY").map(PathBuf::from);
        config.resolve_paths(path.parent().unwrap_or(Path::new("")), state.as_deref());
        config.check().map_err(|error| error.in_file(path))?;
        Ok(config)
    }

    fn resolve_paths(&mut self, folder: &Path, state: Option<&Path>) {
        let state = state.unwrap_or(folder);
        self.store.path = state.join(&self.store.path);
        for folder in [&mut self.records.pgn_folder, &mut self.records.feed_folder] {
            *folder = folder.as_ref().map(|path| state.join(path));
        }
        for path in [
            &mut self.http.td_token_file,
            &mut self.store.password_file,
            &mut self.http.certificate_file,
            &mut self.http.key_file,
            &mut self.tls.folder,
            &mut self.broker.authority_file,
            &mut self.broker.credentials_file,
            &mut self.broker.password_file,
            &mut self.families.token_file,
        ]
        .into_iter()
        .chain(self.webhooks.iter_mut().map(|hook| &mut hook.token_file))
        .chain(self.pushes.iter_mut().map(|push| &mut push.token_file))
        .chain(self.mirrors.iter_mut().flat_map(|it| [&mut it.token_file, &mut it.key_file]))
        {
            *path = path.as_ref().map(|path| folder.join(path));
        }
        if self.hubs.accept {
            let beside = self.store.path.parent().unwrap_or(Path::new("")).join("tls");
            self.tls.folder.get_or_insert(beside);
            self.broker.tls_address.get_or_insert((Ipv4Addr::UNSPECIFIED, HUBS_PORT).into());
        }
        for path in self.cluster.iter_mut().flat_map(Cluster::paths_mut) {
            *path = folder.join(&path);
        }
        for s3 in self.mirrors.iter_mut().filter_map(|mirror| mirror.s3.as_mut()) {
            s3.secret_file = folder.join(&s3.secret_file);
        }
    }

    /// Checks every value that can be checked without opening anything.
    ///
    /// # Errors
    ///
    /// The first value that cannot work, by its name in the file.
    pub fn check(&self) -> Result<(), ConfigError> {
        check::check(self)
    }

    /// The one place that decides by which book a match is judged.
    pub fn judging(&self) -> Judging {
        Judging::of(self)
    }

    /// The one place that decides which names may be shown.
    pub fn disclosure(&self) -> Disclosure {
        Disclosure::of(self)
    }
}
