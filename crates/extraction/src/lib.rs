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

mod alias;
mod ask;
pub mod candidates;
pub mod context;
mod json;
pub mod monitor;
mod operation;
pub mod prompt;
pub mod provider;
pub mod quality;
mod reply;
pub mod session;
pub mod tools;
pub mod window;

pub use alias::{Aliases, Hold};
pub use ask::Analyst;
pub use operation::{Draft, Heard, Operation, Warning};
