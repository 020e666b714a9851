//! Receivers of broadcast rounds of chess: a Lichess broadcast that gets the games, and a web host that mirrors the feed.

use std::path::PathBuf;

use serde::Deserialize;

/// A broadcast of Lichess, or of a server with its interface, that a section's games are pushed to.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Push {
    /// The section whose rounds are pushed.
    pub section: String,
    /// The ids of the broadcast's rounds, the first round's first.
    pub rounds: Vec<String>,
    /// The server.
    #[serde(default = "lichess")]
    pub url: String,
    /// File with the token of an account that contributes to the broadcast, with the right `study:write`.
    pub token_file: Option<PathBuf>,
}

/// A folder on a web host that the feed's files are put into.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mirror {
    /// The folder's address; each file is sent below it by HTTP PUT.
    pub url: String,
    /// File with a token that is sent along (`Authorization: Bearer`).
    #[serde(default)]
    pub token_file: Option<PathBuf>,
}

fn lichess() -> String {
    "https://lichess.org".to_owned()
}
