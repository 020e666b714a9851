//! Serde forms of types from `rules` that have none of their own.

use rules::Color;
use serde::{Deserialize, Serialize};

/// `"white"` and `"black"`.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Color", rename_all = "lowercase")]
pub(crate) enum Side {
    White,
    Black,
}

/// `"white"`, `"black"` or `null`.
pub mod optional_side {
    use rules::Color;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Wrapper(#[serde(with = "super::Side")] Color);

    /// Writes it.
    ///
    /// # Errors
    ///
    /// Errors of the serializer.
    pub fn serialize<S: Serializer>(
        side: &Option<Color>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        side.map(Wrapper).serialize(serializer)
    }

    /// Reads it.
    ///
    /// # Errors
    ///
    /// Any other text.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Color>, D::Error> {
        Ok(Option::<Wrapper>::deserialize(deserializer)?.map(|Wrapper(side)| side))
    }
}

/// `"a1"` … `"h8"`.
pub(crate) mod square {
    use rules::Square;
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(crate) fn serialize<S: Serializer>(
        square: &Square,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(square)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Square, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse()
            .map_err(|_| de::Error::custom(format!("{text:?} is no square: expected a1 to h8")))
    }
}
