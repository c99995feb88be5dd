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

mod bundle;
mod catalogue;
mod cause;
mod error;
mod localizer;
mod phrase;
mod places;
mod spoken;
#[cfg(test)]
mod tests;
mod text_file;

pub use bundle::{Arg, Messages};
pub use catalogue::{Catalogue, FALLBACK, builtin_names, builtin_text, check};
#[doc(hidden)]
pub use cause::causes;
pub use cause::{cause, term};
pub use error::BadMessages;
pub use localizer::Localizer;
pub use phrase::phrase;
#[doc(hidden)]
pub use phrase::phrases;
pub use text_file::TextFile;
