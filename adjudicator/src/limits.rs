//! Limits of a hall: how much of everything one adjudicator takes.
//!
//! Each is per adjudicator, so per shard. The four of [`Limits`] are the organiser's to set; the others are what an account, a device, an
//! address or a page may have of them, and follow from what a hall is.

use serde::Deserialize;

/// Maximum size of a hall: the part `[limits]` of the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Tables.
    pub tables: usize,
    /// Matches of the event, which are all kept in memory.
    pub matches: usize,
    /// Hubs that are connected, and whose births are remembered.
    pub hubs: usize,
    /// Live streams of everybody; twice as many connections are accepted from an address for pages.
    pub streams: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { tables: 512, matches: 8_192, hubs: 1_024, streams: 4_096 }
    }
}

impl Limits {
    /// The names of the limits with their values and the largest that can work.
    pub(crate) fn each(self) -> [(&'static str, usize, usize); 4] {
        [
            ("limits.tables", self.tables, TABLES_MAX),
            ("limits.matches", self.matches, 65_536),
            ("limits.hubs", self.hubs, 8_192),
            ("limits.streams", self.streams, 65_536),
        ]
    }
}

/// Maximum number of tables that can be configured: each needs an event id of its own in every change.
pub(crate) const TABLES_MAX: usize = 4_000;

/// Maximum number of delays that an event may have: each counts changes by itself.
pub const DELAYS_MAX: usize = 8;

/// Maximum number of states of matches that are held for audiences which see the hall later, for all delays. Where more would be
/// needed, delayed pages go on in longer steps.
pub const DELAYED_COPIES_MAX: usize = 32_768;

/// Maximum number of bytes of one hub: some sixteen tables fill a tenth of it in a long day. Rows count, births and wills, and what is noted as lost.
pub const HUB_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// Maximum number of boots of one hub: one that starts every ten minutes has had so many after four weeks.
pub const HUB_BOOTS_MAX: u64 = 4_096;

/// Longest payload of an act, bytes: an import of a large event.
pub const ACT_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Shortest token a tournament director may have.
pub(crate) const MIN_TOKEN_LENGTH: usize = 16;

/// Maximum number of event streams of one address. How many there may be in all follows from [`Limits::streams`].
pub(crate) const STREAMS_OF_ONE_ADDRESS_MAX: usize = 256;

/// The same of directors, who must see the hall whoever else watches.
pub(crate) const DIRECTORS_STREAMS_OF_ONE_ADDRESS_MAX: usize = 64;

/// Maximum number of connections for pages of one address: a school's telephones may share it.
pub(crate) const PAGES_OF_ONE_ADDRESS_MAX: usize = 512;

/// Maximum number of connections of hubs of one address: hubs behind a router may share it.
pub(crate) const HUBS_OF_ONE_ADDRESS_MAX: usize = 256;

/// Maximum number of matches that one hub may open: sixteen tables with forty rounds each are far less. Beyond it one account could use up
/// [`Limits::matches`] for the whole hall.
pub(crate) const HUB_MATCHES_MAX: usize = 2048;

/// Maximum number of tables that the event does not name and one hub may serve, twice what a hub's configuration takes.
pub(crate) const HUB_TABLES_MAX: usize = 32;

/// Maximum number of partitions of the changes that are counted together: two audiences with eight delays each, and what belongs to no section.
pub(crate) const PARTITIONS_MAX: usize = 65;

/// Hubs whose claims are remembered: more than a hall has.
pub(crate) const CLAIMING_HUBS_MAX: usize = 256;

/// Maximum number of items of the directors' list.
pub(crate) const NEEDS_MAX: usize = 300;

/// Maximum number of people that an event invites.
pub(crate) const INVITATIONS_MAX: usize = 1000;

/// Maximum number of event streams of directors; with few connections an eighth of them.
pub(crate) const DIRECTORS_STREAMS_MAX: u64 = 256;

/// Maximum number of connections for the metrics: a program or two that measure.
pub(crate) const METRICS_MAX: u64 = 64;

#[cfg(test)]
mod tests {
    use crate::{config::Config, hall::Hall};

    fn config(limits: &str, tables: usize) -> Config {
        let table = |number| format!("[[table]]\nname = \"{number}\"\n");
        let tables: String = (1..=tables).map(table).collect();
        toml::from_str(&format!("[limits]\n{limits}\n{tables}")).unwrap()
    }

    #[test]
    fn hall_takes_as_many_tables_as_its_configuration_says() {
        let large = config("tables = 2000", 2_000);
        large.check().unwrap();
        assert_eq!(Hall::new(&large).tables().len(), 2_000);
        let small = config("tables = 2", 3);
        assert!(small.check().unwrap_err().to_string().contains("raise limits.tables"));
        assert_eq!(Hall::new(&small).tables().len(), 2);
    }

    #[test]
    fn limit_that_cannot_work_is_refused_with_what_can() {
        for (limits, words) in [
            ("tables = 0", "limits.tables: 0 cannot work; give 1 to 4000"),
            ("tables = 4001", "limits.tables: 4001 cannot work; give 1 to 4000"),
            ("streams = 0", "limits.streams: 0 cannot work; give 1 to 65536"),
            ("hubs = 9000", "limits.hubs: 9000 cannot work; give 1 to 8192"),
            ("matches = 100000", "limits.matches: 100000 cannot work; give 1 to 65536"),
        ] {
            let error = config(limits, 0).check().unwrap_err().to_string();
            assert!(error.ends_with(words), "{error}");
        }
    }
}
