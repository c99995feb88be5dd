use serde::{Deserialize, Serialize};

use crate::context::unmarked;
use crate::reply::without_thoughts;

/// The speaker of a message of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    /// The application: what the model is to do.
    System,
    /// The person, or the material to work on.
    User,
    /// The model.
    Assistant,
    /// A tool that the model called.
    Tool,
}

/// A tool that a model calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolUse {
    /// The model's number for this call; the result names it.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments as the model wrote them: JSON if it did well.
    pub arguments: String,
}

/// A message of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The speaker.
    pub speaker: Speaker,
    /// The text.
    pub text: String,
    /// The tools that the model called with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolUse>,
    /// The call whose result this is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<String>,
}

impl Message {
    fn of(speaker: Speaker, text: impl Into<String>) -> Self {
        Self {
            speaker,
            text: text.into(),
            calls: Vec::new(),
            answers: None,
        }
    }

    /// Instructions for the model.
    #[must_use]
    pub fn system(text: impl Into<String>) -> Self {
        Self::of(Speaker::System, text)
    }

    /// The words of a person, or material.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self::of(Speaker::User, text)
    }

    /// An earlier answer of the model.
    #[must_use]
    pub fn assistant(text: impl Into<String>, calls: Vec<ToolUse>) -> Self {
        Self {
            calls,
            ..Self::of(Speaker::Assistant, text)
        }
    }

    /// The result of a call. It is data: what a chat template would read as a mark is broken up.
    #[must_use]
    pub fn result(call: impl Into<String>, text: &str) -> Self {
        Self {
            answers: Some(call.into()),
            ..Self::of(Speaker::Tool, unmarked(text))
        }
    }
}

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// When to use it.
    pub description: String,
    /// Its arguments as a JSON schema.
    pub parameters: String,
}

/// The form that an answer is to have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schema {
    /// A name of letters, digits and `_`.
    pub name: String,
    /// The JSON schema; its top level is an object, as servers demand.
    pub text: String,
}

/// A question to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The purpose: `extract`, `review`, `summarize` ... Accounts and transcripts are kept by it.
    pub purpose: String,
    /// The prompt.
    pub messages: Vec<Message>,
    /// The tools that may be called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Tool>,
    /// The form of the answer. A server that cannot keep to it is asked without, so that an answer
    /// may still have another form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Schema>,
    /// The most tokens of the answer ([`AnswerTokens`]).
    pub max_tokens: u32,
    /// 0 for the likeliest answer, up to 2 (0.1).
    pub temperature: f32,
}

impl Request {
    /// A question without tools and form.
    #[must_use]
    pub fn new(purpose: impl Into<String>, messages: Vec<Message>) -> Self {
        let max_tokens = AnswerTokens::default().first;
        Self {
            purpose: purpose.into(),
            messages,
            tools: Vec::new(),
            schema: None,
            max_tokens,
            temperature: 0.1,
        }
    }

    /// About how many tokens the prompt has.
    #[must_use]
    pub fn estimated_tokens(&self) -> u64 {
        let texts = self.messages.iter().map(|message| message.text.as_str());
        let schemas = self.tools.iter().map(|tool| tool.parameters.as_str());
        let count = |text: &str| {
            u64::try_from(crate::window::estimate(text))
                .unwrap_or(u64::MAX)
                .saturating_add(4)
        };
        texts.chain(schemas).map(count).fold(0, u64::saturating_add)
    }
}

/// The most tokens of an answer. A model that thinks aloud needs many more than one that does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerTokens {
    /// When something is asked (1,024).
    pub first: u32,
    /// When it is asked once more because its answer was cut off (2,048); it is not where this is
    /// no more than `first`.
    pub again: u32,
}

impl Default for AnswerTokens {
    fn default() -> Self {
        Self {
            first: 1024,
            again: 2048,
        }
    }
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Stop {
    /// It was complete.
    #[default]
    End,
    /// It was cut off at the most tokens.
    Length,
    /// The model wants tools to be called.
    Tools,
    /// The server refused to say it.
    Refused,
}

/// Tokens that were paid for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Of the prompt.
    pub input: u64,
    /// Of the answer.
    pub output: u64,
    /// Whether the server did not say and the numbers are estimates.
    #[serde(default)]
    pub estimated: bool,
}

/// An answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// The text of the answer, without its [thoughts](Self::without_thoughts).
    #[serde(default)]
    pub text: String,
    /// The tools it wants to be called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolUse>,
    /// Its cost.
    #[serde(default)]
    pub usage: Usage,
    /// Why it ended.
    #[serde(default)]
    pub stop: Stop,
}

impl Reply {
    /// An answer of text alone.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// The same without what a reasoning model thinks aloud in its text. Every provider parts it
    /// from what is said: no other reader is to see it.
    #[must_use]
    pub fn without_thoughts(self) -> Self {
        let spoken = without_thoughts(&self.text);
        if spoken == self.text {
            self
        } else {
            Self {
                text: spoken.trim_start().to_owned(),
                ..self
            }
        }
    }
}
