//! Events: players, sections, pairings, tables and results.
//!
//! An [`Event`] is the fold over numbered, append-only [`EventAct`]s. [`Event::handle`] takes an act or refuses it and
//! says why; the acts replayed make the same event. Names belong to players, pairings carry ids, and a table has
//! neither: each pairing has its own seats.
//!
//! Files of organisers become acts in [`import`]: first a preview with every problem by its line, then all acts or none.
//! Standings are made by [`rules::standings`]; persons are named only where [`Names::Shown`] is asked for.
//!
//! This crate is pure: no clock, file, socket, thread, global or randomness.

mod act;
mod believed;
mod consent;
mod corrections;
pub mod csv_text;
mod entering;
mod event;
pub mod export;
mod id;
pub mod import;
mod index;
mod invisible;
pub mod limits;
mod names;
mod notices;
mod playing;
mod refusal;
mod report;
mod reported;
mod results_csv;
mod round_check;
mod round_end;
mod sections;
mod state;
mod text_table;

pub use act::{Author, Deed, Entry, EventAct, Role, SectionKind, SectionTerms};
pub use believed::{Played, ResultSource};
pub use consent::{Consent, Follower, MessageLanguage};
pub use event::Event;
pub use id::{PairingId, PersonName, PlayerId, TeamId};
pub use invisible::is_invisible;
pub use notices::Announcement;
pub use refusal::{Refusal, RefusalKind};
pub use report::Names;
pub use reported::{Reports, TableLink};
pub use round_check::RoundFinding;
pub use round_end::{EndForecast, MatchTime, TimeUse, forecast};
pub use state::{Change, Entrant, Pairing, Player, Section, Team};
pub use text_table::{chart_text, club_standings_text, standings_text};
