//! The server as its clients meet it: over a socket, with bytes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod attacks;
mod client;
mod document;
mod events;
mod knowledge;
mod mcp;
mod mem0;
mod memories;
mod more;
mod rights;
mod studio;
mod writes;
