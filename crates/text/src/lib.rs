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

pub mod analysis;
mod bytes;
mod error;
mod forward;
mod index;
mod segment;
mod settings;
pub mod store;
mod term;

pub use analysis::{ANALYZER_VERSION, Analyzer, Query, QueryTerm};
pub use error::{Damage, TextError};
pub use forward::{Counts, Forward, Lengths};
pub use index::{ChunkCache, Hit, Index, Matches, Occurrences, Statistics};
pub use settings::{Bm25, Settings};
pub use term::Term;
