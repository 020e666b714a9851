//! Acts of people: claims that are opened for players, rulings, appeals, penalties, results, corrections.
//!
//! An act is an input like a ply: it is logged before the referee receives it, and the replayed log gives the same rulings. The referee
//! accepts it or refuses it with a reason, and never silently.

use std::fmt;

use rules::{
    Ply, Seat, Team,
    rulebook::{ClaimKind, Offence, Penalty},
};
use serde::Serialize;

pub use crate::{ids::ActId, outcome::MatchResult};
use crate::{
    ids::PlyId,
    names::{self, seat_letter},
};

/// Longest note of a director, and longest id of a person, in bytes.
pub const MAX_TEXT: usize = 1000;

/// Capacity in which a person acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// White at A and Black at B; in a game of chess White.
    TeamOne,
    /// Black at A and White at B; in a game of chess Black.
    TeamTwo,
    /// A person who enters results that others confirm.
    Scorekeeper,
    /// A tournament director at the tables.
    Director,
    /// A person who hears appeals against a director.
    SectionChief,
    /// A person who hears appeals against a section chief; final.
    FloorChief,
}

impl Role {
    /// Whether this is one of the directors.
    #[must_use]
    pub fn is_director(self) -> bool {
        matches!(self, Role::Director | Role::SectionChief | Role::FloorChief)
    }

    /// The team, if a team acts.
    #[must_use]
    pub fn team(self) -> Option<Team> {
        match self {
            Role::TeamOne => Some(Team::One),
            Role::TeamTwo => Some(Team::Two),
            Role::Scorekeeper | Role::Director | Role::SectionChief | Role::FloorChief => None,
        }
    }
}

impl Role {
    /// The role as people call it.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Role::TeamOne => "team 1",
            Role::TeamTwo => "team 2",
            Role::Scorekeeper => "scorekeeper",
            Role::Director => "director",
            Role::SectionChief => "section chief",
            Role::FloorChief => "chief director",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Role::TeamOne => "team-1",
            Role::TeamTwo => "team-2",
            Role::Scorekeeper => "scorekeeper",
            Role::Director => "director",
            Role::SectionChief => "section-chief",
            Role::FloorChief => "floor-chief",
        })
    }
}

/// A person who acts. The referee does not interpret the id: it is kept for the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Person {
    /// An opaque id, at most [`MAX_TEXT`] bytes.
    pub id: String,
    /// Capacity.
    pub role: Role,
}

/// One thing that a person decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Act {
    /// Its id. A known id is refused: an act is accepted once.
    pub id: ActId,
    /// Author.
    pub by: Person,
    /// Time, microseconds of match time.
    pub t_us: u64,
    /// State that the person saw: the [version](crate::Referee::version) that the page showed. A decision about something that
    /// has changed since then is refused.
    pub seen: u64,
    /// Content.
    pub what: What,
}

/// Content of an act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A director opens a claim for a player.
    Claim(ClaimCall),
    /// A director rules on an open claim.
    Rule(Ruling),
    /// A team appeals a ruling.
    Appeal {
        /// The ruling, or the decision on an earlier appeal.
        of: ActId,
        /// Instance that is to decide.
        to: Role,
    },
    /// An instance decides an appeal.
    Decide {
        /// The appeal.
        appeal: ActId,
        /// The decision.
        decision: Decision,
        /// Its consequence; `None`: the remedy that the referee proposes.
        remedy: Option<Remedy>,
        /// Anything to be kept with it.
        note: String,
    },
    /// A penalty.
    Penalise(PenaltyCall),
    /// A result is entered, by a director or a team.
    EnterResult(MatchResult),
    /// The current result is confirmed, by a director or a team.
    Confirm,
    /// A ply is corrected by a director.
    Correct {
        /// The ply.
        ply: PlyId,
        /// The ply that was played.
        said: Ply,
    },
    /// There was no such ply, as a director knows: the hub follows the match again without it.
    NotPlayed {
        /// The ply.
        ply: PlyId,
    },
    /// The position before a ply is reinstated on its board.
    Reinstate {
        /// The ply.
        before: PlyId,
    },
    /// A choice for the match.
    Set(Choice),
    /// An act is taken back. The ledger keeps both.
    Withdraw(ActId),
}

/// A player's claim, as a director enters it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimCall {
    /// Kind of the claim.
    pub kind: ClaimKind,
    /// The claimant.
    pub by: Seat,
    /// The ply it is against; none: the last one it can concern.
    pub against: Option<PlyId>,
    /// Time at which the player stopped the clocks, microseconds of match time; `None`: the clocks' own stop, or else the time
    /// of the act.
    pub stopped_us: Option<u64>,
    /// Whether a director or an independent witness saw what is claimed.
    pub witnessed: bool,
}

