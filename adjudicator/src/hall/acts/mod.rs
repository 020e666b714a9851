//! Acts of directors and scorekeepers, as rows of the log.
//!
//! An act is logged before it has an effect, like a hub's row, and the hall accepts or refuses it when it is
//! applied. So the log replayed gives the same rulings, pairings and devices. Every act has a key of its device: one
//! that comes again, after a reload or a dead spot or from another tab, gets the answer that it got the first time.

mod answers;
mod of_match;
pub(crate) mod placed;
pub(crate) mod shares;

use event::{Deed, PairingId};
pub use placed::{PlacedNode, PlacedTable};
use rand::RngExt as _;
use rules::{BoardId, Team};
use serde::{Deserialize, Serialize};

pub use answers::{Answer, Answers};
pub use of_match::{Decided, FormError, PenaltyForm, RemedyForm, SeatName, TeamName, Verdict};
pub(crate) use shares::fullness;

use crate::{
    config::alerts::Treatment,
    hall::{
        BoardContent, ClockForm,
        event::{
            screens::Shows,
            staff::{DeviceId, Digest, Rank, StaffDeed},
        },
    },
};

/// One act as the log has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PersonAct {
    /// Device of the act, and its key there.
    pub source: Source,
    /// The person who acted.
    pub by: Actor,
    /// The deed.
    pub deed: ActDeed,
}

/// Longest key of an act, characters.
pub const KEY_CHARS_MAX: usize = 64;

/// Names an act for ever.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The device.
    pub device: DeviceId,
    /// Key of the device's choice: no other act of it has the same. 1 to [`KEY_CHARS_MAX`] characters.
    pub key: String,
}

impl Source {
    /// For an act that brings no key of its own.
    #[must_use]
    pub fn fresh(device: DeviceId) -> Source {
        let key: u128 = rand::rng().random();
        Source { device, key: format!("{key:032x}") }
    }
}

/// The acting person, as of the time when the act was logged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Actor {
    /// The name under which the person was invited.
    pub person: String,
    /// Rank of the person.
    pub rank: Rank,
}

