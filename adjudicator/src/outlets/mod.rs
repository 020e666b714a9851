//! What goes out without being asked over HTTP: webhooks, folders of games, exports and second judgments.

pub mod export;
pub(crate) mod pgn_folder;
pub(crate) mod rejudge;
pub mod webhooks;
