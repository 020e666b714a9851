//! Results that the sides report themselves at their table, and the links of tables by which they do.
//!
//! A report is provisional. It is compared with the other side's report, the sensors and the directors' entries, and replaces none of
//! them. Where nothing else is known, reports that agree are the result until a director confirms it.

use rules::standings::{Outcome, Side};

use crate::{
    Change, Event, Pairing, PairingId, Refusal,
    RefusalKind::{OutOfBounds, Taken, Unknown},
    event::Handled,
};

/// Characters of a link's digest: 256 bits in hexadecimal.
const DIGEST_CHARACTERS: usize = 64;

/// A link of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableLink {
    /// Digest of its secret.
    pub(crate) digest: String,
    /// The act that gave it, which distinguishes it from all other links.
    pub number: u64,
}

/// Latest report of each side, with the number of its act.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reports([Option<(u64, Vec<Outcome>)>; 2]);

impl Reports {
    /// Report of a side, with the number of its act.
    #[must_use]
    pub fn of(&self, side: Side) -> Option<(u64, &[Outcome])> {
        let report = self.0[usize::from(side == Side::Second)].as_ref();
        report.map(|(number, outcomes)| (*number, outcomes.as_slice()))
    }

    /// The reports that there are.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &[Outcome])> {
        [Side::First, Side::Second].into_iter().filter_map(|side| self.of(side))
    }

    /// Whether both sides report, and each another result.
    #[must_use]
    pub fn contradict(&self) -> bool {
        let mut all = self.iter().map(|(_, outcomes)| outcomes);
        all.next().zip(all.next()).is_some_and(|(one, other)| one != other)
    }

    /// Whether both sides report the same.
    #[must_use]
    pub fn agree(&self) -> bool {
        self.iter().count() == 2 && !self.contradict()
    }

    /// The result by the reports alone; none while they contradict each other.
    pub(crate) fn result(&self) -> Option<&[Outcome]> {
        self.iter().next().filter(|_| !self.contradict()).map(|(_, outcomes)| outcomes)
    }
}

impl Pairing {
    /// Reports of its sides.
    #[must_use]
    pub fn reports(&self) -> &Reports {
        &self.said.reports
    }

    /// Reports that a director has yet to look at: those that contradict each other or the result, and came after its confirmation.
    #[must_use]
    pub fn is_disputed(&self, by_sensors: &[Outcome]) -> bool {
        let confirmed = self.said.confirmed.as_ref().map_or(0, |(number, _)| *number);
        let decided = if self.confirmed { confirmed.max(self.final_since()) } else { 0 };
        let later = || self.reports().iter().filter(|(number, _)| *number > decided);
        let differs = |result: &[Outcome]| {
            !result.is_empty() && later().any(|(_, outcomes)| outcomes != result)
        };
        let sensors_count = !self.confirmed && differs(by_sensors);
        let contradict = !self.confirmed && self.reports().contradict();
        contradict || sensors_count || differs(&self.outcomes)
    }

    /// The number that the next act had when its matches became final.
    fn final_since(&self) -> u64 {
        if self.played.is_final { self.played.since.saturating_sub(1) } else { 0 }
    }
}

impl Event {
    /// The table whose link has this digest, with the link.
    #[must_use]
    pub fn linked_table(&self, digest: &str) -> Option<(&str, &TableLink)> {
        let found = self.table_links.iter().find(|(_, link)| link.digest == digest);
        found
            .filter(|(table, _)| self.tables.contains(table))
            .map(|(table, it)| (table.as_str(), it))
    }

    /// Whether a table's link is out.
    #[must_use]
    pub fn has_table_link(&self, table: &str) -> bool {
        self.table_links.contains_key(table)
    }

    pub(crate) fn report_side(
        &mut self,
        id: PairingId,
        side: Side,
        outcomes: &[Outcome],
    ) -> Handled {
        let pairing = self.pairing(id)?;
        self.check_terms(pairing, outcomes)?;
        let report = Some((self.next_number(), outcomes.to_vec()));
        self.say(id, |said| said.reports.0[usize::from(side == Side::Second)] = report)
    }

    pub(crate) fn give_table_link(&mut self, table: &str, digest: &str) -> Handled {
        let place = format!("table {table}");
        if !self.tables.iter().any(|known| known == table) {
            return Err(Refusal::new(Unknown, place, "there is no such table", "list it first"));
        }
        self.check_digest(&place, digest)?;
        let link = TableLink { digest: digest.to_owned(), number: self.next_number() };
        self.table_links.insert(table.to_owned(), link);
        Ok(vec![Change::Tables])
    }

    pub(crate) fn revoke_table_link(&mut self, table: &str) -> Handled {
        match self.table_links.remove(table) {
            Some(_) => Ok(vec![Change::Tables]),
            None => {
                let place = format!("table {table}");
                Err(Refusal::new(Unknown, place, "no link is out", "leave it at that"))
            }
        }
    }

    /// A digest that no link has.
    pub(crate) fn check_digest(&self, place: &str, digest: &str) -> Result<(), Refusal> {
        let is_digest = digest.len() == DIGEST_CHARACTERS
            && digest.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if !is_digest {
            let what = format!("a link has a digest of {DIGEST_CHARACTERS} hexadecimal digits");
            return Err(Refusal::new(OutOfBounds, place, what, "have the page make the link"));
        }
        if self.linked(digest).is_some() || self.linked_table(digest).is_some() {
            return Err(Refusal::new(Taken, place, "the link is in use", "make another one"));
        }
        Ok(())
    }
}
