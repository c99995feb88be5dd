#![doc = include_str!("../README.md")]
#![allow(
    missing_docs,
    reason = "annals is the interface that programs depend on; this one serves the crates between"
)]
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

pub mod conversations;
pub mod cursors;
pub mod episodes;
pub mod injections;
pub mod jobs;
pub mod models;
mod proposal;
pub mod proposals;
mod remark;
pub mod remarks;
pub mod service;
mod sessions;
pub mod spending;
mod spent;
pub mod tasks;
pub mod temporary;

use annals_engine::Engine;

pub use proposal::{Proposal, ProposalAction};
pub use remark::Remark;
pub use spent::Spent;

/// The curation of an engine's memories.
#[derive(Clone, Copy)]
pub struct Curator<'a>(pub &'a Engine);

impl std::ops::Deref for Curator<'_> {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        self.0
    }
}
