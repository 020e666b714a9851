//! Several machines that follow one event: owners, which write the logs of halls and render their views, and fronts, which serve what is
//! rendered.
//!
//! A shard is a hall: its log has one owner at a time, by the lease in the log. NATS carries bytes between owner and fronts, and nothing depends
//! on it: batches of an audience have numbers, a front that lacks one asks the owner, and an act is in the log before it is answered. No
//! message is kept by the broker, so JetStream is not used.

pub(crate) mod front;
mod message;
pub(crate) mod owner;
