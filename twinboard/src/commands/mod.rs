//! One file a command.

pub(crate) mod account;
pub(crate) mod backup;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod enroll;
pub(crate) mod event;
pub(crate) mod export;
pub(crate) mod flash;
pub(crate) mod hands;
pub(crate) mod hub;
pub(crate) mod infer;
pub(crate) mod invite;
pub(crate) mod journal;
pub(crate) mod judge;
pub(crate) mod rehearse;
pub(crate) mod restore;
pub(crate) mod rulebook;
pub(crate) mod score;
pub(crate) mod serve;
pub(crate) mod sim;
pub(crate) mod store;
pub(crate) mod token;
pub(crate) mod train;
