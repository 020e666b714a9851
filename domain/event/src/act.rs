//! Acts on an event: numbered, appended and never changed.
//!
//! An event is the fold over its acts. In a file each act is a line of JSON:
//! `{"number":7,"by":{"name":"floor","role":"director"},"deed":{"kind":"round-opened","section":"K-6","round":1}}`.

use rules::{
    TimeControl,
    rulebook::BookId,
    standings::{
        ByeKind, EntrantNumber, INDIVIDUAL_SWISS_ORDER, Outcome, Scoring, Side, TEAM_SWISS_ORDER,
        TieBreak,
    },
};
use serde::{Deserialize, Serialize};

use crate::{Consent, MessageLanguage, PairingId, PersonName, PlayerId, TeamId};

/// One act.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventAct {
    /// Its place in the log, from 1 without a gap.
    pub number: u64,
    /// The author.
    pub by: Author,
    /// The deed.
    pub deed: Deed,
}

/// Author of an act.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Author {
    /// The account or the table that the act came from; no person's name.
    pub name: String,
    /// Rank of the author.
    pub role: Role,
}

/// Rank of an author. Each rank has the rights of those before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// A player at a table: seats and unconfirmed results.
    Player,
    /// A tournament director.
    Director,
    /// The chief director, who alone may allow what a rule forbids, with a note.
    Chief,
}

/// Play and scoring of a section's entrants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SectionKind {
    /// Bughouse by teams of two who stay together.
    Teams,
    /// Bughouse by players who change partners; each scores alone.
    RotatingPartners,
    /// Chess on one board, player against player. Clubs may be ranked by their best players.
    Players,
}

/// Terms of a section, announced before its first round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SectionTerms {
    /// Kind of the pairings.
    pub game: SectionKind,
    /// The rulebook.
    #[serde(with = "book_name")]
    pub rulebook: BookId,
    /// The time control that the event announced; none: the rulebook's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<TimeControl>,
    /// Whether directors call of their own accord, where the rulebook lets an event agree on that.
    #[serde(default)]
    pub td_calls: bool,
    /// Number of planned rounds: 1 to [`ROUNDS_MAX`](rules::standings::ROUNDS_MAX).
    pub rounds: u8,
    /// Number of games that two entrants play in a round.
    #[serde(default = "one")]
    pub games_per_round: u8,
    /// Unit of the score.
    #[serde(default = "game_points")]
    pub scoring: Scoring,
    /// The tie-breaks in their order.
    pub tie_breaks: Vec<TieBreak>,
}

impl SectionTerms {
    /// The usual terms: the rulebook's time control, one game a round, game points, and the tie-breaks that
    /// `nc-scholastic 19` prescribes for teams and for players.
    #[must_use]
    pub fn usual(game: SectionKind, rulebook: BookId, rounds: u8) -> SectionTerms {
        let tie_breaks = match game {
            SectionKind::Teams => TEAM_SWISS_ORDER,
            SectionKind::RotatingPartners | SectionKind::Players => INDIVIDUAL_SWISS_ORDER,
        };
        SectionTerms {
            game,
            rulebook,
            time: None,
            td_calls: false,
            rounds,
            games_per_round: 1,
            scoring: Scoring::GamePoints,
            tie_breaks: tie_breaks.to_vec(),
        }
    }
}

const fn one() -> u8 {
    1
}

const fn game_points() -> Scoring {
    Scoring::GamePoints
}

