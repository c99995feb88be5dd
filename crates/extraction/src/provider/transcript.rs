use serde::{Deserialize, Serialize};

use super::{ProviderError, Reply, Request};

/// A question with its answer: one line of a transcript, as JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exchange {
    /// The purpose of the request.
    pub purpose: String,
    /// The model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The question. A line written by hand can leave it out and then answers whatever is asked for
    /// its purpose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Request>,
    /// The answer, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<Reply>,
    /// Why there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl Exchange {
    pub(crate) fn of(
        model: String,
        request: &Request,
        answer: &Result<Reply, ProviderError>,
    ) -> Self {
        Self {
            purpose: request.purpose.clone(),
            model: Some(model),
            request: Some(request.clone()),
            reply: answer.as_ref().ok().cloned(),
            failure: answer.as_ref().err().map(ToString::to_string),
        }
    }

    pub(crate) fn line(&self) -> String {
        // Numbers and strings alone: there is nothing that could not be written.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The exchanges of a transcript; empty lines and lines that begin with `#` count for nothing.
    ///
    /// # Errors
    /// [`ProviderError::BadTranscript`].
    pub fn read(text: &str) -> Result<Vec<Self>, ProviderError> {
        let said = |(_, line): &(usize, &str)| {
            !line.trim().is_empty() && !line.trim_start().starts_with('#')
        };
        let parse = |(at, line): (usize, &str)| {
            let bad = |error: serde_json::Error| error.to_string();
            let exchange = serde_json::from_str(line).map_err(bad);
            exchange.map_err(|reason| ProviderError::BadTranscript {
                line: at.saturating_add(1),
                reason,
            })
        };
        text.lines().enumerate().filter(said).map(parse).collect()
    }
}
