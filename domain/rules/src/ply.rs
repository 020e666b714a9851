//! One player's turn on one board: a move or a drop, and its UCI form.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize, de};
use shakmaty::{Role, Square};

/// A move or a drop. Its effect depends on the position: castling is the king's move (`e1g1`; with king and queen swapped at set-up
/// `d1b1`, `d1f1`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ply {
    /// A piece goes from one square to another.
    Move {
        /// The square the piece leaves.
        from: Square,
        /// The square the piece arrives at.
        to: Square,
        /// Role of a pawn on its last rank.
        promotion: Option<Role>,
    },
    /// A piece from the reserve is put on a square.
    Drop {
        /// The role of the dropped piece.
        role: Role,
        /// The square it is put on.
        to: Square,
    },
}

impl Ply {
    /// The square the ply ends on.
    #[must_use]
    pub const fn to(self) -> Square {
        match self {
            Ply::Move { to, .. } | Ply::Drop { to, .. } => to,
        }
    }

    /// The square the ply starts from; none for a drop.
    #[must_use]
    pub const fn from(self) -> Option<Square> {
        match self {
            Ply::Move { from, .. } => Some(from),
            Ply::Drop { .. } => None,
        }
    }

    /// Whether this is a drop.
    #[must_use]
    pub const fn is_drop(self) -> bool {
        matches!(self, Ply::Drop { .. })
    }
}

impl fmt::Display for Ply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Ply::Move { from, to, promotion: None } => write!(f, "{from}{to}"),
            Ply::Move { from, to, promotion: Some(role) } => write!(f, "{from}{to}{}", role.char()),
            Ply::Drop { role, to } => write!(f, "{}@{to}", role.upper_char()),
        }
    }
}

/// Text that is no UCI move or drop.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no UCI move: expected e2e4, e7e8q or a drop such as N@e6")]
pub struct ParsePlyError(String);

impl FromStr for Ply {
    type Err = ParsePlyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text).ok_or_else(|| ParsePlyError(text.chars().take(16).collect()))
    }
}

fn parse(text: &str) -> Option<Ply> {
    let square = |range: std::ops::Range<usize>| text.get(range)?.parse::<Square>().ok();
    if text.as_bytes().get(1) == Some(&b'@') {
        let role = Role::from_char(text.chars().next()?).filter(|&role| role != Role::King)?;
        return (text.len() == 4).then_some(Ply::Drop { role, to: square(2..4)? });
    }
    let promotion = match text.len() {
        4 => None,
        5 => Some(
            Role::from_char(text.chars().last()?)
                .filter(|role| !matches!(role, Role::King | Role::Pawn))?,
        ),
        _ => return None,
    };
    let (from, to) = (square(0..2)?, square(2..4)?);
    (from != to).then_some(Ply::Move { from, to, promotion })
}

impl Serialize for Ply {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Ply {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}
