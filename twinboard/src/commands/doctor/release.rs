//! A node's firmware beside this program: releases belong together, and an older node may lack what a newer hub asks of it.

use std::cmp::Ordering;

/// Advice for a node whose firmware is of another release than this program; none for the same one or a version that is no release's.
pub(super) fn advice(firmware: &str, program: &str) -> Option<String> {
    match numbers(firmware)?.cmp(&numbers(program)?) {
        Ordering::Equal => None,
        Ordering::Less => Some(format!(
            "its firmware {firmware} is older than this program ({program}): flash this release's image, `twinboard flash`"
        )),
        Ordering::Greater => Some(format!(
            "its firmware {firmware} is newer than this program ({program}): update the hub"
        )),
    }
}

/// The three numbers of a release, as Semantic Versioning orders them.
fn numbers(version: &str) -> Option<[u32; 3]> {
    let mut numbers = [0; 3];
    let mut parts = version.split('.');
    for number in &mut numbers {
        *number = parts.next()?.parse().ok()?;
    }
    parts.next().is_none().then_some(numbers)
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
