//! Message of a panic, for a notice: a failure of one table or port must not end the others, nor go unreported.

use std::any::Any;

/// Longest text kept of a panic, in characters.
const WORDS_MAX: usize = 200;

/// Message of a panic.
#[must_use]
pub fn words(panic: &(dyn Any + Send)) -> String {
    let said = panic.downcast_ref::<&str>().copied();
    let said = said.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    said.unwrap_or("no reason given").chars().take(WORDS_MAX).collect()
}
