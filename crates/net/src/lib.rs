#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_possible_wrap,
        reason = "a test fails by panicking"
    )
)]

mod address;
mod client;
mod error;
mod key;
#[cfg(feature = "server")]
pub mod server;
mod wait;

pub use address::Address;
pub use client::{Answer, Client, Limits, Unanswered};
pub use error::NetError;
pub use key::{ApiKey, KeySource};
pub use wait::{Pause, Waits};
