//! The wire formats of Twinboard and nothing else, so that every program on a wire reads the same definition.
//!
//! | noun | what it is |
//! |---|---|
//! | [`Message`](link::Message) | a message on the serial [`link`] between a node (board, trays, clock) and its hub |
//! | [`Frame`](link::Frame) | a message with boot, sequence and checksum |
//! | [`HostSession`](link::HostSession) | the hub's end of a link: ordered events, gaps reported |
//! | `Rows` (feature `mqtt`) | a hub's rows to the adjudicator, as protobuf |
//! | `join` (feature `join`) | a new hub's request to be accepted, and the proofs of both ends |
//! | `Topic` (feature `mqtt`) | the topics between hubs, broker and adjudicator |
//!
//! ```
//! use proto::link::{HostEvent, HostSession, HubTime};
//!
//! let mut session = HostSession::new(None);
//! let mut events: Vec<HostEvent> = Vec::new();
//! session.receive(HubTime::ZERO, b"\0no frame\0", |event| events.push(event));
//! assert!(matches!(events[..], [HostEvent::Rejected(_)]));
//! ```
//!
//! The link is `no_std` and allocates nothing. This crate knows nothing of chess: a square is a number from 0 to 63, a ply is a
//! string. The crates that depend on it decide their meaning.
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![warn(missing_docs)]

#[cfg(feature = "join")]
pub mod join;
pub mod link;
#[cfg(feature = "mqtt")]
pub mod mqtt;
