//! Two kinds of time that must never be mixed: a node counts from its own start, the hub has its own clock.
//! Only the hub, which sees both, may map one to the other.

use core::fmt;

use serde::{Deserialize, Serialize};

macro_rules! microseconds {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(u64);

        impl $name {
            /// The origin of this time.
            pub const ZERO: Self = Self(0);
            /// The last representable instant; means "never" in comparisons.
            pub const MAX: Self = Self(u64::MAX);

            /// The instant `us` microseconds after the origin.
            pub const fn from_micros(us: u64) -> Self {
                Self(us)
            }

            /// Microseconds since the origin.
            pub const fn as_micros(self) -> u64 {
                self.0
            }

            /// Microseconds from `earlier` to `self`; 0 when `earlier` is later.
            pub const fn micros_since(self, earlier: Self) -> u64 {
                self.0.saturating_sub(earlier.0)
            }

            /// The instant `us` microseconds later, at most [`Self::MAX`].
            pub const fn plus_micros(self, us: u64) -> Self {
                Self(self.0.saturating_add(us))
            }

            /// The instant `us` microseconds earlier, at least [`Self::ZERO`].
            pub const fn minus_micros(self, us: u64) -> Self {
                Self(self.0.saturating_sub(us))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}.{:06} s", self.0 / 1_000_000, self.0 % 1_000_000)
            }
        }
    };
}

microseconds! {
    /// Microseconds since this node started (since the boot that its boot id names).
    NodeTime
}

microseconds! {
    /// Microseconds of the hub's own monotonic clock. Never travels over the link.
    HubTime
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_saturates_instead_of_wrapping() {
        assert_eq!(NodeTime::ZERO.minus_micros(1), NodeTime::ZERO);
        assert_eq!(NodeTime::MAX.plus_micros(1), NodeTime::MAX);
        assert_eq!(NodeTime::from_micros(3).micros_since(NodeTime::from_micros(5)), 0);
    }

    #[test]
    fn time_is_shown_in_seconds() {
        assert_eq!(std::format!("{}", HubTime::from_micros(1_234_567)), "1.234567 s");
    }
}
