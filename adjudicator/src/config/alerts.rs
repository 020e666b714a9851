//! Treatment of each kind of finding, for the event and for single sections, and its cost in false findings.
//!
//! The cost of a kind was measured with simulated hands: how often it is shown and false. These numbers stand in one place, the file beside
//! the accuracy page.

use std::collections::BTreeMap;

use rules::rulebook::Finding;
use serde::{Deserialize, Serialize};

/// Measurements of the accuracy page.
const MEASURED: &str = include_str!("../../../docs/accuracy/anomalies.csv");
/// The hands that are closest to a scholastic hall: each match has behaviours and players of its own.
const HANDS: &str = "reed, drawn-scholastic";
/// Tables of the round by which the cost is stated.
const ROUND_TABLES: f64 = 25.0;

/// Treatment of a kind of finding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Treatment {
    /// Calls for a director where the book allows it.
    #[default]
    Alert,
    /// Shows the finding on the list, among the items that are not urgent.
    List,
    /// Shows the finding on the page of its match alone.
    Log,
    /// Hides the finding from directors. A claim about it is judged all the same.
    Off,
}

impl Treatment {
    /// Its name in files and messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Treatment::Alert => "alert",
            Treatment::List => "list",
            Treatment::Log => "log",
            Treatment::Off => "off",
        }
    }
}

/// Treatments by the code of a finding.
pub type Treatments = BTreeMap<String, Treatment>;

/// Number of false findings of a kind in a round of 25 scholastic tables; none where it was not measured.
#[must_use]
pub fn false_in_a_round(code: &str) -> Option<f64> {
    let start = format!("`{code}`,\"{HANDS}\",");
    let line = MEASURED.lines().find(|line| line.starts_with(&start))?;
    let of_match: f64 = line.rsplit(',').next()?.parse().ok()?;
    Some(of_match * ROUND_TABLES)
}

/// The cost of a kind in words.
#[must_use]
pub fn cost(code: &str) -> String {
    match false_in_a_round(code) {
        Some(count) => format!("about {count:.1} false in a round of 25 tables"),
        None => "how often it is false was not measured".to_owned(),
    }
}

/// The first code that names no finding.
pub(super) fn unknown(treatments: &Treatments) -> Option<&str> {
    treatments.keys().map(String::as_str).find(|code| Finding::from_code(code).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_of_a_kind_is_what_was_measured() {
        let count = false_in_a_round("clock-hand").expect("it was measured");
        assert!((1.0..100.0).contains(&count), "{count}");
        assert_eq!(cost("clock-hand"), format!("about {count:.1} false in a round of 25 tables"));
        assert_eq!(false_in_a_round("mate-by-magic"), None);
    }
}
