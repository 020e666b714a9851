//! Delays of an audience behind the boards, section by section.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use sha2::{Digest as _, Sha256};

use crate::config::{Config, Section};

/// The delays of an audience.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Delays {
    otherwise: Duration,
    sections: BTreeMap<String, Duration>,
}

impl Delays {
    /// The same for every section.
    pub(crate) fn alike(delay: Duration) -> Delays {
        Delays { otherwise: delay, sections: BTreeMap::new() }
    }

    /// The public's delays.
    pub(crate) fn of_broadcast(config: &Config) -> Delays {
        Delays::of(config, config.http.public_delay_s, |section| section.public_delay_s)
    }

    /// Delays of the hall's own screens.
    pub(crate) fn of_hall(config: &Config) -> Delays {
        Delays::of(config, config.http.hall_delay_s, |section| section.hall_delay_s)
    }

    fn of(
        config: &Config,
        otherwise_s: u32,
        of_section: impl Fn(&Section) -> Option<u32>,
    ) -> Delays {
        let seconds = |delay_s: u32| Duration::from_secs(delay_s.into());
        let own = config.sections.iter().filter_map(|section| {
            let delay = seconds(of_section(section)?);
            (delay != seconds(otherwise_s)).then(|| (section.name.clone(), delay))
        });
        Delays { otherwise: seconds(otherwise_s), sections: own.collect() }
    }

    /// All delays of tables and sections.
    pub(crate) fn of_everybody(config: &Config) -> BTreeSet<Duration> {
        let hall = config.http.hall_address.map(|_| Delays::of_hall(config).all());
        hall.into_iter().flatten().chain(Delays::of_broadcast(config).all()).collect()
    }

    /// A section's delay; what belongs to none has that of sections without one of their own.
    pub(crate) fn of_section(&self, section: Option<&str>) -> Duration {
        section.and_then(|name| self.sections.get(name)).copied().unwrap_or(self.otherwise)
    }

    /// Whether every section has the same.
    pub(crate) fn are_alike(&self) -> bool {
        self.sections.is_empty()
    }

    /// All that occur, the shortest first.
    pub(crate) fn all(&self) -> BTreeSet<Duration> {
        self.sections.values().copied().chain([self.otherwise]).collect()
    }

    /// Another number for other delays, most probably, of this audience or another, and for another counting: positions in the stream that
    /// were given out under other delays, or were counted otherwise, mean nothing. `counting`: what names log, release and configuration.
    pub(crate) fn digest(&self, others: &[&Delays], counting: &[u8]) -> u32 {
        let mut hasher = Sha256::new();
        hasher.update((counting.len() as u64).to_be_bytes());
        hasher.update(counting);
        for delays in [self].into_iter().chain(others.iter().copied()) {
            hasher.update(delays.otherwise.as_secs().to_be_bytes());
            hasher.update((delays.sections.len() as u64).to_be_bytes());
            for (section, delay) in &delays.sections {
                hasher.update((section.len() as u64).to_be_bytes());
                hasher.update(section);
                hasher.update(delay.as_secs().to_be_bytes());
            }
        }
        let digest = hasher.finalize();
        u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delays(text: &str) -> Delays {
        Delays::of_broadcast(&toml::from_str(text).unwrap())
    }

    #[test]
    fn a_section_has_its_own_delay_and_everything_else_that_of_the_audience() {
        let delays = delays(
            "http.public_delay_s = 60\n[[section]]\nname = \"K-3\"\npublic_delay_s = 300\n[[section]]\nname = \"Open\"",
        );
        let seconds = |section| delays.of_section(section).as_secs();
        assert_eq!((seconds(Some("K-3")), seconds(Some("Open")), seconds(None)), (300, 60, 60));
        assert_eq!(delays.all().len(), 2);
    }

    #[test]
    fn other_delays_have_another_digest() {
        let same = delays("http.public_delay_s = 60");
        let alike =
            delays("http.public_delay_s = 60\n[[section]]\nname = \"K-3\"\npublic_delay_s = 60");
        let other =
            delays("http.public_delay_s = 60\n[[section]]\nname = \"K-3\"\npublic_delay_s = 61");
        assert_eq!(same.digest(&[], b"7"), alike.digest(&[], b"7"));
        assert_ne!(same.digest(&[], b"7"), other.digest(&[], b"7"));
        assert_ne!(same.digest(&[&same], b"7"), same.digest(&[&other], b"7"));
        assert_ne!(same.digest(&[], b"7"), same.digest(&[], b"8"));
    }
}
