//! The schema hash: a number that changes whenever a message changes, taken from the definitions themselves so that
//! it cannot be forgotten.
//!
//! The macros below define a wire type and, in the same breath, a constant text of its name, fields and types. The hash
//! covers the texts of all types, the table of message numbers and [`super::LINK_VERSION`].

/// FNV-1a, 32 bits, over the bytes of `text` that are not white space (how the compiler spaces a type's name is not
/// part of the schema).
pub(super) const fn fnv1a(mut hash: u32, text: &str) -> u32 {
    const PRIME: u32 = 0x0100_0193;
    let bytes = text.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        if !bytes[i].is_ascii_whitespace() {
            hash = (hash ^ bytes[i] as u32).wrapping_mul(PRIME);
        }
        i += 1;
    }
    hash
}

/// FNV-1a's start value for 32 bits.
pub(super) const FNV_OFFSET: u32 = 0x811c_9dc5;

macro_rules! wire_structs {
    ($(
        $(#[$meta:meta])*
        struct $name:ident { $( $(#[$field_meta:meta])* $field:ident: $type:ty, )* }
    )*) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub struct $name { $( $(#[$field_meta])* pub $field: $type, )* }

        impl super::schema::Described for $name {
            const SCHEMA: &'static str = concat!(
                "struct ", stringify!($name), "{", $( stringify!($field), ":", stringify!($type), ";", )* "}"
            );
        }
    )*};
}

macro_rules! wire_enums {
    ($(
        $(#[$meta:meta])*
        enum $name:ident { $( $(#[$variant_meta:meta])* $variant:ident $(($inner:ty))?, )* }
    )*) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $name { $( $(#[$variant_meta])* $variant $(($inner))?, )* }

        impl super::schema::Described for $name {
            const SCHEMA: &'static str = concat!(
                "enum ", stringify!($name), "{", $( stringify!($variant), $("(", stringify!($inner), ")",)? ";", )* "}"
            );
        }
    )*};
}

/// A wire type that can tell its own definition.
pub(super) trait Described {
    /// Name, fields and types in order.
    const SCHEMA: &'static str;
}

pub(super) use {wire_enums, wire_structs};
