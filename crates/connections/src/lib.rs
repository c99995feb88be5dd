#![doc = include_str!("../README.md")]
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test fails by panicking"))]

mod limits;
mod patient;
mod peer;
mod places;
mod serve;

pub use limits::{Farewell, Limits};
pub use places::Proof;
pub use serve::serve;
