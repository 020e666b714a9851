//! Refuses configurations that cannot work, before anything is opened.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use rules::rulebook::{
    BookId,
    terms::{LosingChances, TdCalls},
};

use super::broker::{check_broker, check_tls};
use super::cluster::check_cluster;
use super::names::{MAX_NAME_LENGTH, is_segment};
use super::{Config, Event, Section, SilentAlerts, TableSettings, Td, alerts};
use crate::{
    limits::DELAYS_MAX,
    log::{StoreError, postgres::Server},
};

/// Longest event name, label or team label, in characters.
const MAX_TEXT_LENGTH: usize = 120;

/// Longest delay of an audience: an hour. More is a typing error.
const MAX_DELAY_S: u32 = 3600;

/// Longest configurable time until a claim is escalated, seconds: an hour.
const MAX_ESCALATION_S: u32 = 3600;

/// Longest time that a director's device works, hours: two weeks.
const MAX_DEVICE_HOURS: u32 = 14 * 24;

/// Fastest and slowest match time against real time.
const CLOCK_RATES: std::ops::RangeInclusive<f64> = 0.1..=1000.0;

/// A configuration that cannot work, and what to write instead.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration {}: {source}; give the right file with --config", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The file is no TOML, or holds unknown or wrongly typed values.
    #[error(
        "the configuration {} cannot be used: {source}correct that line; \
         deploy/adjudicator.example.toml shows every key", path.display()
    )]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Place and cause of the error.
        source: Box<toml::de::Error>,
    },
    /// A value that cannot work.
    #[error("configuration value {name}: {problem}")]
    Value {
        /// The value's name in the file.
        name: String,
        /// The problem and the remedy.
        problem: String,
    },
    /// The name of an address is not known here.
    #[error(
        "configuration value {name}: {address:?} is no address that is known here; write 127.0.0.1:1883"
    )]
    Unresolved {
        /// The value's name in the file.
        name: String,
        /// The text.
        address: String,
    },
    /// A value of a file that cannot work.
    #[error("the configuration {} cannot be used: {source}", path.display())]
    InFile {
        /// The file.
        path: PathBuf,
        /// The value and its remedy.
        source: Box<ConfigError>,
    },
}

impl ConfigError {
    /// Whether the same configuration may work later, without anybody's doing: a name may not be known yet, or a disk not be there.
    #[must_use]
    pub fn may_heal(&self) -> bool {
        use std::io::ErrorKind::{InvalidData, IsADirectory, NotFound, PermissionDenied};
        match self {
            ConfigError::Unreadable { source, .. } => {
                !matches!(source.kind(), InvalidData | IsADirectory | NotFound | PermissionDenied)
            }
            ConfigError::Unresolved { .. } => true,
            ConfigError::InFile { source, .. } => source.may_heal(),
            ConfigError::Syntax { .. } | ConfigError::Value { .. } => false,
        }
    }

    /// Says in which file the value stands.
    pub(super) fn in_file(self, path: &Path) -> ConfigError {
        ConfigError::InFile { path: path.to_owned(), source: Box::new(self) }
    }
}

pub(super) fn refuse(name: impl Into<String>, problem: impl Into<String>) -> ConfigError {
    ConfigError::Value { name: name.into(), problem: problem.into() }
}

pub(super) fn check(config: &Config) -> Result<(), ConfigError> {
    check_text("event.name", &config.event.name)?;
    if let Some(site) = &config.event.site {
        check_text("event.site", site)?;
    }
    let Event { rulebook, td_calls, losing_chances, .. } = &config.event;
    check_rules("event", rulebook.as_ref(), *td_calls, *losing_chances)?;
    check_store(config)?;
    check_http(config)?;
    check_td(&config.td)?;
    check_broker(config)?;
    check_tls(config)?;
    check_cluster(config)?;
    check_sections(config)?;
    check_limits(config)?;
    check_tables(config)
}

