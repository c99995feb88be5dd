use serde::{Deserialize, Serialize};

use crate::{Metadata, Timestamp};

/// The state of a conversation beside its turns, kept until it ends.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SessionState {
    /// The current task; empty while it is not known.
    pub current_task: String,
    /// Named values of the program that leads the conversation.
    pub variables: Metadata,
    /// The position of the first turn that is in no episode yet.
    pub summarized_to: u32,
    /// Whether an episode of the turns from there on is still to be made.
    pub owes_episode: bool,
    /// When it ended last; `None` while it never has.
    pub ended_at: Option<Timestamp>,
}
