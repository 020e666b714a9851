//! A fact about one ply, and the ply of a segment that it means.

use std::fmt;

use rules::{BoardId, Color, Ply, Role, Square};

use crate::explanation::ExplainedPly;

/// Two times of completion at most so far apart are of one ply, microseconds. Assumed: set by hand.
const SAME_MOMENT_US: u64 = 250_000;

/// Board, side and time of a ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The board.
    pub board: BoardId,
    /// The player. None if not known.
    pub side: Option<Color>,
    /// Approximate time of completion, microseconds since the trace began: between the press before
    /// it and its own.
    pub t_us: u64,
}

/// The content of a fact about a ply. Every field that is given must hold. By default a ply was
/// made, and nothing else is stated of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Whether there was no such ply at all.
    pub unmade: bool,
    /// The ply.
    pub uci: Option<Ply>,
    /// Plies that it was not.
    pub not: Vec<Ply>,
    /// The type of the piece dropped, or promoted to.
    pub piece: Option<Role>,
    /// Whether it was a drop.
    pub drop: Option<bool>,
    /// The square the piece left.
    pub from: Option<Square>,
    /// The square the piece arrived at.
    pub to: Option<Square>,
}

impl Said {
    /// Whether the statements on a ply are true of this one.
    pub(super) fn fits(&self, ply: Ply) -> bool {
        let given = match ply {
            Ply::Drop { role, .. } => Some(role),
            Ply::Move { promotion, .. } => promotion,
        };
        self.uci.is_none_or(|uci| uci == ply)
            && !self.not.contains(&ply)
            && self.piece.is_none_or(|role| given == Some(role))
            && self.drop.is_none_or(|drop| drop == ply.is_drop())
            && self.from.is_none_or(|from| ply.from() == Some(from))
            && self.to.is_none_or(|to| ply.to() == to)
    }
}

/// A fact about one ply.
#[derive(Clone, Debug, PartialEq)]
pub struct PlyFact {
    /// Its number in the inferred file that the person looked at.
    pub ply: Option<u32>,
    /// Its board, if given.
    pub board: Option<BoardId>,
    /// Its player, if given.
    pub side: Option<Color>,
    /// Its approximate time of completion, if given, microseconds since the trace began.
    pub t_us: Option<u64>,
    /// The content of the fact.
    pub said: Said,
}

impl PlyFact {
    /// Board, side and time, once they are known.
    #[must_use]
    pub fn place(&self) -> Option<Place> {
        Some(Place { board: self.board?, side: self.side, t_us: self.t_us? })
    }

    /// Whether it leaves nothing to ask about the ply of this board, side and time.
    pub(crate) fn settles(&self, place: Place) -> bool {
        let is_specific = self.said.uci.is_some() || self.said.unmade;
        is_specific
            && self.place().is_some_and(|of| {
                of.board == place.board
                    && (of.side.is_none() || of.side == place.side)
                    && of.t_us.abs_diff(place.t_us) <= SAME_MOMENT_US
            })
    }

    /// Whether it is about the segment of `board` after `since_us` and up to `until_us`.
    pub(crate) fn is_within(&self, board: BoardId, since_us: Option<u64>, until_us: u64) -> bool {
        self.place().is_some_and(|place| {
            place.board == board
                && place.t_us <= until_us
                && since_us.is_none_or(|since_us| place.t_us > since_us)
        })
    }

    /// Whether it holds if these were the plies of its segment.
    pub(crate) fn agrees(&self, plies: &[ExplainedPly]) -> bool {
        let Some(place) = self.place() else { return true };
        let meant = nearest(plies, place);
        if !self.said.unmade {
            return meant.is_some_and(|made| self.said.fits(made.ply));
        }
        // A ply of the segment at another time is not the one that was not made.
        meant.is_none_or(|made| {
            made.t_us.abs_diff(place.t_us) > SAME_MOMENT_US || !self.said.fits(made.ply)
        })
    }
}

/// The ply of a segment that is meant by this board, side and time: the nearest in time.
pub(crate) fn nearest(plies: &[ExplainedPly], place: Place) -> Option<&ExplainedPly> {
    plies
        .iter()
        .filter(|made| place.side.is_none_or(|side| side == made.side))
        .min_by_key(|made| made.t_us.abs_diff(place.t_us))
}

impl fmt::Display for PlyFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.ply, self.place()) {
            (Some(ply), _) => write!(f, "ply {ply}")?,
            (None, Some(place)) => {
                write!(f, "the ply of board {} at {} us", place.board, place.t_us)?;
            }
            (None, None) => write!(f, "a ply")?,
        }
        self.said.fmt(f)
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.unmade {
            write!(f, " was not made")?;
        }
        if let Some(uci) = self.uci {
            write!(f, " was {uci}")?;
        }
        for uci in &self.not {
            write!(f, " was not {uci}")?;
        }
        if let Some(role) = self.piece {
            write!(f, " gave a {}", role.upper_char())?;
        }
        if let Some(drop) = self.drop {
            f.write_str(if drop { " was a drop" } else { " was a move" })?;
        }
        if let Some(from) = self.from {
            write!(f, " left {from}")?;
        }
        if let Some(to) = self.to {
            write!(f, " went to {to}")?;
        }
        if *self == Said::default() {
            write!(f, " was made")?;
        }
        Ok(())
    }
}
