//! The tests of this crate from outside, in one binary: each more is linked anew.

#![allow(
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod backup;
mod bad_input;
mod both_ways;
mod chat;
mod chinese;
mod damage;
mod editor;
mod every_format;
mod first_hour;
mod hooks;
mod http;
mod imports;
mod install;
mod llm;
mod local;
mod mcp;
mod misread;
mod models;
mod others;
mod process;
mod project;
mod providers;
mod quality;
mod samples;
mod share;
mod snapshots;
mod stage;
mod told;
mod transfer;
mod witness;
mod wording;
