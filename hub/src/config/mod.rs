//! `hub.toml`: which tables this hub follows, through which nodes and ports, and where rows go.
//!
//! A hall is set up in a hurry by people who are no programmers, so every problem of a file is
//! reported at once, each with its key, its value and what to do about it.

mod check;
mod check_tables;
mod driver;
pub(crate) mod encryption;
pub(crate) mod joined;
mod pins;
pub mod placed;
mod raw;
mod terms;

use std::collections::BTreeSet;
use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

pub use check::USUAL_PORTS;
pub use encryption::Encryption;
pub use joined::Joined;

use crate::join::Joining;

pub use hub_core::settings::{LeverPin, Node, NodeKind, TableConfig};

/// Tables that one hub may follow.
pub const TABLES_MAX: usize = 16;

/// A valid configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Name of this hub; part of its topics.
    pub hub_id: String,
    /// The journal's file.
    pub journal: PathBuf,
    /// Finished matches kept in the journal, at most.
    pub keep_matches: u32,
    /// Patterns of the serial devices that may be nodes; empty: none but those of the configured nodes.
    pub ports: Vec<String>,
    /// Address of the hub's metrics.
    pub metrics_address: Option<SocketAddr>,
    /// Address of LiveChess's interface to the boards of one-board tables.
    pub livechess_address: Option<SocketAddr>,
    /// Where rows go.
    pub broker: Broker,
    /// What is wired to the hub's own pins.
    pub gpio: Gpio,
    /// The tables, in the order of the file.
    pub tables: Vec<TableConfig>,
    /// Tables that cannot be followed as they are written, while the others can.
    pub left_out: Vec<LeftOut>,
    /// Places that the directors' desk has given here.
    pub placing: Placing,
    /// Origin of the text.
    pub source: Source,
}

/// The text of a configuration, and the adjudicator that stands in for one that the text does not name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    file: PathBuf,
    text: String,
    joined: Option<(Joined, Joining)>,
}

/// Tables and places that the directors' desk has given to this hub, beside those of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placing {
    /// The request; 0: none.
    pub request: u64,
    /// Refused part, and what to do; empty if all of it holds.
    pub refused: String,
    /// Names of the tables that it brought.
    pub tables: BTreeSet<String>,
}

/// A table that is left out because its game is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The table's name.
    pub table: String,
    /// Problems of its game, rulebook or time control; at least one.
    pub problems: Vec<Problem>,
}

impl Config {
    /// Whether anything is wired to the hub's own pins.
    #[must_use]
    pub fn uses_pins(&self) -> bool {
        self.gpio != Gpio::default() || self.tables.iter().any(|table| !table.levers.is_empty())
    }
}

/// Parts that are wired to the hub's own pins, by their BCM numbers; levers are listed with their tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gpio {
    /// The light that says that all is well.
    pub ok_led: Option<u8>,
    /// The light that says that something is wrong.
    pub trouble_led: Option<u8>,
    /// The light that says that a match is recorded.
    pub recording_led: Option<u8>,
    /// The buzzer that sounds at a trouble during a match.
    pub buzzer: Option<u8>,
    /// Half-duplex lines whose direction a pin switches.
    pub rs485: Vec<Rs485>,
    /// Buttons with which players call a director to their table.
    pub call_buttons: Vec<CallButton>,
}

/// A button with which players call a director.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallButton {
    /// The table's name.
    pub table: String,
    /// The pin, low while it is pressed.
    pub pin: u8,
}

/// A half-duplex line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rs485 {
    /// The serial port.
    pub port: PathBuf,
    /// The pin, high to send; none: the kernel switches the line's own RTS.
    pub direction: Option<u8>,
}

/// The event's MQTT broker.
#[derive(Clone, PartialEq)]
pub struct Broker {
    /// Host name or address.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// Topic segment that tells adjudicators which hubs are theirs.
    pub shard: String,
    /// Name and password, when the broker asks for them.
    pub login: Option<(String, String)>,
    /// Authority and certificate of an encrypted connection.
    pub encryption: Option<Encryption>,
}

impl Broker {
    /// In the place of one that a file does not name.
    fn unknown() -> Broker {
        let (host, shard) = (String::new(), String::new());
        Broker { host, port: 0, shard, login: None, encryption: None }
    }
}

impl fmt::Debug for Broker {
    /// Without the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Broker")
            .field("host", &self.host)
            .field("port", &self.port)
            .field("shard", &self.shard)
            .field("username", &self.login.as_ref().map(|(name, _)| name))
            .field("encryption", &self.encryption)
            .finish()
    }
}

/// One thing that is wrong in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Path of the key, for example `table[2].node[1].port`.
    pub key: String,
    /// The file's value, as it would be written.
    pub value: String,
    /// The problem.
    pub wrong: String,
    /// The remedy.
    pub remedy: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Problem { key, value, wrong, remedy } = self;
        write!(f, "{key} = {value}: {wrong}; {remedy}")
    }
}

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration {}: {source}; give the right file with --config", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The file is no TOML, or has keys or types that no hub configuration has.
    #[error("{}: {message}correct that line; deploy/hub.example.toml shows every key", file.display())]
    Syntax {
        /// The file.
        file: PathBuf,
        /// Line, column and what was expected, several lines.
        message: String,
    },
    /// The file is well-formed, but says what cannot be.
    #[error("{}: {}", file.display(), list(problems))]
    Invalid {
        /// The file.
        file: PathBuf,
        /// All that is wrong.
        problems: Vec<Problem>,
    },
}

