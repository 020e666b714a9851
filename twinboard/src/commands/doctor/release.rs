//! A node's firmware beside this program: releases belong together, and an older node may lack what a newer hub asks of it.

use std::cmp::Ordering;

use hub::update::compare_releases;

/// Advice for a node whose firmware is of another release than this program; none for the same one or a version that is no release's.
pub(super) fn advice(firmware: &str, program: &str) -> Option<String> {
    match compare_releases(firmware, program)? {
        Ordering::Equal => None,
        Ordering::Less => Some(format!(
            "its firmware {firmware} is older than this program ({program}): flash this release's image, `twinboard flash`"
        )),
        Ordering::Greater => Some(format!(
            "its firmware {firmware} is newer than this program ({program}): update the hub"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_compared_by_number_and_not_by_letter() {
        assert_eq!(advice("0.10.0", "0.10.0"), None);
        assert!(advice("0.9.12", "0.10.0").unwrap().contains("older"));
        assert!(advice("1.0.0", "0.10.0").unwrap().contains("update the hub"));
        assert_eq!(advice("", "0.10.0"), None);
        assert_eq!(advice("v2 beta", "0.10.0"), None);
    }
}
