//! A share of a sample, with its uncertainty.

use std::ops::AddAssign;

use serde::{Serialize, Serializer, ser::SerializeStruct};

/// Standard normal quantile of a two-sided 95 % interval.
const Z_95: f64 = 1.959_963_984_540_054;

/// `right` out of `of`. In JSON with `share` and the bounds `low` and `high` of its interval, all
/// between 0 and 1 and null for an empty sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Number with the property.
    pub right: u64,
    /// Sample size.
    pub of: u64,
}

impl Share {
    /// Counts one more case.
    pub fn count(&mut self, right: bool) {
        self.right += u64::from(right);
        self.of += 1;
    }

    /// The share, 0 to 1; none for an empty sample.
    #[must_use]
    pub fn value(self) -> Option<f64> {
        (self.of > 0).then(|| self.right as f64 / self.of as f64)
    }

    /// Wilson's score interval at 95 % (E. B. Wilson, JASA 22, 1927); none for an empty sample.
    #[must_use]
    pub fn wilson_95(self) -> Option<(f64, f64)> {
        let share = self.value()?;
        let size = self.of as f64;
        let z_squared = Z_95 * Z_95;
        let centre = share + z_squared / (2.0 * size);
        let spread = Z_95 * (share * (1.0 - share) / size + z_squared / (4.0 * size * size)).sqrt();
        let scale = 1.0 + z_squared / size;
        Some((((centre - spread) / scale).max(0.0), ((centre + spread) / scale).min(1.0)))
    }
}

impl AddAssign for Share {
    fn add_assign(&mut self, other: Share) {
        self.right += other.right;
        self.of += other.of;
    }
}

impl Serialize for Share {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let interval = self.wilson_95();
        let mut fields = serializer.serialize_struct("Share", 5)?;
        fields.serialize_field("right", &self.right)?;
        fields.serialize_field("of", &self.of)?;
        fields.serialize_field("share", &self.value())?;
        fields.serialize_field("low", &interval.map(|(low, _)| low))?;
        fields.serialize_field("high", &interval.map(|(_, high)| high))?;
        fields.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_interval_agrees_with_published_values() {
        // Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
        for (right, of, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let (found_low, found_high) = Share { right, of }.wilson_95().unwrap();
            assert!((found_low - low).abs() < 5e-5, "{right}/{of}: {found_low}");
            assert!((found_high - high).abs() < 5e-5, "{right}/{of}: {found_high}");
        }
    }

    #[test]
    fn empty_sample_has_no_share() {
        assert_eq!(Share::default().value(), None);
        let json = serde_json::to_string(&Share::default()).unwrap();
        assert_eq!(json, r#"{"right":0,"of":0,"share":null,"low":null,"high":null}"#);
    }
}
