//! Files of a demonstration, and the configurations that follow.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
};

use adjudicator::config as served;
use anyhow::{Context, Result, bail};
use hub::config as followed;
use readings::SensorKind;
use rules::Game;
use sim::real_time::{Hall, HallNodeKind, MAX_SPEED};

use crate::files;

/// The demonstration's part of the broker's topics.
const SHARD: &str = "demo";

/// A demonstration's folder and addresses.
pub(super) struct Settings {
    folder: PathBuf,
    is_temporary: bool,
    http: SocketAddr,
    speed: f64,
}

impl Settings {
    /// Makes the folders.
    ///
    /// # Errors
    ///
    /// A speed that is out of range, or a folder that cannot be made or has a demonstration in it.
    pub(super) fn prepare(out: Option<PathBuf>, http: SocketAddr, speed: f64) -> Result<Settings> {
        if !(speed > 0.0 && speed <= MAX_SPEED) {
            bail!("--speed {speed} is out of range: give a number above 0, at most {MAX_SPEED}");
        }
        let is_temporary = out.is_none();
        let folder = out.unwrap_or_else(|| {
            std::env::temp_dir().join(format!("twinboard-demo-{}", std::process::id()))
        });
        let settings = Settings { folder, is_temporary, http, speed };
        for file in [settings.database(), settings.journal()] {
            if file.exists() {
                bail!(
                    "{} is from an earlier demonstration: give another folder with --out",
                    file.display()
                );
            }
        }
        files::create_folder(&settings.devices())?;
        files::create_folder(&settings.records())?;
        Ok(settings)
    }

    /// The folder of the serial devices' links.
    pub(super) fn devices(&self) -> PathBuf {
        self.folder.join("devices")
    }

    /// The folder of the game records.
    pub(super) fn records(&self) -> PathBuf {
        self.folder.join("records")
    }

    fn database(&self) -> PathBuf {
        self.folder.join("adjudicator.sqlite")
    }

    /// The file with the directors' token.
    pub(super) fn token_file(&self) -> PathBuf {
        self.folder.join("td-token")
    }

    fn journal(&self) -> PathBuf {
        self.folder.join("hub.sqlite")
    }

    /// The adjudicator's configuration.
    pub(super) fn adjudicator(&self) -> served::Config {
        let mut config = served::Config::default();
        config.event.name = "Demonstration".to_owned();
        config.http.address = self.http;
        config.http.clock_rate = self.speed;
        config.http.td_token_file = Some(self.token_file());
        config.store.path = self.database();
        config.broker.address = "127.0.0.1:0".to_owned();
        config.broker.shard = SHARD.to_owned();
        config
    }

    /// The event's configuration for a rehearsal on a copy of its database: other programs hear nothing of it, and the simulated hall is
    /// let in.
    pub(super) fn rehearsing(&self, event: served::Config) -> served::Config {
        let mut config = event.rehearsing(self.database());
        // The simulated hall plays, and no hub of the event.
        config.rehearsal_of = None;
        config.http.clock_rate = self.speed;
        config.broker.mode = served::BrokerMode::Embedded;
        config.broker.credentials_file = None;
        config.broker.username = None;
        config.broker.authority_file = None;
        config.tls = served::Tls::default();
        config
    }

    /// The configuration of the hub that follows all tables of a hall.
    ///
    /// # Errors
    ///
    /// A table at which nothing is played.
    pub(super) fn hub(
        &self,
        hall: &Hall,
        (broker, shard): (&(String, u16), &str),
        trays: bool,
    ) -> Result<followed::Config> {
        let mut tables: Vec<followed::TableConfig> = Vec::new();
        for node in hall.nodes() {
            let name = node.table.to_string();
            if tables.last().is_none_or(|table| table.name != name) {
                let mut matches = hall.matches().iter();
                let first = matches.find(|one| one.table == node.table);
                let header = &first.context("a table without a match")?.header;
                tables.push(followed::TableConfig {
                    name,
                    game: header.game,
                    rulebook: header.rulebook.parse()?,
                    time: header.time_control().context("a match without a time control")?,
                    nodes: Vec::new(),
                    levers: Vec::new(),
                });
            }
            let Some(table) = tables.last_mut() else { continue };
            table.nodes.push(followed::Node {
                board: node.board,
                kind: match node.kind {
                    HallNodeKind::Board => followed::NodeKind::Board,
                    HallNodeKind::Clock => followed::NodeKind::Clock,
                },
                sensor: node.sensor.unwrap_or(SensorKind::Reed),
                trays: trays && table.game == Game::Bughouse,
                id: node.node_id.clone(),
                label: None,
                port: Some(node.port.clone()),
                driver: hub::drivers::DriverSettings::default(),
            });
        }
        Ok(followed::Config {
            hub_id: "demo-hub".to_owned(),
            journal: self.journal(),
            keep_matches: 200,
            // The devices of the hall alone, whatever else is plugged into this machine.
            ports: Vec::new(),
            metrics_address: None,
            livechess_address: None,
            gpio: followed::Gpio::default(),
            broker: followed::Broker {
                host: broker.0.clone(),
                port: broker.1,
                shard: shard.to_owned(),
                login: None,
                encryption: None,
            },
            tables,
            left_out: Vec::new(),
            placing: followed::Placing::default(),
            source: followed::Source::default(),
        })
    }

    /// Removes a temporary folder in which nothing is worth keeping.
    pub(super) fn clean_up(&self, keep: bool) -> Result<()> {
        if self.is_temporary && !keep {
            remove(&self.folder)?;
        }
        Ok(())
    }
}

fn remove(folder: &Path) -> Result<()> {
    std::fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))
}
