//! Keys and certificates: the hall's own authority, secrets in files, TLS.

pub mod authority;
pub(crate) mod joining;
pub(crate) mod notices;
pub mod secrets;
pub mod tls;
