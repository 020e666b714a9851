//! Names that become parts of topics, of addresses, and of names of files.

/// Longest table name, shard or id: they become topic segments and addresses.
pub(super) const MAX_NAME_LENGTH: usize = 64;

/// User name of the adjudicator's own connection to a broker; no hub may use it.
pub(crate) const ADJUDICATOR: &str = "adjudicator";

/// Whether a text can be part of a topic and of an address.
pub(crate) fn is_segment(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (1..=MAX_NAME_LENGTH).contains(&text.len()) && text.chars().all(allowed)
}

/// Whether a hub can have this id in an account, a certificate and the name of its bundle's folder: the adjudicator's own name and names of
/// folders on every machine are none.
///
/// # Errors
///
/// It cannot; says why.
pub(crate) fn check_hub_id(id: &str) -> Result<&str, String> {
    if !is_segment(id) || id.chars().all(|c| c == '.') {
        return Err(format!(
            "{id:?} is no hub id: use 1 to {MAX_NAME_LENGTH} letters, digits, '.', '_' or '-', not dots alone"
        ));
    }
    match id == ADJUDICATOR {
        true => {
            Err(format!("{id:?} is how the adjudicator itself logs in: give the hub another id"))
        }
        false => Ok(id),
    }
}
