//! The tests of this crate from outside, in one binary: each more is linked anew.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    unreachable_pub,
    unused,
    reason = "a test fails by panicking, and not every test needs all that they share"
)]

mod companion;
mod decisions;
mod harm;
mod jobs;
mod model;
mod oracle;
mod profiles;
mod retention;
mod rounds;
mod settings;
mod simulation;
mod thresholds;
mod world;
