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

mod contrast;
mod coverage;
mod figures;
mod line;
pub mod names;
pub mod privacy;
pub mod time;
mod wish;
mod zone;

pub use contrast::{contrast, likeness, same_words, words_hash};
pub use coverage::coverage;
pub use figures::{Figures, half_width};
pub use line::one_line;
pub use wish::{Wish, besides, goes_on, wish};
pub use zone::Zone;
