use annals_types::Timestamp;
use serde::{Deserialize, Serialize};

/// The calls of one language model for one purpose on one day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// The beginning of the day, in UTC.
    pub day: Timestamp,
    /// The purpose: `extract`, `review`, `summarize`, `chat` ...
    pub purpose: String,
    /// The name of the model, with its address.
    pub model: String,
    /// Calls that were answered.
    pub calls: u64,
    /// Calls that failed, whose tokens are unknown.
    pub failed: u64,
    /// Tokens of prompts.
    pub input_tokens: u64,
    /// Tokens of answers.
    pub output_tokens: u64,
    /// Whether some of the tokens are estimates, because a server did not say how many there were.
    pub estimated: bool,
    /// Their cost by the prices of that time
    /// ([`Provider::price`](annals_extraction::provider::Provider::price)), in the currency of
    /// those prices; 0 without prices.
    pub cost: f64,
}
