//! Limits of a hall: how much of everything one adjudicator takes.
//!
//! Each is per adjudicator, so per shard. Whatever an account, a device or an address could fill has a limit of its own below that of the
//! hall.

/// Most delays that an event may have: each costs the memory of a whole hall.
pub const DELAYS_MAX: usize = 8;

/// Most matches of an event that are kept in memory.
pub(crate) const MAX_MATCHES: usize = 8192;

/// Most bytes of one hub: some sixteen tables fill a tenth of it in a long day. Rows count, births and wills, and what is noted as lost.
pub const HUB_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// Most boots of one hub: one that starts every ten minutes has had so many after four weeks.
pub const HUB_BOOTS_MAX: u64 = 4_096;

/// Longest payload of an act, bytes: an import of a large event.
pub const ACT_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Shortest token a tournament director may have.
pub(crate) const MIN_TOKEN_LENGTH: usize = 16;