fn check_store(config: &Config) -> Result<(), ConfigError> {
    let Some(url) = &config.store.url else {
        return match config.store.password_file {
            Some(_) => Err(refuse(
                "store.password_file",
                "a file has no password: give store.url, too, or leave this out",
            )),
            None => Ok(()),
        };
    };
    Server::new(url, None, &config.broker.shard).map(drop).map_err(|error| match error {
        StoreError::Address(problem) => refuse("store.url", problem),
        error => refuse("store.url", error.to_string()),
    })
}

fn check_td(td: &Td) -> Result<(), ConfigError> {
    let within = |name: &str, value: u32, most: u32| match (1..=most).contains(&value) {
        true => Ok(()),
        false => Err(refuse(name, format!("{value} is out of range: 1 to {most}"))),
    };
    if td.decide_first && td.silent_alerts == SilentAlerts::Shown {
        let problem = "a director would have seen the alert before the claim: set td.silent_alerts = \"after-claim\" with it";
        return Err(refuse("td.decide_first", problem));
    }
    let sections = td.section_alerts.iter();
    let places = sections.map(|(name, kinds)| (format!("td.section_alerts.{name}"), kinds));
    for (place, kinds) in places.chain([("td.alerts".to_owned(), &td.alerts)]) {
        if let Some(code) = alerts::unknown(kinds) {
            let problem = format!(
                "there is no finding {code:?}: docs/accuracy/anomalies.csv names them, such as \"clock-hand\""
            );
            return Err(refuse(&place, problem));
        }
    }
    within("td.escalate_after_s", td.escalate_after_s, MAX_ESCALATION_S)?;
    within("td.device_hours", td.device_hours, MAX_DEVICE_HOURS)
}

/// A book that exists, and no agreement that the book beside it does not know.
fn check_rules(
    place: &str,
    rulebook: Option<&String>,
    td_calls: Option<bool>,
    losing_chances: Option<bool>,
) -> Result<(), ConfigError> {
    let Some(id) = rulebook else { return Ok(()) };
    let book: BookId = id.parse().map_err(|error: rules::rulebook::ParseBookIdError| {
        refuse(format!("{place}.rulebook"), error.to_string())
    })?;
    if td_calls == Some(true) && book.book().terms.td_calls == TdCalls::Never {
        let problem = format!(
            "{book} knows no agreement by which directors call: leave it out, or name a book that does"
        );
        return Err(refuse(format!("{place}.td_calls"), problem));
    }
    if losing_chances == Some(true) && book.book().terms.losing_chances == LosingChances::Never {
        let problem = format!(
            "{book} hears no claims of insufficient losing chances: leave it out, or name a book that does"
        );
        return Err(refuse(format!("{place}.losing_chances"), problem));
    }
    Ok(())
}

fn check_sections(config: &Config) -> Result<(), ConfigError> {
    let mut names = BTreeSet::new();
    let of_tables = config.tables.iter().filter_map(|table| table.section.as_ref());
    let of_tables: BTreeSet<&String> = of_tables.collect();
    for (index, section) in config.sections.iter().enumerate() {
        let place = format!("section[{}]", index + 1);
        let name = format!("{place}.name");
        check_text(&name, &section.name)?;
        if !names.insert(&section.name) {
            let problem = format!("{:?} stands twice; a section has one entry", section.name);
            return Err(refuse(name, problem));
        }
        let Section { rulebook, td_calls, losing_chances, .. } = section;
        let rules = rulebook.is_some() || td_calls.is_some() || losing_chances.is_some();
        // A section that is imported later has its rules there, and may have its delays here.
        let delays = section.public_delay_s.is_some() || section.hall_delay_s.is_some();
        if (rules || !delays) && !of_tables.contains(&section.name) {
            let problem = format!(
                "no [[table]] has section = {:?}; correct one of the two, or remove the entry",
                section.name
            );
            return Err(refuse(name, problem));
        }
        check_rules(&place, rulebook.as_ref(), *td_calls, *losing_chances)?;
    }
    Ok(())
}

