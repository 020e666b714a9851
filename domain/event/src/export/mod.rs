//! Events as other programs take them: FIDE's tournament report, US Chess's rating report, WinTD's tournament.
//!
//! Names are written because these programs need them: the files are the organiser's, and no page publishes them. Content that a
//! format cannot hold is refused or remarked, never left out in silence.

mod dbf;
mod trf;
mod us_chess;
mod wintd;

pub use trf::{TrfHeader, TrfVersion};
pub use us_chess::{RatingReport, ReportHeader};

use crate::{
    Event, Refusal,
    RefusalKind::{Contradicts, Unknown},
    Section, SectionKind,
};

/// A file for another program, and what its reader should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export<File> {
    /// The file or files.
    pub file: File,
    /// Data that the format cannot hold, or that it lacks.
    pub remarks: Vec<String>,
}

impl Event {
    /// A section of chess with one game a round, which reports to federations are about.
    fn chess_section(&self, section: &str) -> Result<&Section, Refusal> {
        let known = self.section(section)?;
        let refuse = |what: &str, todo: &str| {
            Err(Refusal::new(Contradicts, format!("section {section}"), what, todo))
        };
        if known.terms.game != SectionKind::Players {
            return refuse("it is bughouse, and the report is for chess", "choose another section");
        }
        if known.terms.games_per_round != 1 {
            return refuse(
                "a pairing has several games, and the report has one a round",
                "report it by hand",
            );
        }
        if known.entrants.is_empty() {
            let place = format!("section {section}");
            return Err(Refusal::new(
                Unknown,
                place,
                "the section is empty",
                "enter its players first",
            ));
        }
        Ok(known)
    }
}
