//! Messages that a driver does not understand: reported once, with their bytes, so that the driver can be extended.
//!
//! Drivers are written after public descriptions, and boards send more than these name. A driver skips unknown messages, and never in
//! silence.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Output;

/// Maximum number of kinds that are counted in one run of a driver.
const KINDS_MAX: usize = 16;
/// Number of occurrences after which a kind is reported: a bad line garbles one or the other.
const OCCURRENCES_MIN: u8 = 3;
/// Maximum number of bytes that are shown of each.
const BYTES_MAX: usize = 96;

/// Number of occurrences of each kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Unknown {
    occurrences: BTreeMap<String, u8>,
}

impl Unknown {
    /// The report about bytes that are not understood, once this kind of them has come often enough. `what` names kind and device.
    pub(super) fn report(&mut self, what: &str, bytes: &[u8]) -> Option<Output> {
        if self.occurrences.len() >= KINDS_MAX && !self.occurrences.contains_key(what) {
            return None;
        }
        let count = self.occurrences.entry(what.to_owned()).or_default();
        *count = count.saturating_add(1);
        if *count != OCCURRENCES_MIN {
            return None;
        }
        let mut hex = String::new();
        for byte in bytes.iter().take(BYTES_MAX) {
            let _ = write!(hex, " {byte:02x}");
        }
        if bytes.len() > BYTES_MAX {
            let _ = write!(hex, " … ({} bytes)", bytes.len());
        }
        Some(Output::Unknown(format!(
            "{what}:{hex}; it is passed over. Report this line with the board's maker, name and firmware (docs/met.md says how), so \
             that its driver can learn it"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_reported_once_with_its_bytes() {
        let mut unknown = Unknown::default();
        let mut reports = Vec::new();
        for last in 0..10 {
            reports.extend(unknown.report("board 5: an answer", &[0xB0, last]));
        }
        let [Output::Unknown(words)] = &reports[..] else { panic!("{reports:?}") };
        assert!(words.starts_with("board 5: an answer: b0 02; it is passed over"), "{words}");
        for kind in 0..100 {
            unknown.report(&kind.to_string(), &[0; 200]);
        }
        assert_eq!(unknown.occurrences.len(), KINDS_MAX);
    }
}
