#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        reason = "a test fails by panicking"
    )
)]
#![cfg_attr(not(unix), allow(dead_code, reason = "nobody is met where processes cannot share a file"))]

#[cfg(not(unix))]
mod alone;
mod carry;
mod client;
#[cfg(unix)]
mod frame;
mod gate;
#[cfg(unix)]
mod link;
mod message;
mod met;
#[cfg(unix)]
mod owner;
#[cfg(unix)]
mod place;
mod serve;
#[cfg(all(test, unix))]
mod tests;

#[cfg(not(unix))]
use alone::{link, owner};
pub use carry::is_serving;
pub use client::{Client, Difference, Open, Start, Terms};
pub use message::{Call, PROTOCOL, Settings, Step, Version, Welcome};
pub use serve::{Caller, CallerInput, CallerOutput, Lent, OnProgress, Serve};
