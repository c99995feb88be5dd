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

mod backup;
mod client;
mod command;
mod edit;
mod error;
mod file;
mod folders;
mod hook;
mod json;
mod lock;
mod places;
mod plan;
mod quote;
mod status;
mod switch;
mod target;
#[cfg(test)]
mod tests;
mod toml;
mod value;

pub use client::Client;
pub use command::Command;
pub use error::{Error, Problem};
pub use file::HeldFile;
pub use folders::{Folders, System};
pub use plan::{Action, Change, Plan, Planner};
pub use status::{Standing, Status, status};
pub use switch::{HooksOff, hooks_off};
pub use target::{Scope, files, is_found};
