use serde::{Deserialize, Serialize};

use crate::{MemoryId, Timestamp};

/// A memory that stood in a prompt, and why. It holds no text of the memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InjectedMemory {
    /// The id of the memory.
    pub id: MemoryId,
    /// The part of the prompt in which it stood, as the profile names it.
    pub part: String,
    /// How well it answered the message, 0 to 1; in parts that always stand there its worth.
    pub score: f64,
    /// The features that gave it most of its score, the strongest first; empty in parts that
    /// always stand there.
    #[serde(default)]
    pub reasons: Vec<InjectionReason>,
}

/// A feature that made a memory answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InjectionReason {
    /// The name of the feature: `dense`, `text`, `recency` ...
    pub feature: String,
    /// The part of the score that it makes.
    pub contribution: f64,
}

/// What was put into one prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Injection {
    /// When.
    pub at: Timestamp,
    /// The program that asked for it: `claude-code`, `mcp`, `chat` ...; `None` where it did not
    /// give its name.
    #[serde(default)]
    pub agent: Option<String>,
    /// The conversation, where it was named.
    #[serde(default)]
    pub session: Option<String>,
    /// About how many tokens it had; `None` where nobody counted.
    #[serde(default)]
    pub tokens: Option<u64>,
    /// Memories that had no room.
    #[serde(default)]
    pub left_out: u64,
    /// The memories, in their order. Those that were deleted since are missing.
    pub memories: Vec<InjectedMemory>,
}
