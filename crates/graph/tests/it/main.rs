//! The tests of this crate from outside, in one binary: each more is linked anew.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod damage;
mod discovery;
mod evidence;
mod limits;
mod memories;
mod merges;
mod model;
mod names;
mod spread;
mod transfer;
mod world;
