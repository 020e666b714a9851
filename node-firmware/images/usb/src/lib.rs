//! A node as a USB serial port (CDC ACM), as far as it needs no controller: what it says of itself, and how it answers the
//! computer's requests at endpoint 0. So both are tested where tests run; a board file adds the registers ([`Controller`]).
//!
//! Only what one serial port needs: a library for every kind of device took 12 to 14 KB of the 32 KB that an image has.
#![no_std]

mod descriptors;
mod device;
mod request;
mod silence;

pub use descriptors::{DATA_ENDPOINT, NOTIFICATION_ENDPOINT, PACKET_BYTES, Product};
pub use device::{Controller, SerialDevice};
pub use silence::{Presence, Silence};
