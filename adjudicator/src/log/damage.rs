//! Damage of the log, in words for directors: it is this machine's disk, and nobody's who sent something.

use super::Place;

/// Boots that are named one by one.
const BOOTS_NAMED: usize = 4;

/// Damage found and mended at the start, and since.
#[derive(Clone, Debug, Default)]
pub struct Damage {
    pub(super) place: Place,
    /// Time at which the log was opened, Unix milliseconds.
    pub(super) since_ms: u64,
    /// Inputs that are not what was written, and have not been given again.
    pub(super) damaged: u64,
    /// Numbers that no input has.
    pub(super) missing: u64,
    /// Errors that SQLite finds in the file.
    pub(super) file: Option<String>,
    /// Boots whose position was set back: hub, from, to.
    pub(super) set_back: Vec<(String, u64, u64)>,
    /// Damaged rows that their hubs gave again.
    pub(super) given_again: u64,
    /// Acts that were put back in their places.
    pub(super) acts_mended: u64,
    /// Acts that were put back behind everything else.
    pub(super) acts_put_back: Vec<u64>,
    /// The copy of the acts was damaged itself.
    pub(super) is_copy_damaged: bool,
    /// The copy of the acts cannot be written.
    pub(super) copy_fails: Option<String>,
    /// Error of a server that refuses writes, for as long as it does.
    pub(super) refused: Option<String>,
}

impl Damage {
    /// Time since which it is known, Unix milliseconds.
    #[must_use]
    pub fn since_ms(&self) -> u64 {
        self.since_ms
    }

    /// Notices to directors, a sentence or two each, with a name by which each is known again.
    #[must_use]
    pub fn notices(&self) -> Vec<(&'static str, String)> {
        let notices = [
            ("file", self.words_of_file()),
            ("rows", self.words_of_rows()),
            ("missing", self.words_of_missing()),
            ("positions", self.words_of_positions()),
            ("acts", self.words_of_acts()),
            ("copy", self.words_of_copy()),
            ("copy-fails", self.words_of_failing_copy()),
            ("refused", self.words_of_refusal()),
        ];
        notices.into_iter().filter_map(|(name, words)| Some((name, words?))).collect()
    }

    fn words_of_file(&self) -> Option<String> {
        let found = self.file.as_ref()?;
        Some(format!(
            "{} has damaged the database {}: {found}. Everything is still recorded, and each row is checked by itself. \
             After the round {}.",
            self.place.disk(),
            self.place,
            self.place.restore_words()
        ))
    }

    fn words_of_rows(&self) -> Option<String> {
        let again = self.given_again + self.acts_mended;
        let all = self.damaged + again;
        let of_them = match again {
            0 => String::new(),
            again => format!(" {again} of them were given again and count from the next start on."),
        };
        (all > 0).then(|| format!(
            "{} has damaged {all} {} of the log, and they are left out.{of_them} Hubs send again the rows that they still have; for the rest {}.",
            self.place.disk(),
            if all == 1 { "input" } else { "inputs" },
            self.place.restore_words()
        ))
    }

    fn words_of_missing(&self) -> Option<String> {
        (self.missing > 0).then(|| format!(
            "{} {} of the log are missing from the disk. Hubs send again the rows that they still have; for the rest {}.",
            self.missing,
            if self.missing == 1 { "input" } else { "inputs" },
            self.place.restore_words()
        ))
    }

    fn words_of_positions(&self) -> Option<String> {
        let named = self.set_back.iter().take(BOOTS_NAMED);
        let named: Vec<String> =
            named.map(|(hub, from, to)| format!("hub {hub} from {from} to {to}")).collect();
        (!named.is_empty()).then(|| format!(
            "Positions of hubs were ahead of their rows and were set back ({}{}): these hubs give their rows again when they connect.",
            named.join(", "),
            if self.set_back.len() > BOOTS_NAMED { ", and others" } else { "" }
        ))
    }

    fn words_of_acts(&self) -> Option<String> {
        let (first, last) = (self.acts_put_back.first()?, self.acts_put_back.last()?);
        Some(format!(
            "{} acts that had been answered were missing from the log: its end was lost on this machine's disk. They were put back as acts \
             {first} to {last}; check in the report that each was accepted, and repeat those that were refused.",
            self.acts_put_back.len()
        ))
    }

    fn words_of_copy(&self) -> Option<String> {
        self.is_copy_damaged.then(|| "The copy of the last acts beside the database was damaged, and was made again from the log: this machine's \
             disk gives back what it was not given. Copy the database to another disk, and change the disk after the event.".to_owned())
    }

    fn words_of_refusal(&self) -> Option<String> {
        let reason = self.refused.as_ref()?;
        Some(format!(
            "Nothing new is recorded: {reason}. Hubs and phones keep what they have, and give it when the database takes it again."
        ))
    }

    fn words_of_failing_copy(&self) -> Option<String> {
        let reason = self.copy_fails.as_ref()?;
        Some(format!(
            "The copy of the last acts beside the database cannot be written ({reason}): acts are in the log alone."
        ))
    }
}
