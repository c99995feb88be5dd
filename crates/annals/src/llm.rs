//! Language models: who answers, what they are asked, and what is made of their answers.
//!
//! ```
//! use std::sync::Arc;
//! use annals::Options;
//! use annals::llm::provider::Replay;
//!
//! // A transcript in the place of a model, as in tests; `provider::http::HttpProvider` asks a server.
//! let model = Replay::default().reply("extract", "[ADD] She likes ramen");
//! let memory = Options::new().model(Arc::new(model)).in_memory()?;
//! # let _ = memory;
//! # Ok::<(), annals::Error>(())
//! ```

pub use annals_extraction::context::{quote, unmarked};
pub use annals_extraction::{
    Aliases, Analyst, Draft, Heard, Hold, Operation, Warning, candidates, monitor, prompt,
    provider, quality, session, tools, window,
};
