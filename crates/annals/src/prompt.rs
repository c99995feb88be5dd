use annals_extraction::context::Context;
use annals_extraction::provider::Message;
use annals_types::MemoryId;
use serde::{Deserialize, Serialize};

/// A prompt with what of the memory belongs in it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Prompt {
    /// What a model is sent: the system prompt with the context, the messages at hand, and the new
    /// one.
    pub messages: Vec<Message>,
    /// The memories that an answer may name as what it rests on; empty where the profile does not
    /// show them (`surface.show_references`).
    pub memory_refs: Vec<MemoryId>,
    /// What of the memory is in it.
    pub context: Context,
}
