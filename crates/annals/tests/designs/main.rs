//! The profiles: their numbers, their scenarios, their files.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test fails by panicking"
)]

mod agent;
mod assistant;
mod assistant_numbers;
mod companion;
mod components;
mod english;
mod formulas;
mod groups;
mod languages;
mod lifetimes;
mod markdown;
mod mirrors;
mod mirrors_apart;
mod mirrors_begun;
mod mirrors_beside;
mod mirrors_edited;
mod mirrors_kept;
mod mirrors_left;
mod mirrors_owned;
mod numbers;
pub mod profiles;
mod prompts;
mod scenarios;
mod studio;
#[path = "../support/mod.rs"]
mod support;
mod temporary;
mod together;
mod users;
