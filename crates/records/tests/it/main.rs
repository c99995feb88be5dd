//! The tests of this crate from outside, in one binary: each more is linked anew.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod behaviour;
mod damage;
mod model;
mod namespaces;
mod rounds;
mod times;
mod world;