/// Maximum number of proxies before the pages.
const TRUSTED_PROXIES_MAX: usize = 16;

fn check_http(config: &Config) -> Result<(), ConfigError> {
    if let Some(site) = config.http.embed_sites.iter().find(|site| !is_origin(site)) {
        let problem =
            format!("{site:?} is no site: give scheme and host, as \"https://club.example\"");
        return Err(refuse("http.embed_sites", problem));
    }
    check_delays(config)?;
    if config.http.trusted_proxies.len() > TRUSTED_PROXIES_MAX {
        let problem = format!("has at most {TRUSTED_PROXIES_MAX} addresses");
        return Err(refuse("http.trusted_proxies", problem));
    }
    if !CLOCK_RATES.contains(&config.http.clock_rate) {
        let problem = format!(
            "{} is out of range: give a number from 0.1 to 1000, 1 unless a demonstration runs faster",
            config.http.clock_rate
        );
        return Err(refuse("http.clock_rate", problem));
    }
    Ok(())
}

/// Delays that can be, and none with which the broadcast would be ahead of the hall.
fn check_delays(config: &Config) -> Result<(), ConfigError> {
    let http = &config.http;
    let of_event = ("http".to_owned(), http.public_delay_s, http.hall_delay_s);
    let of_sections = config.sections.iter().zip(1..).map(|(section, number)| {
        let public_s = section.public_delay_s.unwrap_or(http.public_delay_s);
        (format!("section[{number}]"), public_s, section.hall_delay_s.unwrap_or(http.hall_delay_s))
    });
    let mut delays = BTreeSet::new();
    for (place, public_s, hall_s) in [of_event].into_iter().chain(of_sections) {
        for (name, delay_s) in [("public_delay_s", public_s), ("hall_delay_s", hall_s)] {
            if delay_s > MAX_DELAY_S {
                let problem =
                    format!("{delay_s} is over an hour; give seconds, at most {MAX_DELAY_S}");
                return Err(refuse(format!("{place}.{name}"), problem));
            }
        }
        if http.hall_address.is_none() && hall_s != 0 {
            let problem = "it would have no effect: set http.hall_address, where the hall's screens find their pages, or leave it out";
            return Err(refuse(format!("{place}.hall_delay_s"), problem));
        }
        if http.hall_address.is_some() && hall_s > public_s {
            let problem = format!(
                "the hall would see after {hall_s} s what everybody sees after {public_s} s; make it at most that, or public_delay_s longer"
            );
            return Err(refuse(format!("{place}.hall_delay_s"), problem));
        }
        delays.extend([public_s, hall_s]);
    }
    if delays.len() > DELAYS_MAX {
        let problem = format!(
            "there are {} different delays, and at most {DELAYS_MAX} are kept: give some sections the same",
            delays.len()
        );
        return Err(refuse("section.public_delay_s", problem));
    }
    Ok(())
}

fn check_limits(config: &Config) -> Result<(), ConfigError> {
    for (name, value, most) in config.limits.each() {
        if !(1..=most).contains(&value) {
            return Err(refuse(name, format!("{value} cannot work; give 1 to {most}")));
        }
    }
    Ok(())
}

fn check_tables(config: &Config) -> Result<(), ConfigError> {
    let most = config.limits.tables;
    if config.tables.len() > most {
        let problem =
            format!("{} tables; at most {most}: raise limits.tables", config.tables.len());
        return Err(refuse("table", problem));
    }
    let mut names = BTreeSet::new();
    for (index, table) in config.tables.iter().enumerate() {
        let at = |field: &str| format!("table[{}].{field}", index + 1);
        check_segment(&at("name"), &table.name)?;
        if let Some(hub) = &table.hub {
            check_segment(&at("hub"), hub)?;
        }
        if !names.insert(&table.name) {
            let problem = format!("{:?} stands twice; every table has its own name", table.name);
            return Err(refuse(at("name"), problem));
        }
        let texts = table.label.iter().chain(&table.section).chain(table.teams.iter().flatten());
        for text in texts {
            check_text(&at("label, section or teams"), text)?;
        }
        let TableSettings { rulebook, td_calls, losing_chances, .. } = table;
        let place = format!("table[{}]", index + 1);
        check_rules(&place, rulebook.as_ref(), *td_calls, *losing_chances)?;
    }
    Ok(())
}

