//! Sections that are shown with different delays keep to tables of their own.
//!
//! A table has one place on every screen. If a match of a section that is shown later followed one of a section that is shown sooner, the
//! table would have to jump back in time, and everybody would learn by that, before its delay, that the later one has begun.

use event::{Deed, PairingId};

use super::Hall;

impl Hall {
    /// Whether deeds leave each table to sections of the same delays.
    ///
    /// # Errors
    ///
    /// The table, and the two sections that cannot share it, in words.
    pub fn keeps_delays_apart(&self, deeds: &[Deed]) -> Result<(), String> {
        let mut made: Vec<(PairingId, &str, &str)> = Vec::new();
        for deed in deeds {
            if let Deed::SectionRenamed { section, name } = deed {
                self.may_be_called(section, name)?;
            }
            let (id, section, table) = match deed {
                Deed::PairingMade { pairing, section, table, .. } => {
                    (*pairing, section.as_str(), table.as_str())
                }
                Deed::PairingChanged { pairing, table, .. } => {
                    let known = self.event.state.pairings().get(pairing);
                    let known = known.map(|pairing| pairing.section.as_str());
                    let of_made = made.iter().find(|one| one.0 == *pairing).map(|one| one.1);
                    let Some(section) = known.or(of_made) else {
                        continue;
                    };
                    (*pairing, section, table.as_str())
                }
                _ => continue,
            };
            made.push((id, section, table));
        }
        made.iter().try_for_each(|&(id, section, table)| {
            let earlier = made.iter().filter(|one| one.2 == table).map(|one| one.1.to_owned());
            self.may_play_at(id, section, table, earlier)
        })
    }

    /// A delay belongs to a section's name.
    fn may_be_called(&self, section: &str, name: &str) -> Result<(), String> {
        let of = |name| self.partitions.of_section(Some(name));
        match of(section) == of(name) {
            true => Ok(()),
            false => Err(format!(
                "the configuration gives {section} and {name} different delays: write the new name there, and start the adjudicator again, first"
            )),
        }
    }

    fn may_play_at(
        &self,
        id: PairingId,
        section: &str,
        table: &str,
        made: impl Iterator<Item = String>,
    ) -> Result<(), String> {
        let known = self.event.state.pairings().iter();
        let known = known.filter(|(other, pairing)| **other != id && pairing.table == table);
        let known = known.map(|(_, pairing)| pairing.section.clone());
        let partition = self.partitions.of_section(Some(section));
        let is_other = |other: &String| self.partitions.of_section(Some(other)) != partition;
        match known.chain(self.disclosure.section(table)).chain(made).find(is_other) {
            None => Ok(()),
            Some(other) => Err(format!(
                "table {table}: sections {section} and {other} have different delays, so a table that changed between them would show results \
                 too early. Give each section its own tables, or set the same delays in the configuration"
            )),
        }
    }
}