/// Deed of an act.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ActDeed {
    /// A deed about directors and their devices.
    Staff {
        /// What.
        deed: StaffDeed,
    },
    /// Deeds about the event, all of them or none.
    Event {
        /// The deeds, in order.
        deeds: Vec<Deed>,
    },
    /// A decision about a match, for its referee.
    Match {
        /// The match.
        #[serde(rename = "match")]
        match_id: String,
        /// Time, microseconds of match time. The server fills it in.
        #[serde(default)]
        t_us: u64,
        /// The referee's version that the page showed.
        seen: u64,
        /// The team that acts on the director's device; none: the director.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        team: Option<TeamName>,
        /// What.
        decided: Decided,
        /// Whether it is refused where it would replace a confirmed result and does not say why. Logs of earlier releases have acts
        /// that were accepted without.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        guarded: bool,
    },
    /// The clock of a board is to be changed.
    Clock {
        /// The match.
        #[serde(rename = "match")]
        match_id: String,
        /// The board.
        board: BoardId,
        /// The change.
        change: ClockForm,
        /// The ruling or penalty that this carries out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        because: Option<u64>,
        /// Time of the act, Unix milliseconds of this machine; none: the time of its receipt.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        made_ms: Option<u64>,
    },
    /// An order to a clock that no hub has taken is not to be carried out any more.
    ClockWithdrawn {
        /// The match.
        #[serde(rename = "match")]
        match_id: String,
        /// The act that gave the order.
        order: u64,
    },
    /// A person has done by hand what no command could, and no reading can show it.
    ClockDone {
        /// The match.
        #[serde(rename = "match")]
        match_id: String,
        /// The act that gave the order.
        order: u64,
    },
    /// A request for the readings between two times.
    Evidence {
        /// The match.
        #[serde(rename = "match")]
        match_id: String,
        /// Beginning, microseconds of match time.
        from_us: u64,
        /// End, likewise.
        to_us: u64,
    },
    /// Both clocks of a match are to be compared before it begins: they are pressed together some eight times.
    ZeroTest {
        /// The match.
        #[serde(rename = "match")]
        match_id: String,
    },
    /// The hall sensors of a board are to be calibrated while its match is not played.
    Baseline {
        /// The match.
        #[serde(rename = "match")]
        match_id: String,
        /// The board.
        board: BoardId,
        /// The pieces on it.
        content: BoardContent,
    },
    /// A match belongs to another pairing than assumed, or to none.
    Bind {
        /// The match.
        #[serde(rename = "match")]
        match_id: String,
        /// The pairing.
        pairing: Option<PairingId>,
    },
    /// The treatment of a kind of finding, in a section or else in the whole event; none: as it is configured.
    Treat {
        /// The section.
        section: Option<String>,
        /// The code of the finding.
        finding: String,
        /// The treatment.
        treatment: Option<Treatment>,
    },
    /// A director takes an item of the list.
    Take {
        /// Its id.
        item: String,
    },
    /// A director gives it back.
    Release {
        /// Its id.
        item: String,
    },
    /// There is nothing to be done about it.
    Dismiss {
        /// Its id.
        item: String,
    },
    /// Those who sit at a table call a director.
    Call {
        /// The table.
        table: String,
    },
    /// A table takes its call back.
    CallEnded {
        /// The table.
        table: String,
    },
    /// A screen is to show something.
    Screen {
        /// Its number.
        screen: u16,
        /// Digest of its browser's key. The server fills it in.
        #[serde(default)]
        screen_key: Digest,
        /// Its name at the desk.
        #[serde(default)]
        name: String,
        /// Its content.
        shows: Shows,
    },
    /// A screen is not in use any more.
    ScreenForgotten {
        /// Its number.
        screen: u16,
    },
    /// The firmware of all nodes of the hall is updated.
    UpdateNodes {},
    /// A new hub is accepted into the hall.
    AcceptHub {
        /// Its id.
        hub: String,
    },
    /// These tables and places of nodes are a hub's, in place of those that it was given before.
    PlaceNodes {
        /// The hub.
        hub: String,
        /// Its tables.
        tables: Vec<PlacedTable>,
    },
    /// The stream shows this table until another is chosen; none: its automatic director chooses.
    Show {
        /// The table.
        table: Option<String>,
    },
}

impl ActDeed {
    /// The match it concerns, if one.
    #[must_use]
    pub fn match_id(&self) -> Option<&str> {
        match self {
            ActDeed::Match { match_id, .. }
            | ActDeed::Clock { match_id, .. }
            | ActDeed::ClockWithdrawn { match_id, .. }
            | ActDeed::ClockDone { match_id, .. }
            | ActDeed::Evidence { match_id, .. }
            | ActDeed::ZeroTest { match_id }
            | ActDeed::Baseline { match_id, .. }
            | ActDeed::Bind { match_id, .. } => Some(match_id),
            _ => None,
        }
    }
}

/// A person's capacity towards the referee.
#[must_use]
pub fn referee_role(rank: Rank, team: Option<Team>) -> referee::act::Role {
    use referee::act::Role;
    match (team, rank) {
        (Some(Team::One), _) => Role::TeamOne,
        (Some(Team::Two), _) => Role::TeamTwo,
        (None, Rank::Scorekeeper) => Role::Scorekeeper,
        (None, Rank::Floor) => Role::Director,
        (None, Rank::SectionChief) => Role::SectionChief,
        (None, Rank::Chief) => Role::FloorChief,
    }
}

/// A person's capacity towards the event.
#[must_use]
pub fn event_role(rank: Rank) -> event::Role {
    match rank {
        Rank::Scorekeeper => event::Role::Player,
        Rank::Floor | Rank::SectionChief => event::Role::Director,
        Rank::Chief => event::Role::Chief,
    }
}
