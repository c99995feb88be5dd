//! Triples, links, nodes and what is found over them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test fails by panicking"
)]

mod consolidation;
mod nodes;
mod numbers;
mod profile;
mod recall;
mod samples;
mod shapes;
#[path = "../support/mod.rs"]
mod support;
mod transfer;
mod triples;
mod views;
mod walks;
