//! The order in which people count: table 2 before table 10.

use std::cmp::Ordering;

/// Compares names; digits in a row are one number.
pub(crate) fn compare(one: &str, other: &str) -> Ordering {
    let (mut left, mut right) = (one, other);
    loop {
        let (first, second) = (number(left), number(right));
        let order = match (first, second) {
            (Some(first), Some(second)) => {
                (left, right) = (&left[first.len()..], &right[second.len()..]);
                compare_numbers(first, second)
            }
            _ => {
                let (first, second) = (left.chars().next(), right.chars().next());
                left = &left[first.map_or(0, char::len_utf8)..];
                right = &right[second.map_or(0, char::len_utf8)..];
                if first.is_none() && second.is_none() {
                    // Names that differ in leading zeros only.
                    return one.cmp(other);
                }
                first.cmp(&second)
            }
        };
        if order.is_ne() {
            return order;
        }
    }
}

/// The digits with which a text begins.
fn number(text: &str) -> Option<&str> {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    (end > 0).then(|| &text[..end])
}

/// Compares numbers of any length.
fn compare_numbers(one: &str, other: &str) -> Ordering {
    let (one, other) = (one.trim_start_matches('0'), other.trim_start_matches('0'));
    one.len().cmp(&other.len()).then_with(|| one.cmp(other))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_are_counted_and_letters_are_spelt() {
        let mut names =
            ["10", "2", "A10", "1", "A2", "B1", "01", "A2b", "A", "99999999999999999999"];
        names.sort_by(|one, other| compare(one, other));
        let counted = ["01", "1", "2", "10", "99999999999999999999", "A", "A2", "A2b", "A10", "B1"];
        assert_eq!(names, counted);
    }

    proptest! {
        #[test]
        fn the_order_is_total(one in "[a0-2é]{0,4}", other in "[a0-2é]{0,4}", third in "[a0-2é]{0,4}") {
            prop_assert_eq!(compare(&one, &other), compare(&other, &one).reverse());
            prop_assert_eq!(compare(&one, &other).is_eq(), one == other);
            if compare(&one, &other).is_le() && compare(&other, &third).is_le() {
                prop_assert!(compare(&one, &third).is_le());
            }
        }
    }
}
