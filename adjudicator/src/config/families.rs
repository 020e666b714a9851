//! Messages to families about their children's pairings.

use std::path::PathBuf;

use serde::Deserialize;

/// Messages to families. None is sent unless a server is named, and of no child whose family has not asked for it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FamilySettings {
    /// The ntfy server, `https://ntfy.example.org`: each child has a topic there that nobody can guess.
    pub ntfy: Option<String>,
    /// File with a token that is sent along (`Authorization: Bearer`).
    pub token_file: Option<PathBuf>,
}