impl ConfigError {
    /// Whether the same configuration may work later, without anybody's doing: its disk may not be there yet.
    #[must_use]
    pub fn may_heal(&self) -> bool {
        use std::io::ErrorKind::{InvalidData, IsADirectory, NotFound, PermissionDenied};
        match self {
            ConfigError::Read { source, .. } => {
                !matches!(source.kind(), InvalidData | IsADirectory | NotFound | PermissionDenied)
            }
            ConfigError::Invalid { problems, .. } => problems.iter().all(Problem::may_heal),
            ConfigError::Syntax { .. } => false,
        }
    }
}

fn list(problems: &[Problem]) -> String {
    match problems {
        [problem] => problem.to_string(),
        _ => {
            let lines = problems.iter().map(|problem| format!("\n  {problem}"));
            format!("{} values cannot be used{}", problems.len(), lines.collect::<String>())
        }
    }
}

impl Config {
    /// Reads and checks a configuration file, and the password file it names.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is no TOML, or says what cannot be; all problems at once. A table whose game, rulebook or
    /// time control cannot be is [left out](Config::left_out), unless none is left.
    pub fn load(file: &Path) -> Result<Config, ConfigError> {
        let text = std::fs::read_to_string(file)
            .map_err(|source| ConfigError::Read { file: file.to_owned(), source })?;
        Self::parse(file, &text)
    }

    /// The same for a hub that may be accepted at the directors' desk, with its own files in a folder: the file may name no adjudicator, or be missing;
    /// then `otherwise` stands in for it. `None`: this hub has not been accepted yet.
    ///
    /// # Errors
    ///
    /// As [`Config::load`].
    pub fn load_in(
        file: &Path,
        joining: &Joining,
        otherwise: &str,
    ) -> Result<Option<Config>, ConfigError> {
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => otherwise.to_owned(),
            Err(source) => return Err(ConfigError::Read { file: file.to_owned(), source }),
        };
        let mut source = Source { file: file.to_owned(), text, joined: None };
        if source.raw()?.broker.is_none() {
            let Some(joined) = Joined::read(&joining.state) else { return Ok(None) };
            source.joined = Some((joined, joining.clone()));
        }
        Self::of(source).map(Some)
    }

    /// Checks the text of a configuration; `file` is for messages.
    ///
    /// # Errors
    ///
    /// As [`Config::load`].
    pub fn parse(file: &Path, text: &str) -> Result<Config, ConfigError> {
        Self::of(Source { file: file.to_owned(), text: text.to_owned(), joined: None })
    }

    /// Checks a text, with the desk's tables that are kept beside the journal.
    pub(crate) fn of(source: Source) -> Result<Config, ConfigError> {
        let journal = source.raw()?.hub.journal;
        let journal = journal.or_else(|| Some(joined::journal(&source.joined.as_ref()?.1.state)));
        let placed = journal.and_then(|journal| placed::read(&journal));
        Self::combine(&source, placed)
    }

    /// Checks a text together with tables that the desk has placed. Where both cannot hold, the text does.
    fn combine(source: &Source, placed: Option<placed::Placed>) -> Result<Config, ConfigError> {
        let invalid = |problems| ConfigError::Invalid { file: source.file.clone(), problems };
        let own = source.joined.as_ref();
        let alone = || check::check(source.raw()?, own).map_err(invalid);
        let (config, placing) = match placed {
            None => (alone()?, Placing::default()),
            Some(placed) => {
                let mut both = source.raw()?;
                let placing = placed.join(&mut both);
                match check::check(both, own) {
                    Ok(config) => (config, placing),
                    Err(problems) => {
                        let refused =
                            format!("the desk's tables cannot be used: {}", list(&problems));
                        let request = placing.request;
                        (alone()?, Placing { request, refused, ..Placing::default() })
                    }
                }
            }
        };
        Ok(Config { placing, source: source.clone(), ..config })
    }
}

impl Source {
    /// The adjudicator that accepted the hub, and how the hub asks; `None` if the text names one.
    pub(crate) fn joined(&self) -> Option<&(Joined, Joining)> {
        self.joined.as_ref()
    }

    /// The same text with another adjudicator that has accepted the hub.
    pub(crate) fn with(&self, joined: Joined) -> Source {
        let joined = self.joined.as_ref().map(|(_, joining)| (joined, joining.clone()));
        Source { joined, ..self.clone() }
    }

    fn raw(&self) -> Result<raw::RawConfig, ConfigError> {
        toml::from_str(&self.text).map_err(|error| ConfigError::Syntax {
            file: self.file.clone(),
            message: error.to_string(),
        })
    }
}

#[cfg(test)]
mod placed_tests;
#[cfg(test)]
mod tests;