/// A director's ruling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// The act that opened the claim.
    pub on: ActId,
    /// The decision.
    pub decision: Decision,
    /// Its consequence; `None`: the remedy that the referee proposes.
    pub remedy: Option<Remedy>,
    /// Anything to be kept with it: testimony, reasons.
    pub note: String,
}

/// Decision of a ruling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// The claim is right.
    Upheld,
    /// The claim is wrong.
    Denied,
    /// Neither: play goes on as if there had been no claim.
    PlayOn,
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Decision::Upheld => "upheld",
            Decision::Denied => "denied",
            Decision::PlayOn => "play on",
        })
    }
}

/// A penalty, as a director enters it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PenaltyCall {
    /// The offence.
    pub offence: Offence,
    /// The offender.
    pub whom: Seat,
    /// Offences of this kind by the same player in other matches of the event.
    pub earlier: u32,
    /// The penalty; `None`: the next step of the book's ladder.
    pub penalty: Option<Penalty>,
    /// Anything to be kept with it.
    pub note: String,
}

/// A choice for a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Choice {
    /// Whether directors call illegal plies and flags, as agreed with the players.
    TdCalls(bool),
}

/// Consequence of a ruling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// No consequence.
    Nothing,
    /// A player loses the game.
    LosesGame(Seat),
    /// The game is drawn.
    Draw,
    /// The position before an illegal ply is reinstated.
    Reinstate(Reinstatement),
    /// A penalty.
    Penalty {
        /// The offender.
        whom: Seat,
        /// The penalty.
        penalty: Penalty,
    },
    /// Pieces or clock are put as they should have been.
    SetRight,
    /// A clock that was set for too long is set to the time control.
    ReduceClock,
    /// The game is restarted.
    Restart,
    /// A player's clock is started again until the piece is on its square; the opponent need not move.
    RestartClock(Seat),
    /// The clocks stand until the piece has been found.
    ClocksStand,
    /// A player must move, or take, the piece that was touched.
    MoveTouched(Seat),
    /// A clock with delay takes the place of the other.
    SubstituteClock {
        /// The claimant.
        claimant: Seat,
        /// Time that the claimant keeps, milliseconds.
        keeps_ms: i64,
    },
}

/// A position to be reinstated, with its conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reinstatement {
    /// The ply that is undone, with everything after it on its board.
    pub before: PlyId,
    /// The position.
    pub fen: String,
    /// Square of the touched piece; it must move if it can, or be captured if it is the opponent's.
    pub touched: Option<rules::Square>,
    /// The player who gets time.
    pub opponent: Seat,
    /// Added time, seconds.
    pub opponent_s: u32,
    /// The clocks stay as they are but for that: what they show now, White's and Black's, milliseconds.
    pub clocks_ms: [Option<i64>; 2],
}

/// In a few words, with the seats' letters.
impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remedy::Nothing => f.write_str("nothing"),
            Remedy::LosesGame(seat) => write!(f, "{} loses the game", seat_letter(*seat)),
            Remedy::Draw => f.write_str("a draw"),
            Remedy::Reinstate(reinstatement) => reinstatement.fmt(f),
            Remedy::Penalty { whom, penalty } => write!(f, "{penalty} ({})", seat_letter(*whom)),
            Remedy::SetRight => f.write_str("it is set right"),
            Remedy::ReduceClock => f.write_str("a clock set for too long is shortened"),
            Remedy::Restart => f.write_str("the director may restart the game"),
            Remedy::RestartClock(seat) => {
                write!(f, "the clock of {} is started again", seat_letter(*seat))
            }
            Remedy::ClocksStand => f.write_str("the clocks stand until the piece is found"),
            Remedy::MoveTouched(seat) => {
                write!(f, "{} moves or takes the piece that was touched", seat_letter(*seat))
            }
            Remedy::SubstituteClock { claimant, keeps_ms } => write!(
                f,
                "a clock with delay, on which {} keeps {}",
                seat_letter(*claimant),
                names::clock(*keeps_ms)
            ),
        }
    }
}

impl fmt::Display for Reinstatement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the position before ply {} ({})", self.before, self.fen)?;
        if let Some(touched) = self.touched {
            write!(f, ", {touched} touched")?;
        }
        write!(f, ", {} s to {}", self.opponent_s, seat_letter(self.opponent))
    }
}
