//! Answers of tools: words and data, or the reason why nothing was done.

use annals::messages::{Messages, cause, phrase};
use annals::{Error, ErrorKind, InvalidValue};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

/// The answer of a tool that did what it was asked.
#[derive(Debug)]
pub(crate) struct Reply {
    /// For a model that reads.
    pub(crate) text: String,
    /// The same for a program: a JSON object.
    pub(crate) data: Value,
}

impl Reply {
    pub(crate) fn new(text: impl Into<String>, data: Value) -> Self {
        Self {
            text: text.into(),
            data,
        }
    }
}

impl From<Reply> for CallToolResult {
    fn from(reply: Reply) -> Self {
        let mut result = Self::success(vec![ContentBlock::text(reply.text)]);
        result.structured_content = Some(reply.data);
        result
    }
}

/// What a library says about a model or a server, in a language.
fn in_words(language: &str, text: String) -> String {
    phrase(language, &text).unwrap_or(text)
}

/// Why a tool did nothing.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The call is wrong; the text says how to make it right.
    Said(String),
    /// The engine refused or failed.
    Engine(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}

impl From<InvalidValue> for Refusal {
    fn from(error: InvalidValue) -> Self {
        Self::Engine(error.into())
    }
}

impl Refusal {
    /// A message about the call.
    pub(crate) fn message(messages: &Messages, id: &str, args: &[(&str, &str)]) -> Self {
        let args: Vec<_> = args
            .iter()
            .map(|(name, value)| (*name, (*value).into()))
            .collect();
        Self::Said(messages.text(id, &args))
    }

    /// The reason in the words of a language, and what to do.
    pub(crate) fn text(&self, messages: &Messages) -> String {
        let error = match self {
            Self::Said(text) => return text.clone(),
            Self::Engine(error) => error,
        };
        let said = error
            .wording()
            .and_then(|wording| cause(messages.language(), &wording));
        let reason = said.unwrap_or_else(|| in_words(messages.language(), error.to_string()));
        let failed = messages.text("mcp-failed", &[("reason", (&reason).into())]);
        match error.kind() {
            ErrorKind::Invalid | ErrorKind::NotFound | ErrorKind::Conflict => failed,
            _ => format!("{failed}\n{}", messages.text("mcp-try-later", &[])),
        }
    }

    pub(crate) fn result(&self, messages: &Messages) -> CallToolResult {
        CallToolResult::error(vec![ContentBlock::text(crate::shown::block(
            &self.text(messages),
        ))])
    }
}
