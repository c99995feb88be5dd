use std::sync::Arc;

/// Counts the tokens of a text.
pub type Count = Arc<dyn Fn(&str) -> usize + Send + Sync>;
