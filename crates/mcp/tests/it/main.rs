//! The tests of this crate from outside, in one binary: each more is linked anew.

#![allow(
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod design;
mod hostile;
mod http;
mod resources;
#[cfg(unix)]
mod roots;
mod support;
mod tools;
