//! What of a conversation a model is shown, counted in messages and tokens.

mod estimate;
mod recent;

pub use estimate::estimate;
pub use recent::{exceeds, pieces, recent};
