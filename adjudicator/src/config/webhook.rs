//! Configuration of webhooks.

use std::path::PathBuf;

use serde::Deserialize;

/// Format of the messages.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum WebhookFormat {
    /// A JSON object.
    #[default]
    Json,
    /// A short text with a title, as ntfy takes it.
    Ntfy,
}

/// Subject of the messages.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Told {
    /// A match has begun.
    Started,
    /// A match has a result, or another one.
    Result,
    /// Items of the directors' list. Silent items are never sent.
    Needs,
}

/// A webhook.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Webhook {
    /// Address of the messages, `http` or `https`.
    pub url: String,
    /// Format of the messages.
    #[serde(default)]
    pub format: WebhookFormat,
    /// Subject of the messages.
    pub tells: Vec<Told>,
    /// Only of this section.
    #[serde(default)]
    pub section: Option<String>,
    /// File with a token that is sent along (`Authorization: Bearer`).
    #[serde(default)]
    pub token_file: Option<PathBuf>,
}
