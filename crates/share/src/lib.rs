#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::print_stderr,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        reason = "a test fails by panicking"
    )
)]

mod carry;
mod client;
mod frame;
#[cfg(all(test, unix))]
mod fuzz;
mod gate;
mod link;
mod message;
mod met;
mod owner;
#[cfg(unix)]
mod place;
mod serve;
#[cfg(test)]
mod tests;
mod transport;
#[cfg(unix)]
mod user;

pub use carry::is_serving;
pub use client::{Client, Difference, Open, Start, Terms};
pub use message::{Call, PROTOCOL, Settings, Step, Version, Welcome};
pub use serve::{Caller, CallerInput, CallerOutput, Lent, OnProgress, Serve};
