//! Shared parts of the tests: worlds under a profile, models and embedders that do as a test says.

#![allow(
    dead_code,
    unreachable_pub,
    reason = "not every group of tests uses all of it"
)]

pub mod few;
pub mod gate;
pub mod life;
pub mod likeness;
pub mod log;
pub mod notebook;
pub mod reads;
pub mod script;
pub mod shipped;
pub mod sources;
