//! Receivers of broadcast rounds of chess: a Lichess broadcast that gets the games, and a web host that mirrors pages and feeds.

use std::path::PathBuf;

use serde::Deserialize;

/// A broadcast of Lichess, or of a server with its interface, that a section's games are pushed to.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PushSettings {
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

/// A plain web host that the public pages and the feed's files are put on.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MirrorSettings {
    /// The address under which each file is sent by HTTP PUT, or by SFTP where it begins with `sftp://`; with pages, the root of a
    /// host's name.
    pub url: String,
    /// File with a token that is sent along (`Authorization: Bearer`).
    #[serde(default)]
    pub token_file: Option<PathBuf>,
    /// Whether the public pages are sent, too, and not the feed alone.
    #[serde(default)]
    pub pages: bool,
    /// Signs each request for a store with the interface of S3; the address is that of the store with the bucket.
    #[serde(default)]
    pub s3: Option<S3>,
    /// The private key of an SFTP account. The file `known_hosts` beside it has the server's key.
    #[serde(default)]
    pub key_file: Option<PathBuf>,
}

/// Account at a store with the interface of S3.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct S3 {
    /// Region of the bucket.
    pub region: String,
    /// Id of the account's key.
    pub key_id: String,
    /// File with the secret of that key.
    pub secret_file: PathBuf,
}

fn lichess() -> String {
    "https://lichess.org".to_owned()
}
