//! The whole adjudicator over its real sockets: MQTT in, HTTP out.

mod api;
mod attacks;
mod broker;
mod crash;
mod live;
mod silence;
mod support;
