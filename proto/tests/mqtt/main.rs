//! Tests of the MQTT messages and topics, from outside.

mod pinned;
mod rows;
mod topics;
