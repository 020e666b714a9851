//! An organiser's notices: announcements, and beginnings of rounds.

use crate::{
    Change, Event, Refusal,
    RefusalKind::{OutOfBounds, Taken, Unknown},
    event::{Handled, check_text},
    limits::ANNOUNCEMENTS_MAX,
};

/// An announcement to everybody, or to the viewers of a section, until it is taken down.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Announcement {
    /// In one line.
    pub text: String,
    /// The section; none: the whole event.
    pub section: Option<String>,
}

impl Event {
    /// The present announcements, oldest first.
    #[must_use]
    pub fn announcements(&self) -> &[Announcement] {
        &self.announcements
    }

    pub(crate) fn announce(&mut self, text: &str, section: Option<&str>) -> Handled {
        let place = "announcement";
        check_text(place, text)?;
        if let Some(section) = section {
            self.section(section)?;
        }
        if self.announcements.iter().any(|it| it.text == text) {
            return Err(Refusal::new(Taken, place, "it is announced already", "leave it at that"));
        }
        if self.announcements.len() >= ANNOUNCEMENTS_MAX {
            let what = format!("{ANNOUNCEMENTS_MAX} announcements are up");
            return Err(Refusal::new(OutOfBounds, place, what, "take one down first"));
        }
        let section = section.map(ToOwned::to_owned);
        self.announcements.push(Announcement { text: text.to_owned(), section });
        Ok(vec![Change::Name])
    }

    pub(crate) fn end_announcement(&mut self, text: &str) -> Handled {
        let Some(at) = self.announcements.iter().position(|it| it.text == text) else {
            let what = "nothing of these words is announced";
            return Err(Refusal::new(Unknown, "announcement", what, "look at the list again"));
        };
        self.announcements.remove(at);
        Ok(vec![Change::Name])
    }

    pub(crate) fn time_round(
        &mut self,
        section: &str,
        round: u8,
        starts_ms: Option<u64>,
    ) -> Handled {
        let rounds = self.section(section)?.terms.rounds;
        if !(1..=rounds).contains(&round) {
            let place = format!("section {section}, round {round}");
            let what = format!("the section has {rounds} rounds");
            return Err(Refusal::new(OutOfBounds, place, what, "name one of them"));
        }
        let known = self.section_mut(section)?;
        match starts_ms {
            Some(at_ms) => known.starts.insert(round, at_ms),
            None => known.starts.remove(&round),
        };
        Ok(vec![Change::Section(section.to_owned())])
    }
}
