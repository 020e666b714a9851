//! Comparison of releases: a node with older firmware than its hub may lack what the hub asks of it.

use std::cmp::Ordering;

/// Order of two versions by their numbers; none where one of them is no release's version.
#[must_use]
pub fn compare_releases(one: &str, other: &str) -> Option<Ordering> {
    Some(numbers(one)?.cmp(&numbers(other)?))
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
