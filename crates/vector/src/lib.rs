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

mod block;
mod code;
pub mod embed;
mod error;
mod graph;
#[cfg(feature = "hnsw")]
mod hnsw;
mod index;
mod kernels;
mod pack;
mod plan;
mod rotate;
pub mod store;
mod tail;
mod top;

pub use code::{Code, Query, Shape};
pub use error::{MAX_DIMS, VectorError};
pub use graph::{Graph, Progress, Recipe};
#[cfg(feature = "hnsw")]
pub use hnsw::{HnswIndex, HnswSettings};
pub use index::{Hit, Index, VectorIndex};

/// The instructions that dot products use on this machine: `avx512vnni`, `avx2`, `neon` or
/// `portable`.
#[must_use]
pub fn instructions() -> &'static str {
    kernels::Kernels::detect().name
}
