//! Words in and out: arrivals, extraction, context, tools.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test fails by panicking"
)]

mod advisers;
mod arrivals;
mod background;
mod calls;
mod condensing;
mod context;
mod gone;
mod histories;
mod hostile;
mod late;
pub mod masked;
mod owed;
mod redactors;
mod secrets;
mod spending;
#[path = "../support/mod.rs"]
mod support;
mod talks;
mod times;
mod told;
mod tools;
mod unextracted;
mod waiting;
mod wishes;
mod words;
mod working;
mod zones;
