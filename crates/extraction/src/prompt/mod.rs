//! The words in which models are asked: messages of a language, with places for what changes.

#[cfg(test)]
mod tests;
mod transcript;
mod voice;

pub(crate) use transcript::listed;
pub use transcript::{Line, lines, render};
pub use voice::Voice;
