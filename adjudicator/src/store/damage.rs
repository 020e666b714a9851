//! Damage of the log, in words for directors: it is this machine's disk, and nobody's who sent something.

use std::path::{Path, PathBuf};

/// Boots that are named one by one.
const BOOTS_NAMED: usize = 4;

/// What was found and done at the start, and since.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    pub(super) path: PathBuf,
    /// When the log was opened, Unix milliseconds.
    pub(super) since_ms: u64,
    /// Inputs that are not what was written, and have not been given again.
    pub(super) damaged: u64,
    /// Numbers that no input has.
    pub(super) missing: u64,
    /// What SQLite finds wrong with the file.
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
}

impl Damage {
    /// Since when it is known, Unix milliseconds.
    #[must_use]
    pub fn since_ms(&self) -> u64 {
        self.since_ms
    }

    /// What directors have to know, a sentence or two each, with a name by which each is known again.
    #[must_use]
    pub fn notices(&self) -> Vec<(&'static str, String)> {
        let mut notices = Vec::new();
        let restore = restore_words(&self.path);
        if let Some(found) = &self.file {
            notices.push(("file", format!(
                "This machine's disk has damaged the database {}: {found}. Everything is still recorded, and each row is checked by itself. \
                 After the round {restore}.",
                self.path.display()
            )));
        }
        if self.damaged + self.given_again + self.acts_mended > 0 {
            let again = match self.given_again + self.acts_mended {
                0 => String::new(),
                again => {
                    format!(" {again} of them were given again and count from the next start on.")
                }
            };
            let all = self.damaged + self.given_again + self.acts_mended;
            notices.push(("rows", format!(
                "This machine's disk has damaged {all} {} of the log, and they are left out.{again} Hubs are asked for what they still have; for \
                 the rest {restore}.",
                if all == 1 { "input" } else { "inputs" }
            )));
        }
        if self.missing > 0 {
            notices.push(("missing", format!(
                "{} {} of the log are gone from this machine's disk. Hubs are asked for what they still have; for the rest {restore}.",
                self.missing,
                if self.missing == 1 { "input" } else { "inputs" }
            )));
        }
        if !self.set_back.is_empty() {
            let named = self.set_back.iter().take(BOOTS_NAMED);
            let named: Vec<String> =
                named.map(|(hub, from, to)| format!("hub {hub} from {from} to {to}")).collect();
            notices.push(("positions", format!(
                "Positions of hubs were ahead of their rows and were set back ({}{}): these hubs give their rows again when they connect.",
                named.join(", "),
                if self.set_back.len() > BOOTS_NAMED { ", and others" } else { "" }
            )));
        }
        if !self.acts_put_back.is_empty() {
            let (first, last) =
                (self.acts_put_back[0], self.acts_put_back[self.acts_put_back.len() - 1]);
            notices.push(("acts", format!(
                "{} acts that had been answered were missing from the log: its end was lost on this machine's disk. They were put back as acts \
                 {first} to {last}; look in the report whether each was taken, and give again what was refused.",
                self.acts_put_back.len()
            )));
        }
        if self.is_copy_damaged {
            notices.push(("copy", "The copy of the last acts beside the database was damaged, and was made again from the log: this machine's \
                disk gives back what it was not given. Copy the database to another disk, and change the disk after the event.".to_owned()));
        }
        if let Some(reason) = &self.copy_fails {
            notices.push(("copy-fails", format!(
                "The copy of the last acts beside the database cannot be written ({reason}): acts are in the log alone."
            )));
        }
        notices
    }
}

/// What to do about a damaged database.
pub(super) fn restore_words(path: &Path) -> String {
    format!(
        "stop the adjudicator and put the latest copy in its place (`twinboard restore --config CONFIGURATION COPY`; the database is {}): hubs give again what it \
         lacks",
        path.display()
    )
}
