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
pub mod markdown;
pub mod monitor;
mod operation;
pub mod privacy;
pub mod prompt;
pub mod provider;
pub mod quality;
mod reply;
pub mod session;
pub mod time;
pub mod tools;
pub mod window;
mod zone;

pub use alias::{Aliases, Hold};
pub use ask::{Analyst, Count};
pub use operation::{Draft, Heard, Operation, Warning};
pub use zone::Zone;