/// A rulebook by its name.
mod book_name {
    use rules::rulebook::BookId;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(book: &BookId, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(book.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<BookId, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

/// Holder of a pairing number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Entry {
    /// A team.
    Team(TeamId),
    /// A player for themselves.
    Player(PlayerId),
}

/// A deed. Rounds count from 1; a `section` is known by its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Deed {
    /// The event got its name.
    Named { name: String },
    /// The tables of the hall, as hubs and pairing lists call them. Replaces an earlier list.
    TablesListed { tables: Vec<String> },
    /// Someone registered.
    PlayerEntered {
        player: PlayerId,
        name: PersonName,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        club: Option<String>,
    },
    /// The id and rating of a player in a federation's list became known, in place of earlier ones.
    PlayerListed {
        player: PlayerId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rating: Option<u16>,
    },
    /// A name was put right.
    PlayerRenamed {
        player: PlayerId,
        name: PersonName,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// Two players became a team.
    TeamMade { team: TeamId, name: String, members: [PlayerId; 2] },
    /// The name of a team was put right.
    TeamRenamed {
        team: TeamId,
        name: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// A substitute plays for a team member. Once the section has started only the chief may allow it, with a note.
    MemberReplaced {
        team: TeamId,
        leaves: PlayerId,
        joins: PlayerId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// A section was announced.
    SectionOpened { section: String, terms: SectionTerms },
    /// The terms of a section were put right before its first round.
    SectionChanged { section: String, terms: SectionTerms },
    /// A team or player got a pairing number in a section.
    EntrantAdded { section: String, number: EntrantNumber, entry: Entry, from_round: u8 },
    /// An entrant left: `from_round` is the first round without them.
    EntrantWithdrawn { section: String, number: EntrantNumber, from_round: u8 },
    /// A withdrawal was a mistake, or the entrant came back.
    EntrantReturned { section: String, number: EntrantNumber },
    /// An entrant does not play a round.
    ByeGiven { section: String, number: EntrantNumber, round: u8, bye: ByeKind },
    /// The entrant plays the round after all.
    ByeTakenBack { section: String, number: EntrantNumber, round: u8 },
    /// A round may be paired. Rounds are opened in their order.
    RoundOpened { section: String, round: u8 },
    /// Two sides meet: one number each, or the two partners of each side where partners rotate.
    PairingMade {
        pairing: PairingId,
        section: String,
        round: u8,
        table: String,
        /// The board number of the pairing programme, if it is not the table.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        board: Option<u32>,
        sides: [Vec<EntrantNumber>; 2],
    },
    /// A pairing was changed before it was played.
    PairingChanged {
        pairing: PairingId,
        table: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        board: Option<u32>,
        sides: [Vec<EntrantNumber>; 2],
    },
    /// A pairing is not played.
    PairingWithdrawn { pairing: PairingId, note: String },
    /// Seats: white and black at board A, then at board B; two players for chess, four for bughouse.
    SeatsChosen {
        pairing: PairingId,
        seats: Vec<PlayerId>,
        /// A director's reason for a correction of seats after the start.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// The clocks of the pairing's match run.
    MatchStarted { pairing: PairingId },
    /// The match is over.
    MatchEnded { pairing: PairingId },
    /// Score of the pairing's games so far, from the view of its first side. Provisional until confirmed.
    ResultEntered { pairing: PairingId, outcomes: Vec<Outcome> },
    /// A director confirmed the present result.
    ResultConfirmed { pairing: PairingId },
    /// A confirmed result was changed, on appeal for example. The new one is confirmed.
    ResultSuperseded { pairing: PairingId, outcomes: Vec<Outcome>, note: String },
    /// Withdrawal of a result that was entered for the pairing itself, with its confirmation. The score of its matches stays.
    ResultWithdrawn { pairing: PairingId, note: String },
    /// A coin toss was held among tied entrants; the winner comes first.
    CoinTossHeld { section: String, order: Vec<EntrantNumber> },
    /// A coin toss was recorded wrongly.
    CoinTossTakenBack { section: String, order: Vec<EntrantNumber> },
    /// The name of a section was put right.
    SectionRenamed { section: String, name: String },
    /// Removal of a mistaken section with all its entrants. Only before anybody is paired.
    SectionRemoved { section: String },
    /// Merge of a section into another one: an entrant whose number is in use there gets the next free one. Only before anybody is paired.
    SectionsMerged { section: String, into: String },
    /// Removal of a mistaken entry with its players. Only before they are paired.
    EntrantRemoved { section: String, number: EntrantNumber },
    /// An entrant plays in another section. Only before they are paired.
    EntrantMoved {
        section: String,
        number: EntrantNumber,
        to: String,
        as_number: EntrantNumber,
        from_round: u8,
    },
    /// An entrant of one pairing and one of another of the same round change places.
    EntrantsExchanged { pairings: [PairingId; 2], numbers: [EntrantNumber; 2] },
    /// Two pairings of a round change tables.
    TablesExchanged { pairings: [PairingId; 2] },
    /// An announcement to everybody, or to the viewers of a section.
    Announced {
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section: Option<String>,
    },
    /// An announcement is taken down.
    AnnouncementEnded { text: String },
    /// Beginning of a round, Unix milliseconds; none: withdrawn.
    RoundTimed {
        section: String,
        round: u8,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        starts_ms: Option<u64>,
    },
    /// Public name of a child by its family's consent; none: as the event names others.
    ConsentGiven {
        player: PlayerId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        consent: Option<Consent>,
    },
    /// A family may follow its child by a link, of which only the digest is kept. An earlier link is void.
    LinkGiven { player: PlayerId, digest: String },
    /// A child's link is void.
    LinkRevoked { player: PlayerId },
    /// A family gets its child's pairings, in this language, from the server that the organiser has configured; none: no longer.
    PairingsFollowed {
        player: PlayerId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        language: Option<MessageLanguage>,
    },
    /// A side reported the result of its pairing, seen from the first side, in place of its earlier report.
    SideReported { pairing: PairingId, side: Side, outcomes: Vec<Outcome> },
    /// Players at a table may report there by a link, of which only the digest is kept. An earlier link is void.
    TableLinkGiven { table: String, digest: String },
    /// A table's link is void.
    TableLinkRevoked { table: String },
}

impl Deed {
    /// The least role that may do it.
    #[must_use]
    pub const fn least_role(&self) -> Role {
        match self {
            Deed::SeatsChosen { note: None, .. }
            | Deed::ResultEntered { .. }
            | Deed::SideReported { .. }
            | Deed::PairingsFollowed { .. } => Role::Player,
            _ => Role::Director,
        }
    }
}
