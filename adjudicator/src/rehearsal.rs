//! Rehearsal: the event's adjudicator on a copy of its database, with its own broker, pages, phones and screens, and with recorded readings
//! from its own hubs. Other programs and families receive no part of it.

use std::{
    ffi::OsString,
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use proto::mqtt::rehearsal_shard;
use rules::BoardId;

use crate::{
    config::{Config, FamilySettings, Records, StoreSettings},
    hall::Hall,
};

impl Config {
    /// The configuration of a rehearsal on this copy of the database. Other programs, broadcasts and families receive no part of it. Hubs
    /// are to play into a shard of its own.
    #[must_use]
    pub fn rehearsing(self, copy: PathBuf) -> Config {
        let Config { mut broker, mut limits, .. } = self;
        let rehearsal_of = Some(broker.shard.clone());
        broker.shard = rehearsal_shard(&broker.shard);
        broker.home_assistant = None;
        // Each hub has a second connection.
        limits.hubs = limits.hubs.saturating_mul(2);
        Config {
            rehearsal_of,
            broker,
            limits,
            store: StoreSettings { path: copy, ..StoreSettings::default() },
            records: Records::default(),
            families: FamilySettings::default(),
            webhooks: Vec::new(),
            pushes: Vec::new(),
            mirrors: Vec::new(),
            cluster: None,
            ..self
        }
    }
}

/// The folder of a rehearsal's copy, beside the event's database.
#[must_use]
pub fn copy_folder(of_event: &Path) -> PathBuf {
    let mut name = OsString::from(of_event);
    name.push("-rehearsal");
    name.into()
}

/// Deletes the copy of a rehearsal that was killed, or that lost its power. The caller has the lock of the event's database.
pub fn delete_copy(of_event: &Path) {
    let folder = copy_folder(of_event);
    match fs::remove_dir_all(&folder) {
        Ok(()) => {
            tracing::info!(folder = %folder.display(), "copy of an interrupted rehearsal deleted")
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => {
            tracing::warn!(folder = %folder.display(), %error, "copy of an interrupted rehearsal cannot be deleted; delete it by hand");
        }
    }
}

/// A hub in a rehearsal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RehearsedHub {
    /// Its id.
    pub id: String,
    /// Whether it plays the recording.
    pub is_online: bool,
    /// Its problems, in words for directors: nodes that are not connected are among them.
    pub troubles: Vec<String>,
    /// Its tables, by name.
    pub tables: Vec<RehearsedTable>,
}

/// A table in a rehearsal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RehearsedTable {
    /// Its name.
    pub table: String,
    /// Boards of the rehearsal's match.
    pub boards: Vec<BoardId>,
    /// Number of its plies; none before it begins.
    pub plies: Option<usize>,
}

/// The hubs of a hall: those of the event's log, and those that came. `began`: the last input before the rehearsal.
pub(crate) fn seen(hall: &Hall, began: u64) -> Vec<RehearsedHub> {
    let table = |name: &str| {
        let id = hall.tables().named(name).and_then(|table| table.match_id.as_deref());
        let game = id.and_then(|id| hall.game(id)).filter(|game| game.opened_input > began);
        RehearsedTable {
            table: name.to_owned(),
            plies: game.map(|game| game.referee().timeline().plies().len()),
            boards: game.map_or(Vec::new(), |game| game.boards.clone()),
        }
    };
    let hub = |hub: crate::hall::HubSummary| {
        let mut tables: Vec<_> = hall.tables_of_hub(&hub.id).map(table).collect();
        tables.sort_by(|a, b| a.table.cmp(&b.table));
        let troubles = hall.hub_troubles(&hub.id).to_vec();
        RehearsedHub { is_online: hub.is_online, troubles, tables, id: hub.id }
    };
    let mut hubs: Vec<_> = hall.hub_summaries().map(hub).collect();
    hubs.sort_by(|a, b| a.id.cmp(&b.id));
    hubs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rehearsal_sends_nothing_to_other_programs_and_families() {
        let text = "[families]\nntfy = \"https://ntfy.example.org\"\n[records]\npgn_folder = \"pgn\"\n\
             [[webhook]]\nurl = \"https://example.org\"\ntells = [\"needs\"]\n[[push]]\nsection = \"A\"\nrounds = [\"abcd1234\"]\n\
             [[mirror]]\nurl = \"https://example.org\"\n";
        let config: Config = toml::from_str(text).unwrap();
        assert!(config.families.ntfy.is_some() && config.pushes.len() == 1);
        let shard = config.broker.shard.clone();
        let rehearsal = config.rehearsing("copy.sqlite".into());
        let Config { families, webhooks, pushes, mirrors, records, broker, .. } = &rehearsal;
        assert!(families.ntfy.is_none() && pushes.is_empty() && mirrors.is_empty());
        assert!(webhooks.is_empty());
        assert!(records.pgn_folder.is_none() && broker.home_assistant.is_none());
        assert_ne!(broker.shard, shard, "rows of a rehearsal are never the event's");
        assert_eq!(rehearsal.rehearsal_of, Some(shard));
    }
}
