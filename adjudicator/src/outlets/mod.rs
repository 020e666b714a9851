//! Outputs that no HTTP request asks for: webhooks, folders of games, broadcasts, exports and second judgments.

pub(crate) mod broadcast;
pub mod event_log;
pub mod export;
pub(crate) mod families;
pub(crate) mod home_assistant;
pub mod outbound;
pub(crate) mod pgn_folder;
pub(crate) mod rejudge;
pub mod webhooks;
