#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::panic,
        reason = "a test fails by panicking"
    )
)]

mod connection;
mod engine;
mod key;
mod lease;
mod pool;
mod snapshot;

pub use engine::{ConnectOptions, PostgresEngine};
