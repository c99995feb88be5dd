//! The part of a conversation that a model is shown, counted in messages and tokens.

mod estimate;
mod parts;
mod recent;
#[cfg(feature = "tokenizer")]
mod tokenizer;

pub use estimate::estimate;
pub(crate) use parts::end_of_sentences;
pub use recent::{exceeds, pieces, recent};
#[cfg(feature = "tokenizer")]
pub use tokenizer::{Tokenizer, TokenizerError};
