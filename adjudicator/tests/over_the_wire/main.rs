//! The whole adjudicator over its real sockets: MQTT in, HTTP out.

mod api;
mod appeals;
mod at_table;
mod attacks;
mod bad_acts;
mod broker;
mod busy_database;
mod claims;
mod clock_delays;
mod crash;
mod crowds;
mod damage;
mod delays;
mod described;
mod directors;
mod disk;
mod encrypted;
mod event;
mod families;
mod feed;
mod hubs;
mod insiders;
mod judge;
mod large_event;
mod large_files;
mod live;
mod one_board;
mod orders;
mod pauses;
mod phone;
mod photo_finish;
mod postgresql;
mod put_ups;
mod relay;
mod round_feed;
mod round_push;
mod shares;
mod silence;
mod starting;
mod strangers;
mod stream;
mod support;

#[path = "../../../tests/support/python_chess.rs"]
mod python_chess;
mod zero_test;
