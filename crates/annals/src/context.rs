use annals_types::Timestamp;
use serde::{Deserialize, Serialize};

/// What a prompt is made for.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[must_use = "a request does nothing until it is given to context()"]
pub struct ContextRequest {
    /// The message that is to be answered; without one nothing is recalled for it.
    pub message: Option<String>,
    /// Recent messages before it, oldest first.
    pub earlier: Vec<String>,
    /// The session of the conversation: its turns that say what these messages say are before the
    /// model already, and are left out of what is recalled. `None` leaves out nothing.
    pub session: Option<String>,
    /// What was made ready for this turn, such as what tools brought in the last one.
    pub prepared: String,
    /// The scratchpad as text; that of the namespace when empty.
    pub scratchpad: String,
    /// The moment; the clock's when `None`.
    pub at: Option<Timestamp>,
    /// Whether the memories are only looked at: nothing is counted, and
    /// [`injections`](crate::Lifecycle::injections) does not show it.
    pub peek: bool,
    /// Tokens that the context has at most, in place of the profile's `inject.max_tokens`; 0 is no
    /// limit.
    #[serde(default)]
    pub max_tokens: Option<u32>,
    /// The program that the prompt is for, as [`injections`](crate::Lifecycle::injections) shows
    /// it.
    #[serde(default)]
    pub agent: Option<String>,
}

impl ContextRequest {
    /// A prompt that answers a message.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: Some(message.into()),
            ..Self::default()
        }
    }

    /// Adds a message before it, oldest first.
    pub fn earlier(mut self, message: impl Into<String>) -> Self {
        self.earlier.push(message.into());
        self
    }

    /// The session of the conversation, whose messages given here are not recalled as well.
    pub fn session(mut self, session: impl Into<String>) -> Self {
        self.session = Some(session.into());
        self
    }

    /// What was made ready for this turn.
    pub fn prepared(mut self, text: impl Into<String>) -> Self {
        self.prepared = text.into();
        self
    }

    /// The scratchpad as text.
    pub fn scratchpad(mut self, text: impl Into<String>) -> Self {
        self.scratchpad = text.into();
        self
    }

    /// The moment for which it is made.
    pub const fn at(mut self, moment: Timestamp) -> Self {
        self.at = Some(moment);
        self
    }

    /// Tokens that the context has at most; 0 is no limit.
    pub const fn max_tokens(mut self, most: u32) -> Self {
        self.max_tokens = Some(most);
        self
    }

    /// The program that the prompt is for.
    pub fn agent(mut self, name: impl Into<String>) -> Self {
        self.agent = Some(name.into());
        self
    }

    /// Only looks: nothing is counted.
    pub const fn peek(mut self) -> Self {
        self.peek = true;
        self
    }
}

impl From<&str> for ContextRequest {
    fn from(message: &str) -> Self {
        Self::new(message)
    }
}
