//! Processes that die, and writes that are cut off.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::print_stdout,
    reason = "a test fails by panicking, and tells how much it tried"
)]

mod cutoff;
mod derived;
mod faults;
mod judged;
mod killed;
mod reembedded;
#[path = "../support/mod.rs"]
mod support;
mod together;
mod torn;
