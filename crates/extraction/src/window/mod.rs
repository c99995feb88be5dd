//! What of a conversation a model is shown, counted in messages and tokens.

mod estimate;

pub use estimate::estimate;
