//! Where an event is kept: in a file of its acts, one a line, or in the database of the adjudicator that serves it. Every task reads and
//! changes it in the same way.

use std::path::{Path, PathBuf};

use adjudicator::{
    Config,
    log::StoreError,
    outlets::event_log::{self, EventLogError},
    pki::secrets,
};
use anyhow::{Context, Result, bail, ensure};
use event::{Author, Deed, Event, EventAct, Role};

use crate::{files, shell};

/// The end of a configuration's name: it stands for the event that is served.
const CONFIGURATION: &str = "toml";

/// The author at the command line: the owner of the file may do everything.
pub(super) fn author() -> Author {
    Author { name: "command line".to_owned(), role: Role::Chief }
}

/// Where an event is kept.
enum Place {
    /// In a file of its acts.
    File(PathBuf),
    /// In the database that this configuration names.
    Served(Box<Config>),
}

impl Place {
    fn of(path: &Path) -> Result<Place> {
        Ok(match path.extension().is_some_and(|end| end == CONFIGURATION) {
            true => Place::Served(Box::new(Config::load(path)?)),
            false => Place::File(path.to_owned()),
        })
    }
}

/// The event of a file, or of the adjudicator whose configuration is named.
pub(super) fn read(path: &Path) -> Result<Event> {
    match Place::of(path)? {
        Place::File(path) => read_acts(&path),
        Place::Served(config) => shell::run(|_| async move { Ok(event_log::read(&config).await?) }),
    }
}

fn read_acts(path: &Path) -> Result<Event> {
    let bytes = files::read(path)?;
    let text = std::str::from_utf8(&bytes).with_context(|| {
        format!(
            "{} is no event: it is not UTF-8; of an event that is served name the configuration (.toml)",
            path.display()
        )
    })?;
    let mut event = Event::default();
    for (line, row) in (1..).zip(text.lines()).filter(|(_, row)| !row.trim().is_empty()) {
        let at = || format!("{}, line {line}: this act cannot be read", path.display());
        let act: EventAct = serde_json::from_str(row).with_context(at)?;
        event.handle(act).with_context(at)?;
    }
    Ok(event)
}

/// The event of a place, or a new one where there is none yet.
pub(super) fn read_or_begin(path: &Path) -> Result<Event> {
    match path.exists() {
        true => read(path),
        false => {
            ensure!(
                path.extension().is_none_or(|end| end != CONFIGURATION),
                "there is no configuration {}: give the one that `twinboard serve --config` has",
                path.display()
            );
            Ok(Event::default())
        }
    }
}

/// Keeps what was added to an event since it had `before` acts.
pub(super) fn keep(path: &Path, event: &Event, before: usize) -> Result<()> {
    match Place::of(path)? {
        Place::File(path) => {
            let mut text = String::new();
            for act in event.acts() {
                text.push_str(&serde_json::to_string(act).context("an act cannot be written")?);
                text.push('\n');
            }
            files::write(&path, text.as_bytes())
        }
        Place::Served(config) => {
            let added = event.acts().iter().skip(before);
            let deeds: Vec<Deed> = added.map(|act| act.deed.clone()).collect();
            if deeds.is_empty() {
                return Ok(());
            }
            shell::run(|_| async move { add(&config, deeds).await })
        }
    }
}

/// Adds deeds to the served event: in its database, or through the adjudicator that has it open.
async fn add(config: &Config, deeds: Vec<Deed>) -> Result<()> {
    match event_log::append(config, deeds.clone()).await {
        Err(EventLogError::Store(StoreError::InUse { .. })) => send(config, &deeds).await,
        done => Ok(done?),
    }
}

/// Hands deeds to a running adjudicator, as a file of them.
async fn send(config: &Config, deeds: &[Deed]) -> Result<()> {
    let address = crate::invite::reachable(config.http.address);
    let token = config.http.td_token_file.as_ref().with_context(|| {
        format!(
            "the adjudicator at {address} has the event open, and accepts changes by its token alone. Name a file in http.td_token_file \
             (`twinboard token FILE` makes it), or stop the adjudicator first"
        )
    })?;
    let token = secrets::read(token)?;
    let lines: serde_json::Result<Vec<String>> = deeds.iter().map(serde_json::to_string).collect();
    let url = format!("http://{address}/api/v1/td/event/import?kind=deeds&acts={}", deeds.len());
    let request = reqwest::Client::new().post(url).bearer_auth(token).body(lines?.join("\n"));
    let answer = request.send().await.with_context(|| {
        format!("the event is in use, and no adjudicator answers at {address} (http.address)")
    })?;
    if answer.status().is_success() {
        return Ok(());
    }
    let said: serde_json::Value = answer.json().await.unwrap_or_default();
    let first = said["problems"][0]["what"].as_str();
    let reason = said["error"].as_str().or(said["reason"].as_str()).or(first);
    bail!("the adjudicator refuses, and nothing was changed: {}", reason.unwrap_or("no reason"));
}

/// One more act of the command line.
pub(super) fn act(event: &mut Event, deed: Deed) -> Result<()> {
    event.handle(EventAct { number: event.next_number(), by: author(), deed })?;
    Ok(())
}
