//! Partitions of the public changes: those that are counted together.
//!
//! A viewer's position in the stream counts changes. Where a section is shown later than another, one count for both would tell at the
//! shorter delay that something has happened in the later section. So changes are counted by partition, and a position has an offset for each: sections that
//! every audience sees with the same delay share a partition, and what belongs to no section has one of its own.

use std::collections::{BTreeMap, BTreeSet};

use super::EventId;
use crate::config::Config;

/// Changes that are counted together; its place in a position of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Partition(usize);

impl Partition {
    /// Partition of all that belongs to no section: the event's name, its tables, its people.
    pub const GENERAL: Partition = Partition(0);

    /// Its place in a position of the stream.
    pub fn index(self) -> usize {
        self.0
    }
}

/// Counter of a partition.
#[derive(Clone, Debug)]
struct Count {
    /// Number of the next change.
    change: u64,
    last: EventId,
    event_changed: EventId,
    /// A section that is counted here; none for those without a delay of their own.
    section: Option<String>,
}

impl Count {
    fn of(section: Option<String>) -> Count {
        Count { change: 1, last: EventId::default(), event_changed: EventId::default(), section }
    }
}

/// The changes of everything that everybody may see.
#[derive(Clone, Debug)]
pub struct Partitions {
    /// The counters: without a section, of sections without a delay of their own, and the others; never fewer than two.
    counts: Vec<Count>,
    /// Partitions of sections with a delay of their own.
    of_section: BTreeMap<String, Partition>,
}

impl Partitions {
    /// Counters without a change.
    pub(super) fn new(config: &Config) -> Partitions {
        let http = &config.http;
        let usual = (http.public_delay_s, http.hall_delay_s);
        let own = config.sections.iter().map(|section| {
            let public_s = section.public_delay_s.unwrap_or(http.public_delay_s);
            let hall_s = section.hall_delay_s.unwrap_or(http.hall_delay_s);
            ((public_s, hall_s), section.name.clone())
        });
        let own: BTreeSet<_> = own.filter(|(delays, _)| *delays != usual).collect();
        let mut partitions = Partitions {
            counts: vec![Count::of(None), Count::of(None)],
            of_section: BTreeMap::new(),
        };
        let mut before = usual;
        for (delays, section) in own {
            if delays != before {
                partitions.counts.push(Count::of(Some(section.clone())));
                before = delays;
            }
            let last = Partition(partitions.counts.len() - 1);
            partitions.of_section.insert(section, last);
        }
        partitions
    }

    /// All, each with a section that is counted there; none where it has no delay of its own.
    pub fn all(&self) -> impl Iterator<Item = (Partition, Option<&str>)> {
        let sections = self.counts.iter().map(|count| count.section.as_deref());
        sections.enumerate().map(|(index, section)| (Partition(index), section))
    }

    /// Partition of a section, or of a table that is in none.
    pub fn of_section(&self, section: Option<&str>) -> Partition {
        let own = section.and_then(|name| self.of_section.get(name));
        own.copied().unwrap_or(Partition(1))
    }

    /// The last event there can be so far: a client that has seen it has seen everything.
    pub fn last(&self, partition: Partition) -> EventId {
        self.counts[partition.0].last
    }

    /// The event of the last change of sections, pairings or results.
    pub fn event_changed(&self, partition: Partition) -> EventId {
        self.counts[partition.0].event_changed
    }

    /// Grows whenever sections, pairings or results change.
    pub fn event_changes(&self) -> u64 {
        self.counts.iter().map(|count| count.event_changed.number()).sum()
    }

    /// Number of the next change.
    pub(super) fn change(&self, partition: Partition) -> u64 {
        self.counts[partition.0].change
    }

    /// An event was given.
    pub(super) fn note(&mut self, partition: Partition, event: EventId) {
        let last = &mut self.counts[partition.0].last;
        *last = event.max(*last);
    }

    /// Sections, pairings or results have changed.
    pub(super) fn touch_event(&mut self, partition: Partition) {
        let event = EventId::of_event(self.change(partition));
        self.counts[partition.0].event_changed = event;
        self.note(partition, event);
    }

    /// Gives the next change another number, where something has changed.
    pub(super) fn end_change(&mut self) {
        for count in &mut self.counts {
            if count.last > EventId::last_of(count.change - 1) {
                count.change += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partitions(sections: &str) -> Partitions {
        let text = format!("http.public_delay_s = 60\n{sections}");
        Partitions::new(&toml::from_str(&text).unwrap())
    }

    #[test]
    fn sections_that_everybody_sees_with_the_same_delays_are_counted_together() {
        let known = partitions(
            "[[section]]\nname = \"A\"\npublic_delay_s = 300\n[[section]]\nname = \"B\"\n[[section]]\nname = \"C\"\npublic_delay_s = 300\n\
             [[section]]\nname = \"D\"\npublic_delay_s = 300\nhall_delay_s = 5\n[[section]]\nname = \"E\"\npublic_delay_s = 60\n",
        );
        let of = |name| known.of_section(Some(name)).index();
        assert_eq!(["A", "B", "C", "D", "E", "typed in"].map(of), [2, 1, 2, 3, 1, 1]);
        assert_eq!(known.of_section(None).index(), 1);
        assert_eq!(known.all().count(), 4);
    }

    #[test]
    fn the_order_of_sections_in_the_file_means_nothing() {
        let a = "[[section]]\nname = \"A\"\npublic_delay_s = 300\n";
        let b = "[[section]]\nname = \"B\"\npublic_delay_s = 30\n";
        let [first, second] = [partitions(&format!("{a}{b}")), partitions(&format!("{b}{a}"))];
        for name in ["A", "B"] {
            assert_eq!(first.of_section(Some(name)), second.of_section(Some(name)));
        }
    }

    #[test]
    fn a_change_in_one_partition_moves_no_other_count() {
        let mut known = partitions("[[section]]\nname = \"A\"\npublic_delay_s = 300\n");
        let (slow, fast) = (known.of_section(Some("A")), known.of_section(None));
        known.touch_event(slow);
        known.end_change();
        assert_eq!((known.change(slow), known.change(fast)), (2, 1));
        assert_eq!(known.last(fast), EventId::default());
        assert_eq!(known.last(slow), known.event_changed(slow));
    }
}
