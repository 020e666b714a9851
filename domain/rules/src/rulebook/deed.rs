//! The form of everything that a clause can refer to: a value with a code for files and a sentence for people.
//!
//! A clause names [findings](super::Finding), [claims](super::ClaimKind), [offences](super::Offence), [entries](super::Entry) and
//! [settings](super::Setting). Its class (detected, assisted, ledger, configured, human) follows from these names, so that no clause
//! can claim a class. The referee matches on these enums without a catch-all, so that none of their values can be named and not exist.

/// Writes an enum whose values have a code and a sentence. The sentence is the value's documentation, too.
macro_rules! deeds {
    ($(#[$attribute:meta])* $name:ident { $($value:ident = $code:literal, $about:literal;)+ }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $(#[doc = $about] $value,)+
        }

        impl $name {
            /// Every value, in the order of the declaration.
            pub const ALL: &'static [$name] = &[$($name::$value),+];

            /// The stable name used in files and messages.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self {
                    $($name::$value => $code,)+
                }
            }

            /// The value with this code; none when no value has it.
            #[must_use]
            pub fn from_code(code: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|value| value.code() == code)
            }

            /// The value in one sentence.
            #[must_use]
            pub const fn about(self) -> &'static str {
                match self {
                    $($name::$value => $about,)+
                }
            }
        }

        /// The [`code`](Self::code).
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.code())
            }
        }
    };
}

pub(super) use deeds;
