//! Who is told over HTTP when something happens.

use std::path::PathBuf;

use serde::Deserialize;

/// In which form.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum WebhookFormat {
    /// A JSON object.
    #[default]
    Json,
    /// A short text with a title, as ntfy takes it.
    Ntfy,
}

/// Of what.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Told {
    /// A match has begun.
    Started,
    /// A match has a result, or another one.
    Result,
    /// Something is open that directors are to see about. What is silent is never told.
    Needs,
}

/// Somebody who is told.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Webhook {
    /// Where to send it, `http` or `https`.
    pub url: String,
    /// In which form.
    #[serde(default)]
    pub format: WebhookFormat,
    /// Of what.
    pub tells: Vec<Told>,
    /// Only of this section.
    #[serde(default)]
    pub section: Option<String>,
    /// File with a token that is sent along (`Authorization: Bearer`).
    #[serde(default)]
    pub token_file: Option<PathBuf>,
}
