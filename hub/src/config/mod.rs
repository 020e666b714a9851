//! `hub.toml`: which tables this hub follows, through which nodes and ports, and where rows go.
//!
//! A hall is set up in a hurry by people who are no programmers, so every problem of a file is
//! reported at once, each with its key, its value and what to do about it.

mod check;
mod driver;
mod encryption;
mod pins;
mod raw;
mod terms;

use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

pub use check::USUAL_PORTS;
pub use encryption::Encryption;

pub use hub_core::settings::{LeverPin, Node, NodeKind, Table};

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
    pub tables: Vec<Table>,
    /// Tables that cannot be followed as they are written, while the others can.
    pub left_out: Vec<LeftOut>,
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

    /// Checks the text of a configuration; `file` is for messages.
    ///
    /// # Errors
    ///
    /// As [`Config::load`].
    pub fn parse(file: &Path, text: &str) -> Result<Config, ConfigError> {
        let raw: raw::Config = toml::from_str(text).map_err(|error| ConfigError::Syntax {
            file: file.to_owned(),
            message: error.to_string(),
        })?;
        check::check(raw)
            .map_err(|problems| ConfigError::Invalid { file: file.to_owned(), problems })
    }
}

#[cfg(test)]
mod tests;
