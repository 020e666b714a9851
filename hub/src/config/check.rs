//! Checks of a configuration, with all problems collected.

use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::join::Joining;

use super::{
    Broker, Config, Joined, Placing, Problem, Source, check_tables, encryption, joined, pins, raw,
};

const NAME_LENGTH_MAX: usize = 64;
const KEEP_MATCHES: i64 = 200;
const MQTT_PORT: i64 = 1883;
/// MQTT, encrypted.
const MQTTS_PORT: i64 = 8883;
/// Folders of serial devices on Linux, the stable names first.
pub const USUAL_PORTS: [&str; 3] = ["/dev/serial/by-id/*", "/dev/ttyACM*", "/dev/ttyUSB*"];
const PATTERNS_MAX: usize = 16;
const SHARD: &str = "hall";
/// Access of group and others to a file.
const OTHERS: u32 = 0o077;
/// A password file larger than this is some other file.
const PASSWORD_LENGTH_MAX: usize = 4_096;

/// Remedy for a journal without its folder. A disk that is mounted late brings the folder with it: [`Problem::may_heal`].
const NO_FOLDER_REMEDY: &str = "make it, or name a file in a folder that exists";

impl Problem {
    /// Whether time alone may mend it.
    pub(super) fn may_heal(&self) -> bool {
        self.key == "hub.journal" && self.remedy == NO_FOLDER_REMEDY
    }
}

/// Problems so far.
#[derive(Default)]
pub(super) struct Problems(pub(super) Vec<Problem>);

impl Problems {
    pub(super) fn add(
        &mut self,
        key: &str,
        value: impl ToString,
        wrong: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.0.push(Problem {
            key: key.to_owned(),
            value: value.to_string(),
            wrong: wrong.into(),
            remedy: remedy.into(),
        });
    }