fn check_text(name: &str, text: &str) -> Result<(), ConfigError> {
    if text.trim().is_empty() || text.chars().count() > MAX_TEXT_LENGTH {
        let problem = format!("must have 1 to {MAX_TEXT_LENGTH} characters");
        return Err(refuse(name, problem));
    }
    if text.chars().any(char::is_control) {
        return Err(refuse(name, "must not hold control characters such as line breaks"));
    }
    if text.chars().any(event::is_invisible) {
        return Err(refuse(
            name,
            "must not hold invisible characters such as U+202E: write it again",
        ));
    }
    Ok(())
}

pub(super) fn check_segment(name: &str, text: &str) -> Result<(), ConfigError> {
    if is_segment(text) {
        return Ok(());
    }
    let problem = format!(
        "{text:?} must have 1 to {MAX_NAME_LENGTH} letters, digits, dots, dashes or underscores"
    );
    Err(refuse(name, problem))
}

/// Whether this is a scheme and a host, perhaps with a port, and nothing that could end a policy.
fn is_origin(site: &str) -> bool {
    let host = site.strip_prefix("https://").or_else(|| site.strip_prefix("http://"));
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
    host.is_some_and(|host| !host.is_empty() && host.chars().all(allowed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        let config: Config = toml::from_str(text).expect("the text is TOML");
        config.check().expect_err("the configuration must be refused").to_string()
    }

    #[test]
    fn an_empty_configuration_works() {
        Config::default().check().unwrap();
    }

    #[test]
    fn wrong_values_are_named_with_what_to_write_instead() {
        let cases = [
            "[event]\nrulebook = \"house-rules\"",
            "[event]\nname = \"\"",
            "[http]\npublic_delay_s = 99999",
            "[http]\nhall_delay_s = 5",
            "[http]\nhall_address = \"127.0.0.1:1\"\nhall_delay_s = 5",
            "[http]\npublic_delay_s = 60\n[[section]]\nname = \"S\"\npublic_delay_s = 4000",
            "[http]\npublic_delay_s = 60\nhall_address = \"127.0.0.1:1\"\nhall_delay_s = 30\n[[section]]\nname = \"S\"\npublic_delay_s = 10",
            "[http]\nclock_rate = 0.0",
            "[td]\ndecide_first = true",
            "[http]\nembed_sites = [\"https://a.example; script-src *\"]",
            "[http]\nembed_sites = [\"*\"]",
            "[broker]\nshard = \"a/b\"",
            "[broker]\naddress = \"nonsense\"",
            "[broker]\naddress = \"0.0.0.0:1883\"",
            "[broker]\nmode = \"external\"\naddress = \"broker.example\"",
            "[broker]\nmode = \"external\"\naddress = \"broker.example:1883\"\nusername = \"x\"",
            "[[table]]\nname = \"1\"\n[[table]]\nname = \"1\"",
            "[[table]]\nname = \"a table\"",
            "[[table]]\nname = \"1\"\nrulebook = \"nc-blitzz\"",
            "[event]\nrulebook = \"us-chess-bughouse-2018\"\ntd_calls = true",
            "[event]\nrulebook = \"nc-blitz\"\nlosing_chances = true",
            "[[section]]\nname = \"Blitz\"",
            "[[section]]\nname = \"S\"\n[[section]]\nname = \"S\"\n[[table]]\nname = \"1\"\nsection = \"S\"",
        ];
        let refusals: Vec<String> = cases.into_iter().map(refusal).collect();
        insta::assert_snapshot!(refusals.join("\n"));
    }

    #[test]
    fn unknown_values_are_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("adjudicator.toml");
        std::fs::write(&path, "[http]\nadress = \"127.0.0.1:1\"\n").unwrap();
        let message = Config::load(&path).unwrap_err().to_string();
        assert!(message.contains("adress") && message.contains("adjudicator.toml"), "{message}");
    }

    #[test]
    fn a_wrong_value_is_named_with_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("adjudicator.toml");
        std::fs::write(&path, "[http]\npublic_delay_s = 99999\n").unwrap();
        let message = Config::load(&path).unwrap_err().to_string();
        let shown = path.display().to_string();
        assert!(message.contains(&shown) && message.contains("public_delay_s"), "{message}");
    }

    #[test]
    fn paths_are_relative_to_the_configuration_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("adjudicator.toml");
        std::fs::write(&path, "[store]\npath = \"event.sqlite\"\n").unwrap();
        assert_eq!(Config::load(&path).unwrap().store.path, folder.path().join("event.sqlite"));
    }

    #[test]
    fn under_systemd_what_is_written_is_in_the_folder_for_state() {
        let mut config = Config::default();
        config.http.td_token_file = Some("td-token".into());
        config.records.pgn_folder = Some("pgn".into());
        config.records.feed_folder = Some("feed".into());
        config.resolve_paths(Path::new("/etc/twinboard"), Some(Path::new("/var/lib/twinboard")));
        assert_eq!(config.store.path, Path::new("/var/lib/twinboard/twinboard.sqlite"));
        assert_eq!(config.records.pgn_folder, Some("/var/lib/twinboard/pgn".into()));
        assert_eq!(config.records.feed_folder, Some("/var/lib/twinboard/feed".into()));
        assert_eq!(config.http.td_token_file, Some("/etc/twinboard/td-token".into()));
        let mut elsewhere = Config::default();
        elsewhere.store.path = "/srv/event.sqlite".into();
        elsewhere.resolve_paths(Path::new("/etc"), Some(Path::new("/var/lib/twinboard")));
        assert_eq!(elsewhere.store.path, Path::new("/srv/event.sqlite"));
    }

    #[test]
    fn the_example_configuration_is_taken() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/adjudicator.example.toml");
        let config = Config::load(std::path::Path::new(path)).unwrap();
        assert!(!config.event.show_player_names && config.tables.len() == 3);
    }

    #[test]
    fn the_example_configurations_of_a_cluster_are_taken() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/cluster");
        for (file, halls) in [("owner", 2), ("front", 0), ("north", 0)] {
            let config = Config::load(&folder.join(format!("{file}.example.toml"))).unwrap();
            assert_eq!(config.cluster.map_or(0, |cluster| cluster.halls.len()), halls, "{file}");
        }
    }

    #[test]
    fn a_cluster_that_cannot_work_is_refused_by_the_name_of_the_value() {
        for (text, name) in [
            ("event = \"open 26\"\nnats = [\"nats://a:4222\"]", "cluster.event"),
            ("event = \"open\"\nnats = []", "cluster.nats"),
            ("event = \"open\"\nnats = [\"nats://me:secret@a:4222\"]", "cluster.nats"),
            ("event = \"open\"\nnats = [\"nats://a:4222\"]\nusername = \"a\"", "cluster.username"),
            (
                "event = \"open\"\nnats = [\"nats://a:4222\"]\nrole = \"front\"\n[[cluster.hall]]\nconfig = \"a.toml\"",
                "cluster.hall",
            ),
        ] {
            let config: Config = toml::from_str(&format!("[cluster]\n{text}")).unwrap();
            let refused = config.check().unwrap_err().to_string();
            assert!(refused.contains(name) && !refused.contains("secret"), "{refused}");
        }
    }
}
