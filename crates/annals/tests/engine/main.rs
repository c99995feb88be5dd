//! Memories, records, files and processes, whatever the profile.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a test fails by panicking"
)]

mod answered;
mod backend;
mod brought;
mod bulk;
mod carried;
mod changes;
mod compact;
mod conversations;
mod decisions;
mod embedders;
mod extensions;
mod flow;
mod format;
mod futures;
mod many;
mod meanwhile;
mod overtaken;
mod reading;
mod records;
mod renewed;
mod repeats;
mod requirements;
mod runtime;
pub mod scheduler;
mod shared;
#[path = "../support/mod.rs"]
mod support;
mod tables;
mod taken_back;
mod transfer;
mod undone;
mod upkeep;
mod wire;