    /// A number within limits; outside them the lower limit stands in until the file is rejected.
    pub(super) fn number(&mut self, key: &str, value: i64, low: u32, high: u32) -> u32 {
        match u32::try_from(value) {
            Ok(number) if (low..=high).contains(&number) => number,
            _ => {
                self.add(
                    key,
                    value,
                    "out of range",
                    format!("give a whole number from {low} to {high}"),
                );
                low
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn append(&mut self, other: Problems) {
        self.0.extend(other.0);
    }

    /// A name that can be a segment of a topic and a file's stem.
    pub(super) fn name(&mut self, key: &str, value: &str) {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if value.is_empty() || value.len() > NAME_LENGTH_MAX || !value.bytes().all(plain) {
            self.add(
                key,
                quoted(value),
                "not usable as a name",
                format!("use 1 to {NAME_LENGTH_MAX} letters, digits, '-', '_' or '.'"),
            );
        }
    }
}

pub(super) fn quoted(text: &str) -> String {
    format!("{text:?}")
}

pub(super) fn shown(path: &Path) -> String {
    format!("{:?}", path.to_string_lossy())
}

pub(super) fn check(
    raw: raw::RawConfig,
    own: Option<&(Joined, Joining)>,
) -> Result<Config, Vec<Problem>> {
    let mut problems = Problems::default();
    let broker = match (raw.broker, own) {
        (Some(broker), _) => Some(check_broker(broker, &mut problems)),
        (None, Some((joined, joining))) => joined.broker(&joining.state, &mut problems),
        (None, None) => {
            let remedy =
                "write [broker] and host = \"adjudicator.local\", or start the hub with --join";
            problems.add("broker", "nothing", "no adjudicator is named", remedy);
            None
        }
    };
    let hub_id = check_id(raw.hub.id, own, &mut problems);
    let journal =
        raw.hub.journal.or_else(|| own.map(|(_, joining)| joined::journal(&joining.state)));
    let journal = journal.unwrap_or_else(|| {
        let remedy = "write journal = \"/var/lib/twinboard-hub/hub.sqlite\"";
        problems.add("hub.journal", "nothing", "no journal is named", remedy);
        PathBuf::from("hub.sqlite")
    });
    check_journal(&journal, &mut problems);
    let keep_matches = raw.hub.keep_matches.unwrap_or(KEEP_MATCHES);
    let mut taken_pins = pins::UsedPins::default();
    let mut config = Config {
        keep_matches: problems.number("hub.keep_matches", keep_matches, 1, 100_000),
        ports: check_ports(raw.hub.ports, &mut problems),
        metrics_address: check_address(
            "hub.metrics_address",
            raw.hub.metrics_address,
            "write one, for example \"127.0.0.1:9465\"",
            &mut problems,
        ),
        livechess_address: check_address(
            "hub.livechess_address",
            raw.hub.livechess_address,
            "write one, for example \"127.0.0.1:1982\"",
            &mut problems,
        ),
        broker: broker.unwrap_or_else(Broker::unknown),
        gpio: pins::check_gpio(raw.gpio, &mut taken_pins, &mut problems),
        tables: Vec::new(),
        left_out: Vec::new(),
        placing: Placing::default(),
        source: Source::default(),
        hub_id,
        journal,
    };
    let names: Vec<String> = raw.table.iter().map(|table| table.name.clone()).collect();
    pins::check_tables_of_buttons(&config.gpio, &names, &mut problems);
    for table in check_tables::check_tables(raw.table, &mut taken_pins, &mut problems) {
        match table {
            Ok(table) => config.tables.push(table),
            Err(left_out) => config.left_out.push(left_out),
        }
    }
    // A hub without tables gets them from the directors' desk.
    if problems.is_empty() && (!config.tables.is_empty() || config.left_out.is_empty()) {
        return Ok(config);
    }
    // A hub that starts all the same could hide one problem behind another.
    problems.0.extend(config.left_out.into_iter().flat_map(|table| table.problems));
    Err(problems.0)
}

/// Id of the hub: of the file, or else the one under which the hub was accepted.
fn check_id(
    id: Option<String>,
    own: Option<&(Joined, Joining)>,
    problems: &mut Problems,
) -> String {
    match (id, own) {
        (Some(id), Some((joined, _))) if id != joined.hub_id => {
            let remedy = "remove it: a hub that was accepted at the desk has the id of its key";
            let wrong = format!("this hub was accepted as {:?}", joined.hub_id);
            problems.add("hub.id", quoted(&id), wrong, remedy);
            id
        }
        (Some(id), _) => {
            problems.name("hub.id", &id);
            id
        }
        (None, Some((joined, _))) => joined.hub_id.clone(),
        (None, None) => {
            problems.add("hub.id", "nothing", "the hub has no name", "write id = \"hub-1\"");
            String::new()
        }
    }
}

fn check_journal(journal: &Path, problems: &mut Problems) {
    let folder = match journal.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => Path::new("/"),
    };
    if journal.file_name().is_none() || journal.is_dir() {
        problems.add(
            "hub.journal",
            shown(journal),
            "not a file",
            "name a file, for example hub.sqlite",
        );
    } else if !folder.is_dir() {
        problems.add(
            "hub.journal",
            shown(journal),
            format!("the folder {} does not exist", shown(folder)),
            NO_FOLDER_REMEDY,
        );
    }
}

fn check_address(
    key: &str,
    raw: Option<String>,
    remedy: &str,
    problems: &mut Problems,
) -> Option<SocketAddr> {
    let text = raw?;
    let address = text.parse().ok();
    if address.is_none() {
        problems.add(key, quoted(&text), "not an address with a port", remedy);
    }
    address
}

fn check_ports(raw: Option<Vec<String>>, problems: &mut Problems) -> Vec<String> {
    let Some(patterns) = raw else { return USUAL_PORTS.map(str::to_owned).to_vec() };
    if patterns.len() > PATTERNS_MAX {
        problems.add(
            "hub.ports",
            format!("{} patterns", patterns.len()),
            format!("more than {PATTERNS_MAX}"),
            "a pattern with * stands for many devices, as \"/dev/ttyACM*\" does",
        );
    }
    for (index, pattern) in patterns.iter().enumerate() {
        if let Err(error) = glob::Pattern::new(pattern) {
            problems.add(
                &format!("hub.ports[{}]", index + 1),
                quoted(pattern),
                format!("not a pattern of paths ({})", error.msg),
                "write a path in which * stands for any characters, for example \"/dev/ttyACM*\"",
            );
        }
    }
    patterns
}

fn check_broker(raw: raw::RawBroker, problems: &mut Problems) -> Broker {
    if raw.host.trim().is_empty() || raw.host.contains(['/', ' ']) {
        problems.add(
            "broker.host",
            quoted(&raw.host),
            "not a host",
            "give a host name or an address alone, for example \"adjudicator.local\"",
        );
    }
    let shard = raw.shard.unwrap_or_else(|| SHARD.to_owned());
    problems.name("broker.shard", &shard);
    let encryption =
        raw.tls_folder.and_then(|folder| encryption::read_bundle(&folder, None, problems));
    let usual = if encryption.is_some() { MQTTS_PORT } else { MQTT_PORT };
    let port = problems.number("broker.port", raw.port.unwrap_or(usual), 1, u16::MAX.into());
    let login = match (raw.username, raw.password_file) {
        (None, None) => None,
        (Some(name), Some(file)) => read_password(&file, problems).map(|password| (name, password)),
        (Some(name), None) => {
            problems.add(
                "broker.username",
                quoted(&name),
                "has no password",
                "name the file that holds it as broker.password_file",
            );
            None
        }
        (None, Some(file)) => {
            problems.add(
                "broker.password_file",
                shown(&file),
                "has no user name",
                "give broker.username too",
            );
            None
        }
    };
    Broker { host: raw.host, port: u16::try_from(port).unwrap_or(1), shard, login, encryption }
}

/// Path of a secret: systemd's credential of the file's name, or the file itself if only its owner can read it.
pub(super) fn private(key: &str, file: &Path, problems: &mut Problems) -> Option<PathBuf> {
    // A credential from systemd belongs to the hub alone whatever its mode is: access to the folder is restricted. A line end alone means
    // that there is no such file: systemd accepts no empty one.
    let handed_over = std::env::var_os("CREDENTIALS_DIRECTORY")
        .and_then(|folder| Some(Path::new(&folder).join(file.file_name()?)))
        .filter(|handed| handed.metadata().is_ok_and(|about| about.len() > 1));
    if let Some(handed_over) = handed_over {
        return Some(handed_over);
    }
    let is_open = file.metadata().is_ok_and(|about| about.permissions().mode() & OTHERS != 0);
    if is_open && file.is_file() {
        problems.add(
            key,
            shown(file),
            "others can read it",
            "chmod 600 it, and let it belong to the user who runs the hub",
        );
        return None;
    }
    Some(file.to_owned())
}

fn read_password(file: &Path, problems: &mut Problems) -> Option<String> {
    let key = "broker.password_file";
    let file = &private(key, file, problems)?;
    let password = match std::fs::read_to_string(file) {
        Ok(text) => text.trim_end_matches(['\r', '\n']).to_owned(),
        Err(error) => {
            problems.add(key, shown(file), error.to_string(), "make the file readable for the hub");
            return None;
        }
    };
    if password.is_empty() || password.len() > PASSWORD_LENGTH_MAX || password.contains('\n') {
        problems.add(
            key,
            shown(file),
            "does not hold one password",
            "write the password alone, on one line",
        );
        return None;
    }
    Some(password)
}
